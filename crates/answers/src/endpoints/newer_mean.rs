//! The monthly average that is newer than the newest daily figure of the same rate or price.
//!
//! Daily figures and monthly averages are read from different places and may end on different days. The daily
//! figure is the answer; that a later month's average is held is told beside it, in words and in a field.

use crate::endpoints::prelude::*;
use econoscope_core::model::table;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Daily series, each with that of its monthly averages.
static MEANS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../data/means.csv"));
    // A test reads every row.
    let rows = rows.filter_map(|(_, row)| row.ok());
    rows.map(|row: [_; 2]| row.into()).collect()
});

/// A monthly average of a month that begins after the daily figure it stands beside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NewerMean {
    /// Series of monthly averages: GS10.
    pub series: String,
    /// First day of the month.
    pub date: Date,
    /// The average, in the unit of the daily figure.
    pub value: f64,
}

impl NewerMean {
    /// Of the series `id`, whose newest figure is of `date`; `None` where there is no newer average.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(super) fn of(desk: &Desk, id: &str, date: Date, as_of: AsOf) -> Result<Option<Self>> {
        let mean = MEANS.get(id);
        let mean = mean.and_then(|mean| Catalogue::embedded().get(mean));
        let Some(info) = mean.filter(|info| desk.permit(info).is_ok()) else {
            return Ok(None);
        };
        let series = desk.series(info, as_of)?;
        let newest = series.and_then(|s| s.last_on_or_before(desk.present(as_of)));
        Ok(newest.filter(|mean| mean.date > date).map(|mean| Self {
            series: desk.shown_id(&info.id),
            date: mean.date,
            value: info.round(mean.value),
        }))
    }

    /// In words: "newer is the average of September 2026: 4.99 (GS10)".
    pub(super) fn words(&self) -> String {
        let month = self.date.strftime("%B %Y");
        format!(
            "newer is the average of {month}: {} ({})",
            self.value, self.series
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_is_about_known_series() {
        let text = include_str!("../../data/means.csv");
        for (line, row) in table::rows::<2>(text) {
            for id in row.unwrap() {
                assert!(Catalogue::embedded().get(id).is_some(), "line {line}: {id}");
            }
        }
        assert_eq!(MEANS.len(), text.lines().count() - 1);
    }
}
