//! A regime that is asked for by name: what it has meant for assets, and on which months that rests.

use super::AssetView;
use crate::endpoints::prelude::*;
use econoscope_core::indicators::asset_views::{Evidence, Sample, View};
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::regime::{Regime, RegimeMonth};

/// The regime asked for, which the asset views are of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegimeRecord {
    /// Its name.
    pub regime: String,
    /// Months of it since `from`.
    pub months: usize,
    /// First month that can be classified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Date>,
    /// Newest month of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Date>,
}

impl RegimeRecord {
    pub(super) fn of(regime: Regime, months: &[RegimeMonth]) -> Self {
        let mut own = months.iter().filter(|m| m.regime == regime);
        Self {
            regime: regime.name().to_owned(),
            months: own.clone().count(),
            from: months.first().map(|m| m.month),
            last: own.next_back().map(|m| m.month),
        }
    }

    /// The head of the list of assets; `present` is the regime of the answer's day.
    pub(super) fn in_prose(&self, present: &str) -> String {
        let (regime, months) = (&self.regime, self.months);
        let is_present = match regime == present {
            true => "the present regime".to_owned(),
            false => format!("not the present regime, which is {present}"),
        };
        let month = |day: Option<Date>| match day {
            Some(day) => day.strftime("%Y-%m").to_string(),
            None => "none".to_owned(),
        };
        let (from, last) = (month(self.from), month(self.last));
        format!(
            "\nAssets in {regime} ({is_present}), historically; {months} months of it since {from}, the last {last}:"
        )
    }
}

impl AssetView {
    /// A view; of a named regime with the figures of its thesis as numbers, and the months that were measured or, of
    /// documented figures, those of that regime and others since their study begins.
    pub(super) fn of(view: View, named: Option<(Regime, &[RegimeMonth])>) -> Self {
        let evidence = view.evidence.filter(|_| named.is_some());
        let on_record = |since| named.and_then(|named| on_record(since, named));
        let sample = evidence.as_ref();
        let sample = sample.and_then(|e| e.sample.or_else(|| e.since.and_then(on_record)));
        let rounded = |figure: fn(&Evidence) -> f64| Some(round_to(figure(evidence.as_ref()?), 1));
        Self {
            direction: format!("{:?}", view.direction).to_uppercase(),
            conviction: format!("{:?}", view.conviction).to_uppercase(),
            thesis: view.thesis,
            in_regime: rounded(|e| e.in_regime),
            elsewhere: rounded(|e| e.elsewhere),
            t: rounded(|e| e.t),
            months: sample.map(|s| s.inside),
            other_months: sample.map(|s| s.outside),
            from: sample.map(|s| s.from.first_day()),
            to: sample.map(|s| s.to.first_day()),
        }
    }

    /// The months, as a sentence; nothing where no first month is known.
    pub(super) fn sample_in_prose(&self) -> String {
        let months = self.months.zip(self.other_months);
        let range = self.from.zip(self.to);
        let sample = months.zip(range).map(|((inside, outside), (from, to))| {
            let [from, to] = [from, to].map(|day| day.strftime("%Y-%m").to_string());
            format!(" Months from {from} to {to}: {inside} of it, {outside} others.")
        });
        sample.unwrap_or_default()
    }
}

/// The months of a regime, and all others, since a month.
fn on_record(since: Month, (regime, months): (Regime, &[RegimeMonth])) -> Option<Sample> {
    let months = months.iter().filter(|m| Month::of(m.month) >= since);
    let (inside, outside): (Vec<_>, Vec<_>) = months.partition(|m| m.regime == regime);
    let last = inside.iter().chain(&outside).map(|m| m.month).max()?;
    Some(Sample {
        inside: inside.len(),
        outside: outside.len(),
        from: since,
        to: Month::of(last),
    })
}
