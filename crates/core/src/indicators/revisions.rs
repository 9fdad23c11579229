//! How figures were revised: what was printed first, what stood there 3 and 12 months later and stands there now, and
//! how far those usually lie apart (docs/METHODS.md#revisions).

use super::months::Month;
use super::statistics::{mean, quantile};
use crate::model::calendar::Publication;
use crate::model::frequency::{days_later, shift};
use crate::model::series_info::round_to;
use crate::model::{Date, Frequency, Known, Series, SeriesInfo, Vintages};
use jiff::ToSpan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Months after its first print at which a figure is looked at again.
pub const HORIZONS: [i64; 2] = [3, 12];

/// Months from the start of a period within which its first row on record is its first print. Whatever comes later is
/// older history that a vintage brought along.
const LATEST_PRINT: i32 = 6;

/// What of a series is printed and compared.
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
    /// The same, compounded to a year.
    AnnualGrowth,
}

/// A figure in a state of knowledge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// Day of the state; of a first print the day it became known.
    pub day: Date,
    /// Level in the series' unit.
    pub level: f64,
    /// What the yardstick makes of it.
    pub value: f64,
}

/// A period that has a first print, and what became of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Revised {
    /// Start of the period.
    pub date: Date,
    /// First print.
    pub first: Stage,
    /// At the ends of the months that lie [`HORIZONS`] after the first print's; `None` where the record does not reach
    /// that far or the figure was withdrawn.
    pub later: [Option<Stage>; 2],
}

// Of all periods whose figures are on record at each of [`HORIZONS`]; what stands here is printed in schemas.
/// How large revisions usually are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usual {
    /// Periods counted.
    pub n: usize,
    /// First of them.
    pub from: Date,
    /// Last of them.
    pub to: Date,
    /// After 3 and 12 months.
    #[schemars(with = "Vec<Spread>")]
    pub after: [Spread; 2],
}

// Units are those of [`PrintMeasure::revision`].
/// Size of revisions since the first print, in `revision_unit`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
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
    #[serde(rename = "sign_flips")]
    pub flips: Option<usize>,
}

impl Usual {
    /// The same with the sizes of revisions rounded.
    #[must_use]
    pub fn rounded(mut self, decimals: i32) -> Self {
        for s in &mut self.after {
            for size in [
                &mut s.mean_abs,
                &mut s.median_abs,
                &mut s.p90_abs,
                &mut s.bias,
            ] {
                *size = round_to(*size, decimals);
            }
        }
        self
    }
}

/// The record of a series' revisions.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Revisions {
    /// What is compared.
    pub yardstick: PrintMeasure,
    /// First and last month of the record, as their first days.
    pub span: Option<(Date, Date)>,
    /// Every period with a first print, ascending.
    pub prints: Vec<Revised>,
    /// How large they are; `None` before a first one of 12 months is on record.
    pub usual: Option<Usual>,
}

impl PrintMeasure {
    /// What suits a series: what its release is quoted by, else by its unit and frequency.
    fn of(info: &SeriesInfo, rows: &[Known]) -> Self {
        let is_positive = rows.iter().filter_map(|row| row.value).all(|v| v > 0.0);
        match (info.id.as_str(), info.frequency) {
            ("PAYEMS" | "CE16OV", _) => Self::Change,
            ("UNRATE" | "AWHMAN", _) => Self::Level,
            ("PERMIT" | "HOUST" | "CLAIMSX", _) => Self::LevelInPercent,
            // Growth of a rate, or over zero, says nothing.
            _ if !is_positive || info.units.starts_with("Percent") => Self::Level,
            (_, Frequency::Daily | Frequency::Weekly | Frequency::Biweekly) => Self::LevelInPercent,
            (_, Frequency::Monthly | Frequency::Semiannual | Frequency::Annual) => Self::Growth,
            (_, Frequency::Quarterly) => Self::AnnualGrowth,
        }
    }

    /// A revision from one value to a later one of the same period.
    /// Units: percentage points of growth, percent of a level in percent, else the series' unit.
    pub fn revision(self, first: f64, later: f64) -> f64 {
        match self {
            Self::LevelInPercent => 100.0 * (later / first - 1.0),
            Self::Level | Self::Change | Self::Growth | Self::AnnualGrowth => later - first,
        }
    }

    /// A period as a series has it; `None` where it, or the period before that its value needs, is absent.
    pub fn stage(self, series: &Series, date: Date, day: Date) -> Option<Stage> {
        self.measure(series.frequency(), (date, day), |date| series.at(date))
    }

    /// A period as it stood on a day, from the levels of that state of knowledge.
    fn measure(
        self,
        frequency: Frequency,
        (date, day): (Date, Date),
        level_of: impl Fn(Date) -> Option<f64>,
    ) -> Option<Stage> {
        let before = || level_of(shift(date, frequency.period().negate()));
        let level = level_of(date)?;
        let value = match self {
            Self::Level => level,
            Self::LevelInPercent => Some(level).filter(|level| *level > 0.0)?,
            Self::Change => level - before()?,
            Self::Growth => 100.0 * (level / before()? - 1.0),
            Self::AnnualGrowth => 100.0 * ((level / before()?).powf(frequency.per_year()) - 1.0),
        };
        value.is_finite().then_some(Stage { day, level, value })
    }
}

impl Revisions {
    /// Reads the record out of all that was ever known of a series.
    pub fn of(info: &SeriesInfo, vintages: &Vintages) -> Self {
        let record = Track::of(info, vintages);
        let prints: Vec<Revised> = record.prints().collect();
        Self {
            yardstick: record.yardstick,
            span: (record.spans.first().map(|span| span.0.first_day()))
                .zip(prints.last().map(|print| print.first.day.first_of_month())),
            usual: usual(&prints, record.yardstick),
            prints,
        }
    }

    /// How large revisions usually were by what was known on a day: those of [`Self::usual`] that had been made in the
    /// months before the newest print of then.
    pub fn usual_by(&self, day: Date) -> Option<Usual> {
        let printed = self.prints.iter().map(|print| print.first.day);
        let newest = printed.filter(|printed| *printed <= day).max()?;
        let newest = newest.first_of_month();
        let made = |print: &&Revised| {
            let later = print.later.iter().flatten().map(|stage| stage.day);
            later.max().is_some_and(|day| day < newest)
        };
        let made: Vec<Revised> = self.prints.iter().filter(made).copied().collect();
        usual(&made, self.yardstick)
    }
}

/// How large the revisions were of all periods that are on record at each horizon.
fn usual(prints: &[Revised], yardstick: PrintMeasure) -> Option<Usual> {
    let complete = prints.iter().filter_map(|print| match print.later {
        [Some(sooner), Some(later)] => Some((print, sooner.value, later.value)),
        _ => None,
    });
    let sample: Vec<(&Revised, f64, f64)> = complete.collect();
    let sooner = sample.iter().map(|(p, sooner, _)| (p.first.value, *sooner));
    let later = sample.iter().map(|(p, _, later)| (p.first.value, *later));
    let [three, twelve] = HORIZONS;
    Some(Usual {
        n: sample.len(),
        from: sample.first()?.0.date,
        to: sample.last()?.0.date,
        after: [
            spread(three, sooner, yardstick)?,
            spread(twelve, later, yardstick)?,
        ],
    })
}

/// How far later values lie from first ones.
fn spread(
    months: i64,
    pairs: impl Iterator<Item = (f64, f64)> + Clone,
    yardstick: PrintMeasure,
) -> Option<Spread> {
    let revised = pairs.clone();
    let revised = revised.map(|(first, later)| yardstick.revision(first, later));
    let revisions: Vec<f64> = revised.collect();
    let mut sizes: Vec<f64> = revisions.iter().map(|r| r.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let flips = pairs.filter(|(first, later)| first * later < 0.0);
    let has_sign = !matches!(
        yardstick,
        PrintMeasure::Level | PrintMeasure::LevelInPercent
    );
    Some(Spread {
        months,
        mean_abs: mean(&sizes)?,
        median_abs: quantile(&sizes, 50)?,
        p90_abs: quantile(&sizes, 90)?,
        bias: mean(&revisions)?,
        flips: has_sign.then_some(flips.count()),
    })
}

/// All rows of a series by date, and what its record covers.
struct Track<'a> {
    info: &'a SeriesInfo,
    yardstick: PrintMeasure,
    /// The rows of each date, ascending; of a date those without a day first, then by day.
    dates: Vec<(Date, &'a [Known])>,
    /// Stretches of months at whose ends it is on record what was known, ascending. The first one begins with the oldest
    /// row that has a day.
    spans: Vec<(Month, Month)>,
}

impl<'a> Track<'a> {
    fn of(info: &'a SeriesInfo, vintages: &'a Vintages) -> Self {
        let begins = vintages.recorded_from().map(Month::of);
        let dates = vintages.rows().chunk_by(|a, b| a.date == b.date);
        let dates = dates.filter_map(|rows| Some((rows.first()?.date, rows)));
        let mut track = Self {
            info,
            yardstick: PrintMeasure::of(info, vintages.rows()),
            dates: dates.collect(),
            spans: begins.map(|month| (month, month)).into_iter().collect(),
        };
        // The last period that was printed, and the last one at all.
        let (mut printed, mut last) = (None, None);
        for (date, rows) in &track.dates {
            let date = *date;
            if let Some(month) = track.printed(date, rows).map(Month::of) {
                // A period that was not printed, or is not there for long, ends the record. One month may never come.
                let goes_on = printed.is_none_or(|printed| {
                    Some(printed) == last && months_between(printed, date) <= LATEST_PRINT
                });
                match track.spans.last_mut().filter(|_| goes_on) {
                    Some(span) => span.1 = span.1.max(month),
                    None => track.spans.push((month, month)),
                }
                printed = Some(date);
            }
            if rows.iter().any(|row| row.value.is_some()) {
                last = Some(date);
            }
        }
        track
    }

    /// The day on which a period was first printed, if that is on record.
    fn printed(&self, date: Date, rows: &[Known]) -> Option<Date> {
        let is_dated = |row: &Known| row.known_from.is_some() && row.value.is_some();
        let at = rows.iter().position(is_dated)?;
        let (before, from) = rows.split_at_checked(at)?;
        let day = from.first()?.known_from?;
        // A value without a day came with a first load: what followed it later than usual is no first print, unless it
        // is told between the two that it was not out yet.
        let was_held = before.last().is_some_and(|row| row.value.is_some());
        let due = days_later(self.info.known_by(date), self.info.frequency.slack_days());
        // What came with the first vintage was not printed then.
        let (begins, _) = self.spans.first()?;
        let is_early = months_between(date, day) <= LATEST_PRINT && (!was_held || day <= due);
        (is_early && Month::of(day) > *begins).then_some(day)
    }

    /// Every period with a first print, ascending.
    fn prints(&self) -> impl Iterator<Item = Revised> {
        self.dates.iter().filter_map(|(date, rows)| {
            let (date, day) = (*date, self.printed(*date, rows)?);
            let month = |months: i64| Month::of(shift(day, months.months()));
            let covered = |months| Some(month(months)).filter(|month| self.covers(*month));
            // After an interruption, too, the first vintage brings history along.
            let first = self.stage(date, day).filter(|_| covered(-1).is_some())?;
            let later = HORIZONS.map(|months| self.stage(date, covered(months)?.last_day()));
            Some(Revised { date, first, later })
        })
    }

    /// Whether it is on record what was known at the end of a month.
    fn covers(&self, month: Month) -> bool {
        let mut spans = self.spans.iter();
        spans.any(|(first, last)| (*first..=*last).contains(&month))
    }

    /// A period as it stood on a day.
    fn stage(&self, date: Date, day: Date) -> Option<Stage> {
        let publication = Publication::of(self.info);
        let level = |date: Date| {
            let of = |(date, _): &(Date, &[Known])| *date;
            let at = self.dates.binary_search_by_key(&date, of).ok()?;
            let mut newest_first = self.dates.get(at)?.1.iter().rev();
            let known = newest_first.find(|r| r.known_on(|date| publication.day(date)) <= day)?;
            known.value
        };
        self.yardstick
            .measure(self.info.frequency, (date, day), level)
    }
}

/// Months from the one that holds a day to the one that holds another.
fn months_between(from: Date, to: Date) -> i32 {
    Month::of(to).since(Month::of(from))
}

#[cfg(test)]
mod tests;
