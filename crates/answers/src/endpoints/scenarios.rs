//! `list_scenarios`: events that may happen, how often they have, and the rules that decide them.

use crate::prelude::*;
use crate::render::provenance::in_plain_words;
use crate::route::codes::EnumArgument;
use crate::route::decode::{Arguments, default_limit};
use econoscope_data::store::Article;
use econoscope_desk::base_rates::BaseRates;
use econoscope_desk::names::search::Kind;
use econoscope_desk::texts::articles::MAX_ARTICLES;
use econoscope_desk::texts::scenarios::{self, Status};

/// The text of an answer with more scenarios leaves their rules out.
const MAX_WITH_RULES: usize = 8;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Which scenarios.
    #[schemars(extend("default" = "active"))]
    status: Option<EnumArgument<Status>>,
    /// How many at most.
    #[serde(default = "default_limit::<25>")]
    #[schemars(range(min = 1, max = 100))]
    limit: usize,
    /// Words or slugs, several by commas: "oil spike", sahm-trigger.
    #[schemars(example = &"oil spike", length(max = 100))]
    query: Option<String>,
    /// Only with this tag, or one of several by commas.
    #[schemars(example = &"recession", length(max = 64))]
    tag: Option<String>,
}

impl Params {
    fn status(&self) -> Status {
        self.status.map_or(Status::Active, |chosen| chosen.value)
    }
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
    /// Assets it affects.
    pub asset_classes: Vec<String>,
    /// Subjects.
    pub tags: Vec<String>,
    /// Share of past start months followed by the event, 0 to 1.
    pub base_rate_probability: Option<f64>,
    /// Operator's own probability, 0 to 1.
    pub probability_override: Option<f64>,
    /// bearish, bullish or neutral for risk assets.
    pub scenario_polarity: String,
    /// Newest article on it.
    pub last_article_at: Option<Timestamp>,
    /// Page with the analysis.
    pub url: String,
    /// Its rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Months it is counted from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_from: Option<String>,
    /// 90 % interval of the base rate, on windows without overlap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_rate_interval: Option<[f64; 2]>,
    /// Whether the base rate was measured, and on which data, or is the documented one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_rate_basis: Option<String>,
    /// Whether it was measured from the series held; else it is a reference study's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<bool>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioList {
    /// Scenarios returned.
    pub count: usize,
    /// By slug.
    pub scenarios: Vec<Scenario>,
    /// Credit line.
    pub attribution: Attribution,
    /// How figures of an upstream were read, by field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
}

impl Endpoint for Params {
    const TOOL: &'static str = "list_scenarios";
    type Output = ScenarioList;

    fn form(&self) -> &'static str {
        if self.query.is_none() && self.tag.is_none() {
            "list"
        } else {
            "found"
        }
    }

    fn local(desk: &Desk, params: &Self) -> Result<ScenarioList> {
        let status = params.status();
        let tags = params.tag.as_deref();
        let has_tag = |s: &scenarios::Scenario| {
            let is_own = |tag: &str| s.tags.iter().any(|t| t.eq_ignore_ascii_case(tag.trim()));
            tags.is_none_or(|tags| tags.split(',').any(is_own))
        };
        let rates = desk.base_rates()?;
        let articles = desk.articles(MAX_ARTICLES)?;
        let mut selected = match params.query.as_deref().map(str::trim) {
            None | Some("") => desk.scenarios(),
            Some(query) => desk.find_scenarios(query)?,
        };
        selected.retain(|s| s.status == status && has_tag(s));
        selected.truncate(params.limit);
        let listed = selected.iter();
        Ok(ScenarioList {
            count: selected.len(),
            scenarios: listed
                .map(|s| Scenario::new(desk, s, &rates, &articles))
                .collect(),
            attribution: desk.attribution(),
            notes: BTreeMap::new(),
        })
    }

    fn upstream_arguments(checked: &Arguments, _: Date) -> Result<Arguments> {
        let mut arguments = checked.clone();
        // The contract has no search: the whole list is searched here.
        if arguments.shift_remove("query").is_some() {
            arguments.insert("limit".into(), 100.into());
        }
        Ok(arguments)
    }

    fn from_upstream(mut list: ScenarioList, params: &Self, _: Date) -> Result<ScenarioList> {
        list.read_percentages();
        let query = params.query.as_deref().unwrap_or_default().to_lowercase();
        let has_all =
            |text: &str, query: &str| query.split_whitespace().all(|word| text.contains(word));
        list.scenarios.retain(|s| {
            let text =
                format!("{} {} {} {}", s.slug, s.title, s.thesis, s.tags.join(" ")).to_lowercase();
            query.split(',').any(|words| has_all(&text, words))
        });
        list.scenarios.truncate(params.limit);
        list.count = list.scenarios.len();
        Ok(list)
    }

    fn text(list: &ScenarioList, params: &Self) -> String {
        let has_rules = list.count <= MAX_WITH_RULES;
        let mut text = match list.count {
            0 => format!("No {} scenario matches.", params.status()),
            _ => "How often each event followed within its horizon, in percent of past months with a 90 % interval. \
                  Base rates tell the past: no forecast."
                .to_owned(),
        };
        if !has_rules {
            text += " Those marked study are a reference study's, the others counted from the series held. \
                     A query or a tag adds rule, condition and months.";
            let rows = list.scenarios.iter().map(Scenario::format_row);
            text += &format!("\nevent,percent,interval{}", join(rows, ""));
        }
        for s in list.scenarios.iter().filter(|_| has_rules) {
            let basis = s.base_rate_basis.as_deref().unwrap_or("not stated");
            let ends = s.base_rate_interval.map(|ends| ends.map(|end| 100.0 * end));
            let interval = ends
                .map(|[low, high]| format!(" (90 % interval {low:.1} to {high:.1} %)"))
                .unwrap_or_default();
            let words = [&s.slug, &s.scenario_polarity].into_iter();
            let about = join(words.filter(|word| !word.is_empty()), ", ");
            text += &format!("\n- {}{}: ", s.title, enclosed(" (", &about, ")"));
            text += &match s.base_rate_probability {
                Some(rate) => format!("{:.1} %{interval}; {basis}.", rate * 100.0),
                None => "no base rate.".to_owned(),
            };
            if let Some(own) = s.probability_override {
                text += &format!(" The operator's own probability: {:.1} %.", own * 100.0);
            }
            if let (Some(rule), Some(from)) = (&s.rule, &s.counted_from) {
                text += &format!(" Rule: {rule}; counted from {from}.");
            }
        }
        for (field, note) in &list.notes {
            text += &format!("\n{}: {note}.", capitalize(&in_plain_words(field)));
        }
        format!("{text}\n{}", list.attribution)
    }
}

impl ScenarioList {
    /// Converts base rates of an upstream to shares if they are percentages: the contract does not say which they are.
    fn read_percentages(&mut self) {
        let given = |s: &Scenario| [s.base_rate_probability, s.probability_override];
        let rates: Vec<f64> = self.scenarios.iter().flat_map(given).flatten().collect();
        let is_percent = rates.iter().any(|rate| *rate > 1.0);
        for s in self.scenarios.iter_mut().filter(|_| is_percent) {
            for rate in [&mut s.base_rate_probability, &mut s.probability_override] {
                *rate = rate.map(|rate| round_to(rate / 100.0, 6));
            }
        }
        let scale = if is_percent {
            "0 to 100, as one is above 1"
        } else {
            "0 to 1, as none is above 1"
        };
        if !rates.is_empty() {
            let note = format!("read as given from {scale}");
            self.notes.insert("baseRateProbability".into(), note);
        }
    }
}

impl Scenario {
    /// Formats the event with its base rate as a row: "\nOil rises thirty percent within six months,18.3,9 to 33".
    fn format_row(&self) -> String {
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let rate = cell(self.base_rate_probability.map(percent));
        let whole = |share: f64| format!("{:.0}", 100.0 * share);
        let ends = self.base_rate_interval.map(|ends| ends.map(whole));
        let interval = cell(ends.map(|ends| ends.join(" to ")));
        let study = match self.measured {
            Some(false) => ",study",
            Some(true) | None => "",
        };
        format!("\n{},{rate},{interval}{study}", table_cell(&self.title))
    }

    fn new(desk: &Desk, s: &scenarios::Scenario, rates: &BaseRates, articles: &[Article]) -> Self {
        let rate = rates.get(&s.slug);
        let interval = rate.and_then(|rate| rate.interval);
        let is_about = |a: &&Article| a.tags.iter().any(|tag| s.articles.contains(tag));
        let about = articles.iter().filter(is_about);
        Self {
            slug: s.slug.clone(),
            title: s.title.clone(),
            thesis: s.thesis.clone(),
            status: s.status.to_string(),
            asset_classes: s.asset_classes.clone(),
            tags: s.tags.clone(),
            base_rate_probability: rate.map(|rate| round_to(rate.share, 3)),
            probability_override: s.probability_override,
            scenario_polarity: s.polarity.clone(),
            last_article_at: about.map(|article| article.published_at).max(),
            url: super::fetch::address(desk.settings(), Kind::Scenario, &s.slug),
            base_rate_interval: interval.map(|ends| ends.map(|end| round_to(end, 3))),
            base_rate_basis: rate.map(|rate| rate.basis.clone()),
            measured: rate.map(|rate| rate.is_measured),
            rule: s.describe_rule(),
            counted_from: s.describe_condition(),
        }
    }
}
