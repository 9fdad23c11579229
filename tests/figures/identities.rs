//! Series made here of others, held against the published figures of the same series: equal to the last decimal.

use super::support::{ask, backend};
use econoscope_data::ingest;
use econoscope_data::store::Sqlite;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/series");

/// A store of these series alone.
fn only(ids: &[&str]) -> Arc<Sqlite> {
    let folder = tempfile::tempdir().unwrap();
    for id in ids {
        let file = format!("{id}.csv");
        std::fs::copy(Path::new(FOLDER).join(&file), folder.path().join(&file)).unwrap();
    }
    let store = Sqlite::in_memory().unwrap();
    ingest::import(&store, folder.path(), &mut ingest::Progress::quiet()).unwrap();
    Arc::new(store)
}

fn published(id: &str) -> BTreeMap<String, f64> {
    let text = std::fs::read_to_string(format!("{FOLDER}/{id}.csv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[1].to_owned(), cells[2].parse().unwrap())
    };
    text.lines().skip(1).map(row).collect()
}

/// A series, what it is made of, and on how many dates the published figure is known to be another: the difference
/// that was published is not the difference of what was published.
const MADE: [(&str, &[&str], usize); 11] = [
    ("T10YIE", &["DGS10", "DFII10"], 0),
    ("T5YIE", &["DGS5", "DFII5"], 0),
    ("T10Y2Y", &["DGS10", "DGS2"], 0),
    ("T10Y3M", &["DGS10", "DGS3MO"], 0),
    ("GS1", &["DGS1"], 0),
    ("GS2", &["DGS2"], 0),
    ("GS5", &["DGS5"], 0),
    ("GS10", &["DGS10"], 0),
    ("FEDFUNDS", &["DFF"], 0),
    ("UNRATE", &["CLF16OV", "CE16OV"], 0),
    // Revised months of one file that the other had not yet.
    ("USPRIV", &["PAYEMS", "USGOVT"], 2),
];

#[test]
fn computed_series_equal_the_published_ones() {
    for (id, inputs, known) in MADE {
        let backend = backend(only(inputs));
        let asked = [
            ("seriesId", id),
            ("start", "2008-01-01"),
            ("detail", "full"),
        ];
        let (json, text) = ask(&backend, "get_time_series", &asked).unwrap();
        assert!(text.contains("computed here from"), "{id}: {text}");
        assert!(
            json["notes"][id]
                .as_str()
                .unwrap()
                .starts_with("computed here from"),
            "{id}"
        );
        let published = published(id);
        let mut common = 0;
        let mut other = Vec::new();
        for row in json["data"].as_array().unwrap() {
            let date = row["date"].as_str().unwrap();
            let Some(published) = published.get(date) else {
                continue;
            };
            common += 1;
            if row["value"].as_f64() != Some(*published) {
                other.push((date.to_owned(), row["value"].clone(), *published));
            }
        }
        assert!(common > 200, "{id}: {common} dates");
        assert_eq!(other.len(), known, "{id}: {other:?}");
    }
}

#[test]
fn identity_replaces_a_series_only_if_it_has_no_figures() {
    let ticker = [("ticker", "T10Y2Y")];
    let ask = |ids: &[&str]| ask(&backend(only(ids)), "get_metric", &ticker).unwrap();
    let (held, text) = ask(&["DGS10", "DGS2", "T10Y2Y"]);
    assert!(
        held["value"].is_number() && !text.to_lowercase().contains("computed here"),
        "{text}"
    );
    let (made, text) = ask(&["DGS10", "DGS2"]);
    assert_eq!(
        (made["value"].as_f64(), made["date"].as_str()),
        (Some(0.5), Some("2026-08-20"))
    );
    assert!(text.contains("computed here from DGS10-DGS2"), "{text}");
    let (none, text) = ask(&["DGS10"]);
    assert_eq!(none["value"], Value::Null);
    assert!(text.contains("It is not loaded."), "{text}");
}

/// Series with their signs.
type Parts = &'static [(&'static str, f64)];

/// What must add up in the bundle: the whole less its parts, how far that may be from zero, the first date that counts,
/// and on how many dates it is known to be off: GDP has the annual revision of September 2026, its parts have not.
const SUMS: [(&str, Parts, f64, &str, usize); 7] = [
    (
        "unemployed",
        &[("CLF16OV", 1.0), ("CE16OV", -1.0), ("UNEMPLOY", -1.0)],
        0.5,
        "1959",
        0,
    ),
    (
        "GDP",
        &[
            ("GDP", 1.0),
            ("PCEC", -1.0),
            ("GPDI", -1.0),
            ("NETEXP", -1.0),
            ("GCE", -1.0),
        ],
        0.01,
        "1947",
        21,
    ),
    (
        "payrolls",
        &[("PAYEMS", 1.0), ("USPRIV", -1.0), ("USGOVT", -1.0)],
        0.5,
        "1939",
        2,
    ),
    (
        "T10Y2Y",
        &[("T10Y2Y", 1.0), ("DGS10", -1.0), ("DGS2", 1.0)],
        0.015,
        "1976",
        2,
    ),
    (
        "T10Y3M",
        &[("T10Y3M", 1.0), ("DGS10", -1.0), ("DGS3MO", 1.0)],
        0.015,
        "1982",
        2,
    ),
    (
        "T10YIE",
        &[("T10YIE", 1.0), ("DGS10", -1.0), ("DFII10", 1.0)],
        0.015,
        "2003",
        0,
    ),
    (
        "T5YIE",
        &[("T5YIE", 1.0), ("DGS5", -1.0), ("DFII5", 1.0)],
        0.015,
        "2003",
        0,
    ),
];

#[test]
fn bundled_series_satisfy_their_identities() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let history = |id: &str| -> BTreeMap<String, f64> {
        let asked = [("seriesId", id), ("start", "max"), ("detail", "full")];
        let (json, _) = ask(&backend, "get_time_series", &asked).unwrap();
        let rows = json["data"].as_array().unwrap().iter();
        rows.filter_map(|row| Some((row["date"].as_str()?.to_owned(), row["value"].as_f64()?)))
            .collect()
    };
    for (name, parts, near, since, known) in SUMS {
        let histories: Vec<_> = parts.iter().map(|(id, sign)| (history(id), sign)).collect();
        let all = histories[0].0.keys().filter(|date| date.as_str() >= since);
        let gap = |date: &String| {
            histories
                .iter()
                .map(|(rows, sign)| Some(*sign * rows.get(date)?))
                .sum::<Option<f64>>()
        };
        let gaps: Vec<_> = all.filter_map(|date| Some((date, gap(date)?))).collect();
        let off: Vec<_> = gaps.iter().filter(|(_, gap)| gap.abs() > near).collect();
        assert!(gaps.len() >= 200, "{name}: {}", gaps.len());
        assert!(
            off.len() <= known,
            "{name}: {} of {} dates, {off:?}",
            off.len(),
            gaps.len()
        );
    }
    // The rate that is published is that of the levels.
    let rate = history("UNRATE");
    let force = history("CLF16OV");
    let jobs = history("UNEMPLOY");
    for (date, jobless) in &jobs {
        if let (Some(rate), Some(force)) = (rate.get(date), force.get(date)) {
            let made = 100.0 * jobless / force;
            assert!((made - rate).abs() < 0.06, "{date}: {made:.2} and {rate}");
        }
    }
    assert_eq!(jobs["2026-01-01"], 7362.0);
}

#[test]
fn series_that_contradicts_its_identity_is_reported() {
    use econoscope_core::model::{Observation, SeriesId};
    use econoscope_data::store::{Store, Write};
    use econoscope_desk::testing::TestDesk;
    let store = Arc::new(Sqlite::bundled().unwrap());
    let desk = TestDesk::over(store.clone())
        .at(super::support::now())
        .open();
    assert_eq!(desk.contradictions().unwrap(), Vec::<String>::new());
    let held = store
        .read(&SeriesId::new("T10Y2Y").unwrap())
        .unwrap()
        .unwrap()
        .latest();
    let off: Vec<_> = held
        .iter()
        .map(|o| Observation::new(o.date, o.value + 0.5))
        .collect();
    let write = Write {
        id: &SeriesId::new("T10Y2Y").unwrap(),
        observations: &off,
        known_from: Some("2026-11-20".parse().unwrap()),
        fetched_at: super::support::now(),
        origin: "import",
    };
    store.write(write).unwrap();
    let found = desk.contradictions().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("T10Y2Y does not agree with DGS10-DGS2: 60 of the 60"),
        "{found:?}"
    );
}

/// Potential GDP follows a revision of GDP months later: the gap is of both as they stood when potential GDP was read.
#[test]
fn output_gap_is_of_one_day_and_says_so() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let (gap, text) = ask(&backend, "get_metric", &[("ticker", "OUTPUT_GAP")]).unwrap();
    let known = |id: &str| {
        let call = [
            ("seriesId", id),
            ("start", "2026-04-01"),
            ("end", "2026-04-01"),
            ("as_of", "2026-08-22"),
        ];
        let (json, _) = ask(&backend, "get_time_series", &call).unwrap();
        json["data"][0]["value"].as_f64().unwrap()
    };
    let expected = 100.0 * (known("GDPC1") / known("GDPPOT") - 1.0);
    let value = gap["value"].as_f64().unwrap();
    assert_eq!(gap["date"], "2026-04-01");
    assert!((value - expected).abs() < 0.006, "{value}, {expected}");
    let note = gap["notes"]["OUTPUT_GAP"].as_str().unwrap();
    assert!(
        note.contains("computed here from") && note.contains("do not belong together"),
        "{note}"
    );
    assert!(text.contains("do not belong together"), "{text}");
    let (history, _) = ask(&backend, "get_time_series", &[("seriesId", "OUTPUT_GAP")]).unwrap();
    assert_eq!(history["notes"]["OUTPUT_GAP"], note);
}
