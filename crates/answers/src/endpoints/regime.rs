//! `get_regime`: the state of the economy between growth and inflation, and how assets have done in it.

mod assets;
mod months;
mod nowcast;
mod precedents;
mod revised;

pub use assets::{AssetView, RegimeRecord};
pub use months::{MonthlyRegime, Probabilities, RegimeSwitch, monthly_regimes};
pub use nowcast::{FilledFigure, NowcastAnswer};
pub use precedents::{Outcome, PrecedentMonth, PrecedentsAnswer};
pub use revised::RevisedRegime;

use super::signals::generated_at;
use crate::dates::range;
use crate::prelude::*;
use crate::route::codes::EnumArgument;
use econoscope_core::format;
use econoscope_core::indicators::nowcast as indicators_nowcast;
use econoscope_core::indicators::regime::Regime;
use econoscope_core::indicators::{liquidity, narrative, prose, recession, regime, stress};

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// As known on: 2008-12-31, Q4 2008.
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
    /// Assets in this regime instead of the present one.
    regime: Option<EnumArgument<Regime>>,
    /// When the regime switched, from `start` or the beginning on, without the months.
    #[serde(default)]
    switches: bool,
}

impl Params {
    /// Whether the request is about past regimes. The text of its answer leaves the present state of the economy out.
    fn is_about_history(&self) -> bool {
        self.regime.is_some() || self.switches
    }
}

/// Most switches in an answer.
const MAX_SWITCHES: usize = 40;

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegimeAnswer {
    /// GOLDILOCKS, STAGFLATION, REFLATION, DEFLATION or UNKNOWN.
    pub regime: String,
    /// Probability of the label, percent.
    pub confidence: Option<f64>,
    /// IMPROVING, STABLE, DETERIORATING or UNKNOWN.
    pub trajectory: String,
    /// Probability of each regime, percent.
    #[serde(default)]
    pub probabilities: Probabilities,
    /// Most likely other regime, whatever its probability.
    pub runner_up: Option<String>,
    /// Most likely other regime, when it has a quarter of the probability.
    pub transition_target: Option<String>,
    /// The state in sentences, made from the numbers.
    pub narrative: String,
    /// When the data were fetched.
    pub generated_at: Option<Timestamp>,
    /// By asset: btc, equities, oil, gold, dollar, bonds; for the named regime or the present one; empty if months or
    /// switches are listed.
    #[serde(default)]
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
    /// The regime with unpublished figures filled in; null with a reason in `notes`.
    pub nowcast: Option<NowcastAnswer>,
    /// The requested months, ascending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub months: Option<Vec<MonthlyRegime>>,
    /// The regime of the asset views, if named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<RegimeRecord>,
    /// Switches of regime in these months, newest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switches: Option<Vec<RegimeSwitch>>,
    /// A past month, and months listed as known then, as last revised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hindsight: Option<RevisedRegime>,
    /// Past months most like this one, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precedents: Option<PrecedentsAnswer>,
    /// Provenance.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for Params {
    const TOOL: &'static str = "get_regime";
    type Output = RegimeAnswer;

    fn form(&self) -> &'static str {
        if self.is_about_history() {
            "history"
        } else {
            "now"
        }
    }

    fn from_upstream(mut answer: RegimeAnswer, _: &Self, _: Date) -> Result<RegimeAnswer> {
        for word in [&mut answer.regime, &mut answer.trajectory] {
            *word = word.to_uppercase();
            if word.is_empty() {
                "UNKNOWN".clone_into(word);
            }
        }
        for word in [&mut answer.runner_up, &mut answer.transition_target] {
            *word = word.take().map(|word| word.to_uppercase());
        }
        Ok(answer)
    }

    fn local(desk: &Desk, params: &Self) -> Result<RegimeAnswer> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let history = desk.regimes(as_of)?;
        let now = &history.now;
        let ids = regime::INPUTS.iter().chain(&indicators_nowcast::WEEKLY);
        let mut provenance = Provenance::new(desk, as_of, ids.copied())?;
        if as_of != AsOf::Latest {
            provenance.note("assetViews", "measured on all history, also after that day");
        }
        provenance.note("regime", now.reason.as_deref().unwrap_or_default());
        let state = now.state.as_ref();
        let basis = state.map(|s| s.basis.join("; "));
        provenance.note("regime", basis.unwrap_or_default());
        provenance.note_regime(now);
        let nowcast = desk.nowcast(as_of)?;
        let nowcast = provenance.value_or_note("nowcast", &nowcast);
        let asked = params.precedents.then(|| desk.precedents(as_of));
        let computed = asked.transpose()?;
        let precedents = computed
            .as_deref()
            .and_then(|p| provenance.value_or_note("precedents", p));
        let (months, switches) = months_and_switches(desk, params, as_of, &mut provenance)?;
        let named = params.regime.as_ref().map(|chosen| chosen.value);
        let asset_views = match (named, &switches) {
            (None, Some(_)) => BTreeMap::new(),
            _ => assets::views(desk, &history, named, as_of)?,
        };
        let past_month = state.map(|s| s.month).filter(|_| as_of != AsOf::Latest);
        let as_known = months.as_deref().filter(|_| params.as_known);
        Ok(RegimeAnswer {
            regime: now.regime.name().into(),
            confidence: now.confidence,
            trajectory: now.trajectory.name().to_owned(),
            transition_target: now.target.map(|t| t.name().to_owned()),
            narrative: narrative(desk, as_of)?,
            generated_at: Some(generated_at(desk)?),
            probabilities: state
                .map(|s| Probabilities::from_shares(s.probabilities))
                .unwrap_or_default(),
            runner_up: state.map(|s| s.runner_up().name().to_owned()),
            asset_views,
            attribution: desk.attribution(),
            month: state.map(|s| s.month),
            growth_score: state.map(|s| round_to(s.growth, 2)),
            inflation_score: state.map(|s| round_to(s.inflation, 2)),
            nowcast: nowcast.map(NowcastAnswer::new),
            hindsight: RevisedRegime::find(desk, past_month, as_known)?,
            months,
            named: named.map(|regime| RegimeRecord::new(regime, &history.months)),
            switches,
            precedents: precedents.map(PrecedentsAnswer::new),
            provenance,
        })
    }

    fn text(a: &RegimeAnswer, params: &Self) -> String {
        let is_forwarded = a.provenance.as_of.is_none();
        let mut text = a.describe_state();
        if !params.is_about_history() {
            let own = a.growth_score.zip(a.inflation_score);
            match own.filter(|_| !is_forwarded) {
                Some((growth, inflation)) => {
                    let scores = prose::capitalize(&describe_scores(growth, inflation));
                    text += &format!(" {scores}.");
                }
                None => text += &enclosed("\n", &a.narrative, ""),
            }
            text.extend(a.nowcast.iter().map(|now| now.describe(&a.regime)));
        }
        text.extend(a.hindsight.iter().map(|revised| revised.describe(a)));
        text.extend(a.months.iter().map(|months| months::render(months)));
        text.extend(a.switches.iter().map(|list| months::render_switches(list)));
        match &a.named {
            // An as-of answer knows no later year, so it leaves out what all years say of the regime.
            None if !a.provenance.knowledge.is_empty() => {}
            None if !is_forwarded => text += &assets::describe_clear(&a.asset_views),
            named => {
                text.extend(named.iter().map(|named| named.describe(&a.regime)));
                let views = a.asset_views.iter();
                text.extend(views.map(|(asset, view)| format!("\n- {asset}: {}", view.describe())));
            }
        }
        text.extend(a.precedents.iter().map(PrecedentsAnswer::describe));
        text + &a
            .provenance
            .render_closing_without(&["assetViews"], &a.attribution)
    }
}

impl RegimeAnswer {
    /// Names the regime with its month, its probability and the next likeliest.
    fn describe_state(&self) -> String {
        let next = self.transition_target.as_ref();
        let words = [
            self.month.map(format::month),
            self.confidence.map(|share| format!("{share} % confidence")),
            Some(self.trajectory.to_lowercase()),
            next.map(|next| format!("next likeliest {}", title_case(next))),
        ];
        let is_past = !self.provenance.knowledge.is_empty();
        let verb = if is_past { "was" } else { "is" };
        format!(
            "The regime {verb} {} ({}).",
            title_case(&self.regime),
            join(words.iter().flatten(), ", ")
        )
    }
}

/// Describes the two scores: "growth scores +0.52 standard deviations from its 20-year mean, …".
pub(super) fn describe_scores(growth: f64, inflation: f64) -> String {
    let [growth, inflation] = [growth, inflation].map(|score| format_signed(score, 2));
    format!(
        "growth scores {growth} standard deviations from its 20-year mean, inflation {inflation} points from its threshold"
    )
}

/// Writes a name that is all capitals as a title: "Reflation".
pub(super) fn title_case(name: &str) -> String {
    prose::capitalize(&name.to_lowercase())
}

type MonthsAndSwitches = (Option<Vec<MonthlyRegime>>, Option<Vec<RegimeSwitch>>);

/// Returns the requested months with the switches among them, or the switches alone, at most [`MAX_SWITCHES`]; both
/// `None` for a request without either.
fn months_and_switches(
    desk: &Desk,
    params: &Params,
    as_of: AsOf,
    provenance: &mut Provenance,
) -> Result<MonthsAndSwitches> {
    let start = params.start.as_deref();
    let end = params.end.as_deref();
    if !params.switches && start.is_none() && end.is_none() {
        return Ok((None, None));
    }
    let first = start.or(params.switches.then_some("max"));
    let days = range(first, end, as_of, desk.today())?;
    let basis = if params.as_known {
        "each as it was known at its own end"
    } else {
        "all from the figures known on the day of the answer"
    };
    provenance.note("months", basis);
    let mut months = monthly_regimes(desk, as_of, params.as_known)?;
    let mut switches = months::switches(&months);
    switches.retain(|switch| months::is_within(switch.from, days));
    let total = switches.len();
    if total > MAX_SWITCHES {
        let note = format!("the newest {MAX_SWITCHES} of {total}; older ones with end");
        provenance.note("switches", note);
        switches.truncate(MAX_SWITCHES);
    }
    months.retain(|m| months::is_within(m.month, days));
    Ok(((!params.switches).then_some(months), Some(switches)))
}

/// Describes the state of the economy in a paragraph, from the regime and three composites.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub(super) fn narrative(desk: &Desk, as_of: AsOf) -> Result<String> {
    let reading = |composite| desk.reading(composite, as_of);
    let history = desk.regimes(as_of)?;
    let nowcast = desk.nowcast(as_of)?;
    let evidence = narrative::Evidence {
        regime: &history.now,
        nowcast: (*nowcast).as_ref().ok(),
        recession: &*reading(&recession::CRPI)?,
        stress: &*reading(&stress::CMSI)?,
        liquidity: &*reading(&liquidity::CNLI)?,
    };
    Ok(narrative::narrative(&evidence))
}
