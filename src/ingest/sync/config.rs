//! What a sync is to do.

use crate::ingest::sources::SourceSettings;
use crate::model::SeriesId;
use jiff::Timestamp;

/// What a sync is to do; by default the whole catalogue, today.
#[derive(Debug, Clone)]
pub struct SyncConfig {
    /// How sources are asked.
    pub sources: SourceSettings,
    /// These series and no others; `None` = the catalogue.
    pub only: Option<Vec<SeriesId>>,
    /// Ask also for what was asked for recently.
    pub force: bool,
    /// Read the history of revisions as well (needs a key).
    pub vintages: bool,
    /// Only say what would be asked of whom; ask nobody.
    pub only_plan: bool,
    /// What time it is.
    pub clock: fn() -> Timestamp,
}

impl Default for SyncConfig {
    fn default() -> Self {
        Self {
            sources: SourceSettings::default(),
            only: None,
            force: false,
            vintages: false,
            only_plan: false,
            clock: crate::clock::wall,
        }
    }
}
