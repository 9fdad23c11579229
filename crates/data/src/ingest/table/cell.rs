//! One line and one cell of a CSV file: fields, dates and numbers straight from bytes.

use econoscope_core::error::quote;
use econoscope_core::model::Date;

/// Years a date may lie in; anything else is a slip of the pen.
const YEARS: std::ops::RangeInclusive<i16> = 1500..=2200;

/// Splits a line at its commas into trimmed fields; quotes around a field are taken off. No date, number or
/// identifier holds a quote, so one that is left inside a cell makes the cell unreadable.
///
/// # Errors
/// Says what is wrong with the quotes.
pub(super) fn split<'a>(line: &'a [u8], out: &mut Vec<&'a [u8]>) -> Result<(), String> {
    let mut is_quoted = false;
    out.clear();
    let fields = line.split(|&b| {
        is_quoted ^= b == b'"';
        b == b',' && !is_quoted
    });
    out.extend(fields.map(|field| {
        let field = field.trim_ascii();
        let inside = field
            .strip_prefix(b"\"")
            .and_then(|f| f.strip_suffix(b"\""));
        inside.map_or(field, <[u8]>::trim_ascii)
    }));
    if is_quoted {
        return Err("a quote is not closed on its line".to_owned());
    }
    Ok(())
}

/// Reads a calendar day.
///
/// # Errors
/// Says what stands there and what was expected.
pub(in crate::ingest) fn date(field: &[u8]) -> Result<Date, String> {
    // The parser would take signs and blanks as well.
    let is_plain = |b: &u8| b.is_ascii_digit() || *b == b'-';
    let text = std::str::from_utf8(field).ok();
    text.filter(|text| text.len() == "2026-07-31".len() && field.iter().all(is_plain))
        .and_then(|text| Date::strptime("%Y-%m-%d", text).ok())
        .filter(|date| YEARS.contains(&date.year()))
        .ok_or_else(|| format!("{} is not a date like 2026-07-31", shown(field)))
}

/// Since when a figure is said to have been known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::ingest) enum Since {
    /// Nobody says.
    Unknown,
    /// From that day on.
    Day(Date),
    /// It stood in the series at the end of that month (its first day) and not at the end of the one before.
    Month(Date),
}

/// Reads a day or a month (`2009-01`); an empty cell says nothing.
///
/// # Errors
/// Says what stands there and what was expected.
pub(in crate::ingest) fn since(field: &[u8]) -> Result<Since, String> {
    if field.is_empty() {
        return Ok(Since::Unknown);
    }
    let first = [field, b"-01"].concat();
    let month = date(&first).map(Since::Month);
    month.or_else(|_| date(field).map(Since::Day)).map_err(|_| {
        format!(
            "{} is not a day like 2026-07-31 or a month like 2026-07",
            shown(field)
        )
    })
}

/// Reads a finite number; `None` for a missing one: empty, `.`, `NaN`, `NA`.
///
/// # Errors
/// Says what stands there instead.
pub(in crate::ingest) fn value(field: &[u8]) -> Result<Option<f64>, String> {
    let missing = matches!(field, b"" | b".")
        || field.eq_ignore_ascii_case(b"nan")
        || field.eq_ignore_ascii_case(b"na");
    if missing {
        return Ok(None);
    }
    let read = std::str::from_utf8(field).ok().and_then(|t| t.parse().ok());
    match read {
        Some(number) if f64::is_finite(number) => Ok(Some(number)),
        Some(_) => Err(format!("{} is not a finite number", shown(field))),
        None => Err(format!("{} is not a number", shown(field))),
    }
}

fn shown(field: &[u8]) -> String {
    format!("\"{}\"", quote(&String::from_utf8_lossy(field)))
}
