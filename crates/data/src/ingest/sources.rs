//! How sources are asked: where they lie, with which keys, how fast. FRED is asked last, series by series; all others are
//! recipes ([`econoscope_core::recipe`]).

use super::fetch::{Fetch, Timeouts};
use super::key::ApiKey;
use super::pace::PaceSettings;
use crate::disk;
use econoscope_core::error::{Error, Result};
use econoscope_core::recipe::{Recipes, SourceFacts};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

mod fred;

pub(super) use fred::Fred;

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
    /// Where FRED lies, for whoever asks without a key.
    ///
    /// # Errors
    /// [`Error::Internal`] when that is no address, which tests rule out.
    pub fn fred(&self) -> Result<Url> {
        self.address("fred", "https://fred.stlouisfed.org")
    }

    /// The address by this name, or else `home`.
    ///
    /// # Errors
    /// [`Error::Internal`] when `home` is none, which tests rule out.
    pub(super) fn address(&self, name: &str, home: &str) -> Result<Url> {
        match self.addresses.get(name) {
            Some(url) => Ok(url.clone()),
            None => Url::parse(home).map_err(|e| Error::internal("the address of a source", e)),
        }
    }

    /// The way to the source of this name, which bears `pace`. A stand-in on loopback needs no pauses.
    ///
    /// # Errors
    /// As [`Fetch::new`].
    pub(super) fn fetch(
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
    pub(super) fn is_open(&self, source: &SourceFacts) -> bool {
        let needs = source.key.as_ref().is_some_and(|key| !key.optional);
        !needs || self.keys.contains_key(&source.id)
    }
}

/// The embedded recipes, and before them those of a folder: every `.toml` in it, by name. A source of the same name
/// replaces the embedded one.
///
/// # Errors
/// [`Error::BadFile`] that names the file and what is wrong with it; then none is used.
pub fn recipes_with_folder(folder: &Path) -> Result<Arc<Recipes>> {
    let bad = |file: &Path, problem: String| Error::bad_file(disk::shown(file), problem);
    let listed = disk::entries(folder);
    let listed = listed.map_err(|e| bad(folder, format!("cannot be listed: {e}")))?;
    let mut files = Vec::new();
    for path in listed
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
    {
        let text = disk::read_text(path).map_err(|e| bad(path, e.to_string()))?;
        files.push((disk::shown(path), text));
    }
    Recipes::with_own(&files)
}
