//! Alarms, switches of regime, and what moved an index over a span, each with its dates.

use super::Question;
use super::derived::round;
use crate::support::{by, on, rows};
use serde_json::json;

pub(super) fn questions() -> Vec<Question> {
    [alarms(), regimes(), moves()]
        .into_iter()
        .flatten()
        .collect()
}

/// Runs of months at 0.5 or more: the first month of each and the first after it.
fn signals() -> Vec<(String, Option<String>)> {
    let mut runs: Vec<(String, Option<String>)> = Vec::new();
    for (month, value) in rows("SAHMREALTIME") {
        match runs.last_mut().filter(|run| run.1.is_none()) {
            Some(run) if value < 0.5 => run.1 = Some(month),
            None if value >= 0.5 => runs.push((month, None)),
            _ => {}
        }
    }
    runs
}

fn alarms() -> Vec<Question> {
    let signals = signals();
    let first = &signals[0];
    let crisis = &signals[signals.len() - 3];
    vec![
        Question::new(
            "When did the Sahm rule signal a recession?",
            "explain_indicator",
            json!({"indicator": "SAHM"}),
        )
        .at("/alarm/on", false)
        .at("/alarm/periods/2/on", crisis.0.as_str())
        .at("/alarm/periods/2/off", crisis.1.as_deref())
        .at("/alarm/periods/2/recession", "2008-01 to 2009-06")
        .at("/alarm/periods/13/on", first.0.as_str())
        .says(format!("It was on {} times", signals.len()))
        .says(format!("\n{},2008-05-02,", crisis.0)),
        // 227 days after the end of the peak's month, 30 after that of the trough's.
        Question::new(
            "When did the recession alarm go on in 2008, and when off?",
            "explain_indicator",
            json!({"indicator": "RNOW"}),
        )
        .with_vintages()
        .at("/alarm/periods/1/on_known", "2008-08-14")
        .at("/alarm/periods/1/off_known", "2009-07-30")
        .says("\n2008-08-09,2008-08-14,2009-07-25,2009-07-30,2008-01 to 2009-06"),
        Question::new(
            "Does the recession alarm ring?",
            "get_metric",
            json!({"ticker": "RNOW"}),
        )
        .with_vintages()
        .at("/ticker", "SERVICE_RNOW")
        .says("alarm off since November 2020."),
        Question::new(
            "Since which week has the recession alarm been off?",
            "explain_indicator",
            json!({"indicator": "RNOW"}),
        )
        .with_vintages()
        .at("/alarm/on", false)
        .at("/alarm/periods/0/off", "2020-11-07")
        .says("\n2020-03-28,2020-04-02,2020-11-07,2020-11-12,2020-03 to 2020-04"),
    ]
}

fn regimes() -> Vec<Question> {
    vec![
        Question::new(
            "When did the regime switch in 2020?",
            "get_regime",
            json!({"switches": true, "start": "2020-01", "end": "2020-12"}),
        )
        .with_vintages()
        .at("/switches/1/from", "2020-04-01")
        .at("/switches/1/to", "2020-10-01")
        .at("/switches/1/regime", "DEFLATION")
        .at("/switches/1/months", 7)
        .says("2020-04: GOLDILOCKS to DEFLATION, until 2020-10 (7 months)"),
        // The documented study: 9 % a year against 11 %.
        Question::new(
            "What have stocks returned in stagflation?",
            "get_regime",
            json!({"regime": "Stagflation"}),
        )
        .with_vintages()
        .at("/named/regime", "STAGFLATION")
        .at("/assetViews/equities/inRegime", 9)
        .at("/assetViews/equities/elsewhere", 11)
        .says("not the present regime, which is REFLATION")
        .says("US equities returned 9 % a year in Stagflation months against 11 % in others"),
        Question::new(
            "What was the regime of March 2025 as known then, and what is said of it now?",
            "get_regime",
            json!({"as_of": "2025-03-31", "start": "2025-03", "as_known": true}),
        )
        .with_vintages()
        .at("/regime", "REFLATION")
        .at("/hindsight/regime", "STAGFLATION")
        .says("the regime differs, REFLATION and STAGFLATION"),
        // Φ(0.16/0.20) · Φ(0.06/0.12) is 0.55 with scores that are not rounded.
        Question::new(
            "Why was the regime Goldilocks in September 2005, with 24 % confidence?",
            "explain_indicator",
            json!({"indicator": "regime", "as_of": "2005-09-20"}),
        )
        .with_vintages()
        .at("/label", "GOLDILOCKS")
        .says("REFLATION is likelier (55 %), but growth and inflation change sides only past 0.10: inflation is at +0.06"),
    ]
}

/// The normal distribution function by its series.
fn normal(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    for n in 1..60 {
        term *= x * x / (2.0 * f64::from(n) + 1.0);
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// The mean over a month.
fn mean(id: &str, month: &str) -> f64 {
    let all = rows(id);
    let own = all.iter().filter(|(date, _)| date.starts_with(month));
    let values: Vec<f64> = own.map(|(_, value)| *value).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

fn moves() -> Vec<Question> {
    let week = "2026-08-19";
    let before = "2026-05-20";
    let parts = |day: &str| {
        let reverse = by("RRPONTSYD", day).1;
        [
            on("WALCL", day) / 1e6,
            -on("WTREGEN", day) / 1e6,
            -reverse / 1e3,
        ]
    };
    let now = parts(week);
    let then = parts(before);
    let change = (
        now.iter().sum::<f64>() - then.iter().sum::<f64>(),
        now[1] - then[1],
    );
    let spread = mean("T10Y3M", "2026-08");
    let conditions = mean("NFCI", "2026-08");
    let permits = |year: &str| {
        let month = |m: &str| on("PERMIT", &format!("{year}-{m}-01"));
        month("05") + month("06") + month("07")
    };
    let growth = 100.0 * (permits("2026") / permits("2025")).ln();
    let curve = 100.0 * normal(-0.5333 - 0.6330 * spread);
    let three = -0.4101 - 0.4916 * spread + 0.8150 * conditions - 0.0268 * growth;
    let three = 100.0 * normal(three);
    vec![
        Question::new(
            "What moved net liquidity over the past 13 weeks?",
            "explain_indicator",
            json!({"indicator": "CNLI", "since": "13w"}),
        )
        .at("/inputs/0/points_before", round(then[0], 4))
        .at("/inputs/1/points_before", round(then[1], 4))
        .at("/inputs/2/points_before", round(then[2], 4))
        .says(format!("Value {:+.2} trillion dollars", change.0))
        .says(format!("{:+.2}", change.1)),
        Question::new(
            "What do the two models behind the recession probability say?",
            "explain_indicator",
            json!({"indicator": "CRPI"}),
        )
        .at("/probits/term spread/value", round(curve, 4))
        .at(
            "/probits/term spread, financial conditions, building permits/value",
            round(three, 4),
        )
        .says(format!("on term spread {curve:.2} %"))
        .says(format!("building permits {three:.2} %")),
    ]
}
