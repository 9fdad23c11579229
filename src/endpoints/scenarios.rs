//! `list_scenarios`: what may happen, how often it has, and what decides it.

use super::endpoint::{Endpoint, Spec};
use crate::desk::Desk;
use crate::desk::scenarios::{self, Status};
use crate::error::Result;
use crate::model::Attribution;
use crate::model::catalogue::round_to;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Declaration and functions.
pub struct ListScenarios;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Which scenarios.
    #[serde(default)]
    status: StatusParam,
    /// How many at most.
    #[serde(default = "twenty_five")]
    #[schemars(range(min = 1, max = 100))]
    limit: usize,
    /// Only scenarios with this tag.
    #[schemars(example = &"recession", length(max = 64))]
    tag: Option<String>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StatusParam {
    #[default]
    Active,
    Paused,
    Resolved,
    Archived,
}

fn twenty_five() -> usize {
    25
}

/// A tracked scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Scenario {
    /// Identifier.
    pub slug: String,
    /// Event in one line.
    pub title: String,
    /// What to watch, what would confirm or refute it.
    pub thesis: String,
    /// active, paused, resolved or archived.
    pub status: String,
    /// Assets it bears on.
    pub asset_classes: Vec<String>,
    /// Subjects.
    pub tags: Vec<String>,
    /// Share of past start months followed by the event, 0 to 1.
    pub base_rate_probability: f64,
    /// Operator's own probability, 0 to 1.
    pub probability_override: Option<f64>,
    /// bearish, bullish or neutral for risk assets.
    pub scenario_polarity: String,
    /// Newest article on it.
    pub last_article_at: Option<Timestamp>,
    /// Page with the analysis.
    pub url: String,
    /// 90 % interval of the base rate, on windows without overlap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_rate_interval: Option<[f64; 2]>,
    /// Whether the base rate was measured from the store, and on what, or is the documented one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_rate_basis: Option<String>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// Scenarios returned.
    pub count: usize,
    /// By slug.
    pub scenarios: Vec<Scenario>,
    /// Credit line.
    pub attribution: Attribution,
}

impl Endpoint for ListScenarios {
    const SPEC: Spec = Spec {
        tool: "list_scenarios",
        title: "Macro scenarios",
        path: "/api/public/scenarios",
        summary: "Tracked scenarios with thesis, status, assets and historical base rate",
        description: "Use this when asked what could happen or go wrong, the odds of an event, or how often it \
            has happened: tracked scenarios with thesis, base rate, interval and articles. Base rates come from \
            history and are no forecast. Do not use it for the present state: use get_macro_summary.",
        max_age: 300,
        in_contract: true,
        example: &[("tag", "recession")],
    };
    type Params = Params;
    type Output = Output;

    fn local(desk: &Desk, params: &Params) -> Result<Output> {
        let wanted = match params.status {
            StatusParam::Active => Status::Active,
            StatusParam::Paused => Status::Paused,
            StatusParam::Resolved => Status::Resolved,
            StatusParam::Archived => Status::Archived,
        };
        let articles = desk.articles(crate::desk::articles::MOST)?;
        let tagged = |s: &&scenarios::Scenario| {
            params
                .tag
                .as_ref()
                .is_none_or(|tag| s.tags.iter().any(|t| t.eq_ignore_ascii_case(tag.trim())))
        };
        let rates = desk.base_rates()?;
        let scenarios: Vec<Scenario> = desk
            .scenarios()?
            .into_iter()
            .filter(|s| s.status == wanted)
            .filter(tagged)
            .take(params.limit)
            .map(|s| shown(desk, s, &rates, &articles))
            .collect();
        Ok(Output {
            count: scenarios.len(),
            scenarios,
            attribution: desk.attribution(),
        })
    }

    fn text(output: &Output, params: &Params) -> String {
        use std::fmt::Write;
        let mut text = match output.count {
            0 => format!("No {:?} scenario", params.status).to_lowercase(),
            n => format!(
                "{n} scenarios; base rate = share of past months followed by the event within its horizon"
            ),
        };
        if let Some(tag) = &params.tag {
            let _ = write!(text, ", tag {}", crate::error::quote(tag));
        }
        text.push('.');
        for s in &output.scenarios {
            let rate = s.base_rate_probability * 100.0;
            let basis = s.base_rate_basis.as_deref().unwrap_or("not stated");
            let _ = write!(
                text,
                "\n- {} ({}, {}): {rate:.1} %; {basis}.",
                s.title, s.slug, s.scenario_polarity
            );
        }
        let _ = write!(
            text,
            "\n{}: {}",
            output.attribution.text, output.attribution.url
        );
        text
    }
}

fn shown(
    desk: &Desk,
    s: &scenarios::Scenario,
    rates: &BTreeMap<String, scenarios::Rate>,
    articles: &[crate::store::Article],
) -> Scenario {
    let measured = rates.get(&s.slug);
    let interval = measured.map(|r| r.interval).or(s.base_rate_interval);
    let own = articles
        .iter()
        .filter(|a| a.tags.iter().any(|t| s.articles.contains(t)));
    Scenario {
        slug: s.slug.clone(),
        title: s.title.clone(),
        thesis: s.thesis.clone(),
        status: s.status.word().into(),
        asset_classes: s.asset_classes.clone(),
        tags: s.tags.clone(),
        base_rate_probability: round_to(measured.map_or(s.base_rate, |r| r.share), 3),
        probability_override: s.probability_override,
        scenario_polarity: s.polarity.clone(),
        last_article_at: own.map(|a| a.published_at).max(),
        url: format!("{}/scenarios/{}", desk.settings().base_url, s.slug),
        base_rate_interval: interval.map(|i| i.map(|x| round_to(x, 3))),
        base_rate_basis: Some(measured.map_or_else(|| s.documented(), scenarios::Rate::basis)),
    }
}
