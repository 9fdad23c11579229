//! What series are called: identifiers and the two curated tables of other names.
//!
//! `data/aliases.csv` says what a name means, `data/ambiguous.csv` what else a name may mean: where everybody means
//! one of them, the table says which. Only what is written there is a name; nothing is guessed.

use super::series::Catalogue;
use crate::error::{Error, Result, Suggestion};
use crate::model::series_info::{DEFAULT_PREFIX, SeriesInfo};
use crate::model::table;
use crate::model::words::{fold, key};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

/// Room for the names of the embedded tables, so that their maps need not grow.
const ROOM: usize = 2_048;

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
    aliases: HashMap<String, Arc<SeriesInfo>>,
    ambiguous: HashMap<String, Choices>,
    /// Identifiers, folded; `None` for a spelling that several share.
    ids: HashMap<String, Option<Arc<SeriesInfo>>>,
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
            let mut names = Names::of(catalogue);
            // Both tables are fixed at build time and a test reads every row of them.
            let _ = names.read(
                include_str!("../../data/aliases.csv"),
                include_str!("../../data/ambiguous.csv"),
            );
            names
        });
        &NAMES
    }

    /// The identifiers alone.
    fn of(catalogue: &'static Catalogue) -> Self {
        let mut ids: HashMap<String, Option<Arc<SeriesInfo>>> = HashMap::with_capacity(ROOM);
        for info in catalogue.iter() {
            let own = Some(Arc::clone(info));
            let slot = ids.entry(fold(info.id.as_str()));
            slot.and_modify(|other| *other = None).or_insert(own);
        }
        Self {
            catalogue,
            aliases: HashMap::with_capacity(ROOM),
            ambiguous: HashMap::with_capacity(ROOM),
            ids,
            written: Vec::with_capacity(ROOM),
            groups: Vec::new(),
        }
    }

    /// Reads the two tables (CSV text with headers).
    ///
    /// # Errors
    /// [`Error::BadFile`] when a row cannot be read, names an unknown series, or repeats a name.
    fn read(&mut self, aliases: &str, ambiguous: &str) -> Result<()> {
        for info in self.catalogue.iter() {
            if let Some(bare) = info.id.as_str().strip_prefix(DEFAULT_PREFIX) {
                self.alias(bare, info, ("catalogue.csv", 1))?;
            }
        }
        for (line, row) in table::rows(aliases) {
            let at = ("aliases.csv", line);
            let [alias, id] = row.map_err(|problem| bad(at, problem))?;
            self.alias(alias, self.known(id, at)?, at)?;
        }
        for (line, row) in table::rows(ambiguous) {
            let at = ("ambiguous.csv", line);
            let [name, id, note, usual] = row.map_err(|problem| bad(at, problem))?;
            let info = self.known(id, at)?;
            if self.aliases.contains_key(&fold(name)) {
                return Err(bad(at, format!("{name} is an alias too")));
            }
            if self.groups.last().is_none_or(|last| last != name) {
                self.groups.push(name.to_owned());
            }
            for spelled in HashSet::from([fold(name), key(name)]) {
                let choices = self.ambiguous.entry(spelled).or_default();
                match usual {
                    "" => {}
                    "yes" if choices.all.is_empty() => choices.is_usual = true,
                    "both" if choices.is_usual => choices.beside.push(Arc::clone(info)),
                    _ => return Err(bad(at, format!("{usual} does not stand in this place"))),
                }
                choices.all.push(Suggestion {
                    id: info.id.to_string(),
                    title: note.to_owned(),
                });
            }
        }
        Ok(())
    }

    fn known(&self, id: &str, at: (&str, u64)) -> Result<&'static Arc<SeriesInfo>> {
        let found = self.catalogue.get(&id.to_ascii_uppercase());
        found.ok_or_else(|| bad(at, format!("{id} is not in the catalogue")))
    }

    fn alias(&mut self, name: &str, info: &Arc<SeriesInfo>, at: (&str, u64)) -> Result<()> {
        if let Some(other) = self.aliases.insert(fold(name), Arc::clone(info))
            && other.id != info.id
        {
            return Err(bad(at, format!("{name} already means {}", other.id)));
        }
        self.written.push((name.to_owned(), Arc::clone(info)));
        Ok(())
    }

    /// The series a name means, or nothing; costs a look-up or two.
    pub fn find(&self, name: &str) -> Option<Arc<SeriesInfo>> {
        let by_id = self.catalogue.get(&name.trim().to_ascii_uppercase());
        if let Some(info) = by_id {
            return Some(Arc::clone(info));
        }
        let folded = fold(name);
        let found = self.aliases.get(&folded);
        found.or_else(|| self.ids.get(&folded)?.as_ref()).cloned()
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

fn bad((file, line): (&str, u64), problem: String) -> Error {
    Error::bad_line(file, line, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sound() -> Result<()> {
        let aliases = include_str!("../../data/aliases.csv");
        let ambiguous = include_str!("../../data/ambiguous.csv");
        let mut names = Names::of(Catalogue::embedded());
        names.read(aliases, ambiguous)?;
        let mut folded: Vec<String> = aliases
            .lines()
            .skip(1)
            .filter_map(|l| l.rsplit_once(','))
            .map(|(a, _)| fold(a))
            .collect();
        assert!(folded.len() >= 300, "{} aliases", folded.len());
        folded.sort();
        folded
            .windows(2)
            .for_each(|w| assert_ne!(w.first(), w.last(), "twice"));
        let mut names = Names::of(Catalogue::embedded());
        let said = names.read("a,i\nx,DGS10\nX,DGS2", "n,i,t,u").unwrap_err();
        assert!(said.to_string().contains("X already means DGS10"), "{said}");
        let said = names.read("a,i\ny,DGS99", "n,i,t,u").unwrap_err();
        assert!(said.to_string().contains("not in the catalogue"), "{said}");
        Ok(())
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
