//! Answers into figures: rows are found, chosen, dated and scaled, and refused where they break a promise.

use super::formats;
use super::shape::{
    Absent, Condition, Feed, Format, OnePerDate, Period, Request, SeriesRecipe, Split,
};
use crate::error::quote;
use crate::model::series_info::round_to;
use crate::model::{Date, Observation, SeriesId};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What came, by series: its figures by date, or why none of them may be used.
pub type Figures = BTreeMap<SeriesId, Result<Vec<Observation>, String>>;

/// The units of indexes that the source states on another base than its recipe expects, by series.
pub type Bases = BTreeMap<SeriesId, String>;

/// Reads the answers of a feed, one after the other.
#[derive(Debug)]
pub struct Reader<'a> {
    feed: &'a Feed,
    lines: Vec<&'a SeriesRecipe>,
    points: Vec<Result<Vec<Point>, String>>,
    dates: BTreeSet<Date>,
    rows: usize,
    bases: Bases,
    /// Fields that a row did not have, where that is allowed.
    absent: BTreeMap<SeriesId, String>,
}

impl<'a> Reader<'a> {
    /// A reader for some of the series of a feed.
    pub fn new(feed: &'a Feed, wanted: &[&'a SeriesRecipe]) -> Self {
        Self {
            feed,
            lines: wanted.to_vec(),
            points: wanted.iter().map(|_| Ok(Vec::new())).collect(),
            dates: BTreeSet::new(),
            rows: 0,
            bases: Bases::new(),
            absent: BTreeMap::new(),
        }
    }

    /// Takes an answer; where a further page is to be asked for, how many rows came so far.
    ///
    /// # Errors
    /// Says what makes the whole answer useless.
    pub fn take(&mut self, body: &[u8], ask: &Request) -> Result<Option<usize>, String> {
        if body.trim_ascii().is_empty() {
            return Err("it is empty".to_owned());
        }
        match self.feed.format {
            Format::Csv => self.csv(body, ask).map(|()| None),
            Format::Json | Format::Mts => self.json(body, ask),
            Format::BoardZip => {
                let archive = formats::board(body, &self.lines)?;
                for (place, problem) in archive.refused {
                    if let Some(points) = self.points.get_mut(place) {
                        *points = Err(problem);
                    }
                }
                for (place, base) in archive.bases {
                    if let Some(line) = self.lines.get(place) {
                        self.bases.insert(line.id.clone(), base);
                    }
                }
                self.named(archive.found)
            }
            Format::Bls => self.named(formats::bls(body, &self.lines)?),
            Format::BeaFlat => self.named(formats::bea_flat(body, &self.lines)?),
            Format::Claims => self.named(formats::claims(body, &self.lines)?),
        }
    }

    /// The bases that the answers stated and that were not expected.
    pub fn bases(&self) -> &Bases {
        &self.bases
    }

    /// The figures of all answers; `today` ends what is unfinished.
    ///
    /// # Errors
    /// Says which promise the answers break together.
    pub fn finish(self, today: Date) -> Result<Figures, String> {
        let mut gathered = BTreeMap::new();
        for (line, points) in self.lines.iter().zip(self.points) {
            let of = gathered.entry(line.id.clone());
            let (_, all) = of.or_insert((line.last_of, Vec::new()));
            all.push(points);
        }
        let mut figures = Figures::new();
        for (id, (period, points)) in gathered {
            let points: Result<Vec<Vec<Point>>, String> = points.into_iter().collect();
            let settled = points.and_then(|points| settle(self.feed, points));
            let settled = settled.map(|mut rows| {
                if self.feed.drop_last {
                    rows.retain(|row| row.date < today);
                }
                last_of(period, rows)
            });
            let settled = settled.and_then(|rows| match self.absent.get(&id) {
                Some(field) if rows.is_empty() => Err(format!("no row has a \"{field}\"")),
                _ => Ok(rows),
            });
            figures.insert(id, settled);
        }
        let Some(every) = &self.feed.every_date_of else {
            return Ok(figures);
        };
        let has: BTreeSet<Date> = match figures.get(every) {
            Some(Ok(rows)) => rows.iter().map(|row| row.date).collect(),
            _ => return Ok(figures),
        };
        match self.dates.difference(&has).next() {
            Some(day) => Err(format!("{day} has no {every}: the rows were renamed")),
            None => Ok(figures),
        }
    }

    fn csv(&mut self, body: &[u8], ask: &Request) -> Result<(), String> {
        let whole = String::from_utf8_lossy(body);
        let whole = whole.strip_prefix('\u{feff}').unwrap_or(&whole);
        let table = self.after_preamble(whole)?;
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(u8::try_from(self.feed.separator.unwrap_or(',')).unwrap_or(b','))
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(table.as_bytes());
        let names = reader.headers().map_err(|e| e.to_string())?;
        let width = names.len();
        let names = names.iter().map(str::to_owned);
        let names: HashMap<String, usize> = names.zip(0..).collect();
        self.columns(&names)?;
        let mut last = width;
        for record in reader.records() {
            let record = record.map_err(|e| e.to_string())?;
            last = record.len();
            let line = record.position().map_or(0, csv::Position::line);
            let cells = |name: &str| record.get(*names.get(name)?).map(Cow::Borrowed);
            self.row(&cells, ask)
                .map_err(|problem| format!("line {line}: {problem}"))?;
        }
        if last < width && !table.ends_with('\n') {
            return Err("it breaks off in its last line".to_owned());
        }
        Ok(())
    }

    /// What follows the preamble, once that says what it must.
    fn after_preamble<'t>(&self, whole: &'t str) -> Result<&'t str, String> {
        let Some(header) = &self.feed.skip_to else {
            return Ok(whole);
        };
        let at = whole.lines().position(|line| line.trim() == header);
        let at = at.ok_or_else(|| format!("the line \"{header}\" is missing"))?;
        let start = whole.split_inclusive('\n').take(at).map(str::len).sum();
        let (before, table) = whole.split_at(start);
        let says = |word: &&String| before.contains(word.as_str());
        if let Some(word) = self.feed.must.iter().find(|word| !says(word)) {
            return Err(format!("it no longer says \"{word}\""));
        }
        if let Some(word) = self.feed.must_not.iter().find(says) {
            return Err(format!("it says \"{word}\""));
        }
        Ok(table)
    }

    fn columns(&self, names: &HashMap<String, usize>) -> Result<(), String> {
        let is_strict = self.feed.absent == Absent::Refuse;
        let lines = self.lines.iter().filter(|_| is_strict);
        let mut needed = self.feed.header.iter().chain(lines.map(|line| &line.field));
        match needed.find(|name| !names.contains_key(name.as_str())) {
            Some(name) => Err(format!("the column \"{name}\" is missing")),
            None => Ok(()),
        }
    }

    fn json(&mut self, body: &[u8], ask: &Request) -> Result<Option<usize>, String> {
        let whole: Value =
            serde_json::from_slice(body).map_err(|e| format!("it is no JSON: {e}"))?;
        for Condition { field, is } in &self.feed.says {
            let want = is.replace("{series}", ask.key.as_deref().unwrap_or_default());
            let found = whole.pointer(field).map(text);
            if found.as_deref() != Some(want.as_str()) {
                let found = quote(&found.unwrap_or_default());
                return Err(format!(
                    "{field} is \"{found}\" where \"{want}\" was expected"
                ));
            }
        }
        let rows = self.feed.rows.as_str();
        let list = match rows.strip_suffix("/*") {
            // Named by the source as it likes: the first list there is.
            Some(above) => {
                let inside = whole.pointer(above).and_then(Value::as_object);
                inside.and_then(|all| all.values().find_map(Value::as_array))
            }
            None => whole.pointer(rows).and_then(Value::as_array),
        };
        let Some(list) = list else {
            let said = quote(&whole.to_string());
            return Err(format!("it holds no rows at {}: {said}", self.feed.rows));
        };
        if self.feed.format == Format::Mts {
            self.statement(list)?;
        } else {
            for row in list {
                self.entry(row, ask)?;
            }
        }
        self.rows += list.len();
        self.more(&whole, list.is_empty())
    }

    /// One entry of a JSON list, in parts where the recipe says so.
    fn entry(&mut self, row: &Value, ask: &Request) -> Result<(), String> {
        let feed = self.feed;
        if let Value::Array(list) = row {
            let at = |name: &str| feed.columns.iter().position(|column| column == name);
            return self.row(&|name| list.get(at(name)?).map(text), ask);
        }
        let Some(pointer) = &feed.expand else {
            return self.row(&|name| cell(row, name).map(text), ask);
        };
        let parts = row.pointer(pointer).and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            let either = |name: &str| cell(part, name).or_else(|| cell(row, name));
            self.row(&|name| either(name).map(text), ask)?;
        }
        Ok(())
    }

    fn more(&self, whole: &Value, is_empty: bool) -> Result<Option<usize>, String> {
        let Some(Split::Page { next, total, .. }) = &self.feed.split else {
            return Ok(None);
        };
        let total = whole.pointer(total).map(text);
        let total = total.and_then(|n| n.parse::<usize>().ok());
        let total = total.ok_or("it does not say how many rows there are")?;
        let goes_on = match next {
            Some(next) => whole.pointer(next).is_some_and(|next| !next.is_null()),
            None => self.rows < total,
        };
        match (goes_on, self.rows == total) {
            (true, _) if !is_empty => Ok(Some(self.rows)),
            (false, true) => Ok(None),
            _ => Err(format!(
                "{} rows came where {total} were announced",
                self.rows
            )),
        }
    }

    fn row(&mut self, cells: Cells<'_>, ask: &Request) -> Result<(), String> {
        if !holds(&self.feed.only, cells) {
            return Ok(());
        }
        let form = self.feed.date.as_ref().ok_or("the recipe has no date")?;
        let date = form.read(cells)?;
        self.dates.insert(date);
        for (line, points) in self.lines.iter().zip(&mut self.points) {
            let is_asked = ask.key.as_ref().is_none_or(|key| line.key == *key);
            if !is_asked || !holds(&line.only, cells) {
                continue;
            }
            let Some(cell) = cells(&line.field) else {
                if self.feed.absent == Absent::Refuse {
                    return Err(format!("there is no \"{}\"", line.field));
                }
                self.absent
                    .entry(line.id.clone())
                    .or_insert_with(|| line.field.clone());
                continue;
            };
            let rank = match &self.feed.one_per_date {
                Some(OnePerDate::Greatest { field }) => {
                    cells(field).unwrap_or_default().into_owned()
                }
                Some(OnePerDate::Sum) | None => String::new(),
            };
            note(points, (self.feed, line), (date, rank), &cell);
        }
        Ok(())
    }

    /// Figures of a format of its own, by the place of their line.
    fn named(&mut self, found: Vec<Found>) -> Result<Option<usize>, String> {
        let stamp = self.feed.date.as_ref().and_then(|form| form.stamp);
        for (place, date, cell) in found {
            let date = stamp.map_or(date, |period| period.stamp(date));
            let (line, points) = (self.lines.get(place), self.points.get_mut(place));
            if let Some((line, points)) = line.zip(points) {
                note(points, (self.feed, line), (date, String::new()), &cell);
            }
        }
        Ok(None)
    }

    fn statement(&mut self, list: &[Value]) -> Result<(), String> {
        for (line, points) in self.lines.iter().zip(&mut self.points) {
            for (date, rank, cell) in formats::treasury_months(list, &line.field)? {
                note(points, (self.feed, line), (date, rank), &cell);
            }
        }
        Ok(())
    }
}

/// A figure before its series is settled.
#[derive(Debug, Clone)]
struct Point {
    date: Date,
    value: f64,
    /// What decides among several of a date.
    rank: String,
}

fn holds(conditions: &[Condition], cells: Cells<'_>) -> bool {
    let met = |c: &Condition| cells(&c.field).is_some_and(|cell| cell == c.is.as_str());
    conditions.iter().all(met)
}

/// Takes a figure of a date, or the first thing that is wrong with its series; `rank` decides among several.
fn note(
    points: &mut Result<Vec<Point>, String>,
    (feed, line): (&Feed, &SeriesRecipe),
    (date, rank): (Date, String),
    cell: &str,
) {
    let Ok(all) = points else { return };
    match figure(feed, line, date, cell) {
        Ok(value) => all.extend(value.map(|value| Point { date, value, rank })),
        Err(problem) => *points = Err(problem),
    }
}

/// The figure in a cell, in the catalogue's unit; `None` when it is missing or before its time.
fn figure(feed: &Feed, line: &SeriesRecipe, date: Date, cell: &str) -> Result<Option<f64>, String> {
    let cell = cell.trim();
    if feed.missing.iter().any(|word| word == cell) || line.from.is_some_and(|from| date < from) {
        return Ok(None);
    }
    // Thousands go; a comma that is decimal becomes a point.
    let plain = match feed.decimal_comma {
        true => cell.replace(['.', ' ', '\u{a0}'], "").replace(',', "."),
        false => cell.replace(',', ""),
    };
    let read = plain.parse::<f64>().ok().filter(|value| value.is_finite());
    let value = read.ok_or_else(|| {
        let word = quote(cell);
        format!("\"{word}\" for {date} is not a number; a word for missing belongs into the feed's `missing`")
    })?;
    // A power of ten below one is no double; its inverse is.
    let value = match line.scale.abs() < 1.0 {
        true => value / (1.0 / line.scale).round(),
        false => value * line.scale,
    };
    let value = line
        .decimals
        .map_or(value, |n| round_to(value, i32::from(n)));
    let (min, max) = (line.min.unwrap_or(f64::MIN), line.max.unwrap_or(f64::MAX));
    if value < min || value > max {
        return Err(format!("{value} for {date} lies outside {min} to {max}"));
    }
    Ok(Some(value))
}

/// One figure a date, ascending.
fn settle(feed: &Feed, points: Vec<Vec<Point>>) -> Result<Vec<Observation>, String> {
    let mut points: Vec<Point> = points.into_iter().flatten().collect();
    points.sort_by(|a, b| (a.date, &a.rank).cmp(&(b.date, &b.rank)));
    let mut rows: Vec<Observation> = Vec::with_capacity(points.len());
    for point in points {
        match (
            rows.last_mut().filter(|row| row.date == point.date),
            &feed.one_per_date,
        ) {
            (None, _) => rows.push(Observation::new(point.date, point.value)),
            // The greatest comes last.
            (Some(row), Some(OnePerDate::Greatest { .. })) => row.value = point.value,
            (Some(row), Some(OnePerDate::Sum)) => row.value += point.value,
            (Some(row), None) if row.value == point.value => {}
            (Some(row), None) => {
                let (date, a, b) = (row.date, row.value, point.value);
                return Err(format!("two values for {date}, {a} and {b}"));
            }
        }
    }
    Ok(rows)
}

/// The last figure of each period that is over, stamped with its first day.
fn last_of(period: Option<Period>, rows: Vec<Observation>) -> Vec<Observation> {
    let Some(period) = period else {
        return rows;
    };
    let same = |a: &Observation, b: &Observation| period.stamp(a.date) == period.stamp(b.date);
    let lasts = rows.chunk_by(same).filter_map(<[Observation]>::last);
    let mut out: Vec<Observation> = lasts
        .map(|row| Observation::new(period.stamp(row.date), row.value))
        .collect();
    out.pop();
    out
}

/// What a format of its own gives: the place of the line among those asked for, a date, and the cell.
pub(super) type Found = (usize, Date, String);

/// A row: the text of a cell; `None` where there is no such cell. JSON's null is the empty text.
pub(super) type Cells<'a> = &'a dyn Fn(&str) -> Option<Cow<'a, str>>;

/// The cell of a JSON object, by its key or by a pointer to it.
fn cell<'a>(object: &'a Value, field: &str) -> Option<&'a Value> {
    match field.starts_with('/') {
        true => object.pointer(field),
        false => object.get(field),
    }
}

/// A JSON value as a cell.
pub(super) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text.trim()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Cow::Owned(value.to_string())
        }
    }
}
