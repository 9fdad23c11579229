//! Turns responses into observations: finds, filters, dates and scales rows, and refuses responses that break the recipe.

use super::formats;
use super::shape::{
    Condition, Feed, Format, MissingField, OnePerDate, Quota, Request, SeriesRecipe, Split,
};
use crate::error::quote;
use crate::model::series_info::round_to;
use crate::model::{Date, Frequency, Observation, SeriesId};
use roxmltree::{Document, Node};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The observations of each series, ascending, or why the series is refused.
pub type Figures = BTreeMap<SeriesId, Result<Vec<Observation>, String>>;

/// The units of indexes that the source states on another base than the recipe expects, by series.
pub type Bases = BTreeMap<SeriesId, String>;

/// Reads the responses of a feed, one after the other.
#[derive(Debug)]
pub struct Reader<'a> {
    feed: &'a Feed,
    /// The series that are read, each with its points.
    columns: Vec<Column<'a>>,
    dates: BTreeSet<Date>,
    row_count: usize,
    bases: Bases,
    /// Optional fields that a row lacked.
    missing_fields: BTreeMap<SeriesId, String>,
}

impl<'a> Reader<'a> {
    /// Creates a reader for some of the series of a feed.
    pub fn new(feed: &'a Feed, series: &[&'a SeriesRecipe]) -> Self {
        let column = |series: &&'a SeriesRecipe| Column {
            series,
            points: Ok(Vec::new()),
        };
        Self {
            feed,
            columns: series.iter().map(column).collect(),
            dates: BTreeSet::new(),
            row_count: 0,
            bases: Bases::new(),
            missing_fields: BTreeMap::new(),
        }
    }

    /// Reads a response. Returns the number of rows read so far if a further page has to be requested.
    ///
    /// # Errors
    /// Says why the whole response is unusable.
    pub fn read(&mut self, body: &[u8], request: &Request) -> Result<Option<usize>, String> {
        if body.trim_ascii().is_empty() {
            return Err("the response is empty".to_owned());
        }
        let read = match self.feed.format {
            Format::Csv => return self.read_csv(body, request).map(|()| None),
            Format::Xml => return self.read_xml(body, request).map(|()| None),
            Format::Json | Format::Mts => return self.read_json(body, request),
            Format::BoardZip => formats::read_board_zip,
            Format::Bls => formats::read_bls,
            Format::BeaFlat => formats::read_bea_flat,
        };
        let series: Vec<_> = self.columns.iter().map(|column| column.series).collect();
        let response = read(body, &series)?;
        for (index, problem) in response.refused {
            if let Some(column) = self.columns.get_mut(index) {
                column.points = Err(problem);
            }
        }
        self.bases.extend(response.bases);
        let period = self.feed.date.as_ref().and_then(|form| form.stamp);
        for (index, date, cell) in response.cells {
            let date = period.map_or(date, |period| period.period_date(date));
            if let Some(column) = self.columns.get_mut(index) {
                column.add(self.feed, date, String::new(), &cell);
            }
        }
        Ok(None)
    }

    /// The index bases that the responses stated and the recipe did not expect.
    pub fn bases(&self) -> &Bases {
        &self.bases
    }

    /// Returns the figures of all responses. A feed with `drop_last` loses its rows from `today` on.
    ///
    /// # Errors
    /// Says which rule of the recipe the responses break together.
    pub fn finish(self, today: Date) -> Result<Figures, String> {
        let mut points_by_series = BTreeMap::new();
        for Column { series, points } in self.columns {
            let entry = points_by_series.entry(series.id.clone());
            entry.or_insert((series.last_of, Vec::new())).1.push(points);
        }
        let mut figures = Figures::new();
        for (id, (period, points)) in points_by_series {
            let last_rows = |mut rows: Vec<Observation>| {
                if self.feed.drop_last {
                    rows.retain(|row| row.date < today);
                }
                match (last_of_each(period, rows), self.missing_fields.get(&id)) {
                    (rows, Some(field)) if rows.is_empty() => {
                        Err(format!("no row has a \"{field}\""))
                    }
                    (rows, _) => Ok(rows),
                }
            };
            let rows = (points.into_iter().collect::<Result<Vec<_>, String>>())
                .and_then(|points| merge_points(self.feed, points))
                .and_then(last_rows);
            figures.insert(id, rows);
        }
        if let Some(complete) = &self.feed.every_date_of
            && let Some(Ok(rows)) = figures.get(complete)
        {
            let dates: BTreeSet<Date> = rows.iter().map(|row| row.date).collect();
            if let Some(day) = self.dates.difference(&dates).next() {
                return Err(format!(
                    "{day} has no figure of {complete}; the source may have renamed its rows"
                ));
            }
        }
        Ok(figures)
    }

    fn read_csv(&mut self, body: &[u8], request: &Request) -> Result<(), String> {
        let text = String::from_utf8_lossy(body);
        let table = self.skip_preamble(text.strip_prefix('\u{feff}').unwrap_or(&text))?;
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(u8::try_from(self.feed.separator.unwrap_or(',')).unwrap_or(b','))
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(table.as_bytes());
        let header = reader.headers().map_err(|e| e.to_string())?.clone();
        let columns: HashMap<&str, usize> = header.iter().zip(0..).collect();
        let is_strict = self.feed.missing_field == MissingField::Refuse;
        let columns_read = self.columns.iter().filter(|_| is_strict);
        let fields = columns_read.map(|column| &column.series.field);
        let mut required = self.feed.header.iter().chain(fields);
        if let Some(name) = required.find(|name| !columns.contains_key(name.as_str())) {
            return Err(format!("the column \"{name}\" is missing"));
        }
        let mut width = header.len();
        for result in reader.records() {
            let record = result.map_err(|e| e.to_string())?;
            width = record.len();
            let line = record.position().map_or(0, csv::Position::line);
            let lookup = |name: &str| record.get(*columns.get(name)?).map(Cow::Borrowed);
            self.read_row(&lookup, request)
                .map_err(|problem| format!("line {line}: {problem}"))?;
        }
        if width < header.len() && !table.ends_with('\n') {
            return Err("the response ends within its last line".to_owned());
        }
        Ok(())
    }

    fn read_xml(&mut self, body: &[u8], request: &Request) -> Result<(), String> {
        let text = String::from_utf8_lossy(body);
        let document = Document::parse(&text).map_err(|e| format!("invalid XML: {e}"))?;
        let name = self.feed.rows.as_str();
        let elements = document.root_element().children();
        for row in elements.filter(|node| node.has_tag_name(name)) {
            let lookup = |path: &str| {
                let node = path.split('/').try_fold(row, child)?;
                Some(Cow::Borrowed(node.text().unwrap_or_default().trim()))
            };
            self.read_row(&lookup, request)?;
            self.row_count += 1;
        }
        if self.row_count == 0 {
            return Err(format!("the response has no row \"{name}\""));
        }
        Ok(())
    }

    /// Checks the preamble and returns the text after it.
    fn skip_preamble<'t>(&self, text: &'t str) -> Result<&'t str, String> {
        let Some(header) = &self.feed.skip_to else {
            return Ok(text);
        };
        let found = text.lines().position(|line| line.trim() == header);
        let line = found.ok_or_else(|| format!("the line \"{header}\" is missing"))?;
        let start = text.split_inclusive('\n').take(line).map(str::len).sum();
        let (preamble, table) = text.split_at(start);
        let is_present = |word: &&String| preamble.contains(word.as_str());
        let mut required = self.feed.required_words.iter();
        if let Some(word) = required.find(|word| !is_present(word)) {
            return Err(format!("the text before the header lacks \"{word}\""));
        }
        if let Some(word) = self.feed.forbidden_words.iter().find(is_present) {
            return Err(format!("the text before the header contains \"{word}\""));
        }
        Ok(table)
    }

    fn read_json(&mut self, body: &[u8], request: &Request) -> Result<Option<usize>, String> {
        let document: Value =
            serde_json::from_slice(body).map_err(|e| format!("invalid JSON: {e}"))?;
        for Condition { field, is } in &self.feed.required_values {
            let expected = is.replace("{series}", request.key.as_deref().unwrap_or_default());
            let actual = document.pointer(field).map(cell_text);
            if actual.as_deref() != Some(expected.as_str()) {
                let actual = quote(&actual.unwrap_or_default());
                return Err(format!("{field} is \"{actual}\"; expected \"{expected}\""));
            }
        }
        let pointer = self.feed.rows.as_str();
        let rows = match pointer.strip_suffix("/*") {
            // The source chooses the name of the list, so take the first one.
            Some(parent) => document.pointer(parent).and_then(|parent| {
                let mut members = parent.as_object()?.values();
                members.find_map(Value::as_array)
            }),
            None => document.pointer(pointer).and_then(Value::as_array),
        }
        .ok_or_else(|| {
            let text = quote(&document.to_string());
            format!("no rows at {pointer}: {text}")
        })?;
        if self.feed.format == Format::Mts {
            for column in &mut self.columns {
                let months = formats::read_treasury_months(rows, &column.series.field)?;
                for (date, rank, cell) in months {
                    column.add(self.feed, date, rank, &cell);
                }
            }
        } else {
            for row in rows {
                self.read_json_row(row, request)?;
            }
        }
        self.row_count += rows.len();
        self.next_page(&document, rows.is_empty())
    }

    /// Reads one entry of a JSON list, or each entry of the list in it that `expand` points to.
    fn read_json_row(&mut self, row: &Value, request: &Request) -> Result<(), String> {
        let feed = self.feed;
        if let Value::Array(cells) = row {
            let index = |name: &str| feed.columns.iter().position(|column| column == name);
            return self.read_row(&|name| cells.get(index(name)?).map(cell_text), request);
        }
        let Some(pointer) = &feed.expand else {
            return self.read_row(&|name| member(row, name).map(cell_text), request);
        };
        let parts = row.pointer(pointer).and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            let lookup = |name: &str| member(part, name).or_else(|| member(row, name));
            self.read_row(&|name| lookup(name).map(cell_text), request)?;
        }
        Ok(())
    }

    /// Returns the number of rows read so far if the response announces a further page.
    fn next_page(&self, document: &Value, is_empty: bool) -> Result<Option<usize>, String> {
        let Some(Split::Page { next, total, .. }) = &self.feed.split else {
            return Ok(None);
        };
        let announced = document.pointer(total).map(cell_text);
        let total = (announced.and_then(|n| n.parse::<usize>().ok()))
            .ok_or("the total number of rows is missing")?;
        let has_more = match next {
            Some(next) => document.pointer(next).is_some_and(|next| !next.is_null()),
            None => self.row_count < total,
        };
        match (has_more, self.row_count) {
            (true, count) if !is_empty => Ok(Some(count)),
            (false, count) if count == total => Ok(None),
            (_, count) => Err(format!(
                "{count} rows were received, but the response announces {total}"
            )),
        }
    }

    fn read_row(&mut self, lookup: CellLookup<'_>, request: &Request) -> Result<(), String> {
        if !are_met(&self.feed.conditions, lookup) {
            return Ok(());
        }
        let form = self.feed.date.as_ref().ok_or("the recipe has no date")?;
        let date = form.read_date(lookup)?;
        self.dates.insert(date);
        for column in &mut self.columns {
            let series = column.series;
            let is_requested = request.key.as_ref().is_none_or(|key| series.key == *key);
            if !is_requested || !are_met(&series.conditions, lookup) {
                continue;
            }
            let Some(cell) = lookup(&series.field) else {
                if self.feed.missing_field == MissingField::Refuse {
                    return Err(format!("the field \"{}\" is missing", series.field));
                }
                let entry = self.missing_fields.entry(series.id.clone());
                entry.or_insert_with(|| series.field.clone());
                continue;
            };
            let rank = match &self.feed.one_per_date {
                Some(OnePerDate::Greatest { field }) => {
                    lookup(field).unwrap_or_default().into_owned()
                }
                Some(OnePerDate::Sum) | None => String::new(),
            };
            column.add(self.feed, date, rank, &cell);
        }
        Ok(())
    }
}

impl Quota {
    /// Returns whether a response says that the day's requests are used up.
    pub fn is_exhausted(&self, body: &[u8]) -> bool {
        serde_json::from_slice(body).is_ok_and(|document: Value| {
            let lookup = |pointer: &str| document.pointer(pointer).map(cell_text);
            let message = lookup(&self.message).unwrap_or_default();
            let mut words = self.words.iter();
            words.any(|word| message.contains(word.as_str())) && are_met(&self.conditions, &lookup)
        })
    }
}

/// A figure before the points of its series are merged.
#[derive(Debug, Clone)]
struct Point {
    date: Date,
    value: f64,
    /// Decides which of several points of a date counts.
    rank: String,
}

fn are_met(conditions: &[Condition], lookup: CellLookup<'_>) -> bool {
    let is_met = |c: &Condition| lookup(&c.field).is_some_and(|cell| cell == c.is.as_str());
    conditions.iter().all(is_met)
}

/// A series with its points, or with what is wrong with a figure of it.
#[derive(Debug)]
struct Column<'a> {
    series: &'a SeriesRecipe,
    points: Result<Vec<Point>, String>,
}

impl Column<'_> {
    /// Adds the figure of a cell, unless one before it was wrong.
    fn add(&mut self, feed: &Feed, date: Date, rank: String, cell: &str) {
        let Ok(points) = &mut self.points else { return };
        match parse_figure(feed, self.series, date, cell) {
            Ok(value) => points.extend(value.map(|value| Point { date, value, rank })),
            Err(problem) => self.points = Err(problem),
        }
    }
}

/// Returns the figure in a cell in the catalogue's unit; `None` if it is missing or before the series' first date.
fn parse_figure(
    feed: &Feed,
    series: &SeriesRecipe,
    date: Date,
    text: &str,
) -> Result<Option<f64>, String> {
    let cell = text.trim();
    if feed.missing.iter().any(|word| word == cell) || series.from.is_some_and(|from| date < from) {
        return Ok(None);
    }
    let digits = if feed.decimal_comma {
        cell.replace(['.', ' ', '\u{a0}'], "").replace(',', ".")
    } else {
        cell.replace(',', "")
    };
    let number = digits.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
        let word = quote(cell);
        format!("\"{word}\" for {date} is not a number; if it marks a missing figure, add it to `missing` of the feed")
    })?;
    if feed.missing.iter().any(|word| word.parse() == Ok(number)) {
        return Ok(None);
    }
    // A power of ten below one is not exact in binary; its inverse is.
    let scale = series.scale.unwrap_or(1.0);
    let value = if scale.abs() < 1.0 {
        number / (1.0 / scale).round()
    } else {
        number * scale
    };
    let decimals = series.decimals.map(i32::from);
    let value = decimals.map_or(value, |n| round_to(value, n));
    let is_outside =
        series.min.is_some_and(|min| value < min) || series.max.is_some_and(|max| value > max);
    if is_outside {
        let bounds = match (series.min, series.max) {
            (Some(min), Some(max)) => format!("{} to {}", short(min), short(max)),
            (min, max) => {
                let side = if min.is_some() { "more" } else { "less" };
                format!("{} or {side}", short(min.or(max).unwrap_or_default()))
            }
        };
        let figure = short(value);
        return Err(format!("{figure} for {date} is outside {bounds}"));
    }
    Ok(Some(value))
}

/// Returns a number in some twenty characters at most, with an exponent where it is very large or small.
fn short(number: f64) -> String {
    if number == 0.0 || (1e-6..1e15).contains(&number.abs()) {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

/// Returns one observation per date, ascending, by the feed's rule for several of one date.
fn merge_points(feed: &Feed, lists: Vec<Vec<Point>>) -> Result<Vec<Observation>, String> {
    let mut points: Vec<Point> = lists.into_iter().flatten().collect();
    points.sort_by(|a, b| (a.date, &a.rank).cmp(&(b.date, &b.rank)));
    let mut rows: Vec<Observation> = Vec::with_capacity(points.len());
    for Point { date, value, .. } in points {
        let previous = rows.last_mut().filter(|row| row.date == date);
        match (previous, &feed.one_per_date) {
            (None, _) => rows.push(Observation::new(date, value)),
            // Points of a date are sorted by rank, so the greatest comes last.
            (Some(row), Some(OnePerDate::Greatest { .. })) => row.value = value,
            (Some(row), Some(OnePerDate::Sum)) => row.value += value,
            (Some(row), None) if row.value == value => {}
            (Some(row), None) => {
                let other = row.value;
                return Err(format!("two values for {date}, {other} and {value}"));
            }
        }
    }
    Ok(rows)
}

/// Returns the last figure of each completed period, dated with the period's first day.
fn last_of_each(period: Option<Frequency>, rows: Vec<Observation>) -> Vec<Observation> {
    let Some(period) = period else {
        return rows;
    };
    let is_same =
        |a: &Observation, b: &Observation| period.period_date(a.date) == period.period_date(b.date);
    let last_rows = rows.chunk_by(is_same).filter_map(<[Observation]>::last);
    let mut stamped: Vec<Observation> = last_rows
        .map(|row| Observation::new(period.period_date(row.date), row.value))
        .collect();
    // The newest period may not be over.
    stamped.pop();
    stamped
}

/// A figure read from a format of one agency: the index of its series, its date and the text of its cell.
pub(super) type Cell = (usize, Date, String);

/// Returns the text of a row's cell by name; `None` if the row has no such cell. JSON's null is the empty text.
pub(super) type CellLookup<'a> = &'a dyn Fn(&str) -> Option<Cow<'a, str>>;

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children()
        .find(|child| child.tag_name().name() == name)
}

/// Returns the member of a JSON object by its key or by a pointer to it.
fn member<'a>(object: &'a Value, field: &str) -> Option<&'a Value> {
    if field.starts_with('/') {
        object.pointer(field)
    } else {
        object.get(field)
    }
}

/// Returns a JSON value as the text of a cell.
pub(super) fn cell_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text.trim()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Cow::Owned(value.to_string())
        }
    }
}
