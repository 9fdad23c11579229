//! The settings of the desk.

use crate::lock::Lock;
use crate::texts::articles::ArticleText;
use crate::texts::scenarios::Scenario;
use econoscope_core::model::series_info::DEFAULT_PREFIX;
use econoscope_core::recipe::Recipes;
use std::sync::Arc;

/// Whom a program answers.
///
/// It is decided once, from the settings and the listener, and every rule on the rights of others reads it: restricted series, inputs of composites, FRED, and requests that a proxy passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The user of this machine.
    Own,
    /// Anyone.
    Public,
}

/// The settings of the desk.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Service name in the credit line.
    pub service: String,
    /// Base address in links and credit lines, without a final slash; `None` without a server.
    pub base_url: Option<String>,
    /// Prefix of composite identifiers in answers: `SERVICE_`.
    pub prefix: String,
    /// Whom the program answers.
    pub audience: Audience,
    /// Whether the operator has a licence to serve restricted series (`fetch_only`) to anyone.
    pub is_licensed: bool,
    /// Sources with those of an operator, for the rights to their rows; `None`: the embedded ones, which are parsed when they
    /// are first needed and not before the first answer.
    pub own_recipes: Option<Arc<Recipes>>,
    /// An operator's scenarios, which replace embedded ones of the same slug.
    pub scenarios: Vec<Scenario>,
    /// An operator's articles.
    pub articles: Vec<ArticleText>,
    /// The past day that the desk is locked to.
    pub lock: Option<Lock>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            service: "Econoscope".into(),
            base_url: Some("http://127.0.0.1:8080".into()),
            prefix: DEFAULT_PREFIX.into(),
            audience: Audience::Own,
            is_licensed: false,
            own_recipes: None,
            scenarios: Vec::new(),
            articles: Vec::new(),
            lock: None,
        }
    }
}

/// The home page of this program, for credit lines without a server.
const HOME: &str = env!("CARGO_PKG_REPOSITORY");

/// Returns the address of a page: below the base address, or as a resource without a server.
pub fn address(base: Option<&str>, page: &str, resource: &str) -> String {
    match base {
        Some(base) => format!("{base}{page}"),
        None => format!("macro://{resource}"),
    }
}

impl Settings {
    /// Returns the sources.
    pub fn recipes(&self) -> &Recipes {
        (self.own_recipes.as_deref()).unwrap_or_else(|| Recipes::embedded())
    }

    /// Whether restricted series are served.
    pub fn serves_restricted(&self) -> bool {
        self.audience == Audience::Own || self.is_licensed
    }

    /// Returns the address of the service.
    pub fn home(&self) -> &str {
        self.base_url.as_deref().unwrap_or(HOME)
    }

    /// Returns the address of a page, or of the same resource without a server.
    pub fn address(&self, page: &str, resource: &str) -> String {
        address(self.base_url.as_deref(), page, resource)
    }
}
