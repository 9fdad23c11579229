//! How the desk names itself, and what it was given.

use super::articles::Text;
use super::scenarios::Scenario;
use econoscope_core::model::series_info::DEFAULT_PREFIX;
use econoscope_core::recipe::Recipes;
use std::sync::Arc;

/// How the desk names itself and what it may pass on.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Service name in the credit line.
    pub service: String,
    /// Base address in links and credit lines, without a final slash; none where nothing is listened on.
    pub base_url: Option<String>,
    /// Prefix of composite identifiers in answers: `SERVICE_`.
    pub prefix: String,
    /// Whether series whose rights are `fetch_only` are passed on.
    pub serve_restricted: bool,
    /// Sources, for the rights to what each of them brought.
    pub recipes: Arc<Recipes>,
    /// An operator's scenarios; they stand before embedded ones of the same slug.
    pub scenarios: Vec<Scenario>,
    /// An operator's articles.
    pub articles: Vec<Text>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            service: "Econoscope".into(),
            base_url: Some("http://127.0.0.1:8080".into()),
            prefix: DEFAULT_PREFIX.into(),
            serve_restricted: true,
            recipes: Arc::clone(Recipes::embedded()),
            scenarios: Vec::new(),
            articles: Vec::new(),
        }
    }
}

/// The page of this program, for credit lines where nothing is listened on.
pub const HOME: &str = env!("CARGO_PKG_REPOSITORY");

/// Where a page is to be read: below the base address, or as a resource where nothing is listened on.
pub fn address(base: Option<&str>, page: &str, resource: &str) -> String {
    match base {
        Some(base) => format!("{base}{page}"),
        None => format!("macro://{resource}"),
    }
}

impl Settings {
    /// Where the service is to be found.
    pub fn home(&self) -> &str {
        self.base_url.as_deref().unwrap_or(HOME)
    }

    /// Where a page is to be read; without a base address, the resource that says the same.
    pub fn address(&self, page: &str, resource: &str) -> String {
        address(self.base_url.as_deref(), page, resource)
    }
}
