//! Reads a name: item and head, transforms, exclusions, operators in their order.
//!
//! Every word is read once. A name whose words are not all read has no reading, so that a part is never taken for the
//! whole and no sign, operator or change is lost.

use super::register::{NameTable, Target, significant, suggest};
use super::words::{Kind, Token, unit};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::Choices;
use econoscope_core::error::{Error, Result, Suggestion, quote};
use econoscope_core::indicators::identities;
use econoscope_core::model::table;
use econoscope_core::model::{Frequency, SeriesInfo};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// A series or formula that a name, or one side of it, means.
#[derive(Debug, Clone)]
pub struct Part {
    /// Identifier or formula.
    pub formula: String,
    /// The series, if it is one.
    pub info: Option<Arc<SeriesInfo>>,
    /// What an ambiguous name may mean besides.
    pub(super) choices: Option<&'static Choices>,
    /// Words that are not part of the meaning: times.
    pub(super) unread: Vec<String>,
    /// "%" for every rate; else the short unit.
    unit: String,
}

impl Part {
    pub(super) fn series(info: &Arc<SeriesInfo>) -> Self {
        let is_rate = info.units_short.starts_with('%') || info.units_short == "pp";
        Self {
            formula: info.id.to_string(),
            unit: if is_rate {
                "%".into()
            } else {
                info.units_short.clone()
            },
            info: Some(Arc::clone(info)),
            choices: None,
            unread: Vec::new(),
        }
    }

    pub(super) fn formula(formula: &str, unit: &str) -> Self {
        match identified(formula).and_then(|id| Catalogue::embedded().get(id)) {
            Some(info) => Self::series(info),
            None => Self {
                formula: formula.to_owned(),
                info: None,
                choices: None,
                unread: Vec::new(),
                unit: unit.to_owned(),
            },
        }
    }

    fn target(target: Target) -> Result<Self> {
        Ok(match target {
            Target::Series(info) => Self::series(info),
            Target::Formula(formula) => Self::formula(formula, ""),
            Target::Choices(choices) => Self::usual(choices.name, choices)?,
            Target::Absent(_) => return Err(Error::internal("a name of nothing", "the register")),
        })
    }

    /// Takes the usual meaning of an ambiguous name.
    pub(super) fn usual(name: &str, choices: &'static Choices) -> Result<Self> {
        match *Target::Choices(choices).series() {
            [only] if choices.has_default => Ok(Self {
                choices: Some(choices),
                ..Self::series(only)
            }),
            _ => Err(Error::Ambiguous {
                name: quote(name),
                choices: choices.candidates.clone(),
            }),
        }
    }

    fn is_index(&self) -> bool {
        self.unit == "index" || self.unit == "$/hour"
    }

    /// Whether its figures are changes over a year.
    fn is_yearly(&self) -> bool {
        let is_change = |info: &Arc<SeriesInfo>| {
            info.units.starts_with("Percent change") || info.units_short == "% ann"
        };
        self.info.as_ref().is_some_and(is_change) || self.formula.starts_with("yoy(")
    }

    fn call(&self, function: &str, count: Option<u32>, unit: &str) -> Self {
        let count = count.map_or(String::new(), |count| format!(",{count}"));
        let called = Self::formula(&format!("{function}({}{count})", self.formula), unit);
        Self {
            choices: self.choices,
            unread: self.unread.clone(),
            ..called
        }
    }

    /// Applies a transform; `None` if the figures have no such change.
    fn apply(self, transform: &str) -> Option<Self> {
        let is_rate = self.unit == "%";
        let frequency = self.info.as_ref().map(|info| info.frequency);
        Some(match transform {
            "yoy" | "growth" | "inflation" if self.is_yearly() => self,
            "yoy" if is_rate => self.call("ch1", None, "%"),
            "yoy" | "growth" if !is_rate => self.call("yoy", None, "%"),
            "inflation" if has_prices(self.info.as_deref()?) => self.call("yoy", None, "%"),
            "chg" if !self.is_index() => self.call("chg", None, &self.unit),
            "mom" | "qoq" if is_rate && !self.is_yearly() => self.call("chg", None, "%"),
            "mom" if frequency? == Frequency::Monthly && !is_rate => self.call("mom", None, "%"),
            "chg" if frequency? == Frequency::Monthly => self.call("mom", None, "%"),
            "mom" | "qoq" | "chg" if !is_rate => self.call("pch", None, "%"),
            "ann" if !is_rate => self.call("pca", None, "%"),
            "nsa"
                if self
                    .info
                    .as_ref()
                    .is_some_and(|info| !info.seasonally_adjusted) =>
            {
                self
            }
            "nsa" => Self::formula(identified(&format!("nsa({})", self.formula))?, ""),
            _ => self.at(transform.strip_prefix("freq ")?.parse().ok()?)?,
        })
    }

    /// Returns the average over the periods of a frequency, if that is a series.
    fn at(self, frequency: Frequency) -> Option<Self> {
        let info = self.info.as_ref()?;
        let average =
            identities::averages(&info.id, frequency).filter(|_| info.frequency < frequency);
        let is_same = info.frequency == frequency;
        let mut part = average.map_or_else(
            || self.clone(),
            |info| Self {
                choices: None,
                ..Self::series(&info)
            },
        );
        if part.formula == self.formula && !is_same {
            part.unread.push(frequency.word().to_owned());
        }
        Some(part)
    }

    /// Applies a transform over a number of periods.
    fn over(self, transform: &str, tenor: &str) -> Option<Self> {
        let (number, letter) = unit(tenor)?;
        let frequency = self.info.as_ref()?.frequency;
        let of = match letter {
            'd' => Frequency::Daily,
            'w' => Frequency::Weekly,
            'm' => Frequency::Monthly,
            'q' => Frequency::Quarterly,
            _ => Frequency::Annual,
        };
        let unit = self.unit.clone();
        match transform {
            _ if of != frequency || number < 2 => None,
            "ma" | "average" => Some(self.call("ma", Some(number), &unit)),
            "ann" if unit != "%" => Some(self.call("ann", Some(number), "%")),
            _ => None,
        }
    }

    fn enclosed(&self) -> String {
        if self.formula.contains(['-', '+', '/', '*']) && !self.formula.ends_with(')') {
            format!("({})", self.formula)
        } else {
            self.formula.clone()
        }
    }
}

/// Returns the series that a formula is, with a minus before it if its sides are in the other order.
fn identified(formula: &str) -> Option<&'static str> {
    static IDS: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
        let own = identities::all().filter(|(_, identity)| !identity.is_average);
        let own = own.map(|(id, identity)| (identity.formula.to_owned(), id));
        let rows =
            table::rows(include_str!("../../data/equal.csv")).filter_map(|(_, row)| row.ok());
        own.chain(rows.map(|[formula, id]: [&'static str; 2]| (formula.to_owned(), id)))
            .collect()
    });
    IDS.get(formula).copied()
}

fn has_prices(info: &SeriesInfo) -> bool {
    let is_price = info.category == "inflation" && info.units_short == "index";
    let is_quoted = ["commodities", "equities", "crypto"].contains(&info.category.as_str());
    is_price
        || is_quoted
        || info.title.contains("Price")
        || info.title.contains("Case-Shiller")
        || info.units_short == "$/hour"
}

/// Whether a head may be added to the name of a series.
fn fits(head: &Token, target: Target) -> bool {
    let fits = |info: &Arc<SeriesInfo>| {
        let is_rate = info.units_short.starts_with('%');
        match head.text.as_str() {
            "rate" => is_rate || info.category == "fx",
            "index" => info.units_short == "index" || info.units_short == "0-100",
            "price" => {
                has_prices(info)
                    && info.units_short != "$/hour"
                    && !info.title.contains("Volatility")
            }
            "spot" => ["commodities", "equities", "fx", "crypto"].contains(&info.category.as_str()),
            "level" => !is_rate || info.category == "rates",
            "nominal" => !info.title.contains("Real ") && !info.title.contains("Core"),
            "amount" => !is_rate && info.units_short != "index",
            "bond" => info.category == "rates",
            _ => true,
        }
    };
    match target {
        Target::Formula(_) => head.text == "total",
        target => target.series().into_iter().all(fits),
    }
}

/// Returns the name of exactly these words: all of them, or without courtesies, times and heads that fit.
fn item(tokens: &[Token]) -> Result<Option<Part>> {
    let table = NameTable::embedded();
    // "2y and 10y" are two columns, not their difference.
    let has_and = tokens
        .iter()
        .any(|token| token.kind == Kind::Operator && token.text == "and" && token.typed != "/");
    let find = |is_read: &dyn Fn(&Token) -> bool| {
        let targets = table.find(&significant(tokens.iter().filter(|token| is_read(token))));
        targets
            .first()
            .copied()
            .filter(|target| !has_and || !target.is_difference())
    };
    let is_courtesy = |token: &Token| token.kind == Kind::Filler;
    let is_time = |token: &Token| token.kind == Kind::Time;
    let kept = || tokens.iter().filter(|token| is_courtesy(token));
    let exact = find(&|_| true)
        .or_else(|| kept().find_map(|kept| find(&|token| !is_courtesy(token) || token == kept)))
        .or_else(|| find(&|token| !is_courtesy(token)))
        .map(|target| (target, false));
    let timeless = || find(&|token| !is_courtesy(token) && !is_time(token));
    let heads: Vec<&Token> = tokens
        .iter()
        .filter(|token| token.kind == Kind::Head)
        .collect();
    let headless = |left: &[&Token]| {
        let target =
            find(&|token| !is_courtesy(token) && !is_time(token) && !left.contains(&token))?;
        left.iter().all(|head| fits(head, target)).then_some(target)
    };
    let found = exact.or_else(|| {
        let each = || heads.iter().find_map(|head| headless(&[*head]));
        let target = timeless().or_else(each).or_else(|| headless(&heads))?;
        Some((target, true))
    });
    let Some((target, is_timeless)) = found else {
        return Ok(None);
    };
    let mut part = Part::target(target)?;
    if is_timeless {
        part.unread.extend(
            tokens
                .iter()
                .filter(|token| is_time(token))
                .map(|token| token.typed.clone()),
        );
    }
    Ok(Some(part))
}

fn without(tokens: &[Token], left_out: &[usize]) -> Vec<Token> {
    let kept = tokens
        .iter()
        .enumerate()
        .filter(|(index, _)| !left_out.contains(index));
    kept.map(|(_, token)| token.clone()).collect()
}

/// Reads a name without operators: an item with transforms.
pub(super) fn single(tokens: &[Token]) -> Result<Option<Part>> {
    if let Some(part) = item(tokens)? {
        return Ok(Some(part));
    }
    let tenor = tokens.iter().rposition(|token| token.kind == Kind::Tenor);
    for index in (0..tokens.len()).rev() {
        let Some(token) = tokens.get(index) else {
            continue;
        };
        let is_transform = token.kind == Kind::Transform;
        if let Some(at) = tenor.filter(|_| is_transform || token.typed.starts_with("av"))
            && let Some(over) = tokens.get(at)
            && let Some(part) = item(&without(tokens, &[index, at]))?
            && let Some(part) = part.over(&token.text, &over.text)
        {
            return Ok(Some(part));
        }
        if !is_transform {
            continue;
        }
        let rest = without(tokens, &[index]);
        let part = match token.text.as_str() {
            "inflation" => of_prices(&rest)?,
            _ => single(&rest)?,
        };
        if let Some(part) = part.and_then(|part| part.apply(&token.text)) {
            return Ok(Some(part));
        }
    }
    Ok(None)
}

/// Reads what inflation is of: an item of the consumer price index, or else of other prices.
fn of_prices(tokens: &[Token]) -> Result<Option<Part>> {
    for head in ["cpi", "price"] {
        let head = Token {
            text: head.into(),
            typed: head.into(),
            kind: Kind::Word,
        };
        let named = [tokens, &[head]].concat();
        if let Some(part) = item(&named)? {
            return Ok(Some(part));
        }
    }
    single(tokens)
}

/// The operators, the loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Columns,
    Minus,
    Plus,
    Over,
    Share,
}

impl Operator {
    fn parse(token: &Token) -> Option<Self> {
        Some(match token.text.as_str() {
            "and" | "pair" => Self::Columns,
            "minus" | "less" | "difference" => Self::Minus,
            "plus" => Self::Plus,
            "over" | "per" | "ratio" => Self::Over,
            "share" => Self::Share,
            _ => return None,
        })
    }
}

/// Reads a name: one part, or several columns. `None` where a word is not read.
///
/// # Errors
/// [`Error::Ambiguous`] for a name without a usual meaning.
pub(super) fn parts(tokens: &[Token]) -> Result<Option<Vec<Part>>> {
    if let Some(part) = single(tokens)? {
        return Ok(Some(vec![part]));
    }
    let is_courtesy = |token: &&Token| matches!(token.kind, Kind::Stop | Kind::Filler);
    let before = tokens.iter().take_while(is_courtesy).count();
    let first = tokens
        .get(before)
        .filter(|token| ["difference", "ratio", "pair"].contains(&token.text.as_str()));
    if let Some(operator) = first.and_then(Operator::parse) {
        let body = tokens.get(before + 1..).unwrap_or(&[]);
        let is_between = |token: &Token| token.text == "and" || token.typed == "to";
        let found = (0..body.len()).filter(|at| body.get(*at).is_some_and(is_between));
        return Ok(found.into_iter().find_map(|at| sides(operator, body, at)));
    }
    let is_ratio = tokens.iter().any(|token| token.typed == "ratio");
    let without_ratio: Vec<Token> = tokens
        .iter()
        .filter(|token| token.typed != "ratio")
        .cloned()
        .collect();
    let tokens = if is_ratio {
        without_ratio.as_slice()
    } else {
        tokens
    };
    let read = |wanted: &[Operator]| {
        let found = (0..tokens.len()).rev().filter_map(|at| {
            let token = tokens.get(at)?;
            let operator = Operator::parse(token)
                .filter(|_| matches!(token.kind, Kind::Operator | Kind::Except));
            let operator =
                operator.or((is_ratio && token.typed == "to").then_some(Operator::Over))?;
            wanted.contains(&operator).then_some((operator, at))
        });
        found
            .into_iter()
            .find_map(|(operator, at)| sides(operator, tokens, at))
    };
    Ok(read(&[Operator::Columns])
        .or_else(|| read(&[Operator::Minus, Operator::Plus]))
        .or_else(|| read(&[Operator::Over, Operator::Share])))
}

/// Reads both sides of an operator. What one side lacks it has from the other: "core and headline cpi".
fn sides(operator: Operator, tokens: &[Token], at: usize) -> Option<Vec<Part>> {
    let left = tokens.get(..at)?;
    let right = tokens.get(at + 1..)?;
    let read = |tokens: &[Token]| parts(tokens).ok().flatten();
    let borrowed_left =
        || (1..right.len()).find_map(|from| read(&[left, right.get(from..)?].concat()));
    let borrowed_right = || {
        (1..left.len())
            .rev()
            .find_map(|to| read(&[left.get(..to)?, right].concat()))
    };
    let has_words = |tokens: &[Token]| tokens.iter().any(|token| !matches!(token.kind, Kind::Stop));
    if !has_words(left) || !has_words(right) {
        return None;
    }
    let mut left = read(left).or_else(borrowed_left)?;
    let right = read(right).or_else(borrowed_right)?;
    if operator == Operator::Columns {
        left.extend(right);
        return Some(left);
    }
    match (left.as_slice(), right.as_slice()) {
        ([left], [right]) => Some(vec![combine(operator, left, right)?]),
        _ => None,
    }
}

fn combine(operator: Operator, left: &Part, right: &Part) -> Option<Part> {
    let is_rate = |part: &Part| part.unit == "%";
    // A change over a year is compared with one.
    if matches!(operator, Operator::Minus | Operator::Plus) && is_rate(left) != is_rate(right) {
        let yearly = |part: &Part| {
            if is_rate(part) {
                Some(part.clone())
            } else {
                part.clone().apply("yoy")
            }
        };
        return combine(operator, &yearly(left)?, &yearly(right)?);
    }
    let a = left.enclosed();
    let b = right.enclosed();
    let is_amount = |part: &Part| part.unit.starts_with('$') && !part.unit.contains('/');
    let is_alike = left.unit == right.unit
        || is_amount(left) && is_amount(right)
        || left.unit.is_empty()
        || right.unit.is_empty();
    let mut part = match operator {
        Operator::Minus if is_alike => match identified(&format!("{b}-{a}")) {
            Some(id) => Part::formula(&format!("-{id}"), &left.unit),
            None => Part::formula(&format!("{a}-{b}"), &left.unit),
        },
        Operator::Plus if is_alike => Part::formula(&format!("{a}+{b}"), &left.unit),
        Operator::Over => match identified(&format!("100*{a}/{b}")) {
            Some(id) => Part::formula(id, "%"),
            None => Part::formula(&format!("{a}/{b}"), "ratio"),
        },
        Operator::Share => Part::formula(&format!("100*{a}/{b}"), "%"),
        Operator::Minus | Operator::Plus | Operator::Columns => return None,
    };
    part.unread
        .extend(left.unread.iter().chain(&right.unread).cloned());
    Some(part)
}

/// Returns why a name has no reading, with the nearest series: the entry of the register; a place or group that the series
/// do not tell apart; or, unless `is_exact`, an entry with some of its words, or the words that are not read.
pub(super) fn refusal(tokens: &[Token], is_exact: bool) -> Option<(String, Vec<Suggestion>)> {
    let table = NameTable::embedded();
    let read = |left_out: &[Kind]| {
        significant(
            tokens
                .iter()
                .filter(|token| !left_out.contains(&token.kind)),
        )
    };
    let words = read(&[Kind::Filler, Kind::Time]);
    let heads = [Kind::Filler, Kind::Time, Kind::Head];
    let changes = [Kind::Filler, Kind::Time, Kind::Head, Kind::Transform];
    let all = [read(&[]), words.clone(), read(&heads), read(&changes)];
    if let Some(Target::Absent(absent)) = all.iter().find_map(|words| table.find_absent(words)) {
        return Some(absent_reason(absent));
    }
    if is_exact {
        return None;
    }
    let is_part = |token: &&Token| matches!(token.kind, Kind::Place | Kind::Group);
    if let Some(place) = tokens.iter().find(is_part) {
        let rest: Vec<Token> = tokens
            .iter()
            .filter(|token| !is_part(token))
            .cloned()
            .collect();
        if let Some(parts) = parts(&rest).ok().flatten() {
            let why = format!("no series here is of {} alone", place.text);
            return Some((
                why,
                suggest(parts.iter().filter_map(|part| part.info.as_ref())),
            ));
        }
    }
    if let Some(Target::Absent(absent)) = table.find_absent_within(&words) {
        return Some(absent_reason(absent));
    }
    let nearest = table.nearest(&words);
    let is_told = |token: &&Token| !matches!(token.kind, Kind::Stop | Kind::Filler | Kind::Time);
    let unknown: Vec<&str> = tokens
        .iter()
        .filter(is_told)
        .filter(|token| !table.is_known(&token.text))
        .map(|t| t.typed.as_str())
        .collect();
    let why = match unknown.as_slice() {
        [] => "no series here is exactly that".to_owned(),
        words => format!("no series here is of \"{}\"", words.join(" ")),
    };
    (!nearest.is_empty()).then(|| (why, suggest(nearest)))
}

fn absent_reason(absent: &'static super::register::Absent) -> (String, Vec<Suggestion>) {
    let differs = match absent.differs {
        "" => String::new(),
        differs => format!("; the nearest here {differs}"),
    };
    (
        format!("{}{differs}", absent.why),
        suggest(Target::Absent(absent).series()),
    )
}
