//! Conditions: counted over all figures of a range, never over thinned rows, or followed crossing by crossing.

pub(crate) mod claim;
pub(crate) mod formulas;

use crate::prelude::*;
use econoscope_core::error::{quote, single_line};
use econoscope_core::indicators::condition::{Streak, is_met, last_change, streaks};
use econoscope_core::indicators::expression::{
    Column, CostEstimate, Evaluation, Expr, FormulaError, Function, Op, Scope,
};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::indicators::statistics;
use econoscope_core::indicators::window::extremes;
use econoscope_core::model::frequency::add_days;
use formulas::NamedSeries;
use std::cmp::Reverse;

const FIELD: &str = "condition";
/// Most runs that an answer lists.
const MAX_EPISODES: usize = 6;
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

/// A run of figures that meet a condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Episode {
    /// Its length and ends.
    #[serde(flatten)]
    pub run: Streak,
    /// Of one inequality the furthest figure of its first side: the lowest below, the highest above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extreme: Option<f64>,
    /// When first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extreme_date: Option<Date>,
    /// What followed: the figure a year after its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year_later: Option<f64>,
}

/// A condition over every observation of the range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConditionFigures {
    /// As asked for.
    pub condition: String,
    /// Its column, where it names no series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Evaluation frequency.
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
    /// Values compared at that last date.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub last_values: BTreeMap<String, f64>,
    /// Runs that meet it.
    #[serde(default)]
    pub runs: usize,
    /// The six longest of them, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub episodes: Vec<Episode>,
    /// Longest run; the oldest of equal ones.
    pub longest: Option<Streak>,
    /// Run up to the last observation.
    pub current: Option<Streak>,
    /// Last change.
    pub crossing: Option<Crossing>,
}

/// What formulas and conditions are evaluated in.
pub(crate) struct EvaluationContext {
    /// The series they name.
    pub(crate) series: NamedSeries,
    /// How finer figures become coarser.
    pub(crate) aggregation: Aggregation,
    /// The requested frequency; `None` for the coarsest of the series.
    pub(crate) frequency: Option<Frequency>,
    /// Days that count.
    pub(crate) range: DateRange,
}

impl EvaluationContext {
    /// Returns the context of series at `frequency`, with the aggregation usual for them.
    pub(crate) fn new(series: NamedSeries, frequency: Option<Frequency>, range: DateRange) -> Self {
        Self {
            aggregation: series.default_aggregation(frequency),
            series,
            frequency,
            range,
        }
    }
}

/// A series or formula that a condition compares: its name, and its figures.
type Side = (String, Column);

/// A parsed condition.
pub(crate) struct Condition {
    /// As written.
    pub(crate) text: String,
    pub(crate) tree: Expr,
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for a text that is no formula or has no comparison.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        // What is printed is what was parsed.
        let text = single_line(text);
        let tree = formulas::parse(FIELD, &text)?;
        if !tree.has_comparison() {
            return Err(Error::invalid(FIELD, &text, "compares nothing", EXAMPLES));
        }
        Ok(Self { text, tree })
    }

    /// Turns each side that is nothing but a name of the subject into the subject, with its requested units and frequency.
    pub(crate) fn with_subject(self, is_subject: &dyn Fn(&str) -> bool) -> Self {
        Self {
            tree: self.tree.with_subject(is_subject),
            ..self
        }
    }

    /// Returns the steps of an evaluation on a subject with `rows` figures.
    pub(crate) fn cost(&self, series: &NamedSeries, rows: usize) -> usize {
        let row_count = |name: &str| match name {
            "" => rows,
            name => series.row_count(name),
        };
        let mut price = CostEstimate::new(&row_count);
        // Each figure is counted, and its sides are converted again for the last values.
        let evaluated = price.add(&self.tree);
        price.steps() + 8 * evaluated
    }

    /// Counts the condition over the range, for the named subject where it does not name its series.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for units that cannot be compared and for what takes too long.
    pub(crate) fn count(
        &self,
        subject: Option<(&str, Column)>,
        context: &EvaluationContext,
    ) -> Result<ConditionFigures> {
        let counted = subject.filter(|_| self.tree.has_subject());
        let of = counted.as_ref().map(|(name, _)| quote(name));
        let (truth, sides) = self.evaluate(counted, context, context.frequency)?;
        let frequency = truth.frequency();
        let rows = truth.between(context.range.start, context.range.end);
        let runs = streaks(rows, frequency);
        let met = runs.iter().map(|run| run.length).sum();
        let share = 100.0 * statistics::count(met) / statistics::count(rows.len());
        let last = runs.last().copied();
        let last_value = |(name, column)| Some((name, value_at(&column, last?.end)?));
        let newest = rows.last().map(|o| o.date);
        Ok(ConditionFigures {
            condition: quote(&self.text),
            of,
            frequency: frequency.word().into(),
            count: rows.len(),
            met,
            share: share.is_finite().then(|| round_to(share, 2)),
            first: runs.first().map(|run| run.start),
            last: last.map(|run| run.end),
            longest: runs.iter().rev().max_by_key(|run| run.length).copied(),
            runs: runs.len(),
            episodes: self.episodes(runs, &sides),
            last_values: sides.into_iter().filter_map(last_value).collect(),
            current: last.filter(|run| Some(run.end) == newest),
            crossing: last_change(rows).map(|o| self.crossing(o.date, is_met(&o))),
        })
    }

    /// Evaluates the condition at `frequency` or the coarsest of its series. Returns a series of ones and zeros, and the
    /// sides that the condition compares, each with its name.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for units that cannot be compared and for what takes too long.
    pub(crate) fn evaluate(
        &self,
        subject: Option<(&str, Column)>,
        context: &EvaluationContext,
        frequency: Option<Frequency>,
    ) -> Result<(Arc<Series>, Vec<Side>)> {
        let (subject_name, subject) = subject.unzip();
        let rows = subject.as_ref().map_or(0, |c| c.series.observations.len());
        formulas::check_cost(FIELD, &self.text, self.cost(&context.series, rows))?;
        let series = |name: &str| context.series.get(name);
        let mut evaluation = Evaluation::new(Scope {
            series: &series,
            subject,
            start: context.range.start,
            aggregation: context.aggregation,
            frequency,
        });
        let error = |fault: FormulaError| formulas::fault_error(FIELD, &self.text, &fault);
        let truth = evaluation.column(&self.tree).map_err(error)?;
        if !truth.unit.is_boolean() {
            let problem = "is neither true nor false";
            return Err(Error::invalid(FIELD, &self.text, problem, EXAMPLES));
        }
        let sides = self.tree.sides().into_iter().map(|side| {
            let name = match (side, subject_name) {
                (Expr::Subject { .. }, Some(name)) => name.to_owned(),
                _ => side.describe(&str::to_owned),
            };
            Ok((quote(&name), evaluation.side(side).map_err(error)?))
        });
        Ok((truth.series, sides.collect::<Result<_>>()?))
    }

    /// Whether it is met above what its first side is compared with, or below; `None` unless it is one inequality.
    fn is_above(&self) -> Option<bool> {
        let is_any = |ops: [Op; 2]| matches!(&self.tree, Expr::Call(Function::Op(op), ..) if ops.contains(op));
        let is_above = is_any([Op::Greater, Op::AtLeast]);
        (is_above || is_any([Op::Less, Op::AtMost])).then_some(is_above)
    }

    /// Builds the crossing at `date`: up or down for a single inequality, else into or out of the condition.
    fn crossing(&self, date: Date, met: bool) -> Crossing {
        let direction = match (self.is_above(), met) {
            (Some(is_above), _) if is_above == met => "up",
            (Some(_), _) => "down",
            (None, true) => "into",
            (None, false) => "out of",
        };
        Crossing {
            date,
            direction: direction.into(),
            met,
        }
    }

    /// Returns the longest runs, oldest first, each with the furthest figure of the first side of an inequality.
    fn episodes(&self, mut runs: Vec<Streak>, sides: &[Side]) -> Vec<Episode> {
        runs.sort_by_key(|run| Reverse(run.length));
        runs.truncate(MAX_EPISODES);
        runs.sort_by_key(|run| run.start);
        let is_number = |tree: Option<&Expr>| matches!(tree, Some(Expr::Number(_)));
        let has_first = matches!(&self.tree, Expr::Call(_, sides, _) if !is_number(sides.first()));
        let first = sides.first().filter(|_| has_first);
        let column = first.map(|(_, column)| column);
        let episode = |run: Streak| {
            let found = column.zip(self.is_above()).and_then(|(column, is_above)| {
                let (lowest, highest) = extremes(figures(column, run.start, run.end))?;
                let furthest = if is_above { highest } else { lowest }.first;
                Some((column.round(furthest.value), furthest.date))
            });
            let (extreme, extreme_date) = found.unzip();
            let later = shift(run.end, 1.year());
            let compared = column.filter(|_| self.is_above().is_some());
            let year_later = compared.and_then(|column| {
                let is_over = column.series.observations.last()?.date >= later;
                let one = column.series.last_on_or_before(later).filter(|_| is_over)?;
                Some(column.round(one.value))
            });
            Episode {
                run,
                extreme,
                extreme_date,
                year_later,
            }
        };
        runs.into_iter().map(episode).collect()
    }
}

/// Returns the figures of a column between two dates. For weekly figures they are those of the same weeks, since series end
/// their weeks on different days.
fn figures(column: &Column, start: Date, end: Date) -> &[Observation] {
    let series = &column.series;
    if series.frequency() == Frequency::Weekly {
        series.between(add_days(start, -4), add_days(end, 2))
    } else {
        series.between(start, end)
    }
}

/// Returns the figure of a column at a date, rounded.
fn value_at(column: &Column, date: Date) -> Option<f64> {
    let value = column.series.value_on(date);
    let value = value.or_else(|| Some(figures(column, date, date).last()?.value));
    value.map(|value| column.round(value))
}

/// Every crossing of a condition that names its series, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Crossings {
    /// The condition as given.
    pub condition: String,
    /// Frequency of the evaluation.
    pub frequency: Frequency,
    /// The series that it names.
    pub series: Vec<Arc<SeriesInfo>>,
    /// Each change from met to not met or back.
    pub crossings: Vec<Crossing>,
    /// First and last date of the evaluation.
    pub range: Option<(Date, Date)>,
    /// Whether the condition is met at the last date.
    pub met: bool,
    /// The series and formulas that it compares, each with its name.
    sides: Vec<Side>,
}

/// A figure that a condition compares.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedValue {
    /// Series or formula.
    pub of: String,
    /// Figure.
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

impl Crossings {
    /// Returns the figures that the condition compares at a date.
    pub fn compared_values(&self, date: Date) -> Vec<ComparedValue> {
        let value = |(of, column): &Side| {
            Some(ComparedValue {
                of: of.clone(),
                value: value_at(column, date)?,
                unit: column.unit.short.clone(),
            })
        };
        self.sides.iter().filter_map(value).collect()
    }
}

/// Parses a condition that must name its series.
fn parse_named(text: &str) -> Result<Condition> {
    let condition = Condition::parse(text)?;
    if condition.tree.has_subject() {
        let allowed = "a condition that names its series: T10Y2Y < 0, or SAHMREALTIME >= 0.5";
        return Err(Error::invalid(FIELD, text, "names no series", allowed));
    }
    Ok(condition)
}

/// Whether a text is a condition on known series. Nothing is searched for or computed.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub fn is_condition(desk: &Desk, text: &str) -> Result<bool> {
    let Ok(condition) = parse_named(text) else {
        return Ok(false);
    };
    for (name, _) in condition.tree.names() {
        if desk.find_id(name)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns every crossing of a condition in the figures as last revised, evaluated as in `get_time_series`.
///
/// # Errors
/// [`Error::InvalidParam`] for a text that is no condition on named series; those of the desk for a name that does not
/// resolve; [`Error::NoData`] or [`Error::NotPermitted`] for a series without data or with restricted figures.
pub fn crossings(desk: &Desk, text: &str) -> Result<Crossings> {
    crossings_known(desk, text, AsOf::Latest, None)
}

/// Returns the crossings in the figures as known at `as_of`, at a frequency or that of the series.
pub(crate) fn crossings_known(
    desk: &Desk,
    text: &str,
    as_of: AsOf,
    frequency: Option<Frequency>,
) -> Result<Crossings> {
    let condition = parse_named(text)?;
    let today = newest(as_of, desk.today());
    let range = DateRange::new(Date::MIN, today);
    let series = NamedSeries::fetch(desk, as_of, range, [&condition.tree])?;
    if let Some(reason) = series.missing_reason(&condition.tree) {
        return Err(reason.clone());
    }
    let context = EvaluationContext::new(series, frequency, range);
    let (truth, sides) = condition.evaluate(None, &context, frequency)?;
    let rows = truth.between(Date::MIN, today);
    let pairs = rows.array_windows();
    let turns = pairs.filter(|[before, after]| is_met(before) != is_met(after));
    let crossing = |[_, after]: &[Observation; 2]| condition.crossing(after.date, is_met(after));
    Ok(Crossings {
        crossings: turns.map(crossing).collect(),
        range: rows.first().zip(rows.last()).map(|(a, b)| (a.date, b.date)),
        met: rows.last().is_some_and(is_met),
        sides,
        frequency: truth.frequency(),
        series: context.series.iter().map(|s| Arc::clone(&s.info)).collect(),
        condition: condition.text,
    })
}

impl Episode {
    /// "1978-08-18 to 1980-04-28 (422, lowest -2.41; a year later -0.58)".
    fn describe(&self, word: &str) -> String {
        let Streak {
            start, end, length, ..
        } = self.run;
        let mut text = format!("{start} to {end} ({length}");
        text.extend(self.extreme.map(|value| format!(", {word} {value}")));
        text.extend(
            self.year_later
                .map(|value| format!("; a year later {value}")),
        );
        text + ")"
    }
}

fn format_streak(run: &Streak) -> String {
    let text = format!("{} from {} to {}", run.length, run.start, run.end);
    match run.gaps {
        0 => text,
        gaps => format!("{text}, periods missing at {gaps} places inside"),
    }
}

impl ConditionFigures {
    /// Describes the counts, the runs and the last crossing in one sentence.
    pub(crate) fn describe(&self) -> String {
        let of = self.of.as_deref().map(|of| format!(" of {of}"));
        let name = format!("Condition \"{}\"{}", self.condition, of.unwrap_or_default());
        let frequency = &self.frequency;
        let Some(share) = self.share else {
            return format!("{name}: no {frequency} figure to judge in the range.");
        };
        let mut text = format!(
            "{name}: met in {} of {} {frequency} figures ({share} %)",
            self.met, self.count
        );
        if let (Some(first), Some(last)) = (self.first, self.last) {
            text += &format!(", first {first}, last {last}");
            let values = self.last_values.iter();
            let values = join(values.map(|(of, value)| format!("{of} {value}")), ", ");
            text += &enclosed(" (", &values, ")");
        }
        if let Some(longest) = &self.longest {
            text += &format!("; longest run {}", format_streak(longest));
        }
        if self.runs > 1 || self.episodes.iter().any(|one| one.extreme.is_some()) {
            text += &match self.episodes.len() {
                all if all == self.runs => format!("; runs ({all}): "),
                shown => format!("; the {shown} longest of {} runs: ", self.runs),
            };
            let is_below = self.condition.contains(['<', '≤']);
            let word = if is_below { "lowest" } else { "highest" };
            text += &join(self.episodes.iter().map(|one| one.describe(word)), ", ");
        }
        text += &match &self.current {
            Some(run) => format!("; current run {}", format_streak(run)),
            None => "; not met at the end".to_owned(),
        };
        text += &match &self.crossing {
            Some(last) => {
                let not = if last.met { "" } else { "not " };
                format!(
                    "; last crossing {} on {} ({not}met since).",
                    last.direction, last.date
                )
            }
            None => "; no crossing in the range.".to_owned(),
        };
        text
    }
}
