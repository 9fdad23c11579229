//! The regime: the plane with the way of the last months, every month to play through, what the composites are made
//! of, and how often the scenarios came true.

use super::asked::Asked;
use super::document::Document;
use super::fault::reason;
use super::figures::word;
use super::frame::{Frame, html};
use super::questions::{Answers, Question};
use super::text::{aged, dashed, plain};
use super::{assets, home, quadrant};
use crate::desk::Desk;
use crate::desk::kept::Figures;
use crate::endpoints::explain_indicator::Explanation;
use crate::endpoints::regime::RegimeAnswer;
use crate::endpoints::scenarios::ScenarioList;
use crate::error::Result;
use crate::indicators::established;
use crate::indicators::prose::{number, signed};
use crate::indicators::regime::REGIME;
use crate::model::series_info::round_to;
use crate::model::{AsOf, Date};
use askama::Template;
use std::collections::BTreeMap;

/// Months of the way that are drawn.
pub(super) const MONTHS: usize = 24;

#[derive(Template)]
#[template(path = "regime.html")]
struct Page {
    frame: Frame,
    regime: RegimeAnswer,
    plane: String,
    months: Vec<Month>,
    /// Whether some months are there as known then, too.
    has_then: bool,
    composites: Vec<Parts>,
    scenarios: Vec<Rate>,
}

struct Month {
    name: String,
    now: Scores,
    confidence: String,
    /// The month as known at its end; none before the first vintage.
    then: Option<Scores>,
}

/// What is said of a month.
struct Scores {
    regime: &'static str,
    growth: String,
    inflation: String,
}

/// A composite and the points of its inputs.
#[derive(Default)]
struct Parts {
    id: String,
    name: String,
    value: String,
    moved: String,
    inputs: Vec<Part>,
    /// Why it has no parts.
    reason: Option<String>,
}

struct Part {
    name: String,
    points: String,
    before: String,
    bar: String,
}

/// A scenario with its base rate and the interval around it, in percent.
struct Rate {
    slug: String,
    title: String,
    rate: String,
    interval: String,
    bar: String,
}

pub(super) fn questions(_: &Asked) -> Vec<Question> {
    let mut questions = vec![Question::new("get_regime", &[])];
    for composite in established() {
        let ticker = composite.about.ticker();
        questions.push(Question::new("explain_indicator", &[("indicator", ticker)]));
    }
    questions.push(Question::new("list_scenarios", &[("limit", "100")]));
    questions
}

pub(super) fn page(desk: &Desk, _: &Asked, mut answers: Answers) -> Result<Document> {
    let description = "Where the US economy stands between growth and inflation, how it came there, and what often followed.";
    let regime: RegimeAnswer = answers.read()?;
    let frame = Frame::of(desk, "Macro regime", description, "/regime")?;
    let mut frame = frame.lively("", "/chart/regime.png".into());
    frame.asof = aged(&regime.provenance);
    let composites = established().map(|composite| {
        let info = desk.resolve("series", composite.about.id)?;
        let id = desk.shown_id(&info.id);
        Ok(parts(id, composite.about.title, answers.read()))
    });
    let composites = composites.collect::<Result<_>>()?;
    let scenarios: ScenarioList = answers.read()?;
    let months = months(desk, &regime)?;
    let page = Page {
        has_then: months.iter().any(|month| month.then.is_some()),
        months,
        plane: quadrant::large(&home::way(desk, &regime, MONTHS)?, word(&regime.regime)),
        scenarios: scenarios.scenarios.iter().map(rate).collect(),
        composites,
        regime,
        frame,
    };
    html(&page, assets::path())
}

/// Every month, the newest first; none where the answer is not made of what is held here.
fn months(desk: &Desk, regime: &RegimeAnswer) -> Result<Vec<Month>> {
    let path = desk.regimes(AsOf::Latest)?;
    let is_ours = path.now.state.as_ref().map(|s| s.month) == regime.month;
    let known = desk.known_path(&REGIME)?;
    let known: BTreeMap<Date, &Figures> = known.iter().map(|(_, f)| (f.date, f)).collect();
    let months = path.months.iter().rev().filter(|_| is_ours);
    let month = months.map(|s| Month {
        then: known.get(&s.month).and_then(|figures| then(figures)),
        name: s.month.strftime("%B %Y").to_string(),
        now: scores(s.regime.word(), s.growth, s.inflation),
        confidence: format!("{} %", plain(s.confidence)),
    });
    Ok(month.collect())
}

fn then(known: &Figures) -> Option<Scores> {
    let [growth, inflation] = *known.scores.as_slice() else {
        return None;
    };
    Some(scores(known.label.map_or("", word), growth, inflation))
}

fn scores(regime: &'static str, growth: f64, inflation: f64) -> Scores {
    Scores {
        regime,
        growth: signed(growth, 2),
        inflation: signed(inflation, 2),
    }
}

fn parts(id: String, name: &str, answer: Result<Explanation>) -> Parts {
    let mut parts = Parts {
        id,
        name: name.to_owned(),
        ..Parts::default()
    };
    let o = match answer {
        Ok(o) => o,
        Err(error) => {
            parts.reason = Some(reason(&error));
            return parts;
        }
    };
    let score = o.scores.first();
    let value = score.and_then(|s| Some((s.value?, s)));
    let why = o.provenance.notes.get("value");
    parts.value = value.map_or_else(
        || {
            why.map_or_else(
                || "Not available".to_owned(),
                |why| format!("Not available: {why}"),
            )
        },
        |(value, s)| {
            let label = o.label.map(|label| format!(", {label}"));
            let value = plain(round_to(value, 2));
            format!("{value} {}{}", s.unit, label.unwrap_or_default())
        },
    );
    parts.moved = o.moved;
    let sizes = o.inputs.iter().flat_map(|i| [i.points, i.points_before]);
    let most = sizes.flatten().map(f64::abs).fold(0.01, f64::max);
    let said = |points| dashed(points, |p| signed(p, 2));
    parts.inputs = o
        .inputs
        .iter()
        .map(|i| Part {
            name: i.name.clone(),
            points: said(i.points),
            before: said(i.points_before),
            bar: i.points.map(|p| from_middle(p / most)).unwrap_or_default(),
        })
        .collect();
    parts
}

/// A bar from the middle to the right or, for what pulls down, to the left.
fn from_middle(share: f64) -> String {
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

fn rate(scenario: &crate::endpoints::scenarios::Scenario) -> Rate {
    let percent = |share: f64| number(100.0 * share, 0);
    let rate = scenario.base_rate_probability;
    let interval = scenario.base_rate_interval;
    let [low, high] = interval.unwrap_or([rate, rate]).map(|share| share * 100.0);
    let (at, width) = (rate * 100.0, high - low);
    Rate {
        slug: scenario.slug.clone(),
        title: scenario.title.clone(),
        rate: format!("{} %", percent(rate)),
        interval: interval.map_or_else(String::new, |[low, high]| {
            format!("{} to {} %", percent(low), percent(high))
        }),
        bar: format!(
            "<svg class=\"bar\" viewBox=\"0 0 100 12\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
             <rect width=\"100\" y=\"5\" height=\"2\" fill=\"var(--rule)\"/>\
             <rect x=\"{low:.1}\" y=\"3\" width=\"{width:.1}\" height=\"6\" fill=\"var(--line)\" opacity=\".35\"/>\
             <path d=\"M{at:.1} 0V12\" stroke=\"var(--line)\" stroke-width=\"2.5\" vector-effect=\"non-scaling-stroke\"/></svg>"
        ),
    }
}
