//! What is known by name: series, formulas, ambiguous names, and the register of what is not carried.

use super::words::{Kind, Token, readings, tokens, unit};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::{Choices, Names};
use econoscope_core::error::Suggestion;
use econoscope_core::model::words::{Spelling, fold_name};
use econoscope_core::model::{SeriesInfo, table};
use econoscope_core::recipe::Recipes;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

/// Most series that a refusal names.
pub(super) const MAX_NEAREST: usize = 3;

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    Series(&'static Arc<SeriesInfo>),
    Choices(&'static Choices),
    Formula(&'static str),
    Absent(&'static Absent),
}

impl Target {
    /// Its series: of an ambiguous name the candidates, of what is not carried the nearest.
    pub(super) fn series(self) -> Vec<&'static Arc<SeriesInfo>> {
        let catalogue = Catalogue::embedded();
        match self {
            Self::Series(info) => vec![info],
            Self::Choices(choices) => {
                let all = choices.candidates.iter();
                let all = all.filter_map(|one| catalogue.get(&one.id));
                all.take(if choices.has_default { 1 } else { MAX_NEAREST })
                    .collect()
            }
            Self::Formula(_) => Vec::new(),
            Self::Absent(absent) => absent
                .nearest
                .split(';')
                .filter_map(|id| catalogue.get(id))
                .collect(),
        }
    }

    /// Whether it is the difference of two series.
    pub(super) fn is_difference(self) -> bool {
        matches!(self, Self::Series(info) if info.title.contains(" minus "))
    }

    fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Series(one), Self::Series(other)) => one.id == other.id,
            (Self::Formula(one), Self::Formula(other)) => one == other,
            (Self::Choices(one), Self::Choices(other)) => one.name == other.name,
            (Self::Absent(one), Self::Absent(other)) => std::ptr::eq(one, other),
            _ => false,
        }
    }
}

/// An entry of the register: what it is, why it has no series here, the nearest series, and how they differ.
#[derive(Debug)]
pub(super) struct Absent {
    pub(super) name: &'static str,
    pub(super) why: &'static str,
    pub(super) nearest: &'static str,
    pub(super) differs: &'static str,
}

/// Suggests series.
pub(super) fn suggest<'a>(infos: impl IntoIterator<Item = &'a Arc<SeriesInfo>>) -> Vec<Suggestion> {
    let infos = infos.into_iter().take(MAX_NEAREST);
    infos
        .map(|info| Suggestion::new(info.id.as_str(), info.title.as_str()))
        .collect()
}

/// A name by its words: their numbers in order.
type Key = Vec<u16>;

/// Every name by its words, in any order.
pub(super) struct NameTable {
    names: HashMap<Key, Vec<Target>>,
    absent: HashMap<Key, Target>,
    vocabulary: HashMap<String, u16>,
    spellings: Vec<Spelling>,
    /// Identifiers of agencies and vendors.
    pub(super) ids: HashMap<String, &'static str>,
}

/// The words that tell a name. Those left out have a minus before them, those behind an operator a slash: "wti minus brent"
/// is not "brent minus wti".
pub(super) fn significant<'a>(tokens: impl Iterator<Item = &'a Token> + Clone) -> BTreeSet<String> {
    let has_ratio = tokens.clone().any(|token| token.text == "ratio");
    let mut is_left_out = false;
    let mut is_behind = false;
    let mut words = BTreeSet::new();
    for token in tokens {
        let is_word = matches!(token.kind, Kind::Word | Kind::Place | Kind::Group);
        match token.kind {
            Kind::Except => is_left_out = true,
            Kind::Stop => is_behind |= has_ratio && token.typed == "to",
            Kind::Operator if is_left_out || ["and", ",", "/"].contains(&token.typed.as_str()) => {}
            _ if is_left_out && is_word => _ = words.insert(format!("-{}", token.text)),
            kind => {
                is_left_out &= kind == Kind::Filler;
                let mark = if is_behind { "/" } else { "" };
                let word = format!("{mark}{}", token.text);
                is_behind |= kind == Kind::Operator && token.text != "ratio";
                // A duration may come twice: "5y 5y".
                if !words.insert(word.clone()) && kind == Kind::Tenor {
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

    fn new() -> Self {
        let mut table = Self {
            names: HashMap::new(),
            absent: HashMap::new(),
            vocabulary: HashMap::new(),
            spellings: Vec::new(),
            ids: ids(),
        };
        let names = Names::embedded();
        for choices in names.ambiguous() {
            table.add(choices.name, Target::Choices(choices));
        }
        for (alias, info) in names.aliases() {
            table.add(alias, Target::Series(info));
        }
        // Tests check every row of these tables.
        let rows = table::rows(include_str!("../../data/phrases.csv"));
        for [name, formula] in rows.filter_map(|(_, row)| row.ok()) {
            let series = Catalogue::embedded().get(formula).map(Target::Series);
            table.add(name, series.unwrap_or(Target::Formula(formula)));
        }
        for info in Catalogue::embedded().iter() {
            table.add(info.id.as_str(), Target::Series(info));
        }
        for info in Catalogue::embedded().iter() {
            let key = table.learn(&info.title);
            table
                .names
                .entry(key)
                .or_insert_with(|| vec![Target::Series(info)]);
        }
        for absent in REGISTER.iter() {
            for name in absent.name.split('|') {
                let key = table.learn(name);
                table.absent.entry(key).or_insert(Target::Absent(absent));
            }
        }
        table.spellings = table
            .vocabulary
            .keys()
            .map(|word| Spelling::new(word.clone()))
            .collect();
        table
    }

    fn add(&mut self, name: &str, target: Target) {
        let key = self.learn(name);
        let targets = self.names.entry(key).or_default();
        if !targets.iter().any(|other| other.is(target)) {
            targets.push(target);
        }
    }

    /// Returns the key of a name whose words become known.
    fn learn(&mut self, name: &str) -> Key {
        let words = significant(tokens(name).iter());
        let next =
            |vocabulary: &HashMap<String, u16>| u16::try_from(vocabulary.len()).unwrap_or(u16::MAX);
        let mut key: Key = Vec::new();
        for word in words {
            let number = next(&self.vocabulary);
            key.push(*self.vocabulary.entry(word).or_insert(number));
        }
        key.sort_unstable();
        key
    }

    /// Returns the key of some words; `None` when one is in no name.
    fn key(&self, words: &BTreeSet<String>) -> Option<Key> {
        let numbers = words.iter().map(|word| self.vocabulary.get(word).copied());
        let mut key: Key = numbers.collect::<Option<_>>()?;
        key.sort_unstable();
        Some(key)
    }

    /// Returns what exactly these words stand for.
    pub(super) fn find(&self, words: &BTreeSet<String>) -> &[Target] {
        let key = self.key(words).filter(|key| !key.is_empty());
        key.and_then(|key| self.names.get(&key))
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the entry of the register with exactly these words.
    pub(super) fn find_absent(&self, words: &BTreeSet<String>) -> Option<Target> {
        self.absent.get(&self.key(words)?).copied()
    }

    /// Returns the entry of the register with the most of these words and no other.
    pub(super) fn find_absent_within(&self, words: &BTreeSet<String>) -> Option<Target> {
        within(&self.absent, &self.known(words))
            .pop()
            .map(|(_, target)| *target)
    }

    fn known(&self, words: &BTreeSet<String>) -> Key {
        let mut key: Key = words
            .iter()
            .filter_map(|word| self.vocabulary.get(word).copied())
            .collect();
        key.sort_unstable();
        key
    }

    /// Returns the series nearest to a name that has none: with the nearest durations, or else with the most of its words.
    pub(super) fn nearest(&self, words: &BTreeSet<String>) -> Vec<&'static Arc<SeriesInfo>> {
        let others = self.with_other_tenors(words);
        if !others.is_empty() {
            return others;
        }
        let mut targets = within(&self.names, &self.known(words));
        let most = targets.last().map_or(0, |(length, _)| *length);
        targets.retain(|(length, _)| *length == most);
        let mut infos: Vec<_> = targets
            .iter()
            .flat_map(|(_, targets)| targets.iter())
            .flat_map(|t| t.series())
            .collect();
        infos.sort_by_key(|info| &info.id);
        infos.dedup_by_key(|info| &info.id);
        infos.truncate(MAX_NEAREST);
        infos
    }

    /// Returns the series of the same name with the next shorter and the next longer duration.
    fn with_other_tenors(&self, words: &BTreeSet<String>) -> Vec<&'static Arc<SeriesInfo>> {
        let mut found = BTreeMap::new();
        let tenors: Vec<&String> = words.iter().filter(|word| unit(word).is_some()).collect();
        for tenor in &tenors {
            let wanted = days(tenor);
            for other in self
                .vocabulary
                .keys()
                .filter(|word| unit(word).is_some() && word != tenor)
            {
                let mut changed = words.clone();
                changed.remove(*tenor);
                changed.insert(other.clone());
                let series = self
                    .find(&changed)
                    .iter()
                    .flat_map(|target| target.series())
                    .next();
                found.extend(
                    series
                        .filter(|_| changed.len() == words.len())
                        .map(|info| ((wanted, days(other)), info)),
                );
            }
        }
        let below = found
            .iter()
            .filter(|((wanted, days), _)| days <= wanted)
            .next_back();
        let above = found.iter().find(|((wanted, days), _)| days > wanted);
        below
            .into_iter()
            .chain(above)
            .map(|(_, info)| *info)
            .collect()
    }

    pub(super) fn is_known(&self, word: &str) -> bool {
        self.vocabulary.contains_key(word)
    }

    /// Returns the words of names that a misspelled word may mean.
    pub(super) fn readings(&self, word: &str) -> Vec<&str> {
        readings(word, self.spellings.iter())
    }
}

/// Returns the names whose words are all among these, those with the most words last.
fn within<'a, T>(names: &'a HashMap<Key, T>, words: &Key) -> Vec<(usize, &'a T)> {
    let is_within = |key: &Key| {
        !key.is_empty()
            && key.len() <= words.len()
            && key.iter().all(|word| words.binary_search(word).is_ok())
    };
    let names = names.iter().filter(|(key, _)| is_within(key));
    let mut names: Vec<(&Key, &T)> = names.collect();
    names.sort_by_key(|(key, _)| (key.len(), *key));
    names
        .into_iter()
        .map(|(key, target)| (key.len(), target))
        .collect()
}

fn days(tenor: &str) -> u32 {
    let length = |unit| match unit {
        'y' => 365,
        'q' => 91,
        'm' => 30,
        'w' => 7,
        _ => 1,
    };
    unit(tenor).map_or(0, |(number, unit)| number.saturating_mul(length(unit)))
}

/// What is not carried (`data/absent.csv`).
static REGISTER: LazyLock<Vec<Absent>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../data/absent.csv")).filter_map(|(_, row)| row.ok());
    rows.map(|[name, why, nearest, differs]: [&'static str; 4]| Absent {
        name,
        why,
        nearest,
        differs,
    })
    .collect()
});

/// Identifiers of agencies (the recipes' own fields, if only one series has them) and of vendors (`data/ids.csv`), folded.
fn ids() -> HashMap<String, &'static str> {
    let mut ids: HashMap<String, &'static str> = HashMap::new();
    let feeds = Recipes::embedded().feeds();
    for series in feeds.flat_map(|feed| feed.feed.series.iter()) {
        let Some(info) = Catalogue::embedded().get(series.id.as_str()) else {
            continue;
        };
        for name in [&series.field, &series.key] {
            // A word without a number is the name of a column.
            if name.len() >= 4
                && name
                    .bytes()
                    .any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
            {
                let id = ids.entry(fold_name(name)).or_insert(info.id.as_str());
                if *id != info.id.as_str() {
                    *id = "";
                }
            }
        }
    }
    ids.retain(|_, id| !id.is_empty());
    let rows = table::rows(include_str!("../../data/ids.csv")).filter_map(|(_, row)| row.ok());
    // A star stands for all other identifiers with these letters.
    let key = |name: &str| fold_name(name) + if name.ends_with('*') { "*" } else { "" };
    ids.extend(rows.map(|[name, meaning]: [&'static str; 2]| (key(name), meaning)));
    ids
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_names_one_thing() {
        let table = NameTable::embedded();
        let mut words: Vec<_> = table.vocabulary.iter().collect();
        words.sort_by_key(|(_, number)| **number);
        for (key, targets) in &table.names {
            if targets.len() > 1 {
                let key: Vec<&str> = key
                    .iter()
                    .map(|n| words[usize::from(*n)].0.as_str())
                    .collect();
                println!(
                    "{key:?}: {}",
                    targets
                        .iter()
                        .map(|t| match t {
                            Target::Series(i) => i.id.to_string(),
                            Target::Choices(c) => format!("?{}", c.name),
                            Target::Formula(f) => (*f).to_owned(),
                            Target::Absent(a) => a.name.to_owned(),
                        })
                        .collect::<Vec<_>>()
                        .join(" | ")
                );
            }
        }
    }
}
