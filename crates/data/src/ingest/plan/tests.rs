use super::*;
use econoscope_core::recipe::Recipes;
use jiff::civil::date;
use std::sync::Arc;

fn default_config() -> SyncConfig {
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

fn stored(ids: &[&str]) -> Vec<Status> {
    ids.iter()
        .map(|text| Status {
            id: id(text),
            rows: 10,
            checksum: 0,
            first: date(2000, 1, 1),
            last: date(2026, 10, 1),
            fetched_at: hours_ago(1),
            origin: "fred".into(),
            earlier_origins: Vec::new(),
        })
        .collect()
}

fn states_of(text: &str, at: i32, full: i32) -> States<SeriesState> {
    let mut states = States::default();
    states.insert(
        text.to_owned(),
        SeriesState {
            read_at: hours_ago(at),
            fully_read_at: hours_ago(full),
            has_vintages: false,
        },
    );
    states
}

fn plan_one(text: &str, states: &States<SeriesState>, config: SyncConfig) -> Plan {
    let config = SyncConfig {
        only: Some(vec![id(text)]),
        ..config
    };
    plan(
        &stored(&[text]),
        states,
        &AnnouncedDays::default(),
        &config,
        now(),
    )
}

/// Plans over an empty store.
fn plan_none(states: &States<SeriesState>, config: &SyncConfig) -> Plan {
    plan(&[], states, &AnnouncedDays::default(), config, now())
}

#[test]
fn whole_catalogue_is_planned_except_series_without_source() {
    let plan_all = |recipes, no_fred| {
        let mut config = default_config();
        config.sources.recipes = recipes;
        config.sources.no_fred = no_fred;
        plan_none(&States::default(), &config)
    };
    let due = |plan: &Plan| -> Vec<String> {
        let steps = plan.first.iter().chain(&plan.steps);
        steps.map(|s| s.id.to_string()).collect()
    };
    let fred = plan_all(Arc::default(), false);
    let recipes = || Arc::clone(Recipes::embedded());
    let all = plan_all(recipes(), false);
    let first = plan_all(recipes(), true);
    for absent in ["SERVICE_CRPI", "SERVICE_CNLI", "CLAIMSX", "OILPRICEX"] {
        assert!(
            Catalogue::embedded()
                .iter()
                .any(|s| s.id.as_str() == absent),
            "{absent}"
        );
        assert!(!due(&all).contains(&absent.to_owned()), "{absent}");
    }
    for on_recipe in [
        "SPY",
        "QQQ",
        "GLD",
        "BTC",
        "ETH",
        "EBP",
        "TGA_DAILY",
        "OFRFSI",
    ] {
        assert!(due(&first).contains(&on_recipe.to_owned()), "{on_recipe}");
        assert!(!due(&fred).contains(&on_recipe.to_owned()), "{on_recipe}");
    }
    for on_both in ["DGS10", "CBBTCUSD", "SP500", "T10Y2Y"] {
        assert!(
            due(&fred).contains(&on_both.to_owned()) && due(&first).contains(&on_both.to_owned()),
            "{on_both}"
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
    assert!(
        all.steps
            .iter()
            .all(|s| s.from.is_none() && !s.wants_vintages)
    );
    assert!(all.fresh.is_empty() && all.refused.is_empty());
}

#[test]
fn named_series_without_source_is_refused_with_a_reason() {
    for (text, reason) in [("SERVICE_CRPI", "computed here"), ("SPY", "import")] {
        let plan = plan_one(text, &States::default(), default_config());
        assert!(plan.steps.is_empty());
        assert!(plan.refused[0].1.to_string().contains(reason));
    }
    let unknown = plan_one("MYSTERY1", &States::default(), default_config());
    assert_eq!(unknown.steps[0].from, None);
}

#[test]
fn second_read_starts_a_revision_window_back() {
    for (text, from) in [
        ("DGS10", date(2026, 8, 17)),
        ("WALCL", date(2026, 6, 3)),
        ("UNRATE", date(2021, 10, 1)),
        ("GDP", date(2016, 10, 1)),
    ] {
        let plan = plan_one(text, &states_of(text, 200, 200), default_config());
        assert_eq!(plan.steps[0].from, Some(from), "{text}");
        let state = plan.steps[0].state.unwrap();
        assert_eq!(day_of(state.read_at), date(2026, 11, 13));
    }
}

#[test]
fn recent_read_is_fresh_unless_forced() {
    // Two are overdue, the next figures of the others are weeks away.
    for (text, rest) in [("DGS10", 4), ("WALCL", 6), ("UNRATE", 168), ("GDP", 168)] {
        let fresh = plan_one(text, &states_of(text, rest - 1, 200), default_config());
        assert_eq!(fresh.fresh[0].0, id(text));
        assert!(fresh.steps.is_empty(), "{text}");
        let due = plan_one(text, &states_of(text, rest, 200), default_config());
        assert_eq!(due.steps.len(), 1, "{text}");
        let force = SyncConfig {
            force: true,
            ..default_config()
        };
        assert_eq!(
            plan_one(text, &states_of(text, 0, 25), force).steps.len(),
            1
        );
    }
}

#[test]
fn read_dated_in_the_future_is_ignored() {
    for hours in [1, 24 * 365, 24 * 365 * 50] {
        let due = plan_one(
            "DGS10",
            &states_of("DGS10", -hours, -hours),
            default_config(),
        );
        assert_eq!(due.steps.len(), 1, "{hours} h ahead");
    }
}

#[test]
fn full_read_follows_thirty_days_or_no_rows() {
    let month = 30 * 24;
    assert!(
        plan_one(
            "UNRATE",
            &states_of("UNRATE", 200, month - 1),
            default_config()
        )
        .steps[0]
            .from
            .is_some()
    );
    assert_eq!(
        plan_one("UNRATE", &states_of("UNRATE", 200, month), default_config()).steps[0].from,
        None
    );
    // Imported or bundled rows were never compared with the source.
    assert_eq!(
        plan_one("UNRATE", &States::default(), default_config()).steps[0].from,
        None
    );
    let config = SyncConfig {
        only: Some(vec![id("UNRATE")]),
        ..default_config()
    };
    let lost = plan_none(&states_of("UNRATE", 1, 1), &config);
    assert_eq!(lost.steps[0].from, None);
    assert_eq!(lost.steps[0].state, None);
}

#[test]
fn vintages_are_read_once_and_daily_ones_by_name() {
    let config = SyncConfig {
        vintages: true,
        ..default_config()
    };
    let all = plan_none(&States::default(), &config);
    let wants = |text: &str| {
        all.steps
            .iter()
            .find(|s| s.id.as_str() == text)
            .unwrap()
            .wants_vintages
    };
    assert!(wants("UNRATE") && wants("WALCL") && !wants("DGS10"));
    assert!(plan_one("DGS10", &States::default(), config.clone()).steps[0].wants_vintages);
    let mut states = states_of("UNRATE", 1, 1);
    assert!(
        plan_one("UNRATE", &states, config.clone()).steps[0].wants_vintages,
        "fresh, but without vintages"
    );
    let state = states["UNRATE"];
    states.insert(
        "UNRATE".to_owned(),
        SeriesState {
            has_vintages: true,
            ..state
        },
    );
    assert_eq!(plan_one("UNRATE", &states, config).fresh.len(), 1);
}

fn until(id: &str, last: Date, read_at: &str, release: Option<Release>) -> String {
    let info = Catalogue::embedded().get(id).unwrap();
    let due = next_release(info, last, release);
    fresh_until(read_at.parse().unwrap(), Some(info.frequency), Some(due)).to_string()
}

#[test]
fn series_is_fresh_until_its_next_release() {
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
    // The unemployment rate of October is in; November's comes on 4 December, but a read for revisions is due weekly.
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

#[test]
fn series_is_due_on_its_announced_day() {
    use econoscope_core::model::calendar::CalendarRow;
    // By rule the employment report of October comes on 6 November.
    let row = CalendarRow {
        name: "Employment Situation".to_owned(),
        day: date(2026, 11, 10),
        at: Some(time(8, 30, 0, 0)),
        period: None,
    };
    let before = AnnouncedDays::default();
    let announced =
        AnnouncedDays::from_rows("fred/releases", &[row], date(2026, 10, 1), &before).unwrap();
    let days = AnnouncedDays::join(&[("fred/releases".to_owned(), announced)].into());
    let states = states_of("UNRATE", 2, 2);
    let status = Status {
        last: date(2026, 9, 1),
        ..stored(&["UNRATE"]).remove(0)
    };
    let until = |days: &AnnouncedDays| {
        let config = SyncConfig {
            only: Some(vec![id("UNRATE")]),
            ..default_config()
        };
        let now = "2026-11-07T12:00:00Z".parse().unwrap();
        let states: States<SeriesState> = states
            .iter()
            .map(|(id, state)| {
                let read_at = "2026-11-07T06:00:00Z".parse().unwrap();
                (id.clone(), SeriesState { read_at, ..*state })
            })
            .collect();
        plan(std::slice::from_ref(&status), &states, days, &config, now).fresh[0]
            .1
            .to_string()
    };
    assert_eq!(until(&before), "2026-11-07T18:00:00Z", "it is late by rule");
    assert_eq!(until(&days), "2026-11-10T13:30:00Z");
}
