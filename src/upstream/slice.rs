//! A narrower range cut out of a wider answer, exactly as the upstream would have sent it.
//!
//! Values are never parsed: rows are moved as the bytes they came in. What cannot be known for certain is
//! not cut: a truncated answer, an empty range, rows out of order, or a `start` and `end` whose rule (the
//! dates asked for, or those of the first and last row) the wider answer does not show.

use super::request::{Media, Slice};
use crate::model::Date;
use bytes::Bytes;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Range;

/// Rows the upstream sends at most; an answer of that many may be cut short even when it does not say so.
const ROW_CAP: usize = 5_000;

/// The answer for `narrow`, out of the answer for `wide`; `None` when it is not certain.
pub(super) fn cut(body: &[u8], media: Media, wide: Slice, narrow: Slice) -> Option<Bytes> {
    if narrow.start < wide.start || narrow.end > wide.end || narrow.start > narrow.end {
        return None;
    }
    match media {
        Media::Json => cut_json(body, wide, narrow),
        Media::Csv => cut_csv(body, narrow),
    }
}

/// An object with its members in order and unparsed.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(16);
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(InOrder)
    }
}

impl Members<'_> {
    /// The one member of that name, as a value.
    fn get<'s, T: Deserialize<'s>>(&'s self, name: &str) -> Option<T> {
        let mut found = self.0.iter().filter(|(key, _)| key == name);
        let (_, raw) = found.next()?;
        if found.next().is_some() {
            return None;
        }
        serde_json::from_str(raw.get()).ok()
    }
}

#[derive(Deserialize)]
struct Row {
    date: Date,
}

fn cut_json(body: &[u8], wide: Slice, narrow: Slice) -> Option<Bytes> {
    let members: Members<'_> = serde_json::from_slice(body).ok()?;
    if members.get::<bool>("truncated")? {
        return None;
    }
    let rows: Vec<&RawValue> = members.get("data")?;
    let count: usize = members.get("rowCount")?;
    if count != rows.len() || count >= ROW_CAP {
        return None;
    }
    let dates = rows
        .iter()
        .map(|row| {
            serde_json::from_str::<Row>(row.get())
                .ok()
                .map(|row| row.date)
        })
        .collect::<Option<Vec<Date>>>()?;
    let kept = within(&dates, narrow)?;
    let (first, last) = ends(&dates)?;
    let (kept_first, kept_last) = ends(dates.get(kept.clone())?)?;
    let start = edge([
        wide.start,
        members.get("start")?,
        first,
        narrow.start,
        kept_first,
    ])?;
    let end = edge([wide.end, members.get("end")?, last, narrow.end, kept_last])?;
    let data: Vec<&str> = rows.get(kept)?.iter().map(|row| row.get()).collect();
    let mut out = String::with_capacity(body.len());
    for (name, raw) in &members.0 {
        out.push(if out.is_empty() { '{' } else { ',' });
        out.push_str(&serde_json::to_string(name).ok()?);
        out.push(':');
        match name.as_str() {
            "start" => out.push_str(&format!("\"{start}\"")),
            "end" => out.push_str(&format!("\"{end}\"")),
            "rowCount" => out.push_str(&data.len().to_string()),
            "data" => out.push_str(&format!("[{}]", data.join(","))),
            _ => out.push_str(raw.get()),
        }
    }
    out.push('}');
    Some(out.into())
}

/// What the upstream would state as an edge of the narrow range.
///
/// Three rules are possible: the date asked for, the row's date, or the date asked for but not beyond the
/// data. The wide answer tells them apart only when the two dates differ there; else they must agree here.
fn edge([asked, stated, row, narrow_asked, narrow_row]: [Date; 5]) -> Option<Date> {
    if stated == asked && asked != row {
        // As asked for, at least inside the data, where the narrow range lies.
        return Some(narrow_asked);
    }
    if stated == row && (narrow_asked == narrow_row || narrow_row == row && asked != row) {
        // Either the row decides, or both rules give the same date.
        return Some(narrow_row);
    }
    None
}

/// The rows of a range, if there are any and all dates ascend.
fn within(dates: &[Date], range: Slice) -> Option<Range<usize>> {
    if !dates.is_sorted_by(|a, b| a < b) {
        return None;
    }
    let from = dates.partition_point(|date| *date < range.start);
    let to = dates.partition_point(|date| *date <= range.end);
    (from < to).then_some(from..to)
}

fn ends(dates: &[Date]) -> Option<(Date, Date)> {
    Some((*dates.first()?, *dates.last()?))
}

fn cut_csv(body: &[u8], narrow: Slice) -> Option<Bytes> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(true)
        .from_reader(body);
    let header = reader.byte_headers().ok()?;
    let column = header
        .iter()
        .position(|name| name.eq_ignore_ascii_case(b"date"))?;
    let head_end = line_start(body, reader.position().byte())?;
    let (mut dates, mut starts) = (Vec::new(), Vec::new());
    let mut record = csv::ByteRecord::new();
    while reader.read_byte_record(&mut record).ok()? {
        starts.push(line_start(body, record.position()?.byte())?);
        let date = std::str::from_utf8(record.get(column)?).ok()?;
        dates.push(date.parse::<Date>().ok()?);
    }
    if dates.len() >= ROW_CAP {
        return None;
    }
    let kept = within(&dates, narrow)?;
    let from = *starts.get(kept.start)?;
    let to = starts.get(kept.end).copied().unwrap_or(body.len());
    let mut out = Vec::with_capacity(head_end + to.saturating_sub(from) + 2);
    out.extend_from_slice(body.get(..head_end)?);
    out.extend_from_slice(body.get(from..to)?);
    // The last line ends as the upstream ends its last line.
    if !body.ends_with(b"\n") {
        out.truncate(out.trim_ascii_end().len());
    }
    Some(out.into())
}

/// Where a line starts; the reader counts the second half of a CRLF to the next line.
fn line_start(body: &[u8], at: u64) -> Option<usize> {
    let at = usize::try_from(at).ok()?;
    let within_crlf = at > 0 && body.get(at - 1..=at) == Some(b"\r\n");
    Some(at + usize::from(within_crlf))
}

#[cfg(test)]
mod tests;
