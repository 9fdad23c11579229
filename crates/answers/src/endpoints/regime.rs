//! `get_regime`: where the economy stands between growth and inflation, and what that has meant for assets.

mod months;
mod nowcast;
mod precedents;

pub use precedents::{Outcome, PrecedentMonth, PrecedentsAnswer};

use super::days::{parse_as_of, range};
use super::endpoint::{Endpoint, Kept, Spec};
use super::provenance::Provenance;
use super::tolerance;
use econoscope_core::error::Result;
use econoscope_core::indicators::nowcast as indicators_nowcast;
use econoscope_core::indicators::{asset_views, liquidity, narrative, recession, regime, stress};
use econoscope_core::model::series_info::round_to;
use econoscope_core::model::{AsOf, Attribution, Date};
use econoscope_data::desk::{Desk, RegimeHistory};
use jiff::Timestamp;
pub use months::{Probabilities, RegimeOfMonth};
pub use nowcast::{FilledFigure, NowcastAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// As known on this day, month, quarter or year: 2008-12-31, Q4 2008.
    #[schemars(example = &"2008-12")]
    as_of: Option<String>,
    /// Lists months from this one: 2008-12, 5y, max.
    start: Option<String>,
    /// Last month.
    end: Option<String>,
    /// Months as each was known at its end.
    #[serde(default)]
    as_known: bool,
    /// Adds past months most like this one and what followed: no forecast.
    #[serde(default)]
    precedents: bool,
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
pub struct RegimeAnswer {
    /// GOLDILOCKS, STAGFLATION, REFLATION, DEFLATION or UNKNOWN.
    #[serde(deserialize_with = "tolerance::upper")]
    pub regime: String,
    /// Probability of the label, percent.
    pub confidence: Option<f64>,
    /// IMPROVING, STABLE, DETERIORATING or UNKNOWN.
    #[serde(deserialize_with = "tolerance::upper")]
    pub trajectory: String,
    /// Probability of each regime, percent.
    #[serde(default)]
    pub probabilities: Probabilities,
    /// Most likely other regime, whatever its probability.
    #[serde(default, deserialize_with = "tolerance::upper_or_null")]
    pub runner_up: Option<String>,
    /// Most likely other regime, when it has a quarter of the probability.
    #[serde(default, deserialize_with = "tolerance::upper_or_null")]
    pub transition_target: Option<String>,
    /// The state in sentences, made from the numbers.
    pub narrative: String,
    /// When the data behind it were read.
    pub generated_at: Timestamp,
    /// By asset: btc, equities, oil, gold, dollar, bonds; empty where months are listed.
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
    /// The regime with figures filled that are not out yet; null with a reason in `notes`.
    #[serde(default)]
    pub nowcast: Option<NowcastAnswer>,
    /// The months asked for, ascending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub months: Option<Vec<RegimeOfMonth>>,
    /// Past months most like this one, where asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precedents: Option<PrecedentsAnswer>,
    /// State of knowledge.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for Params {
    const SPEC: Spec = Spec {
        tool: "get_regime",
        title: "Macro regime",
        path: "/api/public/regime",
        summary: "Current macro regime with confidence, trajectory, narrative and asset views",
        description: "Use this when asked for the macro regime (goldilocks, reflation, stagflation, deflation), its \
            confidence and direction, or what it has meant for assets: equities, stocks, bonds, gold, oil, the \
            dollar, bitcoin. The published regime and the nowcast are named apart. With as_of it answers for any \
            past day. Do not use it for rates: use get_macro_summary.",
        max_age: 300,
        in_contract: true,
        example: &[],
    };
    const PROVENANCE: Kept<RegimeAnswer> = Some(|answer| &mut answer.provenance);
    type Output = RegimeAnswer;

    fn local(desk: &Desk, params: &Self) -> Result<RegimeAnswer> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let path = desk.regimes(as_of)?;
        let now = &path.now;
        let read = regime::INPUTS.iter().chain(&indicators_nowcast::WEEKLY);
        let mut provenance = Provenance::of(desk, as_of, read.copied())?;
        if as_of != AsOf::Latest {
            provenance.note("assetViews", "measured on all history, also after that day");
        }
        provenance.note("regime", now.reason.as_deref().unwrap_or_default());
        let state = now.state.as_ref();
        let probabilities = state.map(|s| Probabilities::of(s.probabilities));
        let basis = state.map(|s| s.basis.join("; "));
        provenance.note("regime", basis.unwrap_or_default());
        provenance.note_regime(now);
        let nowcast = desk.nowcast(as_of)?;
        let unknown = nowcast.as_ref().as_ref().err();
        provenance.note("nowcast", unknown.cloned().unwrap_or_default());
        let precedents = match params.precedents {
            true => Some(desk.precedents(as_of)?),
            false => None,
        };
        let unknown = precedents.as_deref().and_then(|p| p.as_ref().err());
        provenance.note("precedents", unknown.cloned().unwrap_or_default());
        let found = precedents.as_deref().and_then(|p| p.as_ref().ok());
        let months = listed(desk, params, as_of, &mut provenance)?;
        let asset_views = match months {
            Some(_) => BTreeMap::new(),
            None => views(desk, &path, as_of)?,
        };
        Ok(RegimeAnswer {
            regime: now.regime.name().into(),
            confidence: now.confidence,
            trajectory: now.trajectory.name().into(),
            transition_target: now.target.map(|t| t.name().to_owned()),
            narrative: narrative(desk, as_of)?,
            generated_at: desk.holdings()?.updated_at().unwrap_or_else(|| desk.now()),
            probabilities: probabilities.unwrap_or_default(),
            runner_up: state.map(|s| s.runner_up().name().to_owned()),
            asset_views,
            attribution: desk.attribution(),
            month: state.map(|s| s.month),
            growth_score: state.map(|s| round_to(s.growth, 2)),
            inflation_score: state.map(|s| round_to(s.inflation, 2)),
            nowcast: (*nowcast).as_ref().ok().map(NowcastAnswer::of),
            months,
            precedents: found.map(PrecedentsAnswer::of),
            provenance,
        })
    }

    fn text(a: &RegimeAnswer, _: &Self) -> String {
        let month = a.month.map(|m| format!(" for {}", m.strftime("%B %Y")));
        let month = month.unwrap_or_default();
        let confidence = a.confidence.map(|c| format!(", confidence {c} %"));
        let confidence = confidence.unwrap_or_default();
        let (regime, trajectory) = (&a.regime, &a.trajectory);
        let mut text = format!("Regime{month}: {regime}{confidence}, trajectory {trajectory}.");
        let target = a.transition_target.iter();
        text.extend(target.map(|target| format!(" Most likely alternative: {target}.")));
        text.extend(a.nowcast.iter().map(|now| format!("\n{}", now.in_prose())));
        text += &format!("\n{}", a.narrative);
        text.extend(a.months.iter().map(|months| months::in_prose(months)));
        if !a.asset_views.is_empty() {
            text += "\nAssets in this regime, historically:";
        }
        for (asset, view) in &a.asset_views {
            let (direction, conviction) = (&view.direction, &view.conviction);
            text += &format!("\n- {asset}: {direction} ({conviction}). {}", view.thesis);
        }
        text.extend(a.precedents.iter().map(PrecedentsAnswer::in_prose));
        text + &a.provenance.closing(&a.attribution)
    }
}

/// What the regime has meant for each asset.
fn views(desk: &Desk, path: &RegimeHistory, as_of: AsOf) -> Result<BTreeMap<String, AssetView>> {
    let now = &path.now;
    let own = desk.evidence(now.regime, as_of)?;
    let views = asset_views::views(now.regime, now.confidence, |a| own.get(&a).cloned());
    let view = |v: asset_views::View| {
        let view = AssetView {
            direction: format!("{:?}", v.direction).to_uppercase(),
            conviction: format!("{:?}", v.conviction).to_uppercase(),
            thesis: v.thesis,
        };
        (v.asset.key().to_owned(), view)
    };
    Ok(views.into_iter().map(view).collect())
}

/// The months asked for; none where none are.
fn listed(
    desk: &Desk,
    params: &Params,
    as_of: AsOf,
    provenance: &mut Provenance,
) -> Result<Option<Vec<RegimeOfMonth>>> {
    let days = (params.start.as_deref(), params.end.as_deref());
    if days == (None, None) {
        return Ok(None);
    }
    let days = range(days, as_of, desk.today())?;
    if !params.as_known {
        provenance.note(
            "months",
            "all from the figures known on the day of the answer",
        );
        return months::revised(desk, as_of, days).map(Some);
    }
    provenance.note("months", "each as it was known at its own end");
    months::as_known(desk, as_of, days).map(Some)
}

/// The paragraph on the state of the economy, from the regime and three composites.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub(super) fn narrative(desk: &Desk, as_of: AsOf) -> Result<String> {
    let reading = |composite| desk.reading(composite, as_of);
    let (path, nowcast) = (desk.regimes(as_of)?, desk.nowcast(as_of)?);
    let evidence = narrative::Evidence {
        outlook: &path.now,
        nowcast: (*nowcast).as_ref().ok(),
        recession: &*reading(&recession::CRPI)?,
        stress: &*reading(&stress::CMSI)?,
        liquidity: &*reading(&liquidity::CNLI)?,
    };
    Ok(narrative::narrative(&evidence))
}
