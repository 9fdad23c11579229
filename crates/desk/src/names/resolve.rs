//! Resolution of names: from what a person types to a series, the same for every tool, formula, page and command.
//!
//! The order is: catalogue and curated names; the store; the usual meaning of an ambiguous name; the nearest name after
//! fillers, word order and typos in words; the only series whose names have all the words. Any reading that is not written
//! in the names is stated in the answer ("read as GASREGW"). The error for any other name suggests the nearest ones; a name
//! like nothing known has none.

use super::phrase;
use super::search::{Kind, SearchIndex};
use crate::Desk;
use crate::texts::remarks;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::{Choices, Names};
use econoscope_core::error::{Error, Result, Suggestion, quote};
use econoscope_core::indicators::identities;
use econoscope_core::model::series_info::DEFAULT_PREFIX;
use econoscope_core::model::words::fold_name;
use econoscope_core::model::{SeriesId, SeriesInfo};
use std::collections::HashSet;
use std::sync::Arc;

/// Most series suggested for an unknown name, or listed beside the usual meaning of an ambiguous one.
const MAX_SUGGESTIONS: usize = 3;
/// The share of a name that a suggestion has in its names.
const NEARLY_ALL: f64 = 0.7;

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

    /// For an ambiguous name: its first choice if that is the usual meaning, else an error.
    fn usual(name: &str, choices: &Choices) -> Result<Self> {
        let first = choices
            .candidates
            .split_first()
            .filter(|_| choices.has_default);
        let first =
            first.and_then(|(first, others)| Some((first, others, catalogue_series(&first.id)?)));
        let Some((first, others, info)) = first else {
            return Err(Error::Ambiguous {
                name: quote(name),
                choices: choices.candidates.clone(),
            });
        };
        let is_beside =
            |other: &Suggestion| choices.companions.iter().any(|b| b.id.as_str() == other.id);
        let others: Vec<String> = others
            .iter()
            .filter(|other| !is_beside(other))
            .map(|s| format!("{} ({})", s.id, s.title))
            .take(MAX_SUGGESTIONS)
            .collect();
        let mut note = format!("\"{}\" read as {}, {}", quote(name), first.id, first.title);
        if !others.is_empty() {
            note += &format!("; it may also mean {}", others.join(", "));
        }
        Ok(Self {
            info,
            related: choices.companions.clone(),
            note: Some(note),
        })
    }
}

/// Returns the series of the catalogue that a name means.
pub fn find(name: &str) -> Option<Arc<SeriesInfo>> {
    resolve("series", name)
        .ok()
        .map(|resolution| resolution.info)
}

/// Resolves a name in the catalogue. `kind` is the word for the name in errors: `ticker` or `series`.
///
/// # Errors
/// [`Error::InvalidParam`] for an empty name, [`Error::NoData`] for a discontinued series, [`Error::Ambiguous`], and
/// [`Error::Unknown`] with near matches.
pub fn resolve(kind: &'static str, name: &str) -> Result<Resolution> {
    let names = Names::embedded();
    if let Some(info) = names.find(name) {
        return Ok(Resolution::exact(info));
    }
    if fold_name(name).is_empty() {
        let allowed = "an identifier such as DGS10 or a name such as \"10y\"";
        return Err(Error::invalid(kind, name, "is empty", allowed));
    }
    if let Some(error) = remarks::discontinued(name) {
        return Err(error);
    }
    if let Some(choices) = names.choices(name) {
        return Resolution::usual(name, choices);
    }
    let phrase = phrase::find(name);
    if let Some(resolution) = resolve_names(name, &phrase.names) {
        return resolution;
    }
    // One word is too little to tell a series by.
    let words = phrase
        .words
        .filter(|words| words.contains(' '))
        .unwrap_or_default();
    match *SearchIndex::embedded().find_by_share(&words, Kind::Series, 1.0) {
        [only] => catalogue_series(&only.name)
            .map(|info| Resolution::inferred(name, at_frequency(name, info)))
            .ok_or_else(|| Error::internal("a document without a series", only.name.as_str())),
        _ => Err(Error::unknown(kind, name, suggestions(name))),
    }
}

/// Resolves a text to the one series that all of its nearest names mean; `None` when they mean several.
fn resolve_names(text: &str, nearest: &[&str]) -> Option<Result<Resolution>> {
    let info = first_choice(nearest.first()?)?;
    let is_same = |name: &&str| first_choice(name).is_some_and(|other| other.id == info.id);
    if !nearest.iter().all(is_same) {
        return None;
    }
    let choices = nearest
        .iter()
        .find_map(|name| Names::embedded().choices(name));
    Some(match choices {
        Some(choices) if choices.has_default || nearest.len() == 1 => {
            Resolution::usual(text, choices)
        }
        _ => Ok(Resolution::inferred(text, at_frequency(text, info))),
    })
}

/// Returns the series of a name, for an ambiguous name its first choice.
fn first_choice(name: &str) -> Option<Arc<SeriesInfo>> {
    let names = Names::embedded();
    match names.choices(name) {
        Some(choices) => catalogue_series(&choices.candidates.first()?.id),
        None => names.find(name),
    }
}

fn catalogue_series(id: &str) -> Option<Arc<SeriesInfo>> {
    Catalogue::embedded().get(id).cloned()
}

/// Returns the series, or its average over the period that a word of the name asks for ("monthly wti").
fn at_frequency(name: &str, info: Arc<SeriesInfo>) -> Arc<SeriesInfo> {
    let frequency = phrase::frequency(name).filter(|f| *f != info.frequency);
    let average = frequency.and_then(|frequency| identities::averages(&info.id, frequency));
    average.unwrap_or(info)
}

/// Returns the series that a name may mean.
///
/// First the meanings of its words, then series with a similarly spelled name, then those with nearly all its words. A
/// single one is returned only if its name is spelled similarly, since it would be taken for the answer.
pub fn suggestions(name: &str) -> Vec<Suggestion> {
    let index = SearchIndex::embedded();
    let phrase = phrase::find(name);
    let by_phrase = phrase.names.iter().filter_map(|name| first_choice(name));
    let is_one_word = !name.trim().contains(char::is_whitespace);
    let near = is_one_word.then(|| index.find_near(name, Kind::Series));
    let words = phrase.words.unwrap_or_default();
    let mut with_words = index.find_by_share(&words, Kind::Series, NEARLY_ALL);
    if with_words.len() == 1 {
        with_words.clear();
    }
    let found = near
        .into_iter()
        .flatten()
        .chain(with_words)
        .filter_map(|document| catalogue_series(&document.name));
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
        let mut resolution = match self.find_id(name)? {
            Some(id) => match catalogue_series(id.as_str()) {
                Some(info) => Resolution::exact(info),
                None => return self.outside_catalogue(&id).map(Resolution::exact),
            },
            None => resolve(kind, name)?,
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
