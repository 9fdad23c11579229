//! Formulas and conditions of a request: read, the series they name fetched, and priced before anything is computed.

use crate::endpoints::prelude::*;
use econoscope_core::catalogue::names::Names;
use econoscope_core::indicators::expression::{self, Expr, Fault};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::indicators::statistics;
use econoscope_core::model::{Frequency, Series};
use econoscope_data::desk::resolve;
use econoscope_data::desk::resolve::Resolution;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Steps that the formulas of one request may take: below ten milliseconds. Eight daily series of sixty years, each on
/// dates of its own, take three million, 3.4 as yearly changes, and a moving average of one of them 120,000.
const MAX_STEPS: usize = 3_500_000;

/// The series that formulas name, by the names they use.
#[derive(Default)]
pub(super) struct NamedSeries {
    /// Of one that holds nothing, the reason.
    series: BTreeMap<String, Result<Arc<Series>>>,
    /// What the names were taken for.
    meanings: Vec<Resolution>,
}

impl NamedSeries {
    /// Looks up every name of some formulas. What is known and holds nothing is kept with its reason.
    ///
    /// # Errors
    /// Whatever the desk says of a name that means nothing, and of a store that cannot be read.
    pub(super) fn read<'a>(
        desk: &Desk,
        as_of: AsOf,
        trees: impl IntoIterator<Item = &'a Expr>,
    ) -> Result<Self> {
        let mut known = Self::default();
        for (name, _) in trees.into_iter().flat_map(Expr::names) {
            if known.series.contains_key(name) {
                continue;
            }
            let meaning = desk.meaning("series", name)?;
            let found = match desk.series_or_reason(&meaning.info, as_of) {
                Err(error) if !matches!(error, Error::NoData { .. }) => return Err(error),
                found => found,
            };
            known.meanings.push(meaning);
            known.series.insert(name.to_owned(), found);
        }
        Ok(known)
    }

    /// The series behind a name.
    pub(super) fn get(&self, name: &str) -> Option<Arc<Series>> {
        self.series.get(name)?.as_ref().ok().cloned()
    }

    /// Its figures; none where it has none.
    pub(super) fn rows(&self, name: &str) -> usize {
        self.get(name).map_or(0, |s| s.observations.len())
    }

    /// How the finer of them become as coarse as the coarsest, or as `to`, where nobody says how.
    pub(super) fn usual_aggregation(&self, to: Option<Frequency>) -> Aggregation {
        let all = || self.all().map(|s| &*s.info);
        let to = to.or_else(|| all().map(|info| info.frequency).max());
        Aggregation::usual_beside(all().filter(|info| Some(info.frequency) < to))
    }

    /// Every series read.
    pub(super) fn all(&self) -> impl Iterator<Item = &Series> {
        self.series.values().flatten().map(|s| &**s)
    }

    /// Says what each name was taken for, and what must be said of its series.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub(super) fn tell(&self, desk: &Desk, provenance: &mut Provenance) -> Result<()> {
        let said = self.meanings.iter().filter_map(|m| m.said.as_deref());
        provenance.note("names", joined(said, "; "));
        for meaning in &self.meanings {
            provenance.remark(desk, &meaning.info)?;
        }
        Ok(())
    }

    /// Identifiers of every series read.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.all().map(|s| s.info.id.as_str())
    }

    /// Why a formula cannot be computed: the first of its series that holds nothing.
    pub(super) fn reason(&self, tree: &Expr) -> Option<&Error> {
        let names = tree.names();
        let mut found = names.iter().filter_map(|(name, _)| self.series.get(*name));
        found.find_map(|found| found.as_ref().err())
    }

    /// What a name stands for: its title, or its identifier where others wrote the title.
    pub(super) fn title(&self, name: &str) -> String {
        match self.get(name) {
            Some(s) if s.info.by_others => s.info.id.to_string(),
            Some(s) => s.info.title.clone(),
            None => name.to_owned(),
        }
    }
}

/// Reads a formula. A plain name with spaces or hyphens ("core cpi", "10-year") is a name; all else is a formula.
///
/// # Errors
/// [`Error::InvalidParam`] with the place of what is wrong.
pub(super) fn tree(field: &str, text: &str) -> Result<Expr> {
    // What a hyphen joins is a formula, unless it is written so in a name.
    let is_whole = |text: &str| match text.contains('-') {
        true => Names::embedded().find(text).is_some(),
        false => resolve::find(text).is_some(),
    };
    // A hyphen may be a minus; nothing else here is of a formula alone.
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '.' | '-');
    if text.chars().all(is_plain) && is_whole(text) {
        let name = text.to_owned();
        return Ok(Expr::Name { name, column: 1 });
    }
    expression::parse(text).map_err(|fault| refused(field, text, &fault))
}

/// A formula that cannot be used.
pub(super) fn refused(field: &str, text: &str, fault: &Fault) -> Error {
    let problem = format!("column {}: {}", fault.column, fault.problem);
    Error::invalid(field, text, &problem, &fault.allowed)
}

/// Refuses what would take too long.
///
/// # Errors
/// [`Error::InvalidParam`] with what it takes and what would take less.
pub(super) fn affordable(field: &str, asked: &str, steps: usize) -> Result<()> {
    if steps <= MAX_STEPS {
        return Ok(());
    }
    let millions = |steps: usize| statistics::count(steps.div_ceil(100_000)) / 10.0;
    let problem = format!("takes {} million steps", millions(steps));
    let less =
        "fewer columns, fewer functions, a later start, or monthly series in place of daily ones";
    let allowed = format!("up to {} million: {less}", millions(MAX_STEPS));
    Err(Error::invalid(field, asked, &problem, &allowed))
}
