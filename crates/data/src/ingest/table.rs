//! Reads the CSV layouts figures come in, by bytes: `series_id,date,value`, a file named after its
//! series (`date,value`), and FRED's `DATE,<ID>` or `observation_date,<ID>[,<ID>…]`. The first two may tell in
//! `known_from` since when each figure was known; an empty figure is then one that was withdrawn.
//!
//! Tolerant where meaning is clear (byte-order mark, CRLF, quotes, header in any case, blank lines, any
//! row order), strict where it is not: a cell that is no date or number breaks its series, with its line.
//!
//! Not by the `csv` crate, which the program has for other ends: there a quote that was left open takes every line up
//! to the next quote into one field, and whose rows those were is lost, while here it spoils its own line. It is also
//! measured: 461,021 rows are split in 36 ms here, in 128 ms there, of 0.22 s of CPU that an import of them takes.

mod cell;

pub(super) use cell::{Since, date, value};

use econoscope_core::error::quote;
use econoscope_core::model::{Date, Known, SeriesId, SeriesInfo, release};
use std::collections::BTreeMap;

/// Most series one file may hold.
const MAX_SERIES: usize = 100_000;
/// Most rows one file may hold: about what 256 MiB of the tidy layout can carry.
const MAX_ROWS: u32 = 16_000_000;

/// One figure and where it stood.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub(super) date: Date,
    pub(super) since: Since,
    pub(super) line: u32,
    /// `None` = withdrawn.
    pub(super) value: Option<f64>,
}

impl Row {
    /// Of two rows with the same one, one is too many.
    pub(super) fn key(&self) -> (Date, Since) {
        (self.date, self.since)
    }

    /// The figure in words.
    pub(super) fn figure(&self) -> String {
        self.value
            .map_or("no figure".to_owned(), |value| value.to_string())
    }
}

/// All figures of one series in one file: ascending unique keys, unless `broken`.
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

    /// Takes a line's cells: a missing figure is none, or withdrawn when somebody says since when; an unreadable one
    /// breaks the series.
    fn take(&mut self, line: u32, cells: Result<(Date, Since, Option<f64>), String>) {
        match cells {
            Ok((date, since, value)) => {
                if self.broken.is_none() && (value.is_some() || since != Since::Unknown) {
                    self.rows.push(Row {
                        date,
                        since,
                        line,
                        value,
                    });
                }
            }
            Err(problem) => self.fail(Broken { line, problem }),
        }
    }

    fn fail(&mut self, broken: Broken) {
        self.broken.get_or_insert(broken);
        self.rows = Vec::new();
    }

    /// The figures with the day from which each was known, where the file says so: of a month, the day on which what
    /// is new in it came out ([`release::counts_from`]). By date, then by that day.
    pub(super) fn known(&self, info: Option<&SeriesInfo>) -> Vec<Known> {
        let mut newest: BTreeMap<Date, Date> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.value.is_some()) {
            if let Since::Month(month) = row.since {
                // Rows ascend by date.
                newest.insert(month, row.date);
            }
        }
        let day = |since| match since {
            Since::Unknown => None,
            Since::Day(day) => Some(day),
            Since::Month(month) => Some(release::counts_from(
                info,
                month,
                newest.get(&month).copied(),
            )),
        };
        let known = |row: &Row| Known {
            date: row.date,
            known_from: day(row.since),
            value: row.value,
        };
        let mut rows: Vec<Known> = self.rows.iter().map(known).collect();
        rows.sort_by_key(|row| (row.date, row.known_from));
        // A day and a month of the same date may come to the same day: the month's end is the later state.
        rows.reverse();
        rows.dedup_by_key(|row| (row.date, row.known_from));
        rows.reverse();
        rows
    }

    /// Puts the rows in order; the same figure twice is one, two figures for one date are an error.
    fn settle(mut self) -> Self {
        self.rows.sort_by_key(|row| (row.key(), row.line));
        let mut pairs = self.rows.iter().zip(self.rows.iter().skip(1));
        let clash = pairs.find(|(a, b)| a.key() == b.key() && a.value != b.value);
        if let Some((a, b)) = clash {
            let problem = format!(
                "{} has {} for {}, but {} on line {}",
                self.id,
                b.figure(),
                b.date,
                a.figure(),
                a.line
            );
            self.fail(Broken {
                line: b.line,
                problem,
            });
        }
        self.rows.dedup_by_key(|row| row.key());
        self
    }
}

/// What is wrong with a file or a series, and on which line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) line: u32,
    pub(super) problem: String,
}

impl From<Broken> for String {
    fn from(broken: Broken) -> Self {
        format!("line {}: {}", broken.line, broken.problem)
    }
}

/// A file under way, by its layout: where it keeps what, and what was read so far.
enum Layout {
    Tidy {
        id: Naming,
        date: usize,
        value: usize,
        known_from: Option<usize>,
        columns: BTreeMap<SeriesId, Column>,
    },
    /// Every column but the date is a series.
    Wide { date: usize, columns: Vec<Column> },
}

/// Where a row's series is named.
enum Naming {
    /// In a column.
    Column(usize),
    /// By the file.
    File(SeriesId),
}

/// Reads a whole file. `name` is the identifier to use when the file itself gives none.
///
/// # Errors
/// [`Broken`] when the file as a whole cannot be read; one bad series is marked in its [`Column`] instead.
pub(super) fn read(bytes: &[u8], name: Option<&str>) -> Result<Vec<Column>, Broken> {
    let broken = |line: u32| move |problem: String| Broken { line, problem };
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        let problem = "the file is UTF-16; save it as UTF-8";
        return Err(broken(1)(problem.to_owned()));
    }
    let mut lines = lines(bytes);
    let first = lines.find(|(_, text)| !text.trim_ascii().is_empty());
    let (line, text) = first.ok_or_else(|| broken(1)("the file is empty".to_owned()))?;
    let mut fields = Vec::new();
    cell::split(text, &mut fields).map_err(broken(line))?;
    let mut layout = Layout::understand(&fields, name)
        .map_err(|problem| broken(line)(format!("{problem}; expected {EXPECTED}")))?;
    let width = fields.len();
    for (line, text) in lines {
        if line > MAX_ROWS {
            return Err(broken(line)(format!("more than {MAX_ROWS} rows")));
        }
        // The fields are there also when their number is wrong, so that the series can be named.
        let fits = cell::split(text, &mut fields).and_then(|()| match fields.len() {
            found if found == width => Ok(()),
            found => Err(format!("{found} columns where the first line has {width}")),
        });
        if fields.iter().any(|field| !field.is_empty()) {
            layout.take(line, &fields, fits).map_err(broken(line))?;
        }
    }
    let columns = match layout {
        Layout::Tidy { columns, .. } => columns.into_values().collect(),
        Layout::Wide { columns, .. } => columns,
    };
    Ok(columns.into_iter().map(Column::settle).collect())
}

/// Numbered lines without their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let lines = bytes.split(|&b| b == b'\n');
    (1..).zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)))
}

/// The names in the first line, in small letters.
pub(super) fn first_line(bytes: &[u8]) -> Vec<String> {
    let mut fields = Vec::new();
    if let Some((_, text)) = lines(bytes).next()
        && cell::split(text, &mut fields).is_err()
    {
        fields.clear();
    }
    fields.into_iter().map(lower).collect()
}

fn lower(field: &[u8]) -> String {
    String::from_utf8_lossy(field).to_ascii_lowercase()
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

const EXPECTED: &str = "\"series_id,date,value\", \"date,value\" in a file named after its series (both may have \"known_from\"), or \"DATE,<ID>\" with one column per series";

impl Layout {
    /// The layout that a first line names.
    fn understand(header: &[&[u8]], name: Option<&str>) -> Result<Self, String> {
        let names: Vec<String> = header.iter().map(|field| lower(field)).collect();
        let find = |one: &str, other: &str| names.iter().position(|n| n == one || n == other);
        let line = String::from_utf8_lossy(&header.join(&b","[..])).into_owned();
        let lacks = |what: &str| {
            Err(format!(
                "the first line \"{}\" names no {what}",
                quote(&line)
            ))
        };
        let Some(date) = find("date", "observation_date") else {
            return lacks("date column");
        };
        let (value, known_from) = (find("value", "value"), find("known_from", "known_from"));
        if known_from.is_some() && value.is_none() {
            return lacks("value column");
        }
        let id = match (find("series_id", "seriesid"), known_from.and(name)) {
            (Some(at), _) => Some(Naming::Column(at)),
            (None, Some(name)) if value.is_some() => Some(Naming::File(named_after(name)?)),
            (None, _) => None,
        };
        if let (Some(id), Some(value)) = (id, value) {
            let columns = BTreeMap::new();
            return Ok(Self::Tidy {
                id,
                date,
                value,
                known_from,
                columns,
            });
        }
        if value.is_some() && header.len() != 2 {
            return lacks("series");
        }
        let mut columns: Vec<Column> = Vec::new();
        for (_, field) in header.iter().enumerate().filter(|(i, _)| *i != date) {
            let id = match name.filter(|_| value.is_some()) {
                Some(name) => named_after(name),
                None => identifier(field),
            }?;
            if columns.iter().any(|c| c.id == id) {
                return Err(format!("{id} has two columns"));
            }
            columns.push(Column::new(id));
        }
        if columns.is_empty() {
            return Err("there is a date column and no other".to_owned());
        }
        Ok(Self::Wide { date, columns })
    }

    /// Takes a line; `fits` says whether it has as many fields as the first one.
    ///
    /// # Errors
    /// Says what makes the line one of no series: then nothing of the file may be trusted.
    fn take(
        &mut self,
        line: u32,
        fields: &[&[u8]],
        fits: Result<(), String>,
    ) -> Result<(), String> {
        let field = |at: usize| fields.get(at).copied().unwrap_or_default();
        match self {
            Self::Tidy {
                id,
                date,
                value,
                known_from,
                columns,
            } => {
                let id = match id {
                    Naming::Column(at) if fields.len() <= *at => return fits,
                    Naming::Column(at) => {
                        identifier(field(*at)).or_else(|problem| fits.clone().and(Err(problem)))?
                    }
                    Naming::File(id) => id.clone(),
                };
                if columns.len() >= MAX_SERIES && !columns.contains_key(&id) {
                    return Err(format!("more than {MAX_SERIES} series"));
                }
                let column = columns.entry(id.clone()).or_insert_with(|| Column::new(id));
                let cells = || {
                    let since = |at: usize| cell::since(field(at));
                    Ok((
                        cell::date(field(*date))?,
                        known_from.map_or(Ok(Since::Unknown), since)?,
                        cell::value(field(*value))?,
                    ))
                };
                column.take(line, fits.and_then(|()| cells()));
            }
            Self::Wide { date, columns } => {
                fits?;
                let day = cell::date(field(*date))?;
                let cells = fields.iter().enumerate().filter(|(i, _)| i != date);
                for (column, (_, field)) in columns.iter_mut().zip(cells) {
                    let value = cell::value(field);
                    column.take(line, value.map(|value| (day, Since::Unknown, value)));
                }
            }
        }
        Ok(())
    }
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

#[cfg(test)]
mod tests;
