//! `get_macro_summary`: the state of the economy in one call.

use super::endpoint::{Endpoint, Spec};
use super::provenance::{Provenance, parse_as_of};
use crate::desk::Desk;
use crate::error::Result;
use crate::indicators::summary::{self, Figure};
use crate::indicators::{self, COMPOSITES, regime, sahm};
use crate::model::AsOf;
use crate::model::catalogue::round_to;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Declaration and functions.
pub struct GetMacroSummary;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// What was known on this day, YYYY-MM-DD. Default: now.
    #[schemars(example = &"2020-03-01", length(max = 10))]
    as_of: Option<String>,
}

/// The regime in a few words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegimeLine {
    /// Goldilocks, Reflation, Stagflation, Deflation or Unknown.
    pub current: String,
    /// Probability of the label, percent.
    pub confidence: Option<f64>,
    /// improving, stable, deteriorating or unknown.
    pub trajectory: String,
}

/// Rates in percent, the spread in basis points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeyRates {
    /// Ten-year Treasury yield, percent.
    #[serde(rename = "10y")]
    pub ten_year: Option<f64>,
    /// Two-year Treasury yield, percent.
    #[serde(rename = "2y")]
    pub two_year: Option<f64>,
    /// Ten less two years, basis points.
    pub spread_2s10s_bps: Option<f64>,
    /// Effective federal funds rate, percent.
    pub fed_funds: Option<f64>,
}

/// Volatility.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Volatility {
    /// VIX, index.
    pub vix: Option<f64>,
}

/// Credit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Credit {
    /// High-yield spread, basis points.
    pub hy_spread_bps: Option<f64>,
}

/// Labor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Labor {
    /// Sahm rule, percentage points; 0.50 and more signals recession.
    pub sahm_rule: Option<f64>,
}

/// Inflation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Inflation {
    /// Consumer prices against a year earlier, percent.
    pub cpi_yoy_pct: Option<f64>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// Regime.
    pub regime: RegimeLine,
    /// Probability of a recession month within 12 months, percent (CVRP, formerly CRPI).
    pub recession_probability: Option<f64>,
    /// Macro stress, 0 to 100.
    pub stress_index: Option<f64>,
    /// Net liquidity, trillions of dollars.
    pub net_liquidity_trn: Option<f64>,
    /// Rates.
    pub key_rates: KeyRates,
    /// Volatility.
    pub volatility: Volatility,
    /// Credit.
    pub credit: Credit,
    /// Labor.
    pub labor: Labor,
    /// Inflation.
    pub inflation: Inflation,
    /// The state in sentences, made from the numbers.
    pub narrative: Option<String>,
    /// Where this comes from.
    pub source_url: String,
    /// Credit line.
    pub attribution: String,
    /// When the newest input was read from its source.
    pub last_updated: Option<Timestamp>,
    /// Date of each figure.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dates: BTreeMap<String, String>,
    /// State of knowledge.
    #[serde(flatten)]
    #[schemars(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for GetMacroSummary {
    const SPEC: Spec = Spec {
        tool: "get_macro_summary",
        title: "Macro summary",
        path: "/api/public/macro-summary",
        summary: "The state of the US economy in one call: regime, rates, inflation, labor, liquidity, stress",
        description: "Use this when asked how the US economy is doing or where it stands: one call gives an \
            overview with the headline numbers, macro regime, growth, rates, yield curve, inflation, labor, \
            credit, volatility and recession probability. Start here for a brief. Do not use it for one figure: \
            use get_metric.",
        max_age: 300,
        in_contract: true,
        example: &[],
    };
    type Params = Params;
    type Output = Output;

    fn local(desk: &Desk, params: &Params) -> Result<Output> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let mut draft = Draft {
            desk,
            as_of,
            provenance: Provenance::of(desk, as_of)?,
            dates: BTreeMap::new(),
        };
        let composites = COMPOSITES.iter().map(|c| c.id);
        let read = summary::INPUTS
            .iter()
            .chain(sahm::INPUTS)
            .chain(regime::INPUTS);
        draft
            .provenance
            .rests_on(desk, as_of, read.copied().chain(composites))?;
        let regime = draft.regime()?;
        let figures = read_figures(desk, as_of)?;
        let mut take = |name: &str, figure: &Figure| draft.take(name, figure);
        let key_rates = KeyRates {
            ten_year: take("10y", &figures.ten_year),
            two_year: take("2y", &figures.two_year),
            spread_2s10s_bps: take("spread_2s10s_bps", &figures.spread_2s10s_bps),
            fed_funds: take("fed_funds", &figures.fed_funds),
        };
        let volatility = Volatility {
            vix: take("vix", &figures.vix),
        };
        let credit = Credit {
            hy_spread_bps: take("hy_spread_bps", &figures.hy_spread_bps),
        };
        let labor = Labor {
            sahm_rule: take("sahm_rule", &figures.sahm_rule),
        };
        let inflation = Inflation {
            cpi_yoy_pct: take("cpi_yoy_pct", &figures.cpi_yoy_pct),
        };
        Ok(Output {
            regime,
            recession_probability: draft.composite("recession_probability", "SERVICE_CRPI", 1)?,
            stress_index: draft.composite("stress_index", "SERVICE_CMSI", 1)?,
            net_liquidity_trn: draft.composite("net_liquidity_trn", "SERVICE_CNLI", 3)?,
            key_rates,
            volatility,
            credit,
            labor,
            inflation,
            narrative: Some(super::regime::narrative(desk, as_of)?),
            source_url: format!("{}{}", desk.settings().base_url, Self::SPEC.path),
            attribution: format!(
                "Data by {} ({})",
                desk.settings().service,
                desk.settings().base_url
            ),
            last_updated: desk.holdings()?.updated_at(),
            dates: draft.dates,
            provenance: draft.provenance,
        })
    }

    fn text(o: &Output, _: &Params) -> String {
        let confidence = o
            .regime
            .confidence
            .map(|c| format!(", confidence {c} %"))
            .unwrap_or_default();
        let narrative = o.narrative.as_deref().unwrap_or_default();
        format!(
            "US macro regime: {}{confidence}, {}. Figures: {}.\n{narrative}\n{} {}\n{}",
            o.regime.current,
            o.regime.trajectory,
            figure_list(o),
            o.provenance.sentence(),
            o.provenance.missing(),
            o.attribution,
        )
    }
}

/// The read figures at the reference day; where the real-time Sahm rule is absent, the computed one.
fn read_figures(desk: &Desk, as_of: AsOf) -> Result<summary::Summary> {
    let set = desk.set(summary::INPUTS.iter().chain(sahm::INPUTS).copied(), as_of)?;
    let day = desk.data_date(as_of)?.as_of;
    let mut figures = summary::summary(&set, day);
    if figures.sahm_rule.value.is_none()
        && let Some((observation, basis)) = sahm::at(&set, day).shown()
    {
        figures.sahm_rule = Figure {
            value: Some(observation.value),
            date: Some(observation.date),
            series: vec!["UNRATE"],
            basis: Some(basis.to_owned()),
            reason: None,
        };
    }
    Ok(figures)
}

/// Every figure that there is, with unit and date, in one sentence.
fn figure_list(o: &Output) -> String {
    let rates = &o.key_rates;
    let rows = [
        (
            "recession probability within 12 months",
            o.recession_probability,
            " %",
            "recession_probability",
        ),
        ("macro stress", o.stress_index, " of 100", "stress_index"),
        (
            "net liquidity",
            o.net_liquidity_trn,
            " trillion dollars",
            "net_liquidity_trn",
        ),
        ("10-year Treasury", rates.ten_year, " %", "10y"),
        ("2-year", rates.two_year, " %", "2y"),
        (
            "2s10s spread",
            rates.spread_2s10s_bps,
            " bp",
            "spread_2s10s_bps",
        ),
        ("fed funds", rates.fed_funds, " %", "fed_funds"),
        (
            "CPI year on year",
            o.inflation.cpi_yoy_pct,
            " %",
            "cpi_yoy_pct",
        ),
        ("Sahm rule", o.labor.sahm_rule, " pp", "sahm_rule"),
        ("VIX", o.volatility.vix, "", "vix"),
        (
            "high-yield spread",
            o.credit.hy_spread_bps,
            " bp",
            "hy_spread_bps",
        ),
    ];
    let parts: Vec<String> = rows
        .into_iter()
        .filter_map(|(label, value, unit, name)| {
            let date = o
                .dates
                .get(name)
                .map(|d| format!(" ({d})"))
                .unwrap_or_default();
            value.map(|v| format!("{label} {v}{unit}{date}"))
        })
        .collect();
    parts.join("; ")
}

/// What an answer gathers on its way: dates of figures and reasons for their absence.
struct Draft<'a> {
    desk: &'a Desk,
    as_of: AsOf,
    provenance: Provenance,
    dates: BTreeMap<String, String>,
}

impl Draft<'_> {
    fn take(&mut self, name: &str, figure: &Figure) -> Option<f64> {
        let restricted = figure.series.iter().find_map(|id| {
            let info = crate::model::Catalogue::embedded().get(id)?;
            self.desk.permit(info).err()
        });
        if let Some(error) = restricted {
            self.provenance.note(name, error.to_string());
            return None;
        }
        if let Some(note) = figure.reason.as_ref().or(figure.basis.as_ref()) {
            self.provenance.note(name, note.clone());
        }
        if let Some(date) = figure.date {
            self.dates.insert(name.to_owned(), date.to_string());
        }
        figure.value.map(|v| round_to(v, 4))
    }

    fn composite(&mut self, name: &str, id: &str, decimals: i32) -> Result<Option<f64>> {
        let Some(composite) = indicators::composite(id) else {
            return Ok(None);
        };
        let reading = self.desk.reading(composite, self.as_of)?;
        if let Some(reason) = &reading.reason {
            self.provenance.note(name, reason.clone());
        } else if !reading.basis.is_empty() {
            self.provenance.note(name, reading.basis.join("; "));
        }
        if reading.value.is_some() {
            self.dates.insert(name.to_owned(), reading.date.to_string());
        }
        Ok(reading.value.map(|v| round_to(v, decimals)))
    }

    fn regime(&mut self) -> Result<RegimeLine> {
        let now = self.desk.regimes(self.as_of)?;
        if let Some(reason) = &now.now.reason {
            self.provenance.note("regime", reason.clone());
        }
        if let Some(state) = &now.now.state {
            self.dates.insert("regime".into(), state.month.to_string());
        }
        Ok(RegimeLine {
            current: now.now.regime.word().to_owned(),
            confidence: now.now.confidence,
            trajectory: now.now.trajectory.name().to_lowercase(),
        })
    }
}
