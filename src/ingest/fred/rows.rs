//! A page's figures straight from its bytes, where every one is written the way FRED writes them.
//!
//! A full sync reads half a million of them, and a JSON parser spends its time on four names that are the same in
//! each. Whatever is written in another way is left to the parser.

use super::super::table::{self, Dates};
use super::unusable;
use crate::error::Result;
use crate::model::{Date, SeriesId};
use serde::Deserialize;
use std::borrow::Cow;

/// What stands before the figures, once a page.
const OPENING: &[u8] = b"\"observations\":[";
/// What the parser must still see of a page without its figures.
const CLOSING: &[u8] = b"]}";

/// One page of observations, lent from the answer it stands in: a page may hold 100,000 of them.
#[derive(Deserialize)]
pub(super) struct Page<'a> {
    pub(super) count: usize,
    #[serde(borrow)]
    pub(super) observations: Vec<Item<'a>>,
}

/// One figure as FRED writes it.
#[derive(Debug, Deserialize)]
pub(super) struct Item<'a> {
    #[serde(borrow)]
    pub(super) realtime_start: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) date: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) value: Cow<'a, str>,
}

impl Item<'_> {
    /// Date and value, the value `None` when missing.
    pub(super) fn read(&self, id: &SeriesId) -> Result<(Date, Option<f64>)> {
        let bad = |problem: String| unusable(id, &problem);
        Ok((
            day(id, &self.date)?,
            table::value(self.value.trim().as_bytes()).map_err(bad)?,
        ))
    }
}

/// A calendar day as FRED writes it.
pub(super) fn day(id: &SeriesId, text: &str) -> Result<Date> {
    table::date(text.as_bytes(), Dates::Iso).map_err(|problem| unusable(id, &problem))
}

/// A page whose figures are read one by one.
pub(super) struct Rows<'a> {
    /// How many figures there are in all pages.
    pub(super) count: usize,
    rest: &'a [u8],
    began: bool,
    /// How the last figure began, up to its day, and the start of its real time: the next one begins alike.
    alike: (&'a [u8], &'a str),
}

impl<'a> Rows<'a> {
    /// Reads what stands before the figures; `None` for what is no such page.
    pub(super) fn open(body: &'a [u8]) -> Option<Self> {
        // FRED's head has 300 bytes; a page that begins otherwise is not searched to its end.
        let head = body.get(..body.len().min(2_048))?;
        let start = head.windows(OPENING.len()).position(|w| w == OPENING)? + OPENING.len();
        let empty = [body.get(..start)?, CLOSING].concat();
        let page: Page<'_> = serde_json::from_slice(&empty).ok()?;
        Some(Self {
            count: page.count,
            rest: body.get(start..)?,
            began: false,
            alike: (&[], ""),
        })
    }

    /// Reads a figure up to its day; gives the start of its real time.
    fn opening(&mut self, rest: &mut &'a [u8]) -> Option<&'a str> {
        let (opening, realtime_start) = self.alike;
        if !opening.is_empty()
            && let Some(behind) = rest.strip_prefix(opening)
        {
            *rest = behind;
            return Some(realtime_start);
        }
        let begin = *rest;
        *rest = rest.strip_prefix(b"{\"realtime_start\":\"")?;
        let realtime_start = text(rest)?;
        *rest = rest.strip_prefix(b",\"realtime_end\":\"")?;
        text(rest)?;
        *rest = rest.strip_prefix(b",\"date\":\"")?;
        let opening = begin.get(..begin.len() - rest.len())?;
        self.alike = (opening, realtime_start);
        Some(realtime_start)
    }
    /// Whether nothing but the page's own end is left.
    pub(super) fn is_whole(&self) -> bool {
        self.rest.trim_ascii_end() == CLOSING
    }
}

/// Ends with the page, and where something is written otherwise.
impl<'a> Iterator for Rows<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        let mut rest = self.rest;
        if self.began {
            rest = rest.strip_prefix(b",")?;
        }
        let realtime_start = self.opening(&mut rest)?;
        let date = text(&mut rest)?;
        rest = rest.strip_prefix(b",\"value\":\"")?;
        let value = text(&mut rest)?;
        self.rest = rest.strip_prefix(b"}")?;
        self.began = true;
        Some(Item {
            realtime_start: Cow::Borrowed(realtime_start),
            date: Cow::Borrowed(date),
            value: Cow::Borrowed(value),
        })
    }
}

/// A short text of plain figures and signs up to its closing quote, which is taken, too.
fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let is_plain = |b: &u8| matches!(b, b'0'..=b'9' | b'-' | b'.' | b'+' | b'E' | b'e');
    let end = rest.iter().position(|b| *b == b'"')?;
    let (text, after) = rest.split_at_checked(end)?;
    *rest = after.strip_prefix(b"\"")?;
    let text = std::str::from_utf8(text).ok()?;
    text.as_bytes().iter().all(is_plain).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page(rows: &str) -> String {
        format!(
            "{{\"realtime_start\":\"2026-11-21\",\"units\":\"lin\",\"count\":2,\"observations\":[{rows}]}}"
        )
    }

    fn row(date: &str, value: &str) -> String {
        format!(
            r#"{{"realtime_start":"2026-11-21","realtime_end":"9999-12-31","date":"{date}","value":"{value}"}}"#
        )
    }

    /// What is read here, and whether that was all of it.
    fn read(page: &str) -> Option<(Vec<String>, bool)> {
        let mut rows = Rows::open(page.as_bytes())?;
        let out = rows.by_ref().map(|item| format!("{item:?}")).collect();
        Some((out, rows.is_whole()))
    }

    fn parsed(page: &str) -> Vec<String> {
        let page: Page<'_> = serde_json::from_str(page).unwrap();
        page.observations.iter().map(|i| format!("{i:?}")).collect()
    }

    #[test]
    fn plain_pages_are_read_whole_and_as_the_parser_reads_them() {
        for rows in [
            String::new(),
            row("1962-01-02", "4.06"),
            [row("1962-01-02", "."), row("1962-01-03", "-1.5e-3")].join(","),
        ] {
            let page = page(&rows) + "\n";
            assert_eq!(read(&page), Some((parsed(&page), true)), "{page}");
        }
    }

    #[test]
    fn the_rest_of_any_other_page_is_left() {
        let first = row("1962-01-02", "4.06");
        for odd in [
            first.replace("\"date\"", "\"day\""),
            first.replace("\":\"4", "\": \"4"),
            first.replace("4.06", "4\\u002e06"),
            first.replace(",\"value\"", ",\"more\":{},\"value\""),
            first.replace("\"4.06\"", "4.06"),
            first.replace("4.06", "n/a"),
        ] {
            let page = page(&[first.clone(), odd, first.clone()].join(","));
            let (rows, whole) = read(&page).unwrap();
            assert_eq!((rows.len(), whole), (1, false), "{page}");
        }
        for cut in ["[]", "", "{\"observations\":[", "{\"observations\":[]}"] {
            assert!(read(cut).is_none(), "{cut}");
        }
        let whole = page(&first);
        let (_, is_whole) = read(&whole[..whole.len() - 1]).unwrap();
        assert!(!is_whole);
    }

    proptest! {
        #[test]
        fn what_is_read_whole_the_parser_reads_too(
            rows in prop::collection::vec(("[0-9.eE+-]{0,12}", "[0-9.eE+\\-\"\\\\ x]{0,8}"), 0..5),
            tail in "[ \n,\\]}x]{0,3}",
        ) {
            let rows: Vec<String> = rows.iter().map(|(date, value)| row(date, value)).collect();
            let page = page(&rows.join(",")) + &tail;
            if let Some((rows, true)) = read(&page) {
                prop_assert_eq!(rows, parsed(&page));
            }
        }
    }
}
