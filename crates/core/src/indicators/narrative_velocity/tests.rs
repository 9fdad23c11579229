//! Hand-made feeds whose velocity, convergence and primacy are plain to see.

use super::*;
use crate::model::frequency::shift;
use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;

const START: Date = date(2026, 1, 1);

fn vocabulary() -> Vocabulary {
    Vocabulary::new([
        ("Inflation", vec!["CPI", "consumer prices"]),
        ("Rate cut", vec!["easing"]),
        ("Tariff", vec![]),
    ])
}

fn day(n: i64) -> Date {
    shift(START, n.days())
}

/// `days` days of 24 texts from four sources; `text` gives a text by day and number.
fn feed(days: i64, text: impl Fn(i64, usize) -> &'static str) -> Vec<Document<'static>> {
    let sources = ["Fed", "BLS", "Treasury", "BEA"];
    (0..days)
        .flat_map(|d| {
            let text = &text;
            (0..24usize).map(move |k| Document {
                day: day(d),
                source: sources[k % 4],
                terms: vocabulary().mentioned(text(d, k)).into(),
            })
        })
        .collect()
}

/// A feed in which tariffs come up in one of `every` texts, after `from` in every other one.
fn tariffs(days: i64, from: i64) -> Vec<Document<'static>> {
    feed(days, |d, k| {
        if d >= from && k % 2 == 0 || (k + usize::try_from(d).unwrap()) % 8 == 0 {
            "New tariffs announced"
        } else if k % 3 == 0 {
            "CPI report"
        } else {
            "Weather"
        }
    })
}

fn channel(reading: &Reading, name: &str) -> Option<f64> {
    reading
        .inputs
        .iter()
        .find(|i| i.name == name)
        .unwrap()
        .value
}

#[test]
fn terms_match_whole_words_in_any_case_and_number() {
    let v = vocabulary();
    let terms = |text| {
        v.mentioned(text)
            .into_iter()
            .map(|t| v.name(t).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        terms("Consumer-prices rose; RATE CUTS, rate cuts ahead"),
        ["Inflation", "Rate cut"]
    );
    assert!(terms("scuttlebutt: rates were cut, stagflationary").is_empty());
    assert_eq!(v.len(), 3);
}

#[test]
fn missing_feed_is_the_reason() {
    let reading = reading(&[], &vocabulary(), START);
    assert_eq!(reading.value, None);
    assert_eq!(reading.reason.as_deref(), Some(NO_FEED));
    assert_eq!(interpret(&reading), "no narrative feed configured");
    assert_eq!(reading.inputs.len(), 3);
}

#[test]
fn too_few_days_or_texts_give_a_reason() {
    let texts = tariffs(40, 99);
    let at = |n| reading(&texts, &vocabulary(), day(n));
    assert_eq!(
        at(12).reason.as_deref(),
        Some("13 days of texts are there, 14 are needed")
    );
    assert!(at(13).value.is_some());
    let silent = at(50);
    assert_eq!(
        silent.reason.as_deref(),
        Some("5.1 texts a day over the last 14, 20 are needed")
    );
    assert_eq!(reading(&texts, &vocabulary(), date(2025, 1, 1)).value, None);
}

#[test]
fn index_is_preliminary_for_thirty_days() {
    let texts = tariffs(40, 99);
    let basis = |n| reading(&texts, &vocabulary(), day(n)).basis.join("; ");
    assert!(
        basis(28).ends_with("preliminary: 29 of 30 days of texts"),
        "{}",
        basis(28)
    );
    assert_eq!(basis(29), "Most mentioned: Inflation, Tariff");
}

#[test]
fn rising_term_raises_velocity() {
    let texts = tariffs(60, 54);
    let velocity = |n| channel(&reading(&texts, &vocabulary(), day(n)), "velocity").unwrap();
    assert!(velocity(57) > 95.0, "{}", velocity(57));
    assert!((30.0..70.0).contains(&velocity(50)), "{}", velocity(50));
}

#[test]
fn convergence_measures_agreement_of_sources() {
    let all = feed(20, |_, _| "inflation");
    let one = feed(20, |_, k| if k % 4 == 1 { "inflation" } else { "weather" });
    let of = |texts: &[Document<'_>]| {
        channel(&reading(texts, &vocabulary(), day(19)), "convergence").unwrap()
    };
    assert!((of(&all) - 100.0).abs() < 1e-9);
    assert!(of(&one).abs() < 1e-9);
}

#[test]
fn primacy_detects_a_repeated_first_source() {
    let same = feed(40, |_, k| if k >= 2 { "inflation" } else { "weather" });
    let turns = feed(40, |d, k| {
        // Another source is first in each of the four weeks that end on day 39.
        let turn = usize::try_from((39 - d) / 7 % 4).unwrap();
        if k >= turn { "inflation" } else { "weather" }
    });
    let of = |texts: &[Document<'_>]| {
        channel(&reading(texts, &vocabulary(), day(39)), "primacy").unwrap()
    };
    assert!((of(&same) - 100.0).abs() < 1e-9);
    assert!(of(&turns).abs() < 1e-9);
}

#[test]
fn reading_adds_up_without_convergence_of_one_source() {
    let texts: Vec<Document<'_>> = tariffs(40, 99)
        .into_iter()
        .map(|d| Document { source: "Fed", ..d })
        .collect();
    let reading = reading(&texts, &vocabulary(), day(39));
    assert_eq!(channel(&reading, "convergence"), None);
    assert!((reading.weight_present - 0.65).abs() < 1e-9);
    let sum: f64 = reading.inputs.iter().filter_map(|i| i.contribution).sum();
    assert!((sum - reading.value.unwrap()).abs() < 1e-9);
    let text = interpret(&reading);
    assert!(
        text.contains("convergence not known") && text.contains("not the economy"),
        "{text}"
    );
}

#[test]
fn later_texts_are_ignored() {
    let texts = tariffs(60, 40);
    let before: Vec<Document<'_>> = texts.iter().filter(|d| d.day <= day(30)).cloned().collect();
    assert_eq!(
        reading(&texts, &vocabulary(), day(30)),
        reading(&before, &vocabulary(), day(30))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn index_stays_within_bounds(picks in prop::collection::vec((0i64..120, 0usize..5, 0usize..6), 0..1500), at in 0i64..140) {
        let texts = ["cpi", "rate cuts", "tariffs and CPI", "", "weather", "easing easing"];
        let sources = ["a", "b", "c", "d", "e"];
        let mut documents: Vec<Document<'_>> = picks
            .iter()
            .map(|&(d, s, t)| Document { day: day(d / 4), source: sources[s], terms: vocabulary().mentioned(texts[t]).into() })
            .collect();
        documents.sort_by_key(|d| d.day);
        let reading = reading(&documents, &vocabulary(), day(at / 4));
        prop_assert_eq!(reading.value.is_none(), reading.reason.is_some());
        prop_assert!(reading.value.is_none_or(|v| (0.0..=100.0).contains(&v)));
    }
}
