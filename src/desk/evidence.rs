//! Evidence of the asset views, measured from the store after each sync or import and kept as a note.
//!
//! A question about the present is answered from the note. A question about a past day is measured from
//! what was known then, so that nothing later leaks in. What the store cannot show stays documented.

use super::Desk;
use crate::error::{Error, Result};
use crate::indicators::asset_views::{self, Asset, Evidence};
use crate::indicators::months::Month;
use crate::indicators::regime::Regime;
use crate::model::{AsOf, SeriesSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The note under which the measured evidence is kept.
pub const ASSET_EVIDENCE: &str = "asset_evidence";

/// Series that evidence is measured from.
const SOURCES: [&str; 7] = [
    "BTC",
    "SPY",
    "DCOILWTICO",
    "MCOILWTICO",
    "GLD",
    "DTWEXBGS",
    "DGS10",
];

/// Evidence by asset key.
pub type ByAsset = BTreeMap<String, Evidence>;

#[derive(Serialize, Deserialize)]
struct Note {
    /// Version of the store's data when it was measured.
    version: u64,
    /// By regime name.
    regimes: BTreeMap<String, ByAsset>,
}

/// Measures the evidence of every asset in every regime, and keeps what changed.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<()> {
    if desk.holdings()?.bundled {
        return Ok(());
    }
    let version = desk.store().version()?;
    let record = Record::of(desk, AsOf::Latest)?;
    let regimes: BTreeMap<String, ByAsset> = Regime::QUADRANTS
        .into_iter()
        .map(|regime| (regime.name().to_owned(), record.evidence(regime)))
        .collect();
    if noted(desk)?.is_some_and(|n| n.regimes == regimes) {
        return Ok(());
    }
    let note = serde_json::to_string(&Note { version, regimes })
        .map_err(|e| Error::internal("keeping the evidence of asset views", e))?;
    desk.store().set_note(ASSET_EVIDENCE, &note)
}

fn noted(desk: &Desk) -> Result<Option<Note>> {
    let note = desk.store().note(ASSET_EVIDENCE)?;
    Ok(note.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Regimes and prices as known on a day.
struct Record {
    months: Vec<(Month, Regime)>,
    set: SeriesSet,
    day: crate::model::Date,
}

impl Record {
    fn of(desk: &Desk, as_of: AsOf) -> Result<Self> {
        let path = desk.regimes(as_of)?;
        Ok(Self {
            months: path
                .months
                .iter()
                .map(|s| (Month::of(s.month), s.regime))
                .collect(),
            set: desk.set(SOURCES, as_of)?,
            day: desk.data_date(as_of)?.as_of,
        })
    }

    fn evidence(&self, regime: Regime) -> ByAsset {
        let of = |asset: Asset| {
            let found = asset_views::measured(asset, regime, &self.months, &self.set, self.day)?;
            Some((asset.key().to_owned(), found))
        };
        Asset::ALL.into_iter().filter_map(of).collect()
    }
}

impl Desk {
    /// Measured evidence of the assets in a regime, as known at `as_of`; assets without are absent.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn evidence(&self, regime: Regime, as_of: AsOf) -> Result<ByAsset> {
        if self.holdings()?.bundled {
            return Ok(ByAsset::new());
        }
        if as_of != AsOf::Latest {
            return Ok(Record::of(self, as_of)?.evidence(regime));
        }
        let mut regimes = noted(self)?.map(|n| n.regimes).unwrap_or_default();
        Ok(regimes.remove(regime.name()).unwrap_or_default())
    }
}
