//! One line and one cell of a CSV file: fields, dates and numbers straight from bytes.

use super::Dates;
use crate::error::quote;
use crate::model::Date;

/// Years a date may lie in; anything else is a slip of the pen.
const YEARS: std::ops::RangeInclusive<i16> = 1500..=2200;

/// Splits a line at its commas into trimmed fields; quotes around a field are taken off.
///
/// # Errors
/// Says what is wrong with the quotes.
pub(super) fn split<'a>(line: &'a [u8], out: &mut Vec<&'a [u8]>) -> Result<(), String> {
    out.clear();
    if !line.contains(&b'"') {
        out.extend(line.split(|&b| b == b',').map(<[u8]>::trim_ascii));
        return Ok(());
    }
    let mut rest = line;
    loop {
        let (field, after) = match rest.trim_ascii_start().strip_prefix(b"\"") {
            Some(inside) => quoted(inside)?,
            None => plain(rest),
        };
        out.push(field.trim_ascii());
        match after {
            Some(after) => rest = after,
            None => return Ok(()),
        }
    }
}

type Field<'a> = (&'a [u8], Option<&'a [u8]>);

fn plain(text: &[u8]) -> Field<'_> {
    let mut parts = text.splitn(2, |&b| b == b',');
    (parts.next().unwrap_or(&[]), parts.next())
}

/// A field after its opening quote. No date, number or identifier holds a quote, so a doubled one
/// may stay doubled: the cell is refused all the same.
fn quoted(inside: &[u8]) -> Result<Field<'_>, String> {
    let mut from = 0;
    loop {
        let rest = inside.get(from..).unwrap_or(&[]);
        let Some(end) = rest.iter().position(|&b| b == b'"') else {
            return Err("a quote is not closed on its line".to_owned());
        };
        let (field, after) = inside.split_at_checked(from + end).unwrap_or((inside, &[]));
        match after {
            [_, b'"', ..] => from += end + 2,
            [_, tail @ ..] => match tail.trim_ascii_start() {
                [] => return Ok((field, None)),
                [b',', rest @ ..] => return Ok((field, Some(rest))),
                _ => return Err("text stands behind a closing quote".to_owned()),
            },
            [] => return Ok((field, None)),
        }
    }
}

/// Reads a calendar day.
///
/// # Errors
/// Says what stands there and what was expected.
pub(in crate::ingest) fn date(field: &[u8], dates: Dates) -> Result<Date, String> {
    let read = match (dates, iso(field)) {
        (Dates::Iso, date) => date,
        (Dates::IsoOrUs, date) => date.or_else(|| us(field)),
    };
    read.ok_or_else(|| {
        format!(
            "\"{}\" is not a date like 2026-07-31",
            quote(&String::from_utf8_lossy(field))
        )
    })
}

fn iso(field: &[u8]) -> Option<Date> {
    let [year @ .., b'-', m1, m2, b'-', d1, d2] = field else {
        return None;
    };
    let year = (year.len() == 4).then(|| digits(year)).flatten()?;
    day(year, digits(&[*m1, *m2])?, digits(&[*d1, *d2])?)
}

fn us(field: &[u8]) -> Option<Date> {
    let mut parts = field.split(|&b| b == b'/').map(digits);
    let (month, date, year) = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then(|| day(year, month, date))?
}

fn day(year: i16, month: i16, day: i16) -> Option<Date> {
    let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    Date::new(year, month, day)
        .ok()
        .filter(|date| YEARS.contains(&date.year()))
}

/// One to four decimal digits.
fn digits(text: &[u8]) -> Option<i16> {
    if !(1..=4).contains(&text.len()) {
        return None;
    }
    text.iter().try_fold(0i16, |sum, &b| {
        b.is_ascii_digit().then(|| sum * 10 + i16::from(b - b'0'))
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
