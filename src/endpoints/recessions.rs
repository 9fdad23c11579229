//! `list_recessions`: the recessions that the NBER has dated.

use super::endpoint::{Endpoint, Spec};
use crate::desk::Desk;
use crate::error::Result;
use crate::indicators::nber::RECESSIONS;
use crate::model::{Attribution, Date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declaration and functions.
pub struct ListRecessions;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// First year wanted.
    #[serde(default)]
    #[schemars(range(min = 0, max = 3000))]
    since: i16,
}

/// A recession.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dated {
    /// First day of its first month.
    pub start: Date,
    /// Last day of its last month.
    pub end: Date,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recessions {
    /// The earliest first.
    pub recessions: Vec<Dated>,
    /// Credit line.
    pub attribution: Attribution,
}

impl Endpoint for ListRecessions {
    const SPEC: Spec = Spec {
        tool: "list_recessions",
        title: "Recessions",
        path: "/api/public/recessions",
        summary: "Recessions as dated by the NBER, the earliest first",
        description: "Use this when asked when the recessions of the United States began and ended, as dated by the \
            NBER. Do not use it for figures in recessions: use get_time_series with during.",
        max_age: 3_600,
        in_contract: false,
        example: &[("since", "1960")],
    };
    type Params = Params;
    type Output = Recessions;

    fn local(desk: &Desk, params: &Params) -> Result<Recessions> {
        let wanted = RECESSIONS
            .iter()
            .filter(|r| r.start().year() >= params.since);
        let recessions = wanted
            .map(|r| Dated {
                start: r.start(),
                end: r.end(),
            })
            .collect();
        Ok(Recessions {
            recessions,
            attribution: desk.attribution(),
        })
    }

    fn text(a: &Recessions, _: &Params) -> String {
        let spans = a
            .recessions
            .iter()
            .map(|r| format!("{} to {}", r.start, r.end));
        spans.collect::<Vec<_>>().join("\n")
    }
}
