//! Days as arguments: as written, counted back from another, and the day of knowledge.

use crate::desk::Desk;
use crate::error::{Error, Result};
use crate::model::frequency::shift;
use crate::model::{AsOf, Date};
use jiff::{Span, ToSpan};

/// Reads a day argument.
///
/// # Errors
/// [`Error::InvalidParam`] naming the field and an example.
pub fn parse_day(field: &str, text: &str) -> Result<Date> {
    let allowed = "a day as YYYY-MM-DD, for example 2026-03-01";
    let fail = |problem: &str| Err(Error::invalid(field, text, problem, allowed));
    let is_of_form = |(c, form): (u8, &u8)| match form {
        b'-' => c == b'-',
        _ => c.is_ascii_digit(),
    };
    if text.len() != 10 || !text.bytes().zip(b"yyyy-mm-dd").all(is_of_form) {
        return fail("is not a day");
    }
    match text.parse::<Date>() {
        Err(_) => fail("is not a day of the calendar"),
        Ok(day) if day.year() < 1700 => fail("is before 1700"),
        Ok(day) => Ok(day),
    }
}

/// Reads a day argument that may be counted back from `end`: `2026-03-01`, `5y`, `6m`, `2w`, `30d`, `ytd`, `max`.
///
/// # Errors
/// [`Error::InvalidParam`] for what is neither.
pub(super) fn parse_start(field: &str, text: &str, end: Date) -> Result<Date> {
    relative(text, end).map_or_else(|| parse_day(field, text), Ok)
}

/// Reads the `as_of` argument as it is written; absent is now.
///
/// # Errors
/// [`Error::InvalidParam`] for what is not a day.
pub(super) fn written_as_of(text: Option<&str>) -> Result<AsOf> {
    text.map_or(Ok(AsOf::Latest), |text| {
        parse_day("as_of", text).map(AsOf::Day)
    })
}

/// Reads the `as_of` argument of a local answer: absent is now; the future is refused.
///
/// # Errors
/// [`Error::InvalidParam`] for what is not a day or lies in the future.
pub fn parse_as_of(desk: &Desk, text: Option<&str>) -> Result<AsOf> {
    let (as_of, today) = (written_as_of(text)?, desk.today());
    match as_of {
        AsOf::Day(day) if day > today => Err(Error::invalid(
            "as_of",
            &day.to_string(),
            "lies in the future",
            &format!("a day up to {today}"),
        )),
        AsOf::Day(_) | AsOf::Latest => Ok(as_of),
    }
}

/// The newest day that an answer may speak of.
pub(super) fn newest(as_of: AsOf, today: Date) -> Date {
    match as_of {
        AsOf::Day(day) => day,
        AsOf::Latest => today,
    }
}

/// First and last day, both included.
///
/// # Errors
/// [`Error::InvalidParam`] for what is not a day, lies in the future, or is the wrong way round.
pub(super) fn range(
    (start, end): (Option<&str>, Option<&str>),
    as_of: AsOf,
    today: Date,
) -> Result<(Date, Date)> {
    let end = match end {
        Some(text) => parse_day("end", text)?,
        None => newest(as_of, today),
    };
    let start = match start {
        Some(text) => parse_start("start", text, end)?,
        None => shift(end, (-365).days()),
    };
    let (problem, allowed) = if start > end {
        ("is after end", format!("a day on or before end ({end})"))
    } else if start > today {
        ("lies in the future", format!("a day up to {today}"))
    } else {
        return Ok((start, end));
    };
    let start = start.to_string();
    Err(Error::invalid("start", &start, problem, &allowed))
}

fn relative(text: &str, end: Date) -> Option<Date> {
    match text.trim().to_ascii_lowercase().as_str() {
        "max" => Some(jiff::civil::date(1700, 1, 1)),
        "ytd" => Some(end.first_of_year()),
        text => span(text).map(|length| shift(end, length.negate())),
    }
}

/// Reads a length of time: `30d`, `2w`, `6m`, `5y`.
///
/// # Errors
/// [`Error::InvalidParam`] naming the field and an example.
pub(super) fn parse_span(field: &str, text: &str) -> Result<Span> {
    let allowed = "a length as 30d, 2w, 6m or 5y";
    span(text).ok_or_else(|| Error::invalid(field, text, "is not a length of time", allowed))
}

fn span(text: &str) -> Option<Span> {
    let text = text.trim().to_ascii_lowercase();
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let n: i64 = number.parse().ok().filter(|n| (1..=400_000).contains(n))?;
    match unit {
        "d" => Some(n.days()),
        "w" if n <= 16_000 => Some(n.weeks()),
        "m" if n <= 4_000 => Some(n.months()),
        "y" if n <= 320 => Some(n.years()),
        _ => None,
    }
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
        assert_eq!(relative("2w", end), Some(date(2026, 8, 6)));
        assert_eq!(relative("ytd", end), Some(date(2026, 1, 1)));
        assert_eq!(relative("", end), None);
        assert_eq!(relative("2026-01-01", end), None);
        assert_eq!(relative("999999999y", end), None);
    }
}
