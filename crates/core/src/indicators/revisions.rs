//! Revisions of published figures: the first print, the values 3 and 12 months later, today's value, and the usual
//! distance between them (docs/RELEASES.md#revisions).

mod bars;

pub use bars::{ErrorBar, LEVELS};

use super::months::Month;
use super::statistics::{mean, quantile};
use crate::model::calendar::Publication;
use crate::model::frequency::{add_days, shift};
use crate::model::series_info::round_to;
use crate::model::{Date, Frequency, Series, SeriesInfo, VintageObservation, Vintages};
use jiff::ToSpan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Months after its first print at which a figure is compared with it.
pub const HORIZONS: [i64; 2] = [3, 12];

/// Months from the start of a period within which its first row on record is its first print. A later one is
/// older history that a vintage contains.
const LATEST_PRINT: i32 = 6;

/// The measure in which a series' prints are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PrintMeasure {
    /// The level; a revision is in its unit.
    #[default]
    Level,
    /// The level; a revision is in percent of the first print.
    LevelInPercent,
    /// Change from the period before, in the series' unit.
    Change,
    /// Percent change from the period before.
    Growth,
    /// Percent change from the period before, compounded to a year.
    AnnualGrowth,
}

/// The figure of a period as it was known on a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownFigure {
    /// Reference day; of a first print the day it became known.
    pub day: Date,
    /// Level in the series' unit.
    pub level: f64,
    /// Value in the print measure.
    pub value: f64,
}

/// The first print of a period and its later values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrintedPeriod {
    /// Start of the period.
    pub date: Date,
    /// First print.
    pub first: KnownFigure,
    /// Values at the ends of the months that lie [`HORIZONS`] after the first print's; `None` where the record does not
    /// reach that far or the figure was withdrawn.
    pub later: [Option<KnownFigure>; 2],
}

// Of all periods whose figures are on record at each of [`HORIZONS`]; the doc comments below are printed in schemas.
/// How large revisions usually are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsualRevisions {
    /// Periods counted.
    pub n: usize,
    /// First of them.
    pub from: Date,
    /// Last of them.
    pub to: Date,
    /// After 3 and 12 months.
    #[schemars(with = "Vec<RevisionSizes>")]
    pub after: [RevisionSizes; 2],
}

// Units are those of [`PrintMeasure::revision`].
/// Size of revisions since the first print, in `revision_unit`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RevisionSizes {
    /// After so many months.
    pub months: i64,
    /// Mean of absolute revisions.
    pub mean_abs: f64,
    /// Their median.
    pub median_abs: f64,
    /// Their 90th percentile.
    pub p90_abs: f64,
    /// Mean with signs; positive: revised up.
    pub bias: f64,
    /// How often the value's sign flipped; null for levels.
    pub sign_flips: Option<usize>,
}

impl UsualRevisions {
    /// Returns the same with the sizes of revisions rounded.
    #[must_use]
    pub fn rounded(mut self, decimals: i32) -> Self {
        self.after = self.after.map(|sizes| RevisionSizes {
            mean_abs: round_to(sizes.mean_abs, decimals),
            median_abs: round_to(sizes.median_abs, decimals),
            p90_abs: round_to(sizes.p90_abs, decimals),
            bias: round_to(sizes.bias, decimals),
            ..sizes
        });
        self
    }
}

/// The record of a series' revisions.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Revisions {
    /// The measure in which prints are compared.
    pub measure: PrintMeasure,
    /// First and last month of the record, as their first days.
    pub span: Option<(Date, Date)>,
    /// Every period with a first print, ascending.
    pub prints: Vec<PrintedPeriod>,
    /// How large revisions usually are; `None` before the first one of 12 months is on record.
    pub usual: Option<UsualRevisions>,
}

impl PrintMeasure {
    /// Returns the measure by which a series' release is quoted, else the one that fits its unit and frequency.
    fn for_series(info: &SeriesInfo, rows: &[VintageObservation]) -> Self {
        let is_positive = rows.iter().filter_map(|row| row.value).all(|v| v > 0.0);
        match (info.id.as_str(), info.frequency) {
            ("PAYEMS" | "CE16OV", _) => Self::Change,
            ("UNRATE" | "AWHMAN", _) => Self::Level,
            ("PERMIT" | "HOUST" | "CLAIMSX", _) => Self::LevelInPercent,
            // Growth of a rate, or over zero, has no meaning.
            _ if !is_positive || info.units.starts_with("Percent") => Self::Level,
            (_, Frequency::Daily | Frequency::Weekly | Frequency::Biweekly) => Self::LevelInPercent,
            (_, Frequency::Monthly | Frequency::Semiannual | Frequency::Annual) => Self::Growth,
            (_, Frequency::Quarterly) => Self::AnnualGrowth,
        }
    }

    /// Returns the revision from one value to a later one of the same period.
    ///
    /// Units: percentage points of growth, percent of a level in percent, else the series' unit.
    pub fn revision(self, first: f64, later: f64) -> f64 {
        if self == Self::LevelInPercent {
            100.0 * (later / first - 1.0)
        } else {
            later - first
        }
    }

    /// Returns the figure of a period in a series; `None` where it, or the period before that it is compared with, is
    /// absent.
    pub fn figure(self, series: &Series, date: Date, day: Date) -> Option<KnownFigure> {
        self.measure(series.frequency(), date, day, |date| series.value_on(date))
    }

    /// Returns the figure of a period as known on a day, from the levels known then.
    fn measure(
        self,
        frequency: Frequency,
        date: Date,
        day: Date,
        level_of: impl Fn(Date) -> Option<f64>,
    ) -> Option<KnownFigure> {
        let before = || level_of(shift(date, frequency.period().negate()));
        let level = level_of(date)?;
        let value = match self {
            Self::Level => level,
            Self::LevelInPercent => Some(level).filter(|level| *level > 0.0)?,
            Self::Change => level - before()?,
            Self::Growth => 100.0 * (level / before()? - 1.0),
            Self::AnnualGrowth => 100.0 * ((level / before()?).powf(frequency.per_year()) - 1.0),
        };
        value
            .is_finite()
            .then_some(KnownFigure { day, level, value })
    }
}

impl Revisions {
    /// Computes the record of revisions from the vintages of a series.
    pub fn from_vintages(info: &SeriesInfo, vintages: &Vintages) -> Self {
        let record = VintageRecord::new(info, vintages);
        let prints: Vec<PrintedPeriod> = record.prints().collect();
        Self {
            measure: record.measure,
            span: (record.spans.first().map(|span| span.0.first_day()))
                .zip(prints.last().map(|print| print.first.day.first_of_month())),
            usual: usual(&prints, record.measure),
            prints,
        }
    }

    /// Returns how large revisions usually were as known on `day`: from the periods whose last revision of
    /// [`HORIZONS`] was made in the months before the newest print.
    pub fn usual_as_of(&self, day: Date) -> Option<UsualRevisions> {
        let print_days = self.prints.iter().map(|print| print.first.day);
        let newest = print_days
            .filter(|print_day| *print_day <= day)
            .max()?
            .first_of_month();
        let is_complete = |print: &&PrintedPeriod| {
            let later = print.later.iter().flatten().map(|stage| stage.day);
            later.max().is_some_and(|day| day < newest)
        };
        let prints: Vec<PrintedPeriod> = self.prints.iter().filter(is_complete).copied().collect();
        usual(&prints, self.measure)
    }
}

/// Summarises the revisions of the periods that are on record at each horizon.
fn usual(prints: &[PrintedPeriod], measure: PrintMeasure) -> Option<UsualRevisions> {
    let complete = prints.iter().filter_map(|print| match print.later {
        [Some(after_3), Some(after_12)] => Some((print, [after_3.value, after_12.value])),
        _ => None,
    });
    let (sample, later): (Vec<&PrintedPeriod>, Vec<[f64; 2]>) = complete.unzip();
    let firsts = || sample.iter().map(|print| print.first.value);
    let [three, twelve] = HORIZONS;
    Some(UsualRevisions {
        n: sample.len(),
        from: sample.first()?.date,
        to: sample.last()?.date,
        after: [
            spread(three, firsts().zip(later.iter().map(|[v, _]| *v)), measure)?,
            spread(twelve, firsts().zip(later.iter().map(|[_, v]| *v)), measure)?,
        ],
    })
}

/// Summarises the revisions between pairs of a first and a later value.
fn spread(
    months: i64,
    pairs: impl Iterator<Item = (f64, f64)> + Clone,
    measure: PrintMeasure,
) -> Option<RevisionSizes> {
    let revisions: Vec<f64> = pairs.clone().map(|(a, b)| measure.revision(a, b)).collect();
    let mut sizes: Vec<f64> = revisions.iter().map(|r| r.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let flips = pairs.filter(|(first, later)| first * later < 0.0);
    let is_level = matches!(measure, PrintMeasure::Level | PrintMeasure::LevelInPercent);
    Some(RevisionSizes {
        months,
        mean_abs: mean(&sizes)?,
        median_abs: quantile(&sizes, 50)?,
        p90_abs: quantile(&sizes, 90)?,
        bias: mean(&revisions)?,
        sign_flips: (!is_level).then(|| flips.count()),
    })
}

/// All rows of a series by date, and the months that its record covers.
struct VintageRecord<'a> {
    info: &'a SeriesInfo,
    measure: PrintMeasure,
    /// Days that are estimates, on which no figure was seen.
    estimated_days: BTreeSet<Date>,
    /// The rows of each date, ascending; within a date those without a day first, then by day.
    dates: Vec<(Date, &'a [VintageObservation])>,
    /// Spans of months at whose ends the knowledge is on record, ascending. The first one begins with the oldest
    /// row that has a day.
    spans: Vec<(Month, Month)>,
}

impl<'a> VintageRecord<'a> {
    fn new(info: &'a SeriesInfo, vintages: &'a Vintages) -> Self {
        let first_day = vintages.first_recorded_day();
        let estimated_days =
            |since| vintages.estimated_days(since, |date| info.publication_day(date));
        let first = first_day.map(Month::from_date);
        let dates = vintages
            .rows()
            .chunk_by(|a, b| a.date == b.date)
            .filter_map(|rows| Some((rows.first()?.date, rows)));
        let mut record = Self {
            info,
            measure: PrintMeasure::for_series(info, vintages.rows()),
            estimated_days: first_day.map(estimated_days).unwrap_or_default(),
            dates: dates.collect(),
            spans: first.map(|month| (month, month)).into_iter().collect(),
        };
        // The last period with a first print, and the last one with a value.
        let mut last_printed = None;
        let mut last = None;
        for (date, rows) in &record.dates {
            let date = *date;
            if let Some(month) = record.print_day(date, rows).map(Month::from_date) {
                // A period without a first print, or a gap of months, ends the record. One month may never come.
                let continues = last_printed.is_none_or(|printed| {
                    Some(printed) == last && months_between(printed, date) <= LATEST_PRINT
                });
                match record.spans.last_mut().filter(|_| continues) {
                    Some(span) => span.1 = span.1.max(month),
                    None => record.spans.push((month, month)),
                }
                last_printed = Some(date);
            }
            if rows.iter().any(|row| row.value.is_some()) {
                last = Some(date);
            }
        }
        if info.is_forecast() {
            // Forecasts of one meeting are of several years, and each was printed at its meeting.
            let before = first.map(|month| month.plus(-1));
            record.spans = before
                .zip(record.spans.last().map(|span| span.1))
                .into_iter()
                .collect();
        }
        record
    }

    /// Returns the day on which a period was first printed, if that is on record.
    fn print_day(&self, date: Date, rows: &[VintageObservation]) -> Option<Date> {
        let is_dated = |row: &VintageObservation| row.known_from.is_some() && row.value.is_some();
        let first = rows.iter().position(is_dated)?;
        let day = rows.get(first)?.known_from?;
        // A value without a day is from a first load: a row that followed later than usual is no first print, unless a
        // row between the two says that the figure was not out yet; nor is one whose day is an estimate.
        let before = rows.get(..first)?.last();
        let was_loaded = before.is_some_and(|row| row.value.is_some());
        let slack = self.info.frequency.slack_days();
        let due = add_days(self.info.publication_day(date), slack);
        let is_soon = self.info.is_forecast() || months_between(date, day) <= LATEST_PRINT;
        let is_prompt = day <= due && !self.estimated_days.contains(&day);
        let is_early = is_soon && (!was_loaded || is_prompt);
        // The rows of the first vintage were printed before it.
        let (first_month, _) = self.spans.first()?;
        (is_early && Month::from_date(day) > *first_month).then_some(day)
    }

    /// Iterates over the periods with a first print, ascending.
    fn prints(&self) -> impl Iterator<Item = PrintedPeriod> {
        self.dates.iter().filter_map(|(date, rows)| {
            let (date, day) = (*date, self.print_day(*date, rows)?);
            let month = |months: i64| Month::from_date(shift(day, months.months()));
            let covered = |months| Some(month(months)).filter(|month| self.covers(*month));
            // The first vintage after an interruption also contains older history.
            let first = self.stage(date, day).filter(|_| covered(-1).is_some())?;
            let later = HORIZONS.map(|months| self.stage(date, covered(months)?.last_day()));
            Some(PrintedPeriod { date, first, later })
        })
    }

    /// Whether the knowledge at the end of a month is on record.
    fn covers(&self, month: Month) -> bool {
        let mut spans = self.spans.iter();
        spans.any(|(first, last)| (*first..=*last).contains(&month))
    }

    /// Returns the figure of a period as known on a day.
    fn stage(&self, date: Date, day: Date) -> Option<KnownFigure> {
        let publication = Publication::new(self.info);
        let level = |date: Date| {
            let index = self.dates.binary_search_by_key(&date, |(date, _)| *date);
            let mut newest_first = self.dates.get(index.ok()?)?.1.iter().rev();
            let known = newest_first.find(|r| r.known_on(|date| publication.day(date)) <= day)?;
            known.value
        };
        (self.measure).measure(self.info.frequency, date, day, level)
    }
}

/// Months from the one that holds a day to the one that holds another.
fn months_between(from: Date, to: Date) -> i32 {
    Month::from_date(to).since(Month::from_date(from))
}

#[cfg(test)]
mod tests;
