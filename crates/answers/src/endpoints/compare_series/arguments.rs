//! What may be asked of a comparison.

use crate::endpoints::codes::{Code, How, Period};
use crate::endpoints::condition::Condition;
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::{Date, Frequency};
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Series, names or formulas: DGS10-DGS2, ann(CPILFESL,3), GFDEBTN/GDP*100, real(AHETPI,"2026-07").
    #[schemars(example = &["yoy(CPILFESL)", "FEDFUNDS"], length(min = 1, max = 8))]
    pub(super) series: Vec<String>,
    /// Since when: a day, month, quarter or year, or 5y, max.
    #[schemars(extend("default" = "10y"))]
    pub(super) start: Option<String>,
    /// Until when.
    pub(super) end: Option<String>,
    /// Counted over the range: T10Y2Y < 0; >= 0.5 is about every column.
    #[schemars(length(min = 1, max = 200))]
    pub(super) condition: Option<String>,
    /// FRED's transformation of every column.
    #[schemars(extend("default" = "lin"))]
    pub(super) units: Option<Code>,
    /// FRED's; wew: weeks to Wednesday. The lowest of the series unless given.
    pub(super) frequency: Option<Period>,
    /// How finer figures become coarser; unless given the last of what is held (money, credit, debt), else the mean.
    pub(super) aggregation: Option<How>,
    /// Adds the correlation of each pair of columns.
    #[serde(default)]
    pub(super) correlations: bool,
    /// Rows shown; more than 400 are for charts.
    #[schemars(range(min = 2, max = 2000))]
    pub(super) max_points: Option<usize>,
    /// As known on this day, month, quarter or year: 2008-12-31, Q4 2008.
    pub(super) as_of: Option<String>,
}

impl Params {
    /// The transformation of every column.
    pub(super) fn units(&self) -> Units {
        self.units.map_or(Units::Level, |code| code.meaning)
    }

    /// The frequency asked for.
    pub(super) fn frequency(&self) -> Option<Frequency> {
        self.frequency.map(|asked| asked.meaning.frequency)
    }

    /// Whether weeks end on the day asked for, and not as those of a weekly column do.
    pub(super) fn has_own_weeks(&self) -> bool {
        self.frequency.is_some_and(|f| f.word.starts_with("we"))
    }
}

/// What is asked, read.
pub(super) struct Query<'a> {
    pub(super) params: &'a Params,
    /// What is to be counted.
    pub(super) condition: Option<Condition>,
    /// First and last day.
    pub(super) days: (Date, Date),
}
