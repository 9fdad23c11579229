//! Laws that every composite and the regime keep, on real figures: they add up, they never look ahead,
//! they survive anything missing, and they are fast.

use super::*;
use crate::catalogue::Catalogue;
use crate::model::frequency::shift;
use crate::model::observation::lagged_publication_day;
use crate::model::{Date, SeriesSet};
use composite::Definition;
use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// Every series that anything here reads, as far as there is a file of it.
fn real() -> &'static SeriesSet {
    static SET: OnceLock<SeriesSet> = OnceLock::new();
    SET.get_or_init(|| {
        let composites = COMPOSITES.iter().flat_map(|c| c.inputs());
        let ids: BTreeSet<&str> = composites.chain(regime::INPUTS.iter().copied()).collect();
        let mut set = testdata::load(&Vec::from_iter(ids));
        // Figures of the VIX are not free; the dollar has real ups and downs, too.
        testdata::stand_in(&mut set, "VIXCLS", "DTWEXBGS");
        set
    })
}

fn adds_up(reading: &Reading) -> bool {
    let sum: f64 = reading.inputs.iter().filter_map(|i| i.contribution).sum();
    match reading.value {
        Some(value) => value.is_finite() && (reading.base + sum - value).abs() < 1e-9,
        None => reading.reason.as_ref().is_some_and(|r| !r.is_empty()),
    }
}

#[test]
fn composites_match_the_catalogue() {
    for c in COMPOSITES {
        let id = c.indicator.id;
        let composite = composite(id).unwrap();
        assert_eq!(composite.indicator.id, id);
        for input in c.inputs() {
            assert!(
                Catalogue::embedded().get(input).is_some(),
                "{id} reads {input}"
            );
        }
        let bands = &c.indicator.definition().bands;
        assert!(bands.is_sorted_by(|a, b| a.0 < b.0), "{id}");
    }
    // Every composite of the catalogue is an indicator, and the other way round but for the regime.
    let described: BTreeSet<&str> = Catalogue::embedded()
        .iter()
        .filter(|i| i.is_composite())
        .map(|i| i.id.as_str())
        .collect();
    let ids: BTreeSet<&str> = indicators()
        .map(|i| i.id)
        .filter(|id| *id != "regime")
        .collect();
    let forgotten: Vec<_> = described.symmetric_difference(&ids).collect();
    assert!(
        forgotten.is_empty(),
        "in one of catalogue.csv and COMPOSITES: {forgotten:?}"
    );
    let definitions = Definition::read_all().unwrap();
    assert_eq!(
        definitions.len(),
        indicators().count() + 1,
        "and the Sahm rule"
    );
    for about in indicators().chain([&sahm::SAHM]) {
        let definition = &definitions[about.id];
        if let Some(info) = Catalogue::of_indicator(about) {
            assert_eq!(info.title, definition.title);
        }
        let texts = [&definition.formula, &definition.source, &definition.summary];
        assert!(
            texts
                .iter()
                .all(|t| !t.is_empty() && !t.contains('\n') && !t.contains("  "))
        );
    }
}

#[test]
fn band_reaches_up_to_the_next_one() {
    let crpi = &recession::CRPI;
    assert_eq!(crpi.band(-1.0), Some("low"));
    assert_eq!(crpi.band(14.999), Some("low"));
    assert_eq!(crpi.band(15.0), Some("elevated"));
    assert_eq!(liquidity::CNLI.band(15.0), None);
}

#[test]
fn history_ends_with_the_reading() {
    let set = real();
    for c in COMPOSITES {
        for day in [date(2009, 3, 2), date(2020, 3, 31), date(2026, 8, 21)] {
            let history = testdata::history(c, set, day);
            let reading = c.reading(set, day);
            assert!(adds_up(&reading), "{} {day} {reading:?}", c.indicator.id);
            assert!(
                history.is_sorted_by(|a, b| a.date < b.date),
                "{}",
                c.indicator.id
            );
            if reading.value.is_some() {
                let last = history.last().unwrap();
                assert_eq!(
                    (last.date, Some(last.value)),
                    (reading.date, reading.value),
                    "{}",
                    c.indicator.id
                );
            }
        }
    }
}

#[test]
fn empty_set_gives_a_reason() {
    for c in COMPOSITES {
        let reading = c.reading(&SeriesSet::default(), date(2026, 8, 21));
        assert!(
            reading.value.is_none() && adds_up(&reading),
            "{}",
            c.indicator.id
        );
        assert_eq!(
            testdata::history(c, &SeriesSet::default(), date(2026, 8, 21)),
            vec![]
        );
        assert!(!(c.interpret)(&reading).is_empty());
    }
}

/// The past as computed on `day`, without what was still to settle then: daily figures come out up to two weeks late, a
/// month's recession probability rests on the permits of the month before, and both take in a held-up figure later.
fn settled(c: &Composite, set: &SeriesSet, day: Date) -> Vec<crate::model::Observation> {
    let settled_by = held_up_since(c, day).map_or(day, |due| due.min(day));
    let until = match c.indicator.id {
        "SERVICE_CRPI" | "SERVICE_CRPI2" => shift(settled_by.first_of_month(), (-2).months()),
        _ => shift(settled_by, (-14).days()),
    };
    let mut history = testdata::history(c, set, day);
    history.retain(|o| o.date <= until);
    history
}

/// Returns the day on which, by the plain lag, the oldest figure was due that an input did not have yet on `day`: before
/// `day` when a shutdown holds it up. A history of real-time data has each figure from its real day, and waits for none.
fn held_up_since(c: &Composite, day: Date) -> Option<Date> {
    let inputs = c.inputs().into_iter().filter(|_| !c.is_real_time());
    let due = |id| {
        let series = real().get(id)?;
        let info = &series.info;
        let rows = &series.observations;
        let next = rows.get(rows.partition_point(|o| info.publication_day(o.date) <= day))?;
        let lag = info.publication_lag_days;
        Some(lagged_publication_day(next.date, info.frequency, lag))
    };
    inputs.filter_map(due).min()
}

/// The profile a reading was made under, which is chosen anew each day for the whole history.
fn profile(reading: &Reading) -> Option<&String> {
    reading.basis.iter().find(|b| b.contains("profile"))
}

/// Checks on one day that readings add up and use nothing later than the day, and that an earlier day computed the same past.
fn check_day(some: &SeriesSet, then: Date, day: Date) {
    let cut = testdata::as_of(some, day);
    let cut_then = testdata::as_of(some, then);
    let stamped = testdata::stamped_up_to(some, day);
    for c in COMPOSITES {
        let id = c.indicator.id;
        let reading = c.reading(&cut, day);
        assert!(adds_up(&reading), "{id} {day} {reading:?}");
        assert!(!(c.interpret)(&reading).contains("NaN"));
        let history = testdata::history(c, &cut, day);
        assert!(history.iter().all(|o| o.value.is_finite() && o.date <= day));
        if let Some(value) = reading.value {
            let last = history.last().map(|o| (o.date, o.value));
            assert_eq!(last, Some((reading.date, value)), "{id} {day}");
        }
        // Rows stamped after the reference day never count, whoever cut the set.
        assert_eq!(c.reading(some, day), c.reading(&stamped, day));
        let histories = [some, &stamped].map(|set| testdata::history(c, set, day));
        assert_eq!(histories[0], histories[1]);
        // What an earlier day computed about its past is what a later day computes about it.
        if profile(&c.reading(&cut_then, then)) == profile(&reading) {
            for o in settled(c, &cut_then, then) {
                let index = history.binary_search_by_key(&o.date, |h| h.date);
                let now = index.ok().map(|i| history[i].value);
                assert!(
                    now.is_none_or(|v| (v - o.value).abs() < 1e-9),
                    "{id} {then} {day} {} {:?}",
                    o.date,
                    (o.value, now)
                );
            }
        }
    }
    assert_eq!(regime::compute(&stamped, day), regime::compute(some, day));
    assert_eq!(sahm::computed(&stamped, day), sahm::computed(some, day));
}

#[test]
fn past_computed_in_a_shutdown_is_the_same_later() {
    let without = |id: &str| {
        let all = real().iter().filter(|s| s.info.id.as_str() != id);
        all.map(Arc::clone).collect::<SeriesSet>()
    };
    // Permits of January 2019 count from 30 April, claims of September 2025 from 20 November.
    check_day(real(), date(2019, 4, 29), date(2020, 1, 22));
    check_day(&without("NFCI"), date(2019, 4, 29), date(2020, 1, 22));
    check_day(&without("NFCI"), date(2019, 4, 30), date(2020, 1, 22));
    check_day(real(), date(2025, 11, 19), date(2026, 5, 13));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn readings_use_no_later_figures_and_survive_missing_series(
        days in 0..24_000i64,
        back in 30..400i64,
        is_present in prop::collection::vec(prop::bool::weighted(0.85), 40),
    ) {
        let day: Date = shift(date(1961, 1, 1), days.days());
        let present = real().iter().zip(is_present.iter().cycle()).filter(|(_, k)| **k);
        let some: SeriesSet = present.map(|(s, _)| Arc::clone(s)).collect();
        check_day(&some, shift(day, (-back).days()), day);
    }
}
