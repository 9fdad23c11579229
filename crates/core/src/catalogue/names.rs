//! Names of series: identifiers and two curated tables.
//!
//! `data/aliases.csv` gives the series of a name, `data/ambiguous.csv` the candidates of an ambiguous one and, where there is
//! one, the usual meaning. No name is guessed.

use super::Catalogue;
use crate::error::Suggestion;
use crate::model::series_info::{DEFAULT_PREFIX, SeriesInfo};
use crate::model::table;
use crate::model::words::fold_name;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// Initial capacity of the maps, enough for the embedded tables.
const CAPACITY: usize = 2_048;

const ALIASES: &str = include_str!("../../data/aliases.csv");
const AMBIGUOUS: &str = include_str!("../../data/ambiguous.csv");

/// The series that an ambiguous name may mean.
#[derive(Debug, Default)]
pub struct Choices {
    /// The name as spelled in the table.
    pub name: &'static str,
    /// The candidates in the order of the table, each with its difference from the others.
    pub candidates: Vec<Suggestion>,
    /// Whether the first candidate is the usual meaning.
    pub has_default: bool,
    /// Series to return beside the usual meaning, such as the other end of a range.
    pub companions: Vec<Arc<SeriesInfo>>,
}

/// The series of each name.
#[derive(Debug)]
pub struct Names {
    catalogue: &'static Catalogue,
    /// Series by folded identifier or alias. No two identifiers have the same folded form, which a test checks.
    by_name: HashMap<String, Arc<SeriesInfo>>,
    /// Candidates by folded name.
    ambiguous: HashMap<String, Choices>,
    /// Aliases as spelled in the table.
    aliases: Vec<(&'static str, Arc<SeriesInfo>)>,
}

impl Names {
    /// Returns the names of the embedded catalogue and tables.
    pub fn embedded() -> &'static Self {
        static NAMES: LazyLock<Names> = LazyLock::new(|| {
            let catalogue = Catalogue::embedded();
            let mut names = Names {
                catalogue,
                by_name: HashMap::with_capacity(CAPACITY),
                ambiguous: HashMap::with_capacity(CAPACITY),
                aliases: Vec::with_capacity(CAPACITY),
            };
            for info in catalogue.iter() {
                let name = fold_name(info.id.as_str());
                names.by_name.insert(name, Arc::clone(info));
            }
            // An alias has precedence over an identifier with the same spelling.
            for info in catalogue.iter() {
                if let Some(bare) = info.id.as_str().strip_prefix(DEFAULT_PREFIX) {
                    names.add_alias(bare, info);
                }
            }
            for [alias, id] in table::embedded(ALIASES) {
                if let Some(info) = catalogue.get(&id.to_ascii_uppercase()) {
                    names.add_alias(alias, info);
                }
            }
            table::embedded(AMBIGUOUS).for_each(|row| names.add_choice(row));
            names
        });
        &NAMES
    }

    fn add_alias(&mut self, name: &'static str, info: &Arc<SeriesInfo>) {
        self.by_name.insert(fold_name(name), Arc::clone(info));
        self.aliases.push((name, Arc::clone(info)));
    }

    /// Adds a row of the table of ambiguous names.
    fn add_choice(&mut self, [name, id, note, usual]: [&'static str; 4]) {
        let Some(info) = self.catalogue.get(&id.to_ascii_uppercase()) else {
            return;
        };
        let choices = self.ambiguous.entry(fold_name(name)).or_default();
        choices.name = name;
        choices.has_default |= usual == "yes";
        if usual == "both" {
            choices.companions.push(Arc::clone(info));
        }
        let candidate = Suggestion::new(info.id.as_str(), note);
        choices.candidates.push(candidate);
    }

    /// Returns the series of an identifier or alias.
    pub fn find(&self, name: &str) -> Option<Arc<SeriesInfo>> {
        let by_id = self.catalogue.get(&name.trim().to_ascii_uppercase());
        let by_name = || self.by_name.get(&fold_name(name));
        by_id.or_else(by_name).cloned()
    }

    /// Returns the candidates of an ambiguous name; `None` for any other name.
    pub fn choices(&self, name: &str) -> Option<&Choices> {
        self.ambiguous.get(&fold_name(name))
    }

    /// Returns the catalogue of the series.
    pub fn catalogue(&self) -> &'static Catalogue {
        self.catalogue
    }

    /// Iterates over the aliases as spelled in the table, with their series.
    pub fn aliases(&self) -> impl Iterator<Item = (&'static str, &Arc<SeriesInfo>)> {
        self.aliases.iter().map(|(name, info)| (*name, info))
    }

    /// Iterates over the aliases of a series.
    pub fn aliases_of<'a>(&'a self, info: &'a SeriesInfo) -> impl Iterator<Item = &'a str> {
        let aliases = self.aliases().filter(|(_, other)| other.id == info.id);
        aliases.map(|(name, _)| name)
    }

    /// Iterates over the ambiguous names with their candidates.
    pub fn ambiguous(&self) -> impl Iterator<Item = &Choices> {
        self.ambiguous.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_row_of_the_tables_is_valid() {
        let names = Names::embedded();
        let info = |id: &str| names.catalogue.get(&id.to_ascii_uppercase()).unwrap();
        let mut folded = HashSet::new();
        for (line, row) in table::rows(ALIASES) {
            let [alias, id] = row.unwrap();
            assert!(
                folded.insert(fold_name(alias)),
                "line {line}: {alias} twice"
            );
            let named = &names.by_name[&fold_name(alias)];
            assert_eq!(named.id, info(id).id, "line {line}: {alias}");
        }
        assert!(folded.len() >= 300, "{} aliases", folded.len());
        for (line, row) in table::rows(AMBIGUOUS) {
            let [name, id, _, usual] = row.unwrap();
            assert!(
                !folded.contains(&fold_name(name)),
                "line {line}: {name} is an alias too"
            );
            let choices = names.choices(name).unwrap();
            let index = choices
                .candidates
                .iter()
                .position(|s| s.id == info(id).id.as_str());
            let is_valid = match usual {
                "" => true,
                "yes" => index == Some(0),
                "both" => choices.has_default && index > Some(0),
                _ => false,
            };
            assert!(
                index.is_some() && is_valid,
                "line {line}: {name} {id} {usual}"
            );
        }
    }

    #[test]
    fn folded_identifiers_are_unique() {
        let folded: HashSet<String> = Catalogue::embedded()
            .iter()
            .map(|i| fold_name(i.id.as_str()))
            .collect();
        assert_eq!(folded.len(), Catalogue::embedded().iter().count());
    }

    #[test]
    fn treasury_account_means_the_weekly_average_by_default() {
        for name in ["TGA", "Treasury General Account"] {
            let choices = Names::embedded().choices(name).unwrap();
            let ids: Vec<&str> = choices.candidates.iter().map(|s| s.id.as_str()).collect();
            assert!(choices.has_default, "{name}");
            assert_eq!(ids, ["WTREGEN", "WDTGAL", "TGA_DAILY"], "{name}");
        }
    }

    #[test]
    fn common_names_resolve_to_their_series() {
        for (name, expected) in [
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
            let id = Names::embedded().find(name).map(|i| i.id.to_string());
            assert_eq!(id.as_deref(), Some(expected), "{name}");
        }
        assert!(Names::embedded().find("inflation").is_none());
        let choices = Names::embedded().choices("Inflation").unwrap();
        assert!(choices.has_default && choices.candidates[0].id == "CPI_YOY");
        let range = Names::embedded().choices("target range").unwrap();
        assert_eq!(range.companions[0].id.as_str(), "DFEDTARL");
    }
}
