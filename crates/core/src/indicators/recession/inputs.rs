//! Term spread, financial conditions and permits of a month, as far as they were known on the reference day.
//!
//! A month's own figures come first. Only the month of the reference day may borrow: the newest figure of
//! a series that is not stale (docs/METHODS.md#staleness), or monthly averages for daily rates
//! (docs/METHODS.md#stand-ins).

use crate::indicators::composite::{Band, band};
use crate::indicators::months::{Month, Months, log_ratio};
use crate::indicators::reading::{Input, not_current};
use crate::indicators::statistics::normal_cdf;
use crate::indicators::transform::bond_equivalent;
use crate::model::{Date, Observation, Series, SeriesSet};

/// Bands of a probability of recession.
pub(super) const BANDS: &[Band] = &[
    band(0.0, "low"),
    band(15.0, "elevated"),
    band(30.0, "high"),
    band(50.0, "very high"),
];

/// An input of a month.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) value: f64,
    /// Date of the newest figure in it.
    pub(super) date: Date,
    /// How it came about where that is not the usual way.
    pub(super) basis: Option<String>,
}

impl Found {
    /// The newest figure of a series in place of the month's own.
    fn borrowed(last: Observation, name: &str) -> Self {
        Self {
            value: last.value,
            date: last.date,
            basis: Some(format!("{name} of {}", last.date)),
        }
    }
}

/// Term spread (percentage points), financial conditions (NFCI) and permits (log change over a year, percent) of
/// a month: S, F and B of the formula; any may be absent.
pub(super) type Drivers = [Option<f64>; 3];

/// What each driver is: name, series, unit, and what is said where it is absent.
const DRIVERS: [(&str, &[&str], &str, &str); 3] = [
    (
        "Term spread",
        &["T10Y3M", "GS10", "TB3MS"],
        "percentage points",
        "without the term spread",
    ),
    (
        "Financial conditions",
        &["NFCI"],
        "index, mean of the month",
        "without NFCI",
    ),
    (
        "Building permits",
        &["PERMIT"],
        "percent over a year, log",
        "without building permits",
    ),
];

pub(super) fn drivers(found: &[Option<Found>; 3]) -> Drivers {
    found.each_ref().map(|f| f.as_ref().map(|f| f.value))
}

/// The probit on spread, conditions and permits, 0 to 1; `None` when all three are absent.
///
/// Each combination of absent inputs has a probit of its own, fitted to the same target
/// (docs/METHODS.md#recession-probability).
pub fn second_term(drivers: [Option<f64>; 3]) -> Option<f64> {
    let second = match drivers {
        [Some(s), Some(f), Some(b)] => -0.4101 - 0.4916 * s + 0.8150 * f - 0.0268 * b,
        [Some(s), Some(f), None] => -0.2726 - 0.5104 * s + 0.9871 * f,
        [Some(s), None, Some(b)] => -0.4821 - 0.4456 * s - 0.0333 * b,
        [Some(s), None, None] => -0.2057 - 0.4567 * s,
        [None, Some(f), Some(b)] => -0.9149 + 0.8068 * f - 0.0259 * b,
        // docs/METHODS.md#recession-probability fits no probit to a single input other than the spread.
        [None, _, _] => return None,
    };
    Some(normal_cdf(second))
}

/// What stands in for drivers, and without which of them the figure had to do.
pub(super) fn basis(found: &[Option<Found>; 3]) -> impl Iterator<Item = String> {
    let absent = DRIVERS.iter().zip(found).filter(|(_, f)| f.is_none());
    let borrowed = found.iter().flatten().filter_map(|f| f.basis.clone());
    absent
        .map(|((.., without), _)| format!("fallback {without}"))
        .chain(borrowed)
}

/// A series up to the reference day, with its monthly grid.
struct Source<'a> {
    id: &'static str,
    series: Option<&'a Series>,
    known: &'a [Observation],
    months: Months,
}

impl Source<'_> {
    /// The month's figure, dated with the newest observation in it.
    fn own(&self, month: Month) -> Option<Found> {
        let value = self.months.get(month)?;
        let end = self.known.partition_point(|o| Month::of(o.date) <= month);
        Some(Found {
            value,
            date: self.known.get(end.checked_sub(1)?)?.date,
            basis: None,
        })
    }
}

/// Everything the months are read from, cut at the reference day.
pub(super) struct Sources<'a> {
    day: Date,
    spread: Source<'a>,
    ten_year: Source<'a>,
    bill: Source<'a>,
    conditions: Source<'a>,
    permits: Source<'a>,
    premium: Source<'a>,
}

impl<'a> Sources<'a> {
    pub(super) fn read(set: &'a SeriesSet, day: Date) -> Self {
        let source = |id, grid: fn(&[Observation]) -> Months| {
            let series = set.get(id);
            let known = set.up_to(id, day);
            Source {
                id,
                series,
                known,
                months: grid(known),
            }
        };
        Self {
            day,
            spread: source("T10Y3M", Months::means),
            ten_year: source("GS10", Months::lasts),
            bill: source("TB3MS", Months::lasts),
            conditions: source("NFCI", Months::means),
            permits: source("PERMIT", Months::lasts),
            premium: source("EBP", Months::lasts),
        }
    }

    /// A figure for every month from the first that any input has to that of the reference day.
    pub(super) fn path(&self, figure: impl Fn(Month) -> Option<f64>) -> Vec<Observation> {
        let monthly = [&self.ten_year, &self.bill, &self.permits];
        let sources = monthly.into_iter().chain([&self.spread, &self.conditions]);
        let first = sources.filter_map(|s| s.months.first()).min();
        let last = Month::of(self.day);
        let months = first.into_iter().flat_map(|first| first.until(last));
        let at = |m: Month| Some(Observation::new(m.first_day(), figure(m)?));
        months.filter_map(at).collect()
    }

    /// Spread, conditions, permits of a month.
    pub(super) fn month(&self, month: Month) -> [Option<Found>; 3] {
        [
            self.spread(month),
            self.conditions(month),
            self.permits(month),
        ]
    }

    /// The three drivers as they are shown.
    pub(super) fn inputs(&self, [s, f, b]: &[Option<Found>; 3]) -> [Input; 3] {
        let [spread, conditions, permits] = DRIVERS;
        let input = |(name, series, unit, _), source: &Source<'_>, found: &Option<Found>| {
            let missing = not_current(source.id, source.known.last().map(|o| o.date));
            let found = found.as_ref().map(|f| (f.value, f.date));
            Input::of((name, series, unit), found, Some(missing))
        };
        [
            input(spread, &self.spread, s),
            input(conditions, &self.conditions, f),
            input(permits, &self.permits, b),
        ]
    }

    /// The newest figure of a source that is not stale, for the month of the reference day: no other may borrow.
    fn borrowed(&self, source: &Source<'_>, month: Month) -> Option<Observation> {
        let series = source.series.filter(|_| month == Month::of(self.day));
        series?.lookup(self.day)
    }

    /// The excess bond premium of a month, percentage points.
    pub(super) fn premium(&self, month: Month) -> Option<f64> {
        self.premium.months.get(month)
    }

    /// The term spread of a month.
    pub(super) fn spread(&self, month: Month) -> Option<Found> {
        let own = self.spread.own(month).or_else(|| self.monthly_pair(month));
        own.or_else(|| {
            if let Some(last) = self.borrowed(&self.spread, month) {
                return Some(Found::borrowed(last, "term spread"));
            }
            let long = self.borrowed(&self.ten_year, month)?;
            let short = self.borrowed(&self.bill, month)?;
            self.monthly_pair(Month::of(long.date.min(short.date)))
        })
    }

    /// The term spread from monthly averages.
    fn monthly_pair(&self, month: Month) -> Option<Found> {
        let bill = bond_equivalent(self.bill.months.get(month)?)?;
        Some(Found {
            value: self.ten_year.months.get(month)? - bill,
            date: month.first_day(),
            basis: Some(format!(
                "term spread from monthly averages of {} (GS10 less bond-equivalent TB3MS)",
                month.name()
            )),
        })
    }

    fn conditions(&self, month: Month) -> Option<Found> {
        self.conditions.own(month).or_else(|| {
            let last = self.borrowed(&self.conditions, month)?;
            Some(Found::borrowed(last, "NFCI"))
        })
    }

    /// B of docs/METHODS.md#recession-probability. Permits are published around the 18th: until then the current
    /// month uses those of two months before instead of one.
    fn permits(&self, month: Month) -> Option<Found> {
        let growth = |month: Month| {
            let mean = |m| self.permits.months.mean3(m, 3);
            Some(Found {
                value: 100.0 * log_ratio(mean(month)?, mean(month.plus(-12))?)?,
                date: month.first_day(),
                basis: None,
            })
        };
        growth(month.plus(-1)).or_else(|| {
            self.borrowed(&self.permits, month)?;
            let before = month.plus(-2);
            Some(Found {
                basis: Some(format!("permits up to {}", before.name())),
                ..growth(before)?
            })
        })
    }
}
