//! From what a person types to a series: one way for every tool, formula, page and command.
//!
//! In this order: what the catalogue and the curated names say, what the store holds, what everybody means by a name
//! of several things, the name that is left when fillers, order and slips of the hand are taken off, the only series
//! whose names have all the words. What is not written in the names is said in the answer ("read as GASREGW"). A near
//! hit is offered where there are several, and a wrong one is never the only offer: what is nothing like anything is
//! told so.

mod phrase;
mod typed;

use self::typed::slip;
use super::local::Desk;
use super::search::{Kind, Library};
use super::{identities, remarks};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::{Choices, Names};
use econoscope_core::error::{Error, Result, Suggestion, quote};
use econoscope_core::model::series_info::DEFAULT_PREFIX;
use econoscope_core::model::words::fold;
use econoscope_core::model::{SeriesId, SeriesInfo};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

/// Series that are offered for a name that means none, or told beside the one that it usually means.
const MAX_OFFERS: usize = 3;
/// Letters of a name that may be taken for another that it is nearly spelled like.
const MIN_LETTERS: usize = 6;

/// What a name was taken for.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// The series.
    pub info: Arc<SeriesInfo>,
    /// Those that belong to it: the other end of a range.
    pub beside: Vec<Arc<SeriesInfo>>,
    /// What to say of a name that is not the series' own: "inflation" read as CPI_YOY.
    pub said: Option<String>,
}

impl Resolution {
    fn plain(info: Arc<SeriesInfo>) -> Self {
        Self {
            info,
            beside: Vec::new(),
            said: None,
        }
    }

    /// Of a name that is nowhere written so.
    fn read(name: &str, info: Arc<SeriesInfo>) -> Self {
        let said = format!("\"{}\" read as {}", quote(name), info.id);
        Self {
            said: Some(said),
            ..Self::plain(info)
        }
    }

    /// Of a name of several things, of which everybody means the first.
    fn usual(name: &str, choices: &Choices) -> Option<Self> {
        let (first, others) = choices.all.split_first().filter(|_| choices.is_usual)?;
        let info = Names::embedded().find(&first.id)?;
        let mut said = format!("\"{}\" read as {}, {}", quote(name), first.id, first.title);
        let is_beside =
            |other: &Suggestion| choices.beside.iter().any(|b| b.id.as_str() == other.id);
        let others = others.iter().filter(|other| !is_beside(other));
        let others = others
            .take(MAX_OFFERS)
            .map(|s| format!("{} ({})", s.id, s.title));
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            said += &format!("; it may also mean {}", others.join(", "));
        }
        Some(Self {
            info,
            beside: choices.beside.clone(),
            said: Some(said),
        })
    }
}

/// The series of the catalogue that a name means.
pub fn find(name: &str) -> Option<Arc<SeriesInfo>> {
    meaning(name).map(|meaning| meaning.info)
}

/// What a name means in the catalogue; none for one that means nothing, or several things alike.
pub fn meaning(name: &str) -> Option<Resolution> {
    let names = Names::embedded();
    if let Some(info) = names.find(name) {
        return Some(Resolution::plain(info));
    }
    if let Some(choices) = names.choices(name) {
        return Resolution::usual(name, choices);
    }
    if remarks::ended(name).is_some() {
        return None;
    }
    let found = phrase::find(name);
    match found.words {
        _ if !found.names.is_empty() => of_names(name, &found.names),
        Some(words) => {
            let found = Library::embedded().only(&words, Kind::Series)?;
            let info = names.catalogue().get(&found.name)?;
            Some(Resolution::read(name, at(name, Arc::clone(info))))
        }
        None => Some(Resolution::read(name, slipped(name)?)),
    }
}

/// What a text means that is nearest to these names: they come to one series, which is then the only candidate, or to
/// nothing.
fn of_names(text: &str, all: &[String]) -> Option<Resolution> {
    let one = first(all.first()?)?;
    let is_one = |name: &String| first(name).is_some_and(|info| info.id == one.id);
    if !all.iter().all(is_one) {
        return None;
    }
    let choices = |name: &String| Names::embedded().choices(name);
    match all.iter().find_map(choices) {
        Some(choices) if choices.is_usual || all.len() == 1 => Resolution::usual(text, choices),
        _ => Some(Resolution::read(text, at(text, one))),
    }
}

/// The series of a name, of an ambiguous one the first.
fn first(name: &str) -> Option<Arc<SeriesInfo>> {
    let names = Names::embedded();
    match names.choices(name) {
        Some(choices) => names.find(&choices.all.first()?.id),
        None => names.find(name),
    }
}

/// The series, or its average over the periods that a name asks for in a word: "monthly wti".
fn at(name: &str, info: Arc<SeriesInfo>) -> Arc<SeriesInfo> {
    let wanted = phrase::frequency(name).filter(|f| *f != info.frequency);
    let averaged = wanted.and_then(|frequency| identities::averages(&info.id, frequency));
    averaged.unwrap_or(info)
}

/// The one series that a single word is nearly spelled like; with digits in it a slip is another series.
fn slipped(name: &str) -> Option<Arc<SeriesInfo>> {
    let folded = fold(name);
    let is_word = folded.chars().all(char::is_alphabetic) && !name.trim().contains(' ');
    if !is_word || folded.chars().count() < MIN_LETTERS {
        return None;
    }
    let near = near(name);
    let ((edits, ..), first) = near.first()?;
    let mut as_near = near.iter().filter(|((other, ..), _)| other == edits);
    let is_only = as_near.all(|(_, other)| other.id == first.id);
    is_only.then(|| Arc::clone(first))
}

/// How near a name is: edits, how likely the slip is, letters more or less, and whether it is a tracked metric.
type NameDistance = (usize, u8, usize, Reverse<bool>);

/// Series with a name that a slip of the hand makes it, the likeliest first.
fn near(name: &str) -> Vec<(NameDistance, Arc<SeriesInfo>)> {
    let typed = fold(name);
    let near = Library::embedded().near(name, Kind::Series);
    let near = near.filter_map(|(document, meant, edits)| {
        let info = Catalogue::embedded().get(&document.name)?;
        let gap = typed.len().abs_diff(meant.len());
        let how_near = (edits, slip(&typed, meant), gap, Reverse(info.metric));
        Some((how_near, Arc::clone(info)))
    });
    let mut near: Vec<_> = near.collect();
    near.sort_by(|a, b| (a.0, &a.1.id).cmp(&(b.0, &b.1.id)));
    near
}

/// Why a name does not resolve: empty, ambiguous, ended, or unknown with what is near. `kind` is the word for it:
/// `ticker` or `series`.
pub fn explain(kind: &'static str, name: &str) -> Error {
    if fold(name).is_empty() {
        let allowed = "an identifier such as DGS10 or a name such as \"10y\"";
        return Error::invalid(kind, name, "is empty", allowed);
    }
    if let Some(ended) = remarks::ended(name) {
        return ended;
    }
    let choices = Names::embedded().choices(name).map(|c| c.all.clone());
    let choices = choices.or_else(|| match phrase::find(name).names.as_slice() {
        [one] => Some(Names::embedded().choices(one)?.all.clone()),
        _ => None,
    });
    if let Some(choices) = choices {
        return Error::Ambiguous {
            name: quote(name),
            choices,
        };
    }
    Error::unknown(kind, name, suggest(name))
}

/// The series that a name may mean.
///
/// First those that its words may be, then those with a name that a slip of the hand makes it, then those that have all
/// its words. One alone is offered only where it is spelled nearly so.
pub fn suggest(name: &str) -> Vec<Suggestion> {
    let names = Names::embedded();
    let found = phrase::find(name);
    let meant = found.names.iter().filter_map(|name| first(name));
    let is_one_word = !name.trim().contains(char::is_whitespace);
    let near = is_one_word.then(|| near(name)).into_iter().flatten();
    let near = near.map(|(_, info)| info);
    let words = found.words.as_deref().unwrap_or_default();
    let with_all = Library::embedded()
        .with_all(words, Kind::Series)
        .into_iter();
    let with_all = with_all.filter_map(|d| names.catalogue().get(&d.name).cloned());
    let numbers = phrase::numbers(name);
    let has_numbers = |info: &Arc<SeriesInfo>| is_one_word || phrase::has(info, &numbers);
    let mut seen = HashSet::new();
    let all = meant.chain(near).chain(with_all).filter(has_numbers);
    all.filter(|info| seen.insert(info.id.clone()))
        .take(MAX_OFFERS)
        .map(|info| Suggestion::new(info.id.as_str(), info.title.as_str()))
        .collect()
}

impl Desk {
    /// The series a name means; composites answer to the configured prefix, to `SERVICE_` and to their bare name.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::Ambiguous`] or [`Error::InvalidParam`].
    pub fn resolve(&self, kind: &'static str, name: &str) -> Result<Arc<SeriesInfo>> {
        self.meaning(kind, name).map(|meaning| meaning.info)
    }

    /// What a name was taken for, with what is to be said of it.
    ///
    /// # Errors
    /// As [`Self::resolve`].
    pub fn meaning(&self, kind: &'static str, name: &str) -> Result<Resolution> {
        if let Some(info) = self.named(name) {
            return Ok(Resolution::plain(self.on_its_base(&info, self.today())?));
        }
        if let Some(id) = self.known(name)? {
            return self.outside_catalogue(&id).map(Resolution::plain);
        }
        let meant = meaning(name).ok_or_else(|| explain(kind, name))?;
        Ok(Resolution {
            info: self.on_its_base(&meant.info, self.today())?,
            ..meant
        })
    }

    /// The identifier of the series that a name means; none for one that means nothing, without a search for what
    /// it could have meant.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn known(&self, name: &str) -> Result<Option<SeriesId>> {
        if let Some(info) = self.named(name) {
            return Ok(Some(info.id.clone()));
        }
        Ok(match SeriesId::new(name) {
            Ok(id) if self.held(&id)?.is_some() => Some(id),
            Ok(_) | Err(_) => None,
        })
    }

    /// The series of the catalogue that bears a name.
    fn named(&self, name: &str) -> Option<Arc<SeriesInfo>> {
        let prefix = self.settings().prefix.as_str();
        let (head, bare) = name
            .trim()
            .split_at_checked(prefix.len())
            .unwrap_or_default();
        if !head.is_empty() && head.eq_ignore_ascii_case(prefix) {
            let own = format!("{DEFAULT_PREFIX}{}", bare.to_ascii_uppercase());
            if let Some(info) = Catalogue::embedded().get(&own) {
                return Some(Arc::clone(info));
            }
        }
        Names::embedded().find(name)
    }

    /// The identifier as it is shown: composites carry the configured prefix.
    pub fn shown_id(&self, id: &SeriesId) -> String {
        match id.as_str().strip_prefix(DEFAULT_PREFIX) {
            Some(bare) => format!("{}{bare}", self.settings().prefix),
            None => id.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(name: &str) -> String {
        let found = find(name).map(|info| info.id.to_string());
        found.unwrap_or_else(|| explain("ticker", name).to_string())
    }

    #[test]
    fn a_typo_in_an_identifier_is_never_taken_but_always_answered() {
        let said = meant("DGS1O");
        assert!(
            said.starts_with("Unknown ticker \"DGS1O\". Did you mean: DGS10"),
            "{said}"
        );
        assert!(meant("spread").contains("ambiguous"));
        assert!(meant("current rates in the US").contains("ambiguous"));
        assert!(meant("  ").contains("is empty"));
    }

    #[test]
    fn what_everybody_means_is_taken_and_said() {
        let inflation = meaning("what is inflation").unwrap();
        assert_eq!(inflation.info.id.as_str(), "CPI_YOY");
        let said = inflation.said.unwrap();
        assert!(
            said.starts_with("\"what is inflation\" read as CPI_YOY"),
            "{said}"
        );
        assert!(said.contains("it may also mean CPIAUCSL ("), "{said}");
        let only = meaning("real fed funds rate today").unwrap();
        assert_eq!(only.info.id.as_str(), "REAL_FEDFUNDS");
        assert!(only.said.unwrap().contains("read as REAL_FEDFUNDS"));
        let range = meaning("fed funds target range").unwrap();
        assert_eq!(
            (range.info.id.as_str(), range.beside.len()),
            ("DFEDTARU", 1)
        );
        assert_eq!(meaning("unemployment").unwrap().said, None);
    }

    #[test]
    fn words_are_taken_in_any_order_with_fillers_and_slips() {
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
            assert_eq!(meant(phrase), want, "{phrase}");
        }
        let said = meant("treasury maturity");
        assert!(said.contains("Did you mean"), "{said}");
    }

    #[test]
    fn what_is_nothing_like_anything_is_told_so_and_a_wrong_series_is_never_the_only_offer() {
        for nothing in [
            "price of eggs",
            "tesla stock",
            "4-year treasury yield",
            "blockchain",
        ] {
            let said = meant(nothing);
            assert!(said.contains("Nothing similar is known"), "{said}");
        }
        let ended = meant("3-month libor");
        assert!(ended.contains("ended 2023-06-30; SOFR follows"), "{ended}");
    }
}
