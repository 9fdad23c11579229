//! A range of a series as it was known on several days: a column for each, and what was revised between them.

use super::answer::{Reduction, TimeSeriesAnswer};
use super::arguments::{DateSelection, Params};
use super::digest::{RangeMove, digest};
use super::shape::{link, most, thin};
use super::whole;
use crate::endpoints::days;
use crate::endpoints::measured::FigureKind;
use crate::endpoints::prelude::*;
use crate::endpoints::provenance::in_words;
use econoscope_core::model::Observation;
use econoscope_core::model::series_info::without_noise;
use std::collections::BTreeSet;

/// Most days of knowledge in an answer.
const MOST: usize = 5;

/// The range as it was known on each of several days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Vintages {
    /// The days, ascending, with what the range was then.
    pub states: Vec<VintageState>,
    /// Rows of the range, ascending.
    pub rows: Vec<VintageRow>,
}

/// The range as it was known on a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VintageState {
    /// The day; today for the newest figures.
    pub known: Date,
    /// Rows of the range that were known.
    pub row_count: usize,
    /// The first row, the last, and the change between them.
    pub range: Option<RangeMove>,
    /// The unit, where it is another than the answer's: another base year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Whether the figures are those known then, and the rule for when a figure counts as known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<String>,
}

/// One period in every state of knowledge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VintageRow {
    /// Date of the figure.
    pub date: Date,
    /// The figure in each state, in their order; null where it was not known.
    pub values: Vec<Option<f64>>,
    /// The last state's figure less the first state's, where both are known and in the same unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<f64>,
}

/// A day of knowledge, and the answer of then with all its rows.
type State = (Date, TimeSeriesAnswer);

/// The days of knowledge that an argument names, ascending and each once.
///
/// # Errors
/// [`Error::InvalidParam`] for what is no date, lies in the future, and for too many days.
pub(super) fn days_of(desk: &Desk, text: Option<&str>) -> Result<Vec<AsOf>> {
    let Some(text) = text.filter(|text| days::is_several(text)) else {
        return Ok(vec![days::parse_as_of(desk, text)?]);
    };
    let parts = days::listed(text);
    if parts.len() > MOST {
        let problem = format!("names {} days", parts.len());
        let allowed = format!("at most {MOST} days, as 2008-09-15, latest");
        return Err(Error::invalid("as_of", text, &problem, &allowed));
    }
    let each = parts.iter();
    let each = each.map(|part| days::parse_as_of(desk, Some(part.as_str())));
    let mut days = each.collect::<Result<Vec<AsOf>>>()?;
    days.sort_by_key(|as_of| days::newest(*as_of, desk.today()));
    days.dedup();
    Ok(days)
}

/// The answer with a column for each day; a range without an end is the one that the first of them has.
///
/// # Errors
/// [`Error::InvalidParam`] for arguments that have a meaning for one state of knowledge alone, and whatever the endpoint
/// says to the others.
pub(super) fn answer(desk: &Desk, params: &Params, days: &[AsOf]) -> Result<TimeSeriesAnswer> {
    let is_given = [
        ("after", params.after.is_some()),
        ("condition", params.condition.is_some()),
        ("chart", params.chart),
    ];
    if let Some((name, _)) = is_given.into_iter().find(|(_, is_given)| *is_given) {
        let allowed = "one as_of with it, or dates, start, end, units and frequency";
        let problem = "cannot stand beside several days of as_of";
        return Err(Error::invalid(name, "", problem, allowed));
    }
    let first = days.first().copied().unwrap_or(AsOf::Latest);
    let mut asked = DateSelection::of(params, first, desk.today())?;
    let known = |asked: &DateSelection| {
        let each = days.iter().map(|as_of| {
            let known = days::newest(*as_of, desk.today());
            Ok((known, whole(desk, params, *as_of, asked)?))
        });
        each.collect::<Result<Vec<State>>>()
    };
    let mut states = known(&asked)?;
    let rows = states.iter().flat_map(|(_, answer)| &answer.data);
    let dates: BTreeSet<Date> = rows.map(|row| row.date).collect();
    if let (false, Some(start), Some(end)) = (asked.days.is_empty(), dates.first(), dates.last()) {
        // A period that speaks for a day in one state stands in all of them.
        (asked.start, asked.end) = (*start, *end);
        asked.days.clear();
        states = known(&asked)?;
        for (_, answer) in &mut states {
            answer.data.retain(|row| dates.contains(&row.date));
        }
    }
    let dates = dates.into_iter();
    let dates: Vec<Observation> = dates.map(|date| Observation::new(date, 0.0)).collect();
    let (chosen, method) = thin(&dates, most(params, dates.len()));
    let shown: BTreeSet<Date> = chosen.iter().map(|row| row.date).collect();
    let vintages = table(&states, &shown);
    let newest = states.pop().map(|(_, newest)| newest);
    let mut newest = newest.unwrap_or_default();
    newest.vintages = Some(vintages);
    newest.data.retain(|row| shown.contains(&row.date));
    newest.points.clear();
    newest.row_count = shown.len();
    newest.start = dates.first().map_or(newest.start, |first| first.date);
    if shown.len() < dates.len() {
        newest.reduction = Some(Reduction {
            from_rows: dates.len(),
            to_rows: shown.len(),
            method,
        });
        newest.all_rows = Some(link(&newest, params, desk.settings().base_url.as_deref()));
    }
    Ok(newest)
}

/// The states and their rows side by side.
fn table(states: &[State], shown: &BTreeSet<Date>) -> Vintages {
    let ends = states.first().zip(states.last());
    let unit = ends.and_then(|(_, (_, newest))| newest.unit_in_words.as_ref());
    let state = |(known, answer): &State| {
        let measured = answer.measured.as_ref();
        let figures = measured.and_then(|m| digest(&answer.data, m));
        let other = answer.unit_in_words.as_ref();
        let other = other.filter(|own| Some(*own) != unit);
        let knowledge = &answer.provenance.knowledge;
        VintageState {
            known: *known,
            row_count: answer.data.len(),
            range: figures.map(|figures| RangeMove {
                from: figures.first,
                to: figures.last,
                change: figures.change,
                change_pct: figures.change_pct,
            }),
            unit: other.cloned(),
            basis: (!knowledge.is_empty()).then(|| in_words(knowledge)),
        }
    };
    let value = |answer: &TimeSeriesAnswer, date: &Date| {
        let found = answer.data.binary_search_by_key(date, |row| row.date);
        answer.data.get(found.ok()?).map(|row| row.value)
    };
    let ends = ends.filter(|(a, b)| a.0 != b.0 && a.1.unit_in_words == b.1.unit_in_words);
    let row = |date: &Date| VintageRow {
        date: *date,
        values: states
            .iter()
            .map(|(_, answer)| value(answer, date))
            .collect(),
        revision: ends.and_then(|((_, first), (_, last))| {
            Some(without_noise(value(last, date)? - value(first, date)?))
        }),
    };
    Vintages {
        states: states.iter().map(state).collect(),
        rows: shown.iter().map(row).collect(),
    }
}

impl Vintages {
    /// The rows as CSV: a column for each day, and the revision between the first and the last.
    pub(super) fn csv(&self) -> String {
        let days = joined(self.states.iter().map(|state| state.known), ",");
        let mut text = format!("date,{days},revision\n");
        let cell = |value: &Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        for row in &self.rows {
            let values = row.values.iter().chain([&row.revision]).map(cell);
            text += &format!("{},{}\n", row.date, joined(values, ","));
        }
        text
    }

    /// A line for each state, and the revision of the newest figure that the first and the last both have.
    pub(super) fn describe(&self, measured: &FigureKind) -> String {
        let at = |row: Observation| measured.dated(row.value, row.date);
        let line = |state: &VintageState| {
            let basis = state.basis.iter().chain(&state.unit);
            let basis = joined(basis, "; ");
            let head = match basis.as_str() {
                "" => format!("\nKnown on {}: ", state.known),
                basis => format!("\nKnown on {} ({basis}): ", state.known),
            };
            let Some(range) = &state.range else {
                return head + "no figure of the range.";
            };
            // A change is in the unit of its figures.
            let own = state.unit.as_ref().and_then(|unit| unit.split(", ").next());
            let mut kind = measured.clone();
            kind.change_unit = own.map_or(kind.change_unit, str::to_owned);
            match state.row_count {
                1 => format!("{head}{}.", at(range.to)),
                rows => format!(
                    "{head}{rows} rows; latest {}; first {}; change {}.",
                    at(range.to),
                    at(range.from),
                    kind.change(range.change, range.change_pct)
                ),
            }
        };
        let mut text: String = self.states.iter().map(line).collect();
        let revised = self.rows.iter().rev().find_map(|row| {
            let both = row.values.first().zip(row.values.last());
            both.and_then(|(first, last)| Some((row.date, (*first)?, (*last)?, row.revision?)))
        });
        if let Some((date, first, last, revision)) = revised {
            let percent =
                (measured.is_amount() && first > 0.0).then(|| 100.0 * (last / first - 1.0));
            text += &format!(
                "\n{} was {}, is {}: revised {}.",
                measured.frequency.label(date),
                measured.figure(first),
                measured.figure(last),
                measured.change(revision, percent)
            );
        }
        text
    }
}
