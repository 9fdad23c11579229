//! A narrower range cut out of a wider answer, exactly as the upstream would have sent it.
//!
//! Values are never parsed: rows are moved as the bytes they came in. What cannot be known for certain is
//! not cut: a truncated answer, an empty range, rows out of order, or a `start` and `end` whose rule (the
//! dates asked for, or those of the first and last row) the wider answer does not show.

use super::request::Slice;
use bytes::Bytes;
use econoscope_core::model::Date;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::ops::Range;

/// Rows the upstream sends at most; an answer of that many may be cut short even when it does not say so.
const ROW_CAP: usize = 5_000;

/// The members of an answer that a narrower range changes, as they stand in it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members<'a> {
    truncated: bool,
    #[serde(borrow)]
    start: &'a RawValue,
    end: &'a RawValue,
    row_count: &'a RawValue,
    data: &'a RawValue,
}

#[derive(Deserialize)]
struct Row {
    date: Date,
}

/// The answer for `narrow`, out of the answer for `wide`; `None` when it is not certain.
pub(super) fn cut(body: &[u8], wide: Slice, narrow: Slice) -> Option<Bytes> {
    if narrow.start < wide.start || narrow.end > wide.end || narrow.start > narrow.end {
        return None;
    }
    let members: Members<'_> = serde_json::from_slice(body).ok()?;
    let rows: Vec<&RawValue> = value(members.data)?;
    let count: usize = value(members.row_count)?;
    if members.truncated || count != rows.len() || count >= ROW_CAP {
        return None;
    }
    let dates = rows.iter().map(|row| Some(value::<Row>(row)?.date));
    let dates = dates.collect::<Option<Vec<Date>>>()?;
    let kept = within(&dates, narrow)?;
    let (first, last) = ends(&dates)?;
    let (kept_first, kept_last) = ends(dates.get(kept.clone())?)?;
    let stated = (value(members.start)?, value(members.end)?);
    let start = edge([wide.start, stated.0, first, narrow.start, kept_first])?;
    let end = edge([wide.end, stated.1, last, narrow.end, kept_last])?;
    let data: Vec<&str> = rows.get(kept)?.iter().map(|row| row.get()).collect();
    replaced(
        body,
        [
            (members.start, format!("\"{start}\"")),
            (members.end, format!("\"{end}\"")),
            (members.row_count, data.len().to_string()),
            (members.data, format!("[{}]", data.join(","))),
        ],
    )
}

fn value<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

/// The body with parts of it replaced; all else stays byte for byte.
fn replaced(body: &[u8], mut parts: [(&RawValue, String); 4]) -> Option<Bytes> {
    parts.sort_by_key(|(old, _)| old.get().as_ptr());
    let mut out = Vec::with_capacity(body.len());
    let mut at = 0;
    for (old, new) in parts {
        let from = old.get().as_ptr().addr() - body.as_ptr().addr();
        out.extend_from_slice(body.get(at..from)?);
        out.extend_from_slice(new.as_bytes());
        at = from + old.get().len();
    }
    out.extend_from_slice(body.get(at..)?);
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

#[cfg(test)]
mod tests;
