//! Every recipe there is: ours, and those of an operator, which go before ours.

use super::shape::{Feed, Format, Line, Recipe, SourceFacts};
use crate::error::Result;
use crate::model::SeriesId;
use std::sync::{Arc, LazyLock};

macro_rules! embedded {
    ($file:literal) => {
        ($file, include_str!(concat!("../../data/sources/", $file)))
    };
}

/// Ours, in the order in which they are asked for a series that several have.
const EMBEDDED: &[(&str, &str)] = &[
    embedded!("treasury.toml"),
    embedded!("nyfed.toml"),
    embedded!("fed_board.toml"),
    embedded!("bls.toml"),
    embedded!("bea.toml"),
    embedded!("census.toml"),
    embedded!("fhfa.toml"),
    embedded!("chicago_fed.toml"),
    embedded!("philadelphia_fed.toml"),
    embedded!("cleveland_fed.toml"),
    embedded!("ofr.toml"),
    embedded!("freddie_mac.toml"),
    embedded!("umich.toml"),
    embedded!("epu.toml"),
    embedded!("cboe.toml"),
    embedded!("coinbase.toml"),
    embedded!("kraken.toml"),
    embedded!("eia.toml"),
    embedded!("tiingo.toml"),
    embedded!("fmp.toml"),
    embedded!("twelve_data.toml"),
    embedded!("dol.toml"),
    embedded!("formulas.toml"),
    embedded!("fred.toml"),
];

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
    /// [`Error::BadFile`](crate::Error::BadFile) that names the file and what is wrong with it; then none is used.
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
        let fetched = self.feeds().filter(|at| at.feed.format != Format::Formula);
        fetched.filter(move |at| at.feed.series.iter().any(|line| line.id == *id))
    }

    /// How a series follows from others, if it does.
    pub fn formula(&self, id: &SeriesId) -> Option<&Line> {
        let lines = self.feeds().filter(|at| at.feed.format == Format::Formula);
        lines
            .flat_map(|at| &at.feed.series)
            .find(|line| line.id == *id)
    }
}
