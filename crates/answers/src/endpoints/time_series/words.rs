//! A series in words: what happened over its rows, the rows, and what is to be known of them.

use super::answer::TimeSeriesAnswer;
use super::digest::{Digest, ExtremeRow, RangeMove};
use super::rows;
use super::vintages::Vintages;
use crate::endpoints::measured::FigureKind;
use econoscope_core::model::Observation;

/// Most rows in the text of an answer for a program, which reads the others in the structure.
const FOR_PROGRAMS: usize = 60;

/// What an assistant reads: header, rows, what was left out, state of knowledge and credit line.
pub(super) fn prose(answer: &TimeSeriesAnswer, is_for_program: bool) -> String {
    let mut text = headline(answer);
    let condition = answer.condition.iter();
    text.extend(condition.map(|c| format!("\n{}", c.in_prose())));
    if let Some(vintages) = &answer.vintages {
        let lines = answer.measured.iter().map(|m| vintages.describe(m));
        text.extend(lines);
        text += &format!("\n{}", vintages.csv());
    } else if !answer.points.is_empty() {
        let measured = answer.measured.iter();
        let lines = measured.flat_map(|m| answer.points.iter().map(|p| p.line(m)));
        let means = answer.measured.iter();
        let means = means.flat_map(|m| answer.means.iter().map(|mean| mean.line(m)));
        text.extend(lines.chain(means).map(|line| format!("\n{line}")));
    } else if is_for_program && answer.data.len() > FOR_PROGRAMS {
        text += "\n(detail=full has every row here)";
    } else if !answer.data.is_empty() {
        let csv = rows::csv("value", &answer.data);
        text += &format!("\n{}", csv.trim_start_matches("observation_"));
    }
    text.trim_end().to_owned()
        + "\n"
        + &rest(answer)
        + answer.provenance.closing(&answer.attribution).trim_start()
}

/// The rows as CSV, of several states of knowledge a column each.
pub(super) fn csv(answer: &TimeSeriesAnswer) -> String {
    let vintages = answer.vintages.as_ref();
    vintages.map_or_else(|| rows::csv(&answer.series_id, &answer.data), Vintages::csv)
}

/// Which rows were left out, and how to get them; nothing where all are there.
pub(super) fn rest(answer: &TimeSeriesAnswer) -> String {
    match (&answer.reduction, &answer.all_rows) {
        (Some(r), Some(all)) if r.to_rows < r.from_rows => format!(
            "{} of {} rows: {}. More: max_points to 400, detail=csv to 750; all: {all}\n",
            r.to_rows, r.from_rows, r.method
        ),
        _ => String::new(),
    }
}

fn headline(answer: &TimeSeriesAnswer) -> String {
    let name = answer.untrusted.told("displayName", &answer.display_name);
    let name = format!("{name} ({})", answer.series_id);
    let vintages = answer.vintages.as_ref();
    let is_empty = vintages.map_or(answer.data.is_empty(), |v| v.rows.is_empty());
    if is_empty && answer.points.is_empty() {
        let (start, end) = (answer.start, answer.end);
        return format!("{name}: no observation from {start} to {end}.");
    }
    let unit = answer.unit_in_words.as_ref().unwrap_or(&answer.unit);
    let frequency = answer.frequency.as_deref();
    let frequency = frequency.unwrap_or("frequency not stated");
    let head = format!("{name}, {unit}, {frequency}");
    if !answer.points.is_empty() {
        return format!("{head}.");
    }
    if let Some(vintages) = vintages {
        let states = vintages.states.len();
        return format!("{head}, as known on {states} days.");
    }
    let reduction = answer.reduction.as_ref();
    let count = reduction.map_or(answer.row_count, |r| r.from_rows);
    let figures = answer.summary.as_ref().zip(answer.measured.as_ref());
    let figures = figures.map(|(d, m)| format!(" {}", figures_in_words(d, count, m)));
    let cut = match answer.truncated {
        true => " Older rows were cut at 5,000; narrow the range to get them.",
        false => "",
    };
    let rows = if count == 1 { "row" } else { "rows" };
    format!(
        "{head}: {count} {rows}.{}{cut}",
        figures.unwrap_or_default()
    )
}

fn figures_in_words(d: &Digest, count: usize, measured: &FigureKind) -> String {
    let label = |date| measured.frequency.label(date);
    let figure = |value, date| {
        let when = measured.frequency.when(date);
        format!("{} {when}", measured.figure(value))
    };
    let at = |row: &Observation| figure(row.value, row.date);
    if count == 1 {
        return format!("{}.", at(&d.last));
    }
    // "14.80 in April 2020", "0.05 on 2011-09-22 (first of 3 days, last 2015-01-02)".
    let extreme = |row: &ExtremeRow| {
        let ties = |last| format!(" (first of {}, last {})", row.ties, label(last));
        figure(row.value, row.date) + &row.last_date.map(ties).unwrap_or_default()
    };
    let yearly = d.yearly_pct.map(|p| format!(", {p} % a year"));
    let mut text = format!(
        "Latest {}; first {}; change {}{}. Lowest {}; highest {}; mean {}.",
        at(&d.last),
        at(&d.first),
        measured.change(d.change, d.change_pct),
        yearly.unwrap_or_default(),
        extreme(&d.min),
        extreme(&d.max),
        d.mean,
    );
    // The change from the first row to the last is told already.
    let is_whole = |way: &&RangeMove| way.from == d.first && way.to == d.last;
    let end = |row: &Observation| format!("{} ({})", measured.figure(row.value), label(row.date));
    for (word, way) in [("fall", &d.fall), ("rise", &d.rise)] {
        if let Some(way) = way.as_ref().filter(|way| !is_whole(way)) {
            let change = measured.change(way.change, way.change_pct);
            let (from, to) = (end(&way.from), end(&way.to));
            text += &format!(" Greatest {word} {change}, {from} to {to}");
            text += &match (word, d.fall_recovered) {
                ("fall", Some(day)) => format!(", recovered {}.", measured.frequency.when(day)),
                ("fall", None) => format!(", not recovered by {}.", label(d.last.date)),
                _ => ".".to_owned(),
            };
        }
    }
    text + &format!(
        " Of the rows {} % lie below the latest, {} % equal it, {} % above.",
        d.below_pct, d.equal_pct, d.above_pct
    )
}
