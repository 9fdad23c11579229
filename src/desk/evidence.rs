//! Evidence of the asset views, measured from the store's own figures as they were known on a day.
//!
//! What the store cannot show stays documented; so does everything while nothing but the bundled history is held.

use super::local::Desk;
use crate::error::Result;
use crate::indicators::asset_views::{self, Asset, Evidence};
use crate::indicators::months::Month;
use crate::indicators::regime::Regime;
use crate::model::AsOf;
use std::collections::BTreeMap;

/// Evidence by asset.
type ByAsset = BTreeMap<Asset, Evidence>;

impl Desk {
    /// Measured evidence of the assets in a regime, as known at `as_of`; assets without are absent.
    ///
    /// # Errors
    /// [`crate::Error::Store`] when the store cannot be read.
    pub fn evidence(&self, regime: Regime, as_of: AsOf) -> Result<ByAsset> {
        if self.holdings()?.bundled {
            return Ok(ByAsset::new());
        }
        let path = self.regimes(as_of)?;
        let months = path.months.iter().map(|s| (Month::of(s.month), s.regime));
        let months: Vec<(Month, Regime)> = months.collect();
        let set = self.set(
            Asset::ALL.into_iter().flat_map(Asset::series).copied(),
            as_of,
        )?;
        let day = self.data_date(as_of)?.as_of;
        let measured = |asset: Asset| {
            let found = asset_views::measured(asset, regime, &months, &set, day)?;
            Some((asset, found))
        };
        Ok(Asset::ALL.into_iter().filter_map(measured).collect())
    }
}
