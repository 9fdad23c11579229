use super::*;
use jiff::civil::date;

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
        })
        .collect()
}

fn looked(text: &str, at: i32, full: i32) -> Looks {
    let mut looks = Looks::default();
    looks.note(
        &id(text),
        Look {
            at: hours_ago(at),
            full: hours_ago(full),
            vintages: false,
        },
    );
    looks
}

fn one(text: &str, looks: &Looks, choice: Choice<'_>) -> Plan {
    let only = [id(text)];
    let choice = Choice {
        only: Some(&only),
        ..choice
    };
    plan(Catalogue::embedded(), &held(&[text]), looks, choice, now())
}

#[test]
fn the_whole_catalogue_is_asked_except_what_fred_does_not_have() {
    let all = plan(
        Catalogue::embedded(),
        &[],
        &Looks::default(),
        Choice::default(),
        now(),
    );
    let due: Vec<&str> = all.steps.iter().map(|s| s.id.as_str()).collect();
    for absent in [
        "SPY",
        "QQQ",
        "GLD",
        "BTC",
        "ETH",
        "SERVICE_CRPI",
        "SERVICE_CNLI",
        "CLAIMSX",
        "OILPRICEX",
    ] {
        assert!(
            Catalogue::embedded()
                .iter()
                .any(|s| s.id.as_str() == absent),
            "{absent}"
        );
        assert!(!due.contains(&absent), "{absent}");
    }
    for present in [
        "DGS10",
        "BAMLH0A0HYM2",
        "CBBTCUSD",
        "SP500",
        "EBP",
        "GZ_SPREAD",
    ] {
        assert!(due.contains(&present), "{present}");
    }
    assert!(due.len() > 390, "{}", due.len());
    assert!(all.steps.iter().all(|s| s.from.is_none() && !s.vintages));
    let board = all.steps.iter().filter(|s| s.source == Source::Board);
    assert_eq!(board.count(), 2);
    assert!(all.fresh.is_empty() && all.refused.is_empty());
}

#[test]
fn a_series_that_is_named_and_not_carried_is_refused_with_a_reason() {
    for (text, reason) in [("SERVICE_CRPI", "computed here"), ("SPY", "import")] {
        let plan = one(text, &Looks::default(), Choice::default());
        assert!(plan.steps.is_empty());
        assert!(plan.refused[0].1.to_string().contains(reason));
    }
    let unknown = one("MYSTERY1", &Looks::default(), Choice::default());
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
        let plan = one(text, &looked(text, 25, 25), Choice::default());
        assert_eq!(plan.steps[0].from, Some(from), "{text}");
        assert_eq!(plan.steps[0].last_look, Some(date(2026, 11, 20)));
    }
}

#[test]
fn what_was_looked_at_recently_rests_unless_forced() {
    for (text, rest) in [("DGS10", 4), ("WALCL", 6), ("UNRATE", 12), ("GDP", 20)] {
        let fresh = one(text, &looked(text, rest - 1, 25), Choice::default());
        assert_eq!(fresh.fresh[0].0, id(text));
        assert!(fresh.steps.is_empty(), "{text}");
        let due = one(text, &looked(text, rest, 25), Choice::default());
        assert_eq!(due.steps.len(), 1, "{text}");
        let force = Choice {
            force: true,
            ..Choice::default()
        };
        assert_eq!(one(text, &looked(text, 0, 25), force).steps.len(), 1);
    }
}

#[test]
fn after_thirty_days_or_without_rows_everything_is_read() {
    let month = 30 * 24;
    assert!(
        one(
            "UNRATE",
            &looked("UNRATE", 25, month - 1),
            Choice::default()
        )
        .steps[0]
            .from
            .is_some()
    );
    assert_eq!(
        one("UNRATE", &looked("UNRATE", 25, month), Choice::default()).steps[0].from,
        None
    );
    // Imported or bundled rows were never compared with the source.
    assert_eq!(
        one("UNRATE", &Looks::default(), Choice::default()).steps[0].from,
        None
    );
    let only = [id("UNRATE")];
    let choice = Choice {
        only: Some(&only),
        ..Choice::default()
    };
    let lost = plan(
        Catalogue::embedded(),
        &[],
        &looked("UNRATE", 1, 1),
        choice,
        now(),
    );
    assert_eq!(lost.steps[0].from, None);
    assert_eq!(lost.steps[0].last_look, None);
}

#[test]
fn vintages_are_read_once_and_of_daily_series_only_by_name() {
    let choice = Choice {
        vintages: true,
        ..Choice::default()
    };
    let all = plan(Catalogue::embedded(), &[], &Looks::default(), choice, now());
    let wants = |text: &str| {
        all.steps
            .iter()
            .find(|s| s.id.as_str() == text)
            .unwrap()
            .vintages
    };
    assert!(wants("UNRATE") && wants("WALCL") && !wants("DGS10") && !wants("EBP"));
    assert!(one("DGS10", &Looks::default(), choice).steps[0].vintages);
    let mut looks = looked("UNRATE", 1, 1);
    assert!(
        one("UNRATE", &looks, choice).steps[0].vintages,
        "fresh, but without vintages"
    );
    let look = looks.get(&id("UNRATE")).unwrap();
    looks.note(
        &id("UNRATE"),
        Look {
            vintages: true,
            ..look
        },
    );
    assert_eq!(one("UNRATE", &looks, choice).fresh.len(), 1);
}

#[test]
fn looks_survive_their_note_and_bad_lines_are_forgotten() {
    let mut looks = looked("DGS10", 1, 50);
    looks.note(
        &id("UNRATE"),
        Look {
            at: now(),
            full: now(),
            vintages: true,
        },
    );
    assert_eq!(Looks::read(&looks.text()), looks);
    let mixed = format!("{}rubbish\nX y z\n../x 1 2\n\n", looks.text());
    assert_eq!(Looks::read(&mixed), looks);
}
