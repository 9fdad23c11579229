//! Columns where a condition is met and where it is not: the mean of each on either side.

use super::answer::ConditionMeans;
use super::columns::Named;
use crate::endpoints::condition::{Condition, Setting};
use econoscope_core::error::Result;
use econoscope_core::indicators::expression::{Grid, convert};
use econoscope_core::indicators::statistics::count;
use econoscope_core::model::Series;
use econoscope_core::model::frequency::Periods;
use std::sync::Arc;

/// Means of columns, all of one frequency, over the dates of the range at which a condition is met and over the others.
///
/// Condition and columns meet at the lower of their frequencies: a condition on days is compared anew on the means of
/// months where the columns are monthly, and months become quarters for a condition on quarters.
///
/// # Errors
/// [`econoscope_core::Error::InvalidParam`] for units that cannot be compared.
pub(super) fn means(
    condition: &Condition,
    columns: &[Named],
    setting: &Setting<'_>,
    periods: Periods,
) -> Result<Vec<ConditionMeans>> {
    let judged = condition.column(periods.frequency, setting)?.series;
    let frequency = judged.frequency();
    let judged = convert(&judged, frequency, setting.how, None)?;
    let coarser = columns.iter().map(|named| {
        let series = &named.column.series;
        match series.frequency() < frequency {
            true => convert(series, frequency, setting.how, Some(&judged)),
            false => Ok(Arc::clone(series)),
        }
    });
    let coarser = coarser.collect::<Result<Vec<_>>>()?;
    let all: Vec<&Series> = std::iter::once(&judged)
        .chain(&coarser)
        .map(|s| &**s)
        .collect();
    let grid = Grid::of(&all);
    let Some((judged, figures)) = grid.columns.split_first() else {
        return Ok(Vec::new());
    };
    let means = columns.iter().zip(figures).map(|(named, figures)| {
        let side = |is_met: bool| {
            let pairs = judged.iter().zip(figures);
            let own = pairs.filter(|(truth, value)| {
                !truth.is_nan() && !value.is_nan() && (**truth != 0.0) == is_met
            });
            let (sum, n) = own.fold((0.0, 0), |(sum, n), (_, value)| (sum + value, n + 1));
            let mean = (n > 0).then(|| named.column.rounded(sum / count(n)));
            (mean, n)
        };
        let ((met, met_count), (unmet, unmet_count)) = (side(true), side(false));
        ConditionMeans {
            series: named.name.clone(),
            frequency: frequency.word().into(),
            met,
            met_count,
            unmet,
            unmet_count,
        }
    });
    Ok(means.collect())
}
