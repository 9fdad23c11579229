//! What a reader must know of the periods of an answer: which are absent, short, cut by the range or not over yet.

use super::asked::Asked;
use crate::desk::remarks;
use crate::endpoints::coarser::{self, named};
use crate::endpoints::provenance::Provenance;
use crate::indicators::resample::Aggregation;
use crate::indicators::transform::Units;
use crate::model::frequency::{Periods, shift};
use crate::model::{Frequency, Observation, Series};

/// Notes the periods that the source left out within the range: "October 2025 was never published".
pub(super) fn note_absent(provenance: &mut Provenance, series: &Series, asked: &Asked) {
    let frequency = series.frequency();
    if frequency < Frequency::Monthly || series.info.is_composite() {
        return;
    }
    let rows = series.between(asked.start, asked.end);
    let mut absent = Vec::new();
    for (before, after) in rows.iter().zip(rows.iter().skip(1)) {
        let after = frequency.period_number(after.date);
        let mut next = shift(before.date, frequency.period());
        while frequency.period_number(next) < after {
            absent.push(frequency.label(next));
            next = shift(next, frequency.period());
        }
    }
    if let Some(names) = named(&absent) {
        let verb = if absent.len() == 1 { "was" } else { "were" };
        provenance.note("absent", format!("{names} {verb} never published"));
    }
}

/// Notes that the published yearly rate of a price index is that of the unadjusted one.
pub(super) fn note_headline(provenance: &mut Provenance, series: &Series, units: Units) {
    let headline = remarks::headline(series.info.id.as_str());
    let headline = headline.filter(|_| units == Units::PercentYear);
    provenance.note("headline", headline.unwrap_or_default());
}

/// Notes the periods that can be seen in the range and have no figure in the units asked for.
pub(super) fn note_uncomputable(
    provenance: &mut Provenance,
    series: &Series,
    computed: &[Observation],
    asked: &Asked,
) {
    let frequency = series.frequency();
    if frequency < Frequency::Monthly {
        return;
    }
    let has = |o: &&Observation| computed.binary_search_by_key(&o.date, |c| c.date).is_err();
    let rows = series.between(asked.start, asked.end).iter();
    let absent: Vec<String> = rows.filter(has).map(|o| frequency.label(o.date)).collect();
    if let Some(names) = named(&absent) {
        let why = "the earlier figure it is set against is absent or not positive";
        provenance.note("uncomputable", format!("{names}: {why}"));
    }
}

/// Notes how figures became coarser, and which of the periods given are not whole.
pub(super) fn note_coarser(
    provenance: &mut Provenance,
    series: &Series,
    (to, how): (Periods, Aggregation),
    asked: &Asked,
) {
    let (from, word) = (series.frequency().word(), how.words());
    let to_word = to.frequency;
    provenance.note(
        "aggregation",
        format!(
            "each {to_word} figure is the {word} of its {from} ones ({})",
            how.code()
        ),
    );
    for (field, note) in coarser::remarks(series, to, (asked.start, asked.end)) {
        provenance.note(field, note);
    }
}
