//! Parses the CSV layouts of figures: `series_id,date,value`, `date,value` in a file named after its series, and FRED's
//! `DATE,<ID>` or `observation_date,<ID>[,<ID>…]`. The first two may have a column `known_from`; an empty figure is
//! then one that was withdrawn.
//!
//! The parser accepts a byte-order mark, CRLF, quotes, a header in any case, blank lines and any order of rows, and the
//! notations of [`Notation`]. A cell that is no date or number breaks its series, and the error names its line.
//!
//! No date, number or identifier contains a line break, so rows are split at it alone. An unclosed quote therefore breaks
//! its own line and not the rest of the file.

use super::cells::{Notation, cells, quoted};
use econoscope_core::error::{Error, quote};
use econoscope_core::model::{Date, DateRange, SeriesId, SeriesInfo, VintageObservation, release};
use std::collections::{BTreeMap, BTreeSet};

/// Most series of one file.
const MAX_SERIES: usize = 100_000;
/// Most columns of one file, each a series.
const MAX_COLUMNS: usize = 10_000;
/// Most rows of one file: about what 256 MiB of the tidy layout contain.
const MAX_ROWS: u32 = 16_000_000;

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

    /// Describes the figure beside an earlier one with the same key.
    pub(super) fn conflict_with(&self, earlier: &Self) -> String {
        let figure = |row: &Self| row.value.map_or("no figure".to_owned(), |v| v.to_string());
        let old = figure(earlier);
        let line = earlier.line;
        format!(
            "{} for {}, but {old} on line {line}",
            figure(self),
            self.date
        )
    }
}

/// Sorts rows by key, earlier ones first, and removes duplicates.
///
/// # Errors
/// [`LineError`] when two figures have the same key; `problem` describes the earlier and the later one.
pub(super) fn merge(
    rows: &mut Vec<Row>,
    problem: impl FnOnce(&Row, &Row) -> String,
) -> Result<(), LineError> {
    rows.sort_by_key(Row::key);
    let mut pairs = rows.array_windows();
    if let Some([a, b]) = pairs.find(|[a, b]| a.key() == b.key() && a.value != b.value) {
        return Err(LineError::new(b.line, problem(a, b)));
    }
    rows.dedup_by_key(|row| row.key());
    Ok(())
}

/// All figures of one series in one file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub(super) id: SeriesId,
    /// By ascending unique key, or the first error in them.
    pub(super) rows: Result<Vec<Row>, LineError>,
}

/// Adds the parsed row of a line to a series without an error. A missing figure is skipped, unless its `known_from`
/// says that it was withdrawn.
fn add_row(column: &mut Result<Vec<Row>, LineError>, line: u32, row: Result<Row, String>) {
    let Ok(rows) = column else {
        return;
    };
    match row {
        Ok(row) if row.value.is_some() || row.known_from != KnownFrom::Unknown => rows.push(row),
        Ok(_) => {}
        Err(problem) => *column = Err(LineError { line, problem }),
    }
}

/// Returns the rows by date and day of knowledge. A month becomes the day on which its newest figure was released
/// ([`release::known_from_day`]).
pub(super) fn to_known(rows: &[Row], info: Option<&SeriesInfo>) -> Vec<VintageObservation> {
    let mut changed: BTreeMap<Date, DateRange> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.value.is_some()) {
        if let KnownFrom::Month(month) = row.known_from {
            // Rows ascend by date.
            let range = changed.entry(month);
            range.or_insert(DateRange::new(row.date, row.date)).end = row.date;
        }
    }
    let day = |known_from| match known_from {
        KnownFrom::Unknown => None,
        KnownFrom::Day(day) => Some(day),
        KnownFrom::Month(month) => {
            let changed = changed.get(&month).copied();
            Some(release::known_from_day(info, month, changed))
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

/// What is wrong with a file or a series, and on which line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub(super) struct LineError {
    pub(super) line: u32,
    pub(super) problem: String,
}

impl LineError {
    pub(super) fn new(line: u32, problem: String) -> Self {
        Self { line, problem }
    }

    /// Returns the error for a series of a file that is refused because of the line.
    pub(super) fn refusal_of(self, id: &SeriesId, file: &str) -> Error {
        let what = format!("{}; nothing of {id} was imported", self.problem);
        Error::bad_line(file, self.line.into(), what)
    }
}

/// The meaning of the columns.
struct Layout {
    date: usize,
    known_from: Option<usize>,
    /// The columns of the identifier and the value in the tidy layout; otherwise each series has a column.
    tidy: Option<(usize, usize)>,
    series: Vec<SeriesColumn>,
    width: usize,
    /// Names of columns that are no series.
    unread: Vec<String>,
}

/// A column of a series, or of one of its vintages.
struct SeriesColumn {
    column: usize,
    id: SeriesId,
    known_from: KnownFrom,
}

/// What a file holds.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) columns: Vec<Column>,
    /// Names of columns that were passed over, because they name no series.
    pub(super) unread: Vec<String>,
}

/// Parses a file. `name` is the series of a file that names none.
///
/// # Errors
/// [`LineError`] when the file as a whole cannot be parsed. The error of a single series is in its [`Column`].
pub(super) fn parse(bytes: &[u8], name: Option<&str>) -> Result<Table, LineError> {
    let error_on = |line: u32| move |problem: String| LineError { line, problem };
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        let problem = "the file is UTF-16; save it as UTF-8";
        return Err(error_on(1)(problem.to_owned()));
    }
    let mut filled_lines = lines(bytes).filter(|(_, text)| !text.trim_ascii().is_empty());
    let first = filled_lines.next();
    let (line, text) = first.ok_or_else(|| error_on(1)("the file is empty".to_owned()))?;
    let is_date = |name: &[u8]| DATES.contains(&to_lower(name).as_str());
    let separator = Notation::separator(text, is_date);
    let header: Vec<&[u8]> = cells(text, separator).collect();
    let layout = Layout::from_header(&header, name)
        .map_err(|problem| error_on(line)(format!("{problem}; expected {EXPECTED}")))?;
    let ids = layout.series.iter().map(|series| series.id.clone());
    let mut columns: BTreeMap<_, _> = ids.map(|id| (id, Ok(Vec::new()))).collect();
    // FRED-MD has the codes of its transformations above the figures.
    let mut rows = filled_lines.skip_while(|(_, text)| {
        CODES.contains(&to_lower(layout.date_of(text, separator)).as_str())
    });
    let notation = layout.notation(separator, bytes, rows.clone());
    let mut fields = Vec::new();
    rows.try_for_each(|(line, text)| {
        if line > MAX_ROWS {
            return Err(error_on(line)(format!("more than {MAX_ROWS} rows")));
        }
        fields.clear();
        fields.extend(cells(text, separator));
        // Spreadsheets end lines with empty columns.
        let blank = fields.iter().rev().take_while(|field| field.is_empty());
        let end = fields.len().saturating_sub(blank.count());
        if end == 0 {
            return Ok(());
        }
        fields.truncate(end.max(layout.width));
        let result = layout.read_row(line, &fields, notation, &mut columns);
        result.map_err(error_on(line))
    })?;
    let sorted = columns.into_iter().map(|(id, parsed)| {
        let sort = |mut rows: Vec<Row>| {
            let conflict = |a: &Row, b: &Row| format!("{id} has {}", b.conflict_with(a));
            merge(&mut rows, conflict).map(|()| rows)
        };
        let rows = parsed.and_then(sort);
        Column { id, rows }
    });
    Ok(Table {
        columns: sorted.collect(),
        unread: layout.unread,
    })
}

/// Returns numbered lines without line endings.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> + Clone {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let lines = text.split(|&b| b == b'\n');
    (1..).zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)))
}

/// Returns the names in the first line, in lower case.
pub(super) fn header(bytes: &[u8]) -> Vec<String> {
    let first = lines(bytes).next().map(|(_, text)| text);
    cells(first.unwrap_or_default(), b',')
        .map(to_lower)
        .collect()
}

fn to_lower(field: &[u8]) -> String {
    String::from_utf8_lossy(field).to_ascii_lowercase()
}

const EXPECTED: &str = "\"series_id,date,value\", \"date,value\" in a file named after its series (both may have \"known_from\"), or \"DATE,<ID>\" with one column per series";
/// Names of a column of dates; the last is FRED-MD's.
const DATES: [&str; 3] = ["date", "observation_date", "sasdate"];
/// Names of a column of days of knowledge; `realtime_start` is FRED's.
const KNOWN_FROM: [&str; 5] = [
    "known_from",
    "realtime_start",
    "vintage_date",
    "vintage",
    "release_date",
];
/// What FRED-MD has in place of a date above its figures.
const CODES: [&str; 3] = ["transform:", "transform", "factors"];

impl Layout {
    fn from_header(header: &[&[u8]], name: Option<&str>) -> Result<Self, String> {
        if header.len() > MAX_COLUMNS {
            return Err(format!(
                "the first line has more than {MAX_COLUMNS} columns"
            ));
        }
        let mut names: Vec<String> = header.iter().map(|field| to_lower(field)).collect();
        let last = names.iter().rposition(|name| !name.is_empty());
        names.truncate(last.map_or(0, |last| last + 1));
        let find = |allowed: &[&str]| names.iter().position(|n| allowed.contains(&n.as_str()));
        let lacks = |what: &str| {
            let line = quoted(&header.join(&b","[..]));
            Err(format!("the first line {line} names no {what}"))
        };
        let Some(date) = find(&DATES) else {
            return lacks("date column");
        };
        let value = find(&["value"]);
        let known_from = find(&KNOWN_FROM);
        let tidy = find(&["series_id", "seriesid", "series"]).zip(value);
        let mut layout = Self {
            date,
            known_from,
            tidy,
            series: Vec::new(),
            width: names.len(),
            unread: Vec::new(),
        };
        if value.is_none() && known_from.is_some() {
            return lacks("value column");
        }
        let Some(value) = value else {
            layout.add_series_columns(header)?;
            return Ok(layout);
        };
        // The end of a vintage follows from the next one.
        let end = find(&["realtime_end"]).filter(|_| known_from.is_some());
        let id = tidy.map(|(id, _)| id);
        check_names(&names, &[Some(date), Some(value), known_from, id, end])?;
        if tidy.is_none() {
            let Some(name) = name else {
                return lacks("series");
            };
            let id = SeriesId::new(name).map_err(|_| {
                let name = quote(name);
                format!(
                    "the file's name \"{name}\" is not a series identifier, and no column names one"
                )
            })?;
            layout.series.push(SeriesColumn {
                column: value,
                id,
                known_from: KnownFrom::Unknown,
            });
        }
        Ok(layout)
    }

    /// Finds the columns of series: `GDPC1`, or a vintage of ALFRED, `GDPC1_20080130`.
    fn add_series_columns(&mut self, header: &[&[u8]]) -> Result<(), String> {
        let mut names = BTreeSet::new();
        let mut problem = "there is a date column and no other".to_owned();
        let columns = header.iter().enumerate().take(self.width);
        for (column, field) in columns.filter(|(column, _)| *column != self.date) {
            let id = match parse_id(field) {
                Ok(id) => id,
                Err(reason) => {
                    problem = reason;
                    self.unread.push(quote(&String::from_utf8_lossy(field)));
                    continue;
                }
            };
            if !names.insert(id.clone()) {
                return Err(format!("{id} has two columns"));
            }
            let vintage = id.as_str().rsplit_once('_').and_then(|(id, day)| {
                let is_day = day.len() == 8 && day.bytes().all(|b| b.is_ascii_digit());
                let day = Date::strptime("%Y%m%d", day).ok().filter(|_| is_day)?;
                Some((SeriesId::new(id).ok()?, KnownFrom::Day(day)))
            });
            let (id, known_from) = vintage.unwrap_or((id, KnownFrom::Unknown));
            self.series.push(SeriesColumn {
                column,
                id,
                known_from,
            });
        }
        if self.series.is_empty() {
            return Err(problem);
        }
        Ok(())
    }

    fn date_of<'l>(&self, text: &'l [u8], separator: u8) -> &'l [u8] {
        cells(text, separator).nth(self.date).unwrap_or_default()
    }

    /// Returns how the rows of a file write dates and figures.
    fn notation<'l>(
        &self,
        separator: u8,
        bytes: &[u8],
        rows: impl Iterator<Item = (u32, &'l [u8])> + Clone,
    ) -> Notation {
        let dates = rows.clone().map(|(_, text)| self.date_of(text, separator));
        let is_plain = |cell: &[u8]| Notation::PLAIN.date(cell).is_ok();
        if separator == b',' && !bytes.contains(&b'"') && dates.clone().next().is_some_and(is_plain)
        {
            return Notation::PLAIN;
        }
        let is_figure = move |column: usize| match self.tidy {
            Some((_, value)) => column == value,
            None => self.series.iter().any(|series| series.column == column),
        };
        let figures = rows.flat_map(|(_, text)| {
            let cells = cells(text, separator).enumerate();
            cells.filter(|(column, _)| is_figure(*column))
        });
        Notation::of(separator, dates, figures.map(|(_, cell)| cell))
    }

    /// Adds a row to its columns.
    ///
    /// # Errors
    /// When the row cannot be assigned to a series; then no row of the file is used.
    fn read_row(
        &self,
        line: u32,
        fields: &[&[u8]],
        notation: Notation,
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
        let parse_row = |column: usize| {
            check_width()?;
            Ok(Row {
                date: notation.date(field(self.date))?,
                known_from: parse_known_from(self.known_from.map_or(b"", field))?,
                line,
                value: notation.figure(field(column))?,
            })
        };
        let Some((id_column, value_column)) = self.tidy else {
            // A broken row of several series cannot be assigned to one of them.
            let is_single = self.series.len() == 1 && self.known_from.is_some();
            if !is_single {
                check_width()?;
                notation.date(field(self.date))?;
            }
            for series in &self.series {
                let mut row = parse_row(series.column);
                if let (Ok(row), KnownFrom::Day(_)) = (&mut row, series.known_from)
                    && row.value.is_some()
                {
                    row.known_from = series.known_from;
                }
                if let Some(column) = columns.get_mut(&series.id) {
                    add_row(column, line, row);
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
        add_row(series, line, parse_row(value_column));
        Ok(())
    }
}

/// Checks that every column is one of those that are `read`.
///
/// # Errors
/// Names the others.
fn check_names(names: &[String], read: &[Option<usize>]) -> Result<(), String> {
    let columns = names.iter().enumerate();
    let unknown: Vec<&str> = columns
        .filter(|(column, _)| !read.contains(&Some(*column)))
        .map(|(_, name)| name.as_str())
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let unknown = quote(&unknown.join("\", \""));
    Err(format!("no column \"{unknown}\" is known; leave it out"))
}

/// Parses a series identifier.
///
/// # Errors
/// Quotes the text.
pub(super) fn parse_id(field: &[u8]) -> Result<SeriesId, String> {
    let text = String::from_utf8_lossy(field);
    SeriesId::new(&text).map_err(|_| format!("\"{}\" is not a series identifier", quote(&text)))
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
    let date = |text: &[u8]| Notation::PLAIN.date(text);
    let month = date(&[field, b"-01"].concat()).map(KnownFrom::Month);
    let day = || date(field).map(KnownFrom::Day);
    month.or_else(|_| day()).map_err(|_| {
        let text = quoted(field);
        format!("{text} is not a day like 2026-07-31 or a month like 2026-07")
    })
}

#[cfg(test)]
mod tests;
