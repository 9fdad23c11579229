//! What a source of figures is: where it lies, which series it carries, and how it is asked for one.

use crate::error::{Error, Result};
use crate::ingest::fetch::{Fetch, Timeouts};
use crate::ingest::key::ApiKey;
use crate::ingest::pace::PaceSettings;
use crate::model::{Date, Known, SeriesId, SeriesInfo};
use crate::recipe::{Recipes, SourceFacts};
use crate::store::Description;
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// A source, as its file declares it.
pub struct Declaration {
    /// Its name as the origin of rows, and in [`SourceSettings::addresses`].
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its address.
    pub home: &'static str,
    /// Whether it tells what was known when.
    pub has_vintages: bool,
    /// Whether it has a series; the catalogue does not know every one.
    pub(in crate::ingest) carries: fn(&SeriesId, Option<&SeriesInfo>) -> bool,
    /// A client of it; nothing is sent yet.
    pub(in crate::ingest) open: fn(&SourceSettings) -> Result<Box<dyn Source>>,
}

impl std::fmt::Debug for Declaration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// What is asked of a source.
#[derive(Debug, Clone, Copy)]
pub(in crate::ingest) struct Question<'a> {
    /// Series.
    pub(in crate::ingest) id: &'a SeriesId,
    /// First date; `None` = all. A source may give more.
    pub(in crate::ingest) from: Option<Date>,
    /// Every figure that was ever published, with the day it was; only of a source that has vintages.
    pub(in crate::ingest) vintages: bool,
}

/// A client of a source.
pub(in crate::ingest) trait Source: Send + Sync {
    /// Figures of a series, by date and one for each; missing values are absent. Of vintages: by the day they became
    /// known, then by date, without those that only repeat; what stands in the first one may have been published long
    /// before the archive began.
    ///
    /// Fails with [`Error::NoData`] when the source does not carry the series, [`Error::RateLimited`] and
    /// [`Error::Unavailable`] when it gives no usable answer, [`Error::InvalidParam`] when it refuses the key.
    fn rows<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Result<Vec<Known>>>;

    /// What a series is called that the catalogue does not know, if the source says so.
    fn describe<'a>(&'a self, _id: &'a SeriesId) -> BoxFuture<'a, Result<Option<Description>>> {
        Box::pin(async { Ok(None) })
    }
}

/// How sources are asked.
#[derive(Debug, Clone, Default)]
pub struct SourceSettings {
    /// Addresses in the place of a source's own, by its name.
    pub addresses: BTreeMap<String, Url>,
    /// Recipes of all sources but FRED.
    pub recipes: Arc<Recipes>,
    /// Keys of such sources, by name.
    pub keys: BTreeMap<String, ApiKey>,
    /// Whether FRED is left alone.
    pub no_fred: bool,
    /// The key to FRED's API; without one its download is asked.
    pub key: Option<ApiKey>,
    /// Mail address or page for `User-Agent`, so that a source can tell who asks.
    pub contact: Option<String>,
    /// Speed; `None` = as each source bears.
    pub pace: Option<PaceSettings>,
    /// Patience with the network.
    pub timeouts: Timeouts,
}

impl SourceSettings {
    /// The address by this name, or else `home`.
    ///
    /// # Errors
    /// [`Error::Internal`] when `home` is none, which tests rule out.
    pub fn address(&self, name: &str, home: &str) -> Result<Url> {
        match self.addresses.get(name) {
            Some(url) => Ok(url.clone()),
            None => Url::parse(home).map_err(|e| Error::internal("the address of a source", e)),
        }
    }

    /// The way to the source of this name, which bears `pace`. A stand-in on loopback needs no pauses.
    ///
    /// # Errors
    /// As [`Fetch::new`].
    pub(in crate::ingest) fn fetch(
        &self,
        name: &str,
        title: &str,
        pace: PaceSettings,
        hosts: &[String],
    ) -> Result<Fetch> {
        let mut pace = self.pace.unwrap_or(pace);
        let is_here = |url: &Url| url.host_str() == Some("127.0.0.1");
        if self.addresses.get(name).is_some_and(is_here) {
            pace.interval = Duration::ZERO;
        }
        let contact = self.contact.as_deref();
        Fetch::new(title, pace, self.timeouts, contact, hosts)
    }

    /// Whether a source can be asked: it takes no key, or the operator has one.
    pub(in crate::ingest) fn is_open(&self, source: &SourceFacts) -> bool {
        let needs = source.key.as_ref().is_some_and(|key| !key.optional);
        !needs || self.keys.contains_key(&source.id)
    }
}

/// Rows by date; the same figure twice is one.
///
/// # Errors
/// Names a date that has two values: that is the source's defect and not ours to settle.
pub(super) fn by_date(mut rows: Vec<Known>) -> std::result::Result<Vec<Known>, String> {
    rows.sort_by_key(|row| row.date);
    let clash = rows.windows(2).find_map(|pair| match pair {
        [a, b] if a.date == b.date && a.value != b.value => Some(a.date),
        _ => None,
    });
    if let Some(date) = clash {
        return Err(format!("two values for {date}"));
    }
    rows.dedup_by_key(|row| row.date);
    Ok(rows)
}
