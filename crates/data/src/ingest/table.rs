//! Parses the CSV layouts of figures: `series_id,date,value`, `date,value` in a file named after its series, and FRED's
//! `DATE,<ID>` or `observation_date,<ID>[,<ID>…]`. The first two may have a column `known_from`; an empty figure is
//! then one that was withdrawn.
//!
//! The parser accepts a byte-order mark, CRLF, quotes, a header in any case, blank lines and any order of rows. A cell
//! that is no date or number breaks its series, and the error names its line.
//!
//! No date, number or identifier contains a comma or a line break, so rows are split at these bytes alone. An unclosed
//! quote therefore breaks its own line and not the rest of the file.

use econoscope_core::error::quote;
use econoscope_core::model::{Date, SeriesId, SeriesInfo, VintageObservation, release};
use std::collections::{BTreeMap, BTreeSet};

/// Most series of one file.
const MAX_SERIES: usize = 100_000;
/// Most columns of one file, each a series.
const MAX_COLUMNS: usize = 10_000;
/// Most rows of one file: about what 256 MiB of the tidy layout contain.
const MAX_ROWS: u32 = 16_000_000;

/// Valid years of a date.
const YEARS: std::ops::RangeInclusive<i16> = 1500..=2200;

/// One figure and its line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub(super) date: Date,
    pub(super) known_from: KnownFrom,
    pub(super) line: u32,
    /// `None` = withdrawn.
    pub(super) value: Option<f64>,
}

impl Row {
    /// Returns what identifies a row within its series.
    pub(super) fn key(&self) -> (Date, KnownFrom) {
        (self.date, self.known_from)
    }

    /// Formats the figure for an error message.
    pub(super) fn format_value(&self) -> String {
        self.value
            .map_or("no figure".to_owned(), |value| value.to_string())
    }
}

/// Returns neighbouring rows with the same key and different figures.
pub(super) fn find_conflict(rows: &[Row]) -> Option<&[Row; 2]> {
    let mut pairs = rows.array_windows();
    pairs.find(|[a, b]| a.key() == b.key() && a.value != b.value)
}

/// All figures of one series in one file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub(super) id: SeriesId,
    /// By ascending unique key, or the first error in them.
    pub(super) rows: Result<Vec<Row>, LineError>,
}

/// Adds the parsed cells of a line to a series without an error. A missing figure is skipped, unless its `known_from`
/// says that it was withdrawn.
fn add_row(
    column: &mut Result<Vec<Row>, LineError>,
    line: u32,
    cells: Result<(Date, KnownFrom, Option<f64>), String>,
) {
    let Ok(rows) = column else {
        return;
    };
    match cells {
        Ok((date, known_from, value)) => {
            if value.is_some() || known_from != KnownFrom::Unknown {
                rows.push(Row {
                    date,
                    known_from,
                    line,
                    value,
                });
            }
        }
        Err(problem) => *column = Err(LineError { line, problem }),
    }
}

/// Returns the rows by date and day of knowledge. A month becomes the day on which its newest figure was released
/// ([`release::known_from_day`]).
pub(super) fn to_known(rows: &[Row], info: Option<&SeriesInfo>) -> Vec<VintageObservation> {
    let mut newest_by_month: BTreeMap<Date, Date> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.value.is_some()) {
        if let KnownFrom::Month(month) = row.known_from {
            // Rows ascend by date.
            newest_by_month.insert(month, row.date);
        }
    }
    let day = |known_from| match known_from {
        KnownFrom::Unknown => None,
        KnownFrom::Day(day) => Some(day),
        KnownFrom::Month(month) => {
            let newest = newest_by_month.get(&month).copied();
            Some(release::known_from_day(info, month, newest))
        }
    };
    let known = |row: &Row| VintageObservation {
        date: row.date,
        known_from: day(row.known_from),
        value: row.value,
    };
    let mut vintages: Vec<VintageObservation> = rows.iter().map(known).collect();
    vintages.sort_by_key(|row| (row.date, row.known_from));
    // Where a day and a month give the same day, the month's row is the later state, and the last one.
    vintages.reverse();
    vintages.dedup_by_key(|row| (row.date, row.known_from));
    vintages.reverse();
    vintages
}

/// Sorts the rows of a series and removes duplicates; two figures for the same key are an error.
fn sort(id: &SeriesId, mut rows: Vec<Row>) -> Result<Vec<Row>, LineError> {
    rows.sort_by_key(|row| (row.key(), row.line));
    if let Some([a, b]) = find_conflict(&rows) {
        let old = a.format_value();
        let new = b.format_value();
        return Err(LineError {
            line: b.line,
            problem: format!(
                "{id} has {new} for {}, but {old} on line {}",
                b.date, a.line
            ),
        });
    }
    rows.dedup_by_key(|row| row.key());
    Ok(rows)
}

/// What is wrong with a file or a series, and on which line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub(super) struct LineError {
    pub(super) line: u32,
    pub(super) problem: String,
}

/// The meaning of the columns.
struct Layout {
    date: usize,
    known_from: Option<usize>,
    /// The columns of the identifier and the value in the tidy layout; otherwise each series has a column.
    tidy: Option<(usize, usize)>,
    /// Columns of series.
    series: Vec<(usize, SeriesId)>,
    width: usize,
}

/// Parses a file. `name` is the series of a file that names none.
///
/// # Errors
/// [`LineError`] when the file as a whole cannot be parsed. The error of a single series is in its [`Column`].
pub(super) fn parse(bytes: &[u8], name: Option<&str>) -> Result<Vec<Column>, LineError> {
    let error_on = |line: u32| move |problem: String| LineError { line, problem };
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        let problem = "the file is UTF-16; save it as UTF-8";
        return Err(error_on(1)(problem.to_owned()));
    }
    let mut filled_lines = lines(bytes).filter(|(_, text)| !text.trim_ascii().is_empty());
    let first = filled_lines.next();
    let (line, text) = first.ok_or_else(|| error_on(1)("the file is empty".to_owned()))?;
    let header: Vec<&[u8]> = cells(text).collect();
    let layout = Layout::from_header(&header, name)
        .map_err(|problem| error_on(line)(format!("{problem}; expected {EXPECTED}")))?;
    let ids = layout.series.iter().map(|(_, id)| id.clone());
    let mut columns: BTreeMap<_, _> = ids.map(|id| (id, Ok(Vec::new()))).collect();
    let mut fields = Vec::new();
    for (line, text) in filled_lines {
        if line > MAX_ROWS {
            return Err(error_on(line)(format!("more than {MAX_ROWS} rows")));
        }
        fields.clear();
        fields.extend(cells(text));
        if fields.iter().any(|field| !field.is_empty()) {
            let result = layout.read_row(line, &fields, &mut columns);
            result.map_err(error_on(line))?;
        }
    }
    let sorted = columns.into_iter().map(|(id, parsed)| {
        let rows = parsed.and_then(|rows| sort(&id, rows));
        Column { id, rows }
    });
    Ok(sorted.collect())
}

/// Returns numbered lines without line endings.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let lines = text.split(|&b| b == b'\n');
    (1..).zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)))
}

/// Returns the cells of a line, without blanks and quotes around them.
fn cells(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&b| b == b',').map(|field| {
        let trimmed = field.trim_ascii();
        let unquoted = trimmed
            .strip_prefix(b"\"")
            .and_then(|f| f.strip_suffix(b"\""));
        unquoted.map_or(trimmed, <[u8]>::trim_ascii)
    })
}

/// Returns the names in the first line, in lower case.
pub(super) fn header(bytes: &[u8]) -> Vec<String> {
    let first = lines(bytes).next();
    first.map_or(Vec::new(), |(_, text)| cells(text).map(to_lower).collect())
}

fn to_lower(field: &[u8]) -> String {
    String::from_utf8_lossy(field).to_ascii_lowercase()
}

const EXPECTED: &str = "\"series_id,date,value\", \"date,value\" in a file named after its series (both may have \"known_from\"), or \"DATE,<ID>\" with one column per series";

impl Layout {
    fn from_header(header: &[&[u8]], name: Option<&str>) -> Result<Self, String> {
        if header.len() > MAX_COLUMNS {
            return Err(format!(
                "the first line has more than {MAX_COLUMNS} columns"
            ));
        }
        let names: Vec<String> = header.iter().map(|field| to_lower(field)).collect();
        let find = |allowed: &[&str]| names.iter().position(|n| allowed.contains(&n.as_str()));
        let lacks = |what: &str| {
            let line = String::from_utf8_lossy(&header.join(&b","[..])).into_owned();
            Err(format!(
                "the first line \"{}\" names no {what}",
                quote(&line)
            ))
        };
        let Some(date) = find(&["date", "observation_date"]) else {
            return lacks("date column");
        };
        let value = find(&["value"]);
        let known_from = find(&["known_from"]);
        let tidy = find(&["series_id", "seriesid"]).zip(value);
        let mut series: Vec<(usize, SeriesId)> = Vec::new();
        match (tidy, value, name) {
            (Some(_), _, _) => {}
            (None, None, _) if known_from.is_some() => return lacks("value column"),
            (None, Some(_), None) if known_from.is_some() => return lacks("series"),
            (None, Some(_), _) if known_from.is_none() && header.len() != 2 => {
                return lacks("series");
            }
            (None, Some(column), Some(name)) => series.push((column, id_of_file(name)?)),
            (None, _, _) => {
                let mut ids = BTreeSet::new();
                for (column, field) in header.iter().enumerate().filter(|(n, _)| *n != date) {
                    let id = parse_id(field)?;
                    if !ids.insert(id.clone()) {
                        return Err(format!("{id} has two columns"));
                    }
                    series.push((column, id));
                }
            }
        }
        if series.is_empty() && tidy.is_none() {
            return Err("there is a date column and no other".to_owned());
        }
        Ok(Self {
            date,
            known_from,
            tidy,
            series,
            width: header.len(),
        })
    }

    /// Adds a row to its columns.
    ///
    /// # Errors
    /// When the row cannot be assigned to a series; then no row of the file is used.
    fn read_row(
        &self,
        line: u32,
        fields: &[&[u8]],
        columns: &mut BTreeMap<SeriesId, Result<Vec<Row>, LineError>>,
    ) -> Result<(), String> {
        let field = |column: usize| fields.get(column).copied().unwrap_or_default();
        let found = fields.len();
        let width = self.width;
        let check_width = || {
            if found == width {
                Ok(())
            } else {
                Err(format!("{found} columns where the first line has {width}"))
            }
        };
        let parse_cells = |column: usize| {
            check_width()?;
            Ok((
                parse_date(field(self.date))?,
                parse_known_from(self.known_from.map_or(b"", field))?,
                parse_value(field(column))?,
            ))
        };
        let Some((id_column, value_column)) = self.tidy else {
            // A broken row of several series cannot be assigned to one of them.
            let is_single = self.series.len() == 1 && self.known_from.is_some();
            if !is_single {
                check_width()?;
                parse_date(field(self.date))?;
            }
            for (column, id) in &self.series {
                if let Some(series) = columns.get_mut(id) {
                    add_row(series, line, parse_cells(*column));
                }
            }
            return Ok(());
        };
        if found <= id_column {
            return check_width();
        }
        let id = parse_id(field(id_column)).or_else(|problem| check_width().and(Err(problem)))?;
        if columns.len() >= MAX_SERIES && !columns.contains_key(&id) {
            return Err(format!("more than {MAX_SERIES} series"));
        }
        let series = columns.entry(id).or_insert(Ok(Vec::new()));
        add_row(series, line, parse_cells(value_column));
        Ok(())
    }
}

/// Parses a series identifier.
///
/// # Errors
/// Quotes the text.
pub(super) fn parse_id(field: &[u8]) -> Result<SeriesId, String> {
    let text = String::from_utf8_lossy(field);
    SeriesId::new(&text).map_err(|_| format!("\"{}\" is not a series identifier", quote(&text)))
}

fn id_of_file(name: &str) -> Result<SeriesId, String> {
    SeriesId::new(name).map_err(|_| {
        let quoted = quote(name);
        format!("the file's name \"{quoted}\" is not a series identifier, and no column names one")
    })
}

/// Parses a date such as 2026-07-31.
///
/// # Errors
/// Quotes the text and says what was expected.
pub(super) fn parse_date(field: &[u8]) -> Result<Date, String> {
    // `strptime` alone would accept signs and blanks.
    let is_plain = |b: &u8| b.is_ascii_digit() || *b == b'-';
    let text = std::str::from_utf8(field).ok();
    text.filter(|text| text.len() == "2026-07-31".len() && field.iter().all(is_plain))
        .and_then(|text| Date::strptime("%Y-%m-%d", text).ok())
        .filter(|date| YEARS.contains(&date.year()))
        .ok_or_else(|| format!("{} is not a date like 2026-07-31", quoted(field)))
}

/// When a figure became known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KnownFrom {
    /// The file does not say.
    Unknown,
    /// On that day.
    Day(Date),
    /// In that month (its first day): the series contained the figure at its end, but not at the end of the month
    /// before.
    Month(Date),
}

/// Parses a day or a month (`2009-01`) of knowledge; an empty cell is [`KnownFrom::Unknown`].
///
/// # Errors
/// Quotes the text and says what was expected.
pub(super) fn parse_known_from(field: &[u8]) -> Result<KnownFrom, String> {
    if field.is_empty() {
        return Ok(KnownFrom::Unknown);
    }
    let month = parse_date(&[field, b"-01"].concat()).map(KnownFrom::Month);
    let day = || parse_date(field).map(KnownFrom::Day);
    month.or_else(|_| day()).map_err(|_| {
        format!(
            "{} is not a day like 2026-07-31 or a month like 2026-07",
            quoted(field)
        )
    })
}

/// Parses a finite number; `None` for a missing one: empty, `.`, `NaN`, `NA`.
///
/// # Errors
/// Quotes the text.
pub(super) fn parse_value(field: &[u8]) -> Result<Option<f64>, String> {
    let is_missing = matches!(field, b"" | b".")
        || field.eq_ignore_ascii_case(b"nan")
        || field.eq_ignore_ascii_case(b"na");
    if is_missing {
        return Ok(None);
    }
    let number = std::str::from_utf8(field).ok().and_then(|t| t.parse().ok());
    match number {
        Some(number) if f64::is_finite(number) => Ok(Some(number)),
        Some(_) => Err(format!("{} is not a finite number", quoted(field))),
        None => Err(format!("{} is not a number", quoted(field))),
    }
}

fn quoted(field: &[u8]) -> String {
    format!("\"{}\"", quote(&String::from_utf8_lossy(field)))
}

#[cfg(test)]
mod tests;
