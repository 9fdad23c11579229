//! Term spread, financial conditions and permits of a month, as known on the reference day.
//!
//! A month's own figures come first. Only the month of the reference day may use stand-ins: the newest figure of
//! a series that is not stale (docs/METHODS.md#staleness), or monthly averages for daily rates
//! (docs/METHODS.md#stand-ins).

use crate::indicators::months::{Month, MonthlyGrid};
use crate::indicators::reading::Input;
use crate::indicators::statistics::normal_cdf;
use crate::indicators::transform::bond_equivalent;
use crate::model::{Date, Observation, Series, SeriesSet};

/// The value of a driver in a month.
#[derive(Debug, Clone)]
pub(super) struct Driver {
    pub(super) value: f64,
    /// Date of the newest figure in it.
    pub(super) date: Date,
    /// Deviation from the usual computation.
    pub(super) basis: Option<String>,
}

/// Term spread (percentage points), financial conditions (NFCI) and permits (log change over a year, percent) of
/// a month: S, F and B of the formula; any may be absent.
pub(super) type Drivers = [Option<Driver>; 3];

/// Name, series and unit of each driver, and the note where it is absent.
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

pub(super) fn values(drivers: &Drivers) -> [Option<f64>; 3] {
    drivers.each_ref().map(|d| d.as_ref().map(|d| d.value))
}

/// Returns the probit on spread, conditions and permits, 0 to 1; `None` without the spread and one of the others.
///
/// Each combination of absent inputs has a probit of its own, fitted to the same target
/// (docs/COMPOSITES.md#recession-probability).
pub fn second_term(drivers: [Option<f64>; 3]) -> Option<f64> {
    let second = match drivers {
        [Some(s), Some(f), Some(b)] => -0.4101 - 0.4916 * s + 0.8150 * f - 0.0268 * b,
        [Some(s), Some(f), None] => -0.2726 - 0.5104 * s + 0.9871 * f,
        [Some(s), None, Some(b)] => -0.4821 - 0.4456 * s - 0.0333 * b,
        [Some(s), None, None] => -0.2057 - 0.4567 * s,
        [None, Some(f), Some(b)] => -0.9149 + 0.8068 * f - 0.0259 * b,
        // docs/COMPOSITES.md#recession-probability fits no probit to a single input other than the spread.
        [None, _, _] => return None,
    };
    Some(normal_cdf(second))
}

/// Describes the absent drivers and the stand-ins.
pub(super) fn basis(drivers: &Drivers) -> impl Iterator<Item = String> {
    let absent = DRIVERS.iter().zip(drivers).filter(|(_, d)| d.is_none());
    let stand_ins = drivers.iter().flatten().filter_map(|d| d.basis.clone());
    absent
        .map(|((.., note), _)| format!("fallback {note}"))
        .chain(stand_ins)
}

/// A series up to the reference day, with its monthly grid.
struct Source<'a> {
    id: &'static str,
    series: Option<&'a Series>,
    observations: &'a [Observation],
    months: MonthlyGrid,
}

impl Source<'_> {
    /// Returns the month's figure, dated with the newest observation in it.
    fn month(&self, month: Month) -> Option<Driver> {
        let value = self.months.get(month)?;
        let rows = self.observations;
        let end = rows.partition_point(|o| Month::from_date(o.date) <= month);
        Some(Driver {
            value,
            date: rows.get(end.checked_sub(1)?)?.date,
            basis: None,
        })
    }
}

/// The series of all drivers, up to the reference day.
pub(super) struct Sources<'a> {
    set: &'a SeriesSet,
    day: Date,
    spread: Source<'a>,
    ten_year: Source<'a>,
    bill: Source<'a>,
    conditions: Source<'a>,
    permits: Source<'a>,
    /// Excess bond premium, percentage points.
    pub(super) premium: MonthlyGrid,
}

impl<'a> Sources<'a> {
    pub(super) fn read(set: &'a SeriesSet, day: Date) -> Self {
        let source = |id, grid: fn(&[Observation]) -> MonthlyGrid| {
            let observations = set.up_to(id, day);
            Source {
                id,
                series: set.get(id),
                observations,
                months: grid(observations),
            }
        };
        Self {
            set,
            day,
            spread: source("T10Y3M", MonthlyGrid::from_means),
            ten_year: source("GS10", MonthlyGrid::from_last_values),
            bill: source("TB3MS", MonthlyGrid::from_last_values),
            conditions: source("NFCI", MonthlyGrid::from_means),
            permits: source("PERMIT", MonthlyGrid::from_last_values),
            premium: MonthlyGrid::from_last_values(set.up_to("EBP", day)),
        }
    }

    /// Computes a figure for every month from the first with any input to that of the reference day.
    pub(super) fn path(&self, figure: impl Fn(Month) -> Option<f64>) -> Vec<Observation> {
        let monthly = [&self.ten_year, &self.bill, &self.permits];
        let sources = monthly.into_iter().chain([&self.spread, &self.conditions]);
        let first = sources.filter_map(|s| s.months.first()).min();
        let last = Month::from_date(self.day);
        let months = first.into_iter().flat_map(|first| first.through(last));
        let row = |m: Month| Some(Observation::new(m.first_day(), figure(m)?));
        months.filter_map(row).collect()
    }

    /// Returns spread, conditions and permits of a month.
    pub(super) fn drivers(&self, month: Month) -> Drivers {
        let stand_in = || self.stand_in(&self.conditions, month, "NFCI");
        let conditions = self.conditions.month(month).or_else(stand_in);
        [self.spread(month), conditions, self.permits(month)]
    }

    /// Returns the three drivers as inputs of a reading.
    pub(super) fn inputs(&self, [s, f, b]: &Drivers) -> [Input; 3] {
        let [spread, conditions, permits] = DRIVERS;
        let input = |(name, series, unit, _), source: &Source<'_>, driver: &Option<Driver>| {
            let missing = || self.set.describe_missing(source.id, self.day);
            let value = driver.as_ref().map(|d| (d.value, d.date));
            Input::new((name, series, unit), value.ok_or_else(missing))
        };
        [
            input(spread, &self.spread, s),
            input(conditions, &self.conditions, f),
            input(permits, &self.permits, b),
        ]
    }

    /// Returns the newest figure of a source that is not stale, for the month of the reference day alone.
    fn current(&self, source: &Source<'_>, month: Month) -> Option<Observation> {
        let series = source
            .series
            .filter(|_| month == Month::from_date(self.day));
        series?.fresh_observation(self.day)
    }

    /// Takes the newest figure of a source in place of the month's own.
    fn stand_in(&self, source: &Source<'_>, month: Month, name: &str) -> Option<Driver> {
        let last = self.current(source, month)?;
        Some(Driver {
            value: last.value,
            date: last.date,
            basis: Some(format!("{name} of {}", last.date)),
        })
    }

    /// Returns the term spread of a month.
    pub(super) fn spread(&self, month: Month) -> Option<Driver> {
        let month_before = || {
            let long = self.current(&self.ten_year, month)?;
            let short = self.current(&self.bill, month)?;
            self.monthly_spread(Month::from_date(long.date.min(short.date)))
        };
        (self.spread.month(month))
            .or_else(|| self.monthly_spread(month))
            .or_else(|| self.stand_in(&self.spread, month, "term spread"))
            .or_else(month_before)
    }

    /// Returns the term spread from monthly averages.
    fn monthly_spread(&self, month: Month) -> Option<Driver> {
        let bill = bond_equivalent(self.bill.months.get(month)?)?;
        let name = month.name();
        let basis = format!(
            "term spread from monthly averages of {name} (GS10 less bond-equivalent TB3MS)"
        );
        Some(Driver {
            value: self.ten_year.months.get(month)? - bill,
            date: month.first_day(),
            basis: Some(basis),
        })
    }

    /// Returns B of docs/COMPOSITES.md#recession-probability. Permits are published around the 18th: until then the current
    /// month uses those of two months before instead of one.
    fn permits(&self, month: Month) -> Option<Driver> {
        let growth = |month: Month| {
            Some(Driver {
                value: self.permits.months.yearly_log_change_of_means(month)?,
                date: month.first_day(),
                basis: None,
            })
        };
        growth(month.plus(-1)).or_else(|| {
            self.current(&self.permits, month)?;
            let before = month.plus(-2);
            Some(Driver {
                basis: Some(format!("permits up to {}", before.name())),
                ..growth(before)?
            })
        })
    }
}
