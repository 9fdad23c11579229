//! Claims about one period as people write them: "UNRATE 2023-08 >= 3.8", "was August 2023 unemployment above 3.75".

use super::formulas::{self, NamedSeries};
use super::{Condition, EvaluationContext};
use crate::dates::newest;
use crate::prelude::*;
use econoscope_core::error::single_line;
use econoscope_core::format::Unit;
use econoscope_core::indicators::expression::{self, Column, Expr, Function, Op};
use econoscope_core::indicators::identities;
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::frequency::PeriodLength;
use econoscope_core::model::{CalendarPeriod, table};

const FIELD: &str = "claim";
const EXAMPLES: &str = "a series or formula, a period and a comparison: UNRATE 2023-08 >= 3.8, \
    yoy(CPIAUCSL) June 2022 > 9, or payrolls rose by at least 200 thousand in January 2024";

/// Words of a claim with their meaning: a sign, `end` and the sign of a number before it, a quarter, an arrow for a change,
/// `:` for a verb before a figure, `e` and a power of ten, or nothing. Longer ones come first.
const WORDS: &str = include_str!("../../data/claims.csv");

/// Characters of comparisons.
const SIGNS: [char; 7] = ['<', '>', '=', '!', '≥', '≤', '≠'];

/// A growth rate and the level it is computed from. The vintages of the level give the first prints of the rate.
pub(crate) const GROWTH_AND_LEVEL: (&str, &str) = ("A191RL1Q225SBEA", "GDPC1");

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

/// A claim while it is read.
struct Reader<'a> {
    desk: &'a Desk,
    text: &'a str,
    notes: Vec<String>,
    decimals: i32,
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
            let is_empty = periods.is_empty();
            return Err(invalid(if is_empty {
                "names no period"
            } else {
                "names several periods"
            }));
        };
        let mut reader = Reader {
            desk,
            text,
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
        Ok(Self {
            condition: Condition { text, tree },
            period,
            note: join(reader.notes, "; "),
            decimals: reader.decimals,
        })
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
        let coarsest = series.iter().map(|s| s.frequency()).max();
        let frequency = Some(self.period.length).filter(|length| Some(*length) > coarsest);
        let context = EvaluationContext {
            aggregation: series.default_aggregation(frequency),
            series,
            frequency,
            range: DateRange::new(Date::MIN, newest(as_of, desk.today())),
        };
        let (truth, sides) = self.condition.evaluate(None, &context, frequency)?;
        let is_met = self.figure(&truth);
        let Some(is_met) = is_met else {
            return Ok(Judgement::without_figure(format!(
                "no figure of {} was known",
                self.period
            )));
        };
        let mut judgement = Judgement {
            holds: Some(is_met > 0.0),
            ..Judgement::default()
        };
        for (name, column) in &sides {
            let value = self.figure(&column.series);
            judgement.unit.clone_from(&column.unit.short);
            judgement
                .values
                .extend(value.map(|value| (name.clone(), column.round(value))));
        }
        if let [(_, column)] = sides.as_slice() {
            self.compare_rounded(column, &mut judgement);
        }
        Ok(judgement)
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

    /// Compares the figure as it is said: an equality at the decimals of the claim; a percentage computed here also at one
    /// decimal, as agencies publish it.
    fn compare_rounded(&self, column: &Column, judgement: &mut Judgement) {
        let Expr::Call(Function::Op(op), sides, _) = &self.condition.tree else {
            return;
        };
        let (Some(Expr::Number(bound)), Some(value)) = (sides.get(1), self.figure(&column.series))
        else {
            return;
        };
        let bound = *bound;
        let half = 0.5 * 10f64.powi(-self.decimals) + 1e-9;
        let equals = |value: f64| (value - bound).abs() < half;
        let holds = |value: f64| match op {
            Op::Greater => value > bound,
            Op::Less => value < bound,
            Op::AtLeast => value >= bound,
            Op::AtMost => value <= bound,
            Op::Equal => equals(value),
            Op::Unequal => !equals(value),
            Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Power | Op::And | Op::Or => {
                judgement.holds == Some(true)
            }
        };
        let by_figure = holds(value);
        let by_rounded = holds(round_to(value, 1));
        let is_computed = matches!(sides.first(), Some(Expr::Call(..))) && column.unit.is_percent();
        let is_other = is_computed && by_rounded != by_figure;
        judgement.holds = Some(by_figure);
        judgement.rounded = is_other.then(|| round_to(value, 1));
    }
}

/// The rows of [`WORDS`].
fn words() -> impl Iterator<Item = [&'static str; 2]> {
    // A test reads every row.
    table::rows(WORDS).filter_map(|(_, row)| row.ok())
}

/// Splits a claim into words and signs, with words of comparison and change replaced by their signs.
fn tokens(text: &str) -> Vec<String> {
    let mut padded = String::from(" ");
    let mut last = ' ';
    for c in text.trim_end_matches(['?', '.', '!']).chars() {
        if SIGNS.contains(&c) != SIGNS.contains(&last) {
            padded.push(' ');
        }
        padded.push(if ['@', '[', ']', ':'].contains(&c) {
            ' '
        } else {
            c
        });
        last = c;
    }
    padded.push(' ');
    let mut end = None;
    for [phrase, meaning] in
        words().filter(|[_, meaning]| !meaning.starts_with('e') || meaning.starts_with("end"))
    {
        let wanted = format!(" {phrase} ");
        while let Some(at) = padded.to_ascii_lowercase().find(&wanted) {
            let sign = meaning.strip_prefix("end ");
            end = sign.or(end);
            let put = if sign.is_some() { "" } else { meaning };
            padded.replace_range(at..at + wanted.len(), &format!(" {put} "));
        }
    }
    let mut tokens: Vec<String> = padded.split_whitespace().map(str::to_owned).collect();
    if !tokens.iter().any(|token| token.starts_with(SIGNS)) {
        state_figure(&mut tokens, end.unwrap_or("="));
    }
    tokens.retain(|token| token != ":");
    tokens
}

/// Puts a sign before the figure that a claim states: "unemployment was 3.8", "payrolls rose 187 thousand".
fn state_figure(tokens: &mut Vec<String>, sign: &str) {
    let is_number = |token: &&String| {
        let digits = token.trim_start_matches(['$', '-', '+']);
        digits.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_verb = |token: &String| [":", "↑", "↓"].contains(&token.as_str());
    let follows = |at: &usize| tokens.get(at + 1).as_ref().is_some_and(is_number);
    let mut verbs = (1..tokens.len()).filter(|at| tokens.get(*at).is_some_and(is_verb));
    let stated = verbs.rfind(follows).map(|at| at + 1);
    let is_figure = |token: &String| is_number(&token) && CalendarPeriod::parse(token).is_err();
    let has_direction = tokens
        .iter()
        .any(|token| ["↑", "↓"].contains(&token.as_str()));
    if let Some(at) = stated.or_else(|| tokens.iter().position(is_figure)) {
        tokens.insert(at, sign.to_owned());
    } else if has_direction {
        // "GDP fell": by more than nothing.
        tokens.extend([">", "0"].map(str::to_owned));
    }
}

/// Takes a period out of the words: the longest that is one, but no number that is compared.
fn take_period(tokens: &mut Vec<String>) -> Option<CalendarPeriod> {
    for length in (1..=3).rev() {
        for at in 0..(tokens.len() + 1).saturating_sub(length) {
            let words = tokens.get(at..at + length)?;
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            let is_compared = before
                .is_some_and(|before| before.starts_with(SIGNS) || before == "and")
                && words
                    .first()
                    .is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()));
            let mut text = join(words, " ");
            if let Some((month, year)) = text.split_once('/').filter(|_| text.len() <= 7) {
                text = format!("{year}-{month:0>2}");
            }
            if let Ok(period) = CalendarPeriod::parse(text.trim_matches(|c| ",()".contains(c)))
                && !is_compared
            {
                tokens.drain(at..at + length);
                return Some(period);
            }
        }
    }
    None
}

impl Reader<'_> {
    /// Reads one comparison.
    fn comparison(&mut self, tokens: &[String], subject: Option<&str>) -> Result<Expr> {
        let invalid = |problem: &str| Error::invalid(FIELD, self.text, problem, EXAMPLES);
        if let Some(at) = tokens.iter().position(|token| token == "between") {
            return self.between(tokens, at, subject);
        }
        let mut sides = tokens.split(|token| token.starts_with(SIGNS));
        let found = tokens.iter().find(|token| token.starts_with(SIGNS));
        let sign = found.ok_or_else(|| invalid("compares nothing"))?;
        let [left, right] = [
            sides.next().unwrap_or_default(),
            sides.next().unwrap_or_default(),
        ];
        let is_percent = right
            .iter()
            .any(|token| token.ends_with('%') || token.starts_with("percent"));
        let is_change = left
            .iter()
            .any(|token| ["↑", "↓"].contains(&token.as_str()));
        let mut left = match (left, subject) {
            ([], Some(subject)) => self.side(&[subject.to_owned()])?,
            ([], None) => return Err(invalid("names no series")),
            _ => self.side(left)?,
        };
        if is_percent {
            left = self.in_percent(left, is_change)?;
        }
        let right = match self.number(right, &left)? {
            Some(number) => Expr::Number(number),
            None => self.side(right)?,
        };
        let Ok(Expr::Call(function, _, column)) = expression::parse(&format!("x {sign} 0")) else {
            return Err(Error::invalid(
                FIELD,
                self.text,
                "has an unknown sign",
                EXAMPLES,
            ));
        };
        Ok(Expr::Call(function, vec![left, right], column))
    }

    /// Reads "between 3.7 and 3.9", both included.
    fn between(&mut self, tokens: &[String], at: usize, subject: Option<&str>) -> Result<Expr> {
        let named = tokens
            .iter()
            .take(at)
            .filter(|token| !token.starts_with(SIGNS));
        let left: Vec<String> = named.cloned().collect();
        let mut bounds = tokens
            .split(|token| ["between", "and"].contains(&token.as_str()))
            .skip(1);
        let mut read = |sign: &str| {
            let bound = bounds.next().unwrap_or_default();
            let is_bound = |token: &&String| !token.starts_with(SIGNS);
            let right = bound.iter().filter(is_bound).cloned();
            let parts = left.iter().cloned().chain([sign.to_owned()]).chain(right);
            self.comparison(&parts.collect::<Vec<_>>(), subject)
        };
        let both = vec![read(">=")?, read("<=")?];
        Ok(Expr::Call(Function::Op(Op::And), both, 1))
    }

    /// Reads a side: a formula, or a name that means a series or a formula. An arrow in it means its change.
    fn side(&mut self, tokens: &[String]) -> Result<Expr> {
        let has = |arrow: &str| tokens.iter().any(|token| token == arrow);
        let named: Vec<&String> = tokens
            .iter()
            .filter(|token| !["↑", "↓"].contains(&token.as_str()))
            .collect();
        let name = join(named, " ");
        let changed = if has("↑") || has("↓") {
            format!("{name} change")
        } else {
            name
        };
        let columns = formulas::columns(self.desk, FIELD, &changed)?;
        let [column] = columns.as_slice() else {
            let problem = "has a side of several columns";
            return Err(Error::invalid(FIELD, self.text, problem, EXAMPLES));
        };
        self.notes.extend(column.note.clone());
        let tree = if let Expr::Name { name, column } = &column.tree {
            self.series(name, *column)?
        } else {
            column.tree.clone()
        };
        Ok(if has("↓") {
            Expr::Call(Function::Negate, vec![tree], 1)
        } else {
            tree
        })
    }

    /// Returns the series of a name. One that is computed here is its formula, and a growth rate that of its level, whose
    /// vintages are held.
    fn series(&mut self, name: &str, column: usize) -> Result<Expr> {
        let resolution = self.desk.resolution(FIELD, name)?;
        let (growth, level) = GROWTH_AND_LEVEL;
        let id = resolution.info.id.as_str();
        self.notes.extend(resolution.note.clone());
        let is_own = resolution.info.source.starts_with(identities::OWN);
        let formula = match identities::identity(id)
            .filter(|identity| is_own && !identity.is_average)
        {
            Some(identity) => identity.formula.to_owned(),
            None if id == growth && !self.has_prints(&resolution.info)? => {
                let note =
                    format!("{growth} is read from the vintages of {level}, whose growth it is");
                self.notes.push(note);
                format!("pca({level})")
            }
            None => {
                let name = id.to_owned();
                return Ok(Expr::Name { name, column });
            }
        };
        expression::parse(&formula).map_err(|fault| formulas::fault_error(FIELD, &formula, &fault))
    }

    fn has_prints(&self, info: &SeriesInfo) -> Result<bool> {
        let revisions = self.desk.revisions(info)?;
        Ok(revisions.is_some_and(|held| !held.prints.is_empty()))
    }

    /// Reads a number with its unit: "3.8 %", "187 thousand", "$27 trillion", in the unit of what it is compared with.
    fn number(&mut self, tokens: &[String], left: &Expr) -> Result<Option<f64>> {
        let text = join(tokens, " ")
            .to_lowercase()
            .replace(['$', ',', '%', '+'], "");
        let digits = text
            .find(|c: char| !(c.is_ascii_digit() || ".-".contains(c)))
            .unwrap_or(text.len());
        let (digits, unit) = text.split_at(digits);
        let Ok(number) = digits.parse::<f64>() else {
            return Ok(None);
        };
        self.decimals = digits.split_once('.').map_or(0, |(_, decimals)| {
            i32::try_from(decimals.len()).unwrap_or(9)
        });
        let mut rest = format!(" {} ", unit.trim());
        let mut power = None;
        for [phrase, meaning] in words() {
            if let Some(exponent) = meaning
                .strip_prefix('e')
                .filter(|_| rest.contains(&format!(" {phrase} ")))
            {
                rest = rest.replace(&format!(" {phrase} "), " ");
                power = exponent
                    .parse::<i32>()
                    .ok()
                    .map(|e| e + power.unwrap_or(0))
                    .or(power);
            }
        }
        if !rest.trim().is_empty() {
            return Ok(None);
        }
        let own = self.power(left)?;
        self.decimals += power.map_or(0, |power| own - power);
        Ok(Some(
            power.map_or(number, |power| number * 10f64.powi(power - own)),
        ))
    }

    /// Returns a side that is compared with percent: the change of an amount as a percentage, of quarters at an annual rate.
    fn in_percent(&self, side: Expr, is_change: bool) -> Result<Expr> {
        let names = side.names();
        let [(name, column)] = names.as_slice() else {
            return Ok(side);
        };
        let info = self.desk.resolve(FIELD, name)?;
        let is_rate = info.units_short.starts_with('%') || info.units_short == "pp";
        let is_amount = matches!(
            &side,
            Expr::Name { .. } | Expr::Call(Function::Negate | Function::Units(Units::Change), ..)
        );
        if is_rate || !is_amount {
            return Ok(side);
        }
        if !is_change {
            let problem = format!("compares percent with {} of {}", info.units, info.id);
            return Err(Error::invalid(FIELD, self.text, &problem, EXAMPLES));
        }
        let is_quarterly = info.frequency == Frequency::Quarterly;
        let units = if is_quarterly {
            Units::PercentAnnualised
        } else {
            Units::Percent
        };
        let named = Expr::Name {
            name: (*name).to_owned(),
            column: *column,
        };
        let growth = Expr::Call(Function::Units(units), vec![named], *column);
        let is_fall = matches!(&side, Expr::Call(Function::Negate, ..));
        Ok(if is_fall {
            Expr::Call(Function::Negate, vec![growth], 1)
        } else {
            growth
        })
    }

    /// Returns the power of ten in which a side is measured.
    fn power(&self, side: &Expr) -> Result<i32> {
        if let Expr::Name { name, .. } = side {
            let info = self.desk.resolve(FIELD, name)?;
            return Ok(Unit::parse(&info.units_short, &info.units).power());
        }
        let Expr::Call(function, arguments, _) = side else {
            return Ok(0);
        };
        let is_change = matches!(function, Function::Units(units) if units.is_in_own_unit());
        let is_same_unit = is_change
            || matches!(
                function,
                Function::Negate | Function::MovingAverage(_) | Function::Lag(_)
            );
        let argument = arguments.first().filter(|_| is_same_unit);
        argument.map_or(Ok(0), |side| self.power(side))
    }
}
