//! Rows at another frequency and in other units, with FRED's words: first aggregated, then transformed, so
//! that a yearly percent change is one of yearly figures.

use super::answer::TimeSeriesAnswer;
use super::arguments::{DateSelection, Params};
use super::points;
use crate::endpoints::coarser::{self, absent, named};
use crate::endpoints::condition::{Condition, ConditionFigures, Setting};
use crate::endpoints::days::trading_days;
use crate::endpoints::formulas::NamedSeries;
use crate::endpoints::measured::FigureKind;
use crate::endpoints::provenance::Provenance;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::expression::{Column, Unit, convert};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::indicators::transform::{Units, year_earlier};
use econoscope_core::model::frequency::Periods;
use econoscope_core::model::{Date, Frequency, Observation, Series, SeriesInfo};
use econoscope_data::desk::remarks;
use std::sync::Arc;

/// The answer with what is asked of a series, aggregated and transformed, its unit, and what is to be known of it.
///
/// # Errors
/// [`Error::InvalidParam`] for a frequency finer than the series' own, or an aggregation without a frequency.
pub(super) fn transformed(
    answer: &mut TimeSeriesAnswer,
    series: &Arc<Series>,
    params: &Params,
    asked: &DateSelection,
) -> Result<()> {
    if params.frequency.is_none() && params.aggregation.is_some() {
        let problem = "has no meaning without frequency";
        let allowed = "frequency=m with aggregation=avg";
        return Err(Error::invalid("aggregation", "", problem, allowed));
    }
    let units = params.units();
    let periods = params.frequency.map(|asked| asked.meaning);
    let periods = periods.unwrap_or_else(|| series.frequency().into());
    let to = periods.frequency;
    let mut measured = FigureKind::new(series, units, to);
    answer.unit = unit(units, &series.info.units_short);
    answer.unit_in_words = Some(unit_in_words(units, &series.info));
    answer.frequency = Some(to.word().into());
    let mut of = Arc::clone(series);
    note_absent(&mut answer.provenance, series, asked);
    // The published yearly rate of a price index is that of the unadjusted one.
    let headline = remarks::headline(series.info.id.as_str());
    let headline = headline.filter(|_| units == Units::PercentYear);
    answer
        .provenance
        .note("headline", headline.unwrap_or_default());
    if to != series.frequency() {
        let how = params.aggregation.map(|how| how.meaning);
        let how = how.unwrap_or_else(|| Aggregation::usual(&series.info));
        of = convert(series, periods, how, None)?;
        note_coarser(&mut answer.provenance, series, (periods, how), asked);
        if how == Aggregation::Sum {
            answer.unit += ", summed";
        }
        if how != Aggregation::EndOfPeriod {
            measured = measured.averaged();
        }
    }
    if asked.is_events {
        note_days(&mut answer.provenance, of.frequency(), asked)?;
    }
    let levels = Arc::clone(&of);
    if units != Units::Level {
        let changed = Arc::new(Series::new(Arc::clone(&of.info), units.apply(&of)));
        let computed = &changed.observations;
        note_uncomputable(&mut answer.provenance, &of, computed, asked);
        of = changed;
    }
    fill(answer, &of, &measured, asked);
    if matches!(units, Units::PercentYear | Units::ChangeYear)
        && let Some(last) = answer.data.last()
        && let Some(now) = levels.at(last.date)
        && let Some(before) = year_earlier(&levels, last.date)
    {
        let (now, before) = (levels.info.round(now), levels.info.round(before));
        let when = to.when(last.date);
        let level = format!("{now} {when}, {before} a year earlier");
        answer.provenance.note("level", level);
    }
    answer.measured = Some(measured);
    Ok(())
}

/// Counts the condition over the rows that the answer has, before any is left out.
///
/// # Errors
/// [`Error::InvalidParam`] for units that cannot be compared and for what takes too long.
pub(super) fn judge(
    answer: &mut TimeSeriesAnswer,
    (condition, known): (&Condition, &NamedSeries),
    info: &SeriesInfo,
    params: &Params,
    days: (Date, Date),
) -> Result<()> {
    if let Some(reason) = known.reason(&condition.tree) {
        answer.provenance.note("condition", reason.to_string());
        return Ok(());
    }
    let how = params.aggregation.map(|how| how.meaning);
    let setting = Setting {
        known,
        how: how.unwrap_or_else(|| Aggregation::usual(info)),
        frequency: params.frequency.map(|asked| asked.meaning.frequency),
        days,
    };
    // "percentage points, change from a year earlier" is a unit of percentage points.
    let unit = answer.unit.split(',').next().unwrap_or_default();
    let unit = match answer.unit == info.units_short {
        true => Unit::of(info),
        false => Unit::new(unit),
    };
    let own = SeriesInfo {
        frequency: setting.frequency.unwrap_or(info.frequency),
        ..info.clone()
    };
    let series = Arc::new(Series::new(Arc::new(own), answer.data.clone()));
    let column = Column { series, unit };
    let found = condition.figures(Some((info.id.as_str(), column)), &setting)?;
    // Which series stands at the head of the answer.
    answer.condition = Some(ConditionFigures { of: None, ..found });
    Ok(())
}

/// Notes which days the horizons count, calendar days or trading days.
///
/// # Errors
/// [`Error::InvalidParam`] for trading days of what is not daily.
fn note_days(
    provenance: &mut Provenance,
    frequency: Frequency,
    asked: &DateSelection,
) -> Result<()> {
    let horizons = || {
        asked
            .days
            .iter()
            .filter_map(|(_, horizon)| horizon.as_deref())
    };
    if let Some(trading) = horizons().find(|text| trading_days(text).is_some()) {
        if frequency != Frequency::Daily {
            let problem = format!(
                "counts trading days, and the figures are {}",
                frequency.word()
            );
            return Err(Error::invalid(
                "horizons",
                trading,
                &problem,
                "3m, 1y, or a daily series",
            ));
        }
        let note = format!("{trading}: trading days, counted by the figures of the series");
        provenance.note("horizons", note);
    } else if let Some(calendar) = horizons().find(|text| text.contains('d')) {
        provenance.note(
            "horizons",
            format!("{calendar}: calendar days; td are trading days"),
        );
    }
    Ok(())
}

/// Puts the rows of the range, or the figures at single days, into the answer.
fn fill(
    answer: &mut TimeSeriesAnswer,
    series: &Series,
    measured: &FigureKind,
    asked: &DateSelection,
) {
    if asked.days.is_empty() {
        if let Some(first) = series.observations.first() {
            answer.start = asked.start.max(first.date).min(asked.end);
        }
        let rows = series.between(asked.start, asked.end).iter();
        let row = |o: &Observation| Observation::new(o.date, measured.told(o.value));
        answer.data = rows.map(row).collect();
        if answer.data.is_empty() {
            note_nearest(&mut answer.provenance, series, measured, asked);
        }
        return;
    }
    answer.points = points::points(series, measured, asked);
    answer.means = points::means(&answer.points);
    let found = answer.points.iter();
    let row = |p: &points::PointInTime| Some(Observation::new(p.date?, p.value?));
    answer.data = found.filter_map(row).collect();
    answer.data.sort_by_key(|row| row.date);
    answer.data.dedup_by_key(|row| row.date);
}

/// Notes what is known nearest to a range without a figure.
fn note_nearest(
    provenance: &mut Provenance,
    series: &Series,
    measured: &FigureKind,
    asked: &DateSelection,
) {
    let told = |o: Observation| {
        let (value, when) = (
            measured.figure(measured.told(o.value)),
            series.frequency().when(o.date),
        );
        format!("{value} {when}")
    };
    let before = series.last_on_or_before(asked.start);
    let text = match (before, series.observations.first()) {
        (Some(last), _) => format!("the newest figure before the range is {}", told(last)),
        (None, Some(first)) => format!("the first figure there is, is {}", told(*first)),
        (None, None) => return,
    };
    provenance.note("nearest", text);
}

/// Unit after a transformation.
fn unit(units: Units, own: &str) -> String {
    let points = if own == "%" { "percentage points" } else { own };
    match units.is_in_own_unit() {
        true if units == Units::Level => own.to_owned(),
        true => format!("{points}, {}", units.words()),
        // A unit is "% from a year earlier", of which the words are "% change from a year earlier".
        false => units.words().replace(" change", ""),
    }
}

/// The same in words, with what the figures stand on.
fn unit_in_words(units: Units, info: &SeriesInfo) -> String {
    if units == Units::Level {
        return info.unit_and_basis();
    }
    let unit = unit(units, &info.unit_in_words());
    match info.seasonally_adjusted {
        true => format!("{unit}, SA"),
        false => unit,
    }
}

/// Notes the periods that the source left out within the range: "October 2025 was never published".
fn note_absent(provenance: &mut Provenance, series: &Series, asked: &DateSelection) {
    let frequency = series.frequency();
    if frequency < Frequency::Monthly || series.info.is_composite() {
        return;
    }
    let absent = absent(frequency, series.between(asked.start, asked.end));
    if let Some(names) = named(&absent) {
        let verb = if absent.len() == 1 { "was" } else { "were" };
        provenance.note("absent", format!("{names} {verb} never published"));
    }
}

/// Notes the periods that can be seen in the range and have no figure in the units asked for.
fn note_uncomputable(
    provenance: &mut Provenance,
    series: &Series,
    computed: &[Observation],
    asked: &DateSelection,
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
fn note_coarser(
    provenance: &mut Provenance,
    series: &Series,
    (to, how): (Periods, Aggregation),
    asked: &DateSelection,
) {
    let (from, word, code) = (series.frequency().word(), how.words(), how.code());
    let note = format!(
        "each {} figure is the {word} of its {from} ones ({code})",
        to.frequency
    );
    provenance.note("aggregation", note);
    for (field, note) in coarser::remarks(series, to, (asked.start, asked.end)) {
        provenance.note(field, note);
    }
}
