//! Tables: the yield curve on some days, a release as its agency prints it, the states, what an amount became.
//!
//! Rows are series and columns days; of a release its newest figures, their changes and those of a year before. Which series
//! a table has stands in `data/tables.csv`, what it is called in `data/table_names.csv`.

use super::columns::{self, FIELD, NamedColumn};
use super::wording::{self, Wording};
use super::{Comparison, Params, Query};
use crate::conditions::EvaluationContext;
use crate::conditions::formulas::{self, NamedSeries, RequestedColumn};
use crate::prelude::*;
use econoscope_core::error::quote;
use econoscope_core::format::number;
use econoscope_core::indicators::expression::Column;
use econoscope_core::model::table;
use econoscope_desk::basis::Values;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The rows of each table: the item, then the formulas of its level, its change on the period and its change over the year.
static TABLES: LazyLock<Vec<[&str; 5]>> = LazyLock::new(|| {
    // A test reads every row.
    table::embedded(include_str!("../../../data/tables.csv")).collect()
});

/// Most days beside each other.
const MAX_DAYS: usize = 8;

/// The note that heads a table.
pub(super) const TITLE: &str = "table";

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SheetRow {
    /// What it is called there.
    pub item: String,
    /// Series or formula.
    pub series: String,
    /// Unit of its figures.
    pub unit: String,
    /// Unit of its changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_unit: Option<String>,
    /// The other columns: a figure, or in words why there is none.
    #[serde(flatten)]
    pub figures: Map<String, Value>,
}

impl SheetRow {
    /// Writes rows as CSV with a header.
    pub(super) fn csv(rows: &[Self]) -> String {
        let mut heads: Vec<&String> = Vec::new();
        for head in rows.iter().flat_map(|row| row.figures.keys()) {
            if !heads.contains(&head) {
                heads.push(head);
            }
        }
        let named = heads.iter().map(|head| table_cell(head));
        let mut text = format!("item,series,unit,{}", join(named, ","));
        for row in rows {
            let unit = match &row.change_unit {
                Some(change) if *change != row.unit => format!("{}; {change}", row.unit),
                Some(_) | None => row.unit.clone(),
            };
            let cell = |value: &Value| match (value.as_str(), value.as_f64()) {
                (None, Some(number)) => number.to_string(),
                (text, _) => table_cell(text.unwrap_or_default()),
            };
            let figures = heads
                .iter()
                .map(|head| row.figures.get(*head).map_or_else(String::new, cell));
            let names = [&row.item, &row.series, &unit].map(|text| table_cell(text));
            text += &format!("\n{},{}", names.join(","), join(figures, ","));
        }
        text
    }
}

/// A row with the columns that fill it.
struct Line {
    row: SheetRow,
    level: Column,
    /// Change on the period and over the year, of a release.
    changes: Vec<Option<Column>>,
}

/// The rows of an answer, and what is known of their figures.
struct Filled {
    lines: Vec<Line>,
    provenance: Provenance,
}

/// A figure, or why there is none.
type Found = std::result::Result<Observation, String>;

/// A request for a table.
pub(super) struct Sheet<'a> {
    params: &'a Params,
    wording: Wording,
    /// Item and formulas of each row.
    items: Vec<(String, Vec<String>)>,
    columns: Vec<RequestedColumn>,
}

impl<'a> Sheet<'a> {
    /// Reads a request; `None` for one of a range.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for days beside a range, and for what no formula can be.
    pub(super) fn read(desk: &Desk, params: &'a Params) -> Result<Option<Self>> {
        let has_range = params.start.is_some() || params.end.is_some();
        let is_counted =
            params.condition.is_some() || params.frequency.is_some() || params.correlations;
        let given: Vec<String> = match &params.dates {
            Some(dates) if has_range || is_counted => {
                let text = dates.join(", ");
                let problem = "cannot stand beside a range or what is counted over one";
                return Err(Error::invalid("dates", &text, problem, "days alone"));
            }
            Some(dates) => dates::join_split_dates(dates.iter().map(String::as_str)),
            // A range of one day asks for that day.
            None if params.start == params.end => params.start.iter().cloned().collect(),
            None => Vec::new(),
        };
        let is_every_row = params.max_points == Some(usize::MAX);
        if is_counted || is_every_row || has_range && given.is_empty() {
            return Ok(None);
        }
        let text = params.series.join(",");
        let named = wording::read(&text, !given.is_empty(), desk.today());
        let mut wording = match named.filter(|_| params.units.is_none()) {
            Some(wording) => wording,
            None if params.dates.is_none() => return Ok(None),
            None => Wording {
                title: "Figures".into(),
                ..Wording::default()
            },
        };
        if !given.is_empty() {
            wording.days = given;
        }
        let mut columns = Vec::new();
        let items = if wording.table.is_empty() {
            columns = super::requested_columns(desk, params)?;
            let item = |column: &RequestedColumn| (String::new(), vec![column.text.clone()]);
            columns.iter().map(item).collect()
        } else {
            let items = items(wording.table);
            for text in items.iter().flat_map(|(_, formulas)| formulas) {
                columns.extend(formulas::columns(desk, FIELD, text)?);
            }
            items
        };
        Ok(Some(Self {
            params,
            wording,
            items,
            columns,
        }))
    }

    /// Answers with the table.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for what is no day, or too many of them; those of the series.
    pub(super) fn answer(mut self, desk: &Desk) -> Result<Comparison> {
        let written = self.wording.known.take();
        if let (Some(given), Some(day)) = (&self.params.as_of, &written) {
            let problem = format!("stands beside {day} in the name");
            return Err(Error::invalid("as_of", given, &problem, "one of them"));
        }
        let given = self.params.as_of.as_deref().or(written.as_deref());
        let as_of = parse_as_of(desk, given)?;
        let days = self.days(newest(as_of, desk.today()), desk.today())?;
        let present = desk.reading_day(as_of);
        let start = days.iter().min().copied().unwrap_or(present);
        let end = days.iter().max().copied().unwrap_or(present);
        let wording = std::mem::take(&mut self.wording);
        let named = !wording.table.is_empty();
        let range = DateRange::new(start, end);
        let mut filled = self.compute(desk, named, as_of, range)?;
        let lines = &mut filled.lines;
        let provenance = &mut filled.provenance;
        let Some(lead) = lines.first().map(|line| Arc::clone(&line.level.series)) else {
            return Err(Error::no_data(columns::FIELD, "nothing can be computed"));
        };
        let known = provenance.knowledge.iter();
        let revised = known.filter(|basis| basis.values != Values::AsKnownThen);
        let ids = join(revised.flat_map(|basis| &basis.series), ", ");
        provenance.note("vintages", enclosed("as last revised: ", &ids, ""));
        if days.last().is_none_or(|day| *day >= present) {
            provenance.note_timeliness("latest", &lead, present);
        }
        if days.len() < 2 && lines.iter().any(|line| !line.changes.is_empty()) {
            let last = lead.observations.last().map_or(end, |one| one.date);
            // The newest print is asked for as "latest" or today, months after its period.
            let past = days.first().filter(|day| **day < present);
            let period = past.map_or(last, |day| lead.frequency().period_date(*day));
            fill_release(lines, lead.frequency(), period);
            provenance.note_doubt(lead.info.id.as_str(), period, present);
        } else {
            fill_days(lines, &days, wording.amount, provenance);
        }
        if wording.table == "states" {
            let rate = |line: &Line| line.row.figures.values().next().and_then(Value::as_f64);
            let rank = |line: &Line| rate(line).unwrap_or(f64::MIN);
            lines.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        }
        let amount = wording.amount.map(format_amount);
        let title = amount.map(|amount| format!("What {amount} became"));
        provenance.note(TITLE, title.unwrap_or(wording.title));
        Ok(Comparison {
            frequency: lead.frequency().word().into(),
            start,
            end,
            count: lines.len(),
            rows: lines.len(),
            table: filled.lines.into_iter().map(|line| line.row).collect(),
            attribution: desk.attribution(),
            provenance: filled.provenance,
            ..Comparison::default()
        })
    }

    /// Computes the columns of the rows, as known at `as_of`. What is not held is noted with its reason.
    ///
    /// # Errors
    /// The first reason, where nothing is held; those of the series.
    fn compute(self, desk: &Desk, is_named: bool, as_of: AsOf, range: DateRange) -> Result<Filled> {
        let trees = self.columns.iter().map(|column| &column.tree);
        let series = NamedSeries::fetch(desk, as_of, range, trees)?;
        let mut provenance = Provenance::new(desk, as_of, series.ids())?;
        if !is_named {
            series.note_names(desk, &self.columns, &mut provenance)?;
        }
        let query = Query {
            params: self.params,
            columns: self.columns,
            condition: None,
            context: EvaluationContext::new(series, None, range),
        };
        let computed = columns::compute(&query)?;
        let mut lines = Vec::new();
        let mut absent = Vec::new();
        for (item, formulas) in self.items {
            match line(item, &formulas, &computed.columns, self.params) {
                Some(line) => lines.push(line),
                None => absent.extend(formulas.first().map(|name| quote(name))),
            }
        }
        for (name, reason) in computed.missing {
            if lines.is_empty() {
                return Err(reason);
            }
            if absent.contains(&name) {
                provenance.note_missing(&name, &reason);
            }
        }
        Ok(Filled { lines, provenance })
    }

    /// Reads the days; of a curve the newest and that of a year before, unless any is given.
    fn days(&self, newest: Date, today: Date) -> Result<Vec<Date>> {
        let mut texts = self.wording.days.clone();
        let is_amount = self.wording.amount.is_some();
        let is_compared = Wording::is_of_days(self.wording.table);
        let is_now = |text: &String| ["now", "today", "latest"].contains(&text.as_str());
        if is_compared && texts.iter().all(is_now) {
            texts.splice(.., ["1y".to_owned()]);
        }
        if is_compared && (texts == ["1y"] || is_amount && texts.len() == 1) {
            texts.push("latest".into());
        }
        let most = if is_amount { 2 } else { MAX_DAYS };
        if texts.len() > most {
            let given = texts.join(", ");
            let allowed = format!("{most} days at most");
            return Err(Error::invalid("dates", &given, "are many", &allowed));
        }
        let day = |text: &String| match dates::read("dates", text, newest, today)? {
            day if day > today => {
                let problem = "lies in the future";
                Err(Error::invalid("dates", text, problem, "days up to today"))
            }
            _ if is_now(text) => Ok(newest),
            day if day > newest => {
                let allowed = format!("days up to {newest}");
                Err(Error::invalid("dates", text, "lies after as_of", &allowed))
            }
            day => Ok(day),
        };
        let mut days = texts.iter().map(day).collect::<Result<Vec<Date>>>()?;
        if !is_amount {
            days.sort_unstable();
        }
        Ok(days)
    }
}

/// Returns the rows of a table: the item, and its formulas.
fn items(name: &str) -> Vec<(String, Vec<String>)> {
    let own = TABLES.iter().filter(|[table, ..]| *table == name);
    let item = |&[_, item, level, change, year]: &[&str; 5]| {
        let formulas = [level, change, year].map(str::to_owned).into_iter();
        let given = formulas.filter(|formula| !formula.is_empty());
        (item.to_owned(), given.collect())
    };
    own.map(item).collect()
}

/// Returns a row whose level is held.
fn line(
    item: String,
    formulas: &[String],
    computed: &[NamedColumn],
    params: &Params,
) -> Option<Line> {
    let find = |text: &String| {
        let name = quote(text);
        computed.iter().find(|column| column.name == name)
    };
    let level = formulas.first().and_then(find)?;
    let others = formulas.iter().skip(1);
    let changes: Vec<Option<Column>> = others
        .map(|text| Some(find(text)?.column.clone()))
        .collect();
    let changed = changes.iter().flatten().next();
    let is_untrusted = level.series().info.is_untrusted;
    let title = level.title.clone().filter(|_| !is_untrusted);
    let own = title.unwrap_or_else(|| level.name.clone());
    let column = level.column.clone().transform(params.units());
    let row = SheetRow {
        item: if item.is_empty() { own } else { item },
        series: level.name.clone(),
        unit: column.unit.short.clone(),
        change_unit: changed.map(|c| c.unit.short.clone()),
        figures: Map::new(),
    };
    Some(Line {
        row,
        level: column,
        changes,
    })
}

/// Fills the rows with the figures of a period, with their changes, and with those of a year before.
fn fill_release(lines: &mut [Line], frequency: Frequency, period: Date) {
    let earlier = shift(period, (-1).year());
    let heads = [
        frequency.label(period),
        format!("on the {}", frequency.period_name()),
        frequency.label(earlier),
        "over the year".to_owned(),
    ];
    for line in lines {
        let change = |n: usize| {
            let column = line.changes.get(n).and_then(Option::as_ref);
            column.map_or_else(|| "not held".into(), |column| change_on(column, period))
        };
        let cells = [
            level_on(&line.level, period),
            change(0),
            level_on(&line.level, earlier),
            change(1),
        ];
        line.row.figures.extend(heads.iter().cloned().zip(cells));
    }
}

/// Returns the figure of a period, or why there is none.
fn level_on(column: &Column, date: Date) -> Value {
    let series = &column.series;
    match (series.value_on(date), newest_on(series, date, false)) {
        (Some(value), _) => column.round(value).into(),
        (None, Ok(one)) => format!("to {}", series.frequency().label(one.date)).into(),
        (None, Err(reason)) => reason.into(),
    }
}

/// Returns the change of a period with the decimals that agencies print; "none" stands beside a level that tells why.
fn change_on(column: &Column, date: Date) -> Value {
    let decimals = match column.unit.short.as_str() {
        "%" => 1,
        _ => column.series.info.decimals.into(),
    };
    let value = column.series.value_on(date);
    value.map_or_else(|| "none".into(), |value| round_to(value, decimals).into())
}

/// Fills the rows with the figures on some days, of two days with the change, and with what an amount became.
fn fill_days(lines: &mut [Line], days: &[Date], amount: Option<f64>, provenance: &mut Provenance) {
    let frequency = |line: &Line| line.level.series.frequency();
    let first = lines.first().map(frequency);
    let is_mixed = lines.iter().any(|line| Some(frequency(line)) != first);
    let mut heads: Vec<String> = Vec::new();
    let newest = days.iter().max();
    for day in days {
        let cell = |line: &Line| newest_on(&line.level.series, *day, Some(day) == newest);
        let cells: Vec<Found> = lines.iter().map(cell).collect();
        let last = cells.iter().flatten().map(|one| one.date).max();
        let own = first.zip(last).filter(|_| !is_mixed);
        let head = own.map_or(day.to_string(), |(frequency, last)| frequency.label(last));
        if heads.contains(&head) {
            continue;
        }
        let goes_on = |line: &Line| {
            let series = &line.level.series;
            series.up_to(*day).len() < series.observations.len()
        };
        let is_daily = first == Some(Frequency::Daily) && !is_mixed;
        if is_daily && head != day.to_string() && lines.iter().any(goes_on) {
            let note = format!("{day} had no trading, {head} stands for it");
            provenance.append_note("days", &note);
        }
        let mut by_label: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (line, cell) in lines.iter().zip(&cells) {
            let Ok(one) = cell else { continue };
            let id = line.level.series.info.id.as_str();
            if !provenance.notes.contains_key(id) {
                provenance.note_estimates(id, one.date, one.date);
            }
            if !is_mixed || frequency(line).period_end(one.date) < *day {
                let label = frequency(line).label(one.date);
                by_label.entry(label).or_default().push(&line.row.series);
            }
        }
        by_label.remove(&head);
        let others = by_label
            .iter()
            .map(|(label, series)| format!("{label} of {}", series.join(", ")));
        let under = format!("under {head} stand figures of another day: ");
        provenance.append_note("days", &enclosed(&under, &join(others, "; "), ""));
        for (line, cell) in lines.iter_mut().zip(cells) {
            let value = cell.map_or_else(Value::from, |one| line.level.round(one.value).into());
            line.row.figures.insert(head.clone(), value);
            line.row.change_unit = None;
        }
        heads.push(head);
    }
    if let [first, last] = heads.as_slice() {
        add_change(lines, [first, last], amount);
    }
}

/// Adds the change between two days; of an amount that in percent, and what the amount became.
fn add_change(lines: &mut [Line], days: [&String; 2], amount: Option<f64>) {
    for line in lines {
        let figures = &mut line.row.figures;
        let [before, after] = days.map(|day| figures.get(day).and_then(Value::as_f64));
        let Some((before, after)) = before.zip(after) else {
            continue;
        };
        let mut add = |head: &str, value: f64| figures.insert(head.to_owned(), value.into());
        if let Some(amount) = amount {
            add("change %", round_to(100.0 * (after / before - 1.0), 1));
            let became = format!("{} became", format_amount(amount));
            add(&became, round_to(amount * after / before, 2));
        } else {
            add("change", line.level.round(after - before));
        }
    }
}

fn format_amount(amount: f64) -> String {
    let decimals = if amount.fract() == 0.0 { 0 } else { 2 };
    format!("${}", number(amount, decimals))
}

/// Returns the newest figure up to a day, or why there is none: the series begins later, has a gap there, or had ended. The
/// newest day of all takes the newest figure there is.
fn newest_on(series: &Series, day: Date, is_newest: bool) -> Found {
    let frequency = series.frequency();
    let next = series.observations.get(series.up_to(day).len());
    match (series.last_on_or_before(day), next) {
        (Some(one), _) if frequency.period_end(one.date) >= day => Ok(one),
        (Some(one), Some(next)) if frequency.is_adjacent(one.date, next.date) => Ok(one),
        (Some(one), Some(next)) if frequency < Frequency::Monthly => {
            Err(format!("none between {} and {}", one.date, next.date))
        }
        (Some(one), None) if is_newest || series.fresh_observation(day).is_some() => Ok(one),
        (Some(one), None) => Err(format!("to {}", frequency.label(one.date))),
        (None, Some(next)) => Err(format!("begins {}", frequency.label(next.date))),
        (_, _) => Err("none".to_owned()),
    }
}
