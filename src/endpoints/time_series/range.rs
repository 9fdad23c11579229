//! The days that are asked for: explicit, counted back from the end, or the last 365.

use crate::endpoints::provenance::parse_day;
use crate::error::{Error, Result};
use crate::model::frequency::shift;
use crate::model::{AsOf, Date};
use jiff::ToSpan;

/// First and last day, both included.
///
/// # Errors
/// [`Error::InvalidParam`] for what is not a day, lies in the future, or is the wrong way round.
pub(super) fn range(
    (start, end): (Option<&str>, Option<&str>),
    as_of: AsOf,
    today: Date,
) -> Result<(Date, Date)> {
    let newest = match as_of {
        AsOf::Day(day) => day,
        AsOf::Latest => today,
    };
    let end = match end {
        Some(text) => parse_day("end", text)?,
        None => newest,
    };
    let start = match start {
        Some(text) => relative(text, end).map_or_else(|| parse_day("start", text), Ok)?,
        None => shift(end, (-365).days()),
    };
    let wrong = |problem: &str, allowed: String| {
        Err(Error::invalid(
            "start",
            &start.to_string(),
            problem,
            &allowed,
        ))
    };
    if start > end {
        return wrong("is after end", format!("a day on or before end ({end})"));
    }
    if start > today {
        return wrong("lies in the future", format!("a day up to {today}"));
    }
    Ok((start, end))
}

/// `5y`, `6m`, `30d`, `ytd` and `max`, counted back from `end`.
pub(in crate::endpoints) fn relative(text: &str, end: Date) -> Option<Date> {
    let text = text.trim().to_ascii_lowercase();
    match text.as_str() {
        "max" => return Some(jiff::civil::date(1700, 1, 1)),
        "ytd" => return Some(end.first_of_year()),
        _ => {}
    }
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let n: i64 = number.parse().ok().filter(|n| (1..=400_000).contains(n))?;
    let back = match unit {
        "d" => (-n).days(),
        "m" if n <= 4_000 => (-n).months(),
        "y" if n <= 320 => (-n).years(),
        _ => return None,
    };
    Some(shift(end, back))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn relative_ranges_count_back_from_the_end() {
        let end = date(2026, 8, 20);
        assert_eq!(relative("5y", end), Some(date(2021, 8, 20)));
        assert_eq!(relative("6M", end), Some(date(2026, 2, 20)));
        assert_eq!(relative("ytd", end), Some(date(2026, 1, 1)));
        assert_eq!(relative("", end), None);
        assert_eq!(relative("2026-01-01", end), None);
        assert_eq!(relative("999999999y", end), None);
    }
}
