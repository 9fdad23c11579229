//! `explain_indicator`: what a composite or the regime is made of, now and a month ago, and what moved it.
//!
//! Points add up: a score's value is its base (every input at its reference) and the points of its inputs.

use super::endpoint::{Endpoint, Spec};
use super::provenance::{Provenance, parse_as_of};
use crate::desk::Desk;
use crate::error::Result;
use crate::indicators::prose::{number, signed};
use crate::indicators::{self, Composite, narrative_velocity, regime};
use crate::model::catalogue::round_to;
use crate::model::frequency::shift;
use crate::model::{AsOf, Attribution, Date};
use jiff::ToSpan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod parts;
use parts::{Half, Part};

/// Declaration and functions.
pub struct ExplainIndicator;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Which.
    indicator: Indicator,
    /// As known on this day, YYYY-MM-DD.
    #[schemars(length(max = 10))]
    as_of: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Indicator {
    Crpi,
    Cnli,
    Cmsi,
    Crai,
    Nvi,
    #[serde(rename = "regime")]
    Regime,
}

impl Indicator {
    fn composite(self) -> Option<&'static Composite> {
        match self {
            Self::Crpi => indicators::composite("SERVICE_CRPI"),
            Self::Cnli => indicators::composite("SERVICE_CNLI"),
            Self::Cmsi => indicators::composite("SERVICE_CMSI"),
            Self::Crai => indicators::composite("SERVICE_CRAI"),
            Self::Nvi | Self::Regime => None,
        }
    }
}

/// A figure that inputs add up to; composites have one, the regime two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// What it is.
    pub name: String,
    /// Unit of value and points.
    pub unit: String,
    /// Date of the value.
    pub date: Option<Date>,
    /// `base` plus the points of its inputs.
    pub value: Option<f64>,
    /// Value with every input at its reference.
    pub base: f64,
    /// Value a month earlier, as known then.
    pub value_before: Option<f64>,
    /// Base a month earlier.
    pub base_before: f64,
}

/// One input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// Score it belongs to.
    pub score: String,
    /// What it measures.
    pub name: String,
    /// Series it is read from.
    pub series: String,
    /// Unit of its value.
    pub unit: String,
    /// Weight in the score, 0 to 1.
    pub weight: f64,
    /// Date of the newest figure in it.
    pub date: Option<Date>,
    /// The input after its transform.
    pub value: Option<f64>,
    /// Points it adds to the score.
    pub points: Option<f64>,
    /// Value a month earlier, as known then.
    pub value_before: Option<f64>,
    /// Points a month earlier.
    pub points_before: Option<f64>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// CRPI, CNLI, CMSI, CRAI, NVI or regime.
    pub indicator: String,
    /// Full name.
    pub name: String,
    /// Method and version.
    pub method: String,
    /// One line of plain text.
    pub formula: String,
    /// Where the method comes from.
    pub method_source: String,
    /// Band or regime; null without a value.
    pub label: Option<String>,
    /// Day a month earlier that is compared with.
    pub before: Date,
    /// Scores.
    pub scores: Vec<Score>,
    /// Inputs.
    pub inputs: Vec<Line>,
    /// What moved it since, in words.
    pub moved: String,
    /// What it means.
    pub interpretation: String,
    /// Credit line.
    pub attribution: Attribution,
    /// State of knowledge.
    #[serde(flatten)]
    #[schemars(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for ExplainIndicator {
    const SPEC: Spec = Spec {
        tool: "explain_indicator",
        title: "Why an indicator stands there",
        path: "/api/public/explain/{indicator}",
        summary: "What a composite or the regime is made of: formula, inputs, points, what moved it",
        description: "Use this when asked why a composite (CRPI, CNLI, CMSI, CRAI) or the regime stands where it does, or \
            what drove it: formula, inputs with weight and points, and those of a month before. Do not use it \
            for the value alone: use get_metric.",
        max_age: 300,
        in_contract: false,
        example: &[("indicator", "CRPI")],
    };
    type Params = Params;
    type Output = Output;

    fn local(desk: &Desk, params: &Params) -> Result<Output> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let day = desk.data_date(as_of)?.as_of;
        let before = shift(day, (-1).month());
        let (now, then) = (
            half(desk, params.indicator, as_of)?,
            half(desk, params.indicator, AsOf::Day(before))?,
        );
        let mut provenance = Provenance::of(desk, as_of)?;
        provenance.rests_on(desk, as_of, now.reads.iter().copied())?;
        if let Some(reason) = &now.reason {
            provenance.note("value", reason.clone());
        }
        if !now.basis.is_empty() {
            provenance.note("basis", now.basis.join("; "));
        }
        let scores: Vec<Score> = now
            .scores
            .iter()
            .map(|s| {
                let old = then.scores.iter().find(|o| o.name == s.name);
                Score {
                    value_before: old.and_then(|o| o.value).map(rounded),
                    base_before: rounded(old.map_or(0.0, |o| o.base)),
                    ..s.clone()
                }
            })
            .collect();
        let lines = lines(desk, &now, &then);
        let about = About::of(params.indicator);
        Ok(Output {
            indicator: about.indicator.into(),
            name: about.name.into(),
            method: about.method.into(),
            formula: about.formula.into(),
            method_source: about.source.into(),
            moved: moved(&scores, &lines, (&now, &then)),
            label: now.label,
            before,
            scores,
            inputs: lines,
            interpretation: now.interpretation,
            attribution: desk.attribution(),
            provenance,
        })
    }

    fn text(o: &Output, _: &Params) -> String {
        use std::fmt::Write;
        let mut text = format!("{} ({}, {})", o.name, o.indicator, o.method);
        for s in &o.scores {
            let value = s.value.map_or("null".into(), |v| number(v, 2));
            let old = s.value_before.map_or("null".into(), |v| number(v, 2));
            let _ = write!(
                text,
                "; {} {value} {}, a month earlier {old}",
                s.name, s.unit
            );
            if s.base != 0.0 {
                let _ = write!(text, ", base {}", number(s.base, 2));
            }
        }
        if let Some(label) = &o.label {
            let _ = write!(text, "; {label}");
        }
        let _ = write!(
            text,
            ".\n{}\nFormula: {}.\nInputs (points; a month earlier):",
            o.moved, o.formula
        );
        for i in &o.inputs {
            let _ = write!(text, "\n- {}", said(i));
        }
        let p = &o.provenance;
        let _ = write!(
            text,
            "\n{}\nMethod: {}. {} {}\n{}: {}",
            o.interpretation,
            o.method_source,
            p.sentence(),
            p.missing(),
            o.attribution.text,
            o.attribution.url
        );
        text
    }
}

/// An input as a line for a model.
fn said(i: &Line) -> String {
    let (Some(value), Some(date)) = (i.value, i.date) else {
        let why = i.missing.as_deref().unwrap_or("no value");
        return format!("{} ({}): missing, {why}", i.name, i.series);
    };
    let points = |p: Option<f64>| p.map_or("none".into(), |p| signed(p, 2));
    format!(
        "{} ({}): {} {} on {date}, weight {:.2}: {} ({})",
        i.name,
        i.series,
        number(value, 3),
        i.unit,
        i.weight,
        points(i.points),
        points(i.points_before)
    )
}

/// What is fixed about an indicator.
struct About {
    indicator: &'static str,
    name: &'static str,
    method: &'static str,
    formula: &'static str,
    source: &'static str,
}

impl About {
    fn of(indicator: Indicator) -> Self {
        if let Some(c) = indicator.composite() {
            return Self {
                indicator: c
                    .id
                    .trim_start_matches(crate::model::resolve::DEFAULT_PREFIX),
                name: c.name,
                method: c.method,
                formula: c.formula,
                source: c.source,
            };
        }
        if indicator == Indicator::Nvi {
            return Self {
                indicator: "NVI",
                name: narrative_velocity::NAME,
                method: narrative_velocity::METHOD,
                formula: narrative_velocity::FORMULA,
                source: "Own method over dated texts of public agencies",
            };
        }
        Self {
            indicator: "regime",
            name: "Macro regime",
            method: regime::METHOD,
            formula: regime::FORMULA,
            source: regime::SOURCE,
        }
    }
}

fn half(desk: &Desk, indicator: Indicator, as_of: AsOf) -> Result<Half> {
    match (indicator.composite(), indicator) {
        (Some(composite), _) => Half::of_composite(desk, composite, as_of),
        (None, Indicator::Regime) => Half::of_regime(desk, as_of),
        (None, _) => Half::of_texts(desk, as_of),
    }
}

/// The inputs of both days, matched by score and name; figures that may not be passed on are left out.
fn lines(desk: &Desk, now: &Half, then: &Half) -> Vec<Line> {
    let line = |p: &Part| {
        let old = then
            .parts
            .iter()
            .find(|o| (o.score, o.name) == (p.score, p.name));
        let barred = desk.barred(&p.series);
        let may = |v: Option<f64>| v.filter(|_| barred.is_none()).map(rounded);
        Line {
            score: p.score.into(),
            name: p.name.into(),
            series: p.series.join(", "),
            unit: p.unit.into(),
            weight: rounded(p.weight),
            date: p.date,
            value: may(p.value),
            points: p.points.map(rounded),
            value_before: may(old.and_then(|o| o.value)),
            points_before: old.and_then(|o| o.points).map(rounded),
            missing: barred
                .as_ref()
                .map(ToString::to_string)
                .or_else(|| p.missing.clone()),
        }
    };
    now.parts.iter().map(line).collect()
}

fn rounded(value: f64) -> f64 {
    round_to(value, 4)
}

/// Inputs whose move is named.
const NAMED: usize = 3;

/// "recession probability down 1.4 percent to 12.6: building permits -1.2, …" for every score.
fn moved(scores: &[Score], lines: &[Line], (now, then): (&Half, &Half)) -> String {
    let mut sentences: Vec<String> = scores.iter().filter_map(|s| one_move(s, lines)).collect();
    if let (Some(label), Some(old)) = (&now.label, &then.label)
        && label != old
    {
        sentences.insert(0, format!("{label} now, {old} a month earlier."));
    }
    if sentences.is_empty() {
        "Its movement cannot be told: a value is missing.".into()
    } else {
        sentences.join(" ")
    }
}

fn one_move(score: &Score, lines: &[Line]) -> Option<String> {
    let change = score.value? - score.value_before?;
    let mut moves: Vec<(&str, f64)> = lines
        .iter()
        .filter(|l| l.score == score.name)
        .map(|l| {
            let points = l.points.unwrap_or(0.0) - l.points_before.unwrap_or(0.0);
            (l.name.as_str(), points)
        })
        .collect();
    moves.push(("base", score.base - score.base_before));
    moves.retain(|(_, points)| points.abs() >= 0.005);
    moves.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let named: Vec<String> = moves
        .iter()
        .take(NAMED)
        .map(|(name, points)| format!("{name} {}", signed(*points, 2)))
        .collect();
    let named = if named.is_empty() {
        "no input moved it".to_owned()
    } else {
        named.join(", ")
    };
    Some(format!(
        "{} {} {} over the month: {named}.",
        crate::indicators::prose::capitalised(&score.name),
        signed(change, 2),
        score.unit
    ))
}
