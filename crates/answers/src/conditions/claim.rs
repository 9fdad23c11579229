//! Claims about one period as people write them: "UNRATE 2023-08 >= 3.8", "was August 2023 unemployment above 3.75".

mod read;

use super::formulas::NamedSeries;
use super::{Condition, EvaluationContext};
use crate::prelude::*;
use econoscope_core::error::single_line;
use econoscope_core::indicators::expression::{Column, Expr, Function, Op};
use econoscope_core::indicators::revisions::PrintMeasure;
use econoscope_core::indicators::statistics::average;
use econoscope_core::model::CalendarPeriod;
use econoscope_core::model::frequency::PeriodLength;
use read::{Reader, SIGNS, take_period, tokens};

const FIELD: &str = "claim";
const EXAMPLES: &str = "a series or formula, a period and a comparison: UNRATE 2023-08 >= 3.8, \
    yoy(CPIAUCSL) June 2022 > 9, or payrolls rose by at least 200 thousand in January 2024";

/// The growth rate of a level whose vintages give the first prints of the rate.
pub(crate) const GROWTH: &str = "A191RL1Q225SBEA";
/// The level of [`GROWTH`].
pub(crate) const LEVEL: &str = "GDPC1";

/// Seasonally adjusted consumer prices, each with the unadjusted index whose twelve-month change is published. Items begin
/// with `CUSR`, and with `CUUR` unadjusted.
pub(crate) const UNADJUSTED: &str = include_str!("../../data/unadjusted.csv");

/// A condition and the one period it is about.
pub(crate) struct Claim {
    /// The condition.
    pub(crate) condition: Condition,
    /// The period.
    pub(crate) period: CalendarPeriod,
    /// How its names were read; empty where each is the series' own.
    pub(crate) note: String,
    /// Decimals of the number that it compares with, as written.
    decimals: i32,
    /// Whether it tells what happened on a day of the period: "hit 5", "fell below 3".
    is_event: bool,
    /// Of a change over a period longer than that of its series: what is compared at the ends of two periods.
    span: Option<Span>,
}

/// A change over a period that is longer than those of its series: from the period before to this one.
struct Span {
    /// The level.
    level: Expr,
    /// Whether the change is a percentage.
    is_percent: bool,
    /// Whether means of the periods are compared, as of quarterly flows, and not their last figures.
    is_of_means: bool,
}

/// What a claim is by the figures known on a day.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Judgement {
    /// `None` without a figure of the period.
    pub(crate) holds: Option<bool>,
    /// The figure to one decimal, where the claim is another by it.
    pub(crate) rounded: Option<f64>,
    /// The figures compared, by what they are of.
    pub(crate) values: BTreeMap<String, f64>,
    /// Their unit.
    pub(crate) unit: String,
    /// Of a period longer than those of its series: in how many of those it was true, "true in 5 of 21 days"; of a change
    /// what another way of taking it gives.
    pub(crate) within: Option<String>,
    /// Why nothing is judged.
    pub(crate) missing: Option<String>,
}

impl Judgement {
    /// Creates the judgement of a claim without a figure.
    pub(crate) fn without_figure(reason: String) -> Self {
        Self {
            missing: Some(reason),
            ..Self::default()
        }
    }
}

impl Claim {
    /// Parses a claim. A comparison without a left side is about `subject`, a claim without a period about `date`.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for what is no comparison of one period; those of the desk for a name without a reading.
    pub(crate) fn parse(
        desk: &Desk,
        text: &str,
        subject: Option<&str>,
        date: Option<&str>,
    ) -> Result<Self> {
        let invalid = |problem: &str| Error::invalid(FIELD, text, problem, EXAMPLES);
        let mut tokens = tokens(&single_line(text));
        let is_event = tokens.iter().any(|token| token == "*");
        tokens.retain(|token| token != "*");
        let mut periods = Vec::new();
        while let Some(period) = take_period(&mut tokens) {
            periods.push(period);
        }
        if let Some(date) = date {
            let fault = |problem: String| Error::invalid("date", date, &problem, "one period");
            periods.push(CalendarPeriod::parse(date).map_err(fault)?);
        }
        periods.dedup();
        let [period] = *periods.as_slice() else {
            let many = if periods.is_empty() {
                "no period"
            } else {
                "several periods"
            };
            return Err(invalid(&format!("names {many}")));
        };
        let mut reader = Reader {
            desk,
            text,
            period,
            notes: Vec::new(),
            decimals: 0,
        };
        let signs = tokens.iter().filter(|token| token.starts_with(SIGNS));
        let tree = if signs.count() > 1 {
            Condition::parse(&join(&tokens, " "))?.tree
        } else {
            reader.comparison(&tokens, subject)?
        };
        if tree.has_subject() || tree.names().is_empty() {
            return Err(invalid("names no series"));
        }
        let text = tree.describe(&str::to_owned);
        let span = reader.span(&tree)?;
        Ok(Self {
            condition: Condition { text, tree },
            period,
            note: join(reader.notes, "; "),
            decimals: reader.decimals,
            is_event,
            span,
        })
    }

    /// Whether it is about the figure that the first prints of its series are compared in.
    pub(crate) fn is_about(&self, measure: PrintMeasure, frequency: Frequency) -> bool {
        let left = self.condition.tree.as_bound().map(|(left, ..)| left);
        let is_measure = left.is_some_and(|left| is_measured_by(left, measure));
        is_measure && self.period.length <= frequency
    }

    /// Describes it: "PAYEMS, change from the period before > 200".
    pub(crate) fn describe(&self) -> String {
        let sides = self.condition.tree.sides();
        let side = sides.first().map(|side| side.describe(&str::to_owned));
        let text = &self.condition.text;
        match &self.span {
            Some(span) => text.replace(&side.unwrap_or_default(), &self.describe_change(span)),
            None => text.clone(),
        }
    }

    fn describe_change(&self, span: &Span) -> String {
        let of = if span.is_of_means { "mean" } else { "end" };
        let percent = if span.is_percent { "% " } else { "" };
        let level = span.level.describe(&str::to_owned);
        let [from, to] = [self.period_before(), self.period];
        format!("{level}, {percent}change from the {of} of {from} to that of {to}")
    }

    /// Returns the series that it names, the first one first.
    ///
    /// # Errors
    /// Those of the desk for a name that does not resolve.
    pub(crate) fn series(&self, desk: &Desk) -> Result<Vec<Arc<SeriesInfo>>> {
        let names = self.condition.tree.names().into_iter();
        names.map(|(name, _)| desk.resolve(FIELD, name)).collect()
    }

    /// Judges the claim by what was known at `as_of`.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for units that cannot be compared and for what takes too long; those of the desk for a series
    /// that cannot be read.
    pub(crate) fn judge(&self, desk: &Desk, as_of: AsOf) -> Result<Judgement> {
        let range = DateRange::new(self.period.from, self.period.last_day());
        let series = NamedSeries::fetch(desk, as_of, range, [&self.condition.tree])?;
        if let Some(reason) = series.missing_reason(&self.condition.tree) {
            return Ok(Judgement::without_figure(reason.to_string()));
        }
        if let Some(span) = &self.span {
            return self.judge_span(span, desk, as_of);
        }
        let coarsest = series.iter().map(|s| s.frequency()).max();
        let frequency = Some(self.period.length).filter(|length| Some(*length) > coarsest);
        let all = DateRange::new(Date::MIN, newest(as_of, desk.today()));
        let context = EvaluationContext::new(series, frequency, all);
        let (truth, sides) = self.condition.evaluate(None, &context, frequency)?;
        let Some(is_met) = self.figure(&truth) else {
            return Ok(self.without_period());
        };
        let mut judgement = Judgement {
            holds: Some(is_met > 0.0),
            ..Judgement::default()
        };
        for (name, column) in &sides {
            judgement.unit.clone_from(&column.unit.short);
            let value = self.figure(&column.series);
            let named = value.map(|value| (name.clone(), column.round(value)));
            judgement.values.extend(named);
        }
        if let ([(_, column)], Some(bound)) = (sides.as_slice(), self.bound()) {
            self.compare_rounded(column, &bound, self.figure(&column.series), &mut judgement);
            if frequency.is_some() {
                let (_, sides) = self.condition.evaluate(None, &context, None)?;
                if let Some((_, column)) = sides.first() {
                    self.judge_within(column, &bound, &mut judgement);
                }
            }
        }
        Ok(judgement)
    }

    /// Judges a change over a period that is longer than those of its series.
    fn judge_span(&self, span: &Span, desk: &Desk, as_of: AsOf) -> Result<Judgement> {
        let range = DateRange::new(Date::MIN, newest(as_of, desk.today()));
        let level = column(desk, &span.level, as_of, range)?;
        let end = |period: CalendarPeriod| {
            let series = &level.as_ref()?.series;
            let rows = series.between(period.from, period.last_day());
            let last = rows.last()?;
            // Days and weeks end a little before the period.
            let next = shift(last.date, series.frequency().period());
            let is_whole = shift(next, 4.days()) > period.last_day();
            let mean = average(rows.iter().map(|row| row.value))?;
            is_whole.then_some([last.value, mean])
        };
        let periods = end(self.period_before()).zip(end(self.period));
        let Some(((then, now), bound)) = periods.zip(self.bound()) else {
            return Ok(self.without_period());
        };
        let change = |then: f64, now: f64| {
            if span.is_percent {
                100.0 * (now / then - 1.0)
            } else {
                now - then
            }
        };
        let of_ends = change(then[0], now[0]);
        let of_means = change(then[1], now[1]);
        let (value, other, way) = if span.is_of_means {
            (of_means, of_ends, "end to end")
        } else {
            (of_ends, of_means, "mean to mean")
        };
        let verdict = bound.holds(other);
        let is_other = verdict != bound.holds(value);
        let within = is_other.then(|| format!("{verdict} from {way}: {}", round_to(other, 3)));
        let changed = match self.condition.tree.as_bound() {
            Some((left, ..)) => column(desk, left, as_of, range)?,
            None => None,
        };
        let unit = changed.map(|column| column.unit.short);
        Ok(Judgement {
            holds: Some(bound.holds(value)),
            values: BTreeMap::from([(self.describe_change(span), round_to(value, 4))]),
            unit: unit.unwrap_or_default(),
            within,
            ..Judgement::default()
        })
    }

    fn without_period(&self) -> Judgement {
        Judgement::without_figure(format!("no figure of {} was known", self.period))
    }

    /// Returns the period of the same length before.
    fn period_before(&self) -> CalendarPeriod {
        CalendarPeriod {
            from: shift(self.period.from, self.period.length.period().negate()),
            length: self.period.length,
        }
    }

    /// Returns the number that it compares with.
    fn bound(&self) -> Option<Bound> {
        let (_, op, value) = self.condition.tree.as_bound()?;
        let half = 0.5 * 10f64.powi(-self.decimals) + 1e-9;
        Some(Bound { op, value, half })
    }

    /// Returns the figure of the period.
    fn figure(&self, series: &Series) -> Option<f64> {
        let from = self.period.from;
        match series.frequency().length() {
            PeriodLength::Days(1) => series.value_on(from),
            // A week is dated by its last day.
            PeriodLength::Days(days) => {
                let rows = series.between(from, shift(from, (i64::from(days) - 1).days()));
                Some(rows.first()?.value)
            }
            PeriodLength::Months(_) => series.value_on(series.frequency().period_date(from)),
        }
    }

    /// Counts the shorter periods in which it was true, "true in 5 of 21 days"; an event is judged by the furthest of them.
    fn judge_within(&self, column: &Column, bound: &Bound, judgement: &mut Judgement) {
        let series = &column.series;
        let rows = series.between(self.period.from, self.period.last_day());
        let met = rows.iter().filter(|row| bound.holds(row.value)).count();
        let of = series.frequency().period_name();
        if met > 0 && met < rows.len() {
            judgement.within = Some(format!("true in {met} of {} {of}s", rows.len()));
        }
        let distance = |row: &&Observation| match self.condition.is_above() {
            Some(true) => -row.value,
            Some(false) => row.value,
            None => (row.value - bound.value).abs(),
        };
        let furthest = rows
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(row) = furthest.filter(|_| self.is_event) {
            self.compare_rounded(column, bound, Some(row.value), judgement);
            for value in judgement.values.values_mut() {
                *value = column.round(row.value);
            }
        }
    }

    /// Compares the figure as it is said: an equality at the decimals of the claim; a percentage computed here also at one
    /// decimal, as agencies publish it.
    fn compare_rounded(
        &self,
        column: &Column,
        bound: &Bound,
        figure: Option<f64>,
        judgement: &mut Judgement,
    ) {
        let Some(value) = figure else {
            return;
        };
        let by_figure = bound.holds(value);
        let by_rounded = bound.holds(round_to(value, 1));
        let sides = self.condition.tree.sides();
        let is_named = sides.first().is_some_and(|side| side.as_name().is_some());
        let is_computed = !is_named && column.unit.is_percent();
        let is_other = is_computed && by_rounded != by_figure;
        judgement.holds = Some(by_figure);
        judgement.rounded = is_other.then(|| round_to(value, 1));
    }
}

/// A number that figures are compared with.
struct Bound {
    op: Op,
    value: f64,
    /// Half a unit of its last decimal: how far an equal figure may lie from it.
    half: f64,
}

impl Bound {
    fn holds(&self, value: f64) -> bool {
        let is_equal = (value - self.value).abs() < self.half;
        match self.op {
            Op::Greater => value > self.value,
            Op::Less => value < self.value,
            Op::AtLeast => value >= self.value,
            Op::AtMost => value <= self.value,
            Op::Equal => is_equal,
            Op::Unequal | Op::Add | Op::Subtract | Op::Multiply | Op::Divide => !is_equal,
            Op::Power | Op::And | Op::Or => !is_equal,
        }
    }
}

/// Computes a side at the frequency of its series; `None` without data.
fn column(desk: &Desk, side: &Expr, as_of: AsOf, range: DateRange) -> Result<Option<Column>> {
    let tree = compare(side.clone(), Op::Greater, 0.0);
    let series = NamedSeries::fetch(desk, as_of, range, [&tree])?;
    if series.missing_reason(&tree).is_some() {
        return Ok(None);
    }
    let context = EvaluationContext::new(series, None, range);
    let text = tree.describe(&str::to_owned);
    let (_, sides) = Condition { text, tree }.evaluate(None, &context, None)?;
    Ok(sides.into_iter().next().map(|(_, column)| column))
}

/// Whether a formula is the measure in which the first prints of its series are compared.
pub(crate) fn is_measured_by(side: &Expr, measure: PrintMeasure) -> bool {
    match measure {
        PrintMeasure::Level | PrintMeasure::LevelInPercent => side.as_name().is_some(),
        PrintMeasure::Change => is_transformed(side, Units::Change),
        PrintMeasure::Growth => is_transformed(side, Units::Percent),
        PrintMeasure::AnnualGrowth => is_transformed(side, Units::PercentAnnualised),
    }
}

fn is_transformed(side: &Expr, by: Units) -> bool {
    side.as_transformation()
        .is_some_and(|(units, _)| units == by)
}

/// Builds the comparison of a side with a number.
fn compare(left: Expr, op: Op, bound: f64) -> Expr {
    Expr::Call(Function::Op(op), vec![left, Expr::Number(bound)], 1)
}
