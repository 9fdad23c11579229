//! Reads the CSV layouts figures come in, by bytes: `series_id,date,value`, a file named after its
//! series (`date,value`), and FRED's `DATE,<ID>` or `observation_date,<ID>[,<ID>…]`.
//!
//! Tolerant where meaning is clear (byte-order mark, CRLF, quotes, header in any case, blank lines, any
//! row order), strict where it is not: a cell that is no date or number breaks its series, with its line.

mod cell;

pub(super) use cell::{date, value};

use crate::error::quote;
use crate::model::{Date, Observation, SeriesId};
use std::collections::HashMap;

/// Most series one file may hold.
const MAX_SERIES: usize = 100_000;
/// Most rows one file may hold: about what 256 MiB of the tidy layout can carry.
pub(super) const MAX_ROWS: u32 = 16_000_000;

/// One figure and where it stood.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub(super) date: Date,
    pub(super) line: u32,
    pub(super) value: f64,
}

/// All figures of one series in one file: ascending unique dates, unless `broken`.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) id: SeriesId,
    pub(super) rows: Vec<Row>,
    /// The first thing that is wrong; then none of the rows may be used.
    pub(super) broken: Option<Broken>,
}

impl Column {
    fn new(id: SeriesId) -> Self {
        Self {
            id,
            rows: Vec::new(),
            broken: None,
        }
    }

    fn push(&mut self, line: u32, date: Date, value: f64) {
        if self.broken.is_none() {
            self.rows.push(Row { date, line, value });
        }
    }

    fn fail(&mut self, broken: Broken) {
        if self.broken.is_none() {
            self.broken = Some(broken);
            self.rows = Vec::new();
        }
    }

    /// The figures without their lines.
    pub(super) fn observations(&self) -> Vec<Observation> {
        let pair = |row: &Row| Observation::new(row.date, row.value);
        self.rows.iter().map(pair).collect()
    }

    /// Puts the rows in order; the same figure twice is one, two figures for one date are an error.
    fn settle(&mut self) {
        if !self.rows.is_sorted_by(|a, b| a.date < b.date) {
            self.rows.sort_by_key(|row| (row.date, row.line));
            let clash = self
                .rows
                .iter()
                .zip(self.rows.iter().skip(1))
                .find(|(a, b)| a.date == b.date && a.value != b.value)
                .map(|(a, b)| Broken {
                    line: b.line,
                    problem: format!(
                        "{} has {} for {}, but {} on line {}",
                        self.id, b.value, b.date, a.value, a.line
                    ),
                });
            match clash {
                Some(clash) => self.fail(clash),
                None => self.rows.dedup_by_key(|row| row.date),
            }
        }
    }
}

/// What is wrong with a file or a series, and on which line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) line: u32,
    pub(super) problem: String,
}

/// How a date may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dates {
    /// `2026-07-31`.
    Iso,
    /// `2026-07-31` or `7/31/2026`, as the Fed Board's spreadsheets have it.
    IsoOrUs,
}

/// Where each layout keeps what.
enum Layout {
    Tidy {
        id: usize,
        date: usize,
        value: usize,
    },
    /// Every column but the date is a series.
    Wide { date: usize },
}

/// Reads a whole file. `name` is the identifier to use when the file itself gives none.
///
/// # Errors
/// [`Broken`] when the file as a whole cannot be read; one bad series is marked in its [`Column`] instead.
pub(super) fn read(bytes: &[u8], name: Option<&str>, dates: Dates) -> Result<Vec<Column>, Broken> {
    let mut lines = Lines::new(bytes)?;
    let mut header = Vec::new();
    let Some((line, text)) = lines.find(|(_, text)| !text.trim_ascii().is_empty()) else {
        return Err(broken(1, "the file is empty"));
    };
    cell::split(text, &mut header).map_err(|problem| broken(line, problem))?;
    let (layout, columns) = understand(&header, name)
        .map_err(|problem| broken(line, format!("{problem}; expected {EXPECTED}")))?;
    let mut columns = match layout {
        Layout::Tidy { id, date, value } => {
            let at = Tidy {
                width: header.len(),
                id,
                date,
                value,
            };
            tidy(lines, &at, dates)?
        }
        Layout::Wide { date } => wide(lines, header.len(), date, dates, columns)?,
    };
    columns.iter_mut().for_each(Column::settle);
    Ok(columns)
}

/// Whether the last line was cut: no line end, and fewer columns than the first line.
pub(super) fn is_cut_off(bytes: &[u8]) -> bool {
    let count = |line: &[u8]| line.iter().filter(|&&b| b == b',').count();
    let mut lines = bytes.split(|&b| b == b'\n');
    let first = lines.next().unwrap_or(&[]);
    lines
        .next_back()
        .is_some_and(|last| !last.trim_ascii().is_empty() && count(last) < count(first))
}

const EXPECTED: &str = "\"series_id,date,value\", \"date,value\" in a file named after its series, or \"DATE,<ID>\" with one column per series";

fn understand(header: &[&[u8]], name: Option<&str>) -> Result<(Layout, Vec<Column>), String> {
    let named: Vec<String> = header
        .iter()
        .map(|field| String::from_utf8_lossy(field).to_ascii_lowercase())
        .collect();
    let find = |names: &[&str]| named.iter().position(|n| names.contains(&n.as_str()));
    let Some(date) = find(&["date", "observation_date"]) else {
        return Err(format!(
            "the first line {} names no date column",
            first_line(header)
        ));
    };
    let value = find(&["value"]);
    if let (Some(id), Some(value)) = (find(&["series_id", "seriesid"]), value) {
        return Ok((Layout::Tidy { id, date, value }, Vec::new()));
    }
    if value.is_some() && header.len() != 2 {
        return Err(format!(
            "the first line {} names no series",
            first_line(header)
        ));
    }
    let ids = header
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != date)
        .map(|(i, field)| match (value, name) {
            (Some(v), Some(name)) if v == i => named_after(name),
            _ => identifier(field),
        });
    let mut columns: Vec<Column> = Vec::new();
    for id in ids {
        let id = id?;
        if columns.iter().any(|c| c.id == id) {
            return Err(format!("{id} has two columns"));
        }
        columns.push(Column::new(id));
    }
    if columns.is_empty() {
        return Err("there is a date column and no other".to_owned());
    }
    Ok((Layout::Wide { date }, columns))
}

fn first_line(header: &[&[u8]]) -> String {
    let text = String::from_utf8_lossy(&header.join(&b","[..])).into_owned();
    format!("\"{}\"", quote(&text))
}

fn identifier(field: &[u8]) -> Result<SeriesId, String> {
    let text = String::from_utf8_lossy(field);
    SeriesId::new(&text).map_err(|_| format!("\"{}\" is not a series identifier", quote(&text)))
}

fn named_after(name: &str) -> Result<SeriesId, String> {
    SeriesId::new(name).map_err(|_| {
        let name = quote(name);
        format!("the file's name \"{name}\" is not a series identifier, and no column names one")
    })
}

/// Width and positions of the tidy layout.
struct Tidy {
    width: usize,
    id: usize,
    date: usize,
    value: usize,
}

fn tidy(lines: Lines<'_>, at: &Tidy, dates: Dates) -> Result<Vec<Column>, Broken> {
    let mut columns: Vec<Column> = Vec::new();
    let mut known: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut last: (&[u8], usize) = (&[], usize::MAX);
    let mut fields = Vec::new();
    for (line, text) in lines {
        let width = split_row(line, text, &mut fields, at.width);
        if is_blank(&fields) {
            continue;
        }
        let Some(&id) = fields.get(at.id) else {
            // Not even the series can be told: nothing of the file may be trusted.
            return Err(width.err().unwrap_or_else(|| broken(line, "no series_id")));
        };
        // Nearly every row is of the series above it.
        if last.0 != id || last.1 == usize::MAX {
            last = (id, column_of(id, line, &mut known, &mut columns)?);
        }
        let Some(column) = columns.get_mut(last.1) else {
            continue;
        };
        let row = width.and_then(|()| {
            let date = fields.get(at.date).copied().unwrap_or(&[]);
            let value = fields.get(at.value).copied().unwrap_or(&[]);
            let bad = |problem| broken(line, problem);
            Ok((
                cell::date(date, dates).map_err(bad)?,
                cell::value(value).map_err(bad)?,
            ))
        });
        match row {
            Ok((date, Some(value))) => column.push(line, date, value),
            Ok((_, None)) => {}
            Err(problem) => column.fail(problem),
        }
    }
    Ok(columns)
}

fn column_of(
    field: &[u8],
    line: u32,
    known: &mut HashMap<Vec<u8>, usize>,
    columns: &mut Vec<Column>,
) -> Result<usize, Broken> {
    if let Some(&i) = known.get(field) {
        return Ok(i);
    }
    let id = identifier(field).map_err(|problem| broken(line, problem))?;
    // The same identifier may stand in two spellings: `dgs10`, `DGS10`.
    let at = known.get(id.as_str().as_bytes()).copied();
    let at = at.unwrap_or(columns.len());
    if at == columns.len() {
        if columns.len() >= MAX_SERIES {
            return Err(broken(line, format!("more than {MAX_SERIES} series")));
        }
        known.insert(id.as_str().as_bytes().to_vec(), at);
        columns.push(Column::new(id));
    }
    known.insert(field.to_vec(), at);
    Ok(at)
}

fn wide(
    lines: Lines<'_>,
    width: usize,
    date_at: usize,
    dates: Dates,
    mut columns: Vec<Column>,
) -> Result<Vec<Column>, Broken> {
    let mut fields = Vec::new();
    for (line, text) in lines {
        let fits = split_row(line, text, &mut fields, width);
        if is_blank(&fields) {
            continue;
        }
        fits?;
        let stamp = fields.get(date_at).copied().unwrap_or(&[]);
        let date = cell::date(stamp, dates).map_err(|problem| broken(line, problem))?;
        let cells = fields.iter().enumerate().filter(|(i, _)| *i != date_at);
        for (column, (_, field)) in columns.iter_mut().zip(cells) {
            match cell::value(field) {
                Ok(Some(value)) => column.push(line, date, value),
                Ok(None) => {}
                Err(problem) => column.fail(broken(line, problem)),
            }
        }
    }
    Ok(columns)
}

/// Splits a row; the fields are there also when their number is wrong, so that a series can be named.
fn split_row<'a>(
    line: u32,
    text: &'a [u8],
    fields: &mut Vec<&'a [u8]>,
    width: usize,
) -> Result<(), Broken> {
    cell::split(text, fields).map_err(|problem| broken(line, problem))?;
    if line > MAX_ROWS {
        return Err(broken(line, format!("more than {MAX_ROWS} rows")));
    }
    if fields.len() == width {
        return Ok(());
    }
    let found = fields.len();
    Err(broken(
        line,
        format!("{found} columns where the first line has {width}"),
    ))
}

fn is_blank(fields: &[&[u8]]) -> bool {
    !fields.is_empty() && fields.iter().all(|field| field.is_empty())
}

fn broken(line: u32, problem: impl Into<String>) -> Broken {
    Broken {
        line,
        problem: problem.into(),
    }
}

/// Numbered lines without their ends.
struct Lines<'a> {
    rest: &'a [u8],
    number: u32,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, Broken> {
        if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
            return Err(broken(1, "the file is UTF-16; save it as UTF-8"));
        }
        let rest = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        Ok(Self { rest, number: 0 })
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|&b| b == b'\n');
        let (line, rest) = match end {
            Some(end) => (
                self.rest.get(..end).unwrap_or(&[]),
                self.rest.get(end + 1..).unwrap_or(&[]),
            ),
            None => (self.rest, &[][..]),
        };
        self.rest = rest;
        self.number = self.number.saturating_add(1);
        Some((self.number, line.strip_suffix(b"\r").unwrap_or(line)))
    }
}

#[cfg(test)]
mod tests;
