//! Names and formulas as columns of figures: read, priced, computed.

use super::Query;
use crate::endpoints::condition::Setting;
use crate::endpoints::formulas;
use econoscope_core::error::{Error, Result, quote};
use econoscope_core::indicators::expression::{self, Evaluation, Expr, Price, Scope};
use econoscope_core::model::frequency::days_between;

pub(super) const FIELD: &str = "series";
/// Steps for each figure of a column: it is brought to the common calendar and described.
const DESCRIBED: usize = 6;
/// Steps for each figure of a pair of columns: put side by side, and correlated in figures and changes.
const PAIRED: usize = 3;
/// Longest title of a formula.
const MAX_TITLE: usize = 160;

/// A column with its name.
pub(super) struct Named {
    /// As asked for.
    pub(super) name: String,
    /// What it is, in words.
    pub(super) title: Option<String>,
    /// Whether it is one series as it is published, of which others may have written the title.
    pub(super) is_plain: bool,
    pub(super) column: expression::Column,
}

/// What was asked for, computed.
#[derive(Default)]
pub(super) struct Columns {
    /// In the order asked for.
    pub(super) columns: Vec<Named>,
    /// Those that cannot be computed, with the reason.
    pub(super) missing: Vec<(String, Error)>,
    /// Dates in the range at which a gap has no base above zero.
    pub(super) without_base: usize,
}

/// Every column, a name as a person writes it or a formula.
///
/// # Errors
/// [`Error::InvalidParam`] for a formula that cannot be computed or takes too long.
pub(super) fn columns(asked: &Query) -> Result<Columns> {
    affordable(asked)?;
    let Setting { known, days, .. } = &asked.setting;
    let series = |name: &str| known.get(name);
    let mut evaluation = Evaluation::new(Scope {
        series: &series,
        subject: None,
        start: days.0,
        how: asked.setting.how,
        frequency: asked.setting.frequency,
    });
    let mut found = Columns::default();
    for (tree, text) in asked.trees.iter().zip(&asked.params.series) {
        if let Some(reason) = known.reason(tree) {
            found.missing.push((quote(text), reason.clone()));
            continue;
        }
        let column = evaluation.column(tree);
        let column = column.map_err(|fault| formulas::refused(FIELD, text, &fault))?;
        for base in tree.bases() {
            if let Ok(base) = evaluation.column(base) {
                let within = base.series.between(days.0, days.1);
                found.without_base += within.iter().filter(|o| o.value <= 0.0).count();
            }
        }
        let is_plain = matches!(tree, Expr::Name { .. });
        let title = match is_plain {
            true => column.series.info.title.clone(),
            false => tree.in_words(&|name| known.title(name)),
        };
        found.columns.push(Named {
            name: quote(text),
            title: Some(title).filter(|title| title.chars().count() <= MAX_TITLE),
            is_plain,
            column,
        });
    }
    Ok(found)
}

/// Refuses what would take too long, before any of it is computed.
fn affordable(asked: &Query) -> Result<()> {
    let (params, known, (start, end)) = (asked.params, &asked.setting.known, asked.setting.days);
    let days = usize::try_from(days_between(start, end)).unwrap_or(usize::MAX);
    let in_range = |rows: &usize| (*rows).min(days.saturating_add(1));
    let rows = |name: &str| known.rows(name);
    let mut price = Price::new(&rows);
    let columns: Vec<usize> = asked.trees.iter().map(|tree| price.add(tree)).collect();
    // Transformed whole; what lies outside the range is neither described nor paired.
    let whole: usize = columns.iter().sum();
    let figures: usize = columns.iter().map(in_range).sum();
    // Each column is one side of as many pairs as there are other columns.
    let pairs = figures * columns.len().saturating_sub(1) * usize::from(params.correlations);
    let judged = asked.condition.as_ref().map_or(0, |condition| {
        // A condition that names nothing is judged of every column.
        let each = columns.iter().map(in_range);
        match condition.tree.has_subject() {
            true => each.map(|rows| condition.steps(known, rows)).sum(),
            false => condition.steps(known, 0),
        }
    });
    let steps = price.steps()
        + whole * expression::steps(params.units())
        + figures * DESCRIBED
        + pairs * PAIRED
        + judged;
    formulas::affordable(FIELD, &params.series.join(", "), steps)
}
