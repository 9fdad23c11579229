//! `explain_indicator`: what a composite or the regime is made of, now and a month ago, and what moved it.
//!
//! Points add up: a score's value is its base (every input at its reference) and the points of its inputs.

mod alarms;
mod answer;
mod hindsight;
mod side;

pub use alarms::{AlarmDates, AlarmHistory};
pub use answer::{
    AsRevised, ExplainedInput, Explanation, ProbitAnswer, RevisedLabel, RevisedScore, Score,
    TrialVersion,
};

use super::days::parse_as_of;
use super::provenance::framed;
use super::signals::shown_value;
use super::what_changed;
use crate::endpoints::prelude::*;
use econoscope_core::indicators::prose::{capitalised, number};
use econoscope_core::indicators::recession::{CRPI, CRPI2};
use econoscope_core::indicators::regime::REGIME;
use econoscope_core::indicators::{self, Indicator, sahm};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::quantity::in_words;
use econoscope_data::desk::scores::{ScoreTable, Scores};
use jiff::ToSpan;
use schemars::{Schema, SchemaGenerator, json_schema};
use side::{ComparisonSide, interpretation};
use std::collections::BTreeMap;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Which.
    #[schemars(schema_with = "tickers")]
    indicator: String,
    /// As known on this day, month, quarter or year: 2008-12-31, Q4 2008.
    as_of: Option<String>,
    /// Compares with this earlier day instead of a month before: 2026-01-15, 13w, 1y.
    since: Option<String>,
}

impl Params {
    /// The day compared with, in words.
    fn earlier(&self, before: Date) -> String {
        match self.since {
            Some(_) => format!("on {before}"),
            None => "a month earlier".to_owned(),
        }
    }
}

/// Every indicator there is, and the Sahm rule.
fn known() -> impl Iterator<Item = &'static Indicator> {
    indicators::indicators().chain([&sahm::SAHM])
}

/// What may be asked for.
fn tickers(_: &mut SchemaGenerator) -> Schema {
    let tickers: Vec<&str> = known().map(Indicator::ticker).collect();
    json_schema!({ "type": "string", "enum": tickers })
}

impl Endpoint for Params {
    const SPEC: Spec = Spec {
        tool: "explain_indicator",
        title: "Why an indicator stands there",
        path: "/api/public/explain/{indicator}",
        summary: "What a composite or the regime is made of: formula, inputs, points, what moved it",
        description: "Use this when asked why a composite (recession probability CRPI and RNOW, net liquidity CNLI, stress \
            CMSI, risk appetite CRAI), the Sahm rule or the regime is where it is or so high, what is driving it, \
            or when its alarm was on: breaks it down into formula, inputs with weight and points, and those of a \
            month before or another day. Do not use it for the value alone: use get_metric.",
        max_age: 300,
        in_contract: false,
        example: &[("indicator", "CRPI")],
    };
    const PROVENANCE: Kept<Explanation> = Some(|answer| &mut answer.provenance);
    type Output = Explanation;

    fn omitted(&self) -> &'static [&'static str] {
        &["record[1..]"]
    }

    fn local(desk: &Desk, params: &Self) -> Result<Explanation> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let about = known().find(|known| known.ticker() == params.indicator);
        let about = about.ok_or_else(|| Error::unknown("indicator", &params.indicator, vec![]))?;
        let mut now = ComparisonSide::of(desk, about, as_of)?;
        let day = desk.data_date(now.reads.iter().copied(), as_of)?.as_of;
        let before = match params.since.as_deref() {
            Some(text) => what_changed::since(text, day, desk.today())?,
            None => shift(day, (-1).month()),
        };
        let then = ComparisonSide::of(desk, about, AsOf::Day(before))?;
        now.compare(&then);
        let mut provenance = Provenance::of(desk, as_of, now.reads.iter().copied())?;
        provenance.note("value", now.reason.as_deref().unwrap_or_default());
        provenance.note("basis", now.basis.join("; "));
        provenance.note_past(desk, "before", before, now.reads.iter().copied())?;
        match indicators::composite(about.id) {
            Some(composite) => {
                let reading = desk.reading(composite, as_of)?;
                provenance.note_reading("value", about, &reading, desk.present(as_of));
            }
            None if about.id == REGIME.id => provenance.note_regime(&desk.regimes(as_of)?.now),
            None => {}
        }
        let hindsight = AsRevised::of(desk, about, as_of, &now.scores)?;
        if let (Err(why), [_, ..]) = (&hindsight, now.reads.as_slice()) {
            provenance.note("hindsight", *why);
        }
        Ok(Explanation {
            indicator: about.ticker().into(),
            name: about.title.into(),
            method: about.method.into(),
            formula: about.formula.into(),
            method_source: about.source.into(),
            moved: moved(&now, &then, params.since.is_some(), &params.earlier(before)),
            probits: probits(&now, &then),
            alarm: AlarmHistory::of(desk, about, as_of)?,
            label: now.label,
            before,
            scores: now.scores,
            inputs: now.inputs,
            interpretation: interpretation(desk, about, as_of)?,
            experimental: on_trial(desk, about, as_of)?,
            record: Scores::embedded().of(about.ticker()),
            hindsight: hindsight.ok(),
            attribution: desk.attribution(),
            provenance,
        })
    }

    fn text(a: &Explanation, params: &Self) -> String {
        let earlier = params.earlier(a.before);
        let mut text = format!("{} ({}, {})", a.name, a.indicator, a.method);
        for s in &a.scores {
            let value = |v: Option<f64>| match v {
                Some(v) => format!("{} {}", number(v, 2), in_words(&s.unit)),
                None => "not available".to_owned(),
            };
            let (now, old) = (value(s.value), value(s.value_before));
            text += &format!("; {} {now}, {earlier} {old}", s.name);
            if s.base != 0.0 {
                text += &format!(", base {}", number(s.base, 2));
            }
        }
        text.extend(a.label.iter().map(|label| format!("; {label}")));
        text += &format!(".\n{}\nFormula: {}.", a.moved, a.formula);
        text += &format!("\nInputs (points; {earlier}):");
        text.extend(a.inputs.iter().map(|i| format!("\n- {}", in_prose(i))));
        text += &probits_in_prose(&a.probits, &earlier);
        text.extend(a.alarm.iter().map(AlarmHistory::in_prose));
        let hindsight = a.hindsight.iter();
        text.extend(hindsight.map(|h| format!("\n{}", h.in_prose(a.label.as_deref()))));
        text.extend(a.experimental.iter().map(|other| {
            let (series, method, meaning) = (&other.series, &other.method, &other.meaning);
            format!("\nOn trial beside it, {series} ({method}): {meaning}")
        }));
        text += &record_in_prose(&a.record);
        text += &format!("\n{}\nMethod: {}. ", a.interpretation, a.method_source);
        let closing = a.provenance.closing(&a.attribution);
        text + closing.trim_start_matches('\n')
    }
}

/// The probits of now with what they said before.
fn probits(now: &ComparisonSide, then: &ComparisonSide) -> BTreeMap<String, ProbitAnswer> {
    let probit = |(name, value): &(String, f64)| {
        let before = then.probits.iter().find(|(old, _)| old == name);
        let answer = ProbitAnswer {
            value: round_to(*value, 4),
            value_before: before.map(|(_, value)| round_to(*value, 4)),
        };
        (name.clone(), answer)
    };
    now.probits.iter().map(probit).collect()
}

/// The probits as a line; nothing where there are none.
fn probits_in_prose(probits: &BTreeMap<String, ProbitAnswer>, earlier: &str) -> String {
    let probit = |(name, probit): (&String, &ProbitAnswer)| {
        let before = probit.value_before.map(|v| number(v, 2));
        let before = framed(" (", before.as_deref().unwrap_or_default(), " %)");
        format!("on {name} {} %{before}", number(probit.value, 2))
    };
    let head = format!("\nThe value is the mean of these probits ({earlier}): ");
    framed(&head, &joined(probits.iter().map(probit), "; "), ".")
}

/// The second version of the recession probability, beside the first.
fn on_trial(desk: &Desk, about: &Indicator, as_of: AsOf) -> Result<Option<TrialVersion>> {
    if about.id != CRPI.about.id {
        return Ok(None);
    }
    let reading = desk.reading(&CRPI2, as_of)?;
    Ok(Some(TrialVersion {
        series: Catalogue::of(&CRPI2.about)
            .map_or_else(String::new, |info| desk.shown_id(&info.id)),
        method: CRPI2.about.method.to_owned(),
        value: shown_value(&CRPI2.about, &reading),
        meaning: (CRPI2.interpret)(&reading),
    }))
}

/// A record of so many characters is long enough for the text.
const LONG_RECORD: usize = 800;

/// The record as lines for a model, as far as it is short: nobody who asks for one figure wants pages of it.
fn record_in_prose(record: &[ScoreTable]) -> String {
    let mut text = String::new();
    let mut left = record.iter();
    for table in left.by_ref() {
        text += &format!("\nRecord, {}", table.in_prose());
        if text.len() > LONG_RECORD {
            break;
        }
    }
    if left.len() > 0 {
        let where_to = "macro://scores";
        text += &format!("\nMore of its record ({} tables): {where_to}.", left.len());
    }
    text
}

/// An input as a line for a model.
fn in_prose(i: &ExplainedInput) -> String {
    let (mut name, unit) = (i.name.clone(), &i.unit);
    if !i.series.is_empty() {
        name += &format!(" ({})", i.series);
    }
    let (Some(value), Some(date)) = (i.value, i.date) else {
        let why = i.missing.as_deref().unwrap_or("no value");
        return format!("{name}: missing, {why}");
    };
    let points = |p: Option<f64>| p.map_or("none".into(), |p| signed(p, 2));
    let (now, before) = (points(i.points), points(i.points_before));
    let value = number(value, 3);
    let weight = i.weight.map(|weight| format!(", weight {weight:.2}"));
    let weight = weight.unwrap_or_default();
    format!("{name}: {value} {unit} on {date}{weight}: {now} ({before})")
}

/// Inputs whose move is named, unless the day compared with is asked for.
const NAMED: usize = 3;

/// "Value -1.40 points against what was known a month earlier: building permits -1.20, …" for every score, with the moves
/// of all inputs where `is_whole`; before them, a new label.
fn moved(now: &ComparisonSide, before: &ComparisonSide, is_whole: bool, earlier: &str) -> String {
    let labels = now.label.as_ref().zip(before.label.as_ref());
    let labels = labels.filter(|(label, old)| label != old);
    let labels = labels.map(|(label, old)| format!("{label} now, {old} {earlier}."));
    let scores = now.scores.iter();
    let most = if is_whole { usize::MAX } else { NAMED };
    let scores = scores.filter_map(|s| moved_score(s, &now.inputs, most, earlier));
    let said = joined(labels.into_iter().chain(scores), " ");
    match said.is_empty() {
        true => "Change unavailable: a value is missing.".into(),
        false => said,
    }
}

fn moved_score(
    score: &Score,
    inputs: &[ExplainedInput],
    most: usize,
    earlier: &str,
) -> Option<String> {
    let change = score.value? - score.value_before?;
    let points = |i: &ExplainedInput| i.points.unwrap_or(0.0) - i.points_before.unwrap_or(0.0);
    let own = inputs.iter().filter(|i| i.score == score.name);
    let mut moves: Vec<(&str, f64)> = own.map(|i| (i.name.as_str(), points(i))).collect();
    moves.push(("base", score.base - score.base_before));
    moves.retain(|(_, points)| points.abs() >= 0.005);
    moves.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let largest = moves.iter().take(most);
    let named = largest.map(|(name, points)| format!("{name} {}", signed(*points, 2)));
    let named = match moves.is_empty() {
        true => "no input moved it".to_owned(),
        false => joined(named, ", "),
    };
    let (name, change) = (capitalised(&score.name), signed(change, 2));
    let unit = match score.unit.as_str() {
        "%" => "points".to_owned(),
        unit => in_words(unit),
    };
    Some(format!(
        "{name} {change} {unit} against what was known {earlier}: {named}."
    ))
}
