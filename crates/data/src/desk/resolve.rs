//! Resolution of names: from what a person types to a series, the same for every tool, formula, page and command.
//!
//! The order is: catalogue and curated names; the store; the usual meaning of an ambiguous name; the nearest name after
//! fillers, word order and typos in words; the only series whose names have all the words. Any reading that is not written
//! in the names is stated in the answer ("read as GASREGW"). The error for any other name suggests the nearest ones; a name
//! like nothing known has none.

mod phrase;

use super::local::Desk;
use super::search::{Kind, SearchIndex};
use super::{identities, remarks};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::{Choices, Names};
use econoscope_core::error::{Error, Result, Suggestion, quote};
use econoscope_core::model::series_info::DEFAULT_PREFIX;
use econoscope_core::model::words::fold_name;
use econoscope_core::model::{SeriesId, SeriesInfo};
use std::collections::HashSet;
use std::sync::Arc;

/// Most series suggested for an unknown name, or listed beside the usual meaning of an ambiguous one.
const MAX_SUGGESTIONS: usize = 3;

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

    /// For a name that is not written in the names.
    fn inferred(name: &str, info: Arc<SeriesInfo>) -> Self {
        Self {
            note: Some(format!("\"{}\" read as {}", quote(name), info.id)),
            ..Self::exact(info)
        }
    }

    /// For an ambiguous name that usually means its first choice.
    fn usual(name: &str, choices: &Choices) -> Option<Self> {
        let (first, others) = choices
            .candidates
            .split_first()
            .filter(|_| choices.has_default)?;
        let is_beside =
            |other: &Suggestion| choices.companions.iter().any(|b| b.id.as_str() == other.id);
        let others = others.iter().filter(|other| !is_beside(other));
        let others = others.map(|s| format!("{} ({})", s.id, s.title));
        let others: Vec<String> = others.take(MAX_SUGGESTIONS).collect();
        let mut note = format!("\"{}\" read as {}, {}", quote(name), first.id, first.title);
        if !others.is_empty() {
            note += &format!("; it may also mean {}", others.join(", "));
        }
        Some(Self {
            info: Names::embedded().find(&first.id)?,
            related: choices.companions.clone(),
            note: Some(note),
        })
    }
}

/// Returns the series of the catalogue that a name means.
pub fn find(name: &str) -> Option<Arc<SeriesInfo>> {
    resolution(name).map(|resolution| resolution.info)
}

/// Resolves a name in the catalogue; `None` for an unknown name or an ambiguous one without a usual meaning.
pub fn resolution(name: &str) -> Option<Resolution> {
    let names = Names::embedded();
    if let Some(info) = names.find(name) {
        return Some(Resolution::exact(info));
    }
    if let Some(choices) = names.choices(name) {
        return Resolution::usual(name, choices);
    }
    if remarks::discontinued(name).is_some() {
        return None;
    }
    let phrase = phrase::find(name);
    if !phrase.names.is_empty() {
        return resolve_names(name, &phrase.names);
    }
    let document = SearchIndex::embedded().find_only(&phrase.words?, Kind::Series)?;
    let info = names.catalogue().get(&document.name)?;
    let info = at_frequency(name, Arc::clone(info));
    Some(Resolution::inferred(name, info))
}

/// Resolves a text to the one series that all of its nearest names mean; `None` when they mean several.
fn resolve_names(text: &str, nearest: &[String]) -> Option<Resolution> {
    let info = first_choice(nearest.first()?)?;
    let is_same = |name: &String| first_choice(name).is_some_and(|other| other.id == info.id);
    if !nearest.iter().all(is_same) {
        return None;
    }
    let choices = |name: &String| Names::embedded().choices(name);
    match nearest.iter().find_map(choices) {
        Some(choices) if choices.has_default || nearest.len() == 1 => {
            Resolution::usual(text, choices)
        }
        _ => Some(Resolution::inferred(text, at_frequency(text, info))),
    }
}

/// Returns the series of a name, for an ambiguous name its first choice.
fn first_choice(name: &str) -> Option<Arc<SeriesInfo>> {
    let names = Names::embedded();
    match names.choices(name) {
        Some(choices) => names.find(&choices.candidates.first()?.id),
        None => names.find(name),
    }
}

/// Returns the series, or its average over the period that a word of the name asks for ("monthly wti").
fn at_frequency(name: &str, info: Arc<SeriesInfo>) -> Arc<SeriesInfo> {
    let frequency = phrase::frequency(name).filter(|f| *f != info.frequency);
    let average = frequency.and_then(|frequency| identities::averages(&info.id, frequency));
    average.unwrap_or(info)
}

/// Builds the error for a name that does not resolve: empty, ambiguous, discontinued or unknown, with near matches.
/// `kind` is its word for the name: `ticker` or `series`.
pub fn resolution_error(kind: &'static str, name: &str) -> Error {
    if fold_name(name).is_empty() {
        let allowed = "an identifier such as DGS10 or a name such as \"10y\"";
        return Error::invalid(kind, name, "is empty", allowed);
    }
    if let Some(error) = remarks::discontinued(name) {
        return error;
    }
    let choices = |name: &str| Some(Names::embedded().choices(name)?.candidates.clone());
    let choices = choices(name).or_else(|| match phrase::find(name).names.as_slice() {
        [only] => choices(only),
        _ => None,
    });
    match choices {
        Some(choices) => Error::Ambiguous {
            name: quote(name),
            choices,
        },
        None => Error::unknown(kind, name, suggestions(name)),
    }
}

/// Returns the series that a name may mean.
///
/// First the meanings of its words, then series with a similarly spelled name, then those with all its words. A single
/// one is returned only if its name is spelled similarly.
pub fn suggestions(name: &str) -> Vec<Suggestion> {
    let names = Names::embedded();
    let phrase = phrase::find(name);
    let by_phrase = phrase.names.iter().filter_map(|name| first_choice(name));
    let is_one_word = !name.trim().contains(char::is_whitespace);
    let index = SearchIndex::embedded();
    let near = is_one_word.then(|| index.find_near(name, Kind::Series));
    let words = phrase.words.as_deref().unwrap_or_default();
    let with_words = index.find_several(words, Kind::Series);
    let found = near.into_iter().flatten().chain(with_words);
    let found = found.filter_map(|document| names.catalogue().get(&document.name).cloned());
    let numbers = phrase::numbers(name);
    let fits = |info: &Arc<SeriesInfo>| is_one_word || phrase::has_numbers(info, &numbers);
    let mut seen = HashSet::new();
    let all = by_phrase.chain(found).filter(fits);
    all.filter(|info| seen.insert(info.id.clone()))
        .take(MAX_SUGGESTIONS)
        .map(|info| Suggestion::new(info.id.as_str(), info.title.as_str()))
        .collect()
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

    /// Resolves a name and states its reading.
    ///
    /// # Errors
    /// As [`Self::resolve`].
    pub fn resolution(&self, kind: &'static str, name: &str) -> Result<Resolution> {
        let mut resolution = match self.find_in_catalogue(name) {
            Some(info) => Resolution::exact(info),
            None => match self.find_id(name)? {
                Some(id) => return self.outside_catalogue(&id).map(Resolution::exact),
                None => resolution(name).ok_or_else(|| resolution_error(kind, name))?,
            },
        };
        resolution.info = self.info_with_base(&resolution.info, self.today())?;
        Ok(resolution)
    }

    /// Returns the identifier of the series with exactly this name, in the catalogue or the store; `None` for any other
    /// name, without a search.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn find_id(&self, name: &str) -> Result<Option<SeriesId>> {
        if let Some(info) = self.find_in_catalogue(name) {
            return Ok(Some(info.id.clone()));
        }
        Ok(match SeriesId::new(name) {
            Ok(id) if self.series_status(&id)?.is_some() => Some(id),
            Ok(_) | Err(_) => None,
        })
    }

    fn find_in_catalogue(&self, name: &str) -> Option<Arc<SeriesInfo>> {
        let prefix = self.settings().prefix.as_str();
        let (head, bare) = name
            .trim()
            .split_at_checked(prefix.len())
            .unwrap_or_default();
        if !head.is_empty() && head.eq_ignore_ascii_case(prefix) {
            let id = format!("{DEFAULT_PREFIX}{}", bare.to_ascii_uppercase());
            if let Some(info) = Catalogue::embedded().get(&id) {
                return Some(Arc::clone(info));
            }
        }
        Names::embedded().find(name)
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
        let id = find(name).map(|info| info.id.to_string());
        id.unwrap_or_else(|| resolution_error("ticker", name).to_string())
    }

    #[test]
    fn mistyped_identifiers_are_errors_with_suggestions() {
        for (mistyped, meant) in [("DGS1O", "DGS10"), ("TJSJOR", "JTSJOR")] {
            let message = resolved(mistyped);
            let start = format!("Unknown ticker \"{mistyped}\". Did you mean: ");
            assert!(
                message.starts_with(&start) && message.contains(meant),
                "{message}"
            );
        }
        // Too unlike the nearest name, PAYEMS.
        assert!(find("params").is_none());
        assert!(resolved("spread").contains("ambiguous"));
        assert!(resolved("current rates in the US").contains("ambiguous"));
        assert!(resolved("  ").contains("is empty"));
    }

    #[test]
    fn usual_meaning_is_used_and_stated() {
        let inflation = resolution("what is inflation").unwrap();
        assert_eq!(inflation.info.id.as_str(), "CPI_YOY");
        let message = inflation.note.unwrap();
        assert!(
            message.starts_with("\"what is inflation\" read as CPI_YOY"),
            "{message}"
        );
        assert!(message.contains("it may also mean CPIAUCSL ("), "{message}");
        let only = resolution("real fed funds rate today").unwrap();
        assert_eq!(only.info.id.as_str(), "REAL_FEDFUNDS");
        assert!(only.note.unwrap().contains("read as REAL_FEDFUNDS"));
        let range = resolution("fed funds target range").unwrap();
        assert_eq!(
            (range.info.id.as_str(), range.related.len()),
            ("DFEDTARU", 1)
        );
        assert_eq!(resolution("unemployment").unwrap().note, None);
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
