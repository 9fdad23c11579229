//! What may be asked of a series: the contract's range and format, and what suits a model's window.

use crate::endpoints::codes::{Code, How, Period};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Identifier or name: DGS10, "10y", CPIAUCSL, SERVICE_CRPI.
    #[serde(rename = "seriesId")]
    #[schemars(example = &"DGS10", length(min = 1, max = 80))]
    pub(super) series_id: String,
    /// First day, YYYY-MM-DD, or 6m, 5y, ytd, max. Default: a year.
    #[schemars(length(max = 10))]
    pub(super) start: Option<String>,
    /// Last day, YYYY-MM-DD.
    #[schemars(length(max = 10))]
    pub(super) end: Option<String>,
    /// csv: text with a header.
    #[serde(default)]
    pub(super) format: Format,
    /// summary: figures over all rows, few rows (default over MCP); points: more rows; csv: up to 1,000 as text;
    /// full: all (default over REST).
    pub(super) detail: Option<Detail>,
    /// Most rows when thinning, default 60.
    #[schemars(range(min = 1, max = 400))]
    pub(super) max_points: Option<u16>,
    /// Coarser frequency.
    pub(super) frequency: Option<Period>,
    /// Default eop: last value.
    pub(super) aggregation: Option<How>,
    /// FRED's: pc1 is % from a year earlier, pch from the period before.
    pub(super) units: Option<Code>,
    /// As known on this day, YYYY-MM-DD.
    #[schemars(length(max = 10))]
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
    /// What is given: every row unless something shorter is asked for. CSV as a format is all rows, too.
    pub(super) fn detail(&self) -> Detail {
        match (self.detail, self.format) {
            (None, _) | (Some(Detail::Summary), Format::Csv) => Detail::Full,
            (Some(detail), _) => detail,
        }
    }
}
