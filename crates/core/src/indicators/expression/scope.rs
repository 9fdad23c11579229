//! What a formula is evaluated in, and what its parts come to.

use super::column::Column;
use crate::indicators::resample::Aggregation;
use crate::model::{Date, Frequency, Series};
use std::sync::Arc;

/// What a formula is evaluated in.
pub struct Scope<'a> {
    /// The series behind a name.
    pub series: &'a dyn Fn(&str) -> Option<Arc<Series>>,
    /// What a comparison without a left side is about.
    pub subject: Option<Column>,
    /// First day asked for; `index( )` is 100 at the first observation from here on.
    pub start: Date,
    /// How finer figures become coarser.
    pub how: Aggregation,
    /// Frequency that comparisons are made at, where it is coarser than their series.
    pub frequency: Option<Frequency>,
}

#[derive(Clone)]
pub(super) enum Value {
    Number(f64),
    Column(Column),
}
