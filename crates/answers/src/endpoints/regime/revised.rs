//! Past regimes as known then, beside the same months as last revised.

use super::{MonthlyRegime, RegimeAnswer, monthly_regimes};
use crate::prelude::*;

/// Most differing months that the text names.
const MAX_NAMED: usize = 12;

/// The regime as last revised.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevisedRegime {
    /// Regime of the answer's month.
    pub regime: Option<String>,
    /// Its probability, percent.
    pub confidence: Option<f64>,
    /// Growth score.
    pub growth_score: Option<f64>,
    /// Inflation score.
    pub inflation_score: Option<f64>,
    /// Listed months whose regime differs now, with that regime.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub months: BTreeMap<String, String>,
}

impl RevisedRegime {
    /// Looks up the revised regime of `month`, and of the months in `as_known`; `None` without either.
    pub(super) fn find(
        desk: &Desk,
        month: Option<Date>,
        as_known: Option<&[MonthlyRegime]>,
    ) -> Result<Option<Self>> {
        if month.is_none() && as_known.is_none() {
            return Ok(None);
        }
        let revised = monthly_regimes(desk, AsOf::Latest, false)?;
        let find = |month: Date| {
            let at = revised.binary_search_by_key(&month, |m| m.month).ok()?;
            revised.get(at)
        };
        let same = month.and_then(find);
        let differing = as_known.unwrap_or_default().iter().filter_map(|then| {
            let now = find(then.month).filter(|now| now.regime != then.regime)?;
            let month = then.month.strftime("%Y-%m").to_string();
            Some((month, now.regime.clone()))
        });
        Ok(Some(Self {
            regime: same.map(|m| m.regime.clone()),
            confidence: same.map(|m| m.confidence),
            growth_score: same.map(|m| m.growth_score),
            inflation_score: same.map(|m| m.inflation_score),
            months: differing.collect(),
        }))
    }

    /// Compares with the regime, the scores and the months of the answer `a`, which are as known then.
    pub(super) fn describe(&self, a: &RegimeAnswer) -> String {
        let mut parts = Vec::new();
        if let Some(revised) = &self.regime {
            let mut part = if *revised == a.regime {
                format!("{revised} both times")
            } else {
                format!("the regime differs, {} and {revised}", a.regime)
            };
            for (name, then, now) in [
                ("confidence", a.confidence, self.confidence),
                ("growth", a.growth_score, self.growth_score),
                ("inflation", a.inflation_score, self.inflation_score),
            ] {
                let both = then.zip(now);
                part.extend(both.map(|(then, now)| format!(", {name} {then} and {now}")));
            }
            parts.push(part);
        }
        let months = a.months.as_deref().unwrap_or_default();
        if !months.is_empty() {
            let differing = self.months.len();
            let total = months.len();
            let newest = months.iter().rev().filter_map(|then| {
                let month = then.month.strftime("%Y-%m").to_string();
                let now = self.months.get(&month)?;
                Some(format!("{month} {} and {now}", then.regime))
            });
            let newest = enclosed(": ", &join(newest.take(MAX_NAMED), ", "), "");
            parts.push(format!(
                "{differing} of the {total} months listed differ{newest}"
            ));
        }
        let head = "\nAs known then and from the last revisions: ";
        enclosed(head, &parts.join("; "), ".")
    }
}
