//! Rows at another frequency and in other units: first aggregated, then transformed, so that a yearly percent change is
//! one of yearly figures.

use super::answer::TimeSeriesAnswer;
use super::arguments::{DateSelection, Params};
use super::points::{self, PointInTime};
use crate::conditions::{Condition, ConditionFigures, EvaluationContext};
use crate::dates::trading_days;
use crate::prelude::*;
use crate::render::aggregation_notes::{format_periods, missing_periods, partial_periods};
use econoscope_core::indicators::expression::{Column, Unit, convert};
use econoscope_core::indicators::resample::{Aggregation, changes};
use econoscope_core::indicators::transform::year_earlier;
use econoscope_desk::texts::remarks;

/// Says how a change to or from a period that lacks figures is computed; `None` for levels and for ends of periods.
fn describe_matched(units: Units, aggregation: Aggregation) -> Option<&'static str> {
    let is_change = !matches!(units, Units::Level | Units::Log);
    let is_matched = is_change && aggregation != Aggregation::EndOfPeriod;
    is_matched.then_some("; a change is between the months that both periods have")
}

fn check_aggregation(params: &Params) -> Result<()> {
    if params.frequency.is_some() || params.aggregation.is_none() {
        return Ok(());
    }
    let problem = "has no meaning without frequency";
    let allowed = "frequency=m with aggregation=avg";
    Err(Error::invalid("aggregation", "", problem, allowed))
}

/// Returns the levels of a series in other units.
fn in_units(
    series: &Series,
    levels: &Arc<Series>,
    units: Units,
    aggregation: Option<Aggregation>,
) -> Arc<Series> {
    if units == Units::Level {
        return Arc::clone(levels);
    }
    let rows = match aggregation {
        Some(how) => changes(series, levels, how, units),
        None => units.apply(levels),
    };
    Arc::new(Series::new(Arc::clone(&levels.info), rows))
}

impl TimeSeriesAnswer {
    /// Returns the answer with the selected rows of its series, aggregated and transformed.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for a frequency finer than the series' own, for an aggregation without a frequency, and for
    /// trading days of a series that is not daily.
    pub(super) fn with_rows(
        mut self,
        series: &Arc<Series>,
        params: &Params,
        selection: &DateSelection,
    ) -> Result<Self> {
        check_aggregation(params)?;
        let units = params.units();
        let info = &series.info;
        let own = series.frequency();
        let periods = params.frequency.map_or(own.into(), |code| code.value);
        let frequency = periods.frequency;
        let aggregation = Some(params.aggregation(info)).filter(|_| frequency != own);
        let levels = match aggregation {
            Some(aggregation) => convert(series, periods, aggregation, None)?,
            None => Arc::clone(series),
        };
        let figures = in_units(series, &levels, units, aggregation);
        let mut kind = FigureKind::new(series, units, frequency);
        // Sums and means of figures have two decimals or more.
        if matches!(aggregation, Some(Aggregation::Average | Aggregation::Sum)) {
            kind.decimals = kind.decimals.max(2);
        }
        self.points = points::points(&figures, &kind, selection);
        self.data = if selection.days.is_empty() {
            let rows = selection.rows(&figures).iter();
            rows.map(|o| Observation::new(o.date, kind.round(o.value)))
                .collect()
        } else {
            point_rows(&self.points)
        };
        let notes = &mut self.provenance;
        notes.note("absent", describe_missing(series, selection));
        notes.note("headline", describe_headline(units, info));
        if let Some(aggregation) = aggregation {
            let how = describe_aggregation(own, frequency, aggregation);
            notes.note("aggregation", how);
            for (field, note) in partial_periods(series, periods, selection.range()) {
                let is_matched = matches!(field, "partial" | "short");
                let matched = describe_matched(units, aggregation).filter(|_| is_matched);
                notes.note(field, note + matched.unwrap_or_default());
            }
        }
        notes.note("horizons", describe_horizons(frequency, selection)?);
        let uncomputable = describe_uncomputable(&levels, &figures, selection);
        notes.note("uncomputable", uncomputable);
        if self.data.is_empty() && selection.days.is_empty() {
            let nearest = describe_nearest(&figures, &kind, selection.start);
            notes.note("nearest", nearest);
        }
        let level = describe_levels(units, &levels, self.data.last());
        notes.note("level", level.unwrap_or_default());
        self.unit = figure_unit(units, info, aggregation);
        self.unit_in_words = Some(unit_in_words(units, info));
        self.frequency = Some(frequency.word().into());
        self.start = selection.first_day(figures.observations.first());
        self.means = points::means(&self.points);
        self.kind = Some(kind);
        Ok(self)
    }

    /// Returns the answer with a condition counted over its rows, before any is left out, or why it cannot be.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for units that cannot be compared and for what takes too long.
    pub(super) fn with_condition(
        mut self,
        condition: &Condition,
        context: &EvaluationContext,
        info: &SeriesInfo,
    ) -> Result<Self> {
        if let Some(reason) = context.series.missing_reason(&condition.tree) {
            self.provenance.note("condition", reason.to_string());
            return Ok(self);
        }
        let unit = if self.unit == info.units_short {
            Unit::from_series(info)
        } else {
            // "percentage points, change from a year earlier" is a unit of percentage points.
            Unit::new(self.unit.split(',').next().unwrap_or_default())
        };
        let own = SeriesInfo {
            frequency: context.frequency.unwrap_or(info.frequency),
            ..info.clone()
        };
        let series = Arc::new(Series::new(Arc::new(own), self.data.clone()));
        let subject = (info.id.as_str(), Column { series, unit });
        let counts = condition.count(Some(subject), context)?;
        // The answer already names its series.
        self.condition = Some(ConditionFigures { of: None, ..counts });
        Ok(self)
    }
}

/// Describes how the published yearly rate differs; empty for other units and series.
fn describe_headline(units: Units, info: &SeriesInfo) -> String {
    // The published yearly rate of a price index is that of the unadjusted one.
    let remark = remarks::headline_remark(info.id.as_str()).filter(|_| units == Units::PercentYear);
    remark.unwrap_or_default().to_owned()
}

/// Describes how the figures of one frequency became those of another.
fn describe_aggregation(from: Frequency, to: Frequency, aggregation: Aggregation) -> String {
    let finer = from.word();
    let word = aggregation.describe();
    let code = aggregation.code();
    format!("each {to} figure is the {word} of its {finer} ones ({code})")
}

/// Describes the two levels of a yearly change; `None` for other units.
fn describe_levels(units: Units, levels: &Series, last: Option<&Observation>) -> Option<String> {
    let date = last?.date;
    if !matches!(units, Units::PercentYear | Units::ChangeYear) {
        return None;
    }
    let now = levels.info.round(levels.value_on(date)?);
    let before = levels.info.round(year_earlier(levels, date)?);
    let period = levels.frequency().period_phrase(date);
    Some(format!("{now} {period}, {before} a year earlier"))
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

/// Returns the rows of figures at single days, each once, ascending by date.
fn point_rows(points: &[PointInTime]) -> Vec<Observation> {
    let rows = points
        .iter()
        .filter_map(|p| Some(Observation::new(p.date?, p.value?)));
    let mut data: Vec<Observation> = rows.collect();
    data.sort_by_key(|row| row.date);
    data.dedup_by_key(|row| row.date);
    data
}

/// Describes the figure nearest to a range without one; empty without any figure.
fn describe_nearest(series: &Series, kind: &FigureKind, start: Date) -> String {
    let dated = |o: Observation| kind.format_dated(kind.round(o.value), o.date);
    match (series.last_on_or_before(start), series.observations.first()) {
        (Some(last), _) => format!("the newest figure before the range is {}", dated(last)),
        (None, Some(first)) => format!("it begins with {}", dated(*first)),
        (None, None) => String::new(),
    }
}

/// Returns the unit of figures that are aggregated, then transformed.
fn figure_unit(units: Units, info: &SeriesInfo, aggregation: Option<Aggregation>) -> String {
    let unit = unit(units, &info.units_short);
    match aggregation {
        Some(Aggregation::Sum) => unit + ", summed",
        Some(Aggregation::Average | Aggregation::EndOfPeriod) | None => unit,
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

/// Describes the periods of the range without a figure: "October 2025 was never published".
fn describe_missing(series: &Series, selection: &DateSelection) -> String {
    if series.info.is_composite() {
        return String::new();
    }
    let frequency = series.frequency();
    let missing = missing_periods(series, selection.range());
    let is_unpublished = |day: &Date| remarks::was_never_published(series.info.id.as_str(), *day);
    let (unpublished, absent): (Vec<Date>, Vec<Date>) =
        missing.into_iter().partition(is_unpublished);
    let describe = |periods: Vec<Date>, was: &str, were: &str| {
        let verb = if periods.len() == 1 { was } else { were };
        let labels: Vec<String> = periods.iter().map(|day| frequency.label(*day)).collect();
        Some(format!("{} {verb}", format_periods(&labels)?))
    };
    let unpublished = describe(unpublished, "was never published", "were never published");
    let absent = describe(absent, "has no figure here", "have no figure here");
    join(unpublished.into_iter().chain(absent), "; ")
}

/// Describes the periods of the range that have a level and no figure in the requested units.
fn describe_uncomputable(levels: &Series, figures: &Series, selection: &DateSelection) -> String {
    let frequency = levels.frequency();
    let is_absent = |date| frequency >= Frequency::Monthly && figures.value_on(date).is_none();
    let dates = selection.rows(levels).iter().map(|o| o.date);
    let absent = dates.filter(|date| is_absent(*date));
    let periods: Vec<String> = absent.map(|date| frequency.label(date)).collect();
    let end = ": the earlier figure it is set against is absent or not positive";
    enclosed("", &format_periods(&periods).unwrap_or_default(), end)
}
