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
use crate::endpoints::prelude::*;
use econoscope_core::indicators::expression::{Column, Unit, convert};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::indicators::transform::{Units, year_earlier};
use econoscope_core::model::{Frequency, Observation, Series};
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
        let (from, word, code) = (series.frequency().word(), how.words(), how.code());
        let note = format!("each {to} figure is the {word} of its {from} ones ({code})");
        answer.provenance.note("aggregation", note);
        for (field, note) in coarser::remarks(series, periods, (asked.start, asked.end)) {
            answer.provenance.note(field, note);
        }
        if how == Aggregation::Sum {
            answer.unit += ", summed";
        }
        if how != Aggregation::EndOfPeriod {
            measured.decimals = measured.decimals.max(2);
        }
    }
    if asked.is_events {
        note_days(&mut answer.provenance, of.frequency(), asked)?;
    }
    let levels = Arc::clone(&of);
    if units != Units::Level {
        of = Arc::new(Series::new(Arc::clone(&of.info), units.apply(&of)));
        note_uncomputable(&mut answer.provenance, &levels, &of, asked);
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
    (condition, known): (Condition, NamedSeries),
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
    let horizons = || asked.days.iter().filter_map(|(_, text)| text.as_deref());
    let trading = horizons().find(|text| trading_days(text).is_some());
    let note = match (trading, horizons().find(|text| text.contains('d'))) {
        (Some(trading), _) if frequency != Frequency::Daily => {
            let word = frequency.word();
            let problem = format!("counts trading days, and the figures are {word}");
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
    let told = |o: Observation| measured.dated(measured.told(o.value), o.date);
    let before = series.last_on_or_before(asked.start);
    let before = before.map(|o| format!("the newest figure before the range is {}", told(o)));
    let first = series.observations.first();
    let first = || first.map(|o| format!("the first figure there is, is {}", told(*o)));
    provenance.note("nearest", before.or_else(first).unwrap_or_default());
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
    let absent = absent(series.frequency(), series.between(asked.start, asked.end));
    if let Some(names) = named(&absent).filter(|_| !series.info.is_composite()) {
        let verb = if absent.len() == 1 { "was" } else { "were" };
        provenance.note("absent", format!("{names} {verb} never published"));
    }
}

/// Notes the periods that can be seen in the range and have no figure in the units asked for.
fn note_uncomputable(
    provenance: &mut Provenance,
    levels: &Series,
    computed: &Series,
    asked: &DateSelection,
) {
    let frequency = levels.frequency();
    let rows = levels.between(asked.start, asked.end).iter();
    let rows = rows.filter(|o| frequency >= Frequency::Monthly && computed.at(o.date).is_none());
    let absent: Vec<String> = rows.map(|o| frequency.label(o.date)).collect();
    if let Some(names) = named(&absent) {
        let why = "the earlier figure it is set against is absent or not positive";
        provenance.note("uncomputable", format!("{names}: {why}"));
    }
}
