//! Formulas and conditions of a request: parsing, the series that they name, and a limit on their cost.

use crate::prelude::*;
use econoscope_core::catalogue::names::Names;
use econoscope_core::indicators::expression::{self, Expr, FormulaError};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::indicators::statistics;
use econoscope_desk::names::resolve::Resolution;
use econoscope_desk::names::{Part, resolve};

/// Most steps that the formulas of one request may take: below ten milliseconds. Eight daily series of sixty years, each
/// on its own dates, take three million, 3.4 as yearly changes, and a moving average of one of them 120,000.
const MAX_STEPS: usize = 3_500_000;

/// The series that formulas name, by the names they use.
#[derive(Default)]
pub(crate) struct NamedSeries {
    /// For a series without data, the reason.
    series: BTreeMap<String, Result<Arc<Series>>>,
    /// How each name was resolved.
    resolutions: Vec<Resolution>,
}

impl NamedSeries {
    /// Resolves every name of some formulas for a range and reads its series. A known series without data is kept with its
    /// reason.
    ///
    /// # Errors
    /// Those of the desk for a name that does not resolve and for a store that cannot be read.
    pub(crate) fn fetch<'a>(
        desk: &Desk,
        as_of: AsOf,
        range: DateRange,
        trees: impl IntoIterator<Item = &'a Expr>,
    ) -> Result<Self> {
        let mut all = Self::default();
        for (name, _) in trees.into_iter().flat_map(Expr::names) {
            if all.series.contains_key(name) {
                continue;
            }
            let resolution = desk.resolution_in("series", name, range, as_of)?;
            let series = match desk.series_or_reason(&resolution.info, as_of) {
                Err(error) if !matches!(error, Error::NoData { .. }) => return Err(error),
                series => series,
            };
            all.resolutions.push(resolution);
            all.series.insert(name.to_owned(), series);
        }
        Ok(all)
    }

    /// Returns the series behind a name, if it has data.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Series>> {
        self.series.get(name)?.as_ref().ok().cloned()
    }

    /// Returns the number of figures of a series; 0 without data.
    pub(crate) fn row_count(&self, name: &str) -> usize {
        self.get(name).map_or(0, |s| s.observations.len())
    }

    /// Returns the default aggregation of those that are finer than `to`, or than the coarsest where it is `None`.
    pub(crate) fn default_aggregation(&self, to: Option<Frequency>) -> Aggregation {
        let all = || self.iter().map(|s| &*s.info);
        let coarsest = || all().map(|info| info.frequency).max();
        let target = to.or_else(coarsest);
        Aggregation::default_for_mixed(all().filter(|info| Some(info.frequency) < target))
    }

    /// Every series with data.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Series> {
        self.series.values().flatten().map(|s| &**s)
    }

    /// Tells how names were resolved; empty where each is the series' own.
    pub(crate) fn notes(&self) -> String {
        let notes = self.resolutions.iter().filter_map(|r| r.note.as_deref());
        join(notes, "; ")
    }

    /// Notes how names were resolved, and the remarks on their series.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub(crate) fn note_names(
        &self,
        desk: &Desk,
        columns: &[RequestedColumn],
        provenance: &mut Provenance,
    ) -> Result<()> {
        provenance.note("names", self.notes());
        for resolution in &self.resolutions {
            provenance.note_remark(desk, &resolution.info)?;
        }
        for note in columns.iter().filter_map(|column| column.note.as_deref()) {
            provenance.append_note("names", note);
        }
        Ok(())
    }

    /// Identifiers of every series with data.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|s| s.info.id.as_str())
    }

    /// Returns why a formula cannot be computed: the reason of its first series without data.
    pub(crate) fn missing_reason(&self, tree: &Expr) -> Option<&Error> {
        let names = tree.names().into_iter();
        let mut series = names.filter_map(|(name, _)| self.series.get(name));
        series.find_map(|series| series.as_ref().err())
    }

    /// Returns the title of the series behind a name, or its identifier where the title is untrusted text.
    pub(crate) fn title(&self, name: &str) -> String {
        match self.get(name) {
            Some(s) if s.info.is_untrusted => s.info.id.to_string(),
            Some(s) => s.info.title.clone(),
            None => name.to_owned(),
        }
    }
}

/// A requested column.
pub(crate) struct RequestedColumn {
    /// As requested; of several columns in one text, each formula.
    pub(crate) text: String,
    pub(crate) tree: Expr,
    /// How it was read.
    pub(crate) note: Option<String>,
}

impl RequestedColumn {
    fn new(text: &str, tree: Expr) -> Self {
        Self {
            text: text.to_owned(),
            tree,
            note: None,
        }
    }
}

/// Parses a column: a formula, or a name, which may mean a formula or several columns ("claims and unemployment").
///
/// # Errors
/// [`Error::InvalidParam`] with the column of the fault; those of the desk for a name without a reading.
pub(crate) fn columns(desk: &Desk, field: &str, text: &str) -> Result<Vec<RequestedColumn>> {
    let fault = match expression::parse(text) {
        Ok(tree) if !is_words(text) => {
            return Ok(vec![RequestedColumn::new(text, tree)]);
        }
        Ok(_) => None,
        Err(fault) if text.contains(|c: char| "()+*^<>=".contains(c)) => {
            return Err(fault_error(field, text, &fault));
        }
        Err(fault) => Some(fault),
    };
    // A hyphen is a minus unless a known name is spelled with it.
    let meaning = match (desk.meaning("series", text), fault) {
        (Ok(meaning), _) => meaning,
        (Err(_), Some(fault)) if !is_words(text) => return Err(fault_error(field, text, &fault)),
        (Err(error), _) => return Err(error),
    };
    // A name of one series keeps its text: the range decides which series it is.
    if let [Part { info: Some(_), .. }] = meaning.columns.as_slice() {
        return Ok(vec![RequestedColumn::new(text, named(text))]);
    }
    let is_one = meaning.columns.len() == 1;
    let mut note = meaning.note;
    let column = |part: Part| {
        let tree = expression::parse(&part.formula);
        let tree = tree.map_err(|fault| fault_error(field, text, &fault))?;
        Ok(RequestedColumn {
            note: note.take(),
            ..RequestedColumn::new(if is_one { text } else { &part.formula }, tree)
        })
    };
    meaning.columns.into_iter().map(column).collect()
}

/// Whether a text is words with spaces and not a formula.
fn is_words(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || " _.-,/&'".contains(c);
    let is_known = || Names::embedded().find(text).is_some();
    is_known()
        || text.trim().contains(' ')
            && text.chars().all(is_plain)
            && !text.contains(" - ")
            && !text.contains(" / ")
}

/// Parses a formula. A known name with spaces or hyphens ("core cpi", "10-year") is a name, not a formula.
///
/// # Errors
/// [`Error::InvalidParam`] with the column of the fault.
pub(crate) fn parse(field: &str, text: &str) -> Result<Expr> {
    if is_words(text) && resolve::find(text).is_some() {
        return Ok(named(text));
    }
    expression::parse(text).map_err(|fault| fault_error(field, text, &fault))
}

/// Builds the formula that is nothing but a name.
pub(crate) fn named(name: &str) -> Expr {
    Expr::Name {
        name: name.to_owned(),
        column: 1,
    }
}

/// Builds the error for a fault in a formula.
pub(crate) fn fault_error(field: &str, text: &str, fault: &FormulaError) -> Error {
    let problem = format!("column {}: {}", fault.column, fault.problem);
    Error::invalid(field, text, &problem, &fault.allowed)
}

/// Refuses formulas that take more than [`MAX_STEPS`].
///
/// # Errors
/// [`Error::InvalidParam`] with the number of steps and ways to need fewer.
pub(crate) fn check_cost(field: &str, text: &str, steps: usize) -> Result<()> {
    if steps <= MAX_STEPS {
        return Ok(());
    }
    let millions = |steps: usize| statistics::count(steps.div_ceil(100_000)) / 10.0;
    let problem = format!("takes {} million steps", millions(steps));
    let allowed = format!(
        "up to {} million: fewer columns, fewer functions, a later start, or monthly series in place of daily ones",
        millions(MAX_STEPS)
    );
    Err(Error::invalid(field, text, &problem, &allowed))
}
