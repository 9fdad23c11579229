//! `what_changed`: regime, composites and key figures now against a day before, the most unusual moves first.
//!
//! Both sides are what was known on their day. A move is set against the moves of the same figure over the
//! same span in the last twenty years; the unit of comparison is their standard deviation.

use super::endpoint::{Endpoint, Spec};
use super::provenance::{Provenance, parse_as_of, parse_day};
use super::time_series::relative;
use crate::desk::Desk;
use crate::error::{Error, Result};
use crate::indicators::prose::signed;
use crate::indicators::{COMPOSITES, regime};
use crate::model::catalogue::round_to;
use crate::model::{AsOf, Attribution, Catalogue, Date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod moves;
use moves::{KEY, Move, Outcome};

/// Declaration and functions.
pub struct WhatChanged;

/// Moves given in full; smaller ones are named.
const SHOWN: usize = 12;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Day, YYYY-MM-DD, or 7d, 30d, 6m, ytd.
    #[schemars(length(min = 1, max = 10))]
    since: String,
    /// As known on this day, YYYY-MM-DD.
    #[schemars(length(max = 10))]
    as_of: Option<String>,
}

/// The regime on both days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Regimes {
    /// Label now.
    pub now: String,
    /// Its probability, percent.
    pub confidence: Option<f64>,
    /// Label then, as known then.
    pub then: String,
    /// Its probability, percent.
    pub confidence_then: Option<f64>,
}

/// A figure on both days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Identifier.
    pub id: String,
    /// Full name, and the transform where there is one.
    pub name: String,
    /// Value now.
    pub now: f64,
    /// Its date.
    pub date: Date,
    /// Value then, as known then.
    pub then: f64,
    /// Its date.
    pub date_then: Date,
    /// Unit of both values.
    pub unit: String,
    /// The move, in `change_unit`.
    pub change: f64,
    /// Unit of the move: the value's own, or percent.
    pub change_unit: String,
    /// The move in standard deviations of moves over the same span in 20 years; null with too short a history.
    pub unusual: Option<f64>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// Day compared with.
    pub since: Date,
    /// Regimes.
    pub regime: Regimes,
    /// The most unusual first.
    pub changes: Vec<Change>,
    /// Smaller moves, by identifier.
    pub smaller: Vec<String>,
    /// No newer figure since.
    pub unchanged: Vec<String>,
    /// Credit line.
    pub attribution: Attribution,
    /// State of knowledge.
    #[serde(flatten)]
    #[schemars(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for WhatChanged {
    const SPEC: Spec = Spec {
        tool: "what_changed",
        title: "What changed",
        path: "/api/public/what-changed",
        summary: "Regime, composites and key figures now against a day before, most unusual moves first",
        description: "Use this when asked what changed across the board since a day: regime, composites and headlines \
            compared, ranked by how unusual each move is. Do not use it for one series: use get_time_series.",
        max_age: 300,
        in_contract: false,
        example: &[("since", "30d")],
    };
    type Params = Params;
    type Output = Output;

    fn local(desk: &Desk, params: &Params) -> Result<Output> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let day = desk.data_date(as_of)?.as_of;
        let since = since(&params.since, day)?;
        let mut provenance = Provenance::of(desk, as_of)?;
        let composites = || COMPOSITES.iter().map(|c| c.id);
        let read = KEY.iter().map(|k| k.id).chain(composites());
        provenance.rests_on(desk, as_of, read.chain(regime::INPUTS.iter().copied()))?;
        let sides = moves::Sides { as_of, since };
        let mut found: Vec<Move> = Vec::new();
        let (mut unchanged, mut absent) = (Vec::new(), Vec::new());
        let mut sort = |id: &str, outcome| match outcome {
            Outcome::Moved(one) => found.push(one),
            Outcome::NoNewFigure => unchanged.push(id.to_owned()),
            Outcome::Absent => absent.push(id.to_owned()),
        };
        for composite in COMPOSITES {
            let outcome = moves::of_composite(desk, composite, sides)?;
            sort(composite.id, outcome);
        }
        for key in &KEY {
            sort(key.id, moves::of_key(desk, key, sides)?);
        }
        if !absent.is_empty() {
            let why = "not held, too old, or not passed on, on one of the two days";
            provenance.note("absent", format!("{}: {why}", absent.join(", ")));
        }
        let rank = |m: &Move| m.unusual.map_or(-1.0, f64::abs);
        found.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        let smaller = found.iter().skip(SHOWN).map(|m| m.id.to_owned()).collect();
        Ok(Output {
            since,
            regime: regimes(desk, as_of, since)?,
            changes: found
                .iter()
                .take(SHOWN)
                .filter_map(|m| change(desk, m))
                .collect(),
            smaller,
            unchanged,
            attribution: desk.attribution(),
            provenance,
        })
    }

    fn text(o: &Output, _: &Params) -> String {
        use std::fmt::Write;
        let sure = |c: Option<f64>| c.map_or(String::new(), |c| format!(" ({c} %)"));
        let r = &o.regime;
        let mut text = format!(
            "Since {}: regime {}{}, then {}{}.\nMoves, most unusual first (sd: standard deviations of moves over the \
             same span in 20 years):",
            o.since,
            r.now,
            sure(r.confidence),
            r.then,
            sure(r.confidence_then)
        );
        for c in &o.changes {
            let unusual = c.unusual.map_or("history too short".to_owned(), |u| {
                format!("{} sd", signed(u, 1))
            });
            let _ = write!(
                text,
                "\n- {} ({}): {} {} on {}, {} {} from {} on {} ({unusual})",
                c.name,
                c.id,
                c.now,
                c.unit,
                c.date,
                signed(c.change, 2),
                c.change_unit,
                c.then,
                c.date_then
            );
        }
        for (what, ids) in [
            ("Smaller moves", &o.smaller),
            ("No new figure", &o.unchanged),
        ] {
            if !ids.is_empty() {
                let _ = write!(text, "\n{what}: {}.", ids.join(", "));
            }
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

/// The day compared with: a day, or a span back from `day`.
fn since(text: &str, day: Date) -> Result<Date> {
    let since = relative(text, day).map_or_else(|| parse_day("since", text), Ok)?;
    if since < day {
        return Ok(since);
    }
    let allowed = format!("a day before {day}, the day of the data, or 7d, 30d, ytd");
    Err(Error::invalid(
        "since",
        text,
        "leaves no time for a change",
        &allowed,
    ))
}

fn regimes(desk: &Desk, as_of: AsOf, since: Date) -> Result<Regimes> {
    let (now, then) = (desk.regimes(as_of)?, desk.regimes(AsOf::Day(since))?);
    Ok(Regimes {
        now: now.now.regime.name().into(),
        confidence: now.now.confidence,
        then: then.now.regime.name().into(),
        confidence_then: then.now.confidence,
    })
}

/// A move as it is shown.
fn change(desk: &Desk, m: &Move) -> Option<Change> {
    let info = Catalogue::embedded().get(m.id)?;
    let decimals = if m.kind.is_yearly() {
        2
    } else {
        i32::from(info.decimals) + 1
    };
    let name = if m.kind.is_yearly() {
        format!("{}, from a year earlier", info.title)
    } else {
        info.title.clone()
    };
    Some(Change {
        id: desk.shown_id(&info.id),
        name,
        now: round_to(m.now.value, decimals),
        date: m.now.date,
        then: round_to(m.then.value, decimals),
        date_then: m.then.date,
        unit: m.kind.unit(info),
        change: round_to(m.change, if m.kind.is_percent() { 2 } else { decimals }),
        change_unit: m.kind.change_unit(info),
        unusual: m.unusual.map(|u| round_to(u, 2)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn since_is_a_day_or_a_span_back_from_the_data() {
        let day = date(2026, 8, 21);
        assert_eq!(since("7d", day).ok(), Some(date(2026, 8, 14)));
        assert_eq!(since("ytd", day).ok(), Some(date(2026, 1, 1)));
        assert_eq!(since("2026-03-01", day).ok(), Some(date(2026, 3, 1)));
        let late = since("2026-08-21", day).unwrap_err().to_string();
        assert!(
            late.contains("leaves no time") && late.contains("before 2026-08-21"),
            "{late}"
        );
        assert!(
            since("yesterday", day)
                .unwrap_err()
                .to_string()
                .contains("YYYY-MM-DD")
        );
    }
}
