//! Rows at another frequency and in other units, with FRED's words: first aggregated, then transformed, so
//! that a yearly percent change is one of yearly figures.

use super::answer::TimeSeriesAnswer;
use super::arguments::Params;
use super::asked::Asked;
use super::rows::Row;
use super::{gaps, points};
use crate::endpoints::measured::Measured;
use crate::error::{Error, Result};
use crate::indicators::resample::{Aggregation, aggregate};
use crate::indicators::transform::Units;
use crate::model::{Series, SeriesInfo};
use std::sync::Arc;

/// The answer with what is asked of a series, aggregated and transformed, its unit, and what is to be known of it.
///
/// # Errors
/// [`Error::InvalidParam`] for a frequency finer than the series' own, or an aggregation without a frequency.
pub(super) fn transformed(
    answer: &mut TimeSeriesAnswer,
    series: &Arc<Series>,
    params: &Params,
    asked: &Asked,
) -> Result<Measured> {
    if params.frequency.is_none() && params.aggregation.is_some() {
        let problem = "has no meaning without frequency";
        let allowed = "frequency=m with aggregation=avg";
        return Err(Error::invalid("aggregation", "", problem, allowed));
    }
    let units = params.units();
    let periods = params.frequency.map(|asked| asked.meaning);
    let periods = periods.unwrap_or_else(|| series.frequency().into());
    let to = periods.frequency;
    let mut measured = Measured::new(series, units, to);
    answer.unit = unit(units, &series.info.units_short);
    answer.unit_in_words = Some(unit_in_words(units, &series.info));
    answer.frequency = Some(to.word().into());
    let mut of = Arc::clone(series);
    gaps::note_absent(&mut answer.provenance, series, asked);
    gaps::note_headline(&mut answer.provenance, series, units);
    if to != series.frequency() {
        let how = params.aggregation.map(|how| how.meaning);
        let how = how.unwrap_or_else(|| Aggregation::usual(&series.info));
        let resampled = aggregate(series, periods, how)?;
        gaps::note_coarser(&mut answer.provenance, series, (periods, how), asked);
        let info = SeriesInfo {
            frequency: to,
            ..(*series.info).clone()
        };
        of = Arc::new(Series::new(Arc::new(info), resampled));
        if how == Aggregation::Sum {
            answer.unit += ", summed";
        }
        if how != Aggregation::EndOfPeriod {
            measured = measured.averaged();
        }
    }
    if units != Units::Level {
        let changed = Arc::new(Series::new(Arc::clone(&of.info), units.apply(&of)));
        let computed = &changed.observations;
        gaps::note_uncomputable(&mut answer.provenance, &of, computed, asked);
        of = changed;
    }
    fill(answer, &of, &measured, asked);
    Ok(measured)
}

/// Puts the rows of the range, or the figures at single days, into the answer.
fn fill(answer: &mut TimeSeriesAnswer, series: &Series, measured: &Measured, asked: &Asked) {
    if asked.days.is_empty() {
        if let Some(first) = series.observations.first() {
            answer.start = asked.start.max(first.date).min(asked.end);
        }
        let rows = series.between(asked.start, asked.end).iter();
        let row = |o: &crate::model::Observation| Row {
            date: o.date,
            value: measured.told(o.value),
        };
        answer.data = rows.map(row).collect();
        return;
    }
    answer.points = points::points(series, measured, asked);
    let found = answer.points.iter();
    let row = |p: &points::PointInTime| {
        Some(Row {
            date: p.date?,
            value: p.value?,
        })
    };
    answer.data = found.filter_map(row).collect();
    answer.data.sort_by_key(|row| row.date);
    answer.data.dedup_by_key(|row| row.date);
}

/// Unit after a transformation.
fn unit(units: Units, own: &str) -> String {
    let points = if own == "%" { "percentage points" } else { own };
    match units {
        Units::Level => own.to_owned(),
        Units::Change => format!("{points}, change from the period before"),
        Units::ChangeYear => format!("{points}, change from a year earlier"),
        Units::Percent => "% from the period before".into(),
        Units::PercentYear => "% from a year earlier".into(),
        Units::PercentAnnualised => "% from the period before, annualised".into(),
        Units::LogChange => "log % from the period before".into(),
        Units::LogChangeAnnualised => "log % from the period before, annualised".into(),
        Units::Log => "natural logarithm".into(),
    }
}

/// The same in words, with what the figures stand on.
fn unit_in_words(units: Units, info: &SeriesInfo) -> String {
    if units == Units::Level {
        return info.unit_and_basis();
    }
    let unit = match info.units_short.as_str() {
        "%" => unit(units, "%"),
        _ => unit(units, &info.unit_in_words()),
    };
    match info.seasonally_adjusted {
        true => format!("{unit}, SA"),
        false => unit,
    }
}
