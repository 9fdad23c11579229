//! The catalogue of series and their names.
//!
//! The rows of `data/catalogue.csv`: public series, then composites.

pub mod names;

use crate::indicators::Indicator;
use crate::model::calendar::{Publication, Release};
use crate::model::{SeriesId, SeriesInfo, table};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

/// The catalogue, in the order of the file: public series, then composites.
#[derive(Debug)]
pub struct Catalogue {
    series: Vec<Arc<SeriesInfo>>,
    by_id: HashMap<SeriesId, Arc<SeriesInfo>>,
    parts: Vec<SeriesPart>,
}

/// What a series of a place or group is of. Each text may be empty; `|` and `;` divide as the columns of the file do
/// (docs/SOURCE-NOTES.md#catalogue).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesPart {
    /// Identifier.
    pub id: &'static str,
    /// Names of its place: `New York State|New York`.
    pub place: &'static str,
    /// Its group, by `;`; what goes without saying is in brackets: `college graduates;(25 and over)`.
    pub group: &'static str,
    /// The national series that measure the same, by `;`.
    pub whole: &'static str,
}

impl Catalogue {
    /// Returns the embedded catalogue.
    pub fn embedded() -> &'static Self {
        static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
            let rows = table::embedded(include_str!("../data/catalogue.csv"));
            let parts = rows.clone().filter_map(part);
            let series: Vec<_> = rows.filter_map(parse_row).map(Arc::new).collect();
            let by_id = series.iter().map(|info| (info.id.clone(), info.clone()));
            Catalogue {
                by_id: by_id.collect(),
                parts: parts.collect(),
                series,
            }
        });
        &CATALOGUE
    }

    /// Iterates over every series in the order of the file: public series, then composites.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<SeriesInfo>> {
        self.series.iter()
    }

    /// Returns the series of places and groups.
    pub fn parts(&self) -> &[SeriesPart] {
        &self.parts
    }

    /// Returns the series with this identifier in upper case.
    pub fn get(&self, id: &str) -> Option<&Arc<SeriesInfo>> {
        self.by_id.get(id)
    }

    /// Returns the categories of the series.
    pub fn categories(&self) -> BTreeSet<&str> {
        self.iter().map(|info| info.category.as_str()).collect()
    }

    /// Returns the series of an indicator; `None` for the regime, which is not a series.
    pub fn of_indicator(indicator: &Indicator) -> Option<&'static Arc<SeriesInfo>> {
        Self::embedded().get(indicator.id)
    }

    /// Returns the release that publishes a series for the same period as the headline series. `None` for series without a
    /// release or with another period (continued claims are a week behind initial claims), and for those that others compute
    /// from its figures.
    pub fn release_of(info: &SeriesInfo) -> Option<&'static Release> {
        let release = Publication::new(info).release();
        release.filter(|release| release.prints(info.id.as_str()))
    }
}

/// Returns the place and group of a row of the file; `None` if it has none.
fn part(row: [&'static str; 15]) -> Option<SeriesPart> {
    let [id, .., place, group, whole] = row;
    (!whole.is_empty()).then_some(SeriesPart {
        id,
        place,
        group,
        whole,
    })
}

/// Parses a row of the file.
fn parse_row(row: [&str; 15]) -> Option<SeriesInfo> {
    let [
        id,
        title,
        units,
        units_short,
        frequency,
        adjustment,
        category,
        source,
        lag,
        metric,
        rights,
        decimals,
        ..,
    ] = row;
    Some(SeriesInfo {
        id: SeriesId::new(id).ok()?,
        title: title.to_owned(),
        units: units.to_owned(),
        units_short: units_short.to_owned(),
        frequency: frequency.parse().ok()?,
        seasonally_adjusted: adjustment == "SA",
        category: category.to_owned(),
        source: source.to_owned(),
        publication_lag_days: lag.parse().ok()?,
        is_metric: metric == "yes",
        rights: rights.parse().ok()?,
        decimals: decimals.parse().ok()?,
        is_untrusted: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_catalogue_is_valid_and_unique() {
        let text = include_str!("../data/catalogue.csv");
        for (line, row) in table::rows(text) {
            assert!(row.is_ok_and(|row| parse_row(row).is_some()), "line {line}");
        }
        let catalogue = Catalogue::embedded();
        let (composites, public): (Vec<_>, Vec<_>) =
            catalogue.iter().partition(|s| s.is_composite());
        assert_eq!(catalogue.series.len(), text.lines().count() - 1);
        assert_eq!(catalogue.by_id.len(), catalogue.series.len());
        assert!(public.len() >= 402 && composites.len() >= 7);
        assert!(catalogue.iter().filter(|s| s.is_metric).count() >= 248);
    }

    #[test]
    fn every_part_is_of_known_series_and_of_a_place_or_group() {
        let catalogue = Catalogue::embedded();
        for part in catalogue.parts() {
            assert!(!part.place.is_empty() || !part.group.is_empty(), "{part:?}");
            for whole in part.whole.split(';') {
                let info = catalogue.get(whole);
                assert!(info.is_some() && whole != part.id, "{part:?}: {whole}");
            }
        }
        assert!(catalogue.parts().len() >= 300);
    }

    #[test]
    fn every_column_of_the_catalogue_is_documented() {
        let header = include_str!("../data/catalogue.csv")
            .lines()
            .next()
            .unwrap();
        let text = include_str!("../../../docs/SOURCE-NOTES.md");
        let (_, section) = text.split_once("\n## Catalogue\n").unwrap();
        let documented: Vec<&str> = (section.lines())
            .take_while(|line| !line.starts_with("## "))
            .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
            .map(|(column, _)| column)
            .collect();
        let columns: Vec<&str> = header.split(',').collect();
        assert_eq!(
            columns, documented,
            "crates/core/data/catalogue.csv and docs/SOURCE-NOTES.md"
        );
    }
}
