//! A range of a series as known on several days: a column for each, and the revisions between them.

use super::all_rows;
use super::answer::{Reduction, TimeSeriesAnswer};
use super::arguments::{DateSelection, Params};
use super::digest::{RangeMove, summarize};
use super::shape::{csv_address, max_rows, thin};
use crate::prelude::*;
use crate::render::provenance::in_words;
use std::collections::BTreeSet;

/// Most days of knowledge in an answer.
const MAX_STATES: usize = 5;

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

/// A day of knowledge, and the answer as known on that day, with all its rows.
type State = (Date, TimeSeriesAnswer);

/// Reads the `as_of` argument: the days of knowledge, ascending and each once; never empty.
///
/// # Errors
/// [`Error::InvalidParam`] for what is no date, lies in the future, and for too many days.
pub(super) fn parse_as_of_days(desk: &Desk, text: Option<&str>) -> Result<Vec<AsOf>> {
    let Some(text) = text.filter(|text| dates::is_several(text)) else {
        return Ok(vec![parse_as_of(desk, text)?]);
    };
    let parts = dates::split_list(text);
    if parts.len() > MAX_STATES {
        let problem = format!("names {} days", parts.len());
        let allowed = format!("at most {MAX_STATES} days, as 2008-09-15, latest");
        return Err(Error::invalid("as_of", text, &problem, &allowed));
    }
    let read = parts.iter().map(|part| parse_as_of(desk, Some(part)));
    let mut days = read.collect::<Result<Vec<AsOf>>>()?;
    days.sort_by_key(|as_of| newest(*as_of, desk.today()));
    days.dedup();
    Ok(days)
}

/// Answers with a column for each day. Without an end, the range is that of the first day.
///
/// # Errors
/// [`Error::InvalidParam`] for arguments that need a single state of knowledge, and the other errors of the endpoint.
pub(super) fn answer(desk: &Desk, params: &Params, days: &[AsOf]) -> Result<TimeSeriesAnswer> {
    let conflicts = [
        ("after", params.after.is_some()),
        ("condition", params.condition.is_some()),
        ("chart", params.chart),
    ];
    if let Some((name, _)) = conflicts.into_iter().find(|(_, is_given)| *is_given) {
        let allowed = "one as_of with it, or dates, start, end, units and frequency";
        let problem = "cannot stand beside several days of as_of";
        return Err(Error::invalid(name, "", problem, allowed));
    }
    let first = days.first().copied().unwrap_or(AsOf::Latest);
    let mut selection = DateSelection::new(params, first, desk.today(), Some(desk))?;
    let read_states = |selection: &DateSelection| {
        let states = days.iter().map(|as_of| {
            let known = newest(*as_of, desk.today());
            Ok((known, all_rows(desk, params, *as_of, selection)?))
        });
        states.collect::<Result<Vec<State>>>()
    };
    let mut states = read_states(&selection)?;
    let rows = states.iter().flat_map(|(_, answer)| &answer.data);
    let dates: BTreeSet<Date> = rows.map(|row| row.date).collect();
    if !selection.days.is_empty()
        && let (Some(start), Some(end)) = (dates.first(), dates.last())
    {
        // A period that is the figure of a day in one state gets a row in all of them.
        (selection.start, selection.end) = (*start, *end);
        selection.days.clear();
        states = read_states(&selection)?;
        for (_, answer) in &mut states {
            answer.data.retain(|row| dates.contains(&row.date));
        }
    }
    let rows = Vec::from_iter(dates.iter().map(|date| Observation::new(*date, 0.0)));
    let (chosen, method) = thin(&rows, max_rows(params, rows.len()));
    let shown: BTreeSet<Date> = chosen.iter().map(|row| row.date).collect();
    let vintages = build_table(&states, &shown);
    let (_, mut answer) = states.pop().unwrap_or_default();
    answer.vintages = Some(vintages);
    answer.data.retain(|row| shown.contains(&row.date));
    answer.points.clear();
    answer.row_count = shown.len();
    answer.start = dates.first().copied().unwrap_or(answer.start);
    if shown.len() < rows.len() {
        answer.reduction = Some(Reduction {
            from_rows: rows.len(),
            to_rows: shown.len(),
            method,
        });
        let base = desk.settings().base_url.as_deref();
        answer.all_rows = Some(csv_address(&answer, params, base));
    }
    Ok(answer)
}

/// Puts the states side by side at the dates of `shown`.
fn build_table(states: &[State], shown: &BTreeSet<Date>) -> Vintages {
    let ends = states.first().zip(states.last());
    let unit = ends.and_then(|(_, (_, newest))| newest.unit_in_words.as_ref());
    let state = |(known, answer): &State| {
        let kind = answer.kind.as_ref();
        let digest = kind.and_then(|kind| summarize(&answer.data, kind));
        let own_unit = answer.unit_in_words.as_ref();
        let knowledge = &answer.provenance.knowledge;
        VintageState {
            known: *known,
            row_count: answer.data.len(),
            range: digest.map(|digest| RangeMove {
                from: digest.first,
                to: digest.last,
                change: digest.change,
                change_pct: digest.change_pct,
            }),
            unit: own_unit.filter(|own| Some(*own) != unit).cloned(),
            basis: (!knowledge.is_empty()).then(|| in_words(knowledge)),
        }
    };
    let value = |answer: &TimeSeriesAnswer, date: &Date| {
        let row = answer.data.binary_search_by_key(date, |row| row.date);
        answer.data.get(row.ok()?).map(|row| row.value)
    };
    let comparable = ends.filter(|(a, b)| a.0 != b.0 && a.1.unit_in_words == b.1.unit_in_words);
    let row = |date: &Date| VintageRow {
        date: *date,
        values: Vec::from_iter(states.iter().map(|(_, answer)| value(answer, date))),
        revision: comparable.and_then(|((_, first), (_, last))| {
            Some(remove_rounding_error(
                value(last, date)? - value(first, date)?,
            ))
        }),
    };
    Vintages {
        states: states.iter().map(state).collect(),
        rows: shown.iter().map(row).collect(),
    }
}

impl Vintages {
    /// Renders the rows as CSV: a column for each day, and the revision between the first and the last.
    pub(super) fn csv(&self) -> String {
        let days = join(self.states.iter().map(|state| state.known), ",");
        let mut text = format!("date,{days},revision\n");
        for row in &self.rows {
            let values = row.values.iter().chain([&row.revision]);
            text += &format!("{},{}\n", row.date, join(values.map(|v| cell(*v)), ","));
        }
        text
    }

    /// Describes each state in a line, then the revision of the newest figure that the first and the last both have.
    pub(super) fn describe(&self, kind: &FigureKind) -> String {
        let dated = |row: Observation| kind.format_dated(row.value, row.date);
        let line = |state: &VintageState| {
            let basis = join(state.basis.iter().chain(&state.unit), "; ");
            let head = format!(
                "\nKnown on {}{}: ",
                state.known,
                enclosed(" (", &basis, ")")
            );
            let Some(range) = &state.range else {
                return head + "no figure of the range.";
            };
            // A change is in the unit of its figures.
            let mut own_kind = kind.clone();
            if let Some(unit) = state.unit.as_ref().and_then(|unit| unit.split(", ").next()) {
                own_kind.change_unit = unit.to_owned();
            }
            match state.row_count {
                1 => format!("{head}{}.", dated(range.to)),
                rows => format!(
                    "{head}{rows} rows; latest {}; first {}; change {}.",
                    dated(range.to),
                    dated(range.from),
                    own_kind.format_change(range.change, range.change_pct)
                ),
            }
        };
        let mut text: String = self.states.iter().map(line).collect();
        let revised = self.rows.iter().rev().find_map(|row| {
            let ends = row.values.first().zip(row.values.last());
            ends.and_then(|(first, last)| Some((row.date, (*first)?, (*last)?, row.revision?)))
        });
        if let Some((date, first, last, revision)) = revised {
            let percent = (kind.is_amount() && first > 0.0).then(|| 100.0 * (last / first - 1.0));
            text += &format!(
                "\n{} was {}, is {}: revised {}.",
                kind.frequency.label(date),
                kind.format(first),
                kind.format(last),
                kind.format_change(revision, percent)
            );
        }
        text
    }
}
