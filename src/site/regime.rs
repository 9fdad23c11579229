//! The regime: the plane with the way of the last months, every month to play through, what the composites are made
//! of, and how often the scenarios came true.

use super::fault::reason;
use super::figures::word;
use super::prelude::*;
use super::text::{dashed, known, percent, plain, points, readable, whole};
use super::{assets, home, quadrant};
use econoscope_answers::endpoints::days::parse_as_of;
use econoscope_answers::endpoints::explain_indicator::Explanation;
use econoscope_answers::endpoints::regime::{RegimeAnswer, RegimeOfMonth, every_month};
use econoscope_answers::endpoints::scenarios::{Scenario, ScenarioList};
use econoscope_core::format::{Unit, month, signed};
use econoscope_core::indicators::prose::capitalised;
use econoscope_core::indicators::{Indicator, established};
use econoscope_core::model::Date;
use std::collections::BTreeMap;

/// Months of the way that are drawn.
pub(super) const MONTHS: usize = 24;

#[derive(Template)]
#[template(path = "regime.html")]
struct Page<'a> {
    frame: Frame,
    /// The day as of which all but the scenarios is shown, as it was asked for; empty for today.
    as_of: &'a str,
    today: Date,
    regime: RegimeAnswer,
    plane: String,
    /// Every month; none where the answer is not made of what is held here.
    months: Vec<RegimeOfMonth>,
    /// Months as known at their end; none before the first vintage.
    known: BTreeMap<Date, RegimeOfMonth>,
    /// Composites by their identifiers, and what they are made of.
    composites: Vec<(String, &'static Indicator, Result<Explanation>)>,
    scenarios: Vec<Scenario>,
}

pub(super) fn questions(asked: &PageRequest) -> Vec<Question> {
    let as_of = ("as_of", asked.given("as_of"));
    let mut questions = vec![Question::new("get_regime", &[as_of])];
    for composite in established() {
        let ticker = composite.about.ticker();
        questions.push(Question::new(
            "explain_indicator",
            &[("indicator", ticker), as_of],
        ));
    }
    questions.push(Question::new("list_scenarios", &[("limit", "100")]));
    questions
}

pub(super) fn page(desk: &Desk, asked: &PageRequest, mut answers: Answers) -> Result<Document> {
    let as_of = parse_as_of(desk, asked.argument("as_of"))?;
    let description = "Where the US economy stands on growth and inflation, how it got there, and what often came next.";
    let regime: RegimeAnswer = answers.read()?;
    let frame = Frame::of(desk, "Macro regime", description, "/regime")?;
    let mut frame = frame.lively("", "/chart/regime.png".into());
    frame.asof = known(as_of, &regime.provenance);
    let composites = established().map(|composite| {
        let info = desk.resolve("series", composite.about.id)?;
        Ok((desk.shown_id(&info.id), &composite.about, answers.read()))
    });
    let composites = composites.collect::<Result<_>>()?;
    let scenarios: ScenarioList = answers.read()?;
    let mut months = every_month(desk, as_of, false)?;
    if months.last().map(|m| m.month) != regime.month {
        months.clear();
    }
    let then = every_month(desk, as_of, true)?.into_iter();
    let page = Page {
        as_of: asked.given("as_of"),
        today: desk.today(),
        months,
        known: then.map(|m| (m.month, m)).collect(),
        plane: quadrant::large(
            &home::way(desk, as_of, &regime, MONTHS)?,
            word(&regime.regime),
        ),
        scenarios: scenarios.scenarios,
        composites,
        regime,
        frame,
    };
    html(&page, assets::path())
}

/// The value of a composite, or why there is none.
fn value(o: &Explanation, about: &Indicator) -> String {
    let score = o.scores.first();
    if let Some((value, s)) = score.and_then(|s| Some((s.value?, s))) {
        let label = o.label.as_ref().map(|label| format!(", {label}"));
        let decimals = about.listing.map_or(2, |listing| listing.decimals);
        let value = Unit::of(&s.unit, "").write(value, usize::from(decimals));
        return value + &label.unwrap_or_default();
    }
    let why = o.provenance.notes.get("value");
    let why = why.map(|why| format!(": {why}"));
    readable(&format!("Not available{}", why.unwrap_or_default()))
}

/// A bar from the middle to the right or, for what pulls down, to the left; the longest of the answer's is whole.
fn bar(points: &f64, o: &Explanation) -> String {
    let sizes = o.inputs.iter().flat_map(|i| [i.points, i.points_before]);
    let share = points / sizes.flatten().map(f64::abs).fold(0.01, f64::max);
    let (x, width) = (share.min(0.0) * 100.0, share.abs() * 100.0);
    let colour = if share < 0.0 {
        "var(--line-2)"
    } else {
        "var(--line)"
    };
    format!(
        "<svg class=\"bar\" viewBox=\"-100 0 200 12\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect x=\"{x:.1}\" y=\"2\" width=\"{width:.1}\" height=\"8\" fill=\"{colour}\"/>\
         <path d=\"M0 0V12\" stroke=\"var(--muted)\" vector-effect=\"non-scaling-stroke\"/></svg>"
    )
}

/// A base rate with the interval around it, from 0 to 100 %.
fn rate(scenario: &Scenario) -> String {
    let rate = scenario.base_rate_probability;
    let interval = scenario.base_rate_interval;
    let [low, high] = interval.unwrap_or([rate, rate]).map(|share| share * 100.0);
    let (at, width) = (rate * 100.0, high - low);
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 12\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect width=\"100\" y=\"5\" height=\"2\" fill=\"var(--rule)\"/>\
         <rect x=\"{low:.1}\" y=\"3\" width=\"{width:.1}\" height=\"6\" fill=\"var(--line)\" opacity=\".35\"/>\
         <path d=\"M{at:.1} 0V12\" stroke=\"var(--line)\" stroke-width=\"2.5\" vector-effect=\"non-scaling-stroke\"/></svg>"
    )
}
