//! What is known about each series before any figure is read: `data/catalogue.csv`, embedded.

use super::frequency::Frequency;
use super::series_id::SeriesId;
use super::table;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

/// Room for the rows of the embedded file; more only cost a move.
const ROOM: usize = 512;

/// How composites are named when nothing else is configured.
pub const DEFAULT_PREFIX: &str = "SERVICE_";

/// What may be done with a series' figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rights {
    /// Public domain: may be bundled and served.
    Ok,
    /// Free with the source named.
    OkWithCitation,
    /// Copyright: an operator may fetch it for own use; never bundled, not served publicly unless allowed.
    FetchOnly,
}

impl Rights {
    /// The word for it in answers and in the catalogue's file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::OkWithCitation => "ok_with_citation",
            Self::FetchOnly => "fetch_only",
        }
    }
}

/// Everything the catalogue says about a series.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesInfo {
    /// Identifier.
    pub id: SeriesId,
    /// Full name.
    pub title: String,
    /// Unit in words: "Percent".
    pub units: String,
    /// Unit for a narrow place: "%".
    pub units_short: String,
    /// Period length.
    pub frequency: Frequency,
    /// Whether the figures are seasonally adjusted.
    pub seasonally_adjusted: bool,
    /// Subject: rates, inflation, labor …
    pub category: String,
    /// Who measures it.
    pub source: String,
    /// Typical days from a period's end to publication.
    pub publication_lag_days: i64,
    /// Whether it is one of the tracked metrics.
    pub metric: bool,
    /// What may be done with the figures.
    pub rights: Rights,
    /// Decimals the source publishes; changes are rounded to two more.
    pub decimals: u8,
    /// Whether title, units and source were written by others than us: a source that was asked, an operator's file.
    pub by_others: bool,
}

impl SeriesInfo {
    /// Whether the series is one of our own composites.
    pub fn is_composite(&self) -> bool {
        self.category == "composite"
    }

    /// Whether FRED carries it; the catalogue says in the source's name where it does not.
    pub fn is_on_fred(&self) -> bool {
        let is_elsewhere = |words: &&str| self.source.contains(*words);
        !self.is_composite()
            && !["not FRED", "not on FRED"].iter().any(is_elsewhere)
            && !self.source.starts_with("FRED-MD")
    }

    /// `value` rounded to the source's decimals plus two (docs/METHODS.md#changes).
    pub fn round(&self, value: f64) -> f64 {
        round_to(value, i32::from(self.decimals) + 2)
    }
}

/// `value` rounded half away from zero to `decimals` places.
pub fn round_to(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    let scaled = value * scale;
    // Beyond 2^53 there is no fraction left to round.
    if scaled.abs() < 9.0e15 {
        scaled.round() / scale + 0.0
    } else {
        value
    }
}

/// A computed value without the noise of its arithmetic: to 1e-9, or to thirteen digits where that is coarser.
pub fn without_noise(value: f64) -> f64 {
    let mut decimals = 9;
    let mut size = value.abs();
    while size >= 10_000.0 && decimals > 0 {
        size /= 10.0;
        decimals -= 1;
    }
    round_to(value, decimals)
}

/// Every series known, in the order of the file.
#[derive(Debug)]
pub struct Catalogue {
    series: Vec<Arc<SeriesInfo>>,
    by_id: HashMap<SeriesId, usize>,
}

impl Catalogue {
    /// The catalogue that is embedded in the binary.
    pub fn embedded() -> &'static Self {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        // The file is fixed at build time and a test reads every row of it, so an empty catalogue cannot ship.
        CATALOGUE.get_or_init(|| {
            Self::parse(include_str!("../../data/catalogue.csv")).unwrap_or_else(|_| Self {
                series: Vec::new(),
                by_id: HashMap::new(),
            })
        })
    }

    /// Reads a catalogue from CSV text with a header.
    ///
    /// # Errors
    /// [`Error::BadFile`] naming the line that cannot be read or repeats an identifier.
    pub fn parse(text: &str) -> Result<Self> {
        let mut series = Vec::with_capacity(ROOM);
        let mut by_id = HashMap::with_capacity(ROOM);
        for (line, row) in table::rows(text) {
            let bad = |problem: String| Error::bad_line("catalogue.csv", line, problem);
            let info = row.and_then(read_row).map_err(bad)?;
            if by_id.insert(info.id.clone(), series.len()).is_some() {
                return Err(bad(format!("{} stands here a second time", info.id)));
            }
            series.push(Arc::new(info));
        }
        Ok(Self { series, by_id })
    }

    /// Every series, in the file's order.
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

    /// How many series there are.
    pub fn len(&self) -> usize {
        self.series.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }
}

/// A row in the order of the file's columns.
fn read_row(row: [&str; 13]) -> std::result::Result<SeriesInfo, String> {
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
    Ok(SeriesInfo {
        id: SeriesId::new(id).map_err(|e| e.to_string())?,
        title: title.to_owned(),
        units: units.to_owned(),
        units_short: units_short.to_owned(),
        frequency: frequency
            .parse()
            .map_err(|()| format!("unknown frequency {frequency}"))?,
        seasonally_adjusted: adjustment == "SA",
        category: category.to_owned(),
        source: source.to_owned(),
        publication_lag_days: lag.parse().map_err(|_| format!("{lag} is no lag"))?,
        metric: metric == "yes",
        rights: match rights {
            "ok" => Rights::Ok,
            "ok_with_citation" => Rights::OkWithCitation,
            "fetch_only" => Rights::FetchOnly,
            other => return Err(format!("unknown rights {other}")),
        },
        decimals: decimals
            .parse()
            .map_err(|_| format!("{decimals} is no number of decimals"))?,
        by_others: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_embedded_catalogue_is_read() -> Result<()> {
        let text = include_str!("../../data/catalogue.csv");
        let catalogue = Catalogue::parse(text)?;
        assert_eq!(catalogue.len(), text.lines().count() - 1);
        assert!(catalogue.len() >= 409);
        assert!(catalogue.iter().filter(|s| s.metric).count() >= 248);
        Ok(())
    }

    #[test]
    fn the_noise_of_arithmetic_goes_and_what_is_published_stays() {
        for (noisy, clean) in [
            (0.1 + 0.2, 0.3),
            (4.1 - 4.2, -0.1),
            (158_858.3 - 158_858.2, 0.1),
            (39_065_421.1 + 0.2, 39_065_421.3),
            (-0.000_000_000_4, 0.0),
            (1e300, 1e300),
            (2.0 / 3.0, 0.666_666_667),
        ] {
            assert_eq!(without_noise(noisy).to_string(), clean.to_string());
        }
    }

    #[test]
    fn rounding_kills_binary_dust() {
        assert_eq!(round_to(0.1 + 0.2, 4), 0.3);
        assert_eq!(round_to(-0.00001, 2).to_string(), "0");
        assert_eq!(round_to(1.0e300, 2), 1.0e300);
    }
}
