//! FRED's short words for frequency, aggregation and units, as arguments of the endpoints that take them.

use crate::indicators::resample::Aggregation;
use crate::indicators::transform::Units;
use crate::model::Frequency;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Period {
    D,
    W,
    M,
    Q,
    A,
}

impl From<Period> for Frequency {
    fn from(period: Period) -> Self {
        match period {
            Period::D => Self::Daily,
            Period::W => Self::Weekly,
            Period::M => Self::Monthly,
            Period::Q => Self::Quarterly,
            Period::A => Self::Annual,
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
