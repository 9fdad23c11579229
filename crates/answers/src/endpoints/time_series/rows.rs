//! Rows as CSV, and a few real ones of many, by the calendar.

use econoscope_core::model::frequency::day_number;
use econoscope_core::model::{Date, Frequency, Observation};
use std::fmt::Write;

/// `observation_date,<ID>` and a line per row, LF; whole numbers without a fraction.
pub(super) fn csv(id: &str, rows: &[Observation]) -> String {
    let mut out = format!("observation_date,{id}\n");
    let mut digits = zmij::Buffer::new();
    for Observation { date, value } in rows {
        let value = digits.format(*value);
        let value = value.strip_suffix(".0").unwrap_or(value);
        let _ = writeln!(out, "{date},{value}");
    }
    out
}

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
pub(super) fn thin(rows: &[Observation], max: usize) -> (Vec<Observation>, String) {
    if rows.len() <= max {
        return (rows.to_vec(), "all rows".to_owned());
    }
    for (key, name) in SPANS {
        let same = |a: &Observation, b: &Observation| key(a.date) == key(b.date);
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
    use econoscope_core::model::frequency::day_from_number;
    use econoscope_core::model::frequency::shift;
    use jiff::ToSpan;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn any_row() -> impl Strategy<Value = Observation> {
        let value = prop_oneof![
            any::<f64>(),
            -1e6..1e6,
            (-10_000..10_000i32).prop_map(|n| f64::from(n) / 100.0)
        ];
        (-4_000_000..2_900_000i32, value).prop_filter_map("a day of the calendar", |(n, value)| {
            day_from_number(n).map(|date| Observation { date, value })
        })
    }

    proptest! {
        #[test]
        fn csv_reads_back_as_the_same_numbers(rows in prop::collection::vec(any_row(), 0..60)) {
            let text = csv("X", &rows);
            let back: Vec<f64> = text.lines().skip(1).map(|l| l.split_once(',').unwrap().1.parse().unwrap_or(f64::NAN)).collect();
            prop_assert_eq!(back.len(), rows.len());
            for (value, row) in back.iter().zip(&rows) {
                prop_assert!(*value == row.value || !row.value.is_finite(), "{} {}", value, row.value);
            }
        }
    }

    #[test]
    fn whole_numbers_in_csv_have_no_fraction() {
        let row = |value| Observation {
            date: jiff::civil::date(2026, 8, 3),
            value,
        };
        let text = csv("X", &[row(5.0), row(-0.25), row(953_612.0)]);
        assert_eq!(
            text,
            "observation_date,X\n2026-08-03,5\n2026-08-03,-0.25\n2026-08-03,953612\n"
        );
    }

    fn some_rows(n: i64) -> Vec<Observation> {
        let row = |i: i64| Observation {
            date: shift(date(2021, 8, 23), i.days()),
            value: f64::from(i32::try_from(i % 7).unwrap()),
        };
        (0..n).map(row).collect()
    }

    #[test]
    fn rows_are_thinned_by_the_calendar() {
        let five_years = some_rows(1_826);
        let (kept, method) = thin(&five_years, 60);
        assert_eq!(method, "last observation of each two months");
        assert_eq!(kept.last(), five_years.last());
        assert_eq!(thin(&five_years, 61).1, "last observation of each month");
        assert_eq!(
            thin(&some_rows(5), 60),
            (some_rows(5), "all rows".to_owned())
        );
    }

    proptest! {
        #[test]
        fn thinned_rows_are_real_ascending_few_and_end_with_the_newest(n in 1i64..3_000, most in 1usize..400) {
            let all = some_rows(n);
            let (kept, _) = thin(&all, most);
            prop_assert!(!kept.is_empty() && kept.len() <= most);
            prop_assert_eq!(kept.last(), all.last());
            prop_assert!(kept.is_sorted_by(|a, b| a.date < b.date));
            prop_assert!(kept.iter().all(|r| all.contains(r)));
        }
    }
}
