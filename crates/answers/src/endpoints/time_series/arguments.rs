//! What may be asked of a series: the contract's range and format, and what suits a model's window.

use crate::endpoints::codes::{Code, How, Period};
use econoscope_core::indicators::transform::Units;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Identifier or name: DGS10, "10y", CPIAUCSL, SERVICE_CRPI.
    #[serde(rename = "seriesId")]
    #[schemars(example = &"DGS10", length(min = 1, max = 80))]
    pub(super) series_id: String,
    /// Since when: a day, month, quarter or year, or back from the end: 6m, 5y, ytd, max. Equal to end: that one period.
    #[schemars(extend("default" = "365d"))]
    pub(super) start: Option<String>,
    /// Until when; now unless given.
    pub(super) end: Option<String>,
    /// In place of a range: the value on or before each of these days.
    #[schemars(example = &["2023-03-11"], length(min = 1, max = 40), inner(length(max = 30)))]
    pub(super) dates: Option<Vec<String>>,
    /// In place of a range: days of events, or FOMC 2022, NBER peaks: the value then and at each horizon, and the means.
    #[schemars(length(max = 400))]
    pub(super) after: Option<String>,
    /// Time from `after` on; d are calendar days, td trading days: 250td.
    #[schemars(extend("default" = ["1m", "3m", "6m", "12m"]), length(min = 1, max = 12), inner(length(max = 20)))]
    pub(super) horizons: Option<Vec<String>>,
    /// csv: text with a header.
    #[serde(default)]
    pub(super) format: Format,
    /// summary: figures over all rows, and the rows if 60 or fewer, else up to 31; points: rows alike; csv: up to 750; full: all.
    pub(super) detail: Option<Detail>,
    /// Most rows, the last of each week, month or year.
    #[schemars(range(min = 1, max = 400))]
    pub(super) max_points: Option<u16>,
    /// Coarser frequency; wew: weeks that end on Wednesday.
    pub(super) frequency: Option<Period>,
    /// How figures become coarser; unless given by kind: sum of flows, last of daily figures and stocks, else mean.
    pub(super) aggregation: Option<How>,
    /// FRED's: pc1 is % from a year earlier, pch from the period before.
    #[schemars(extend("default" = "lin"))]
    pub(super) units: Option<Code>,
    /// Counted over all rows: >= 0.5, T10Y2Y < 0, > yoy(CPILFESL).
    #[schemars(length(min = 1, max = 200))]
    pub(super) condition: Option<String>,
    /// As known on this day, month, quarter or year: 2008-12-31, Q4 2008. Up to 5, a column each: 2008-12-31, latest.
    pub(super) as_of: Option<String>,
    /// Adds a picture of all rows (MCP).
    #[serde(default)]
    pub(super) chart: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    #[default]
    Json,
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Detail {
    Summary,
    Points,
    Csv,
    Full,
}

impl Params {
    /// The units asked for; as published unless given.
    pub(super) fn units(&self) -> Units {
        self.units.map_or(Units::Level, |code| code.meaning)
    }

    /// What is given: every row unless something shorter is asked for. A summary as CSV has the rows of a CSV.
    pub(super) fn detail(&self) -> Detail {
        match (self.detail, self.format) {
            (None, _) => Detail::Full,
            (Some(Detail::Summary), Format::Csv) => Detail::Csv,
            (Some(detail), _) => detail,
        }
    }
}
