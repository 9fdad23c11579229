//! Term spread, financial conditions and permits of a month, as far as they were known on the reference day.
//!
//! A month's own figures come first. Only the month of the reference day may borrow: the newest figure of
//! a series that is not stale (METHODS 0.4), or monthly averages for daily rates (METHODS 0.12).

use super::super::composite::Input;
use super::super::months::{Month, Months};
use super::super::resample::known;
use super::super::transform::bond_equivalent;
use crate::model::frequency::shift;
use crate::model::{Date, Observation, Series, SeriesSet};
use jiff::ToSpan;

/// One input of a month.
#[derive(Debug, Clone)]
pub(super) struct Part {
    name: &'static str,
    series: &'static [&'static str],
    unit: &'static str,
    pub(super) value: Option<f64>,
    date: Option<Date>,
    missing: Option<String>,
    /// How it came about where that is not the usual way.
    pub(super) basis: Option<String>,
}

impl Part {
    /// The input with the points it adds.
    pub(super) fn input(self, contribution: Option<f64>) -> Input {
        Input {
            name: self.name,
            series: self.series.to_vec(),
            value: self.value,
            unit: self.unit,
            date: self.date,
            weight: 1.0 / 3.0,
            contribution,
            missing: self.missing,
        }
    }

    fn found(mut self, value: f64, date: Date, basis: Option<String>) -> Self {
        (self.value, self.date, self.missing) = (Some(value), Some(date), None);
        self.basis = basis;
        self
    }
}

/// Months before the first one asked for that its inputs reach back: growth over a year of a mean of three
/// months, two months late, and some to spare.
const REACH: i64 = 24;

/// A series up to the reference day, with its monthly grid.
struct Source<'a> {
    series: Option<&'a Series>,
    known: &'a [Observation],
    months: Months,
}

impl<'a> Source<'a> {
    fn read(
        set: &'a SeriesSet,
        id: &str,
        (first, day): (Date, Date),
        grid: fn(&[Observation]) -> Months,
    ) -> Self {
        let series = set.get(id);
        let all = series.map_or(&[][..], |s| known(s, day));
        let needed = all.partition_point(|o| o.date < first);
        let known = all.get(needed..).unwrap_or_default();
        Self {
            series,
            known,
            months: grid(known),
        }
    }

    /// The newest figure unless it is stale on `day`.
    fn current(&self, day: Date) -> Option<Observation> {
        let last = self.known.last().copied()?;
        self.series
            .filter(|s| !s.is_stale(last.date, day))
            .map(|_| last)
    }

    /// Date of the newest figure in the month.
    fn last_in(&self, month: Month) -> Option<Date> {
        let end = self.known.partition_point(|o| Month::of(o.date) <= month);
        self.known.get(end.checked_sub(1)?).map(|o| o.date)
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
}

impl<'a> Sources<'a> {
    /// What the months of `from` and later need.
    pub(super) fn read(set: &'a SeriesSet, day: Date, from: Date) -> Self {
        let span = (shift(from, (-REACH).months()), day);
        Self {
            day,
            spread: Source::read(set, "T10Y3M", span, Months::means),
            ten_year: Source::read(set, "GS10", span, Months::lasts),
            bill: Source::read(set, "TB3MS", span, Months::lasts),
            conditions: Source::read(set, "NFCI", span, Months::means),
            permits: Source::read(set, "PERMIT", span, Months::lasts),
        }
    }

    /// The first month that any input has.
    pub(super) fn first(&self) -> Option<Month> {
        let grids = [
            &self.spread,
            &self.ten_year,
            &self.bill,
            &self.conditions,
            &self.permits,
        ];
        grids.iter().filter_map(|s| s.months.first()).min()
    }

    /// Spread, conditions, permits of a month.
    pub(super) fn month(&self, month: Month) -> [Part; 3] {
        [
            self.spread(month),
            self.conditions(month),
            self.permits(month),
        ]
    }

    /// Whether the month may borrow figures of earlier months.
    fn is_current(&self, month: Month) -> bool {
        month == Month::of(self.day)
    }

    fn spread(&self, month: Month) -> Part {
        let part = Part {
            name: "Term spread",
            series: &["T10Y3M", "GS10", "TB3MS"],
            unit: "percentage points",
            value: None,
            date: None,
            missing: Some(missing("T10Y3M", &self.spread)),
            basis: None,
        };
        let own = self.spread.months.get(month);
        if let Some((value, date)) = own.zip(self.spread.last_in(month)) {
            return part.found(value, date, None);
        }
        let pair = |m: Month| {
            let bill = bond_equivalent(self.bill.months.get(m)?)?;
            Some(self.ten_year.months.get(m)? - bill)
        };
        if let Some(value) = pair(month) {
            return part.found(value, month.first_day(), Some(monthly_pair(month)));
        }
        if !self.is_current(month) {
            return part;
        }
        if let Some(last) = self.spread.current(self.day) {
            let basis = format!("term spread of {}", last.date);
            return part.found(last.value, last.date, Some(basis));
        }
        let stand_in = self
            .ten_year
            .current(self.day)
            .zip(self.bill.current(self.day))
            .map(|(a, b)| Month::of(a.date.min(b.date)));
        match stand_in.and_then(|m| pair(m).map(|v| (m, v))) {
            Some((m, value)) => part.found(value, m.first_day(), Some(monthly_pair(m))),
            None => part,
        }
    }

    fn conditions(&self, month: Month) -> Part {
        let part = Part {
            name: "Financial conditions",
            series: &["NFCI"],
            unit: "index",
            value: None,
            date: None,
            missing: Some(missing("NFCI", &self.conditions)),
            basis: None,
        };
        let own = self.conditions.months.get(month);
        if let Some((value, date)) = own.zip(self.conditions.last_in(month)) {
            return part.found(value, date, None);
        }
        match self.conditions.current(self.day) {
            Some(last) if self.is_current(month) => {
                let basis = format!("NFCI of {}", last.date);
                part.found(last.value, last.date, Some(basis))
            }
            _ => part,
        }
    }

    /// B of METHODS 1. Permits are published around the 18th: until then the current month uses those of
    /// two months before instead of one.
    fn permits(&self, month: Month) -> Part {
        let part = Part {
            name: "Building permits",
            series: &["PERMIT"],
            unit: "percent over a year, log",
            value: None,
            date: None,
            missing: Some(missing("PERMIT", &self.permits)),
            basis: None,
        };
        let growth = |m: Month| {
            let (now, before) = (
                self.permits.months.mean3(m, 3)?,
                self.permits.months.mean3(m.plus(-12), 3)?,
            );
            super::super::months::log_ratio(now, before).map(|l| 100.0 * l)
        };
        let last = month.plus(-1);
        if let Some(value) = growth(last) {
            return part.found(value, last.first_day(), None);
        }
        let fresh = self.is_current(month) && self.permits.current(self.day).is_some();
        match growth(month.plus(-2)) {
            Some(value) if fresh => {
                let basis = format!("permits up to {}", month.plus(-2).name());
                part.found(value, month.plus(-2).first_day(), Some(basis))
            }
            _ => part,
        }
    }
}

fn monthly_pair(month: Month) -> String {
    format!(
        "term spread from monthly averages of {} (GS10 less bond-equivalent TB3MS)",
        month.name()
    )
}

fn missing(id: &str, source: &Source<'_>) -> String {
    match source.known.last() {
        Some(last) => format!("{id} has no current figure (newest: {})", last.date),
        None => format!("{id} is not there"),
    }
}
