//! Published first prints, each with its source, against what is known on the day of their release and the day before.
//! `first_prints.py` prints the same table for any program.

use super::support::{ask, backend};
use econoscope_core::model::Date;
use econoscope_core::model::frequency::add_days;
use econoscope_data::store::Sqlite;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Counts {
    equal: u32,
    early: u32,
    late: u32,
    other: u32,
    not_held: u32,
}

/// The figure of a period as known on a day, and whether vintages say so; `None` where nothing of it was known.
fn known(
    backend: &econoscope_answers::Backend,
    series: &str,
    period: &str,
    units: &str,
    day: Date,
) -> Option<(Option<f64>, bool)> {
    let day = day.to_string();
    let call = [
        ("seriesId", series),
        ("start", period),
        ("end", period),
        ("units", units),
        ("as_of", &day),
    ];
    let (json, _) = ask(backend, "get_time_series", &call).ok()?;
    let values = json["knowledge"][0]["values"].as_str()?;
    // A period that is not out yet is answered with the newest before it.
    let mut rows = json["data"].as_array().unwrap().iter();
    let value = rows.find(|row| row["date"] == period)?["value"].as_f64();
    Some((value, values == "values as known then"))
}

#[test]
fn published_first_prints_are_known_from_their_day() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let text = include_str!("first_prints.csv");
    let mut table: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut rows = 0;
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [
            series,
            period,
            published,
            measure,
            value,
            digits,
            estimate,
            source,
        ] = cells[..]
        else {
            panic!("{line}");
        };
        assert!(!source.is_empty(), "{line}");
        rows += 1;
        let units = match measure {
            "level" => "lin",
            "change" => "chg",
            "percent" => "pch",
            "annualised" => "pca",
            other => panic!("{other}"),
        };
        let day: Date = published.parse().unwrap();
        let counts = table.entry(series).or_default();
        let before = known(&backend, series, period, units, add_days(day, -1));
        let on_day = known(&backend, series, period, units, day);
        let (Some((value_on_day, true)), true) = (on_day, before.is_none_or(|b| b.1)) else {
            counts.not_held += 1;
            continue;
        };
        let half = 0.5 * 10f64.powi(-digits.parse::<i32>().unwrap()) + 1e-6;
        let is_equal = |known: f64| (known - value.parse::<f64>().unwrap()).abs() <= half;
        match (before.and_then(|b| b.0), value_on_day) {
            (Some(_), _) if estimate == "first" => counts.early += 1,
            (_, None) => counts.late += 1,
            (_, Some(value)) if is_equal(value) => counts.equal += 1,
            _ => counts.other += 1,
        }
    }
    println!("{table:#?}");
    assert!(rows >= 300, "{rows}");
    for (series, counts) in &table {
        assert_eq!(counts.early, 0, "{series}: {counts:?}");
        // Only permits are late, as docs/RELEASES.md says: the files hold their second print.
        assert!(
            counts.late == 0 || *series == "PERMIT",
            "{series}: {counts:?}"
        );
    }
    let sum = |count: fn(&Counts) -> u32| table.values().map(count).sum::<u32>();
    assert_eq!((sum(|c| c.equal), sum(|c| c.other)), (84, 1));
}
