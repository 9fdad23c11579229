//! How every composite and the regime are made, and what they are made of today.

use super::asked::Asked;
use super::document::Document;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::text::{dashed, plain};
use crate::desk::Desk;
use crate::desk::scores::Scores;
use crate::error::Result;
use crate::indicators::expectation::{FORMULAS, Formula};
use crate::indicators::prose::{number, signed};
use crate::indicators::{COMPOSITES, Composite, Indicator, regime};
use crate::model::AsOf;
use crate::model::series_info::round_to;
use askama::Template;

#[derive(Template)]
#[template(path = "methods.html")]
struct Methods {
    frame: Frame,
    methods: Vec<Method>,
    regime: Regime,
    scores: &'static Scores,
    expectations: &'static [Formula],
}

struct Method {
    id: String,
    about: &'static Indicator,
    now: String,
    bands: String,
    inputs: Vec<Input>,
}

struct Input {
    name: &'static str,
    series: String,
    weight: String,
    value: String,
    contribution: String,
    date: String,
    missing: Option<String>,
}

struct Regime {
    version: &'static str,
    now: String,
    inputs: Vec<(String, &'static str, String, String)>,
}

/// docs/METHODS.md#regime in a paragraph.
const REGIME: &str = "Two scores cut a plane into four quadrants. Growth G is a weighted mean of industrial production, \
    payrolls, unemployment and permits, each in standard deviations from its own twenty years. Inflation I is 70 % the \
    level of core and headline CPI over twelve months against target and 30 % the momentum of core. G ≥ 0 and I < 0 is \
    Goldilocks, both ≥ 0 Reflation, G < 0 and I ≥ 0 Stagflation, both < 0 Deflation. An axis changes sides only when its \
    score is 0.10 past zero; the confidence is the probability of the quadrant when the scores are off by normal \
    errors of 0.20 and 0.12.";

pub(super) fn page(desk: &Desk, _: &Asked, _: Answers) -> Result<Document> {
    let description =
        "Formula, inputs, source and present make-up of every composite and of the macro regime.";
    let methods = COMPOSITES
        .iter()
        .map(|c| method(desk, c))
        .collect::<Result<_>>()?;
    let page = Methods {
        frame: Frame::of(desk, "Methods", description, "/methods")?,
        methods,
        regime: regimes(desk)?,
        scores: Scores::embedded()?,
        expectations: &FORMULAS,
    };
    html(&page, "")
}

fn method(desk: &Desk, composite: &'static Composite) -> Result<Method> {
    let reading = desk.reading(composite, AsOf::Latest)?;
    let info = desk.resolve("series", composite.about.id)?;
    let inputs = reading
        .inputs
        .iter()
        .map(|i| {
            let barred = desk.barred(&i.series);
            let value = i.value.filter(|_| barred.is_none());
            Input {
                name: i.name,
                series: i.series.join(", "),
                weight: dashed(i.weight, |w| format!("{} %", number(100.0 * w, 0))),
                value: dashed(value, |v| format!("{} {}", plain(round_to(v, 2)), i.unit)),
                contribution: dashed(i.contribution, |c| signed(c, 2)),
                date: i.date.map(|d| d.to_string()).unwrap_or_default(),
                missing: barred.map(|b| b.to_string()).or_else(|| i.missing.clone()),
            }
        })
        .collect();
    let bands = composite
        .bands
        .iter()
        .map(|b| format!("{} from {}", b.name, plain(b.from)))
        .collect::<Vec<_>>();
    Ok(Method {
        id: desk.shown_id(&info.id),
        about: &composite.about,
        now: (composite.interpret)(&reading),
        bands: bands.join(", "),
        inputs,
    })
}

fn regimes(desk: &Desk) -> Result<Regime> {
    let path = desk.regimes(AsOf::Latest)?;
    let row = |axis: &'static str, c: &regime::Contributor| {
        (
            format!(
                "{}: {} {} ({})",
                c.name,
                plain(round_to(c.value, 2)),
                c.unit,
                c.series
            ),
            axis,
            format!("{} %", number(100.0 * c.weight, 0)),
            signed(c.contribution, 2),
        )
    };
    let (now, inputs) = match &path.now.state {
        Some(state) => (
            format!(
                "{}: {}, G = {}, I = {}, confidence {} %.",
                state.month.strftime("%B %Y"),
                state.regime.word(),
                signed(state.growth, 2),
                signed(state.inflation, 2),
                plain(state.confidence)
            ),
            state
                .growth_parts
                .iter()
                .map(|c| row("growth", c))
                .chain(state.inflation_parts.iter().map(|c| row("inflation", c)))
                .collect(),
        ),
        None => (path.now.reason.clone().unwrap_or_default(), Vec::new()),
    };
    Ok(Regime {
        version: regime::REGIME.method,
        now,
        inputs,
    })
}
