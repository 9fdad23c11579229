//! Reads public sources into the store. No other module writes figures.
//!
//! `files` imports folders of CSV. `sync` updates series from `sources` and recipes: `plan` decides what is due,
//! `client` fetches, `accept` decides which rows are written, `write` writes them, `report` summarises. `feeds` reads
//! articles. A source without a usable response leaves the store unchanged.

mod accept;
mod calendars;
mod cells;
mod client;
mod daily;
mod demand;
mod elsewhere;
mod feeds;
mod fetch;
mod files;
mod key;
mod pace;
mod periods;
mod plan;
mod progress;
mod report;
mod source_check;
mod sources;
mod state;
mod sync;
mod table;
#[cfg(test)]
mod testing;
mod titles;
mod wanted;
mod write;

pub use accept::{Comparison, compare};
pub use calendars::{ANNOUNCED, announced_days};
pub use daily::DailyRequests;
pub use demand::{Demand, DemandSettings, Fetched, Kept, Memory, kept};
pub use elsewhere::FoundElsewhere;
pub use feeds::{Feed, parse_feed, read_feeds};
pub use fetch::Timeouts;
pub use files::{ImportReport, Provenance, import, import_from};
pub use key::ApiKey;
pub use pace::PaceSettings;
pub use plan::SyncConfig;
pub use progress::Progress;
pub use report::{MissedSeries, Outcome, SyncReport};
pub use source_check::{FeedCheck, check_sources, last_missed, refused_responses};
pub use sources::{SourceSettings, recipes_with_folder};
pub use state::{BASES, LAST_SYNC, RefusedResponse, last_attempt, last_read};
pub use sync::sync;
pub use wanted::Wanted;
