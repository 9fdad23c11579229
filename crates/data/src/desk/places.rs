//! Places that hardly any series is of: other countries, and states, counties and cities of the United States.
//!
//! Who searches for one is told so, with the series that there are of it, and is not left to take national figures for
//! those of the place.

use super::find::IMPORTED;
use super::local::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::Names;
use econoscope_core::error::Result;
use econoscope_core::indicators::prose::joined;
use econoscope_core::model::table;
use econoscope_core::model::words::spelled_words;

/// Series of the results that are looked at.
const LOOKED_AT: usize = 10;

/// Name of a place, whether it is a part of the United States (`local`) or not (`country`), words of a query that mean it,
/// and a word of titles that means it, too.
type Place = [&'static str; 4];

const TABLE: &str = include_str!("../../data/places.csv");

fn places() -> impl Iterator<Item = Place> {
    // A test reads every row.
    table::rows(TABLE).filter_map(|(_, row)| row.ok())
}

/// The word of a spaced text that means a place which these words mean.
fn word_in(text: &str, words: &'static str) -> Option<&'static str> {
    let mut words = words.split('|');
    words.find(|word| text.contains(&format!(" {word} ")))
}

/// The words of a text with a blank before and after each.
fn spaced(text: &str) -> String {
    format!(" {} ", joined(spelled_words(text), " "))
}

impl Desk {
    /// What to say of the place that a query names; `None` where it names none, or where what is found is of it.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn elsewhere(&self, query: &str) -> Result<Option<String>> {
        let query = spaced(query);
        let named = |place: Place| Some((place, word_in(&query, place[2])?));
        let Some(([name, kind, words, titled], word)) = places().find_map(named) else {
            return Ok(None);
        };
        let (found, _) = self.find_series(&query, None, LOOKED_AT)?;
        if found.iter().any(|info| info.category == IMPORTED) {
            return Ok(None);
        }
        if kind == "local" {
            let ids: Vec<_> = found.iter().map(|info| &info.id).collect();
            let other = Names::embedded().aliases();
            let other = other
                .filter(|(_, info)| ids.contains(&&info.id))
                .map(|(name, _)| name);
            let mut names = found.iter().map(|info| info.title.as_str()).chain(other);
            let is_of = names.any(|name| spaced(name).contains(&format!(" {word} ")));
            let note = format!(
                "No series here is of {name} or any other part of the country: all are of the United States as a whole."
            );
            return Ok((!is_of).then_some(note));
        }
        let is_of = |title: &str| {
            let title = spaced(title);
            let is_titled = !titled.is_empty() && title.contains(&format!(" {titled} "));
            is_titled || word_in(&title, words).is_some()
        };
        let of = Catalogue::embedded()
            .iter()
            .filter(|info| is_of(&info.title));
        let of = joined(of.map(|info| format!("{} ({})", info.id, info.title)), ", ");
        Ok(Some(match of.as_str() {
            "" => format!("No series here is of {name}: all are of the United States."),
            of => format!("Of {name} there is only {of}; all else is of the United States."),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Settings;
    use crate::store::Sqlite;
    use std::sync::Arc;

    #[test]
    fn every_row_is_read_and_names_a_place() {
        for (line, row) in table::rows::<4>(TABLE) {
            let [name, kind, words, _] = row.unwrap();
            assert!(["local", "country"].contains(&kind), "line {line}: {kind}");
            assert!(!name.is_empty() && !words.contains("||"), "line {line}");
        }
    }

    #[test]
    fn a_place_is_told_of_where_the_results_are_not_of_it() -> Result<()> {
        let clock = Arc::new(|| "2026-11-21T12:00:00Z".parse().unwrap());
        let store = Arc::new(Sqlite::bundled()?);
        let desk = Desk::open(store, Settings::default(), clock);
        for (query, expected) in [
            (
                "German unemployment",
                "Of Germany there is only IRLTLT01DEM156N (Germany 10-Year Yield)",
            ),
            ("inflation in the euro area", "DEXUSEU (USD per Euro)"),
            ("Polish inflation", "No series here is of Poland: all"),
            (
                "unemployment in California",
                "No series here is of California",
            ),
            ("New Mexico unemployment", "No series here is of New Mexico"),
            ("Harris County employment", "No series here is of a county"),
        ] {
            let said = desk.elsewhere(query)?.unwrap_or_default();
            assert!(said.contains(expected), "{query}: {said}");
        }
        for query in [
            "unemployment",
            "west texas intermediate",
            "united states housing starts",
            "empire state survey",
        ] {
            assert_eq!(desk.elsewhere(query)?, None, "{query}");
        }
        Ok(())
    }
}
