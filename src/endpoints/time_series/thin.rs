//! A few real rows of many, by the calendar.

use super::rows::Row;
use crate::model::frequency::day_number;
use crate::model::{Date, Frequency};

/// A span of the calendar: rows of one span share a key.
type Span = (fn(Date) -> i32, &'static str);

/// Spans from narrow to wide; none of a year or less straddles a year's end.
const SPANS: &[Span] = &[
    (|d| day_number(Frequency::Weekly.stamp(d)), "week"),
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

/// At most `max` of the rows: the last of each week, month, … whichever is narrow enough; all when they fit.
/// Every row given is a real one, and the newest is always among them.
pub(super) fn thin(rows: &[Row], max: usize) -> (Vec<Row>, String) {
    if rows.len() <= max {
        return (rows.to_vec(), "all rows".to_owned());
    }
    for (key, name) in SPANS {
        let same = |a: &Row, b: &Row| key(a.date) == key(b.date);
        if rows.chunk_by(same).count() <= max {
            let kept = rows.chunk_by(same).filter_map(|span| span.last().copied());
            return (kept.collect(), format!("last observation of each {name}"));
        }
    }
    let newest = rows.iter().skip(rows.len() - max).copied();
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
