//! What series are called: identifiers and the two curated tables of other names.
//!
//! `data/aliases.csv` says what a name means, `data/ambiguous.csv` what else a name may mean: where everybody means
//! one of them, the table says which. Only what is written there is a name; nothing is guessed.

use super::series::Catalogue;
use crate::error::Suggestion;
use crate::model::series_info::{DEFAULT_PREFIX, SeriesInfo};
use crate::model::table;
use crate::model::words::{fold, key};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

/// Room for the names of the embedded tables, so that their maps need not grow.
const ROOM: usize = 2_048;

const ALIASES: &str = include_str!("../../data/aliases.csv");
const AMBIGUOUS: &str = include_str!("../../data/ambiguous.csv");

/// What a name may mean.
#[derive(Debug, Default)]
pub struct Choices {
    /// The series, in the table's order, each with what sets it apart.
    pub all: Vec<Suggestion>,
    /// Whether everybody means the first of them.
    pub is_usual: bool,
    /// Those that belong to what everybody means, to be told beside it: the other end of a range.
    pub beside: Vec<Arc<SeriesInfo>>,
}

/// Series by name.
#[derive(Debug)]
pub struct Names {
    catalogue: &'static Catalogue,
    /// By identifiers and aliases, folded; `None` for a spelling that several identifiers share.
    by_name: HashMap<String, Option<Arc<SeriesInfo>>>,
    ambiguous: HashMap<String, Choices>,
    /// Aliases as the tables write them.
    written: Vec<(String, Arc<SeriesInfo>)>,
    /// Ambiguous names as the table writes them.
    groups: Vec<String>,
}

impl Names {
    /// The names in the embedded catalogue and tables.
    pub fn embedded() -> &'static Self {
        static NAMES: LazyLock<Names> = LazyLock::new(|| {
            let catalogue = Catalogue::embedded();
            let mut names = Names {
                catalogue,
                by_name: HashMap::with_capacity(ROOM),
                ambiguous: HashMap::with_capacity(ROOM),
                written: Vec::with_capacity(ROOM),
                groups: Vec::new(),
            };
            for info in catalogue.iter() {
                let slot = names.by_name.entry(fold(info.id.as_str()));
                slot.and_modify(|other| *other = None)
                    .or_insert_with(|| Some(Arc::clone(info)));
            }
            // An alias comes before an identifier that is spelled like it.
            for info in catalogue.iter() {
                if let Some(bare) = info.id.as_str().strip_prefix(DEFAULT_PREFIX) {
                    names.alias(bare, info);
                }
            }
            // Both tables are fixed at build time and a test reads every row of them, so that none is lost here.
            for [alias, id] in table::rows(ALIASES).filter_map(|(_, row)| row.ok()) {
                if let Some(info) = catalogue.get(&id.to_ascii_uppercase()) {
                    names.alias(alias, info);
                }
            }
            for row in table::rows(AMBIGUOUS).filter_map(|(_, row)| row.ok()) {
                names.choice(row);
            }
            names
        });
        &NAMES
    }

    fn alias(&mut self, name: &str, info: &Arc<SeriesInfo>) {
        self.by_name.insert(fold(name), Some(Arc::clone(info)));
        self.written.push((name.to_owned(), Arc::clone(info)));
    }

    /// Takes one of the things that a name may mean; the first of a name is what everybody means where `usual` says so.
    fn choice(&mut self, [name, id, note, usual]: [&str; 4]) {
        let Some(info) = self.catalogue.get(&id.to_ascii_uppercase()) else {
            return;
        };
        if self.groups.last().is_none_or(|last| last != name) {
            self.groups.push(name.to_owned());
        }
        for spelled in HashSet::from([fold(name), key(name)]) {
            let choices = self.ambiguous.entry(spelled).or_default();
            choices.is_usual |= usual == "yes";
            if usual == "both" {
                choices.beside.push(Arc::clone(info));
            }
            choices.all.push(Suggestion::new(info.id.as_str(), note));
        }
    }

    /// The series a name means, or nothing; costs a look-up or two.
    pub fn find(&self, name: &str) -> Option<Arc<SeriesInfo>> {
        let by_id = self.catalogue.get(&name.trim().to_ascii_uppercase());
        if let Some(info) = by_id {
            return Some(Arc::clone(info));
        }
        self.by_name.get(&fold(name))?.clone()
    }

    /// What a name may mean, where it is one of several things.
    pub fn choices(&self, name: &str) -> Option<&Choices> {
        let found = self.ambiguous.get(&fold(name));
        found.or_else(|| self.ambiguous.get(&key(name)))
    }

    /// The catalogue behind the names.
    pub fn catalogue(&self) -> &'static Catalogue {
        self.catalogue
    }

    /// Every alias as written, with its series.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, &Arc<SeriesInfo>)> {
        self.written
            .iter()
            .map(|(name, info)| (name.as_str(), info))
    }

    /// Every ambiguous name, folded, with the series it may mean.
    pub fn ambiguous(&self) -> impl Iterator<Item = (&str, &[Suggestion])> {
        let all = self.ambiguous.iter();
        all.map(|(name, choices)| (name.as_str(), choices.all.as_slice()))
    }

    /// Every ambiguous name as the table writes it, once.
    pub fn ambiguous_names(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sound() {
        let names = Names::embedded();
        let known = |id: &str| names.catalogue.get(&id.to_ascii_uppercase()).unwrap();
        let mut folded = HashSet::new();
        for (line, row) in table::rows(ALIASES) {
            let [alias, id] = row.unwrap();
            assert!(folded.insert(fold(alias)), "line {line}: {alias} twice");
            let found = names.by_name[&fold(alias)].as_ref().unwrap();
            assert_eq!(found.id, known(id).id, "line {line}: {alias}");
        }
        assert!(folded.len() >= 300, "{} aliases", folded.len());
        for (line, row) in table::rows(AMBIGUOUS) {
            let [name, id, _, usual] = row.unwrap();
            assert!(
                !folded.contains(&fold(name)),
                "line {line}: {name} is an alias too"
            );
            let choices = names.choices(name).unwrap();
            let at = choices
                .all
                .iter()
                .position(|s| s.id == known(id).id.as_str());
            let fits = match usual {
                "" => true,
                "yes" => at == Some(0),
                "both" => choices.is_usual && at > Some(0),
                _ => false,
            };
            assert!(at.is_some() && fits, "line {line}: {name} {id} {usual}");
        }
    }

    #[test]
    fn the_treasurys_account_is_a_weeks_average_and_the_others_are_told() {
        for name in ["TGA", "Treasury General Account"] {
            let choices = Names::embedded().choices(name).unwrap();
            let ids: Vec<&str> = choices.all.iter().map(|s| s.id.as_str()).collect();
            assert!(choices.is_usual, "{name}");
            assert_eq!(ids, ["WTREGEN", "WDTGAL", "TGA_DAILY"], "{name}");
        }
    }

    #[test]
    fn names_people_use_mean_their_series() {
        for (name, want) in [
            ("dgs10", "DGS10"),
            ("10y", "DGS10"),
            ("10-Year", "DGS10"),
            ("yield curve", "T10Y2Y"),
            ("fed funds", "EFFR"),
            ("unemployment", "UNRATE"),
            ("cpi", "CPIAUCSL"),
            ("vix", "VIXCLS"),
            ("CRPI", "SERVICE_CRPI"),
            ("cvrp", "SERVICE_CRPI"),
            ("T10Y-2Y", "T10Y2Y"),
            ("btc", "BTC"),
        ] {
            let found = Names::embedded().find(name).map(|i| i.id.to_string());
            assert_eq!(found.as_deref(), Some(want), "{name}");
        }
        assert!(Names::embedded().find("inflation").is_none());
        let choices = Names::embedded().choices("what is inflation").unwrap();
        assert!(choices.is_usual && choices.all[0].id == "CPI_YOY");
        let range = Names::embedded().choices("target range").unwrap();
        assert_eq!(range.beside[0].id.as_str(), "DFEDTARL");
    }
}
