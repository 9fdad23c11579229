//! Reads the calendars in which agencies announce their release days: lists in JSON, tables and dates in pages.

use super::read::cell_text;
use super::shape::{CalendarFormat, CalendarRecipe};
use crate::model::Date;
use crate::model::calendar::{CalendarRow, eastern};
use jiff::civil::{DateTime, Time};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::Value;
use std::collections::BTreeMap;

/// The largest calendar that is read: ten times the largest known.
const MAX_CALENDAR_BYTES: usize = 4 << 20;
/// The most rows of one that are read.
const MAX_ROWS: usize = 50_000;

/// The texts of a row's cells by name: several where one row announces several days.
type Cells = BTreeMap<String, Vec<String>>;

impl CalendarRecipe {
    /// Reads a calendar. Rows without a day are left out.
    ///
    /// # Errors
    /// Says why it is unusable: too large, in another format, or mostly of rows whose dates cannot be read.
    pub fn read(&self, body: &[u8]) -> Result<Vec<CalendarRow>, String> {
        if body.len() > MAX_CALENDAR_BYTES {
            return Err("it is larger than 4 MiB".to_owned());
        }
        let lossy = String::from_utf8_lossy(body);
        let cells = self.cells(lossy.strip_prefix('\u{feff}').unwrap_or(&lossy))?;
        let read: Vec<_> = cells.iter().map(|cells| self.read_row(cells)).collect();
        let unread = read.iter().filter(|rows| rows.is_none()).count();
        let mut rows: Vec<CalendarRow> = read.into_iter().flatten().flatten().collect();
        rows.truncate(MAX_ROWS);
        // A page has many words that are no dates.
        if rows.is_empty() || unread > rows.len() && self.format != CalendarFormat::Words {
            let expected = "have no date of the expected form";
            return Err(format!(
                "{} rows were read, and {unread} {expected}",
                rows.len()
            ));
        }
        Ok(rows)
    }

    fn cells(&self, text: &str) -> Result<Vec<Cells>, String> {
        Ok(match self.format {
            CalendarFormat::Json => {
                let document: Value =
                    serde_json::from_str(text).map_err(|e| format!("invalid JSON: {e}"))?;
                match document.pointer(&self.rows) {
                    Some(Value::Array(rows)) => {
                        rows.iter().filter_map(|v| members("", v)).collect()
                    }
                    Some(Value::Object(rows)) => {
                        rows.iter().filter_map(|(k, v)| members(k, v)).collect()
                    }
                    _ => return Err("it has no list of releases".to_owned()),
                }
            }
            CalendarFormat::Html => {
                // Tags come in either case, and names and months are read in either.
                let page = text.to_ascii_lowercase();
                let rows = page.split("<tr").skip(1);
                rows.map(|row| {
                    let inner = row.split("</tr").next().unwrap_or_default();
                    let texts = inner
                        .split("<td")
                        .skip(1)
                        .map(|cell| vec![plain_text(cell)]);
                    self.columns.iter().cloned().zip(texts).collect()
                })
                .collect()
            }
            CalendarFormat::Words => {
                let text = plain_text(text);
                let words = text.split_whitespace();
                words
                    .map(|word| [("word".to_owned(), vec![word.to_owned()])].into())
                    .collect()
            }
        })
    }

    /// Reads a row, which may announce several days; `None` if a date has another form.
    fn read_row(&self, cells: &Cells) -> Option<Vec<CalendarRow>> {
        let first = |name: &String| (cells.get(name)).and_then(|t| t.first()).map_or("", |t| t);
        let zone = if self.utc { TimeZone::UTC } else { eastern() };
        let period = self
            .period
            .as_ref()
            .and_then(|form| parse(&form.formats, first(&form.field), &zone).map(|when| when.day));
        let leading = self
            .date
            .first()
            .and_then(|name| cells.get(name))
            .into_iter()
            .flatten();
        let starts = leading.flat_map(|text| {
            // Each of "1, 8, 15", and the last of "27 - 28".
            let parts = text.split(|c| c == ',' && self.days);
            parts.map(|part| {
                if self.days {
                    part.rsplit('-').next().unwrap_or(part).trim()
                } else {
                    part
                }
            })
        });
        let rest: Vec<&str> = self.date.iter().skip(1).map(first).collect();
        starts
            .map(|start| format!("{start} {}", rest.join(" ")))
            .filter(|text| !text.trim().is_empty())
            .map(|text| {
                let When { day, at } = parse(&self.formats, &text, &zone)?;
                let name = first(&self.name).to_owned();
                Some(CalendarRow {
                    name,
                    day,
                    at,
                    period,
                })
            })
            .collect()
    }
}

/// Returns the cells of an object, with its key under `*`; `None` for what is no object.
fn members(key: &str, row: &Value) -> Option<Cells> {
    let text = |cell: &Value| cell_text(cell).into_owned();
    let texts = |cell: &Value| match cell.as_array() {
        Some(list) => list.iter().map(text).collect(),
        None => vec![text(cell)],
    };
    let cells = row
        .as_object()?
        .iter()
        .map(|(name, cell)| (name.clone(), texts(cell)));
    let key = ("*".to_owned(), vec![key.to_owned()]);
    Some(cells.chain([key]).collect())
}

/// A day in New York, with the time of day if there is one.
struct When {
    day: Date,
    at: Option<Time>,
}

impl From<Zoned> for When {
    fn from(moment: Zoned) -> Self {
        let local = moment.with_time_zone(eastern());
        Self {
            day: local.date(),
            at: Some(local.time()),
        }
    }
}

/// Parses a day, with or without a time of day in a zone, in the first form that fits.
fn parse(forms: &[String], text: &str, zone: &TimeZone) -> Option<When> {
    // "2:00 p.m."
    let cleaned = text.trim().replace(".m.", "m");
    forms.iter().find_map(|form| {
        if form == "instant" {
            let instant: Timestamp = cleaned.parse().ok()?;
            return Some(instant.to_zoned(TimeZone::UTC).into());
        }
        let mut parts = strtime::parse(form, &cleaned).ok()?;
        if !form.contains("%d") {
            parts.set_day(Some(1)).ok()?;
        }
        let day = parts.to_date().ok()?;
        if !form.contains("%M") {
            return Some(When { day, at: None });
        }
        let moment = DateTime::from_parts(day, parts.to_time().ok()?);
        Some(moment.to_zoned(zone.clone()).ok()?.into())
    })
}

/// Returns the text of a part of a page that begins within a tag, without tags.
fn plain_text(html: &str) -> String {
    let parts = html.split('<').filter_map(|part| part.split_once('>'));
    let texts: Vec<&str> = parts.map(|(_, text)| text).collect();
    let text = texts.join(" ").replace("&nbsp;", " ");
    text.replace("&amp;", "&").trim().to_owned()
}

#[cfg(test)]
mod tests;
