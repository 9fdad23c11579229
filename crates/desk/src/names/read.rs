//! Reads a name: item and head, transforms, exclusions, operators in their order.
//!
//! Every word is read once. A name whose words are not all read has no reading, so that a part is never taken for the
//! whole and no sign, operator or change is lost.

use super::parts::{Asked, Wholes};
use super::register::{Absent, NameTable, Target, significant, suggest};
use super::words::{Kind, Token, unit};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::Choices;
use econoscope_core::error::{Error, Result, Suggestion, quote};
use econoscope_core::indicators::identities;
use econoscope_core::indicators::prose::enclosed;
use econoscope_core::model::{Frequency, SeriesInfo, table};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};
use strum::EnumString;

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
            unit: if is_rate { "%" } else { &info.units_short }.to_owned(),
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

    /// Takes the usual meaning of an ambiguous name.
    pub(super) fn usual(name: &str, choices: &'static Choices) -> Result<Self> {
        match *Target::Choices(choices).series() {
            [only] if choices.has_default => Ok(Self {
                choices: Some(choices),
                ..Self::series(only)
            }),
            _ => Err(Error::Ambiguous {
                name: quote(name),
                problem: "is ambiguous",
                choices: choices.candidates.clone(),
            }),
        }
    }

    /// Whether its figures are changes over a year.
    fn is_yearly(&self) -> bool {
        let is_change = |info: &Arc<SeriesInfo>| info.units.starts_with("Percent change");
        self.info.as_ref().is_some_and(is_change) || self.formula.starts_with("yoy(")
    }

    fn call(&self, function: &str, unit: &str) -> Self {
        let argument = format!("({})", self.formula);
        Self {
            choices: self.choices,
            unread: self.unread.clone(),
            ..Self::formula(&function.replace("()", &argument), unit)
        }
    }

    /// Applies a transform; `None` if the figures have no such change.
    fn apply(self, transform: &str) -> Option<Self> {
        let is_rate = self.unit == "%";
        let info = self.info.as_deref();
        let is_adjusted = info.is_some_and(|info| info.seasonally_adjusted);
        let is_monthly = info.is_some_and(|info| info.frequency == Frequency::Monthly);
        let function = match transform {
            "yoy" | "growth" | "inflation" if self.is_yearly() => return Some(self),
            "nsa" if !is_adjusted && self.info.is_some() => return Some(self),
            "nsa" => {
                let id = identified(&format!("nsa({})", self.formula))?;
                return Catalogue::embedded().get(id).map(Self::series);
            }
            "inflation" if !has_prices(self.info.as_deref()?) => return None,
            "yoy" if is_rate => "ch1()",
            "mom" | "qoq" | "chg" if is_rate => "chg()",
            "growth" | "inflation" | "ann" if is_rate => return None,
            "yoy" | "growth" | "inflation" => "yoy()",
            "chg" if !["index", "$/hour"].contains(&self.unit.as_str()) => "chg()",
            "mom" | "chg" if is_monthly => "mom()",
            "mom" | "qoq" | "chg" => "pch()",
            "ann" => "pca()",
            _ => return self.at(transform.strip_prefix("freq ")?.parse().ok()?),
        };
        let unit = if function == "chg()" {
            self.unit.as_str()
        } else {
            "%"
        };
        Some(self.call(function, unit))
    }

    /// Returns the average over the periods of a frequency; a slower series is as it is, and says so.
    fn at(mut self, frequency: Frequency) -> Option<Self> {
        let info = self.info.clone()?;
        if info.frequency < frequency {
            return identities::averages(&info.id, frequency).map(|info| Self::series(&info));
        }
        if info.frequency > frequency {
            self.unread.push(frequency.word().to_owned());
        }
        Some(self)
    }

    /// Applies a transform over a number of its periods.
    fn over(self, transform: &str, tenor: &str) -> Option<Self> {
        let (number, letter) = unit(tenor)?;
        let period = self.info.as_ref()?.frequency.word().chars().next()?;
        let function = match transform {
            "ma" | "average" => "ma",
            "ann" if self.unit != "%" => "ann",
            _ => return None,
        };
        let unit = if function == "ma" {
            self.unit.as_str()
        } else {
            "%"
        };
        let call = format!("{function}({},{number})", self.formula);
        (letter == period && number > 1).then(|| self.call(&call, unit))
    }

    /// The formula as a side of an operator.
    fn side(&self) -> String {
        match &self.info {
            None if !self.formula.ends_with(')') => format!("({})", self.formula),
            _ => self.formula.clone(),
        }
    }
}

/// Returns the series that a formula is.
fn identified(formula: &str) -> Option<&'static str> {
    static IDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let exact = identities::all().filter(|(_, identity)| !identity.is_average);
        let own = exact.map(|(id, identity)| (identity.formula, id));
        let other = table::embedded(include_str!("../../data/equal.csv")).map(<(_, _)>::from);
        own.chain(other).collect()
    });
    IDS.get(formula).copied()
}

/// Whether the figures are of these categories.
fn is_of(info: &SeriesInfo, categories: &[&str]) -> bool {
    categories.contains(&info.category.as_str())
}

fn has_prices(info: &SeriesInfo) -> bool {
    is_of(info, &["inflation"]) && info.units_short == "index"
        || is_of(info, &["commodities", "equities", "crypto"])
        || ["Price", "Case-Shiller"]
            .iter()
            .any(|word| info.title.contains(word))
        || info.units_short == "$/hour"
}

/// Whether a head may be added to the name of a series.
fn fits(head: &str, info: &SeriesInfo) -> bool {
    let is_rate = info.units_short.starts_with('%');
    match head {
        "rate" => is_rate || is_of(info, &["fx"]),
        "index" => ["index", "0-100"].contains(&info.units_short.as_str()),
        "price" => has_prices(info) && info.units_short != "$/hour",
        "spot" => is_of(info, &["commodities", "equities", "fx", "crypto"]),
        "level" => !is_rate || is_of(info, &["rates"]),
        "nominal" => !info.title.contains("Real ") && !info.title.contains("Core"),
        "amount" => !is_rate && info.units_short != "index",
        "bond" => is_of(info, &["rates"]),
        _ => true,
    }
}

/// Items that may still be looked up for a name. Each transform may apply to what another one gives, and each operator may
/// divide a name in two, so that eighty characters could be read in more ways than there is time for.
type Lookups = Cell<usize>;
/// Most items that are looked up for one name.
const MAX_LOOKUPS: usize = 96;

/// Returns the name of exactly these words: all of them, or without courtesies, times and heads that fit.
fn item(tokens: &[Token], lookups: &Lookups) -> Result<Option<Part>> {
    lookups.set(lookups.get().saturating_sub(1));
    let table = NameTable::embedded();
    // "2y and 10y" are two columns, not their difference.
    let is_and = |token: &Token| token.text == "and" && token.typed != "/";
    let has_and = tokens.iter().any(is_and);
    let find = |is_read: &dyn Fn(&Token) -> bool| {
        let words = significant(tokens.iter().filter(|token| is_read(token)));
        let found = table.find(&words);
        found.filter(|target| !has_and || !target.is_difference())
    };
    let is_told = |token: &Token| token.kind != Kind::Filler;
    let is_timeless = |token: &Token| is_told(token) && token.kind != Kind::Time;
    let without = |heads: &[&Token]| {
        let target = find(&|token| is_timeless(token) && !heads.contains(&token))?;
        let series = target.series();
        let fits = |head: &&Token| series.iter().all(|info| fits(&head.text, info));
        heads.iter().all(fits).then_some(target)
    };
    let heads: Vec<&Token> = tokens.iter().filter(|t| t.kind == Kind::Head).collect();
    let mut fillers = tokens.iter().filter(|token| !is_told(token));
    let exact = find(&|_| true)
        .or_else(|| fillers.find_map(|kept| find(&|token| is_told(token) || token == kept)))
        .or_else(|| find(&is_told));
    let target = exact
        .or_else(|| find(&is_timeless))
        .or_else(|| heads.iter().find_map(|head| without(&[head])))
        .or_else(|| without(&heads));
    let mut part = match target {
        Some(Target::Series(info)) => Part::series(info),
        Some(Target::Formula(formula)) => Part::formula(formula, ""),
        Some(Target::Choices(choices)) => Part::usual(choices.name, choices)?,
        None => return local(tokens, lookups),
    };
    if exact.is_none() {
        let times = tokens.iter().filter(|token| token.kind == Kind::Time);
        part.unread.extend(times.map(|token| token.typed.clone()));
    }
    Ok(Some(part))
}

/// Reads the name of a place's or group's series.
///
/// # Errors
/// [`Error::Ambiguous`] if several places have the name.
fn local(tokens: &[Token], lookups: &Lookups) -> Result<Option<Part>> {
    let Some(asked) = Asked::new(tokens) else {
        return Ok(None);
    };
    let whole = match item(&asked.rest, lookups) {
        Ok(None) if asked.bare.len() < asked.rest.len() => item(&asked.bare, lookups),
        whole => whole,
    };
    let read = whole.map(|part| part.into_iter().collect::<Vec<_>>());
    let unread = (read.iter().flatten())
        .flat_map(|part| part.unread.clone())
        .collect();
    let found = asked.formulas(&wholes(read)?);
    Ok(one_of(tokens, &found)?.map(|part| Part { unread, ..part }))
}

/// Returns the only formula.
///
/// # Errors
/// [`Error::Ambiguous`] for several.
fn one_of(tokens: &[Token], found: &[(String, &Arc<SeriesInfo>)]) -> Result<Option<Part>> {
    Ok(match found {
        [] => None,
        [(formula, info)] if info.id.as_str() == formula => Some(Part::series(info)),
        [(formula, _)] => Some(Part::formula(formula, "%")),
        several => {
            let infos = several.iter().map(|(_, info)| *info);
            return Err(Error::Ambiguous {
                name: quote(&typed(tokens)),
                problem: "is ambiguous",
                choices: suggest(infos),
            });
        }
    })
}

/// Returns the series or formulas that were read, and what else an ambiguous name may mean.
fn wholes(read: Result<Vec<Part>>) -> Result<Wholes> {
    let ids = |choices: &[Suggestion]| choices.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    match read {
        Ok(parts) => Ok(Wholes {
            others: (parts.iter().filter_map(|part| part.choices))
                .flat_map(|choices| ids(&choices.candidates))
                .collect(),
            usual: parts.into_iter().map(|part| part.formula).collect(),
        }),
        Err(Error::Ambiguous { choices, .. }) => Ok(Wholes {
            usual: Vec::new(),
            others: ids(&choices),
        }),
        Err(error) => Err(error),
    }
}

fn typed(tokens: &[Token]) -> String {
    let words: Vec<&str> = tokens.iter().map(|token| token.typed.as_str()).collect();
    words.join(" ")
}

fn without(tokens: &[Token], left_out: &[usize]) -> Vec<Token> {
    let kept = (0..).zip(tokens).filter(|(at, _)| !left_out.contains(at));
    kept.map(|(_, token)| token.clone()).collect()
}

/// Reads a name without operators: an item with transforms.
///
/// # Errors
/// [`Error::Ambiguous`] for an item without a usual meaning.
pub(super) fn single(tokens: &[Token]) -> Result<Option<Part>> {
    match transformed(tokens, &Lookups::new(MAX_LOOKUPS))? {
        Some(part) => Ok(Some(part)),
        None => alone(tokens),
    }
}

/// Reads a place or group that stands alone or with heads: "rate for Black women 20+".
///
/// # Errors
/// [`Error::Ambiguous`] if several series are of it.
fn alone(tokens: &[Token]) -> Result<Option<Part>> {
    let is_bare = |token: &Token| matches!(token.kind, Kind::Stop | Kind::Filler | Kind::Head);
    let Some(asked) = Asked::new(tokens).filter(|asked| asked.bare.iter().all(is_bare)) else {
        return Ok(None);
    };
    let heads = || asked.bare.iter().filter(|token| token.kind == Kind::Head);
    let fit = |info: &&Arc<SeriesInfo>| heads().all(|head| fits(&head.text, info));
    let series = asked.series().into_iter().filter(fit);
    let found: Vec<_> = series.map(|info| (info.id.to_string(), info)).collect();
    one_of(tokens, &found)
}

fn transformed(tokens: &[Token], lookups: &Lookups) -> Result<Option<Part>> {
    if lookups.get() == 0 {
        return Ok(None);
    }
    if let Some(part) = item(tokens, lookups)? {
        return Ok(Some(part));
    }
    let mut tenors = tokens.iter().enumerate().rev();
    let tenor = tenors.find(|(_, token)| token.kind == Kind::Tenor);
    for (index, token) in tokens.iter().enumerate().rev() {
        let is_transform = token.kind == Kind::Transform;
        let is_average = token.typed.starts_with("av");
        if let Some((at, tenor)) = tenor.filter(|_| is_transform || is_average)
            && let Ok(Some(part)) = item(&without(tokens, &[index, at]), lookups)
            && let Some(part) = part.over(&token.text, &tenor.text)
        {
            return Ok(Some(part));
        }
        let rest = without(tokens, &[index]);
        let part = match token.text.as_str() {
            _ if !is_transform => None,
            "inflation" => of_prices(&rest, lookups)?,
            _ => transformed(&rest, lookups)?,
        };
        if let Some(part) = part.and_then(|part| part.apply(&token.text)) {
            return Ok(Some(part));
        }
    }
    Ok(None)
}

/// Reads what inflation is of: an item of the consumer price index, or else of other prices.
fn of_prices(tokens: &[Token], lookups: &Lookups) -> Result<Option<Part>> {
    for head in ["cpi", "price"] {
        let (text, typed) = (head.to_owned(), head.to_owned());
        let kind = Kind::Word;
        if let Some(part) = item(&[tokens, &[Token { text, typed, kind }]].concat(), lookups)? {
            return Ok(Some(part));
        }
    }
    transformed(tokens, lookups)
}

/// The operators, the loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
enum Operator {
    #[strum(serialize = "and", serialize = "pair")]
    Columns,
    #[strum(serialize = "minus", serialize = "less", serialize = "difference")]
    Minus,
    Plus,
    #[strum(serialize = "over", serialize = "ratio")]
    Over,
    Share,
}

/// Reads a name: one part, or several columns. `None` where a word is not read.
///
/// # Errors
/// As [`single`].
pub(super) fn parts(tokens: &[Token]) -> Result<Option<Vec<Part>>> {
    let mut columns = divided(tokens, &Lookups::new(MAX_LOOKUPS))?;
    // What a side lacks it may have from a side that is a column already: "in Texas, Ohio and Florida".
    let mut read = HashSet::new();
    if let Some(columns) = &mut columns {
        columns.retain(|part| read.insert(part.formula.clone()));
    }
    Ok(columns)
}

fn divided(tokens: &[Token], lookups: &Lookups) -> Result<Option<Vec<Part>>> {
    if let Some(part) = transformed(tokens, lookups)? {
        return Ok(Some(vec![part]));
    }
    if lookups.get() == 0 {
        return Ok(None);
    }
    let is_courtesy = |token: &&Token| matches!(token.kind, Kind::Stop | Kind::Filler);
    let before = tokens.iter().take_while(is_courtesy).count();
    let body = tokens.get(before + 1..).unwrap_or(&[]);
    let first = tokens.get(before).map_or("", |token| token.text.as_str());
    if let "difference" | "ratio" | "pair" = first
        && let Ok(operator) = first.parse()
    {
        let is_between = |token: &Token| token.text == "and" || token.typed == "to";
        let mut found = (0..body.len()).filter(|at| body.get(*at).is_some_and(is_between));
        return Ok(found.find_map(|at| sides(operator, body, at, lookups)));
    }
    let is_ratio = tokens.iter().any(|token| token.typed == "ratio");
    let told = tokens.iter().filter(|token| token.typed != "ratio");
    let tokens: &[Token] = &told.cloned().collect::<Vec<_>>();
    let read = |wanted: &[Operator]| {
        (0..tokens.len()).rev().find_map(|at| {
            let token = tokens.get(at)?;
            let is_over = is_ratio && token.typed == "to";
            let text = if is_over { "over" } else { token.text.as_str() };
            let operator = text.parse().ok().filter(|read| wanted.contains(read))?;
            sides(operator, tokens, at, lookups)
        })
    };
    Ok(read(&[Operator::Columns])
        .or_else(|| read(&[Operator::Minus, Operator::Plus]))
        .or_else(|| read(&[Operator::Over, Operator::Share])))
}

/// Reads both sides of an operator. What one side lacks it has from the other: "core and headline cpi".
fn sides(operator: Operator, tokens: &[Token], at: usize, lookups: &Lookups) -> Option<Vec<Part>> {
    let left = tokens.get(..at)?;
    let right = tokens.get(at + 1..)?;
    let read = |one: &[Token], other: &[Token]| {
        let both = [one, other].concat();
        divided(&both, lookups).ok().flatten()
    };
    let from_right = || (1..right.len()).find_map(|from| read(left, right.get(from..)?));
    let mut ends = (1..left.len()).rev();
    let from_left = || ends.find_map(|to| read(left.get(..to)?, right));
    let is_empty = |side: &[Token]| side.iter().all(|token| token.kind == Kind::Stop);
    if is_empty(left) || is_empty(right) {
        return None;
    }
    let first = read(left, &[]).or_else(from_right)?;
    let second = read(right, &[]).or_else(from_left)?;
    match (first.as_slice(), second.as_slice()) {
        _ if operator == Operator::Columns => Some([first, second].concat()),
        ([first], [second]) => Some(vec![combine(operator, first, second)?]),
        _ => None,
    }
}

fn combine(operator: Operator, left: &Part, right: &Part) -> Option<Part> {
    let is_rate = |part: &Part| part.unit == "%";
    let is_sum = matches!(operator, Operator::Minus | Operator::Plus);
    // A change over a year is compared with one.
    if is_sum && is_rate(left) != is_rate(right) {
        let yearly = |part: &Part| {
            let is_change = is_rate(part).then(|| part.clone());
            is_change.or_else(|| part.clone().apply("yoy"))
        };
        return combine(operator, &yearly(left)?, &yearly(right)?);
    }
    let is_amount = |part: &Part| part.unit.starts_with('$') && !part.unit.contains('/');
    let are_alike = left.unit == right.unit || is_amount(left) && is_amount(right);
    let is_unknown = left.unit.is_empty() || right.unit.is_empty();
    if is_sum && !are_alike && !is_unknown {
        return None;
    }
    let [a, b] = [left.side(), right.side()];
    let reversed = || identified(&format!("{b}-{a}"));
    let percent = format!("100*{a}/{b}");
    let mut part = match operator {
        Operator::Minus if let Some(id) = reversed() => {
            Part::formula(&format!("-{id}"), &left.unit)
        }
        Operator::Minus => Part::formula(&format!("{a}-{b}"), &left.unit),
        Operator::Plus => Part::formula(&format!("{a}+{b}"), &left.unit),
        Operator::Over if identified(&percent).is_none() => {
            Part::formula(&format!("{a}/{b}"), "ratio")
        }
        Operator::Over | Operator::Share => Part::formula(&percent, "%"),
        Operator::Columns => return None,
    };
    part.unread
        .extend(left.unread.iter().chain(&right.unread).cloned());
    Some(part)
}

/// Most series of places and groups that a refusal names beside the nation's.
const MAX_NEAR: usize = 2;

/// Why a name has no reading, and the nearest series.
pub(super) type Refusal = (String, Vec<Suggestion>);

/// Returns the entry of the register for a name without the first kinds of this order.
fn find_absent(tokens: &[Token], counts: &[usize]) -> Option<Absent> {
    let order = [Kind::Filler, Kind::Time, Kind::Head, Kind::Transform];
    let find = |count: &usize| {
        let left_out = order.get(..*count)?;
        let is_told = |token: &&Token| !left_out.contains(&token.kind);
        let told = tokens.iter().filter(is_told);
        NameTable::embedded().find_absent(&significant(told))
    };
    counts.iter().find_map(find)
}

/// Whether the register has exactly this name, and no series does: "weekly earnings" are not hourly ones.
///
/// # Errors
/// As [`single`].
pub(super) fn is_absent(tokens: &[Token]) -> Result<bool> {
    Ok(item(tokens, &Lookups::new(MAX_LOOKUPS))?.is_none()
        && find_absent(tokens, &[0, 2]).is_some())
}

/// Returns the refusal of what the register has: without courtesies, times, heads and changes.
pub(super) fn absent(tokens: &[Token]) -> Option<Refusal> {
    find_absent(tokens, &[0, 2, 3, 4]).map(reason)
}

/// Returns the refusal of a name with a place or group that the series do not tell apart.
pub(super) fn elsewhere(tokens: &[Token]) -> Option<Refusal> {
    let asked = Asked::new(tokens)?;
    let read = parts(&asked.bare).map(Option::unwrap_or_default);
    let wholes = wholes(read).ok()?;
    let of_nation = Catalogue::embedded().get(wholes.iter().next()?);
    let why = format!("no series here is of {} alone", asked.words());
    let near = asked.nearest(&wholes).into_iter().take(MAX_NEAR);
    Some((why, suggest(near.chain(of_nation))))
}

/// Returns the refusal of any other name: by a place, by an entry of the register with some of its words, or by the words
/// that are not read.
pub(super) fn refusal(tokens: &[Token]) -> Option<Refusal> {
    let table = NameTable::embedded();
    if let Some(refusal) = elsewhere(tokens) {
        return Some(refusal);
    }
    let is_told = |t: &&Token| !matches!(t.kind, Kind::Stop | Kind::Filler | Kind::Time);
    let words = significant(tokens.iter().filter(is_told));
    if let Some(absent) = table.find_absent_within(&words) {
        return Some(reason(absent));
    }
    let told = tokens.iter().filter(is_told);
    let strange = told.filter(|token| !table.is_known(&token.text));
    let unknown: Vec<&str> = strange.map(|token| token.typed.as_str()).collect();
    let why = match unknown.as_slice() {
        [] => "no series here is exactly that".to_owned(),
        words => format!("no series here is of \"{}\"", words.join(" ")),
    };
    let nearest = table.nearest(&words);
    (!nearest.is_empty()).then_some((why, nearest))
}

fn reason([_, why, nearest, differs]: Absent) -> Refusal {
    let differs = enclosed("; the nearest here ", differs, "");
    let ids = nearest.split(';');
    let infos = ids.filter_map(|id| Catalogue::embedded().get(id));
    (format!("{why}{differs}"), suggest(infos))
}
