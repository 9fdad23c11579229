//! The regime: the plane with the way of the last months, every month to play through, what the composites are made
//! of, and how often the scenarios came true.

use super::asked::PageRequest;
use super::document::Document;
use super::fault::reason;
use super::figures::word;
use super::frame::{Frame, html};
use super::questions::{Answers, Question};
use super::text::{aged, dashed, percent, plain, points, readable, whole};
use super::{assets, home, quadrant};
use askama::Template;
use econoscope_answers::endpoints::explain_indicator::Explanation;
use econoscope_answers::endpoints::regime::RegimeAnswer;
use econoscope_answers::endpoints::scenarios::{Scenario, ScenarioList};
use econoscope_core::error::Result;
use econoscope_core::format::{Unit, month, signed};
use econoscope_core::indicators::prose::capitalised;
use econoscope_core::indicators::regime::REGIME;
use econoscope_core::indicators::{Indicator, established};
use econoscope_core::model::{AsOf, Date};
use econoscope_data::desk::kept::Figures;
use econoscope_data::desk::{Desk, RegimeHistory};
use std::collections::BTreeMap;

/// Months of the way that are drawn.
pub(super) const MONTHS: usize = 24;

#[derive(Template)]
#[template(path = "regime.html")]
struct Page<'a> {
    frame: Frame,
    regime: RegimeAnswer,
    plane: String,
    /// Every month; none where the answer is not made of what is held here.
    path: Option<&'a RegimeHistory>,
    /// Months as known at their end; none before the first vintage.
    known: BTreeMap<Date, &'a Figures>,
    /// Composites by their identifiers, and what they are made of.
    composites: Vec<(String, &'static Indicator, Result<Explanation>)>,
    scenarios: Vec<Scenario>,
}

pub(super) fn questions(_: &PageRequest) -> Vec<Question> {
    let mut questions = vec![Question::new("get_regime", &[])];
    for composite in established() {
        let ticker = composite.about.ticker();
        questions.push(Question::new("explain_indicator", &[("indicator", ticker)]));
    }
    questions.push(Question::new("list_scenarios", &[("limit", "100")]));
    questions
}

pub(super) fn page(desk: &Desk, _: &PageRequest, mut answers: Answers) -> Result<Document> {
    let description = "Where the US economy stands on growth and inflation, how it got there, and what often came next.";
    let regime: RegimeAnswer = answers.read()?;
    let frame = Frame::of(desk, "Macro regime", description, "/regime")?;
    let mut frame = frame.lively("", "/chart/regime.png".into());
    frame.asof = aged(&regime.provenance);
    let composites = established().map(|composite| {
        let info = desk.resolve("series", composite.about.id)?;
        Ok((desk.shown_id(&info.id), &composite.about, answers.read()))
    });
    let composites = composites.collect::<Result<_>>()?;
    let scenarios: ScenarioList = answers.read()?;
    let path = desk.regimes(AsOf::Latest)?;
    let is_ours = path.now.state.as_ref().map(|s| s.month) == regime.month;
    let known = desk.known_path(&REGIME)?;
    let page = Page {
        path: Some(&*path).filter(|_| is_ours),
        known: known.iter().map(|(_, f)| (f.date, f)).collect(),
        plane: quadrant::large(&home::way(desk, &regime, MONTHS)?, word(&regime.regime)),
        scenarios: scenarios.scenarios,
        composites,
        regime,
        frame,
    };
    html(&page, assets::path())
}

impl Page<'_> {
    /// A month as known at its end: regime, growth and inflation.
    fn then(&self, month: &Date) -> Option<(&'static str, f64, f64)> {
        let known = self.known.get(month)?;
        match *known.scores.as_slice() {
            [growth, inflation] => Some((known.label.map_or("", word), growth, inflation)),
            _ => None,
        }
    }

    /// Whether some months are there as known then, too.
    fn has_then(&self) -> bool {
        let months = self.path.iter().flat_map(|path| &path.months);
        months.into_iter().any(|m| self.then(&m.month).is_some())
    }
}

/// The value of a composite, or why there is none.
fn value(o: &Explanation) -> String {
    let score = o.scores.first();
    if let Some((value, s)) = score.and_then(|s| Some((s.value?, s))) {
        let label = o.label.as_ref().map(|label| format!(", {label}"));
        let value = Unit::of(&s.unit, "").write(value, 2);
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
