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
use std::sync::LazyLock;

/// Series of the results that are looked at.
const LOOKED_AT: usize = 10;

/// A place and what it is called.
struct Place {
    name: &'static str,
    /// Whether it is a part of the United States.
    is_local: bool,
    /// Words of a query that mean it.
    words: Vec<&'static str>,
    /// A word of titles that means it, too.
    titled: &'static str,
}

static PLACES: LazyLock<Vec<Place>> = LazyLock::new(|| {
    // A test reads every row.
    let rows = table::rows(include_str!("../../data/places.csv"));
    rows.filter_map(|(_, row)| row.ok().map(Place::read))
        .collect()
});

impl Place {
    fn read([name, kind, words, titled]: [&'static str; 4]) -> Self {
        Self {
            name,
            is_local: kind == "local",
            words: words.split('|').collect(),
            titled,
        }
    }

    /// The word of a spaced text that means it.
    fn in_text(&self, text: &str) -> Option<&'static str> {
        let mut words = self.words.iter();
        words
            .find(|word| text.contains(&format!(" {word} ")))
            .copied()
    }
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
        let named = PLACES
            .iter()
            .find_map(|place| Some((place, place.in_text(&query)?)));
        let Some((place, word)) = named else {
            return Ok(None);
        };
        let (found, _) = self.find_series(&query, None, LOOKED_AT)?;
        if found.iter().any(|info| info.category == IMPORTED) {
            return Ok(None);
        }
        let name = place.name;
        if place.is_local {
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
            let is_titled =
                !place.titled.is_empty() && title.contains(&format!(" {} ", place.titled));
            is_titled || place.in_text(&title).is_some()
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
        let text = include_str!("../../data/places.csv");
        for (line, row) in table::rows::<4>(text) {
            let [name, kind, words, _] = row.unwrap();
            assert!(["local", "country"].contains(&kind), "line {line}: {kind}");
            assert!(!name.is_empty() && !words.contains("||"), "line {line}");
        }
        assert_eq!(PLACES.len(), text.lines().count() - 1);
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
