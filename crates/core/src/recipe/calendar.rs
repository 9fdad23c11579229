//! Reads the calendars in which agencies announce their release days: lists in JSON, tables and dates in pages.

use super::read::cell_text;
use super::shape::{CalendarFormat, CalendarRecipe, DateForm};
use crate::model::calendar::{CalendarRow, eastern};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
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
                    let cells = inner.split("<td").skip(1);
                    let texts = cells.map(|cell| vec![plain_text(cell)]);
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
        let day_of = |form: &DateForm| Some(parse(&form.formats, first(&form.field), &zone)?.day);
        let period = self.period.as_ref().and_then(day_of);
        let leading = self.date.first().and_then(|name| cells.get(name));
        let starts = leading.into_iter().flatten().flat_map(|text| {
            // Each of "1, 8, 15", and the last of "27 - 28".
            let parts = text.split(|c| c == ',' && self.days);
            let ends = parts.filter_map(|part| part.rsplit(|c| c == '-' && self.days).next());
            ends.map(str::trim)
        });
        let rest: Vec<&str> = self.date.iter().skip(1).map(first).collect();
        starts
            .map(|start| format!("{start} {}", rest.join(" ")))
            .filter(|text| !text.trim().is_empty())
            .map(|text| {
                Some(CalendarRow {
                    name: first(&self.name).to_owned(),
                    period,
                    ..parse(&self.formats, &text, &zone)?
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
    let object = row.as_object()?.iter();
    let cells = object.map(|(name, cell)| (name.clone(), texts(cell)));
    let key = ("*".to_owned(), vec![key.to_owned()]);
    Some(cells.chain([key]).collect())
}

/// Parses a day, with or without a time of day in a zone, in the first form that fits. The row has neither name nor period.
fn parse(forms: &[String], text: &str, zone: &TimeZone) -> Option<CalendarRow> {
    // "2:00 p.m."
    let cleaned = text.trim().replace(".m.", "m");
    let row = |moment: DateTime| CalendarRow {
        name: String::new(),
        day: moment.date(),
        at: Some(moment.time()),
        period: None,
    };
    forms.iter().find_map(|form| {
        if form == "instant" {
            let instant: Timestamp = cleaned.parse().ok()?;
            return Some(row(instant.to_zoned(eastern()).datetime()));
        }
        let mut parts = strtime::parse(form, &cleaned).ok()?;
        if !form.contains("%d") {
            parts.set_day(Some(1)).ok()?;
        }
        let day = parts.to_date().ok()?;
        if !form.contains("%M") {
            return Some(CalendarRow {
                at: None,
                ..row(day.into())
            });
        }
        let moment = DateTime::from_parts(day, parts.to_time().ok()?);
        let zoned = moment.to_zoned(zone.clone()).ok()?;
        Some(row(zoned.with_time_zone(eastern()).datetime()))
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
