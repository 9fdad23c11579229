use super::*;
use jiff::civil::date;
use std::sync::Arc;

fn choice() -> SyncConfig {
    SyncConfig::default()
}

fn id(text: &str) -> SeriesId {
    SeriesId::new(text).unwrap()
}

fn now() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn hours_ago(hours: i32) -> Timestamp {
    now().checked_sub(hours.hours()).unwrap()
}

fn held(ids: &[&str]) -> Vec<Status> {
    ids.iter()
        .map(|text| Status {
            id: id(text),
            rows: 10,
            first: date(2000, 1, 1),
            last: date(2026, 10, 1),
            fetched_at: hours_ago(1),
            origin: "fred".into(),
            before: Vec::new(),
        })
        .collect()
}

fn read_at(text: &str, at: i32, full: i32) -> States<SeriesState> {
    let mut states = States::default();
    states.insert(
        text.to_owned(),
        SeriesState {
            at: hours_ago(at),
            full: hours_ago(full),
            vintages: false,
        },
    );
    states
}

fn one(text: &str, states: &States<SeriesState>, choice: SyncConfig) -> Plan {
    let choice = SyncConfig {
        only: Some(vec![id(text)]),
        ..choice
    };
    plan(&held(&[text]), states, &choice, now())
}

#[test]
fn the_whole_catalogue_is_asked_except_what_nobody_has() {
    let whole = |recipes, no_fred| {
        let mut choice = choice();
        choice.sources.recipes = recipes;
        choice.sources.no_fred = no_fred;
        plan(&[], &States::default(), &choice, now())
    };
    let due =
        |plan: &Plan| -> Vec<String> { plan.steps.iter().map(|s| s.id.to_string()).collect() };
    let fred = whole(Arc::default(), false);
    let recipes = || Arc::clone(Recipes::embedded());
    let (all, first) = (whole(recipes(), false), whole(recipes(), true));
    for nowhere in ["SERVICE_CRPI", "SERVICE_CNLI", "CLAIMSX", "OILPRICEX"] {
        assert!(
            Catalogue::embedded()
                .iter()
                .any(|s| s.id.as_str() == nowhere),
            "{nowhere}"
        );
        assert!(!due(&all).contains(&nowhere.to_owned()), "{nowhere}");
    }
    for ours in [
        "SPY",
        "QQQ",
        "GLD",
        "BTC",
        "ETH",
        "EBP",
        "TGA_DAILY",
        "OFRFSI",
    ] {
        assert!(due(&first).contains(&ours.to_owned()), "{ours}");
        assert!(!due(&fred).contains(&ours.to_owned()), "{ours}");
    }
    for both in ["DGS10", "CBBTCUSD", "SP500", "T10Y2Y"] {
        assert!(
            due(&fred).contains(&both.to_owned()) && due(&first).contains(&both.to_owned()),
            "{both}"
        );
    }
    assert!(
        due(&fred).contains(&"BAMLH0A0HYM2".to_owned())
            && !due(&first).contains(&"BAMLH0A0HYM2".to_owned())
    );
    assert!(
        due(&fred).len() > 390 && due(&first).len() >= 320,
        "{} {}",
        due(&fred).len(),
        due(&first).len()
    );
    assert!(all.steps.iter().all(|s| s.from.is_none() && !s.vintages));
    assert!(all.fresh.is_empty() && all.refused.is_empty());
}

#[test]
fn a_series_that_is_named_and_not_carried_is_refused_with_a_reason() {
    for (text, reason) in [("SERVICE_CRPI", "computed here"), ("SPY", "import")] {
        let plan = one(text, &States::default(), choice());
        assert!(plan.steps.is_empty());
        assert!(plan.refused[0].1.to_string().contains(reason));
    }
    let unknown = one("MYSTERY1", &States::default(), choice());
    assert_eq!(unknown.steps[0].from, None);
}

#[test]
fn a_revision_window_back_is_read_again() {
    for (text, from) in [
        ("DGS10", date(2026, 8, 17)),
        ("WALCL", date(2026, 6, 3)),
        ("UNRATE", date(2021, 10, 1)),
        ("GDP", date(2016, 10, 1)),
    ] {
        let plan = one(text, &read_at(text, 200, 200), choice());
        assert_eq!(plan.steps[0].from, Some(from), "{text}");
        let state = plan.steps[0].state.unwrap();
        assert_eq!(day_of(state.at), date(2026, 11, 13));
    }
}

#[test]
fn what_was_looked_at_recently_rests_unless_forced() {
    // Two are overdue, the next figures of the others are weeks away.
    for (text, rest) in [("DGS10", 4), ("WALCL", 6), ("UNRATE", 168), ("GDP", 168)] {
        let fresh = one(text, &read_at(text, rest - 1, 200), choice());
        assert_eq!(fresh.fresh[0].0, id(text));
        assert!(fresh.steps.is_empty(), "{text}");
        let due = one(text, &read_at(text, rest, 200), choice());
        assert_eq!(due.steps.len(), 1, "{text}");
        let force = SyncConfig {
            force: true,
            ..choice()
        };
        assert_eq!(one(text, &read_at(text, 0, 25), force).steps.len(), 1);
    }
}

#[test]
fn a_look_of_a_clock_that_was_ahead_is_none() {
    for hours in [1, 24 * 365, 24 * 365 * 50] {
        let due = one("DGS10", &read_at("DGS10", -hours, -hours), choice());
        assert_eq!(due.steps.len(), 1, "{hours} h ahead");
    }
}

#[test]
fn after_thirty_days_or_without_rows_everything_is_read() {
    let month = 30 * 24;
    assert!(
        one("UNRATE", &read_at("UNRATE", 200, month - 1), choice()).steps[0]
            .from
            .is_some()
    );
    assert_eq!(
        one("UNRATE", &read_at("UNRATE", 200, month), choice()).steps[0].from,
        None
    );
    // Imported or bundled rows were never compared with the source.
    assert_eq!(
        one("UNRATE", &States::default(), choice()).steps[0].from,
        None
    );
    let choice = SyncConfig {
        only: Some(vec![id("UNRATE")]),
        ..choice()
    };
    let lost = plan(&[], &read_at("UNRATE", 1, 1), &choice, now());
    assert_eq!(lost.steps[0].from, None);
    assert_eq!(lost.steps[0].state, None);
}

#[test]
fn vintages_are_read_once_and_of_daily_series_only_by_name() {
    let choice = SyncConfig {
        vintages: true,
        ..choice()
    };
    let all = plan(&[], &States::default(), &choice, now());
    let wants = |text: &str| {
        all.steps
            .iter()
            .find(|s| s.id.as_str() == text)
            .unwrap()
            .vintages
    };
    assert!(wants("UNRATE") && wants("WALCL") && !wants("DGS10"));
    assert!(one("DGS10", &States::default(), choice.clone()).steps[0].vintages);
    let mut states = read_at("UNRATE", 1, 1);
    assert!(
        one("UNRATE", &states, choice.clone()).steps[0].vintages,
        "fresh, but without vintages"
    );
    let state = states["UNRATE"];
    states.insert(
        "UNRATE".to_owned(),
        SeriesState {
            vintages: true,
            ..state
        },
    );
    assert_eq!(one("UNRATE", &states, choice).fresh.len(), 1);
}

fn until(id: &str, last: Date, looked: &str, release: Option<Release>) -> String {
    let info = Catalogue::embedded().get(id).unwrap();
    fresh_until(looked.parse().unwrap(), Some(info), Some(last), release).to_string()
}

#[test]
fn a_look_is_good_until_the_next_release_and_then_a_short_while() {
    let evening = Release {
        after_business_days: Some(0),
        weekday: None,
        at: time(18, 0, 0, 0),
    };
    // Friday's yield is in; Monday's comes on Monday at 18:00 in New York, 23:00 UTC.
    let friday = date(2026, 11, 20);
    assert_eq!(
        until("DGS10", friday, "2026-11-21T12:00:00Z", Some(evening)),
        "2026-11-23T23:00:00Z"
    );
    assert_eq!(
        until("DGS10", friday, "2026-11-23T23:30:00Z", Some(evening)),
        "2026-11-24T03:30:00Z"
    );
    // The unemployment rate of October is in; November's comes on 4 December, but revisions are looked for weekly.
    let october = date(2026, 10, 1);
    assert_eq!(
        until("UNRATE", october, "2026-11-21T12:00:00Z", None),
        "2026-11-28T12:00:00Z"
    );
    assert_eq!(
        until("UNRATE", october, "2026-12-01T12:00:00Z", None),
        "2026-12-04T13:30:00Z"
    );
}
