//! Rows, and the same as CSV.

use crate::model::{Date, Observation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// First day of the period.
    pub date: Date,
    /// In the series' unit.
    pub value: f64,
}

impl From<Observation> for Row {
    fn from(Observation { date, value }: Observation) -> Self {
        Self { date, value }
    }
}

/// `observation_date,<ID>` and a line per row, LF; whole numbers without a fraction.
pub(super) fn csv(id: &str, rows: &[Row]) -> String {
    let mut out = format!("observation_date,{id}\n");
    let mut digits = zmij::Buffer::new();
    for Row { date, value } in rows {
        let value = digits.format(*value);
        let value = value.strip_suffix(".0").unwrap_or(value);
        let _ = writeln!(out, "{date},{value}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::frequency::day_from_number;
    use proptest::prelude::*;

    fn any_row() -> impl Strategy<Value = Row> {
        let value = prop_oneof![
            any::<f64>(),
            -1e6..1e6,
            (-10_000..10_000i32).prop_map(|n| f64::from(n) / 100.0)
        ];
        (-4_000_000..2_900_000i32, value).prop_filter_map("a day of the calendar", |(n, value)| {
            day_from_number(n).map(|date| Row { date, value })
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
        let row = |value| Row {
            date: jiff::civil::date(2026, 8, 3),
            value,
        };
        let text = csv("X", &[row(5.0), row(-0.25), row(953_612.0)]);
        assert_eq!(
            text,
            "observation_date,X\n2026-08-03,5\n2026-08-03,-0.25\n2026-08-03,953612\n"
        );
    }
}
