//! Places with few or no series: other countries, and states, counties and cities of the United States.
//!
//! A search for such a place says so and names its series, so that national figures are not taken for those of the place.

use crate::desk::Desk;
use crate::names::IMPORTED;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::Names;
use econoscope_core::error::Result;
use econoscope_core::indicators::prose::join;
use econoscope_core::model::table;
use econoscope_core::model::words::keywords_as_spelled;

/// Number of results that are checked.
const MAX_CHECKED: usize = 10;

/// Name of a place, `local` (a part of the United States) or `country`, words of queries that mean it, and another word
/// of titles that means it.
type Place = [&'static str; 4];

const TABLE: &str = include_str!("../data/places.csv");

fn places() -> impl Iterator<Item = Place> {
    // A test checks every row.
    table::rows(TABLE).filter_map(|(_, row)| row.ok())
}

/// Returns the first of the words (`a|b`) in the result of [`space_words`].
fn find_word(text: &str, words: &'static str) -> Option<&'static str> {
    let mut words = words.split('|');
    words.find(|word| text.contains(&format!(" {word} ")))
}

/// Returns the words of a text with a space before and after each.
fn space_words(text: &str) -> String {
    format!(" {} ", join(keywords_as_spelled(text), " "))
}

impl Desk {
    /// Returns a note on the place that a query names; `None` if it names none or the results are of it.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn place_note(&self, query: &str) -> Result<Option<String>> {
        let query = space_words(query);
        let named = |place: Place| Some((place, find_word(&query, place[2])?));
        let Some(([name, kind, words, title_word], word)) = places().find_map(named) else {
            return Ok(None);
        };
        let (results, _) = self.find_series(&query, None, MAX_CHECKED)?;
        if results.iter().any(|info| info.category == IMPORTED) {
            return Ok(None);
        }
        if kind == "local" {
            let names = |info| {
                Names::embedded()
                    .aliases_of(info)
                    .chain([info.title.as_str()])
            };
            let mut names = results.iter().flat_map(|info| names(info));
            let is_about = names.any(|name| space_words(name).contains(&format!(" {word} ")));
            let note = format!(
                "No series here is of {name} or any other part of the country: all are of the United States as a whole."
            );
            return Ok((!is_about).then_some(note));
        }
        let is_about = |title: &str| {
            let title = space_words(title);
            let has_title_word =
                !title_word.is_empty() && title.contains(&format!(" {title_word} "));
            has_title_word || find_word(&title, words).is_some()
        };
        let infos = Catalogue::embedded()
            .iter()
            .filter(|info| is_about(&info.title));
        let series = infos.map(|info| format!("{} ({})", info.id, info.title));
        Ok(Some(match join(series, ", ").as_str() {
            "" => format!("No series here is of {name}: all are of the United States."),
            series => {
                format!("Of {name} there is only {series}; all else is of the United States.")
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use econoscope_data::store::Sqlite;
    use std::sync::Arc;

    #[test]
    fn every_row_names_a_place() {
        for (line, row) in table::rows::<4>(TABLE) {
            let [name, kind, words, _] = row.unwrap();
            assert!(["local", "country"].contains(&kind), "line {line}: {kind}");
            assert!(!name.is_empty() && !words.contains("||"), "line {line}");
        }
    }

    #[test]
    fn note_names_places_without_results() -> Result<()> {
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
            let note = desk.place_note(query)?.unwrap_or_default();
            assert!(note.contains(expected), "{query}: {note}");
        }
        for query in [
            "unemployment",
            "west texas intermediate",
            "united states housing starts",
            "empire state survey",
        ] {
            assert_eq!(desk.place_note(query)?, None, "{query}");
        }
        Ok(())
    }
}
