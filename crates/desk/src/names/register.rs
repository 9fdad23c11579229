//! What is known by name: series, formulas, ambiguous names, and the register of what is not carried.

use super::words::{self, Kind, Token, tokens, unit};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::{Choices, Names};
use econoscope_core::error::Suggestion;
use econoscope_core::model::words::{Spelling, fold_name};
use econoscope_core::model::{SeriesInfo, table};
use econoscope_core::recipe::Recipes;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

/// Most series that a refusal names.
const MAX_NEAREST: usize = 3;

/// The number of days in the units of durations.
const DAYS: [(char, u32); 5] = [('y', 365), ('q', 91), ('m', 30), ('w', 7), ('d', 1)];

/// What is not carried: its names, why, the nearest series, and how they differ.
pub(super) type Absent = [&'static str; 4];

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    Series(&'static Arc<SeriesInfo>),
    Choices(&'static Choices),
    Formula(&'static str),
}

impl Target {
    /// Its series: of an ambiguous name the usual one or the candidates, of what is not carried the nearest.
    pub(super) fn series(self) -> Vec<&'static Arc<SeriesInfo>> {
        let find = |id: &str| Catalogue::embedded().get(id);
        match self {
            Self::Series(info) => vec![info],
            Self::Formula(_) => Vec::new(),
            Self::Choices(choices) => {
                let most = if choices.has_default { 1 } else { MAX_NEAREST };
                let candidates = choices.candidates.iter().take(most);
                candidates.filter_map(|one| find(&one.id)).collect()
            }
        }
    }

    /// Whether it is the difference of two series.
    pub(super) fn is_difference(self) -> bool {
        matches!(self, Self::Series(info) if info.title.contains(" minus "))
    }
}

/// Suggests series.
pub(super) fn suggest<'a>(infos: impl IntoIterator<Item = &'a Arc<SeriesInfo>>) -> Vec<Suggestion> {
    let suggestion = |info: &Arc<SeriesInfo>| Suggestion::new(info.id.as_str(), &*info.title);
    let nearest = infos.into_iter().take(MAX_NEAREST);
    nearest.map(suggestion).collect()
}

/// A name by its words: their numbers in order.
type Key = Vec<u16>;

/// The words that tell a name.
pub(super) type Words = BTreeSet<String>;

/// Every name by its words, in any order.
pub(super) struct NameTable {
    names: HashMap<Key, Target>,
    absent: HashMap<Key, Absent>,
    vocabulary: HashMap<String, u16>,
    pub(super) spellings: Vec<Spelling>,
    /// Identifiers of agencies and vendors.
    pub(super) ids: HashMap<String, &'static str>,
}

/// Returns the words that tell a name. Those left out have a minus before them, those behind an operator a slash: "wti
/// minus brent" is not "brent minus wti".
pub(super) fn significant<'a>(tokens: impl Iterator<Item = &'a Token> + Clone) -> Words {
    let has_ratio = tokens.clone().any(|token| token.text == "ratio");
    let mut is_left_out = false;
    let mut is_behind = false;
    let mut words = Words::new();
    for Token { text, typed, kind } in tokens {
        let is_mark = ["and", ",", "/"].contains(&typed.as_str());
        match kind {
            Kind::Except => is_left_out = true,
            Kind::Stop => is_behind |= has_ratio && typed == "to",
            Kind::Operator if is_left_out || is_mark => {}
            Kind::Word | Kind::Part if is_left_out => _ = words.insert(format!("-{text}")),
            Kind::Word
            | Kind::Filler
            | Kind::Head
            | Kind::Transform
            | Kind::Operator
            | Kind::Time
            | Kind::Tenor
            | Kind::Part => {
                is_left_out &= *kind == Kind::Filler;
                let word = format!("{}{text}", if is_behind { "/" } else { "" });
                is_behind |= *kind == Kind::Operator && text != "ratio";
                // A duration may come twice: "5y 5y".
                if !words.insert(word.clone()) && *kind == Kind::Tenor {
                    words.insert(word + " again");
                }
            }
        }
    }
    words
}

impl NameTable {
    pub(super) fn embedded() -> &'static Self {
        static TABLE: LazyLock<NameTable> = LazyLock::new(NameTable::new);
        &TABLE
    }

    /// Learns every name. Of two with the same words the first stays: a curated one before a title.
    fn new() -> Self {
        let mut table = Self {
            names: HashMap::new(),
            absent: HashMap::new(),
            vocabulary: HashMap::new(),
            spellings: Vec::new(),
            ids: ids(),
        };
        let names = Names::embedded();
        let all = || names.catalogue().iter();
        // Of two with the same words the one without a usual meaning asks.
        let mut choices: Vec<&Choices> = names.ambiguous().collect();
        choices.sort_by_key(|choices| (choices.has_default, choices.name));
        let choices = choices.into_iter().map(|c| (c.name, Target::Choices(c)));
        let named = |(alias, info)| (alias, Target::Series(info));
        let aliases = names.aliases().map(named);
        let phrases =
            table::embedded(include_str!("../../data/phrases.csv")).map(|[name, formula]| {
                let series = Catalogue::embedded().get(formula).map(Target::Series);
                (name, series.unwrap_or(Target::Formula(formula)))
            });
        let ids = all().map(|info| (info.id.as_str(), Target::Series(info)));
        let titles = all().map(|info| (info.title.as_str(), Target::Series(info)));
        let first = choices.chain(aliases).chain(phrases);
        for (name, target) in first.chain(ids).chain(titles) {
            let key = table.learn(name);
            table.names.entry(key).or_insert(target);
        }
        for absent in table::embedded::<4>(include_str!("../../data/absent.csv")) {
            for name in absent[0].split('|') {
                let key = table.learn(name);
                table.absent.entry(key).or_insert(absent);
            }
        }
        let own = table.vocabulary.keys().cloned();
        let words: Words = own.chain(words::known().cloned()).collect();
        table.spellings = words.into_iter().map(Spelling::new).collect();
        table
    }

    /// Returns the key of a name, whose words become known.
    fn learn(&mut self, name: &str) -> Key {
        let words = significant(tokens(name).iter());
        for word in &words {
            let number = u16::try_from(self.vocabulary.len()).unwrap_or(u16::MAX);
            self.vocabulary.entry(word.clone()).or_insert(number);
        }
        self.known(&words)
    }

    /// Returns the key of those words that are known.
    fn known(&self, words: &Words) -> Key {
        let numbers = words.iter().filter_map(|word| self.vocabulary.get(word));
        let mut key: Key = numbers.copied().collect();
        key.sort_unstable();
        key
    }

    /// Returns what exactly these words stand for.
    pub(super) fn find(&self, words: &Words) -> Option<Target> {
        self.get(&self.names, words)
    }

    /// Returns the entry of the register with exactly these words.
    pub(super) fn find_absent(&self, words: &Words) -> Option<Absent> {
        self.get(&self.absent, words)
    }

    fn get<T: Copy>(&self, names: &HashMap<Key, T>, words: &Words) -> Option<T> {
        let target = names.get(&self.known(words)).copied();
        target.filter(|_| words.iter().all(|word| self.is_known(word)))
    }

    pub(super) fn is_known(&self, word: &str) -> bool {
        self.vocabulary.contains_key(word)
    }

    /// Returns the entry of the register with the most of these words and no other.
    pub(super) fn find_absent_within(&self, words: &Words) -> Option<Absent> {
        within(&self.absent, &self.known(words)).into_iter().next()
    }

    /// Returns the series nearest to a name that has none: with the nearest durations, or else with the most of its words.
    pub(super) fn nearest(&self, words: &Words) -> Vec<Suggestion> {
        let mut infos = self.with_other_tenors(words);
        if infos.is_empty() {
            let targets = within(&self.names, &self.known(words)).into_iter();
            infos = targets.flat_map(Target::series).collect();
            infos.sort_by_key(|info| &info.id);
            infos.dedup_by_key(|info| &info.id);
        }
        suggest(infos)
    }

    /// Returns the series of the same name with the next shorter and the next longer duration.
    fn with_other_tenors(&self, words: &Words) -> Vec<&'static Arc<SeriesInfo>> {
        let mut shorter = BTreeMap::new();
        let mut longer = BTreeMap::new();
        for (tenor, wanted) in words.iter().filter_map(|word| Some((word, days(word)?))) {
            let all = self.vocabulary.keys();
            let tenors = all.filter_map(|word| Some((word, days(word)?)));
            for (other, length) in tenors.filter(|(other, _)| !words.contains(*other)) {
                let mut changed = words.clone();
                changed.remove(tenor);
                changed.insert(other.clone());
                let target = self.find(&changed);
                let found = target.and_then(|t| t.series().first().copied());
                let side = if length < wanted {
                    &mut shorter
                } else {
                    &mut longer
                };
                side.extend(found.map(|info| (length, info)));
            }
        }
        let nearest = shorter.pop_last().into_iter().chain(longer.pop_first());
        nearest.map(|(_, info)| info).collect()
    }
}

/// Returns the names whose words are all among these, those with the most words.
fn within<T: Copy>(names: &HashMap<Key, T>, words: &Key) -> Vec<T> {
    let is_within = |key: &Key| key.iter().all(|word| words.binary_search(word).is_ok());
    let among = names.iter();
    let mut found: Vec<_> = among
        .filter(|(key, _)| !key.is_empty() && is_within(key))
        .collect();
    let most = found.iter().map(|(key, _)| key.len()).max();
    found.retain(|(key, _)| Some(key.len()) == most);
    found.sort_by_key(|(key, _)| *key);
    found.into_iter().map(|(_, target)| *target).collect()
}

fn days(word: &str) -> Option<u32> {
    let (number, letter) = unit(word)?;
    let (_, days) = DAYS.into_iter().find(|(unit, _)| *unit == letter)?;
    Some(number.saturating_mul(days))
}

/// Returns the identifiers of agencies (the recipes' own fields, if only one series has them) and of vendors
/// (`data/ids.csv`), folded.
fn ids() -> HashMap<String, &'static str> {
    let mut ids: HashMap<String, &'static str> = HashMap::new();
    let feeds = Recipes::embedded().feeds();
    for series in feeds.flat_map(|feed| &feed.feed.series) {
        let info = Catalogue::embedded().get(series.id.as_str());
        // A short word or one in small letters is the name of a column.
        let is_id = |name: &&String| name.len() >= 4 && **name != name.to_lowercase();
        let names = [&series.field, &series.key].into_iter().filter(is_id);
        for (name, info) in names.zip(info.into_iter().cycle()) {
            let id = ids.entry(fold_name(name)).or_insert(info.id.as_str());
            if *id != info.id.as_str() {
                *id = "";
            }
        }
    }
    ids.retain(|_, id| !id.is_empty());
    // A star stands for all other identifiers with these letters.
    let key = |name: &str| fold_name(name) + if name.ends_with('*') { "*" } else { "" };
    let own = table::embedded(include_str!("../../data/ids.csv"));
    ids.extend(own.map(|[name, meaning]| (key(name), meaning)));
    ids
}
