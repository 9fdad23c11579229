//! An RSS or Atom feed of an agency: what comes out is fit to be shown.
#![no_main]
use econoscope_core::model::untrusted;
use econoscope_data::ingest::{Feed, parse_feed};
use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static FEEDS: LazyLock<Vec<Feed>> = LazyLock::new(|| Feed::embedded().expect("feeds"));

fuzz_target!(|body: &[u8]| {
    for feed in FEEDS.iter() {
        for article in parse_feed(feed, body, Timestamp::UNIX_EPOCH).unwrap_or_default() {
            assert!(article.url.starts_with("http"), "a link to a page");
            assert_eq!(untrusted::clean_line(&article.title, usize::MAX), article.title);
        }
    }
});
