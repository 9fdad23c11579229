//! What a reader must know of columns that were brought to one calendar.

use crate::endpoints::coarser;
use crate::endpoints::provenance::Provenance;
use crate::indicators::resample::Aggregation;
use crate::model::frequency::Periods;
use crate::model::{Date, Frequency, Series};
use std::collections::BTreeMap;

/// Notes how finer series became as coarse as the others.
pub(super) fn coarser(provenance: &mut Provenance, how: Aggregation, to: Frequency) {
    let word = match how {
        Aggregation::Average => "averages",
        Aggregation::Sum => "sums",
        Aggregation::EndOfPeriod => "last values",
    };
    let note = format!("finer series are {word} of their {to} periods");
    provenance.note("frequency", note);
}

/// Notes which periods are short, cut by the range or not over, each with the series it is so of.
pub(super) fn remarks<'a>(
    provenance: &mut Provenance,
    series: impl Iterator<Item = &'a Series>,
    to: Periods,
    days: (Date, Date),
) {
    let mut said: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    for one in series.filter(|s| s.frequency() < to.frequency) {
        for note in coarser::remarks(one, to, days) {
            let of = said.entry(note).or_default();
            if !of.contains(&one.info.id.as_str()) {
                of.push(one.info.id.as_str());
            }
        }
    }
    let mut notes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((field, note), of) in said {
        let note = format!("{}: {note}", of.join(", "));
        notes.entry(field).or_default().push(note);
    }
    for (field, said) in notes {
        provenance.note(field, said.join("; "));
    }
}

/// Notes that days are taken together by the weeks of another column.
pub(super) fn weeks<'a>(
    provenance: &mut Provenance,
    columns: impl Iterator<Item = &'a Series> + Clone,
    to: Frequency,
) {
    let is_daily = columns.clone().any(|s| s.frequency() == Frequency::Daily);
    let mut columns = columns;
    let weekly = columns.find(|s| s.frequency() == Frequency::Weekly);
    let last = weekly.and_then(|s| Some((&s.info.id, s.observations.last()?.date)));
    if let Some((id, last)) = last.filter(|_| is_daily && to == Frequency::Weekly) {
        let note = format!(
            "daily columns have the weeks of {id}, which end on {}",
            last.strftime("%A")
        );
        provenance.note("weeks", note);
    }
}
