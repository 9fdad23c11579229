//! Tests of descriptions.

use super::id;
use crate::store::{Description, Store};
use econoscope_core::model::Frequency;

fn described(name: &str, title: &str) -> Description {
    Description {
        id: id(name),
        title: title.to_owned(),
        units: "Percent".to_owned(),
        frequency: Frequency::Monthly,
        seasonally_adjusted: true,
        source: "BLS".to_owned(),
    }
}

fn matches(store: &dyn Store, words: &[&str], limit: usize) -> Vec<String> {
    let query: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
    let descriptions = store.find_descriptions(&query, limit).unwrap();
    descriptions.into_iter().map(|d| d.id.to_string()).collect()
}

pub(super) fn descriptions_are_stored_and_replaced(store: &dyn Store) {
    assert_eq!(store.description(&id("TXUR")).unwrap(), None);
    assert_eq!(store.describe(&[]).unwrap(), 0);
    let first = described("TXUR", "Unemployment Rate in Texas");
    let other = described("CAUR", "Unemployment Rate in California");
    let version = store.version().unwrap();
    assert_eq!(store.describe(&[first.clone(), other]).unwrap(), 2);
    assert!(store.version().unwrap() > version);
    assert_eq!(store.description(&id("TXUR")).unwrap(), Some(first.clone()));
    let version = store.version().unwrap();
    assert_eq!(store.describe(std::slice::from_ref(&first)).unwrap(), 0);
    assert_eq!(store.version().unwrap(), version);
    let newer = described("TXUR", "Jobless in Texas");
    assert_eq!(store.describe(std::slice::from_ref(&newer)).unwrap(), 0);
    assert_eq!(store.description(&id("TXUR")).unwrap(), Some(newer));
    assert_eq!(matches(store, &["unemployment"], 9), ["CAUR"]);
    assert_eq!(matches(store, &["jobless"], 9), ["TXUR"]);
    // A description creates no series.
    assert_eq!(
        (store.count().unwrap(), store.status().unwrap()),
        (0, vec![])
    );
    assert!(store.read(&id("TXUR")).unwrap().is_none());
}

pub(super) fn descriptions_match_all_words(store: &dyn Store) {
    let all = [
        described("A1", "Rates of interest"),
        described("TX_UR.X", "Unemployment Rate in Texas"),
        described("CAUR", "Unemployment Rate: Bogot\u{e1}, \"q\" OR NOT"),
        described("A2", "A rate"),
    ];
    store.describe(&all).unwrap();
    assert_eq!(
        matches(store, &["rate"], 9),
        ["TX_UR.X", "CAUR", "A2", "A1"]
    );
    assert_eq!(matches(store, &["rate"], 2), ["TX_UR.X", "CAUR"]);
    assert_eq!(matches(store, &["rate", "unemp"], 9), ["TX_UR.X", "CAUR"]);
    assert_eq!(matches(store, &["unemp", "rate"], 9), [""; 0]);
    assert_eq!(matches(store, &["ur"], 9), ["TX_UR.X"]);
    assert_eq!(matches(store, &["bogot\u{e1}"], 9), ["CAUR"]);
    assert_eq!(matches(store, &["or", "not"], 9), ["CAUR"]);
    assert_eq!(matches(store, &["texas", "california"], 9), [""; 0]);
    assert_eq!(matches(store, &[], 9), [""; 0]);
    assert_eq!(matches(store, &["rate"], 0), [""; 0]);
}
