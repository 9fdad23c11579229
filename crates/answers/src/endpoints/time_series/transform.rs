//! Rows at another frequency and in other units: first aggregated, then transformed, so that a yearly percent change is
//! one of yearly figures.

use super::answer::TimeSeriesAnswer;
use super::arguments::{DateSelection, Params};
use super::points;
use crate::conditions::formulas::NamedSeries;
use crate::conditions::{Condition, ConditionFigures, EvaluationContext};
use crate::dates::trading_days;
use crate::prelude::*;
use crate::render::aggregation_notes::{format_periods, missing_periods, partial_periods};
use crate::render::measured::FigureKind;
use econoscope_core::indicators::expression::{Column, Unit, convert};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::indicators::transform::{Units, year_earlier};
use econoscope_desk::texts::remarks;
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
    let info = &series.info;
    let from = series.frequency();
    let periods = params.frequency.map_or(from.into(), |code| code.value);
    let to = periods.frequency;
    let mut kind = FigureKind::new(series, units, to);
    answer.unit = unit(units, &info.units_short);
    answer.unit_in_words = Some(unit_in_words(units, info));
    answer.frequency = Some(to.word().into());
    let notes = &mut answer.provenance;
    notes.note("absent", describe_missing(series, selection));
    // The published yearly rate of a price index is that of the unadjusted one.
    if units == Units::PercentYear {
        let headline = remarks::headline_remark(info.id.as_str());
        notes.note("headline", headline.unwrap_or_default());
    }
    let mut levels = Arc::clone(series);
    if to != from {
        let aggregation = params.aggregation(info);
        levels = convert(series, periods, aggregation, None)?;
        let from = from.word();
        let word = aggregation.describe();
        let code = aggregation.code();
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
        notes.note("horizons", describe_horizons(to, selection)?);
    }
    let mut figures = Arc::clone(&levels);
    if units != Units::Level {
        figures = Arc::new(Series::new(Arc::clone(&levels.info), units.apply(&levels)));
        notes.note(
            "uncomputable",
            describe_uncomputable(&levels, &figures, selection),
        );
    }
    select_rows(answer, &figures, &kind, selection);
    if matches!(units, Units::PercentYear | Units::ChangeYear)
        && let Some(last) = answer.data.last()
        && let Some(now) = levels.value_on(last.date)
        && let Some(before) = year_earlier(&levels, last.date)
    {
        let now = info.round(now);
        let before = info.round(before);
        let period = to.period_phrase(last.date);
        let note = format!("{now} {period}, {before} a year earlier");
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
    let context = EvaluationContext {
        series,
        aggregation: params.aggregation(info),
        frequency: params.frequency.map(|code| code.value.frequency),
        range,
    };
    let unit = match answer.unit == info.units_short {
        true => Unit::from_series(info),
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

/// Describes whether the horizons count calendar days or trading days; empty without days.
///
/// # Errors
/// [`Error::InvalidParam`] for trading days of a series that is not daily.
fn describe_horizons(frequency: Frequency, selection: &DateSelection) -> Result<String> {
    let days = selection.days.iter();
    let horizons = days.filter_map(|(_, text)| text.as_deref());
    let mut in_days = horizons.filter(|text| text.contains('d'));
    let Some(first) = in_days.clone().next() else {
        return Ok(String::new());
    };
    Ok(match in_days.find(|text| trading_days(text).is_some()) {
        None => format!("{first}: calendar days; td are trading days"),
        Some(trading) if frequency == Frequency::Daily => {
            format!("{trading}: trading days, counted by the figures of the series")
        }
        Some(trading) => {
            let problem = format!("counts trading days, and the figures are {frequency}");
            let allowed = "3m, 1y, or a daily series";
            return Err(Error::invalid("horizons", trading, &problem, allowed));
        }
    })
}

/// Puts the rows of the range, or the figures at single days, into the answer.
fn select_rows(
    answer: &mut TimeSeriesAnswer,
    series: &Series,
    kind: &FigureKind,
    selection: &DateSelection,
) {
    if !selection.days.is_empty() {
        answer.points = points::points(series, kind, selection);
        answer.means = points::means(&answer.points);
        let rows = answer
            .points
            .iter()
            .filter_map(|p| Some(Observation::new(p.date?, p.value?)));
        answer.data = rows.collect();
        answer.data.sort_by_key(|row| row.date);
        answer.data.dedup_by_key(|row| row.date);
        return;
    }
    if let Some(first) = series.observations.first() {
        answer.start = selection.start.max(first.date).min(selection.end);
    }
    let rows = selection
        .rows(series)
        .iter()
        .map(|o| Observation::new(o.date, kind.round(o.value)));
    answer.data = rows.collect();
    if answer.data.is_empty() {
        let nearest = describe_nearest(series, kind, selection.start);
        answer.provenance.note("nearest", nearest);
    }
}

/// Describes the figure nearest to a range without one; empty without any figure.
fn describe_nearest(series: &Series, kind: &FigureKind, start: Date) -> String {
    let dated = |o: Observation| kind.format_dated(kind.round(o.value), o.date);
    match (series.last_on_or_before(start), series.observations.first()) {
        (Some(last), _) => format!("the newest figure before the range is {}", dated(last)),
        (None, Some(first)) => format!("the first figure there is, is {}", dated(*first)),
        (None, None) => String::new(),
    }
}

/// Returns the unit after a transformation.
fn unit(units: Units, own: &str) -> String {
    let points = if own == "%" { "percentage points" } else { own };
    match units.is_in_own_unit() {
        true if units == Units::Level => own.to_owned(),
        true => format!("{points}, {}", units.describe()),
        // The unit is "% from a year earlier", the transformation "% change from a year earlier".
        false => units.describe().replace(" change", ""),
    }
}

/// Returns the unit in words, with the basis of the figures.
fn unit_in_words(units: Units, info: &SeriesInfo) -> String {
    if units == Units::Level {
        return info.unit_and_basis();
    }
    let unit = unit(units, &info.long_unit());
    if info.seasonally_adjusted {
        format!("{unit}, SA")
    } else {
        unit
    }
}

/// Describes the periods of the range that the source left out: "October 2025 was never published".
fn describe_missing(series: &Series, selection: &DateSelection) -> String {
    let missing = missing_periods(series.frequency(), selection.rows(series));
    let verb = if missing.len() == 1 { "was" } else { "were" };
    match format_periods(&missing) {
        Some(names) if !series.info.is_composite() => format!("{names} {verb} never published"),
        _ => String::new(),
    }
}

/// Describes the periods of the range that have a level and no figure in the requested units.
fn describe_uncomputable(levels: &Series, figures: &Series, selection: &DateSelection) -> String {
    let frequency = levels.frequency();
    let rows = selection
        .rows(levels)
        .iter()
        .filter(|o| frequency >= Frequency::Monthly && figures.value_on(o.date).is_none());
    let periods: Vec<String> = rows.map(|o| frequency.label(o.date)).collect();
    let end = ": the earlier figure it is set against is absent or not positive";
    enclosed("", &format_periods(&periods).unwrap_or_default(), end)
}
