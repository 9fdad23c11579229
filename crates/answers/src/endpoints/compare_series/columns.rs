//! The columns of a comparison: their formulas are priced and computed here.

use super::Query;
use crate::conditions::EvaluationContext;
use crate::conditions::formulas::{self, RequestedColumn};
use econoscope_core::error::{Error, Result, quote};
use econoscope_core::indicators::expression::{self, CostEstimate, Evaluation, Expr, Scope};
use econoscope_core::model::Series;
use econoscope_core::model::frequency::days_between;
use std::sync::Arc;

pub(super) const FIELD: &str = "series";
/// Steps per figure of a column: conversion to the common calendar and statistics.
const COLUMN_STEPS: usize = 6;
/// Steps per figure of a pair of columns: alignment, and correlation of figures and of changes.
const PAIR_STEPS: usize = 3;
/// Longest title of a formula, in characters.
const MAX_TITLE: usize = 160;

/// A computed column with its name.
#[derive(Clone)]
pub(super) struct NamedColumn {
    /// The series or formula as requested.
    pub(super) name: String,
    /// Full name of the series, or the formula in words.
    pub(super) title: Option<String>,
    /// Whether it is one published series, whose title may be untrusted text.
    pub(super) is_plain: bool,
    pub(super) column: expression::Column,
}

impl NamedColumn {
    pub(super) fn series(&self) -> &Series {
        &self.column.series
    }

    /// Returns the column with other figures.
    pub(super) fn with_series(self, series: Arc<Series>) -> Self {
        let unit = self.column.unit;
        Self {
            column: expression::Column { series, unit },
            ..self
        }
    }
}

/// The requested columns.
#[derive(Default)]
pub(super) struct ComputedColumns {
    /// In the order of the request.
    pub(super) columns: Vec<NamedColumn>,
    /// Those that cannot be computed, with the reason.
    pub(super) missing: Vec<(String, Error)>,
    /// Dates in the range at which the base of a `gap` is not above zero.
    pub(super) without_base: usize,
}

impl ComputedColumns {
    pub(super) fn series(&self) -> impl Iterator<Item = &Series> {
        self.columns.iter().map(NamedColumn::series)
    }
}

/// Computes every column.
///
/// # Errors
/// [`Error::InvalidParam`] for a formula that cannot be computed or takes too long.
pub(super) fn compute(query: &Query) -> Result<ComputedColumns> {
    check_cost(query)?;
    let EvaluationContext { series, range, .. } = &query.context;
    let get = |name: &str| series.get(name);
    let mut evaluation = Evaluation::new(Scope {
        series: &get,
        subject: None,
        start: range.start,
        aggregation: query.context.aggregation,
        frequency: query.context.frequency,
    });
    let mut computed = ComputedColumns::default();
    for RequestedColumn { tree, text, .. } in &query.columns {
        if let Some(reason) = series.missing_reason(tree) {
            computed.missing.push((quote(text), reason.clone()));
            continue;
        }
        let column = evaluation
            .column(tree)
            .map_err(|fault| formulas::fault_error(FIELD, text, &fault))?;
        for base in tree.gap_bases() {
            if let Ok(base) = evaluation.column(base) {
                let rows = base.series.between(range.start, range.end);
                computed.without_base += rows.iter().filter(|o| o.value <= 0.0).count();
            }
        }
        let is_plain = matches!(tree, Expr::Name { .. });
        let title = if is_plain {
            column.series.info.title.clone()
        } else {
            tree.describe(&|name| series.title(name))
        };
        computed.columns.push(NamedColumn {
            name: quote(text),
            title: Some(title).filter(|title| title.chars().count() <= MAX_TITLE),
            is_plain,
            column,
        });
    }
    Ok(computed)
}

/// Refuses a request that takes too many steps, before any of it is computed.
fn check_cost(query: &Query) -> Result<()> {
    let params = query.params;
    let context = &query.context;
    let days = days_between(context.range.start, context.range.end);
    let days = usize::try_from(days).unwrap_or(usize::MAX);
    let in_range = |rows: &usize| (*rows).min(days.saturating_add(1));
    let row_count = |name: &str| context.series.row_count(name);
    let mut price = CostEstimate::new(&row_count);
    let trees = query.columns.iter().map(|column| &column.tree);
    let columns: Vec<usize> = trees.map(|tree| price.add(tree)).collect();
    // Units transform every row; statistics and pairs are made of the range alone.
    let all_rows: usize = columns.iter().sum();
    let rows: usize = columns.iter().map(in_range).sum();
    let pairs = rows * columns.len().saturating_sub(1) * usize::from(params.correlations);
    let condition = query.condition.as_ref().map_or(0, |condition| {
        // A condition without a name is evaluated for every column.
        let each = columns.iter().map(in_range);
        if condition.tree.has_subject() {
            each.map(|rows| condition.cost(&context.series, rows)).sum()
        } else {
            condition.cost(&context.series, 0)
        }
    });
    let steps = price.steps()
        + all_rows * expression::steps(params.units())
        + rows * COLUMN_STEPS
        + pairs * PAIR_STEPS
        + condition;
    formulas::check_cost(FIELD, &params.series.join(", "), steps)
}
