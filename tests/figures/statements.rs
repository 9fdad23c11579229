//! Statements of the glossary that have figures: each is recomputed from the figures, or names its source.

use super::support::{ask, backend, real};
use econoscope_data::store::Sqlite;
use econoscope_desk::texts::glossary;
use serde_json::Value;
use std::sync::Arc;

/// A statement: term, words, formula, range, measure, and the bounds of its figure.
const STATEMENTS: &str = include_str!("statements.csv");

pub(crate) fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

/// A figure of a column over its range.
pub(crate) fn measured(column: &Value, measure: &str) -> f64 {
    let number = |name: &str| column[name].as_f64().unwrap();
    let year = |name: &str| column[name].as_str().unwrap()[..4].parse().unwrap();
    match measure {
        "minYear" => year("minDate"),
        "maxYear" => year("maxDate"),
        "range" => number("max") - number("min"),
        "sum" => number("mean") * number("count"),
        name => number(name),
    }
}

#[test]
fn statements_match_the_figures() {
    let stores = [
        backend(Arc::new(Sqlite::bundled().unwrap())),
        backend(real()),
    ];
    let (scenarios, _) = ask(&stores[0], "list_scenarios", &[]).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in STATEMENTS.lines().skip(1) {
        let row = fields(line);
        let [term, words, formula, start, end, measure, low, high] = row.as_slice() else {
            panic!("{line}")
        };
        let said = glossary::get(term).unwrap_or_else(|| panic!("{term}"));
        assert!(
            said.summary.contains(words),
            "{term} no longer says \"{words}\""
        );
        let found = match measure.strip_prefix("base:") {
            Some(slug) => {
                let all = scenarios["scenarios"].as_array().unwrap().iter();
                let own = all
                    .filter(|s| s["slug"] == slug)
                    .find_map(|s| s["baseRateProbability"].as_f64());
                own.unwrap_or_else(|| panic!("{slug}"))
            }
            None => {
                let given = [("series", formula.as_str()), ("start", start), ("end", end)];
                let answers = stores
                    .iter()
                    .map(|store| ask(store, "compare_series", &given));
                let columns = answers.filter_map(|a| a.ok()?.0["columns"].get(0).cloned());
                let Some(column) = columns.into_iter().find(|c| c["count"].as_u64() > Some(0))
                else {
                    wrong.push(format!("{term}: no figures of {formula}"));
                    continue;
                };
                measured(&column, measure)
            }
        };
        count += 1;
        let (low, high): (f64, f64) = (low.parse().unwrap(), high.parse().unwrap());
        if !(low..=high).contains(&found) {
            wrong.push(format!(
                "{term}, {words}: {measure} of {formula} is {found}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_term_with_figures_names_its_source() {
    for term in glossary::embedded() {
        let has_figures = term.summary.contains(|c: char| c.is_ascii_digit());
        assert!(
            !has_figures || term.source.is_some(),
            "{}: {}",
            term.slug,
            term.summary
        );
    }
}
