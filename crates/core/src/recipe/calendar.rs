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

/// The largest calendar that is read: ten times the largest known.
pub const MAX_CALENDAR_BYTES: usize = 4 << 20;
/// The most rows of one that are read.
const MAX_ROWS: usize = 50_000;

/// Returns the texts of a row's cell by name: several where one row announces several days.
type Cells<'a> = &'a dyn Fn(&str) -> Vec<String>;

/// A day with the time of day, if there is one.
type When = (Date, Option<Time>);

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
        let text = lossy.strip_prefix('\u{feff}').unwrap_or(&lossy);
        let mut rows = Vec::new();
        let mut unread = 0;
        let mut read = |cells: Cells<'_>| match self.read_row(cells) {
            Ok(read) => rows.extend(read.into_iter().take(MAX_ROWS - rows.len().min(MAX_ROWS))),
            Err(()) => unread += 1,
        };
        match self.format {
            CalendarFormat::Json => self.for_each_json_row(text, &mut read)?,
            CalendarFormat::Html => {
                // Tags come in either case, and names and months are read in either.
                for row in text.to_ascii_lowercase().split("<tr").skip(1) {
                    let inner = row.split("</tr").next().unwrap_or_default();
                    let cells: Vec<String> = inner.split("<td").skip(1).map(plain_text).collect();
                    let position = |name: &str| self.columns.iter().position(|c| c == name);
                    read(&|name| {
                        position(name)
                            .and_then(|n| cells.get(n))
                            .cloned()
                            .into_iter()
                            .collect()
                    });
                }
            }
            CalendarFormat::Words => {
                for word in plain_text(text).split_whitespace() {
                    read(&|_| vec![word.to_owned()]);
                }
                // A page has many words that are no dates.
                unread = 0;
            }
        }
        if rows.is_empty() || unread > rows.len() {
            return Err(format!(
                "{} rows were read, and {unread} have no date of the expected form",
                rows.len()
            ));
        }
        Ok(rows)
    }

    fn for_each_json_row(&self, text: &str, read: &mut dyn FnMut(Cells<'_>)) -> Result<(), String> {
        let document: Value =
            serde_json::from_str(text).map_err(|e| format!("invalid JSON: {e}"))?;
        let list = document
            .pointer(&self.rows)
            .ok_or("it has no list of releases")?;
        let cells = |row: &Value, name: &str| match row.get(name) {
            Some(Value::Array(list)) => list.iter().map(|v| cell_text(v).into_owned()).collect(),
            cell => cell.iter().map(|v| cell_text(v).into_owned()).collect(),
        };
        match list {
            Value::Array(rows) => rows.iter().for_each(|row| read(&|name| cells(row, name))),
            // The names of the releases are those of the members; a member that is no object is about the file.
            Value::Object(members) => {
                for (key, row) in members.iter().filter(|(_, row)| row.is_object()) {
                    read(&|name| {
                        if name == "*" {
                            vec![key.clone()]
                        } else {
                            cells(row, name)
                        }
                    });
                }
            }
            _ => return Err("it has no list of releases".to_owned()),
        }
        Ok(())
    }

    /// Reads a row, which may announce several days, or none.
    fn read_row(&self, cells: Cells<'_>) -> Result<Vec<CalendarRow>, ()> {
        let first = |name: &str| cells(name).into_iter().next().unwrap_or_default();
        let period = match &self.period {
            Some(form) => parse(&form.formats, &first(&form.field), &eastern()).map(|(day, _)| day),
            None => None,
        };
        let [leading, others @ ..] = self.date.as_slice() else {
            return Ok(Vec::new());
        };
        let is_list = self.days.as_ref();
        let mut rows = Vec::new();
        for start in cells(leading) {
            let days = match is_list {
                Some(name) => list_of_days(&first(name)),
                None => vec![String::new()],
            };
            for day in days {
                let rest = others.iter().map(|name| {
                    if is_list == Some(name) {
                        day.clone()
                    } else {
                        first(name)
                    }
                });
                let text = std::iter::once(start.clone())
                    .chain(rest)
                    .collect::<Vec<_>>()
                    .join(" ");
                let zone = if self.utc { TimeZone::UTC } else { eastern() };
                if text.trim().is_empty() {
                    continue;
                }
                let (day, at) = parse(&self.formats, &text, &zone).ok_or(())?;
                let name = if self.name.is_empty() {
                    String::new()
                } else {
                    first(&self.name)
                };
                rows.push(CalendarRow {
                    name,
                    day,
                    at,
                    period,
                });
            }
        }
        Ok(rows)
    }
}

/// Returns the days of a month in a cell: each of "1, 8, 15", and the last of "27 - 28".
fn list_of_days(text: &str) -> Vec<String> {
    let last = |days: &str| {
        days.rsplit('-')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    text.split(',').map(last).collect()
}

/// Parses a day, with a time of day in New York if it has one, in the first form that fits.
fn parse(forms: &[String], text: &str, zone: &TimeZone) -> Option<When> {
    // "2:00 p.m."
    let cleaned = text.trim().replace(".m.", "m");
    let in_new_york = |at: Zoned| {
        let local = at.with_time_zone(eastern());
        (local.date(), Some(local.time()))
    };
    forms.iter().find_map(|form| {
        if form == "instant" {
            let instant: Timestamp = cleaned.parse().ok()?;
            return Some(in_new_york(instant.to_zoned(TimeZone::UTC)));
        }
        let mut parts = strtime::parse(form, &cleaned).ok()?;
        if !form.contains("%d") {
            parts.set_day(Some(1)).ok()?;
        }
        let day = parts.to_date().ok()?;
        if !form.contains("%M") {
            return Some((day, None));
        }
        let moment = DateTime::from_parts(day, parts.to_time().ok()?);
        Some(in_new_york(moment.to_zoned(zone.clone()).ok()?))
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
