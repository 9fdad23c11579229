//! The fast writer of rows: five thousand of them are most of an answer, and a general serialiser spends
//! its time on them. Date digits and shortest floats go straight into the bytes; all else is serde's.

use super::{Output, Row};
use crate::error::{Error, Result};
use crate::model::Date;
use std::io::Write;

/// The key of the rows with no row in it; inside a string its quotes would be escaped, so it stands once.
const EMPTY: &[u8] = b"\"data\":[]";
/// Bytes of a row in JSON, on average, with its comma.
const ROW_BYTES: usize = 42;

/// The answer as JSON, byte for byte what `serde_json` writes.
///
/// # Errors
/// [`Error::Internal`] when the part around the rows cannot be serialised.
pub(super) fn json(output: &Output) -> Result<Vec<u8>> {
    let shell = serde_json::to_vec(&output.without_rows())
        .map_err(|e| Error::internal("rendering a series", e))?;
    let at = shell.windows(EMPTY.len()).position(|w| w == EMPTY);
    let (head, tail) = at
        .and_then(|at| shell.split_at_checked(at + EMPTY.len() - 1))
        .ok_or_else(|| Error::Internal {
            what: "a series without rows".into(),
            source: None,
        })?;
    let mut out = Vec::with_capacity(shell.len() + output.data.len() * ROW_BYTES);
    out.extend_from_slice(head);
    for (i, row) in output.data.iter().enumerate() {
        out.extend_from_slice(if i == 0 {
            b"{\"date\":\""
        } else {
            b",{\"date\":\""
        });
        push_date(&mut out, row.date);
        out.extend_from_slice(b"\",\"value\":");
        push_number(&mut out, row.value);
        out.push(b'}');
    }
    out.extend_from_slice(tail);
    Ok(out)
}

/// `observation_date,<ID>` and a line per row, LF; whole numbers without a fraction.
pub(super) fn csv(id: &str, rows: &[Row]) -> String {
    let mut out = Vec::with_capacity(32 + rows.len() * 20);
    out.extend_from_slice(b"observation_date,");
    out.extend_from_slice(id.as_bytes());
    out.push(b'\n');
    for row in rows {
        push_date(&mut out, row.date);
        out.push(b',');
        push_number(&mut out, row.value);
        if out.ends_with(b".0") {
            out.truncate(out.len() - 2);
        }
        out.push(b'\n');
    }
    // Only ASCII was pushed beside the identifier.
    String::from_utf8(out).unwrap_or_default()
}

/// `YYYY-MM-DD`; years outside 0-9999 as the calendar's own text.
fn push_date(out: &mut Vec<u8>, day: Date) {
    let Ok(year @ 0..=9_999) = u16::try_from(day.year()) else {
        let _ = write!(out, "{day}");
        return;
    };
    let (month, day) = (day.month().unsigned_abs(), day.day().unsigned_abs());
    let digit = |n: u16| b'0' + u8::try_from(n % 10).unwrap_or(0);
    let two = |n: u8| [b'0' + n / 10 % 10, b'0' + n % 10];
    let [m1, m0] = two(month);
    let [d1, d0] = two(day);
    let year = [
        digit(year / 1000),
        digit(year / 100),
        digit(year / 10),
        digit(year),
    ];
    out.extend_from_slice(&year);
    out.extend_from_slice(&[b'-', m1, m0, b'-', d1, d0]);
}

/// The shortest text that reads back as the same number; `null` for what is not a number.
fn push_number(out: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
    } else {
        out.extend_from_slice(b"null");
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::output;
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
        fn the_writer_says_what_serde_says(rows in prop::collection::vec(any_row(), 0..60), name in ".{0,40}") {
            let mut output = output(rows);
            output.display_name = format!("{name}\"data\":[]");
            prop_assert_eq!(
                String::from_utf8(json(&output).unwrap()).unwrap(),
                serde_json::to_string(&output).unwrap()
            );
        }

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
