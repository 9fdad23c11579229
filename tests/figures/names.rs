//! Spellings as people write them (titles, tickers, orders of words, abbreviations, slips of the hand) with the series
//! that is meant: `ask` where a person must choose, `none` where nothing here is meant.

use econoscope_core::error::Error;
use econoscope_desk::names::resolve;

/// Returns the identifier of the series, or what the error offers: `ask` for several meanings, `none` for what is not
/// carried.
fn answer(name: &str) -> String {
    match resolve::resolve("series", name) {
        Ok(resolution) => resolution.info.id.to_string(),
        Err(Error::Ambiguous { .. }) => "ask".into(),
        Err(Error::NoData { .. }) => "none".into(),
        Err(Error::Unknown {
            why, suggestions, ..
        }) if !why.is_empty() || suggestions.is_empty() => "none".into(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn names_of_test_persons_resolve_to_the_meant_series() {
    let mut reader = csv::Reader::from_reader(include_str!("names.csv").as_bytes());
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let missed: Vec<String> = rows
        .iter()
        .filter(|row| answer(&row[0]) != row[1])
        .map(|row| format!("{}: {}, not {}", &row[0], answer(&row[0]), &row[1]))
        .collect();
    assert!(rows.len() >= 1_100, "{} spellings", rows.len());
    assert!(missed.is_empty(), "{missed:#?}");
}
