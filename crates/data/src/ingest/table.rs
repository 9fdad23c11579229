//! Reads the CSV layouts figures come in, by bytes: `series_id,date,value`, a file named after its
//! series (`date,value`), and FRED's `DATE,<ID>` or `observation_date,<ID>[,<ID>…]`. The first two may tell in
//! `known_from` since when each figure was known; an empty figure is then one that was withdrawn.
//!
//! Tolerant where meaning is clear (byte-order mark, CRLF, quotes, header in any case, blank lines, any
//! row order), strict where it is not: a cell that is no date or number breaks its series, with its line.
//!
//! Neither a date nor a number nor an identifier holds a comma or a line break, so lines and cells are split at these
//! alone: a quote that was left open spoils its own line and not all that follow.

use econoscope_core::error::quote;
use econoscope_core::model::{Date, Known, SeriesId, SeriesInfo, release};
use std::collections::BTreeMap;

/// Most series one file may hold.
const MAX_SERIES: usize = 100_000;
/// Most rows one file may hold: about what 256 MiB of the tidy layout can carry.
const MAX_ROWS: u32 = 16_000_000;

/// Years a date may lie in; anything else is a slip of the pen.
const YEARS: std::ops::RangeInclusive<i16> = 1500..=2200;

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
        let (rows, broken) = (Vec::new(), None);
        Self { id, rows, broken }
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

/// Where a file keeps what.
struct Layout {
    date: usize,
    known_from: Option<usize>,
    /// The column that names the series, and that of its values; otherwise each column has a series.
    tidy: Option<(usize, usize)>,
    /// Series of columns.
    series: Vec<(usize, SeriesId)>,
    width: usize,
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
    let mut lines = lines(bytes).filter(|(_, text)| !text.trim_ascii().is_empty());
    let first = lines.next();
    let (line, text) = first.ok_or_else(|| broken(1)("the file is empty".to_owned()))?;
    let header: Vec<&[u8]> = cells(text).collect();
    let layout = Layout::understand(&header, name)
        .map_err(|problem| broken(line)(format!("{problem}; expected {EXPECTED}")))?;
    let columns = layout.series.iter();
    let mut columns: BTreeMap<SeriesId, Column> = columns
        .map(|(_, id)| (id.clone(), Column::new(id.clone())))
        .collect();
    let mut fields = Vec::new();
    for (line, text) in lines {
        if line > MAX_ROWS {
            return Err(broken(line)(format!("more than {MAX_ROWS} rows")));
        }
        fields.clear();
        fields.extend(cells(text));
        if fields.iter().any(|field| !field.is_empty()) {
            let taken = layout.take(line, &fields, &mut columns);
            taken.map_err(broken(line))?;
        }
    }
    Ok(columns.into_values().map(Column::settle).collect())
}

/// Numbered lines without their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let lines = bytes.split(|&b| b == b'\n');
    (1..).zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)))
}

/// The cells of a line; quotes around a cell are taken off.
fn cells(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&b| b == b',').map(|field| {
        let field = field.trim_ascii();
        let inside = field
            .strip_prefix(b"\"")
            .and_then(|f| f.strip_suffix(b"\""));
        inside.map_or(field, <[u8]>::trim_ascii)
    })
}

/// The names in the first line, in small letters.
pub(super) fn first_line(bytes: &[u8]) -> Vec<String> {
    let first = lines(bytes).next();
    first.map_or(Vec::new(), |(_, text)| cells(text).map(lower).collect())
}

fn lower(field: &[u8]) -> String {
    String::from_utf8_lossy(field).to_ascii_lowercase()
}

const EXPECTED: &str = "\"series_id,date,value\", \"date,value\" in a file named after its series (both may have \"known_from\"), or \"DATE,<ID>\" with one column per series";

impl Layout {
    /// The layout that a first line names.
    fn understand(header: &[&[u8]], name: Option<&str>) -> Result<Self, String> {
        let names: Vec<String> = header.iter().map(|field| lower(field)).collect();
        let find = |one: &str, other: &str| names.iter().position(|n| n == one || n == other);
        let lacks = |what: &str| {
            let line = String::from_utf8_lossy(&header.join(&b","[..])).into_owned();
            Err(format!(
                "the first line \"{}\" names no {what}",
                quote(&line)
            ))
        };
        let Some(date) = find("date", "observation_date") else {
            return lacks("date column");
        };
        let (value, known_from) = (find("value", "value"), find("known_from", "known_from"));
        let tidy = find("series_id", "seriesid").zip(value);
        let mut series: Vec<(usize, SeriesId)> = Vec::new();
        match (tidy, value, name) {
            (Some(_), _, _) => {}
            (None, None, _) if known_from.is_some() => return lacks("value column"),
            (None, Some(_), None) if known_from.is_some() => return lacks("series"),
            (None, Some(_), _) if known_from.is_none() && header.len() != 2 => {
                return lacks("series");
            }
            (None, Some(at), Some(name)) => series.push((at, named_after(name)?)),
            (None, _, _) => {
                for (at, field) in header.iter().enumerate().filter(|(at, _)| *at != date) {
                    let id = identifier(field)?;
                    if series.iter().any(|(_, other)| *other == id) {
                        return Err(format!("{id} has two columns"));
                    }
                    series.push((at, id));
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

    /// Takes a line.
    ///
    /// # Errors
    /// Says what makes the line one of no series: then nothing of the file may be trusted.
    fn take(
        &self,
        line: u32,
        fields: &[&[u8]],
        columns: &mut BTreeMap<SeriesId, Column>,
    ) -> Result<(), String> {
        let field = |at: usize| fields.get(at).copied().unwrap_or_default();
        let (found, width) = (fields.len(), self.width);
        let fits = match found == width {
            true => Ok(()),
            false => Err(format!("{found} columns where the first line has {width}")),
        };
        let cells = |at: usize| {
            let since = |at: usize| since(field(at));
            Ok((
                date(field(self.date))?,
                self.known_from.map_or(Ok(Since::Unknown), since)?,
                value(field(at))?,
            ))
        };
        let Some((name, at)) = self.tidy else {
            // A line of several series has nobody whose it is.
            let is_single = self.series.len() == 1 && self.known_from.is_some();
            if !is_single {
                fits.clone()?;
                date(field(self.date))?;
            }
            for (at, id) in &self.series {
                if let Some(column) = columns.get_mut(id) {
                    column.take(line, fits.clone().and_then(|()| cells(*at)));
                }
            }
            return Ok(());
        };
        if found <= name {
            return fits;
        }
        let id = identifier(field(name)).or_else(|problem| fits.clone().and(Err(problem)))?;
        if columns.len() >= MAX_SERIES && !columns.contains_key(&id) {
            return Err(format!("more than {MAX_SERIES} series"));
        }
        let column = columns.entry(id.clone()).or_insert_with(|| Column::new(id));
        column.take(line, fits.and_then(|()| cells(at)));
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

/// Reads a calendar day.
///
/// # Errors
/// Says what stands there and what was expected.
pub(super) fn date(field: &[u8]) -> Result<Date, String> {
    // The parser would take signs and blanks as well.
    let is_plain = |b: &u8| b.is_ascii_digit() || *b == b'-';
    let text = std::str::from_utf8(field).ok();
    text.filter(|text| text.len() == "2026-07-31".len() && field.iter().all(is_plain))
        .and_then(|text| Date::strptime("%Y-%m-%d", text).ok())
        .filter(|date| YEARS.contains(&date.year()))
        .ok_or_else(|| format!("{} is not a date like 2026-07-31", shown(field)))
}

/// Since when a figure is said to have been known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Since {
    /// Nobody says.
    Unknown,
    /// From that day on.
    Day(Date),
    /// It stood in the series at the end of that month (its first day) and not at the end of the one before.
    Month(Date),
}

/// Reads a day or a month (`2009-01`); an empty cell says nothing.
///
/// # Errors
/// Says what stands there and what was expected.
pub(super) fn since(field: &[u8]) -> Result<Since, String> {
    if field.is_empty() {
        return Ok(Since::Unknown);
    }
    let first = [field, b"-01"].concat();
    let month = date(&first).map(Since::Month);
    month.or_else(|_| date(field).map(Since::Day)).map_err(|_| {
        format!(
            "{} is not a day like 2026-07-31 or a month like 2026-07",
            shown(field)
        )
    })
}

/// Reads a finite number; `None` for a missing one: empty, `.`, `NaN`, `NA`.
///
/// # Errors
/// Says what stands there instead.
pub(super) fn value(field: &[u8]) -> Result<Option<f64>, String> {
    let missing = matches!(field, b"" | b".")
        || field.eq_ignore_ascii_case(b"nan")
        || field.eq_ignore_ascii_case(b"na");
    if missing {
        return Ok(None);
    }
    let read = std::str::from_utf8(field).ok().and_then(|t| t.parse().ok());
    match read {
        Some(number) if f64::is_finite(number) => Ok(Some(number)),
        Some(_) => Err(format!("{} is not a finite number", shown(field))),
        None => Err(format!("{} is not a number", shown(field))),
    }
}

fn shown(field: &[u8]) -> String {
    format!("\"{}\"", quote(&String::from_utf8_lossy(field)))
}

#[cfg(test)]
mod tests;
