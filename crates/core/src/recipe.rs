//! A source of figures as data: one TOML file says where it lies, who owns it, how it is asked, and how its answers
//! become series. `data/sources/` holds ours; an operator may add a folder of their own.
//!
//! Pure: texts and bytes in, figures out; nothing here asks a network. A recipe is checked when it is read, and every
//! answer against what the recipe promises (columns, unit, bounds): what does not fit is refused and never rescaled.

mod dates;
mod formats;
mod read;
mod request;
mod shape;

pub use formats::is_spent;
pub use read::{Bases, Figures, Reader};
pub use shape::{
    Absent, Condition, DateForm, Expect, Feed, Format, KeyPlace, OnePerDate, Period, Recipe,
    Release, Request, Sample, Seen, SeriesRecipe, SourceFacts, SourceRights, Split,
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

/// Ours, in the order in which they are asked for a series that several have.
#[rustfmt::skip]
const EMBEDDED: &[(&str, &str)] = embedded!(
    "treasury" "nyfed" "fed_board" "bls" "bea" "census" "fhfa" "chicago_fed"
    "philadelphia_fed" "cleveland_fed" "ofr" "freddie_mac" "umich" "epu" "cboe" "coinbase"
    "kraken" "eia" "tiingo" "fmp" "twelve_data" "dol" "formulas" "fred"
);

/// All recipes, in order.
#[derive(Debug, Default)]
pub struct Recipes {
    /// In the order in which they are asked.
    pub recipes: Vec<Recipe>,
}

/// One feed of one source.
#[derive(Debug, Clone, Copy)]
pub struct FeedRef<'a> {
    /// Who is asked.
    pub source: &'a SourceFacts,
    /// What for.
    pub feed: &'a Feed,
}

impl FeedRef<'_> {
    /// Its name: `treasury/par_yields`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.source.id, self.feed.id)
    }
}

impl Recipes {
    /// Ours, read once.
    pub fn embedded() -> &'static Arc<Self> {
        static RECIPES: LazyLock<Arc<Recipes>> = LazyLock::new(|| {
            let read = |(file, text): &(&str, &str)| Recipe::parse(file, text).ok();
            // A test reads every file of them.
            Arc::new(Recipes {
                recipes: EMBEDDED.iter().filter_map(read).collect(),
            })
        });
        &RECIPES
    }

    /// An operator's recipes, each a file's name and text, followed by ours. A source of the same name replaces ours.
    ///
    /// # Errors
    /// [`Error::BadFile`] that names the file and what is wrong with it; then none is used.
    pub fn with_own(files: &[(String, String)]) -> Result<Arc<Self>> {
        let own = files.iter().map(|(file, text)| Recipe::parse(file, text));
        let mut recipes = own.collect::<Result<Vec<_>>>()?;
        let names: Vec<String> = recipes.iter().map(|r| r.source.id.clone()).collect();
        let ours = Self::embedded().recipes.iter();
        recipes.extend(ours.filter(|r| !names.contains(&r.source.id)).cloned());
        Ok(Arc::new(Self { recipes }))
    }

    /// The source of this name, as the origin of rows has it.
    pub fn source(&self, id: &str) -> Option<&SourceFacts> {
        let found = self.recipes.iter().find(|recipe| recipe.source.id == id);
        found.map(|recipe| &recipe.source)
    }

    /// Every feed, in order.
    pub fn feeds<'a>(&'a self) -> impl Iterator<Item = FeedRef<'a>> {
        let of = |recipe: &'a Recipe| {
            let Recipe { source, feed } = recipe;
            feed.iter().map(move |feed| FeedRef { source, feed })
        };
        self.recipes.iter().flat_map(of)
    }

    /// The feeds that have a series, first source first.
    pub fn routes<'a>(&'a self, id: &'a SeriesId) -> impl Iterator<Item = FeedRef<'a>> {
        self.feeds()
            .filter(move |at| at.feed.series.iter().any(|line| line.id == *id))
    }
}

impl Recipe {
    /// Reads a recipe.
    ///
    /// # Errors
    /// [`Error::BadFile`] that names the file and the key.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let bad = |problem: String| Error::bad_file(file, problem);
        let recipe: Self = toml::from_str(text).map_err(|e| bad(e.to_string()))?;
        recipe.check().map_err(bad)?;
        Ok(recipe)
    }

    fn check(&self) -> std::result::Result<(), String> {
        let source = &self.source;
        let plain = |id: &str| {
            let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
            !id.is_empty() && id.bytes().all(fits)
        };
        let ours = match self.feed.is_empty() {
            // What FRED asks for stands in a file as well.
            true => &["import", "computed", "bundled"][..],
            false => &["import", "computed", "bundled", "fred"],
        };
        if !plain(&source.id) || ours.contains(&source.id.as_str()) {
            return Err("source.id must be lower-case letters, digits and underscores, and not a word the program uses itself".to_owned());
        }
        if let Some(key) = &source.key
            && key.query.is_some() == key.header.is_some()
        {
            return Err("source.key needs either `query` or `header`".to_owned());
        }
        for (at, feed) in self.feed.iter().enumerate() {
            let id = &feed.id;
            let again = self.feed.iter().take(at).any(|other| other.id == *id);
            if !plain(id) || again {
                return Err(format!("feed.id \"{id}\" is no name, or stands twice"));
            }
            let checked = self.check_feed(feed);
            checked.map_err(|problem| format!("feed {id}: {problem}"))?;
        }
        Ok(())
    }

    fn check_feed(&self, feed: &Feed) -> std::result::Result<(), String> {
        if feed.series.is_empty() {
            return Err("`series` is empty".to_owned());
        }
        let url = Url::parse(&feed.url).map_err(|e| format!("url: {e}"))?;
        let loopback = matches!(url.host_str(), Some("127.0.0.1" | "localhost"));
        if url.scheme() != "https" && !(url.scheme() == "http" && (feed.plain_http || loopback)) {
            return Err("url must be https, or say `plain_http = true`".to_owned());
        }
        let host = url.host_str().unwrap_or_default();
        if !self.source.hosts.iter().any(|allowed| allowed == host) {
            return Err(format!("{host} is not one of source.hosts"));
        }
        let tabular = matches!(feed.format, Format::Csv | Format::Json);
        let has_dates = feed.date.as_ref().is_some_and(|d| !d.formats.is_empty());
        if tabular && !has_dates {
            return Err("`date` with `formats` is missing".to_owned());
        }
        if matches!(feed.split, Some(Split::Window { days, .. }) if days < 1) {
            return Err("split.days must be 1 or more".to_owned());
        }
        let keyed = feed.url.contains("{series}");
        for line in &feed.series {
            let id = &line.id;
            if SeriesId::new(id.as_str()).ok().as_ref() != Some(id) {
                return Err(format!("{id} is not a series identifier in capitals"));
            }
            if line.field.is_empty()
                || line.scale == 0.0
                || !line.scale.is_finite()
                || (keyed && line.key.is_empty())
            {
                return Err(format!(
                    "{id}: needs a `field`, a `scale` other than 0, and a `key` where the address has {{series}}"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
