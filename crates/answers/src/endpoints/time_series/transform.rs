//! Rows at another frequency and in other units: first aggregated, then transformed, so that a yearly percent change is
//! one of yearly figures.

use super::answer::TimeSeriesAnswer;
use super::arguments::{DateSelection, Params};
use super::points;
use crate::endpoints::coarser::{format_periods, missing_periods, partial_periods};
use crate::endpoints::condition::{Condition, ConditionFigures, EvaluationContext};
use crate::endpoints::days::trading_days;
use crate::endpoints::formulas::NamedSeries;
use crate::endpoints::measured::FigureKind;
use crate::endpoints::prelude::*;
use econoscope_core::indicators::expression::{Column, Unit, convert};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::indicators::transform::{Units, year_earlier};
use econoscope_core::model::{Frequency, Observation, Series};
use econoscope_data::desk::remarks;
use std::sync::Arc;

/// Fills an answer with the selected rows of a series, aggregated and transformed, their unit and the notes about them.
///
/// # Errors
/// [`Error::InvalidParam`] for a frequency finer than the series' own, and for an aggregation without a frequency.
pub(super) fn fill_rows(
    answer: &mut TimeSeriesAnswer,
    series: &Arc<Series>,
    params: &Params,
    selection: &DateSelection,
) -> Result<()> {
    if params.frequency.is_none() && params.aggregation.is_some() {
        let problem = "has no meaning without frequency";
        let allowed = "frequency=m with aggregation=avg";
        return Err(Error::invalid("aggregation", "", problem, allowed));
    }
    let units = params.units();
    let periods = params.frequency.map(|code| code.meaning);
    let periods = periods.unwrap_or_else(|| series.frequency().into());
    let to = periods.frequency;
    let mut kind = FigureKind::new(series, units, to);
    answer.unit = unit(units, &series.info.units_short);
    answer.unit_in_words = Some(unit_in_words(units, &series.info));
    answer.frequency = Some(to.word().into());
    let notes = &mut answer.provenance;
    note_missing_periods(notes, series, selection);
    // The published yearly rate of a price index is that of the unadjusted one.
    if units == Units::PercentYear {
        let headline = remarks::headline(series.info.id.as_str());
        notes.note("headline", headline.unwrap_or_default());
    }
    let mut levels = Arc::clone(series);
    if to != series.frequency() {
        let aggregation = params.aggregation.map(|code| code.meaning);
        let aggregation = aggregation.unwrap_or_else(|| Aggregation::usual(&series.info));
        levels = convert(series, periods, aggregation, None)?;
        let (from, word, code) = (
            series.frequency().word(),
            aggregation.words(),
            aggregation.code(),
        );
        let note = format!("each {to} figure is the {word} of its {from} ones ({code})");
        notes.note("aggregation", note);
        for (field, note) in partial_periods(series, periods, (selection.start, selection.end)) {
            notes.note(field, note);
        }
        if aggregation == Aggregation::Sum {
            answer.unit += ", summed";
        }
        if aggregation != Aggregation::EndOfPeriod {
            kind.decimals = kind.decimals.max(2);
        }
    }
    if selection.is_events {
        note_horizons(notes, levels.frequency(), selection)?;
    }
    let mut figures = Arc::clone(&levels);
    if units != Units::Level {
        figures = Arc::new(Series::new(Arc::clone(&levels.info), units.apply(&levels)));
        note_uncomputable(notes, &levels, &figures, selection);
    }
    select_rows(answer, &figures, &kind, selection);
    if matches!(units, Units::PercentYear | Units::ChangeYear)
        && let Some(last) = answer.data.last()
        && let Some(now) = levels.at(last.date)
        && let Some(before) = year_earlier(&levels, last.date)
    {
        let (now, before) = (levels.info.round(now), levels.info.round(before));
        let when = to.when(last.date);
        let note = format!("{now} {when}, {before} a year earlier");
        answer.provenance.note("level", note);
    }
    answer.kind = Some(kind);
    Ok(())
}

/// Counts the condition over the rows of the answer, before any is left out.
///
/// # Errors
/// [`Error::InvalidParam`] for units that cannot be compared and for what takes too long.
pub(super) fn count_condition(
    answer: &mut TimeSeriesAnswer,
    (condition, series): (Condition, NamedSeries),
    info: &SeriesInfo,
    params: &Params,
    range: (Date, Date),
) -> Result<()> {
    if let Some(reason) = series.missing_reason(&condition.tree) {
        answer.provenance.note("condition", reason.to_string());
        return Ok(());
    }
    let aggregation = params.aggregation.map(|code| code.meaning);
    let context = EvaluationContext {
        series,
        aggregation: aggregation.unwrap_or_else(|| Aggregation::usual(info)),
        frequency: params.frequency.map(|code| code.meaning.frequency),
        range,
    };
    let unit = match answer.unit == info.units_short {
        true => Unit::of(info),
        // "percentage points, change from a year earlier" is a unit of percentage points.
        false => Unit::new(answer.unit.split(',').next().unwrap_or_default()),
    };
    let own = SeriesInfo {
        frequency: context.frequency.unwrap_or(info.frequency),
        ..info.clone()
    };
    let series = Arc::new(Series::new(Arc::new(own), answer.data.clone()));
    let subject = (info.id.as_str(), Column { series, unit });
    let counts = condition.count(Some(subject), &context)?;
    // The answer already names its series.
    answer.condition = Some(ConditionFigures { of: None, ..counts });
    Ok(())
}

/// Notes whether the horizons count calendar days or trading days.
///
/// # Errors
/// [`Error::InvalidParam`] for trading days of a series that is not daily.
fn note_horizons(
    provenance: &mut Provenance,
    frequency: Frequency,
    selection: &DateSelection,
) -> Result<()> {
    let horizons = || {
        selection
            .days
            .iter()
            .filter_map(|(_, text)| text.as_deref())
    };
    let trading = horizons().find(|text| trading_days(text).is_some());
    let note = match (trading, horizons().find(|text| text.contains('d'))) {
        (Some(trading), _) if frequency != Frequency::Daily => {
            let problem = format!(
                "counts trading days, and the figures are {}",
                frequency.word()
            );
            let allowed = "3m, 1y, or a daily series";
            return Err(Error::invalid("horizons", trading, &problem, allowed));
        }
        (Some(trading), _) => {
            format!("{trading}: trading days, counted by the figures of the series")
        }
        (None, Some(calendar)) => format!("{calendar}: calendar days; td are trading days"),
        (None, None) => return Ok(()),
    };
    provenance.note("horizons", note);
    Ok(())
}

/// Puts the rows of the range, or the figures at single days, into the answer.
fn select_rows(
    answer: &mut TimeSeriesAnswer,
    series: &Series,
    kind: &FigureKind,
    selection: &DateSelection,
) {
    if selection.days.is_empty() {
        if let Some(first) = series.observations.first() {
            answer.start = selection.start.max(first.date).min(selection.end);
        }
        let rows = series.between(selection.start, selection.end).iter();
        let row = |o: &Observation| Observation::new(o.date, kind.told(o.value));
        answer.data = rows.map(row).collect();
        if answer.data.is_empty() {
            note_nearest(&mut answer.provenance, series, kind, selection);
        }
        return;
    }
    answer.points = points::points(series, kind, selection);
    answer.means = points::means(&answer.points);
    let points = answer.points.iter();
    let rows = points.filter_map(|p| Some(Observation::new(p.date?, p.value?)));
    answer.data = rows.collect();
    answer.data.sort_by_key(|row| row.date);
    answer.data.dedup_by_key(|row| row.date);
}

/// Notes the figure nearest to a range without one.
fn note_nearest(
    provenance: &mut Provenance,
    series: &Series,
    kind: &FigureKind,
    selection: &DateSelection,
) {
    let dated = |o: Observation| kind.dated(kind.told(o.value), o.date);
    let note = match (
        series.last_on_or_before(selection.start),
        series.observations.first(),
    ) {
        (Some(last), _) => format!("the newest figure before the range is {}", dated(last)),
        (None, Some(first)) => format!("the first figure there is, is {}", dated(*first)),
        (None, None) => return,
    };
    provenance.note("nearest", note);
}

/// Returns the unit after a transformation.
fn unit(units: Units, own: &str) -> String {
    let points = if own == "%" { "percentage points" } else { own };
    match units.is_in_own_unit() {
        true if units == Units::Level => own.to_owned(),
        true => format!("{points}, {}", units.words()),
        // The unit is "% from a year earlier", the transformation "% change from a year earlier".
        false => units.words().replace(" change", ""),
    }
}

/// Returns the unit in words, with the basis of the figures.
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

/// Notes the periods of the range that the source left out: "October 2025 was never published".
fn note_missing_periods(provenance: &mut Provenance, series: &Series, selection: &DateSelection) {
    let rows = series.between(selection.start, selection.end);
    let missing = missing_periods(series.frequency(), rows);
    if let Some(names) = format_periods(&missing).filter(|_| !series.info.is_composite()) {
        let verb = if missing.len() == 1 { "was" } else { "were" };
        provenance.note("absent", format!("{names} {verb} never published"));
    }
}

/// Notes the periods of the range that have a level and no figure in the requested units.
fn note_uncomputable(
    provenance: &mut Provenance,
    levels: &Series,
    figures: &Series,
    selection: &DateSelection,
) {
    let frequency = levels.frequency();
    let rows = levels.between(selection.start, selection.end).iter();
    let rows = rows.filter(|o| frequency >= Frequency::Monthly && figures.at(o.date).is_none());
    let periods: Vec<String> = rows.map(|o| frequency.label(o.date)).collect();
    if let Some(names) = format_periods(&periods) {
        let reason = "the earlier figure it is set against is absent or not positive";
        provenance.note("uncomputable", format!("{names}: {reason}"));
    }
}
