//! Settings of sources: addresses, keys and pace. FRED is asked last, series by series; all other sources are recipes
//! ([`econoscope_core::recipe`]).

use super::daily::DailyRequests;
use super::fetch::Timeouts;
use super::key::ApiKey;
use super::pace::PaceSettings;
use crate::disk;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::SeriesId;
use econoscope_core::recipe::{Recipes, SourceFacts};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use url::Url;

mod fred;

pub(super) use fred::Fred;

/// How sources are asked.
#[derive(Debug, Clone, Default)]
pub struct SourceSettings {
    /// Addresses that replace those of sources, by name of the source.
    pub addresses: BTreeMap<String, Url>,
    /// Recipes of all sources but FRED.
    pub recipes: Arc<Recipes>,
    /// Keys of those sources, by name.
    pub keys: BTreeMap<String, ApiKey>,
    /// Whether FRED is not asked.
    pub no_fred: bool,
    /// The key of FRED's API; without one its CSV download is used.
    pub key: Option<ApiKey>,
    /// Mail address or page in `User-Agent`, so that a source can contact the operator.
    pub contact: Option<String>,
    /// Pace of all sources; `None` = the pace of each source.
    pub pace: Option<PaceSettings>,
    /// Timeouts of requests.
    pub timeouts: Timeouts,
    /// The requests to sources that limit them a day.
    pub daily: DailyRequests,
    /// Whether a caller waits for the figures, so that the rest of a day's requests is left for syncs.
    pub for_questions: bool,
}

impl SourceSettings {
    /// Returns an address of a source, at the host that replaces the source's own.
    ///
    /// # Errors
    /// [`Error::Internal`] when it is invalid.
    pub(super) fn url(&self, name: &str, address: &str) -> Result<Url> {
        let own = Url::parse(address).map_err(|e| Error::internal("the address of a source", e))?;
        let mut url = self.addresses.get(name).unwrap_or(&own).clone();
        // `Url::join` would take a path that begins with two slashes as a host.
        url.set_path(own.path());
        url.set_query(own.query());
        Ok(url)
    }

    /// Returns the settings with a route for each of these series whose identifier has the form of a source.
    pub(super) fn with_requested(&self, ids: &[SeriesId]) -> Self {
        Self {
            recipes: self.recipes.with_requested(ids),
            ..self.clone()
        }
    }

    /// Whether a source can be asked: it needs no key, or the operator has one.
    pub(super) fn is_open(&self, source: &SourceFacts) -> bool {
        let needs_key = source.key.as_ref().is_some_and(|key| !key.optional);
        !needs_key || self.keys.contains_key(&source.id)
    }
}

/// Returns the recipes of every `.toml` file in a folder, by name, followed by the embedded ones. A source in the
/// folder replaces the embedded source of the same name.
///
/// # Errors
/// [`Error::BadFile`] with the file and the problem; then no recipe is used.
pub fn recipes_with_folder(folder: &Path) -> Result<Arc<Recipes>> {
    let bad = |file: &Path, problem: String| Error::bad_file(disk::format_path(file), problem);
    let paths = disk::list_folder(folder)
        .map_err(|e| bad(folder, format!("cannot be listed: {e}")))?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "toml"));
    let files = paths.map(|path| {
        let text = disk::read_text(&path).map_err(|e| bad(&path, e.to_string()))?;
        Ok((disk::format_path(&path), text))
    });
    Recipes::with_operator_recipes(&files.collect::<Result<Vec<_>>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_address_keeps_its_credentials_and_host() {
        let home = "https://user:pass@mirror.example:8443/base?x=1".parse();
        let settings = SourceSettings {
            addresses: [("agency".to_owned(), home.unwrap())].into(),
            ..SourceSettings::default()
        };
        let address = "https://agency.example//evil.example/a%20b?y=2";
        assert_eq!(
            settings.url("agency", address).unwrap().as_str(),
            "https://user:pass@mirror.example:8443//evil.example/a%20b?y=2"
        );
        assert_eq!(settings.url("other", address).unwrap().as_str(), address);
    }
}
