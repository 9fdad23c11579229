//! Evidence of the asset views, measured from the store after each sync or import and kept as a note.
//!
//! A question about the present is answered from the note. A question about a past day is measured from
//! what was known then, so that nothing later leaks in. What the store cannot show stays documented.

use super::Desk;
use crate::error::{Error, Result};
use crate::indicators::asset_views::{self, Asset, Evidence};
use crate::indicators::months::Month;
use crate::indicators::regime::{self, Regime};
use crate::model::{AsOf, Date, SeriesId, SeriesSet};
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
    /// What it was measured from.
    #[serde(default)]
    sources: Option<Sources>,
}

/// The reference day, and the rows of every series that is read: while they are the same, so is the evidence.
#[derive(PartialEq, Serialize, Deserialize)]
struct Sources {
    day: Date,
    rows: BTreeMap<String, u64>,
}

impl Sources {
    fn now(desk: &Desk) -> Result<Self> {
        let held = desk.holdings()?;
        let ids = regime::INPUTS.iter().chain(&SOURCES);
        let rows = ids.filter_map(|id| {
            let id = SeriesId::new(id).ok()?;
            Some((id.to_string(), held.get(&id)?.rows))
        });
        Ok(Self {
            day: desk.data_date(AsOf::Latest)?.as_of,
            rows: rows.collect(),
        })
    }
}

/// Measures the evidence of every asset in every regime, and keeps what changed.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<()> {
    if desk.holdings()?.bundled {
        return Ok(());
    }
    let sources = Some(Sources::now(desk)?);
    let before = noted(desk)?;
    if before.as_ref().is_some_and(|n| n.sources == sources) {
        return Ok(());
    }
    let version = desk.store().version()?;
    let record = Record::of(desk, AsOf::Latest)?;
    let regimes: BTreeMap<String, ByAsset> = Regime::QUADRANTS
        .into_iter()
        .map(|regime| (regime.name().to_owned(), record.evidence(regime)))
        .collect();
    let note = Note {
        version,
        regimes,
        sources,
    };
    let note = serde_json::to_string(&note)
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
    day: Date,
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
