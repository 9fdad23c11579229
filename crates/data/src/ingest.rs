//! Public sources into the store: the only writer of figures.
//!
//! `files` imports folders of CSV. `sync` brings series up to date from `sources` and recipes: `plan` decides what is due,
//! `client` fetches, `accept` decides which rows go in, `write` writes them, `report` says what happened. `feeds` brings
//! articles. A source that gives no usable answer leaves the store as it was.

mod accept;
mod client;
mod feeds;
mod fetch;
mod files;
mod key;
mod pace;
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
mod write;

pub(crate) use accept::{Comparison, compare};
pub use feeds::{Feed, FeedReport, parse_feed, read_feeds};
pub use fetch::Timeouts;
pub use files::{ImportReport, Provenance, import, import_from};
pub use key::ApiKey;
pub use pace::PaceSettings;
pub use plan::SyncConfig;
pub use progress::Progress;
pub use report::{Missed, Outcome, SyncReport};
pub use source_check::{FeedCheck, check_sources, last_missed, refused_answers};
pub use sources::{SourceSettings, recipes_with_folder};
pub(crate) use state::BASES;
pub use state::{RefusedAnswer, last_read};
pub use sync::sync;
