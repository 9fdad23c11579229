//! Every series known before any figure is read.
//!
//! Public series are the rows of `data/catalogue.csv`; indicators of ours bring their own
//! ([`Indicator::described`]) and stand behind them.

use crate::indicators::{Indicator, indicators};
use crate::model::calendar::{Release, releases};
use crate::model::{Rights, SeriesId, SeriesInfo, table};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

/// Room for the rows of the embedded file; more only cost a move.
const ROOM: usize = 512;

/// Every series known, in the order of the file; our own stand last.
#[derive(Debug)]
pub struct Catalogue {
    series: Vec<Arc<SeriesInfo>>,
    by_id: HashMap<SeriesId, usize>,
}

impl Catalogue {
    /// The catalogue that is embedded in the binary.
    pub fn embedded() -> &'static Self {
        static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
            // The file is fixed at build time and a test reads every row of it, so that none is lost here.
            let rows = table::rows(include_str!("../../data/catalogue.csv"));
            let public = rows.filter_map(|(_, row)| read_row(row.ok()?));
            let own = indicators().filter_map(|about| about.described().ok()?);
            let mut all = Catalogue {
                series: Vec::with_capacity(ROOM),
                by_id: HashMap::with_capacity(ROOM),
            };
            for info in public.chain(own) {
                all.by_id.insert(info.id.clone(), all.series.len());
                all.series.push(Arc::new(info));
            }
            all
        });
        &CATALOGUE
    }

    /// Every series: those of the file in its order, then our composites in that of their rows.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<SeriesInfo>> {
        self.series.iter()
    }

    /// The series of that identifier, spelled exactly (upper case).
    pub fn get(&self, id: &str) -> Option<&Arc<SeriesInfo>> {
        self.by_id.get(id).and_then(|&i| self.series.get(i))
    }

    /// Subjects of the series.
    pub fn categories(&self) -> BTreeSet<&str> {
        self.iter().map(|info| info.category.as_str()).collect()
    }

    /// What is said about an indicator's figures; `None` of the regime, which is no series.
    pub fn of(about: &Indicator) -> Option<&'static Arc<SeriesInfo>> {
        Self::embedded().get(about.id)
    }

    /// The release that brings a series' figures of the same period as those people wait for; `None` of series that
    /// come with none, or with figures of another period (continued claims lie a week behind).
    pub fn release_of(info: &SeriesInfo) -> Option<&'static Release> {
        let release = releases()
            .iter()
            .find(|release| release.brings(info.id.as_str()))?;
        let first = Self::embedded().get(release.headline.first()?)?;
        let of = |info: &SeriesInfo| (info.frequency, info.publication_lag_days);
        (of(info) == of(first)).then_some(release)
    }
}

/// A row in the order of the file's columns.
fn read_row(row: [&str; 13]) -> Option<SeriesInfo> {
    let [
        id,
        title,
        units,
        units_short,
        frequency,
        adjustment,
        category,
        source,
        _public_domain,
        lag,
        metric,
        rights,
        decimals,
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
        metric: metric == "yes",
        rights: match rights {
            "ok" => Rights::Ok,
            "ok_with_citation" => Rights::OkWithCitation,
            "fetch_only" => Rights::FetchOnly,
            _ => return None,
        },
        decimals: decimals.parse().ok()?,
        by_others: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_embedded_catalogue_is_read_and_no_identifier_stands_twice() {
        let text = include_str!("../../data/catalogue.csv");
        for (line, row) in table::rows(text) {
            assert!(row.is_ok_and(|row| read_row(row).is_some()), "line {line}");
        }
        let catalogue = Catalogue::embedded();
        let (ours, public): (Vec<_>, Vec<_>) = catalogue.iter().partition(|s| s.is_composite());
        assert_eq!(public.len(), text.lines().count() - 1);
        assert_eq!(catalogue.by_id.len(), catalogue.series.len());
        assert!(public.len() >= 402 && ours.len() >= 7);
        assert!(catalogue.iter().filter(|s| s.metric).count() >= 248);
    }
}
