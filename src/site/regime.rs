//! The page of the macro regime: the plane with its past path, the inputs of the composites, and the scenarios.

use super::error_page::describe_gap;
use super::prelude::*;
use super::text::{describe_data_age, format_percent, format_points, format_whole};
use super::widgets::regime_label;
use super::{home, quadrant};
use econoscope_answers::endpoints::explain_indicator::Explanation;
use econoscope_answers::endpoints::regime::{MonthlyRegime, RegimeAnswer, monthly_regimes};
use econoscope_answers::endpoints::scenarios::{Scenario, ScenarioList};
use econoscope_core::format::{Unit, month, signed};
use econoscope_core::indicators::{Indicator, established};
use std::collections::BTreeMap;

/// Months in the path of the plane.
pub(super) const MONTHS: usize = 24;

/// What a server that forwards says of this page.
const OWN_PARTS: &str = "The regime and the scenarios are those of the upstream; the gauges, the line and the months are from the local data of this server.";

#[derive(Template)]
#[template(path = "regime.html")]
struct Page<'a> {
    frame: Frame,
    /// The reference day of the request; empty for today. Scenarios are always those of today.
    as_of: &'a str,
    regime: RegimeAnswer,
    plane: String,
    /// Every month with the figures known on the reference day; empty for the regime of an upstream.
    months: Vec<MonthlyRegime>,
    /// Months with the figures known at their end; none before the first vintage.
    real_time: BTreeMap<Date, MonthlyRegime>,
    /// Identifiers of the composites, and their inputs.
    composites: Vec<(String, &'static Indicator, Result<Explanation>)>,
    scenarios: Vec<Scenario>,
    is_forwarded: bool,
}

pub(super) fn calls(request: &PageRequest, _: bool) -> Vec<EndpointCall> {
    let as_of = ("as_of", request.form_value("as_of"));
    let explanation =
        |ticker: &str| EndpointCall::new("explain_indicator", [("indicator", ticker), as_of]);
    let mut calls = vec![EndpointCall::new("get_regime", [as_of])];
    calls.extend(established().map(|composite| explanation(composite.indicator.ticker())));
    calls.push(EndpointCall::new("list_scenarios", [("limit", "100")]));
    calls
}

pub(super) fn page(desk: &Desk, request: &PageRequest, mut answers: Answers) -> Result<Document> {
    let as_of = request.as_of(desk)?;
    let regime: RegimeAnswer = answers.read()?;
    let mut frame = Frame::of(desk, "/regime").with_preview("", Some("/chart/regime.png".into()));
    frame.data_age = if answers.is_forwarded {
        OWN_PARTS.to_owned()
    } else {
        describe_data_age(as_of, &regime.provenance)
    };
    let composites = established()
        .map(|composite| {
            let about = &composite.indicator;
            let info = desk.resolve("series", about.id)?;
            Ok((desk.display_id(&info.id), about, answers.read()))
        })
        .collect::<Result<_>>()?;
    let scenarios: ScenarioList = answers.read()?;
    let mut months = monthly_regimes(desk, as_of, false)?;
    if months.last().map(|m| m.month) != regime.month {
        months.clear();
    }
    let real_time = monthly_regimes(desk, as_of, true)?.into_iter();
    let path = home::regime_path(desk, as_of, &regime, MONTHS)?;
    render_page(&Page {
        as_of: request.form_value("as_of"),
        months,
        real_time: real_time.map(|m| (m.month, m)).collect(),
        plane: quadrant::draw_large(&path, regime_label(&regime.regime))?,
        scenarios: scenarios.scenarios,
        is_forwarded: answers.is_forwarded,
        composites,
        regime,
        frame,
    })
}

/// Formats the value of a composite with its label, or why there is none.
pub(super) fn format_value(explanation: &Explanation, about: &Indicator) -> String {
    let score = explanation.scores.first();
    if let Some((value, score)) = score.and_then(|score| Some((score.value?, score))) {
        let label = enclosed(", ", explanation.label.as_deref().unwrap_or_default(), "");
        let decimals = Catalogue::of_indicator(about).map_or(2, |info| info.decimals);
        return Unit::parse(&score.unit, "").write(value, usize::from(decimals)) + &label;
    }
    let noted = explanation.provenance.notes.get("value");
    let reason = enclosed(": ", noted.map_or("", String::as_str), "");
    format_dates(&format!("Not available{reason}"))
}

/// Returns points as a share of the largest ones of the answer.
fn bar_share(points: &f64, explanation: &Explanation) -> f64 {
    let inputs = explanation.inputs.iter();
    let sizes = inputs.flat_map(|input| [input.points, input.points_before]);
    points / sizes.flatten().map(f64::abs).fold(0.01, f64::max)
}

/// Returns the interval of a base rate in percent, or else the rate twice.
fn rate_interval(rate: &f64, scenario: &Scenario) -> [f64; 2] {
    let interval = scenario.base_rate_interval.unwrap_or([*rate, *rate]);
    interval.map(|share| share * 100.0)
}
