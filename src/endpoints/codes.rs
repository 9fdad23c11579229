//! FRED's short words for frequency, aggregation and units, as arguments of the endpoints that take them.

use crate::indicators::resample::Aggregation;
use crate::indicators::transform::Units;
use crate::model::Frequency;
use crate::model::frequency::Periods;
use jiff::civil::Weekday;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Period {
    D,
    W,
    Wem,
    Wetu,
    Wew,
    Weth,
    Wef,
    Wesa,
    Wesu,
    Bw,
    M,
    Q,
    Sa,
    A,
}

impl Period {
    /// The day that ends its weeks, where it says so.
    pub(super) fn week_ends(self) -> Option<Weekday> {
        match self {
            Self::Wem => Some(Weekday::Monday),
            Self::Wetu => Some(Weekday::Tuesday),
            Self::Wew => Some(Weekday::Wednesday),
            Self::Weth => Some(Weekday::Thursday),
            Self::Wef => Some(Weekday::Friday),
            Self::Wesa => Some(Weekday::Saturday),
            Self::Wesu => Some(Weekday::Sunday),
            Self::D | Self::W | Self::Bw | Self::M | Self::Q | Self::Sa | Self::A => None,
        }
    }
}

impl From<Period> for Periods {
    fn from(period: Period) -> Self {
        let usual = Self::from(Frequency::from(period));
        Self {
            week_ends: period.week_ends().unwrap_or(usual.week_ends),
            ..usual
        }
    }
}

impl From<Period> for Frequency {
    fn from(period: Period) -> Self {
        match period {
            Period::D => Self::Daily,
            Period::Bw => Self::Biweekly,
            Period::M => Self::Monthly,
            Period::Q => Self::Quarterly,
            Period::Sa => Self::Semiannual,
            Period::A => Self::Annual,
            Period::W
            | Period::Wem
            | Period::Wetu
            | Period::Wew
            | Period::Weth
            | Period::Wef
            | Period::Wesa
            | Period::Wesu => Self::Weekly,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum How {
    Avg,
    Sum,
    Eop,
}

impl From<How> for Aggregation {
    fn from(how: How) -> Self {
        match how {
            How::Avg => Self::Average,
            How::Sum => Self::Sum,
            How::Eop => Self::EndOfPeriod,
        }
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Code {
    #[default]
    Lin,
    Chg,
    Ch1,
    Pch,
    Pc1,
    Pca,
    Cch,
    Cca,
    Log,
}

impl From<Code> for Units {
    fn from(code: Code) -> Self {
        match code {
            Code::Lin => Self::Level,
            Code::Chg => Self::Change,
            Code::Ch1 => Self::ChangeYear,
            Code::Pch => Self::Percent,
            Code::Pc1 => Self::PercentYear,
            Code::Pca => Self::PercentAnnualised,
            Code::Cch => Self::LogChange,
            Code::Cca => Self::LogChangeAnnualised,
            Code::Log => Self::Log,
        }
    }
}
