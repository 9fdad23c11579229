//! `explain_indicator`: the inputs of a composite or of the regime, now and on an earlier day, and what moved it.
//!
//! A score is its base, with every input at its reference, plus the points of its inputs.

mod alarms;
mod answer;
mod as_revised;
mod drivers;
mod side;

pub use alarms::{AlarmDates, AlarmHistory};
pub use answer::{
    AsRevised, ExplainedInput, Explanation, ProbitAnswer, RevisedLabel, RevisedScore, Score,
};

use super::what_changed;
use crate::prelude::*;
use econoscope_core::indicators::drivers::Whole;
use econoscope_core::indicators::regime::REGIME;
use econoscope_core::indicators::{self, Indicator, record, sahm};
use econoscope_desk::scores::{ScoreTable, Scores};
use side::{ComparisonSide, interpretation};

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// A composite, regime, SAHM, or a figure with parts: cpi, core cpi, pce prices, payrolls, unemployment, gdp growth.
    #[schemars(example = &"CRPI", length(min = 1, max = 80))]
    indicator: String,
    /// Month or quarter of a figure with parts: 2022-06.
    date: Option<String>,
    /// As known on: 2008-12-31, Q4 2008.
    as_of: Option<String>,
    /// Compares with this day instead of a month before: 2026-01-15, 13w, 1y.
    since: Option<String>,
    /// `full` adds formula, record and hindsight.
    detail: Option<Detail>,
}

/// How much of an explanation is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Detail {
    Summary,
    Full,
}

impl Params {
    fn is_full(&self) -> bool {
        self.detail == Some(Detail::Full)
    }

    /// Formats the day of comparison.
    fn earlier(&self, before: Date) -> String {
        match self.since {
            Some(_) => format!("on {before}"),
            None => "a month earlier".to_owned(),
        }
    }
}

/// Every indicator, and the Sahm rule.
pub fn all_indicators() -> impl Iterator<Item = &'static Indicator> {
    indicators::indicators().chain([&sahm::SAHM])
}

impl Endpoint for Params {
    const TOOL: &'static str = "explain_indicator";
    type Output = Explanation;

    fn form(&self) -> &'static str {
        if self.is_full() { "full" } else { "brief" }
    }

    fn local(desk: &Desk, params: &Self) -> Result<Explanation> {
        let name = params.indicator.trim();
        let indicator = match all_indicators().find(|i| i.ticker().eq_ignore_ascii_case(name)) {
            Some(indicator) => indicator,
            None => match drivers::find(desk, &params.indicator)? {
                Some(whole) => return drivers::explain(desk, whole, params),
                None => find(desk, &params.indicator)?,
            },
        };
        if let Some(date) = &params.date {
            let allowed = format!("as_of={date} for {}", indicator.ticker());
            let problem = "is for figures with parts";
            return Err(Error::invalid("date", date, problem, &allowed));
        }
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let mut now = ComparisonSide::new(desk, indicator, as_of)?;
        let inputs = || now.series.iter().copied();
        let day = desk.reference_day(inputs(), as_of)?.as_of;
        let before = match params.since.as_deref() {
            Some(text) => what_changed::parse_since(text, day, desk.today())?,
            None => shift(day, (-1).month()),
        };
        let mut provenance = Provenance::new(desk, as_of, inputs())?;
        provenance.note("value", now.reason.as_deref().unwrap_or_default());
        provenance.note("basis", now.basis.join("; "));
        provenance.note_basis(desk, "before", before, inputs())?;
        match indicators::composite(indicator.id) {
            Some(composite) => {
                let reading = desk.reading(composite, as_of)?;
                provenance.note_reading("value", indicator, &reading, desk.reading_day(as_of));
            }
            None if indicator.id == REGIME.id => provenance.note_regime(&desk.regimes(as_of)?.now),
            None => {}
        }
        let as_revised = AsRevised::new(desk, indicator, as_of, &now.scores)?;
        if let (Err(reason), false) = (&as_revised, now.series.is_empty()) {
            provenance.note("hindsight", *reason);
        }
        let earlier = ComparisonSide::new(desk, indicator, AsOf::Day(before))?;
        now.compare(&earlier);
        let max = params.since.as_ref().map_or(MAX_NAMED, |_| usize::MAX);
        let definition = indicator.definition();
        Ok(Explanation {
            indicator: indicator.ticker().into(),
            name: definition.title.into(),
            method: definition.method.into(),
            formula: definition.formula.clone(),
            method_source: definition.source.clone(),
            moved: describe_moves(&now, &earlier, max, &params.earlier(before)),
            probits: now.probits,
            alarm: AlarmHistory::new(desk, indicator, as_of)?,
            label: now.label,
            before,
            scores: now.scores,
            inputs: now.inputs,
            interpretation: interpretation(desk, indicator, as_of)?,
            record: Scores::embedded().tables_of(indicator.ticker()),
            hindsight: as_revised.ok(),
            attribution: desk.attribution(),
            provenance,
        })
    }

    fn text(a: &Explanation, params: &Self) -> String {
        if Whole::all().iter().any(|whole| whole.series == a.indicator) {
            return drivers::render(a);
        }
        let earlier = params.earlier(a.before);
        let name = a.name.split(" (").next().unwrap_or_default();
        let mut text = format!("{name} ({})", a.indicator);
        for score in &a.scores {
            text += &format!("; {}", score.describe(&earlier));
        }
        text.extend(a.label.iter().map(|label| format!("; {label}")));
        text += &format!(
            ".\n{}\ninput,series,value,unit,date,points,points {earlier}",
            a.moved
        );
        text.extend(a.inputs.iter().map(ExplainedInput::format_row));
        text += &describe_probits(&a.probits, &earlier);
        text.extend(a.alarm.iter().map(AlarmHistory::describe));
        // What the narrative of the regime tells is told above.
        if a.indicator != REGIME.ticker() {
            text += &enclosed("\n", &a.interpretation, "");
        }
        if params.is_full() {
            text += &format!("\nFormula: {}. Method: {}.", a.formula, a.method_source);
            let as_revised = a.hindsight.iter();
            text.extend(as_revised.map(|r| format!("\n{}", r.describe(a.label.as_deref()))));
            text += &enclosed("\n", record::sentence(&a.indicator), "");
            text += &describe_record(&a.record);
        } else {
            text += "\ndetail=full adds formula, record and hindsight.";
        }
        text + &a
            .provenance
            .render_closing_without(&["before"], &a.attribution)
    }
}

/// Finds the indicator that a name means.
fn find(desk: &Desk, name: &str) -> Result<&'static Indicator> {
    let info = desk.resolve("indicator", name)?;
    let id = info.id.as_str();
    let is_meant = |i: &&Indicator| i.id == id || i.id == sahm::SAHM.id && id.starts_with(i.id);
    all_indicators().find(is_meant).ok_or_else(|| {
        let tickers = all_indicators().map(Indicator::ticker);
        let whole = |whole: &Whole| Catalogue::embedded().get(whole.series);
        let wholes = Whole::all().iter().filter_map(whole);
        let allowed = join(tickers.chain(wholes.map(|info| info.title.as_str())), ", ");
        let problem = "has no parts that are known here";
        Error::invalid("indicator", name, problem, &allowed)
    })
}

/// Describes the probits in a line; empty without one.
fn describe_probits(probits: &BTreeMap<String, ProbitAnswer>, earlier: &str) -> String {
    let probit = |(name, probit): (&String, &ProbitAnswer)| {
        let known = probit.value_before.map(|v| format_number(v, 2));
        let before = enclosed_value(" (", known, " %)");
        format!("on {name} {} %{before}", format_number(probit.value, 2))
    };
    let head = format!("\nThe value is the mean of these probits ({earlier}): ");
    enclosed(&head, &join(probits.iter().map(probit), "; "), ".")
}

/// The text stops after the table of the record that exceeds so many characters.
const MAX_RECORD: usize = 800;

/// Describes the first tables of the record, and where the others are.
fn describe_record(record: &[ScoreTable]) -> String {
    let mut text = String::new();
    let mut more = record.len();
    for table in record {
        if text.len() > MAX_RECORD {
            break;
        }
        text += &format!("\nRecord, {}", table.format_sentence());
        more -= 1;
    }
    if more > 0 {
        text += &format!("\nMore of its record ({more} tables): macro://scores.");
    }
    text
}

/// Inputs whose move is named, unless the request has `since`.
const MAX_NAMED: usize = 3;

/// Describes the change of the label and of every score: "Value -1.40 points against what was known a month earlier:
/// building permits -1.20, …". For each score it names the `max` inputs that moved most.
fn describe_moves(now: &ComparisonSide, old: &ComparisonSide, max: usize, day: &str) -> String {
    let labels = now.label.as_deref().zip(old.label.as_deref());
    let changed = labels.filter(|(label, old)| label != old);
    let label = changed.map(|(label, old)| format!("{label} now, {old} {day}."));
    let scores = now.scores.iter();
    let moves = scores.filter_map(|s| describe_score_move(s, &now.inputs, max, day));
    let sentences = join(label.into_iter().chain(moves), " ");
    if sentences.is_empty() {
        "Change unavailable: a value is missing.".into()
    } else {
        sentences
    }
}

fn describe_score_move(
    score: &Score,
    inputs: &[ExplainedInput],
    max: usize,
    day: &str,
) -> Option<String> {
    let change = format_signed(score.value? - score.value_before?, 2);
    let points = |i: &ExplainedInput| i.points.unwrap_or(0.0) - i.points_before.unwrap_or(0.0);
    let own = inputs.iter().filter(|i| i.score == score.name);
    let mut moves: Vec<(&str, f64)> = own.map(|i| (i.name.as_str(), points(i))).collect();
    moves.push(("base", score.base - score.base_before));
    moves.retain(|(_, points)| points.abs() >= 0.005);
    moves.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let first = moves.iter().take(max);
    let largest = first.map(|(name, points)| format!("{name} {}", format_signed(*points, 2)));
    let told = match moves.as_slice() {
        [] => "no input moved it".to_owned(),
        _ => join(largest, ", "),
    };
    let unit = match score.unit.as_str() {
        "%" => "points".to_owned(),
        unit => spell_out_unit(unit),
    };
    let name = capitalize(&score.name);
    Some(format!(
        "{name} {change} {unit} against what was known {day}: {told}."
    ))
}
