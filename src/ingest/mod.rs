//! Public sources into the store: the only writer of figures.
//!
//! `files` reads folders of CSV, `titles` what series are called, `fred` and `board` ask over the network at the pace their owners allow,
//! `plan` decides what is due, `sync` runs it series by series, so that a broken-off run loses nothing.
//! A source that gives no usable answer leaves the store as it was.

pub mod board;
pub mod feeds;
mod fetch;
pub mod files;
pub mod fred;
mod key;
mod news;
mod pace;
pub mod plan;
pub mod progress;
mod sync;
mod table;
#[cfg(test)]
mod testing;
mod titles;

pub use feeds::{Feed, FeedReport, FeedSettings, read_feeds};
pub use fetch::{MAX_ANSWER_BYTES, Timeouts};
pub use files::{ImportReport, Imported, import};
pub use fred::{Fred, FredSettings};
pub use key::ApiKey;
pub use pace::PaceSettings;
pub use progress::{Progress, Renderer, Show, StepResult};
pub use sync::{LoadBundled, Outcome, SeriesReport, SyncConfig, SyncReport, sync};
