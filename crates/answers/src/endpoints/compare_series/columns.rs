//! Names and formulas as columns of figures: read, priced, computed.

use super::Query;
use crate::endpoints::formulas::{self, NamedSeries};
use econoscope_core::error::{Error, Result, quote};
use econoscope_core::indicators::expression::{self, Evaluation, Expr, Price, Scope};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::model::AsOf;
use econoscope_core::model::frequency::days_between;
use econoscope_data::desk::Desk;

const FIELD: &str = "series";
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
pub(super) struct Columns {
    /// In the order asked for.
    pub(super) columns: Vec<Named>,
    /// Those that cannot be computed, with the reason.
    pub(super) missing: Vec<(String, Error)>,
    /// Every series read.
    pub(super) known: NamedSeries,
    /// How finer figures become coarser.
    pub(super) how: Aggregation,
    /// Dates in the range at which a gap has no base above zero.
    pub(super) without_base: usize,
}

/// Every column, a name as a person writes it or a formula; and the series that they are made of.
///
/// # Errors
/// [`Error::InvalidParam`] for a formula that is none or takes too long, and whatever the desk says of a name.
pub(super) fn columns(desk: &Desk, asked: &Query, as_of: AsOf) -> Result<Columns> {
    let params = asked.params;
    let trees = params.series.iter().map(|text| formulas::tree(FIELD, text));
    let trees = trees.collect::<Result<Vec<_>>>()?;
    let condition = asked.condition.as_ref();
    let all = trees.iter().chain(condition.map(|c| &c.tree));
    let known = NamedSeries::read(desk, as_of, all)?;
    affordable(&trees, asked, &known)?;
    let frequency = params.frequency();
    let how = params.aggregation.map(|how| how.meaning);
    let how = how.unwrap_or_else(|| known.usual_aggregation(frequency));
    let series = |name: &str| known.get(name);
    let mut evaluation = Evaluation::new(Scope {
        series: &series,
        subject: None,
        start: asked.days.0,
        how,
        frequency,
    });
    let (mut columns, mut missing) = (Vec::new(), Vec::new());
    let mut without_base = 0;
    for (tree, text) in trees.iter().zip(&params.series) {
        if let Some(reason) = known.reason(tree) {
            missing.push((quote(text), reason.clone()));
            continue;
        }
        let column = evaluation.column(tree);
        let column = column.map_err(|fault| formulas::refused(FIELD, text, &fault))?;
        for base in tree.bases() {
            let (start, end) = asked.days;
            if let Ok(base) = evaluation.column(base) {
                let within = base.series.between(start, end);
                without_base += within.iter().filter(|o| o.value <= 0.0).count();
            }
        }
        let is_plain = matches!(tree, Expr::Name { .. });
        let title = match is_plain {
            true => column.series.info.title.clone(),
            false => tree.in_words(&|name| known.title(name)),
        };
        columns.push(Named {
            name: quote(text),
            title: Some(title).filter(|title| title.chars().count() <= MAX_TITLE),
            is_plain,
            column,
        });
    }
    drop(evaluation);
    Ok(Columns {
        columns,
        missing,
        known,
        how,
        without_base,
    })
}

/// Refuses what would take too long, before any of it is computed.
fn affordable(trees: &[Expr], asked: &Query, known: &NamedSeries) -> Result<()> {
    let (params, (start, end)) = (asked.params, asked.days);
    let days = usize::try_from(days_between(start, end)).unwrap_or(usize::MAX);
    let in_range = |rows: &usize| (*rows).min(days.saturating_add(1));
    let rows = |name: &str| known.rows(name);
    let mut price = Price::new(&rows);
    let columns: Vec<usize> = trees.iter().map(|tree| price.add(tree)).collect();
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
