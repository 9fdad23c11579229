//! What moved a published figure: prices, payrolls, unemployment, GDP by their parts.

use super::answer::{ExplainedInput, Explanation, Score};
use super::{Params, what_changed};
use crate::conditions::claim::{GROWTH, LEVEL};
use crate::prelude::*;
use econoscope_core::indicators::drivers::{Breakdown, Contribution, Ends, Rule, Whole};
use econoscope_core::indicators::identities;
use econoscope_core::model::SeriesSet;
use econoscope_desk::basis::Values;

/// Parts named in the sentence.
const MAX_NAMED: usize = 4;
/// Periods in which the newest change is looked for.
const MAX_PERIODS_BACK: usize = 36;

/// Returns the figure that a series, or a formula of it, is about.
pub(super) fn find(desk: &Desk, name: &str) -> Result<Option<&'static Whole>> {
    let meaning = desk.meaning("indicator", name)?;
    let [part] = meaning.columns.as_slice() else {
        return Ok(None);
    };
    let whole = |formula: &str| {
        let mut words = formula.split(|c: char| !c.is_ascii_alphanumeric());
        let of = |id: &str| {
            // What drove the economy is told of its real growth.
            let is_level = ["GDP", LEVEL].contains(&id);
            let meant = if is_level { GROWTH } else { id };
            let mut wholes = Whole::all().iter();
            wholes.find(|w| [w.series, w.total].contains(&meant))
        };
        words.find_map(of)
    };
    let identity = || whole(identities::identity(&part.formula)?.formula);
    Ok(whole(&part.formula).or_else(identity))
}

/// The change that is asked for, and its parts.
struct Change {
    ends: Ends,
    parts: Breakdown,
    /// Newest period of the whole.
    newest: Date,
}

/// Breaks down the change of a figure, by default the newest one's.
pub(super) fn explain(desk: &Desk, whole: &'static Whole, params: &Params) -> Result<Explanation> {
    let as_of = parse_as_of(desk, params.as_of.as_deref())?;
    check_known(desk, whole, as_of)?;
    let total = catalogued(whole.total)?;
    let mut set = desk.series_set(whole.inputs(), as_of)?;
    // The whole may be computed from others.
    set.insert(desk.series_or_reason(total, as_of)?);
    let change = find_change(desk, whole, &set, params)?;
    let ends = change.ends;
    let parts = &change.parts;
    let mut provenance = Provenance::new(desk, as_of, whole.inputs())?;
    if params.date.is_none() && ends.to < change.newest {
        let label = total.frequency.label(ends.to);
        let note = format!("{label} is the newest of which every part is held");
        provenance.note("date", note);
    }
    let missing = join(&parts.missing, ", ");
    provenance.note("inputs", enclosed("not loaded: ", &missing, ""));
    let inputs = parts.contributions.iter();
    Ok(Explanation {
        indicator: whole.series.into(),
        name: catalogued(whole.series)?.title.clone(),
        method: "contributions of parts".into(),
        formula: formula(whole.rule).into(),
        method_source: total.source.clone(),
        before: ends.from,
        scores: vec![score(whole.rule, total, parts, ends.to)],
        inputs: inputs.map(|c| input(whole.rule, c, ends.to)).collect(),
        moved: describe(whole, total, parts, ends),
        attribution: desk.attribution(),
        provenance,
        ..Explanation::default()
    })
}

/// Finds the change that is asked for; without a date the newest of which every part is held.
fn find_change(
    desk: &Desk,
    whole: &'static Whole,
    set: &SeriesSet,
    params: &Params,
) -> Result<Change> {
    let today = desk.today();
    let total = catalogued(whole.total)?;
    let period = |date| total.frequency.period_date(date);
    let ends = |to: Date| -> Result<Ends> {
        let from = match params.since.as_deref() {
            Some(text) => what_changed::parse_since(text, to, today)?,
            None => shift(to, (-whole.months).months()),
        };
        Ok(Ends {
            from: period(from),
            to,
        })
    };
    let figures = set.up_to(whole.total, Date::MAX);
    let Some(newest) = figures.last().map(|o| o.date) else {
        return Err(desk.no_data_error(total, AsOf::Latest));
    };
    let break_down = |to: Date| -> Result<Change> {
        let ends = ends(to)?;
        let parts = whole.break_down(set, ends).map_err(|reason| {
            let label = total.frequency.label(to);
            let change = format!("the change of {} to {label}", whole.series);
            Error::no_data(change, reason)
        })?;
        Ok(Change {
            ends,
            parts,
            newest,
        })
    };
    if let Some(text) = &params.date {
        return break_down(period(dates::read("date", text, today, today)?));
    }
    let recent = figures.iter().rev().take(MAX_PERIODS_BACK);
    let change = recent.map(|o| break_down(o.date)).find(Result::is_ok);
    change.unwrap_or_else(|| break_down(newest))
}

fn score(rule: Rule, total: &SeriesInfo, parts: &Breakdown, to: Date) -> Score {
    let unit = match rule {
        Rule::Prices | Rule::Published => "%",
        Rule::Sum => total.units_short.as_str(),
        Rule::Rate => "percentage points",
    };
    Score {
        name: "change".into(),
        unit: unit.into(),
        date: Some(to),
        value: Some(round_to(parts.change, 4)),
        base: round_to(parts.rest(), 4),
        ..Score::default()
    }
}

/// Renders a breakdown as text.
pub(super) fn render(a: &Explanation) -> String {
    let mut text = format!("{}\npart,series,change,unit,weight %,points", a.moved);
    let is_count = |unit: &str| !unit.contains('%') && !unit.contains("points");
    let decimals = 2 * usize::from(!a.scores.iter().any(|score| is_count(&score.unit)));
    for input in &a.inputs {
        let number = |value: Option<f64>| cell(value.map(|value| format_number(value, 1)));
        let points = cell(input.points.map(|points| format_signed(points, decimals)));
        text += &format!(
            "\n{},{},{},{},{},{points}",
            table_cell(&input.name),
            input.series,
            number(input.value),
            table_cell(&input.unit),
            number(input.weight.map(|weight| 100.0 * weight)),
        );
    }
    let rest = a.scores.first().map_or(0.0, |score| score.base);
    if rest.abs() >= 0.005 {
        text += &format!("\nLeft over: {}.", format_signed(rest, 2));
    }
    text + &a.provenance.render_closing(&a.attribution)
}

/// Refuses a past day of which the figures are not known.
fn check_known(desk: &Desk, whole: &Whole, as_of: AsOf) -> Result<()> {
    let AsOf::Day(day) = as_of else { return Ok(()) };
    let bases = desk.basis(whole.inputs(), as_of)?.into_iter();
    let revised = bases.filter(|basis| basis.values == Values::AsLastRevised);
    let named = join(revised.flat_map(|b| b.series).take(MAX_NAMED), ", ");
    if named.is_empty() {
        return Ok(());
    }
    let problem = format!("is a day of which no vintages of {named} are held");
    let allowed = "leave it out: the answer then shows today's figures of any date=";
    Err(Error::invalid("as_of", &day.to_string(), &problem, allowed))
}

fn catalogued(id: &str) -> Result<&'static std::sync::Arc<SeriesInfo>> {
    let info = Catalogue::embedded().get(id);
    info.ok_or_else(|| Error::internal("a series of data/drivers.csv", id))
}

fn formula(rule: Rule) -> &'static str {
    match rule {
        Rule::Prices => {
            "points of a part = weight of the base period x change of its index / its index then, x the whole's index \
             then / the whole's at the start"
        }
        Rule::Sum => "the change of the whole is the sum of the changes of its parts",
        Rule::Rate => {
            "rate = 1 - employment / (participation x population); the effect of each is its change at the means of the \
             others"
        }
        Rule::Published => "contributions as the agency publishes them",
    }
}

fn input(rule: Rule, contribution: &Contribution, to: Date) -> ExplainedInput {
    let part = contribution.part;
    let unit = match (rule, part.name) {
        (Rule::Prices, _) => "%",
        (Rule::Rate, "participation") | (Rule::Published, _) => "points",
        (Rule::Sum | Rule::Rate, _) => "thousand persons",
    };
    let own = if part.of.is_empty() {
        "change"
    } else {
        part.of
    };
    ExplainedInput {
        score: own.into(),
        name: part.name.into(),
        series: part.series.into(),
        unit: unit.into(),
        weight: contribution.weight.map(|w| round_to(w / 100.0, 5)),
        date: Some(to),
        value: Some(round_to(contribution.change, 4)),
        points: Some(round_to(contribution.points, 4)),
        ..ExplainedInput::default()
    }
}

/// Describes the change and its largest contributions.
fn describe(whole: &Whole, total: &SeriesInfo, parts: &Breakdown, ends: Ends) -> String {
    let change = parts.change;
    let is_sum = whole.rule == Rule::Sum;
    let verb = if change < 0.0 { "fell" } else { "rose" };
    let size = format_number(change.abs(), usize::from(!is_sum));
    let [to, from] = [ends.to, ends.from].map(|date| total.frequency.label(date));
    let id = whole.total;
    let title = &total.title;
    let head = match whole.rule {
        Rule::Prices => format!("{title} [{id}] {verb} {size} % from {from} to {to}"),
        Rule::Sum => format!("{title} [{id}] {verb} by {size} thousand from {from} to {to}"),
        Rule::Rate => {
            format!("The unemployment rate [{id}] {verb} {size} points from {from} to {to}")
        }
        Rule::Published => {
            let grew = if change < 0.0 { "shrank" } else { "grew" };
            format!("Real GDP [{id}] {grew} at an annual rate of {size} % in {to}")
        }
    };
    let places = if is_sum { 0 } else { 2 };
    let named = |of_whole: bool| {
        let is_named = |c: &&Contribution| c.part.of.is_empty() == of_whole;
        let mut own: Vec<&Contribution> = parts.contributions.iter().filter(is_named).collect();
        own.sort_by(|a, b| b.points.abs().total_cmp(&a.points.abs()));
        let largest = own.into_iter().take(MAX_NAMED);
        let told =
            |c: &Contribution| format!("{} {}", c.part.name, format_signed(c.points, places));
        join(largest.map(told), ", ")
    };
    let of_parts = capitalize(&named(false));
    let within = enclosed(" Of these: ", &of_parts, ".");
    format!("{head}: {}.{within}", named(true))
}
