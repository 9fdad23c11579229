//! `get_regime`: where the economy stands between growth and inflation, and what that has meant for assets.

use super::endpoint::{Endpoint, Spec};
use super::provenance::{Provenance, parse_as_of};
use super::tolerance;
use crate::desk::Desk;
use crate::error::Result;
use crate::indicators::{asset_views, liquidity, narrative, recession, regime, stress};
use crate::model::{AsOf, Attribution, Date};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Declaration and functions.
pub struct GetRegime;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// What was known on this day, YYYY-MM-DD. Default: now.
    #[schemars(example = &"2008-12-01", length(max = 10))]
    as_of: Option<String>,
}

/// What the regime has meant for an asset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssetView {
    /// BULLISH, BEARISH or NEUTRAL.
    pub direction: String,
    /// HIGH, MEDIUM or LOW.
    pub conviction: String,
    /// The evidence in numbers.
    pub thesis: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// GOLDILOCKS, STAGFLATION, REFLATION, DEFLATION or UNKNOWN.
    #[serde(deserialize_with = "tolerance::upper")]
    pub regime: String,
    /// Probability of the label, percent.
    pub confidence: Option<f64>,
    /// IMPROVING, STABLE, DETERIORATING or UNKNOWN.
    #[serde(deserialize_with = "tolerance::upper")]
    pub trajectory: String,
    /// Most likely other regime, when it has a quarter of the probability.
    #[serde(default, deserialize_with = "tolerance::upper_or_null")]
    pub transition_target: Option<String>,
    /// The state in sentences, made from the numbers.
    pub narrative: String,
    /// When the data behind it were read.
    pub generated_at: Timestamp,
    /// By asset: btc, equities, oil, gold, dollar, bonds.
    pub asset_views: BTreeMap<String, AssetView>,
    /// Credit line.
    pub attribution: Attribution,
    /// Month of the regime; its figures are those of the month before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub month: Option<Date>,
    /// Growth score, standard deviations from its 20-year mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth_score: Option<f64>,
    /// Inflation score, percentage points around target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inflation_score: Option<f64>,
    /// State of knowledge.
    #[serde(flatten)]
    #[schemars(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for GetRegime {
    const SPEC: Spec = Spec {
        tool: "get_regime",
        title: "Macro regime",
        path: "/api/public/regime",
        summary: "Current macro regime with confidence, trajectory, narrative and asset views",
        description: "Use this when asked for the macro regime (goldilocks, reflation, stagflation, deflation), \
            its confidence and direction, or what it has meant for assets: equities, stocks, bonds, gold, oil, \
            the dollar, bitcoin. With as_of it answers for any past day as known then. Do not use it for rates: \
            use get_macro_summary.",
        max_age: 300,
        in_contract: true,
        example: &[],
    };
    type Params = Params;
    type Output = Output;

    fn local(desk: &Desk, params: &Params) -> Result<Output> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let path = desk.regimes(as_of)?;
        let now = &path.now;
        let mut provenance = Provenance::of(desk, as_of)?;
        provenance.rests_on(desk, as_of, regime::INPUTS.iter().copied())?;
        if as_of != AsOf::Latest {
            provenance.note("assetViews", "measured on all history, also after that day");
        }
        if let Some(reason) = &now.reason {
            provenance.note("regime", reason.clone());
        }
        let state = now.state.as_ref().filter(|_| now.reason.is_none());
        if let Some(basis) = state.filter(|s| !s.basis.is_empty()) {
            provenance.note("regime", basis.basis.join("; "));
        }
        let views = asset_views::views(now.regime, now.confidence, |_| None);
        let asset_views = views
            .into_iter()
            .map(|v| {
                let view = AssetView {
                    direction: format!("{:?}", v.direction).to_uppercase(),
                    conviction: format!("{:?}", v.conviction).to_uppercase(),
                    thesis: v.thesis,
                };
                (v.asset.key().to_owned(), view)
            })
            .collect();
        Ok(Output {
            regime: now.regime.name().into(),
            confidence: now.confidence,
            trajectory: now.trajectory.name().into(),
            transition_target: now.target.map(|t| t.name().to_owned()),
            narrative: narrative(desk, as_of)?,
            generated_at: desk.holdings()?.updated_at().unwrap_or_else(|| desk.now()),
            asset_views,
            attribution: desk.attribution(),
            month: state.map(|s| s.month),
            growth_score: state.map(|s| crate::model::catalogue::round_to(s.growth, 2)),
            inflation_score: state.map(|s| crate::model::catalogue::round_to(s.inflation, 2)),
            provenance,
        })
    }

    fn text(o: &Output, _: &Params) -> String {
        use std::fmt::Write;
        let confidence = o
            .confidence
            .map(|c| format!(", confidence {c} %"))
            .unwrap_or_default();
        let target = match &o.transition_target {
            Some(target) => format!(" Most likely alternative: {target}."),
            None => String::new(),
        };
        let month = o
            .month
            .map(|m| format!(" for {}", m.strftime("%B %Y")))
            .unwrap_or_default();
        let mut text = format!(
            "Regime{month}: {}{confidence}, trajectory {}.{target}\n{}\nAssets in this regime, historically:",
            o.regime, o.trajectory, o.narrative
        );
        for (asset, view) in &o.asset_views {
            let _ = write!(
                text,
                "\n- {asset}: {} ({}). {}",
                view.direction, view.conviction, view.thesis
            );
        }
        let p = &o.provenance;
        let _ = write!(
            text,
            "\n{} {}\n{}: {}",
            p.sentence(),
            p.missing(),
            o.attribution.text,
            o.attribution.url
        );
        text
    }
}

/// The paragraph on the state of the economy, from the regime and three composites.
///
/// # Errors
/// [`crate::Error::Store`] when the store cannot be read.
pub(super) fn narrative(desk: &Desk, as_of: AsOf) -> Result<String> {
    let reading = |composite| desk.reading(composite, as_of);
    let path = desk.regimes(as_of)?;
    let evidence = narrative::Evidence {
        outlook: &path.now,
        recession: &*reading(&recession::CRPI)?,
        stress: &*reading(&stress::CMSI)?,
        liquidity: &*reading(&liquidity::CNLI)?,
    };
    Ok(narrative::narrative(&evidence))
}
