//! How assets have done in a regime, and on which months that rests.

use crate::prelude::*;
use crate::route::decode::format_value;
use econoscope_core::indicators::asset_views::{self, Evidence, Sample, View};
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::prose;
use econoscope_core::indicators::regime::{Regime, RegimeMonth};
use econoscope_desk::RegimeHistory;
use serde_json::{Map, Value};

/// What the regime has meant for an asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssetView {
    /// BULLISH, BEARISH or NEUTRAL.
    pub direction: Option<String>,
    /// HIGH, MEDIUM or LOW.
    pub conviction: Option<String>,
    /// The evidence in numbers.
    pub thesis: Option<String>,
    /// With a named regime: mean return in months after it, percent a year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_regime: Option<f64>,
    /// Mean return in other months, percent a year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<f64>,
    /// t of the difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t: Option<f64>,
    /// Months of the regime: measured, or for documented figures since the study begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub months: Option<usize>,
    /// Other months.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_months: Option<usize>,
    /// First of all these months.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Date>,
    /// Last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Date>,
    /// What an upstream tells beyond.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The regime of the asset views, if named.
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
    pub(super) fn new(regime: Regime, months: &[RegimeMonth]) -> Self {
        let mut of_regime = months.iter().filter(|m| m.regime == regime);
        Self {
            regime: regime.name().to_owned(),
            months: of_regime.clone().count(),
            from: months.first().map(|m| m.month),
            last: of_regime.next_back().map(|m| m.month),
        }
    }

    /// Introduces the list of assets. `present` is the regime of the reference day.
    pub(super) fn describe(&self, present: &str) -> String {
        let Self { regime, months, .. } = self;
        let is_present = if regime == present {
            "the present regime".to_owned()
        } else {
            format!("not the present regime, which is {present}")
        };
        let month = |day: Date| day.strftime("%Y-%m").to_string();
        let [from, last] = [self.from, self.last].map(|day| day.map_or("none".to_owned(), month));
        format!(
            "\nAssets in {regime} ({is_present}), historically; {months} months of it since {from}, the last {last}:"
        )
    }
}

/// Returns the view on each asset in the `named` regime, or in the present one.
pub(super) fn views(
    desk: &Desk,
    history: &RegimeHistory,
    named: Option<Regime>,
    as_of: AsOf,
) -> Result<BTreeMap<String, AssetView>> {
    // A named regime is taken as certain.
    let (regime, confidence) = match named {
        Some(regime) => (regime, Some(100.0)),
        None => (history.now.regime, history.now.confidence),
    };
    let evidence = desk.evidence(regime, as_of)?;
    let views = asset_views::views(regime, confidence, |asset| evidence.get(&asset).cloned());
    let keyed = views.into_iter().map(|view| {
        let key = view.asset.key.to_owned();
        (key, AssetView::new(view, named, &history.months))
    });
    Ok(keyed.collect())
}

/// Names the assets whose returns in the present regime differ from those in others, each with its evidence; one sentence
/// for the rest.
pub(super) fn describe_clear(views: &BTreeMap<String, AssetView>) -> String {
    let is_clear = |view: &AssetView| view.direction.as_deref() != Some("NEUTRAL");
    let standing_out = views.values().filter(|view| is_clear(view));
    let clear =
        standing_out.map(|view| format!("\n{}", view.thesis.as_deref().unwrap_or_default()));
    let others = views.iter().filter(|(_, view)| !is_clear(view));
    let others = prose::format_list(&others.map(|(asset, _)| asset.clone()).collect::<Vec<_>>());
    join(clear, "")
        + &enclosed(
            "\nIn months of this regime ",
            &others,
            " did not stand out.",
        )
}

impl AssetView {
    /// With a named regime, the evidence is given as numbers, too, with its sample: the months that were measured, or
    /// for documented figures the months since their study begins.
    fn new(view: View, named: Option<Regime>, months: &[RegimeMonth]) -> Self {
        let evidence = view.evidence.filter(|_| named.is_some());
        let since_study = |since| named.and_then(|regime| sample_since(since, regime, months));
        let sample = evidence
            .as_ref()
            .and_then(|e| e.sample.or_else(|| e.since.and_then(since_study)));
        let rounded = |figure: fn(&Evidence) -> f64| Some(round_to(figure(evidence.as_ref()?), 1));
        Self {
            direction: Some(format!("{:?}", view.direction).to_uppercase()),
            conviction: Some(format!("{:?}", view.conviction).to_uppercase()),
            thesis: Some(view.thesis),
            in_regime: rounded(|e| e.in_regime),
            elsewhere: rounded(|e| e.elsewhere),
            t: rounded(|e| e.t),
            months: sample.map(|s| s.inside),
            other_months: sample.map(|s| s.outside),
            from: sample.map(|s| s.from.first_day()),
            to: sample.map(|s| s.to.first_day()),
            rest: Map::new(),
        }
    }

    /// Formats the view: "BULLISH (HIGH). …", with the sample if it is known.
    pub(super) fn describe(&self) -> String {
        let months = self.months.zip(self.other_months);
        let range = self.from.zip(self.to);
        let sample = months.zip(range).map(|((inside, outside), (from, to))| {
            let [from, to] = [from, to].map(|day| day.strftime("%Y-%m").to_string());
            format!(" Months from {from} to {to}: {inside} of it, {outside} others.")
        });
        let stance = match (&self.direction, &self.conviction) {
            (Some(direction), Some(conviction)) => Some(format!("{direction} ({conviction}).")),
            (Some(word), None) | (None, Some(word)) => Some(format!("{word}.")),
            (None, None) => None,
        };
        let rest = self.rest.iter().filter(|(_, value)| !value.is_null());
        let rest = rest.map(|(name, value)| format!("{name} {}.", format_value(value)));
        let parts = stance.into_iter().chain(self.thesis.clone()).chain(rest);
        join(parts, " ") + &sample.unwrap_or_default()
    }
}

/// Counts the months of a regime, and all others, since a month; `None` without any.
fn sample_since(since: Month, regime: Regime, months: &[RegimeMonth]) -> Option<Sample> {
    let measured = months.iter().filter(|m| Month::from_date(m.month) >= since);
    let (inside, outside): (Vec<_>, Vec<_>) = measured.partition(|m| m.regime == regime);
    let last = inside.iter().chain(&outside).map(|m| m.month).max()?;
    Some(Sample {
        inside: inside.len(),
        outside: outside.len(),
        from: since,
        to: Month::from_date(last),
    })
}
