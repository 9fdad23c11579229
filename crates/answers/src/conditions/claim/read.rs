//! How a claim is read: its words, the period, and what each side of its comparison may mean.

use super::{EXAMPLES, FIELD, GROWTH, LEVEL, Span, UNADJUSTED, column, compare, is_transformed};
use crate::conditions::formulas::{self, named};
use crate::prelude::*;
use econoscope_core::format::Unit;
use econoscope_core::indicators::expression::{self, Expr, Function, Op};
use econoscope_core::indicators::identities;
use econoscope_core::indicators::revisions::PrintMeasure;
use econoscope_core::indicators::window::extremes;
use econoscope_core::model::{CalendarPeriod, table};
use std::ops::RangeInclusive;

/// Words of a claim with their meaning: a sign, `end` and the sign of a number before it, a quarter, an arrow for a change,
/// `:` for a verb before a figure, `*` for one that happens on a day, `~` before a period, `e` and a power of ten, or nothing.
/// Longer ones come first.
const WORDS: &str = include_str!("../../../data/claims.csv");

/// Characters of comparisons.
pub(super) const SIGNS: [char; 7] = ['<', '>', '=', '!', '≥', '≤', '≠'];

/// What the left side of a comparison may mean.
#[derive(Clone)]
struct Reading {
    left: Expr,
    /// Whether the number on the right has the opposite sign, as of a fall or a deficit.
    is_opposite: bool,
    /// The power of ten between its numbers and its figures.
    shift: i32,
}

/// The left side of a comparison as it is written.
struct WrittenSide {
    name: String,
    /// Of a verb of change, whether it is a fall.
    is_fall: Option<bool>,
}

impl Reading {
    fn new(left: Expr, is_opposite: bool) -> Self {
        Self {
            left,
            is_opposite,
            shift: 0,
        }
    }

    fn bound(&self, number: &WrittenNumber) -> f64 {
        let sign = if self.is_opposite { -1.0 } else { 1.0 };
        sign * number.value * 10f64.powi(self.shift) + 0.0
    }

    fn compare(&self, op: Op, number: &WrittenNumber) -> Expr {
        let mirrored = if self.is_opposite { mirror(op) } else { op };
        compare(self.left.clone(), mirrored, self.bound(number))
    }
}

/// A number as it is written, with the power of ten of its unit where one is named.
struct WrittenNumber {
    value: f64,
    decimals: i32,
    power: Option<i32>,
}

/// A claim while it is read.
pub(super) struct Reader<'a> {
    pub(super) desk: &'a Desk,
    pub(super) text: &'a str,
    pub(super) period: CalendarPeriod,
    pub(super) notes: Vec<String>,
    pub(super) decimals: i32,
}

/// Returns the change of a side over a year; of consumer prices from the unadjusted index, as it is published.
fn by_year(side: &Expr) -> Expr {
    transformed(&unadjusted(side), Units::PercentYear)
}

/// Returns a side, of consumer prices the unadjusted index.
fn unadjusted(side: &Expr) -> Expr {
    let name = side.as_name().unwrap_or_default();
    let item = name.strip_prefix("CUSR").map(|item| format!("CUUR{item}"));
    let held = item.filter(|id| Catalogue::embedded().get(id).is_some());
    let published = look_up(UNADJUSTED, name).or(held.as_deref());
    published.map_or_else(|| side.clone(), named)
}

/// Returns the comparison with the opposite of both sides.
fn mirror(op: Op) -> Op {
    let pairs = [(Op::Greater, Op::Less), (Op::AtLeast, Op::AtMost)];
    let both = pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    let mut of = both.filter(|(from, _)| *from == op);
    of.next().map_or(op, |(_, to)| to)
}

/// Builds the change of a side from the period before, or another transformation.
fn transformed(side: &Expr, units: Units) -> Expr {
    Expr::Call(Function::Units(units), vec![side.clone()], 1)
}

fn is_arrow(token: &str) -> bool {
    ["↑", "↓"].contains(&token)
}

fn is_percent(tokens: &[String]) -> bool {
    let mut words = tokens.iter();
    words.any(|token| token.ends_with('%') || token.starts_with("percent"))
}

/// The rows of [`WORDS`].
fn words() -> impl Iterator<Item = [&'static str; 2]> {
    // A test reads every row.
    table::embedded(WORDS)
}

/// Splits a claim into words and signs, with words of comparison and change replaced by their signs.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut padded = String::from(" ");
    let mut last = ' ';
    for c in text.trim_end_matches(['?', '.', '!']).chars() {
        if SIGNS.contains(&c) != SIGNS.contains(&last) {
            padded.push(' ');
        }
        let is_blank = ['@', '[', ']', ':'].contains(&c);
        padded.push(if is_blank { ' ' } else { c });
        last = c;
    }
    padded.push(' ');
    let mut end = None;
    let is_of_text =
        |[_, meaning]: &[&str; 2]| !meaning.starts_with('e') || meaning.starts_with("end");
    for [phrase, meaning] in words().filter(is_of_text) {
        let wanted = format!(" {phrase} ");
        while let Some(at) = padded.to_ascii_lowercase().find(&wanted) {
            let sign = meaning.strip_prefix("end ");
            end = sign.or(end);
            let put = if sign.is_some() { "" } else { meaning };
            padded.replace_range(at..at + wanted.len(), &format!(" {put} "));
        }
    }
    let mut tokens: Vec<String> = padded.split_whitespace().map(str::to_owned).collect();
    // "Rose to 4", "fell below 3": a level, not a change.
    let is_level = |pair: &[String]| {
        let next = pair.last().map(String::as_str);
        pair.first().is_some_and(|verb| is_arrow(verb)) && [Some(":"), Some("to")].contains(&next)
    };
    while let Some(at) = tokens.windows(2).position(is_level) {
        tokens.splice(at..at + 2, ["*", ":"].map(str::to_owned));
    }
    if !tokens.iter().any(|token| token.starts_with(SIGNS)) {
        state_figure(&mut tokens, end.unwrap_or("="));
    }
    tokens.retain(|token| ![":", "~"].contains(&token.as_str()));
    tokens
}

/// Puts a sign before the figure that a claim states: "unemployment was 3.8", "payrolls rose 187 thousand".
fn state_figure(tokens: &mut Vec<String>, sign: &str) {
    let is_number = |token: &&String| {
        let digits = token.trim_start_matches(['$', '-', '+']);
        digits.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_verb = |token: &String| token == ":" || is_arrow(token);
    let is_quarter = |token: &String| {
        !token.bytes().all(|b| b.is_ascii_digit()) && CalendarPeriod::parse(token).is_ok()
    };
    let is_stated = |token: &String| is_number(&token) && !is_quarter(token);
    let follows = |at: &usize| tokens.get(at + 1).is_some_and(is_stated);
    let mut verbs = (1..tokens.len()).filter(|at| tokens.get(*at).is_some_and(is_verb));
    let stated = verbs.rfind(follows).map(|at| at + 1);
    let is_figure = |token: &String| is_number(&token) && CalendarPeriod::parse(token).is_err();
    let has_direction = tokens.iter().any(|token| is_arrow(token));
    if let Some(at) = stated.or_else(|| tokens.iter().position(is_figure)) {
        tokens.insert(at, sign.to_owned());
    } else if has_direction {
        // "GDP fell": by more than nothing.
        tokens.extend([">", "0"].map(str::to_owned));
    }
}

/// Takes a period out of the words: the longest that is one, but no number that is compared.
pub(super) fn take_period(tokens: &mut Vec<String>) -> Option<CalendarPeriod> {
    for length in (1..=3).rev() {
        for at in 0..(tokens.len() + 1).saturating_sub(length) {
            let words = tokens.get(at..at + length)?;
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            let is_sign = |before: &String| before.starts_with(SIGNS) || before == "and";
            let is_year = |word: &String| word.bytes().all(|b| b.is_ascii_digit());
            let is_compared = before.is_some_and(is_sign) && words.first().is_some_and(is_year);
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
    pub(super) fn comparison(&mut self, tokens: &[String], subject: Option<&str>) -> Result<Expr> {
        let invalid = |problem: &str| Error::invalid(FIELD, self.text, problem, EXAMPLES);
        if let Some(at) = tokens.iter().position(|token| token == "between") {
            return self.between(tokens, at, subject);
        }
        let mut sides = tokens.split(|token| token.starts_with(SIGNS));
        let found = tokens.iter().find(|token| token.starts_with(SIGNS));
        let sign = found.ok_or_else(|| invalid("compares nothing"))?;
        let example = expression::parse(&format!("x {sign} 0")).ok();
        let compared = example.as_ref().and_then(Expr::as_bound);
        let (_, op, _) = compared.ok_or_else(|| invalid("has an unknown sign"))?;
        let left = sides.next().unwrap_or_default();
        let right = sides.next().unwrap_or_default();
        let written = self.left(left, subject)?;
        let Some(number) = self.number(right) else {
            let left = self.side(&written.name)?;
            let right = self.side(&join(right, " "))?;
            // "Wages rose more than prices": over a year.
            let mut sides = vec![left, right];
            for side in &mut sides {
                if written.is_fall.is_some() && self.amount(side)?.is_some() {
                    *side = by_year(side);
                }
            }
            return Ok(Expr::Call(Function::Op(op), sides, 1));
        };
        let readings = self.readings(&written, &number, is_percent(right))?;
        let chosen = self.choose(readings, &[&number])?;
        Ok(chosen.compare(op, &number))
    }

    /// Reads a left side; one without a name is about `subject`.
    fn left(&self, tokens: &[String], subject: Option<&str>) -> Result<WrittenSide> {
        let words = tokens.iter().filter(|token| !token.starts_with(SIGNS));
        let arrow = words.clone().find(|token| is_arrow(token));
        let written = join(words.filter(|token| !is_arrow(token)), " ");
        let named = Some(written).filter(|name| !name.is_empty());
        let name = named.or_else(|| subject.map(str::to_owned));
        Ok(WrittenSide {
            name: name
                .ok_or_else(|| Error::invalid(FIELD, self.text, "names no series", EXAMPLES))?,
            is_fall: arrow.map(|arrow| arrow == "↓"),
        })
    }

    /// Returns what the left side may mean, the likeliest first.
    fn readings(
        &mut self,
        side: &WrittenSide,
        number: &WrittenNumber,
        is_percent: bool,
    ) -> Result<Vec<Reading>> {
        let Some(is_fall) = side.is_fall else {
            return self.levels(&side.name, is_percent);
        };
        let mut readings = self.changes(&side.name, is_fall, number, is_percent)?;
        // The change over a longer period is compared with none of the changes of shorter ones.
        let first = readings.first().map(|reading| reading.left.clone());
        if number.value == 0.0 || first.map(|left| self.is_longer(&left)).transpose()? == Some(true)
        {
            readings.truncate(1);
        }
        Ok(readings)
    }

    /// Returns what a name without a verb of change may mean, the likeliest first: its level, then the change by which the
    /// series is quoted, as prices by the change over a year.
    fn levels(&mut self, name: &str, is_percent: bool) -> Result<Vec<Reading>> {
        let level = self.side(name)?;
        let amount = self.amount(&level)?;
        let mut readings = Vec::new();
        if amount.is_none() || !is_percent {
            let is_opposite = self.is_deficit(name, &level)?;
            readings.push(Reading::new(level.clone(), is_opposite));
        }
        if let Some(info) = amount {
            let quoted = self.quoted(&info, &level, is_percent)?;
            readings.extend(quoted.into_iter().map(|left| Reading::new(left, false)));
            if readings.is_empty() {
                let problem = format!("compares percent with {} of {}", info.units, info.id);
                return Err(Error::invalid(FIELD, self.text, &problem, EXAMPLES));
            }
        }
        Ok(readings)
    }

    /// Whether a name means the opposite of its series: a deficit that is published as a negative balance.
    fn is_deficit(&self, name: &str, level: &Expr) -> Result<bool> {
        let mut words = name.split_whitespace();
        if !words.any(|word| ["deficit", "gap", "shortfall"].contains(&&*word.to_lowercase())) {
            return Ok(false);
        }
        let range = DateRange::new(Date::MIN, self.period.last_day());
        let column = column(self.desk, level, AsOf::Latest, range)?;
        let last = column.and_then(|c| c.series.last_on_or_before(range.end));
        Ok(last.is_some_and(|last| last.value < 0.0))
    }

    /// Whether the period is longer than those of the series of a side.
    fn is_longer(&self, side: &Expr) -> Result<bool> {
        Ok(self.period.length > self.coarsest(side)?)
    }

    /// Returns the lowest frequency of the series of a side.
    fn coarsest(&self, side: &Expr) -> Result<Frequency> {
        let mut frequency = Frequency::Daily;
        for (name, _) in side.names() {
            frequency = frequency.max(self.desk.resolve(FIELD, name)?.frequency);
        }
        Ok(frequency)
    }

    /// Returns the series that a side names, unless it is a rate.
    fn amount(&self, side: &Expr) -> Result<Option<Arc<SeriesInfo>>> {
        let name = side.as_name();
        let info = name
            .map(|name| self.desk.resolve(FIELD, name))
            .transpose()?;
        let is_rate =
            |info: &SeriesInfo| info.units_short.starts_with('%') || info.units_short == "pp";
        Ok(info.filter(|info| !is_rate(info)))
    }

    /// Returns the changes by which an amount is quoted.
    fn quoted(&self, info: &SeriesInfo, level: &Expr, is_percent: bool) -> Result<Vec<Expr>> {
        let measure = self.desk.revisions(info)?.map(|held| held.measure);
        Ok(if info.units.contains("=100") {
            vec![by_year(level), transformed(level, Units::Percent)]
        } else if ["GDP", LEVEL].contains(&info.id.as_str()) {
            vec![transformed(&named(LEVEL), Units::PercentAnnualised)]
        } else if measure == Some(PrintMeasure::Change) && !is_percent {
            vec![transformed(level, Units::Change)]
        } else {
            Vec::new()
        })
    }

    /// Returns what a name with a verb of change may mean, the likeliest first.
    fn changes(
        &mut self,
        name: &str,
        is_fall: bool,
        number: &WrittenNumber,
        is_percent: bool,
    ) -> Result<Vec<Reading>> {
        let is_plain = is_percent || number.power.is_none();
        // Growth of the economy is that of real output.
        let is_output = name.eq_ignore_ascii_case("gdp");
        let name = if is_output { "real gdp" } else { name };
        let level = self.side(name)?;
        let is_longer = self.is_longer(&level)?;
        // A series may be published as its change, of one period and in percent.
        let published = formulas::columns(self.desk, FIELD, &format!("{name} change"));
        let own = match published.as_deref() {
            Ok([column]) => Some(self.named_side(&column.tree)?),
            _ => None,
        };
        let is_usable = |change: &Expr| change.as_name().is_none() || is_plain && !is_longer;
        let unit = if is_percent {
            Units::Percent
        } else {
            Units::Change
        };
        let usable = own.filter(is_usable);
        let change = usable.unwrap_or_else(|| transformed(&level, unit));
        let of = change.as_transformation().map(|(_, of)| of);
        let amount = of.map(|of| self.amount(of)).transpose()?.flatten();
        let mut lefts = Vec::new();
        if let Some((of, info)) = of.zip(amount) {
            let is_quarterly = info.frequency == Frequency::Quarterly;
            if is_percent && is_quarterly {
                lefts.push(transformed(of, Units::PercentAnnualised));
            } else if is_percent {
                lefts.push(transformed(of, Units::Percent));
            } else {
                lefts.push(change.clone());
            }
            let is_index = is_transformed(&change, Units::Percent);
            lefts.extend((is_percent || is_index).then(|| by_year(of)));
        } else {
            lefts.push(change);
        }
        let is_amount = self.amount(&level)?.is_some();
        let is_opposite = is_fall != self.is_deficit(name, &level)?;
        let changes = lefts
            .into_iter()
            .map(|left| Reading::new(left, is_opposite));
        let at_level = (!is_percent || !is_amount).then_some(Reading::new(level, false));
        Ok(changes.chain(at_level).collect())
    }

    /// Returns the first reading whose figures of these years come near the numbers, in its unit or, where none is named, in
    /// ones: of payrolls "200,000" is 200 thousand. Else the first reading.
    fn choose(&mut self, readings: Vec<Reading>, numbers: &[&WrittenNumber]) -> Result<Reading> {
        let named = numbers.iter().find_map(|number| number.power);
        let decimals = numbers.iter().map(|number| number.decimals).max();
        let mut first = None;
        for reading in readings {
            let own = self.power(&reading.left)?;
            let nearby = self.nearby(&reading.left)?;
            let powers = match named {
                Some(power) => vec![power],
                None if own == 0 => vec![own],
                None => vec![own, 0],
            };
            for power in powers {
                let shift = power - own;
                let chosen = Reading {
                    shift,
                    ..reading.clone()
                };
                let is_near = nearby.as_ref().is_some_and(|nearby| {
                    let mut bounds = numbers.iter().map(|number| chosen.bound(number));
                    bounds.all(|bound| nearby.contains(&bound))
                });
                if first.is_none() || is_near {
                    self.decimals = decimals.unwrap_or(0) - shift;
                }
                if is_near {
                    return Ok(chosen);
                }
                first.get_or_insert(chosen);
            }
        }
        first.ok_or_else(|| Error::invalid(FIELD, self.text, "compares nothing", EXAMPLES))
    }

    /// Returns the range of the figures of three years before and after the period, and half of it on either side.
    fn nearby(&self, left: &Expr) -> Result<Option<RangeInclusive<f64>>> {
        let start = shift(self.period.from, (-3).years());
        let end = shift(self.period.last_day(), 3.years());
        let range = DateRange::new(Date::MIN, self.desk.today().min(end));
        let column = column(self.desk, left, AsOf::Latest, range)?;
        let found = column.and_then(|column| extremes(column.series.between(start, end)));
        Ok(found.map(|(lowest, highest)| {
            let [low, high] = [lowest, highest].map(|extreme| extreme.first.value);
            let slack = 0.5 * (high - low);
            low - slack..=high + slack
        }))
    }

    /// Returns what is compared of a change over a period longer than that of its series.
    pub(super) fn span(&self, tree: &Expr) -> Result<Option<Span>> {
        let left = tree.as_bound().map(|(left, ..)| left);
        let Some((units, level)) = left.and_then(Expr::as_transformation) else {
            return Ok(None);
        };
        let is_percent = matches!(units, Units::Percent | Units::PercentAnnualised);
        let frequency = self.coarsest(level)?;
        if !is_percent && units != Units::Change || self.period.length <= frequency {
            return Ok(None);
        }
        let is_annual = self.period.length == Frequency::Annual;
        Ok(Some(Span {
            level: if is_annual {
                unadjusted(level)
            } else {
                level.clone()
            },
            is_percent,
            is_of_means: frequency == Frequency::Quarterly,
        }))
    }

    /// Reads "between 3.7 and 3.9", both included. A unit beside one number is that of both.
    fn between(&mut self, tokens: &[String], at: usize, subject: Option<&str>) -> Result<Expr> {
        let invalid = |problem: &str| Error::invalid(FIELD, self.text, problem, EXAMPLES);
        let is_word = |token: &&String| !token.starts_with(SIGNS);
        let words = tokens.iter().skip(at + 1).filter(is_word);
        let after: Vec<String> = words.cloned().collect();
        let mut bounds = after.splitn(2, |token| token == "and");
        let mut bound = || self.number(bounds.next().unwrap_or_default());
        let (Some(low), Some(high)) = (bound(), bound()) else {
            return Err(invalid("is not between two numbers"));
        };
        let left = self.left(tokens.get(..at).unwrap_or_default(), subject)?;
        let readings = self.readings(&left, &high, is_percent(&after))?;
        let chosen = self.choose(readings, &[&low, &high])?;
        // It would be the mean of the shorter changes.
        if left.is_fall.is_some() && self.is_longer(&chosen.left)? {
            return Err(invalid(
                "has two bounds for the change over a longer period; ask for each",
            ));
        }
        let bounds = [(Op::AtLeast, low), (Op::AtMost, high)];
        let both = bounds
            .map(|(op, bound)| chosen.compare(op, &bound))
            .to_vec();
        Ok(Expr::Call(Function::Op(Op::And), both, 1))
    }

    /// Reads a side: a formula, or a name that means a series or a formula.
    fn side(&mut self, name: &str) -> Result<Expr> {
        let columns = formulas::columns(self.desk, FIELD, name)?;
        let [column] = columns.as_slice() else {
            let problem = "has a side of several columns";
            return Err(Error::invalid(FIELD, self.text, problem, EXAMPLES));
        };
        self.notes.extend(column.note.clone());
        self.named_side(&column.tree)
    }

    /// Returns the series of a tree that is a name, else the tree.
    fn named_side(&mut self, tree: &Expr) -> Result<Expr> {
        if let Expr::Name { name, column } = tree {
            self.series(name, *column)
        } else {
            Ok(tree.clone())
        }
    }

    /// Returns the series of a name. One that is computed here is its formula, and a growth rate that of its level, whose
    /// vintages are held.
    fn series(&mut self, name: &str, column: usize) -> Result<Expr> {
        let resolution = self.desk.resolution(FIELD, name)?;
        let id = resolution.info.id.as_str();
        self.notes.extend(resolution.note.clone());
        let is_own = resolution.info.source.starts_with(identities::OWN);
        let identity = identities::identity(id).filter(|one| is_own && !one.is_average);
        let formula = match identity {
            Some(identity) => identity.formula.to_owned(),
            None if id == GROWTH && !self.has_prints(&resolution.info)? => {
                let note =
                    format!("{GROWTH} is read from the vintages of {LEVEL}, whose growth it is");
                self.notes.push(note);
                format!("pca({LEVEL})")
            }
            None => {
                let name = id.to_owned();
                return Ok(Expr::Name { name, column });
            }
        };
        let tree = expression::parse(&formula)
            .map_err(|fault| formulas::fault_error(FIELD, &formula, &fault))?;
        Ok(match tree.as_transformation() {
            Some((Units::PercentYear, of)) => by_year(of),
            _ => tree,
        })
    }

    fn has_prints(&self, info: &SeriesInfo) -> Result<bool> {
        let revisions = self.desk.revisions(info)?;
        Ok(revisions.is_some_and(|held| !held.prints.is_empty()))
    }

    /// Reads a number with its unit: "3.8 %", "187 thousand", "$27 trillion"; `None` for what is none.
    fn number(&self, tokens: &[String]) -> Option<WrittenNumber> {
        let lower = join(tokens, " ").to_lowercase();
        let written = lower.replace(['$', '%', '+'], "");
        // "4,2" has a decimal comma, "4,200" does not.
        let after_comma = written.split_once(',').map(|(_, after)| after.bytes());
        let is_decimal = after_comma.is_some_and(|b| b.take_while(u8::is_ascii_digit).count() != 3);
        let text = written.replace(',', if is_decimal { "." } else { "" });
        let is_unit = |c: char| !(c.is_ascii_digit() || ".-".contains(c));
        let (digits, unit) = text.split_at(text.find(is_unit).unwrap_or(text.len()));
        let value = digits.parse().ok()?;
        let decimals = digits.split_once('.').map_or(0, |(_, after)| after.len());
        let mut rest = format!(" {} ", unit.trim());
        let mut power = None;
        for [phrase, meaning] in words() {
            let word = format!(" {phrase} ");
            if let Some(exponent) = meaning.strip_prefix('e').filter(|_| rest.contains(&word)) {
                rest = rest.replace(&word, " ");
                let own: Option<i32> = exponent.parse().ok();
                power = own.map(|own| own + power.unwrap_or(0)).or(power);
            }
        }
        rest.trim().is_empty().then_some(WrittenNumber {
            value,
            decimals: i32::try_from(decimals).unwrap_or(9),
            power,
        })
    }

    /// Returns the power of ten in which a side is measured.
    fn power(&self, side: &Expr) -> Result<i32> {
        if let Some(name) = side.as_name() {
            let info = self.desk.resolve(FIELD, name)?;
            return Ok(Unit::parse(&info.units_short, &info.units).power());
        }
        let Expr::Call(function, arguments, _) = side else {
            return Ok(0);
        };
        let is_change = matches!(function, Function::Units(units) if units.is_in_own_unit());
        let is_same_unit =
            is_change || matches!(function, Function::MovingAverage(_) | Function::Lag(_));
        let argument = arguments.first().filter(|_| is_same_unit);
        argument.map_or(Ok(0), |side| self.power(side))
    }
}
