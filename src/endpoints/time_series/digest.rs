//! What many rows come to: figures over all of them, and a few real ones by the calendar.

use super::Row;
use crate::indicators::statistics;
use crate::model::catalogue::round_to;
use crate::model::{Date, Frequency};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Figures over all rows of the range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Digest {
    /// Oldest row.
    pub first: Row,
    /// Newest row.
    pub last: Row,
    /// Lowest row; the newest of equal ones.
    pub min: Row,
    /// Highest row; the newest of equal ones.
    pub max: Row,
    /// Arithmetic mean.
    pub mean: f64,
    /// Last less first, in the unit.
    pub change: f64,
    /// The same in percent of the first; null in percent units and unless the first is positive.
    pub change_pct: Option<f64>,
    /// Percent of rows below the last; half of the equal ones.
    pub percentile: Option<f64>,
}

/// How rows were thinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reduction {
    /// Rows there are in the range.
    pub from_rows: usize,
    /// Rows given.
    pub to_rows: usize,
    /// Which: "last observation of each month".
    pub method: String,
}

/// Figures over rows that ascend by date, rounded to `decimals`; `None` without a row.
pub(super) fn digest(rows: &[Row], unit: &str, decimals: i32) -> Option<Digest> {
    let (first, last) = (*rows.first()?, *rows.last()?);
    let values: Vec<f64> = rows.iter().map(|r| r.value).collect();
    let min = rows
        .iter()
        .rev()
        .min_by(|a, b| a.value.total_cmp(&b.value))?;
    let max = rows.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
    let change = last.value - first.value;
    Some(Digest {
        first,
        last,
        min: *min,
        max: *max,
        mean: round_to(statistics::mean(&values)?, decimals),
        change: round_to(change, decimals),
        change_pct: (first.value > 0.0 && !is_rate(unit))
            .then(|| round_to(100.0 * change / first.value, 2)),
        percentile: statistics::percentile_rank(&values, last.value).map(|p| round_to(p, 1)),
    })
}

/// Whether a percent change of it would mislead: percent units and what is measured in points.
fn is_rate(unit: &str) -> bool {
    unit.contains('%') || unit == "pp" || unit.starts_with("percentage points")
}

/// A span of the calendar: rows of one span share a key.
type Span = (fn(Date) -> i32, &'static str);

/// Spans from narrow to wide; none of a year or less straddles a year's end.
const SPANS: [Span; 9] = [
    (
        |d| crate::model::frequency::day_number(Frequency::Weekly.stamp(d)),
        "week",
    ),
    (|d| months(d), "month"),
    (|d| months(d) / 2, "two months"),
    (|d| months(d) / 3, "quarter"),
    (|d| months(d) / 6, "half-year"),
    (|d| i32::from(d.year()), "year"),
    (|d| i32::from(d.year()) / 5, "five years"),
    (|d| i32::from(d.year()) / 25, "25 years"),
    (|d| i32::from(d.year()) / 100, "century"),
];

fn months(day: Date) -> i32 {
    i32::from(day.year()) * 12 + i32::from(day.month()) - 1
}

/// At most `most` of the rows: the last of each week, month, … whichever is narrow enough; all when they fit.
/// Every row given is a real one, and the newest is always among them.
pub(super) fn thin(rows: &[Row], most: usize) -> (Vec<Row>, String) {
    if rows.len() <= most {
        return (rows.to_vec(), "all rows".to_owned());
    }
    for (key, name) in SPANS {
        let same = |a: &Row, b: &Row| key(a.date) == key(b.date);
        if rows.chunk_by(same).count() <= most {
            let kept = rows.chunk_by(same).filter_map(|span| span.last().copied());
            return (kept.collect(), format!("last observation of each {name}"));
        }
    }
    let newest = rows.iter().skip(rows.len() - most).copied();
    (newest.collect(), "newest rows".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::frequency::shift;
    use jiff::ToSpan;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn rows(n: i64) -> Vec<Row> {
        let row = |i: i64| Row {
            date: shift(date(2021, 8, 23), i.days()),
            value: f64::from(i32::try_from(i % 7).unwrap()),
        };
        (0..n).map(row).collect()
    }

    #[test]
    fn figures_are_of_all_rows() {
        let d = digest(&rows(10), "index", 2).unwrap();
        assert_eq!((d.first.value, d.last.value, d.change), (0.0, 2.0, 2.0));
        assert_eq!((d.min.date, d.max.value), (date(2021, 8, 30), 6.0));
        assert_eq!((d.mean, d.change_pct), (2.4, None));
        // Four of ten below 2, two equal to it.
        assert_eq!(d.percentile, Some(50.0));
        assert_eq!(digest(&[], "index", 2), None);
    }

    #[test]
    fn rows_are_thinned_by_the_calendar() {
        let five_years = rows(1_826);
        let (kept, method) = thin(&five_years, 60);
        assert_eq!(method, "last observation of each two months");
        assert_eq!(kept.last(), five_years.last());
        assert_eq!(thin(&five_years, 61).1, "last observation of each month");
        assert_eq!(thin(&rows(5), 60), (rows(5), "all rows".to_owned()));
    }

    proptest! {
        #[test]
        fn thinned_rows_are_real_ascending_few_and_end_with_the_newest(n in 1i64..3_000, most in 1usize..400) {
            let all = rows(n);
            let (kept, _) = thin(&all, most);
            prop_assert!(!kept.is_empty() && kept.len() <= most);
            prop_assert_eq!(kept.last(), all.last());
            prop_assert!(kept.is_sorted_by(|a, b| a.date < b.date));
            prop_assert!(kept.iter().all(|r| all.contains(r)));
        }
    }
}
