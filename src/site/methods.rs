//! How every composite and the regime are made, and what they are made of today: what `explain_indicator` says of each.

use super::prelude::*;
use super::text::{dashed, in_words, percent, plain, points, readable};
use econoscope_answers::endpoints::explain_indicator::{ExplainedInput, Explanation};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::indicators::expectation::{FORMULAS, Formula};
use econoscope_core::indicators::{self, Indicator};
use econoscope_core::model::series_info::round_to;
use econoscope_data::desk::library;
use econoscope_data::desk::scores::Scores;

#[derive(Template)]
#[template(path = "methods.html")]
struct Methods {
    frame: Frame,
    /// Indicators by their identifiers, and what they are made of today.
    methods: Vec<(String, &'static Indicator, Explanation)>,
    scores: &'static Scores,
    expectations: &'static [Formula],
}

pub(super) fn questions(_: &PageRequest) -> Vec<Question> {
    let explain =
        |about: &Indicator| Question::new("explain_indicator", &[("indicator", about.ticker())]);
    library::methods().map(explain).collect()
}

pub(super) fn page(desk: &Desk, _: &PageRequest, mut answers: Answers) -> Result<Document> {
    let description =
        "Formula, inputs, source and present make-up of every composite and of the macro regime.";
    let methods = library::methods().map(|about| {
        let series = Catalogue::of(about).map(|info| desk.shown_id(&info.id));
        let id = series.unwrap_or_else(|| about.id.to_owned());
        Ok((id, about, answers.read()?))
    });
    let page = Methods {
        frame: Frame::of(desk, "Methods", description, "/methods")?,
        methods: methods.collect::<Result<_>>()?,
        scores: Scores::embedded(),
        expectations: &FORMULAS,
    };
    html(&page, "")
}

fn value(input: &ExplainedInput) -> String {
    dashed(input.value, |v| {
        format!("{} {}", plain(round_to(v, 2)), input.unit)
    })
}

/// Why there is no value, without what only an operator can do about it.
fn missing(why: &str) -> String {
    readable(why.split("; an operator").next().unwrap_or(why))
}

/// "low from 0, elevated from 30"; nothing of an indicator without bands.
fn bands(about: &Indicator) -> String {
    let bands = indicators::composite(about.id).map_or(&[][..], |composite| composite.bands);
    let bands = bands.iter();
    let bands = bands.map(|b| format!("{} from {}", b.name, plain(b.from)));
    bands.collect::<Vec<_>>().join(", ")
}
