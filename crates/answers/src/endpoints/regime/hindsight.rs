//! The regime as known then beside what the last revisions say of the same months.

use super::months::{self, RegimeOfMonth};
use crate::endpoints::prelude::*;
use crate::endpoints::provenance::framed;
use std::collections::BTreeMap;

/// Differing months that the text names, the newest.
const NAMED: usize = 12;

/// What the last revisions say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegimeHindsight {
    /// Regime of the answer's month.
    pub regime: Option<String>,
    /// Its probability, percent.
    pub confidence: Option<f64>,
    /// Growth score.
    pub growth_score: Option<f64>,
    /// Inflation score.
    pub inflation_score: Option<f64>,
    /// Of the months listed as known then, those that are another regime now, with that.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub months: BTreeMap<String, String>,
}

impl RegimeHindsight {
    /// Compares `own`, the answer's month where that is of a past day, and the months listed as known then with what the
    /// last revisions say of them; none where there are neither.
    pub(super) fn of(
        desk: &Desk,
        own: Option<Date>,
        listed: Option<&[RegimeOfMonth]>,
    ) -> Result<Option<Self>> {
        if own.is_none() && listed.is_none() {
            return Ok(None);
        }
        let revised = months::all(desk, AsOf::Latest, false)?;
        let find = |month: Date| {
            let at = revised.binary_search_by_key(&month, |m| m.month).ok()?;
            revised.get(at)
        };
        let same = own.and_then(find);
        let differ = listed.unwrap_or_default().iter().filter_map(|then| {
            let other = find(then.month).filter(|now| now.regime != then.regime)?;
            let month = then.month.strftime("%Y-%m").to_string();
            Some((month, other.regime.clone()))
        });
        Ok(Some(Self {
            regime: same.map(|m| m.regime.clone()),
            confidence: same.map(|m| m.confidence),
            growth_score: same.map(|m| m.growth_score),
            inflation_score: same.map(|m| m.inflation_score),
            months: differ.collect(),
        }))
    }

    /// A row beside the answer's `regime` with its probability and its `scores`, and the months `listed`.
    pub(super) fn in_prose(
        &self,
        (regime, confidence): (&str, Option<f64>),
        [growth, inflation]: [Option<f64>; 2],
        listed: &[RegimeOfMonth],
    ) -> String {
        let mut parts = Vec::new();
        if let Some(revised) = &self.regime {
            let both = match revised == regime {
                true => format!("{regime} both times"),
                false => format!("the regime differs, {regime} and {revised}"),
            };
            let pairs = [
                ("confidence", confidence, self.confidence),
                ("growth", growth, self.growth_score),
                ("inflation", inflation, self.inflation_score),
            ];
            let pairs = pairs
                .into_iter()
                .filter_map(|(name, then, now)| Some(format!(", {name} {} and {}", then?, now?)));
            parts.push(both + &joined(pairs, ""));
        }
        if !listed.is_empty() {
            let (differ, all) = (self.months.len(), listed.len());
            let newest = listed.iter().rev().filter_map(|then| {
                let month = then.month.strftime("%Y-%m").to_string();
                let now = self.months.get(&month)?;
                Some(format!("{month} {} and {now}", then.regime))
            });
            let newest = joined(newest.take(NAMED), ", ");
            let newest = framed(": ", &newest, "");
            parts.push(format!(
                "{differ} of the {all} months listed differ{newest}"
            ));
        }
        let head = "\nAs known then and from the last revisions: ";
        framed(head, &parts.join("; "), ".")
    }
}
