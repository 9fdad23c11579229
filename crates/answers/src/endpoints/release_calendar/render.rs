//! The text of a release calendar.

use super::answer::{
    ANNOUNCED, CalendarAnswer, ExpectedPrint, LastPrint, ReleaseEvent, ScheduledFigure,
};
use crate::endpoints::revisions::plus;
use crate::prelude::*;
use econoscope_core::format;

/// Formats an expectation: "expected +150 (sd 115, nine in ten within 177)".
fn format_expectation(e: &ExpectedPrint, measure: &str) -> String {
    let within = e.p90.map(|p90| format!(", nine in ten within {p90}"));
    let notes = e.notes.iter().map(|note| format!("; {note}"));
    let details: String = within.into_iter().chain(notes).collect();
    let value = format_value(e.value, measure);
    format!("expected {value} (sd {}{details})", e.sd)
}

/// Formats a print: "came +50 on 2026-01-09, expected +19: surprise +31, +0.3 sd".
fn format_print(last: &LastPrint, measure: &str) -> String {
    let by = if last.recorded {
        "on"
    } else {
        "by the usual lag on"
    };
    let value = format_value(last.value, measure);
    let date = last.date;
    let print = format!("came {value} {by} {date}");
    if let (Some(e), Some(surprise), Some(z)) = (&last.expected, last.surprise, last.deviations) {
        let expected = format_value(e.value, measure);
        let surprise = plus(surprise);
        let deviations = format_signed(z, 1);
        return format!("{print}, expected {expected}: surprise {surprise}, {deviations} sd");
    }
    let why = last.missing.as_deref().unwrap_or("nothing was expected");
    format!("{print}; no surprise can be told: {why}")
}

/// Formats a change with its sign, a level without.
pub(crate) fn format_value(value: f64, measure: &str) -> String {
    match measure {
        "level" => value.to_string(),
        _ => plus(value),
    }
}

/// Renders the whole answer; what is expected of figures only where it is about a series.
pub(super) fn render(a: &CalendarAnswer, is_of_series: bool) -> String {
    let events = a.events.iter().map(format_event);
    let mut text = format!(
        "Releases from {} to {}, Eastern time; days follow rules and may move unless announced.{}",
        format::day(a.from),
        format::day(a.to),
        enclosed("\ndate,time,release,period,content", &join(events, ""), "")
    );
    if a.events.is_empty() {
        text += " None.";
    }
    if is_of_series {
        let expected = a.figures.iter();
        let figures = expected.map(|figure| format!("\n- {}", format_figure(figure)));
        let head = "\nExpected by a mechanical rule, no survey; what came last; how far first prints are usually revised in a year:";
        text += &enclosed(head, &join(figures, ""), "");
    } else if !a.figures.is_empty() {
        text += "\nseries=PAYEMS adds what to expect and what came last.";
    }
    let closing = a
        .provenance
        .render_closing_without(&["basis", "fomc"], &a.attribution);
    text + &closing
}

/// Formats an event as a row: "2026-12-01,10:00,Job openings (JOLTS),2026-10,JTSJOL; by 2026-12-08".
fn format_event(e: &ReleaseEvent) -> String {
    let between = e.between.filter(|[_, last]| *last > e.date);
    let latest = enclosed_value("; by ", between.map(|[_, last]| last), "");
    let announced = match e.basis.as_str() {
        ANNOUNCED => "; announced",
        _ => "",
    };
    let stored = match e.held {
        Some(true) => "; out",
        Some(false) => "; not loaded",
        None => "",
    };
    format!(
        "\n{},{},{},{},{}{latest}{announced}{stored}",
        e.date,
        e.time,
        table_cell(&e.name),
        e.period,
        describe_content(e).replace(", ", " ")
    )
}

/// Lists what an event brings: its series, the decision, or no new figure.
pub fn describe_content(e: &ReleaseEvent) -> String {
    match (&e.outcome, e.series.as_slice()) {
        (Some(outcome), _) => outcome.clone(),
        (None, []) if e.release.starts_with("fomc") => "no figures".to_owned(),
        (None, []) => "revision of an earlier print".to_owned(),
        (None, series) => series.join(", "),
    }
}

/// Formats a figure: what is expected, what came, revisions; then how it is expected and how good that has been.
fn format_figure(f: &ScheduledFigure) -> String {
    let mut parts = Vec::new();
    if let Some(measure) = f.measure.as_deref() {
        let why = f.missing.as_deref().unwrap_or("no reason is told");
        parts.push(match &f.next {
            Some(e) => format!("{} {}", e.period, format_expectation(e, measure)),
            None => format!("nothing expected: {why}"),
        });
        let last = f.last.iter();
        parts.extend(last.map(|last| format!("{} {}", last.period, format_print(last, measure))));
    }
    parts.extend(f.caveat.clone());
    parts.extend(f.usual_revision.iter().map(|usual| {
        format!(
            "revised by {} {} on average, nine in ten within {} (n {})",
            usual.mean_abs, usual.unit, usual.p90_abs, usual.n
        )
    }));
    let unit = match (&f.measure, &f.unit) {
        (Some(measure), Some(unit)) => format!(", {measure}, {unit}"),
        _ => String::new(),
    };
    let method = match (&f.next, &f.formula, &f.record) {
        (Some(_), Some(formula), Some(record)) => {
            format!(". The expectation is {formula}. {record}")
        }
        _ => String::new(),
    };
    let told = parts.join("; ");
    format!("{} ({}){unit}: {told}{method}", f.name, f.series_id)
}
