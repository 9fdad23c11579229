//! Every release whose day is on record, walked: the day before no tool shows its figure, on the day it is there.

use super::support::{ask, backend};
use econoscope_answers::Backend;
use econoscope_core::model::Date;
use econoscope_core::model::calendar::{Release, releases};
use econoscope_core::model::frequency::shift;
use econoscope_data::store::{Sqlite, Store};
use jiff::ToSpan;
use jiff::civil::date;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A recorded release: the day on which figures of a period came, and the series that are held of it.
struct Came {
    release: &'static Release,
    period: Date,
    day: Date,
    series: Vec<String>,
}

/// Releases that bring figures first; those of later prints are not meant.
fn recorded() -> Vec<Came> {
    let store = Sqlite::bundled().unwrap();
    let held = store.status().unwrap();
    let text = include_str!("../../crates/core/data/calendar/days.csv");
    let rows = text.lines().skip(1).filter_map(|line| {
        let [release, period, day] = line.splitn(4, ',').collect::<Vec<_>>()[..3] else {
            panic!("{line}")
        };
        let release = releases().iter().find(|r| r.id == release).unwrap();
        let start: Date = period.parse().unwrap();
        let has = |id: &&String| {
            let status = held.iter().find(|s| s.id.as_str() == id.as_str());
            status.is_some_and(|s| s.last >= start && s.first <= start)
        };
        let series: Vec<String> = release.headline.iter().filter(has).cloned().collect();
        (!series.is_empty()).then(|| Came {
            release,
            period: start,
            day: day.parse().unwrap(),
            series,
        })
    });
    rows.collect()
}

fn bundled() -> &'static Backend {
    static BACKEND: OnceLock<Backend> = OnceLock::new();
    BACKEND.get_or_init(|| backend(Arc::new(Sqlite::bundled().unwrap())))
}

/// The dates that an answer has for a series: those beside its name in any object, and those of its rows.
fn dates(value: &Value, id: &str, found: &mut Vec<Date>) {
    let formula = format!("{id}-0");
    match value {
        Value::Object(fields) => {
            let names = ["ticker", "seriesId", "series", "id"]
                .iter()
                .filter_map(|name| fields.get(*name));
            let is_own = |name: &Value| match name {
                Value::String(name) => name.split('/').any(|n| n.trim() == id) || *name == formula,
                Value::Array(names) => names.iter().any(|n| n == id),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
            };
            if names.into_iter().any(is_own) {
                // A surprise has the day on which it came beside the period that it is of.
                let of = fields.get("period").or_else(|| fields.get("date"));
                found.extend(of.and_then(date_of));
                let rows = fields.get("data").and_then(Value::as_array);
                found.extend(
                    rows.into_iter()
                        .flatten()
                        .filter_map(|row| date_of(row.get("date")?)),
                );
            }
            fields.values().for_each(|value| dates(value, id, found));
        }
        Value::Array(values) => values.iter().for_each(|value| dates(value, id, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn date_of(value: &Value) -> Option<Date> {
    let text = value.as_str()?;
    text.parse().or_else(|_| format!("{text}-01").parse()).ok()
}

/// What tools say of a series as of a day: its newest date in each answer that has it.
fn newest(id: &str, day: Date, tools: &[&str]) -> Vec<(String, Option<Date>)> {
    let day_text = day.to_string();
    let tell = |tool: &&str| {
        let as_of = ("as_of", day_text.as_str());
        let start = shift(day, (-500).days()).to_string();
        let formula = format!("{id}-0");
        let arguments = match *tool {
            "get_metric" => vec![("ticker", id), as_of],
            "get_time_series" => vec![("seriesId", id), ("start", start.as_str()), as_of],
            "compare_series" => vec![
                ("series", formula.as_str()),
                ("start", start.as_str()),
                as_of,
            ],
            "explain_indicator" => vec![("indicator", "regime"), as_of],
            "what_changed" => vec![("since", "45d"), as_of],
            _ => vec![as_of],
        };
        // Early days have no regime, no signals and no composites.
        let (answer, _) = ask(bundled(), tool, &arguments).ok()?;
        let mut found = Vec::new();
        dates(&answer, id, &mut found);
        // Two answers name their figures and not the series: the regime of a month rests on the prices of the one before.
        let named = |field: &str| answer.pointer(field).and_then(date_of);
        found.extend(match (*tool, id) {
            ("get_regime", "CPIAUCSL" | "CPILFESL") => {
                named("/month").map(|month| shift(month, (-1).month()))
            }
            ("get_macro_summary", "CPIAUCSL") => named("/dates/cpi_yoy_pct"),
            ("get_macro_summary", "UNRATE") => named("/dates/sahm_rule"),
            _ => None,
        });
        Some(((*tool).to_owned(), found.into_iter().max()))
    };
    tools.iter().filter_map(tell).collect()
}

/// Holds the day before and the day of a release against the tools.
fn hold(came: &Came, tools: &[&str], wrong: &mut Vec<String>, spoke: &mut BTreeMap<String, usize>) {
    let before = shift(came.day, (-1).day());
    for id in &came.series {
        let of = |what: &str| format!("{} {id} {} {what}", came.release.id, came.period);
        for (tool, newest) in newest(id, before, tools) {
            if newest.is_some_and(|date| date >= came.period) {
                wrong.push(of(&format!("is in {tool} on {before}, the day before")));
            }
        }
        for (tool, newest) in newest(id, came.day, tools) {
            *spoke.entry(tool.clone()).or_default() += usize::from(newest.is_some());
            // Tools that show a series only where it says something may leave it out.
            let must = ["get_metric", "get_time_series", "compare_series"].contains(&&*tool);
            let is_missing = newest.is_none_or(|date| date < came.period);
            if must && is_missing != is_late_in_the_vintages(came, id) {
                let is = if is_missing {
                    "is not"
                } else {
                    "is listed as late and is"
                };
                wrong.push(of(&format!("{is} in {tool} on {}, its day", came.day)));
            }
        }
    }
}

/// Where the vintage of the release's month was made before it, so that the figure is known with the next one: later
/// than it was, and never sooner. data/calendar/README.md.
fn is_late_in_the_vintages(came: &Came, id: &str) -> bool {
    match came.release.id.as_str() {
        // The file of June 2024 holds the annual revision of the 28th, that of December 2025 the releases of both months.
        "production" => [date(2024, 5, 1), date(2025, 9, 1)].contains(&came.period),
        // The files hold the second print of permits, a week later.
        "housing" => id == "PERMIT" && came.period < date(2026, 7, 1),
        _ => false,
    }
}

/// Where the vintages have a figure in another month than the one in which it came: data/calendar/README.md.
fn is_known_to_differ(came: &Came) -> bool {
    let known = [("cpi", date(1995, 12, 1)), ("gdp", date(2018, 10, 1))];
    known.contains(&(came.release.id.as_str(), came.period))
}

#[test]
fn figure_appears_on_its_release_day_and_not_before() {
    let all = recorded();
    assert!(all.len() > 1_500, "{}", all.len());
    let mut wrong = Vec::new();
    for came in all.iter().filter(|came| !is_known_to_differ(came)) {
        hold(came, &["get_metric"], &mut wrong, &mut BTreeMap::new());
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        all.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}

#[test]
fn tools_show_nothing_later_than_the_day_over_many_years() {
    let shutdowns = [
        (date(1995, 11, 1), date(1996, 3, 31)),
        (date(2013, 9, 1), date(2013, 12, 31)),
        (date(2018, 12, 1), date(2019, 3, 31)),
        (date(2025, 9, 1), date(2026, 3, 31)),
    ];
    let tools = [
        "get_metric",
        "get_time_series",
        "compare_series",
        "explain_indicator",
        "what_changed",
        "get_macro_summary",
        "get_regime",
    ];
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut spoke = BTreeMap::new();
    for (number, came) in recorded()
        .iter()
        .filter(|came| !is_known_to_differ(came))
        .enumerate()
    {
        let is_hard = shutdowns
            .iter()
            .any(|(from, to)| (*from..=*to).contains(&came.day));
        if is_hard || number % 40 == 0 {
            hold(came, &tools, &mut wrong, &mut spoke);
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
    // A tool that never names one of these series would hold by saying nothing.
    for tool in tools {
        assert!(
            spoke.get(tool).is_some_and(|n| *n > 20),
            "{tool}: {spoke:?}"
        );
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}
