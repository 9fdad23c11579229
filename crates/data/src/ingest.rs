//! Public sources into the store: the only writer of figures.
//!
//! `files` reads folders of CSV, `titles` what series are called; `sources` ask over the network at the pace their
//! owners allow, `plan` decides what is due, `sync` runs it series by series, so that a broken-off run loses nothing;
//! `feeds` brings articles. A source that gives no usable answer leaves the store as it was.

mod ask;
mod due;
mod feeds;
mod fetch;
mod files;
mod guard;
mod judge;
mod key;
mod looks;
mod news;
mod pace;
mod plan;
mod progress;
mod sources;
mod sync;
mod table;
#[cfg(test)]
mod testing;
mod titles;
mod trial;

pub use feeds::{Feed, FeedReport, parse_feed, read_feeds};
pub use fetch::Timeouts;
pub use files::{ImportReport, Provenance, import, import_from};
pub use key::ApiKey;
pub use pace::PaceSettings;
pub use plan::SyncConfig;
pub use progress::Progress;
pub use sources::{SourceSettings, recipes_with_folder};
pub use sync::{Missed, Outcome, Refused, SyncReport, sync};
pub use trial::{last_missed, refused_answers, try_sources};
