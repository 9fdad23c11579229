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

fn looked(text: &str, at: i32, full: i32) -> Looks<Look> {
    let mut looks = Looks::default();
    looks.insert(
        text.to_owned(),
        Look {
            at: hours_ago(at),
            full: hours_ago(full),
            vintages: false,
        },
    );
    looks
}

fn one(text: &str, looks: &Looks<Look>, choice: SyncConfig) -> Plan {
    let choice = SyncConfig {
        only: Some(vec![id(text)]),
        ..choice
    };
    plan(&held(&[text]), looks, &choice, now())
}

#[test]
fn the_whole_catalogue_is_asked_except_what_nobody_has() {
    let whole = |recipes, no_fred| {
        let mut choice = choice();
        choice.sources.recipes = recipes;
        choice.sources.no_fred = no_fred;
        plan(&[], &Looks::default(), &choice, now())
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
        let plan = one(text, &Looks::default(), choice());
        assert!(plan.steps.is_empty());
        assert!(plan.refused[0].1.to_string().contains(reason));
    }
    let unknown = one("MYSTERY1", &Looks::default(), choice());
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
        let plan = one(text, &looked(text, 200, 200), choice());
        assert_eq!(plan.steps[0].from, Some(from), "{text}");
        let look = plan.steps[0].look.unwrap();
        assert_eq!(day_of(look.at), date(2026, 11, 13));
    }
}

#[test]
fn what_was_looked_at_recently_rests_unless_forced() {
    // Two are overdue, the next figures of the others are weeks away.
    for (text, rest) in [("DGS10", 4), ("WALCL", 6), ("UNRATE", 168), ("GDP", 168)] {
        let fresh = one(text, &looked(text, rest - 1, 200), choice());
        assert_eq!(fresh.fresh[0].0, id(text));
        assert!(fresh.steps.is_empty(), "{text}");
        let due = one(text, &looked(text, rest, 200), choice());
        assert_eq!(due.steps.len(), 1, "{text}");
        let force = SyncConfig {
            force: true,
            ..choice()
        };
        assert_eq!(one(text, &looked(text, 0, 25), force).steps.len(), 1);
    }
}

#[test]
fn a_look_of_a_clock_that_was_ahead_is_none() {
    for hours in [1, 24 * 365, 24 * 365 * 50] {
        let due = one("DGS10", &looked("DGS10", -hours, -hours), choice());
        assert_eq!(due.steps.len(), 1, "{hours} h ahead");
    }
}

#[test]
fn after_thirty_days_or_without_rows_everything_is_read() {
    let month = 30 * 24;
    assert!(
        one("UNRATE", &looked("UNRATE", 200, month - 1), choice()).steps[0]
            .from
            .is_some()
    );
    assert_eq!(
        one("UNRATE", &looked("UNRATE", 200, month), choice()).steps[0].from,
        None
    );
    // Imported or bundled rows were never compared with the source.
    assert_eq!(
        one("UNRATE", &Looks::default(), choice()).steps[0].from,
        None
    );
    let choice = SyncConfig {
        only: Some(vec![id("UNRATE")]),
        ..choice()
    };
    let lost = plan(&[], &looked("UNRATE", 1, 1), &choice, now());
    assert_eq!(lost.steps[0].from, None);
    assert_eq!(lost.steps[0].look, None);
}

#[test]
fn vintages_are_read_once_and_of_daily_series_only_by_name() {
    let choice = SyncConfig {
        vintages: true,
        ..choice()
    };
    let all = plan(&[], &Looks::default(), &choice, now());
    let wants = |text: &str| {
        all.steps
            .iter()
            .find(|s| s.id.as_str() == text)
            .unwrap()
            .vintages
    };
    assert!(wants("UNRATE") && wants("WALCL") && !wants("DGS10"));
    assert!(one("DGS10", &Looks::default(), choice.clone()).steps[0].vintages);
    let mut looks = looked("UNRATE", 1, 1);
    assert!(
        one("UNRATE", &looks, choice.clone()).steps[0].vintages,
        "fresh, but without vintages"
    );
    let look = looks["UNRATE"];
    looks.insert(
        "UNRATE".to_owned(),
        Look {
            vintages: true,
            ..look
        },
    );
    assert_eq!(one("UNRATE", &looks, choice).fresh.len(), 1);
}
