//! Finding series by words: identifiers, aliases, titles, categories and sources, best first.
//!
//! An inverted index over the catalogue's words answers; a query never looks at every series. What the
//! catalogue does not know but the store has a title of is found by the store's own index; what an operator
//! imported without any title, by its identifier.

use super::Desk;
use crate::error::Result;
use crate::model::resolve::{Resolver, fold};
use crate::model::word_index::{Found, Hit, WordIndex, content_words};
use crate::model::{Catalogue, Frequency, Rights, SeriesId, SeriesInfo};
use crate::store::Description;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// A series with its other names.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What is known of it.
    pub info: Arc<SeriesInfo>,
    /// Aliases as written.
    pub aliases: Vec<String>,
}

/// Every series of the catalogue, ready to be searched.
#[derive(Debug)]
pub struct SeriesIndex {
    entries: Vec<Entry>,
    index: WordIndex,
    /// Entries by an identifier or alias, folded.
    by_name: HashMap<String, Vec<usize>>,
}

impl SeriesIndex {
    /// The index over the embedded catalogue and aliases.
    pub fn embedded() -> &'static Self {
        static INDEX: OnceLock<SeriesIndex> = OnceLock::new();
        INDEX.get_or_init(|| Self::new(Catalogue::embedded(), Resolver::embedded()))
    }

    fn new(catalogue: &Catalogue, resolver: &Resolver) -> Self {
        let mut entries: Vec<Entry> = catalogue
            .iter()
            .map(|info| Entry {
                info: Arc::clone(info),
                aliases: Vec::new(),
            })
            .collect();
        let at: HashMap<_, _> = entries
            .iter()
            .enumerate()
            .map(|(i, e)| (e.info.id.clone(), i))
            .collect();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (written, info) in resolver.names() {
            let Some(&i) = at.get(&info.id) else { continue };
            by_name.entry(fold(written)).or_default().push(i);
            if let Some(entry) = entries.get_mut(i)
                && written != info.id.as_str()
            {
                entry.aliases.push(written.to_owned());
            }
        }
        let index = WordIndex::new(entries.iter().map(spellings));
        Self {
            entries,
            index,
            by_name,
        }
    }

    /// Series that match, best first; with a category, those of it alone.
    /// An empty query lists the category: tracked metrics first, then by identifier.
    pub fn search(&self, query: &str, category: Option<&str>) -> Vec<&Entry> {
        let of_category =
            |e: &&Entry| category.is_none_or(|c| e.info.category.eq_ignore_ascii_case(c));
        let words = content_words(query);
        if words.is_empty() {
            let mut all: Vec<&Entry> = self.entries.iter().filter(of_category).collect();
            all.sort_by_key(|e| (Reverse(e.info.metric), e.info.id.clone()));
            return all;
        }
        let mut ranked: Vec<(u32, &Entry)> = self
            .scores(query, &words)
            .into_iter()
            .filter_map(|(i, score)| Some((score, self.entries.get(i)?)))
            .filter(|(_, e)| of_category(e))
            .collect();
        ranked.sort_by_key(|(score, e)| (Reverse(*score), e.info.id.clone()));
        // A near spelling matters only while little is spelled right.
        let best = ranked.first().map_or(0, |(score, _)| *score);
        let least = if best >= 300 { 200 } else { best / 2 };
        ranked
            .into_iter()
            .filter(|(score, _)| *score >= least)
            .map(|(_, e)| e)
            .collect()
    }

    /// Categories with how many series each holds.
    pub fn categories(&self) -> BTreeMap<&str, usize> {
        let mut count = BTreeMap::new();
        for e in &self.entries {
            *count.entry(e.info.category.as_str()).or_default() += 1;
        }
        count
    }

    fn scores(&self, query: &str, words: &[String]) -> HashMap<usize, u32> {
        let mut scores = HashMap::new();
        let mut spellings = words.to_vec();
        spellings.push(whole(query));
        for hit in self.index.search(&spellings) {
            if let Some(entry) = self.entries.get(hit.document)
                && let Some(score) = score(entry, &hit, words.len())
            {
                scores.insert(hit.document, score);
            }
        }
        // A word that is itself a name ("m2 money") speaks for the series of that name.
        for i in words.iter().filter_map(|w| self.by_name.get(w)).flatten() {
            scores.entry(*i).and_modify(|score| *score += 60);
        }
        for i in self.by_name.get(&fold(query)).into_iter().flatten() {
            scores.insert(*i, 1_000);
        }
        // A word with several meanings: the series a person would choose among come first, in their order.
        for (choice, below) in Resolver::embedded().choices(query).iter().zip(0u32..) {
            for i in self.by_name.get(&fold(&choice.id)).into_iter().flatten() {
                scores.insert(*i, 950_u32.saturating_sub(below));
            }
        }
        scores
    }
}

/// Words found whole count most, then beginnings, then near spellings; the fewer other words a title has,
/// the nearer it is; a tracked metric goes before what is not.
fn score(entry: &Entry, hit: &Hit, words: usize) -> Option<u32> {
    let (of_query, joined) = hit.found.split_at_checked(words)?;
    let points = |found: &Found| match found {
        Found::Whole => 100,
        Found::Beginning => 80,
        Found::Near(1) => 40,
        Found::Near(_) => 25,
    };
    let sum: u32 = of_query.iter().flatten().map(points).sum();
    let share = sum / u32::try_from(words).unwrap_or(1).max(1);
    let as_name = joined
        .first()
        .copied()
        .flatten()
        .map_or(0, |found| match found {
            Found::Whole => 100,
            Found::Beginning => 85,
            Found::Near(n) => 60_u32.saturating_sub(u32::try_from(15 * n).unwrap_or(60)),
        });
    let all = of_query.iter().all(Option::is_some);
    let base = if all {
        4 * share.max(as_name)
    } else {
        2 * share.max(as_name)
    };
    let extra = u32::try_from(content_words(&entry.info.title).len().min(20)).unwrap_or(20);
    (base > 0).then(|| base + 2 * (20 - extra) + if entry.info.metric { 25 } else { 0 })
}

/// A whole name as one word of the index, kept apart from the words of titles.
fn whole(name: &str) -> String {
    format!("={}", fold(name))
}

fn spellings(entry: &Entry) -> Vec<String> {
    let info = &entry.info;
    let mut all = vec![whole(info.id.as_str())];
    all.extend(content_words(info.id.as_str()));
    for text in [&info.title, &info.category, &info.source] {
        all.extend(content_words(text));
    }
    for alias in &entry.aliases {
        all.extend(content_words(alias));
        all.push(whole(alias));
    }
    all
}

/// Most series that one search takes out of the store's index; more words find the others.
const MOST_DESCRIBED: usize = 200;

/// A series outside the catalogue under what is known of it; the rest is supposed.
pub(super) fn described(description: Description) -> SeriesInfo {
    let or = |text: String, supposed: &str| match text.is_empty() {
        true => supposed.to_owned(),
        false => text,
    };
    SeriesInfo {
        id: description.id,
        title: description.title,
        units: or(description.units, "unit not stated"),
        units_short: String::new(),
        frequency: description.frequency,
        seasonally_adjusted: description.seasonally_adjusted,
        category: IMPORTED.into(),
        source: or(description.source, "imported by the operator"),
        publication_lag_days: match description.frequency {
            Frequency::Daily => 1,
            Frequency::Weekly | Frequency::Monthly | Frequency::Quarterly | Frequency::Annual => 30,
        },
        metric: false,
        rights: Rights::Ok,
        decimals: 4,
    }
}

/// The category of everything that the catalogue does not know.
const IMPORTED: &str = "imported";

impl Desk {
    /// Series that match, best first; those that the catalogue does not know come last.
    ///
    /// # Errors
    /// [`crate::Error::Store`] when the store cannot be read.
    pub fn find_series(&self, query: &str, category: Option<&str>) -> Result<Vec<Entry>> {
        let mut found: Vec<Entry> = SeriesIndex::embedded()
            .search(query, category)
            .into_iter()
            .cloned()
            .collect();
        if !category.is_none_or(|c| c.eq_ignore_ascii_case(IMPORTED)) {
            return Ok(found);
        }
        let mut others = self.described_series(query)?;
        let folded = fold(query);
        for status in self.holdings()?.iter() {
            let id = &status.id;
            let known = Catalogue::embedded().get(id.as_str()).is_some();
            if !known && fold(id.as_str()).contains(&folded) && others.iter().all(|i| i.id != *id) {
                others.push(self.resolve("series", id.as_str())?);
            }
        }
        let named = others
            .first()
            .is_some_and(|i| fold(i.id.as_str()) == folded);
        let mut others = others.into_iter().map(|info| Entry {
            info,
            aliases: Vec::new(),
        });
        // Whoever writes a whole name means that series, not one spelled nearly so.
        let first = if named { 0 } else { found.len() };
        found.splice(first..first, others.next());
        found.extend(others);
        Ok(found)
    }

    /// Series out of the store's index, best first: the one of that very name, then short titles, which say
    /// little else than what was asked.
    fn described_series(&self, query: &str) -> Result<Vec<Arc<SeriesInfo>>> {
        let words = content_words(query);
        let mut found = self.store().find_descriptions(&words, MOST_DESCRIBED)?;
        if let Ok(id) = SeriesId::new(query)
            && !found.iter().any(|d| d.id == id)
        {
            found.extend(self.store().description(&id)?);
        }
        found.retain(|d| Catalogue::embedded().get(d.id.as_str()).is_none());
        let name = fold(query);
        found.sort_by_cached_key(|d| (fold(d.id.as_str()) != name, d.title.chars().count()));
        Ok(found.into_iter().map(|d| Arc::new(described(d))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Settings;
    use crate::store::{Memory, Store};

    fn first(query: &str) -> String {
        let found = SeriesIndex::embedded().search(query, None);
        found
            .first()
            .map(|e| e.info.id.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn the_series_a_person_means_comes_first() {
        let mut wrong = Vec::new();
        for (query, want) in [
            ("DGS10", "DGS10"),
            ("10 year treasury", "DGS10"),
            ("unemployment rate", "UNRATE"),
            ("unemploymnt", "UNRATE"),
            ("core cpi", "CPILFESL"),
            ("inflation", "CPIAUCSL"),
            ("vix", "VIXCLS"),
            ("nonfarm payrols", "PAYEMS"),
            ("recession probability", "SERVICE_CRPI"),
            ("yen", "DEXJPUS"),
            ("fed balance sheet", "WALCL"),
            ("high yield spread", "BAMLH0A0HYM2"),
            ("initial claims", "ICSA"),
            ("housing starts", "HOUST"),
            ("industrial production", "INDPRO"),
        ] {
            let got = first(query);
            if got != want {
                wrong.push(format!("{query}: {got}, not {want}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_category_is_listed_and_narrows() {
        let index = SeriesIndex::embedded();
        let fx = index.search("", Some("FX"));
        assert_eq!(fx.len(), index.categories()["fx"]);
        assert!(fx.iter().all(|e| e.info.category == "fx"));
        let found = index.search("spread", Some("credit"));
        assert!(!found.is_empty() && found.iter().all(|e| e.info.category == "credit"));
        assert!(index.search("qqqqzzzz", None).is_empty());
    }

    #[test]
    fn titles_in_the_store_are_found_after_the_catalogue() -> Result<()> {
        let store = Arc::new(Memory::new());
        let titles = [
            (
                "TXLONG",
                "Unemployment Rate for People of Some Age in Texas",
            ),
            ("TXUR", "Unemployment Rate in Texas"),
            ("DGS10", "Not our title"),
        ];
        store.describe(&titles.map(|(id, title)| Description {
            id: SeriesId::new(id).unwrap(),
            title: title.into(),
            units: "Percent".into(),
            frequency: Frequency::Quarterly,
            seasonally_adjusted: true,
            source: String::new(),
        }))?;
        let desk = Desk::open(store, Settings::default(), Desk::system_clock());
        let ids = |query: &str, category: Option<&str>| -> Result<Vec<String>> {
            let found = desk.find_series(query, category)?;
            Ok(found.iter().map(|e| e.info.id.to_string()).collect())
        };
        assert_eq!(
            ids("unemployment rate texas", Some("imported"))?,
            ["TXUR", "TXLONG"]
        );
        let all = ids("unemployment rate", None)?;
        assert_eq!(
            (all[0].as_str(), all.last().unwrap().as_str()),
            ("UNRATE", "TXLONG")
        );
        assert!(
            ids("unemployment rate", Some("labor"))?
                .iter()
                .all(|id| !id.starts_with("TX"))
        );
        assert_eq!(ids("txlong", None)?[0], "TXLONG");
        // The catalogue's own titles stand.
        assert!(ids("not our title", None)?.iter().all(|id| id != "DGS10"));
        Ok(())
    }
}
