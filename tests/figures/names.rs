//! Spellings as people write them (titles, tickers, orders of words, abbreviations, slips of the hand) with the series
//! that is meant: `ask` where a person must choose, `none` where nothing here is meant.

use econoscope_desk::names::resolve;

/// Share of the spellings that must be right or rightly refused, in thousandths.
const LEAST: usize = 990;

enum Answer {
    Read(String),
    Offered(Vec<String>),
}

fn answer(name: &str) -> Answer {
    match resolve::resolve("series", name) {
        Ok(resolution) => Answer::Read(resolution.info.id.to_string()),
        Err(error) => {
            let offers = error.suggestions().iter().map(|s| s.id.clone());
            Answer::Offered(offers.collect())
        }
    }
}

#[test]
fn names_of_test_persons_resolve_to_the_meant_series() {
    let mut count = 0usize;
    let mut missed = Vec::new();
    let mut misleading = Vec::new();
    let mut reader = csv::Reader::from_reader(include_str!("names.csv").as_bytes());
    for row in reader.records().map(Result::unwrap) {
        let name = &row[0];
        let expected = &row[1];
        count += 1;
        let (is_right, got) = match answer(name) {
            Answer::Read(id) => (id == expected, id),
            Answer::Offered(offers) => {
                if offers.len() == 1 && offers[0] != expected {
                    misleading.push(format!("{name}: {offers:?}"));
                }
                let is_right = match expected {
                    "none" => offers.is_empty(),
                    "ask" => offers.len() > 1,
                    _ => false,
                };
                (is_right, format!("{offers:?}"))
            }
        };
        if !is_right {
            missed.push(format!("{name}: {got}, not {expected}"));
        }
    }
    let right = count - missed.len();
    println!("{right} of {count} names; missed: {missed:#?}");
    assert!(count >= 600, "{count} spellings");
    assert!(
        misleading.is_empty(),
        "a wrong series alone: {misleading:#?}"
    );
    assert!(
        right * 1_000 >= LEAST * count,
        "{right} of {count}: {missed:#?}"
    );
}
