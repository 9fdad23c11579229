//! The methods of the composites and the regime, with their current inputs as `explain_indicator` returns them.

use super::prelude::*;
use super::text::{format_percent, format_points};
use econoscope_answers::endpoints::explain_indicator::{ExplainedInput, Explanation};
use econoscope_core::indicators::Indicator;
use econoscope_core::indicators::expectation::FORMULAS;
use econoscope_core::model::series_info::round_to;
use econoscope_desk::reference;
use econoscope_desk::scores::Scores;

#[derive(Template)]
#[template(path = "methods.html")]
struct Page {
    frame: Frame,
    /// Identifiers of the indicators, and their inputs.
    methods: Vec<(String, &'static Indicator, Explanation)>,
}

pub(super) fn calls(_: &PageRequest, _: bool) -> Vec<EndpointCall> {
    let call =
        |about: &Indicator| EndpointCall::new("explain_indicator", [("indicator", about.ticker())]);
    reference::methods().map(call).collect()
}

pub(super) fn page(desk: &Desk, _: &PageRequest, mut answers: Answers) -> Result<Document> {
    let methods = reference::methods().map(|about| {
        let series = Catalogue::of_indicator(about).map(|info| desk.display_id(&info.id));
        let id = series.unwrap_or_else(|| about.id.to_owned());
        Ok((id, about, answers.read()?))
    });
    render_page(&Page {
        frame: Frame::of(desk, "/methods"),
        methods: methods.collect::<Result<_>>()?,
    })
}

fn format_value(input: &ExplainedInput) -> String {
    format_or_dash(input.value, |value| {
        format!("{} {}", format_exact(round_to(value, 2)), input.unit)
    })
}

/// Formats why a value is missing, without advice for operators.
fn format_missing(reason: &str) -> String {
    format_dates(reason.split("; an operator").next().unwrap_or(reason))
}

/// Formats the bands of an indicator: "low from 0, elevated from 30".
fn format_bands(about: &Indicator) -> String {
    let bands = about.definition().bands.iter();
    let named = bands.map(|(from, name)| format!("{name} from {}", format_exact(*from)));
    join(named, ", ")
}
