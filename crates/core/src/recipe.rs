//! Recipes: a source as data. One TOML file describes a source's terms, requests, response formats and series. `data/sources/`
//! contains the embedded recipes; an operator can add a folder of their own.
//!
//! This module does no I/O. A recipe is validated when it is parsed, and every response against the recipe (columns, unit,
//! bounds): what does not fit is refused and never rescaled.

mod any;
mod calendar;
mod dates;
mod formats;
mod read;
mod request;
mod shape;

pub use any::AnySeries;
pub use dates::{parse_date, parse_period};
pub use read::{Bases, Figures, Reader};
pub use shape::{
    CalendarRecipe, Condition, DateForm, Expect, Feed, Format, FormatEvidence, KeyPlace,
    MissingField, OnePerDate, Quota, Recipe, Release, Request, Sample, SeriesRecipe, SourceFacts,
    Split,
};

use crate::error::{Error, Result};
use crate::model::SeriesId;
use std::sync::{Arc, LazyLock};
use url::Url;

macro_rules! embedded {
    ($($name:literal)*) => {
        &[$((concat!($name, ".toml"), include_str!(concat!("../data/sources/", $name, ".toml")))),*]
    };
}

/// The embedded recipes, in the order in which the sources of one series are requested.
#[rustfmt::skip]
const EMBEDDED: &[(&str, &str)] = embedded!(
    "treasury" "nyfed" "fed_board" "bls" "bea" "cbo" "census" "fhfa" "chicago_fed"
    "philadelphia_fed" "cleveland_fed" "ofr" "freddie_mac" "umich" "epu" "cboe" "coinbase"
    "kraken" "eia" "tiingo" "fmp" "twelve_data" "dol" "formulas" "fred"
);

/// A list of recipes.
#[derive(Debug, Clone, Default)]
pub struct Recipes {
    /// The recipes, in the order in which their sources are requested.
    pub recipes: Vec<Recipe>,
}

/// A feed with its source.
#[derive(Debug, Clone, Copy)]
pub struct FeedRef<'a> {
    /// The source.
    pub source: &'a SourceFacts,
    /// The feed.
    pub feed: &'a Feed,
}

impl FeedRef<'_> {
    /// Returns the name with the source: `treasury/par_yields`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.source.id, self.feed.id)
    }
}

impl Recipes {
    /// Returns the embedded recipes.
    pub fn embedded() -> &'static Arc<Self> {
        static RECIPES: LazyLock<Arc<Recipes>> = LazyLock::new(|| {
            // A test parses every embedded file, so none is lost here.
            let parse = |(file, text): &(&str, &str)| Recipe::parse(file, text).ok();
            let recipes = EMBEDDED.iter().filter_map(parse).collect();
            Arc::new(Recipes { recipes })
        });
        &RECIPES
    }

    /// Returns an operator's recipes, given as file name and text, followed by the embedded ones. An embedded source of the
    /// same name is replaced.
    ///
    /// # Errors
    /// [`Error::BadFile`] names the file and the mistake; then no recipe is used.
    pub fn with_operator_recipes(files: &[(String, String)]) -> Result<Arc<Self>> {
        let own = files.iter().map(|(file, text)| Recipe::parse(file, text));
        let mut recipes = Self {
            recipes: own.collect::<Result<_>>()?,
        };
        let is_replaced = |recipe: &&Recipe| recipes.source(&recipe.source.id).is_some();
        let embedded = Self::embedded().recipes.iter();
        let others: Vec<Recipe> = embedded.filter(|r| !is_replaced(r)).cloned().collect();
        recipes.recipes.extend(others);
        Ok(Arc::new(recipes))
    }

    /// Returns the source with this identifier.
    pub fn source(&self, id: &str) -> Option<&SourceFacts> {
        let mut sources = self.recipes.iter().map(|recipe| &recipe.source);
        sources.find(|source| source.id == id)
    }

    /// Iterates over every feed, in order.
    pub fn feeds(&self) -> impl Iterator<Item = FeedRef<'_>> {
        self.recipes.iter().flat_map(|recipe| {
            let source = &recipe.source;
            recipe.feeds.iter().map(|feed| FeedRef { source, feed })
        })
    }

    /// Iterates over every calendar with its source, in order.
    pub fn calendars(&self) -> impl Iterator<Item = (&SourceFacts, &CalendarRecipe)> {
        self.recipes.iter().flat_map(|recipe| {
            let calendars = recipe.calendars.iter();
            calendars.map(|calendar| (&recipe.source, calendar))
        })
    }

    /// Iterates over the feeds that have a series, the preferred source first.
    pub fn routes<'a>(&'a self, id: &'a SeriesId) -> impl Iterator<Item = FeedRef<'a>> {
        self.feeds()
            .filter(move |route| route.feed.series.iter().any(|series| series.id == *id))
    }
}

impl Recipe {
    /// Parses and validates a recipe.
    ///
    /// # Errors
    /// [`Error::BadFile`] names the file and the key.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let bad_file = |problem: String| Error::bad_file(file, problem);
        let recipe: Self = toml::from_str(text).map_err(|e| bad_file(e.to_string()))?;
        recipe.validate().map_err(bad_file)?;
        Ok(recipe)
    }

    fn validate(&self) -> std::result::Result<(), String> {
        let source = &self.source;
        let is_name = |id: &str| {
            let is_allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
            !id.is_empty() && id.bytes().all(is_allowed)
        };
        // Only the embedded recipe of FRED, which has no feeds, may have its name.
        let is_reserved = matches!(source.id.as_str(), "import" | "computed" | "bundled")
            || (source.id == "fred" && !self.feeds.is_empty());
        if !is_name(&source.id) || is_reserved {
            return Err(format!(
                "source.id \"{}\" is not allowed; use lower-case letters, digits and underscores, and none of fred, import, \
                 computed, bundled",
                source.id
            ));
        }
        let places = |key: &KeyPlace| {
            let all = [&key.query, &key.header, &key.body];
            all.into_iter().flatten().count()
        };
        if source.key.as_ref().is_some_and(|key| places(key) != 1) {
            return Err("source.key needs one of `query`, `header` and `body`".to_owned());
        }
        for (index, feed) in self.feeds.iter().enumerate() {
            let id = &feed.id;
            let is_duplicate = self.feeds.iter().take(index).any(|other| other.id == *id);
            if !is_name(id) || is_duplicate {
                return Err(format!(
                    "feed.id \"{id}\" is a duplicate, or not of lower-case letters, digits and underscores"
                ));
            }
            feed.validate(source)
                .map_err(|problem| format!("feed {id}: {problem}"))?;
        }
        for CalendarRecipe { id, url, .. } in &self.calendars {
            let problem = |problem| format!("calendar {id}: {problem}");
            source.validate_url(url, false).map_err(problem)?;
        }
        Ok(())
    }
}

impl Feed {
    fn validate(&self, source: &SourceFacts) -> std::result::Result<(), String> {
        if self.series.is_empty() && self.any.is_none() {
            return Err("`series` is empty, and there is no `any`".to_owned());
        }
        for address in std::iter::once(&self.url).chain(&self.alternatives) {
            source.validate_url(address, self.plain_http)?;
        }
        let is_tabular = matches!(self.format, Format::Csv | Format::Json | Format::Xml);
        let has_dates = self.date.as_ref().is_some_and(|d| !d.formats.is_empty());
        if is_tabular && !has_dates {
            return Err("`date` with `formats` is missing".to_owned());
        }
        if matches!(self.split, Some(Split::Window { days, .. }) if days < 1) {
            return Err("split.days must be 1 or more".to_owned());
        }
        if matches!(self.split, Some(Split::Batch { series, years, .. }) if series < 1 || years < 1)
        {
            return Err("split.series and split.years must be 1 or more".to_owned());
        }
        let needs_key = self.url.contains("{series}");
        for series in &self.series {
            let id = &series.id;
            if SeriesId::new(id.as_str()).ok().as_ref() != Some(id) {
                return Err(format!("\"{id}\" is not an upper-case series identifier"));
            }
            let has_scale = series.scale.is_none_or(|n| n != 0.0 && n.is_finite());
            let has_key = !needs_key || !series.key.is_empty();
            if series.field.is_empty() || !has_scale || !has_key {
                return Err(format!(
                    "{id} needs a `field`, a finite `scale` other than 0, and a `key` if url contains {{series}}"
                ));
            }
        }
        Ok(())
    }
}

impl SourceFacts {
    fn validate_url(&self, url: &str, plain_http: bool) -> std::result::Result<(), String> {
        let parsed = Url::parse(url).map_err(|e| format!("url: {e}"))?;
        let host = parsed.host_str().unwrap_or_default();
        let is_http_allowed = plain_http || matches!(host, "127.0.0.1" | "localhost");
        if parsed.scheme() != "https" && !(parsed.scheme() == "http" && is_http_allowed) {
            return Err("url must use https; to allow http, set `plain_http = true`".to_owned());
        }
        if !self.hosts.iter().any(|allowed| allowed == host) {
            return Err(format!("the host {host} of url is not in source.hosts"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
