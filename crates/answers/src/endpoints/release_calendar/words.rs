//! The calendar in words.

use super::answer::{CalendarAnswer, ExpectedPrint, LastPrint, ReleaseEvent, ScheduledFigure};
use crate::endpoints::revisions::plus;
use econoscope_core::indicators::prose::signed;

/// "expected +150 (sd 115, nine in ten within 177)".
fn expected(e: &ExpectedPrint, measure: &str) -> String {
    let within = e.p90.map(|p90| format!(", nine in ten within {p90}"));
    let notes = e.notes.iter().map(|note| format!("; {note}"));
    let aside: String = within.into_iter().chain(notes).collect();
    let value = value(e.value, measure);
    format!("expected {value} (sd {}{aside})", e.sd)
}

/// "came +50 on 2026-01-09, expected +19: surprise +31, +0.3 sd".
pub(crate) fn said(last: &LastPrint, measure: &str) -> String {
    let by = match last.recorded {
        true => "on",
        false => "by the usual lag on",
    };
    let came = format!("came {} {by} {}", value(last.value, measure), last.date);
    match (&last.expected, last.surprise, last.deviations) {
        (Some(e), Some(surprise), Some(z)) => format!(
            "{came}, expected {}: surprise {}, {} sd",
            value(e.value, measure),
            plus(surprise),
            signed(z, 1)
        ),
        _ => {
            let why = last.missing.as_deref().unwrap_or("nothing was expected");
            format!("{came}; no surprise can be told: {why}")
        }
    }
}

/// Changes carry their sign, levels do not.
fn value(value: f64, measure: &str) -> String {
    match measure {
        "level" => value.to_string(),
        _ => plus(value),
    }
}

/// The whole answer.
pub(super) fn text(a: &CalendarAnswer) -> String {
    let mut text = format!(
        "Releases from {} to {} (Eastern time; days by rule, not announced, but for the FOMC's):",
        a.from, a.to
    );
    if a.events.is_empty() {
        text += "\n- none";
    }
    text.extend(a.events.iter().map(|e| format!("\n- {}", in_prose(e))));
    if !a.figures.is_empty() {
        text += "\nWhat they can be expected to say (a mechanical yardstick, no survey), what came last, and how far first \
                 prints are usually revised in a year:";
    }
    let figures = a.figures.iter();
    text.extend(figures.map(|f| format!("\n- {}", figure_in_prose(f))));
    text + &a.provenance.closing(&a.attribution)
}

/// "Fri 2026-12-04 08:30 Employment report, 2026-11: PAYEMS, UNRATE".
fn in_prose(e: &ReleaseEvent) -> String {
    let day = e.date.strftime("%a %Y-%m-%d");
    let brings = brings(e);
    let around = e.between.map_or_else(String::new, |[first, last]| {
        format!("; {first} to {last} by past releases")
    });
    let held = match e.held {
        Some(true) => "; out",
        Some(false) => "; its figures are not loaded",
        None => "",
    };
    let time = Some(&e.time).filter(|time| !time.is_empty());
    let time = time.map_or_else(String::new, |time| format!("{time} "));
    format!(
        "{day} {time}{}, {}: {brings}{around}{held}",
        e.name, e.period
    )
}

/// What comes with it: series, the decision, or no new figure.
pub fn brings(e: &ReleaseEvent) -> String {
    match (&e.outcome, e.series.as_slice()) {
        (Some(outcome), _) => outcome.clone(),
        (None, []) if e.basis == "rule" => "revision of an earlier print".to_owned(),
        (None, []) => "no figures".to_owned(),
        (None, series) => series.join(", "),
    }
}

fn figure_in_prose(f: &ScheduledFigure) -> String {
    let mut parts = Vec::new();
    if let Some(measure) = f.measure.as_deref() {
        let why = f.missing.as_deref().unwrap_or("no reason is told");
        parts.push(match &f.next {
            Some(e) => format!("{} {}", e.period, expected(e, measure)),
            None => format!("nothing expected: {why}"),
        });
        let last = f.last.iter();
        parts.extend(last.map(|last| format!("{} {}", last.period, said(last, measure))));
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
    format!("{} ({}){unit}: {}", f.name, f.series_id, parts.join("; "))
}
