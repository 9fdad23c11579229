//! Resolution of names: from what a person types to a series or formula, the same for every tool, page and command.
//!
//! The order is: catalogue and curated names; the store; identifiers of agencies and vendors; the usual meaning of an
//! ambiguous name; the reading of its words; the register of what is not carried; typos. A reading that is not written in
//! the names is stated in the answer ("read as GASREGW"). What has no reading is refused with the reason and the nearest
//! series; a name like nothing known has none.

use super::read::{self, Part};
use super::register::{NameTable, suggest};
use super::search::{Kind, SearchIndex};
use super::words::{self, Token};
use crate::Desk;
use crate::texts::remarks;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::{Choices, Names};
use econoscope_core::error::{Error, Result, Suggestion, quote};
use econoscope_core::indicators::expression;
use econoscope_core::model::series_info::DEFAULT_PREFIX;
use econoscope_core::model::words::fold_name;
use econoscope_core::model::{SeriesId, SeriesInfo};
use std::collections::HashSet;
use std::sync::Arc;

/// Most series suggested for an unknown name, or listed beside the usual meaning of an ambiguous one.
const MAX_SUGGESTIONS: usize = 3;
/// Most readings of a misspelled word, and most misspelled words in a name.
const MAX_READINGS: usize = 4;
const MAX_MISSPELLED: usize = 2;
/// Fewest letters of the only word if one of them is another one.
const MIN_ONLY_WORD: usize = 6;

/// The series that a name means.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// The series.
    pub info: Arc<SeriesInfo>,
    /// Series that belong to it, such as the other end of a range.
    pub related: Vec<Arc<SeriesInfo>>,
    /// The reading of a name that is not the series' own: "inflation" read as CPI_YOY.
    pub note: Option<String>,
}

impl Resolution {
    fn exact(info: Arc<SeriesInfo>) -> Self {
        Self {
            info,
            related: Vec::new(),
            note: None,
        }
    }
}

/// What a name means: one series or formula, or several columns.
#[derive(Debug, Clone)]
pub struct Meaning {
    /// The columns, each a series or formula.
    pub columns: Vec<Part>,
    /// How the name was read, unless it is the series' own.
    pub note: Option<String>,
}

impl Meaning {
    fn exact(info: &Arc<SeriesInfo>) -> Self {
        Self {
            columns: vec![Part::series(info)],
            note: None,
        }
    }

    fn of(name: &str, columns: Vec<Part>) -> Self {
        let mut note = format!("\"{}\" read as ", quote(name));
        for (part, comma) in columns
            .iter()
            .zip([""].into_iter().chain(std::iter::repeat("; ")))
        {
            note += &format!("{comma}{}, {}", part.formula, title(part));
            note += &part.choices.map_or_else(String::new, other_choices);
        }
        let mut unread: Vec<&str> = columns
            .iter()
            .flat_map(|part| &part.unread)
            .map(String::as_str)
            .collect();
        unread.dedup();
        if !unread.is_empty() {
            note += &format!(
                "; not read: \"{}\" (days are as_of, start, end or dates)",
                unread.join(" ")
            );
        }
        Self {
            columns,
            note: Some(note),
        }
    }
}

/// Returns the title of a series, or the formula in words.
pub fn title(part: &Part) -> String {
    let name = |id: &str| {
        Catalogue::embedded()
            .get(id)
            .map_or_else(|| id.to_owned(), |info| info.title.clone())
    };
    match (&part.info, expression::parse(&part.formula)) {
        (Some(info), _) => info.title.clone(),
        (None, Ok(tree)) => tree.describe(&name),
        (None, Err(_)) => part.formula.clone(),
    }
}

/// Describes what an ambiguous name may mean besides its usual meaning.
fn other_choices(choices: &Choices) -> String {
    let is_beside =
        |other: &Suggestion| choices.companions.iter().any(|b| b.id.as_str() == other.id);
    let others = choices
        .candidates
        .iter()
        .skip(1)
        .filter(|other| !is_beside(other));
    let others: Vec<String> = others
        .map(|s| format!("{} ({})", s.id, s.title))
        .take(MAX_SUGGESTIONS)
        .collect();
    match others.as_slice() {
        [] => String::new(),
        others => format!("; it may also mean {}", others.join(", ")),
    }
}

/// Returns the series of the catalogue that a name means.
pub fn find(name: &str) -> Option<Arc<SeriesInfo>> {
    resolve("series", name)
        .ok()
        .map(|resolution| resolution.info)
}

/// Resolves a name to one series of the catalogue. `kind` is the word for the name in errors: `ticker` or `series`.
///
/// # Errors
/// As [`read`]; [`Error::InvalidParam`] for what is a formula, [`Error::Ambiguous`] for several series.
pub fn resolve(kind: &'static str, name: &str) -> Result<Resolution> {
    let reading = read(kind, name)?;
    match reading.columns.as_slice() {
        [
            Part {
                info: Some(info),
                choices,
                ..
            },
        ] => Ok(Resolution {
            info: Arc::clone(info),
            related: choices.map_or_else(Vec::new, |choices| choices.companions.clone()),
            note: reading.note,
        }),
        [part] => {
            let problem = format!("is a formula here, {}", part.formula);
            let allowed = format!(
                "a series; get_metric and compare_series take {}",
                part.formula
            );
            Err(Error::invalid(kind, name, &problem, &allowed))
        }
        columns => Err(Error::Ambiguous {
            name: quote(name),
            choices: columns
                .iter()
                .map(|part| Suggestion::new(part.formula.as_str(), title(part)))
                .collect(),
        }),
    }
}

/// Reads a name.
///
/// # Errors
/// [`Error::InvalidParam`] for an empty name, [`Error::NoData`] for a discontinued series, [`Error::Ambiguous`], and
/// [`Error::Unknown`] with the reason and the nearest series.
pub fn read(kind: &'static str, name: &str) -> Result<Meaning> {
    let names = Names::embedded();
    if let Some(info) = names.find(name) {
        return Ok(Meaning::exact(&info));
    }
    if fold_name(name).is_empty() {
        let allowed = "an identifier such as DGS10 or a name such as \"10y\"";
        return Err(Error::invalid(kind, name, "is empty", allowed));
    }
    if let Some(error) = remarks::discontinued(name) {
        return Err(error);
    }
    let text = match foreign_id(name) {
        Some(Ok(part)) => return Ok(Meaning::of(name, vec![part])),
        Some(Err(text)) => text,
        None => name,
    };
    if let Some(choices) = names.choices(text) {
        return Ok(Meaning::of(name, vec![Part::usual(name, choices)?]));
    }
    if let Some(part) = formula(text) {
        return Ok(Meaning::of(name, vec![part]));
    }
    let tokens = words::tokens(text);
    if let Some(columns) = read_all(&tokens)? {
        return Ok(Meaning::of(name, columns));
    }
    let is_identifier = is_identifier(text);
    if read::refusal(&tokens, true).is_none()
        && !is_identifier
        && let Some(columns) = correct(&tokens)?
    {
        return Ok(Meaning::of(name, columns));
    }
    Err(refuse(kind, name, &tokens, is_identifier))
}

/// Reads a formula of known names.
fn formula(text: &str) -> Option<Part> {
    let tree = expression::parse(text).ok()?;
    let is_known = |(name, _): (&str, usize)| Names::embedded().find(name).is_some();
    let is_formula = text.contains(['(', '-', '+', '*', '/']) && !tree.has_comparison();
    (is_formula && tree.names().into_iter().all(is_known)).then(|| Part::formula(text, ""))
}

/// Whether a text is one word with a number, which is never corrected.
fn is_identifier(text: &str) -> bool {
    !text.trim().contains(char::is_whitespace) && text.contains(|c: char| c.is_ascii_digit())
}

/// Reads the words of a name as written. What the register has is not computed from its words.
fn read_all(tokens: &[Token]) -> Result<Option<Vec<Part>>> {
    match read::single(tokens)? {
        Some(part) => Ok(Some(vec![part])),
        None if read::refusal(tokens, true).is_some() => Ok(None),
        None => read::parts(tokens),
    }
}

/// Builds the error for a name without a reading.
fn refuse(kind: &'static str, name: &str, tokens: &[Token], is_identifier: bool) -> Error {
    let is_one_word = !name
        .trim()
        .contains(|c: char| c.is_whitespace() || c == '_');
    let known = read::refusal(tokens, true);
    let siblings = known
        .is_none()
        .then(|| similar_ids(name))
        .filter(|ids| is_identifier && !ids.is_empty());
    let similar = || suggestions(name);
    let (why, suggestions) = match (known, siblings) {
        (Some((why, nearest)), _) => (why, nearest),
        (None, Some(ids)) => ("no series here has this identifier".to_owned(), ids),
        (None, None) if is_one_word => (String::new(), similar()),
        (None, None) => read::refusal(tokens, false).unwrap_or_default(),
    };
    Error::Unknown {
        kind,
        name: quote(name),
        why,
        suggestions,
    }
}

/// Reads an identifier of an agency or vendor. `Err` has the text without a vendor's prefix and suffix.
fn foreign_id(name: &str) -> Option<std::result::Result<Part, &str>> {
    let ids = &NameTable::embedded().ids;
    let name = name.trim();
    let is_prefix = |(before, _): &(&str, &str)| {
        before.len() <= 12
            && before
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let bare = name
        .split_once(':')
        .filter(is_prefix)
        .map_or(name, |(_, id)| id);
    let bare = ["FRED/", "H15/", "G17/", "H41/", "H8/", "H6/", "^", "$", "."]
        .iter()
        .fold(bare, |bare, prefix| {
            bare.strip_prefix(prefix).unwrap_or(bare)
        });
    let suffixes = [
        " Index", " Curncy", " Comdty", " Govt", " Corp", " Equity", "=X", ".X", "=F",
    ];
    let bare = suffixes.iter().fold(bare, |bare, suffix| {
        bare.strip_suffix(suffix).unwrap_or(bare)
    });
    let folded = fold_name(bare);
    // Only an identifier with a long number belongs to a family.
    let is_long = folded.bytes().filter(u8::is_ascii_digit).count() > 2
        && Names::embedded().find(bare).is_none();
    let family = || {
        let mut ends = (3..folded.len()).rev().filter(|_| is_long);
        ends.find_map(|end| ids.get(&format!("{}*", folded.get(..end)?)))
    };
    match [name, bare]
        .iter()
        .find_map(|id| ids.get(&fold_name(id)))
        .or_else(family)
    {
        Some(text) => Some(match Catalogue::embedded().get(text) {
            Some(info) => Ok(Part::series(info)),
            None if expression::parse(text).is_ok() && text.contains(['(', '/', '-']) => {
                Ok(Part::formula(text, ""))
            }
            None => Err(*text),
        }),
        None if bare == name => None,
        None => Some(
            Names::embedded()
                .find(bare)
                .map(|info| Part::series(&info))
                .ok_or(bare),
        ),
    }
}

/// Returns the identifiers with the same letters and the nearest numbers: DFII5 for DFII2.
fn similar_ids(name: &str) -> Vec<Suggestion> {
    let letters = |id: &str| {
        id.chars()
            .filter(|c| c.is_ascii_alphabetic())
            .collect::<String>()
            .to_ascii_uppercase()
    };
    let number = |id: &str| {
        id.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
            .parse::<u32>()
            .unwrap_or(0)
    };
    let wanted = letters(name);
    let mut alike: Vec<_> = Catalogue::embedded()
        .iter()
        .filter(|info| wanted.len() >= 3 && letters(info.id.as_str()) == wanted)
        .collect();
    alike.sort_by_key(|info| number(info.id.as_str()).abs_diff(number(name)));
    alike.truncate(2);
    suggest(alike)
}

/// Reads a name with misspelled words; `None` if there is no or more than one reading.
fn correct(tokens: &[Token]) -> Result<Option<Vec<Part>>> {
    let table = NameTable::embedded();
    let is_misspelled =
        |token: &Token| token.kind == words::Kind::Word && !table.is_known(&token.text);
    let wrong: Vec<usize> = (0..tokens.len())
        .filter(|at| tokens.get(*at).is_some_and(is_misspelled))
        .collect();
    let told = tokens
        .iter()
        .filter(|token| !matches!(token.kind, words::Kind::Stop | words::Kind::Filler))
        .count();
    if wrong.is_empty() || wrong.len() > MAX_MISSPELLED {
        return Ok(None);
    }
    let mut readings: Vec<Vec<Token>> = vec![tokens.to_vec()];
    for at in wrong {
        let Some(token) = tokens.get(at) else {
            continue;
        };
        let near = table.readings(&token.text);
        let is_short = told == 1 && token.text.len() < MIN_ONLY_WORD;
        let is_swap = |word: &str| {
            word.len() == token.text.len()
                && word.bytes().all(|b| token.text.bytes().any(|c| c == b))
        };
        let near: Vec<&str> = near
            .into_iter()
            .filter(|word| !is_short || is_swap(word))
            .take(MAX_READINGS)
            .collect();
        let replace = |reading: Vec<Token>| {
            near.iter()
                .map(move |word| {
                    let (before, after) = reading.split_at(at);
                    let read = words::tokens(word);
                    [before, &read, after.get(1..).unwrap_or(&[])].concat()
                })
                .collect::<Vec<_>>()
        };
        readings = readings.into_iter().flat_map(replace).collect();
    }
    let mut found: Option<Vec<Part>> = None;
    for reading in readings {
        if let Some(columns) = read_all(&reading)? {
            let is_same = |other: &Vec<Part>| {
                other
                    .iter()
                    .map(|p| &p.formula)
                    .eq(columns.iter().map(|p| &p.formula))
            };
            if found.as_ref().is_some_and(|other| !is_same(other)) {
                return Ok(None);
            }
            found = Some(columns);
        } else if let Some((why, suggestions)) = read::refusal(&reading, true) {
            return Err(Error::Unknown {
                kind: "series",
                name: quote(&join(&reading)),
                why,
                suggestions,
            });
        }
    }
    Ok(found)
}

fn join(tokens: &[Token]) -> String {
    tokens
        .iter()
        .map(|token| token.typed.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

fn catalogue_series(id: &str) -> Option<Arc<SeriesInfo>> {
    Catalogue::embedded().get(id).cloned()
}

/// Returns the series with a name spelled like this one, the most similar first.
pub fn suggestions(name: &str) -> Vec<Suggestion> {
    let documents = SearchIndex::embedded().find_near(name, Kind::Series);
    let mut seen = HashSet::new();
    let infos = documents
        .into_iter()
        .filter_map(|document| Catalogue::embedded().get(&document.name));
    suggest(infos.filter(|info| seen.insert(info.id.clone())))
}

impl Desk {
    /// Returns the series that a name means. Composites have the configured prefix, `SERVICE_`, or none.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::Ambiguous`] or [`Error::InvalidParam`].
    pub fn resolve(&self, kind: &'static str, name: &str) -> Result<Arc<SeriesInfo>> {
        self.resolution(kind, name)
            .map(|resolution| resolution.info)
    }

    /// Resolves a name to one series and states its reading.
    ///
    /// # Errors
    /// As [`resolve`].
    pub fn resolution(&self, kind: &'static str, name: &str) -> Result<Resolution> {
        let mut resolution = match self.find_exact(name)? {
            Some(info) => Resolution::exact(info),
            None => resolve(kind, name)?,
        };
        resolution.info = self.info_with_base(&resolution.info, self.today())?;
        Ok(resolution)
    }

    /// Reads a name: a series, a formula, or several columns.
    ///
    /// # Errors
    /// As [`read`].
    pub fn meaning(&self, kind: &'static str, name: &str) -> Result<Meaning> {
        match self.find_exact(name)? {
            Some(info) => Ok(Meaning::exact(&info)),
            None => read(kind, name),
        }
    }

    /// Returns the series with exactly this name, in the catalogue or the store.
    fn find_exact(&self, name: &str) -> Result<Option<Arc<SeriesInfo>>> {
        let id = self.find_id(name)?;
        let info = |id: SeriesId| match catalogue_series(id.as_str()) {
            Some(info) => Ok(info),
            None => self.outside_catalogue(&id),
        };
        id.map(info).transpose()
    }

    /// Returns the identifier of the series with exactly this name, in the catalogue or the store; `None` for any other
    /// name, without a search.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn find_id(&self, name: &str) -> Result<Option<SeriesId>> {
        let prefix = self.settings().prefix.as_str();
        let split = name
            .trim()
            .split_at_checked(prefix.len())
            .filter(|(head, _)| !head.is_empty() && head.eq_ignore_ascii_case(prefix));
        let composite = split.and_then(|(_, bare)| {
            catalogue_series(&format!("{DEFAULT_PREFIX}{}", bare.to_ascii_uppercase()))
        });
        if let Some(info) = composite.or_else(|| Names::embedded().find(name)) {
            return Ok(Some(info.id.clone()));
        }
        Ok(match SeriesId::new(name) {
            Ok(id) if self.series_status(&id)?.is_some() => Some(id),
            Ok(_) | Err(_) => None,
        })
    }

    /// Returns the identifier for display: composites have the configured prefix.
    pub fn display_id(&self, id: &SeriesId) -> String {
        match id.as_str().strip_prefix(DEFAULT_PREFIX) {
            Some(bare) => format!("{}{bare}", self.settings().prefix),
            None => id.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(name: &str) -> String {
        match resolve("ticker", name) {
            Ok(resolution) => resolution.info.id.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn mistyped_identifiers_are_errors_with_suggestions() {
        for (mistyped, meant) in [("DGS1O", "DGS10"), ("TJSJOR", "JTSJOR")] {
            let message = resolved(mistyped);
            let start = format!("Unknown ticker \"{mistyped}\". Did you mean: {meant}");
            assert!(message.starts_with(&start), "{message}");
        }
        // Too unlike the nearest name, PAYEMS.
        assert!(find("params").is_none());
        assert!(resolved("spread").contains("ambiguous"));
        assert!(resolved("current rates in the US").contains("ambiguous"));
        assert!(resolved("  ").contains("is empty"));
    }

    #[test]
    fn usual_meaning_is_used_and_stated() {
        let inflation = resolve("series", "what is inflation").unwrap();
        assert_eq!(inflation.info.id.as_str(), "CPI_YOY");
        let message = inflation.note.unwrap();
        assert!(
            message.starts_with("\"what is inflation\" read as CPI_YOY"),
            "{message}"
        );
        assert!(message.contains("it may also mean CPIAUCSL ("), "{message}");
        let only = resolve("series", "real fed funds rate today").unwrap();
        assert_eq!(only.info.id.as_str(), "REAL_FEDFUNDS");
        assert!(only.note.unwrap().contains("read as REAL_FEDFUNDS"));
        let range = resolve("series", "fed funds target range").unwrap();
        assert_eq!(
            (range.info.id.as_str(), range.related.len()),
            ("DFEDTARU", 1)
        );
        assert_eq!(resolve("series", "unemployment").unwrap().note, None);
    }

    #[test]
    fn phrases_resolve_despite_order_fillers_and_typos() {
        for (phrase, want) in [
            ("30-year treasury yield", "DGS30"),
            ("treasury 30 year yield", "DGS30"),
            ("30-year treasury yeild", "DGS30"),
            ("what is the unemployment rate", "UNRATE"),
            ("consumer sentiment university of michigan", "UMCSENT"),
            ("stress index st louis", "STLFSI4"),
            ("average daily gas price", "GASREGW"),
            ("monthly average wti", "MCOILWTICO"),
            ("unemploymnet", "UNRATE"),
        ] {
            assert_eq!(resolved(phrase), want, "{phrase}");
        }
        let message = resolved("treasury maturity");
        assert!(message.contains("Did you mean"), "{message}");
    }

    #[test]
    fn unknown_names_get_no_wrong_suggestion() {
        for unknown in [
            "price of eggs",
            "tesla stock",
            "4-year treasury yield",
            "blockchain",
        ] {
            let message = resolved(unknown);
            assert!(message.contains("No similar name exists"), "{message}");
        }
        let ended = resolved("3-month libor");
        assert!(ended.contains("ended 2023-06-30; SOFR follows"), "{ended}");
    }
}
