//! Since when, how often, how long: a condition counted over all figures of a range, never over thinned rows.

use super::formulas::{self, NamedSeries};
use crate::endpoints::prelude::*;
use econoscope_core::error::quote;
use econoscope_core::indicators::condition::{Streak, tally};
use econoscope_core::indicators::expression::{
    Column, Evaluation, Expr, Fault, Function, Op, Price, Scope,
};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::indicators::statistics;
use econoscope_core::model::frequency::days_later;
use econoscope_core::model::{Frequency, Observation};
use std::collections::BTreeMap;
use std::sync::Arc;

const FIELD: &str = "condition";
const EXAMPLES: &str =
    "a comparison: >= 0.5, T10Y2Y < 0, or FEDFUNDS > yoy(CPILFESL) (macro://formulas)";

/// The last change of a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Crossing {
    /// First observation after it.
    pub date: Date,
    /// up or down through what it is compared with; into or out of the condition where it is not one comparison.
    pub direction: String,
    /// Whether the condition is met since.
    pub met: bool,
}

/// A condition over every observation of the range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConditionFigures {
    /// As asked for.
    pub condition: String,
    /// What it is about where it names nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// How often it is judged.
    pub frequency: String,
    /// Observations judged.
    pub count: usize,
    /// Of them, those that meet it.
    pub met: usize,
    /// The same in percent.
    pub share: Option<f64>,
    /// First that meets it.
    pub first: Option<Date>,
    /// Last that meets it.
    pub last: Option<Date>,
    /// What it compares, as it was at that last date.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub last_values: BTreeMap<String, f64>,
    /// Longest run; the oldest of equal ones.
    pub longest: Option<Streak>,
    /// Run up to the last observation.
    pub current: Option<Streak>,
    /// Last change.
    pub crossing: Option<Crossing>,
}

/// What formulas and conditions are computed in.
pub(super) struct Setting {
    /// The series they name.
    pub(super) known: NamedSeries,
    /// How finer figures become coarser.
    pub(super) how: Aggregation,
    /// Frequency asked for.
    pub(super) frequency: Option<Frequency>,
    /// First and last day.
    pub(super) days: (Date, Date),
}

/// A condition as it was asked for.
pub(super) struct Condition {
    text: String,
    /// Its tree.
    pub(super) tree: Expr,
}

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for what is no formula or compares nothing.
    pub(super) fn read(text: &str) -> Result<Self> {
        let tree = formulas::tree(FIELD, text)?;
        if !tree.compares() {
            return Err(Error::invalid(FIELD, text, "compares nothing", EXAMPLES));
        }
        let text = text.trim().to_owned();
        Ok(Self { text, tree })
    }

    /// The same, of which a side that is nothing but one of these names is the series as it is asked for.
    pub(super) fn about(self, is_subject: &dyn Fn(&str) -> bool) -> Self {
        Self {
            tree: self.tree.about(is_subject),
            ..self
        }
    }

    /// Steps it takes, where what it is about has so many rows.
    pub(super) fn steps(&self, known: &NamedSeries, rows: usize) -> usize {
        let length = |name: &str| match name {
            "" => rows,
            name => known.rows(name),
        };
        let mut price = Price::new(&length);
        // Counted, run by run; its sides brought to one frequency again for their last values.
        let judged = price.add(&self.tree);
        price.steps() + 8 * judged
    }

    /// Counts it over the range; of a column where it names nothing.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for units that cannot be compared and for what takes too long.
    pub(super) fn figures(
        &self,
        of: Option<(&str, Column)>,
        setting: &Setting,
    ) -> Result<ConditionFigures> {
        let (name, subject) = of.filter(|_| self.tree.has_subject()).unzip();
        let (start, end) = setting.days;
        self.judged(subject, setting, setting.frequency, |evaluation, column| {
            let frequency = column.series.frequency();
            let found = tally(column.series.between(start, end), frequency);
            let mut last_values = BTreeMap::new();
            for side in found.last.into_iter().flat_map(|_| self.tree.sides()) {
                let column = evaluation.side(side);
                let column = column.map_err(|fault| self.refused(&fault))?;
                let value = found.last.and_then(|last| value_at(&column, last));
                let of = match side {
                    Expr::Subject { .. } => name.unwrap_or_default().to_owned(),
                    Expr::Number(_) | Expr::Name { .. } | Expr::Call(..) => {
                        side.in_words(&str::to_owned)
                    }
                };
                last_values.extend(value.map(|value| (quote(&of), value)));
            }
            let share = 100.0 * statistics::count(found.met) / statistics::count(found.count);
            Ok(ConditionFigures {
                condition: quote(&self.text),
                of: name.map(quote),
                frequency: frequency.word().into(),
                count: found.count,
                met: found.met,
                share: share.is_finite().then(|| round_to(share, 2)),
                first: found.first,
                last: found.last,
                last_values,
                longest: found.longest,
                current: found.current,
                crossing: found.crossing.map(|(date, met)| self.crossing(date, met)),
            })
        })
    }

    /// Reads something off what is true or false for each observation that it is judged on, at a frequency or the coarser
    /// one of its series.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for units that cannot be compared and for what takes too long.
    pub(super) fn judged<T>(
        &self,
        subject: Option<Column>,
        setting: &Setting,
        frequency: Option<Frequency>,
        read: impl FnOnce(&mut Evaluation<'_>, Column) -> Result<T>,
    ) -> Result<T> {
        let rows = subject.as_ref().map_or(0, |c| c.series.observations.len());
        formulas::affordable(FIELD, &self.text, self.steps(&setting.known, rows))?;
        let series = |name: &str| setting.known.get(name);
        let mut evaluation = Evaluation::new(Scope {
            series: &series,
            subject,
            start: setting.days.0,
            how: setting.how,
            frequency,
        });
        let column = evaluation.column(&self.tree);
        let column = column.map_err(|fault| self.refused(&fault))?;
        if !column.unit.is_truth() {
            let problem = "is neither true nor false";
            return Err(Error::invalid(FIELD, &self.text, problem, EXAMPLES));
        }
        read(&mut evaluation, column)
    }

    fn refused(&self, fault: &Fault) -> Error {
        formulas::refused(FIELD, &self.text, fault)
    }

    /// A change to met or not met: up or down through what a single order compares with, else into or out of it.
    fn crossing(&self, date: Date, met: bool) -> Crossing {
        let is = |ops: [Op; 2]| {
            let ops = ops.map(Function::Op);
            matches!(&self.tree, Expr::Call(function, ..) if ops.contains(function))
        };
        let is_above = is([Op::Greater, Op::AtLeast]);
        let is_order = is_above || is([Op::Less, Op::AtMost]);
        let direction = match (is_order, is_above == met, met) {
            (true, true, _) => "up",
            (true, false, _) => "down",
            (false, _, true) => "into",
            (false, _, false) => "out of",
        };
        Crossing {
            date,
            direction: direction.into(),
            met,
        }
    }
}

/// The figure of a column at a date; of weeks that end on different days, the one of that week.
fn value_at(column: &Column, date: Date) -> Option<f64> {
    let series = &column.series;
    let week = || series.between(days_later(date, -4), days_later(date, 2));
    let is_weekly = series.frequency() == Frequency::Weekly;
    let of_week = || week().last().filter(|_| is_weekly).map(|o| o.value);
    Some(column.rounded(series.at(date).or_else(of_week)?))
}

/// Every crossing of a condition that names its series, the oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Crossings {
    /// As asked for.
    pub condition: String,
    /// How often it is judged.
    pub frequency: Frequency,
    /// Series that it names.
    pub series: Vec<Arc<SeriesInfo>>,
    /// Each change from met to not met or back.
    pub all: Vec<Crossing>,
    /// First and last date for which it is judged.
    pub range: Option<(Date, Date)>,
    /// Whether it is met at the last one.
    pub met: bool,
    /// What it compares, each with its name.
    sides: Vec<(String, Column)>,
}

/// A figure that a condition compares.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Series or formula.
    pub of: String,
    /// Figure.
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

impl Crossings {
    /// What the condition compares at a date.
    pub fn compared(&self, date: Date) -> Vec<Compared> {
        let compared = |(of, column): &(String, Column)| {
            Some(Compared {
                of: of.clone(),
                value: value_at(column, date)?,
                unit: column.unit.short.clone(),
            })
        };
        self.sides.iter().filter_map(compared).collect()
    }
}

/// Reads a condition that names its series, without computing anything.
fn read_named(text: &str) -> Result<Condition> {
    let condition = Condition::read(text)?;
    if condition.tree.has_subject() {
        let allowed = "a condition that names its series: T10Y2Y < 0, or SAHMREALTIME >= 0.5";
        return Err(Error::invalid(FIELD, text, "names no series", allowed));
    }
    Ok(condition)
}

/// Whether a text is a condition on series that are known. Nothing is searched for or computed.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub fn is_condition(desk: &Desk, text: &str) -> Result<bool> {
    let Ok(condition) = read_named(text) else {
        return Ok(false);
    };
    for (name, _) in condition.tree.names() {
        if desk.known(name)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Every crossing of a condition, judged as `get_time_series` judges it on figures as last revised.
///
/// # Errors
/// [`Error::InvalidParam`] for what is no condition on named series; what the desk says of a name, and
/// [`Error::NoData`] or [`Error::NotPermitted`] where its figures are not held or may not be passed on.
pub fn crossings(desk: &Desk, text: &str) -> Result<Crossings> {
    let condition = read_named(text)?;
    let known = NamedSeries::read(desk, AsOf::Latest, [&condition.tree])?;
    if let Some(reason) = known.reason(&condition.tree) {
        return Err(reason.clone());
    }
    let setting = Setting {
        how: known.usual_aggregation(None),
        known,
        frequency: None,
        days: (Date::MIN, desk.today()),
    };
    let (column, sides) = condition.judged(None, &setting, None, |evaluation, column| {
        let mut sides = Vec::new();
        for side in condition.tree.sides() {
            let found = evaluation.side(side);
            let found = found.map_err(|fault| condition.refused(&fault))?;
            sides.push((quote(&side.in_words(&str::to_owned)), found));
        }
        Ok((column, sides))
    })?;
    let met = |o: &Observation| o.value != 0.0;
    let rows = column.series.between(Date::MIN, desk.today());
    let range = rows.first().zip(rows.last()).map(|(a, b)| (a.date, b.date));
    let runs = rows.chunk_by(|a, b| met(a) == met(b)).skip(1);
    let crossing = |run: &[Observation]| {
        let first = run.first()?;
        Some(condition.crossing(first.date, met(first)))
    };
    Ok(Crossings {
        all: runs.filter_map(crossing).collect(),
        range,
        met: rows.last().is_some_and(met),
        sides,
        frequency: column.series.frequency(),
        series: setting.known.all().map(|s| Arc::clone(&s.info)).collect(),
        condition: condition.text,
    })
}

fn in_words(run: &Streak) -> String {
    let text = format!("{} from {} to {}", run.length, run.start, run.end);
    match run.gaps {
        0 => text,
        gaps => format!("{text}, periods missing at {gaps} places inside"),
    }
}

impl ConditionFigures {
    /// One sentence for each thing that people ask.
    pub(super) fn in_prose(&self) -> String {
        let of = self.of.as_deref().map(|of| format!(" of {of}"));
        let name = format!("Condition \"{}\"{}", self.condition, of.unwrap_or_default());
        let (frequency, met, count) = (&self.frequency, self.met, self.count);
        let Some(share) = self.share else {
            return format!("{name}: no {frequency} figure to judge in the range.");
        };
        let mut text = format!("{name}: met in {met} of {count} {frequency} figures ({share} %)");
        if let (Some(first), Some(last)) = (self.first, self.last) {
            text += &format!(", first {first}, last {last}");
            let values = self.last_values.iter();
            let values = joined(values.map(|(of, value)| format!("{of} {value}")), ", ");
            if !values.is_empty() {
                text += &format!(" ({values})");
            }
        }
        if let Some(longest) = &self.longest {
            text += &format!("; longest run {}", in_words(longest));
        }
        text += &match &self.current {
            Some(run) => format!("; current run {}", in_words(run)),
            None => "; not met at the end".to_owned(),
        };
        text += &match &self.crossing {
            Some(last) => {
                let (direction, date) = (&last.direction, last.date);
                let not = if last.met { "" } else { "not " };
                format!("; last crossing {direction} on {date} ({not}met since).")
            }
            None => "; no crossing in the range.".to_owned(),
        };
        text
    }
}
