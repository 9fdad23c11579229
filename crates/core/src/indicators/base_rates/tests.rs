//! The documented table on the real series, and the definition on small ones.

use super::*;
use crate::indicators::testdata::load;
use jiff::civil::date;

fn base_rate(
    rows: &[Observation],
    event: &Event,
    condition: Option<&Condition>,
    since: i16,
) -> Option<BaseRate> {
    Outcomes::new(rows, event, condition, since)?.base_rate()
}

fn scenario_status(
    rows: &[Observation],
    event: &Event,
    condition: Option<&Condition>,
    since: i16,
) -> Option<ScenarioStatus> {
    Outcomes::new(rows, event, condition, since)?.status()
}

fn event(series: &str, movement: Move, threshold: f64, horizon_months: i32) -> Event {
    Event {
        series: series.into(),
        transform: Transform::Level,
        movement,
        threshold,
        horizon_months,
        monthly: Monthly::Mean,
    }
}

fn yoy(movement: Move, threshold: f64) -> Event {
    Event {
        transform: Transform::YoyPct,
        ..event("CPIAUCSL", movement, threshold, 12)
    }
}

fn new_condition(transform: Transform, relation: Relation, threshold: f64) -> Option<Condition> {
    Some(Condition {
        transform,
        relation,
        threshold,
    })
}

/// Series, transform, move, threshold, horizon, condition, since, share, interval (docs/SCENARIOS.md#base-rates).
const TABLE: &str = "
USREC        level   starts           1   12 below 0.5 1959 .153 .09 .25
DGS10        level   rises_by         1   12 -     0   1962 .219
DGS10        level   falls_by         1   12 -     0   1962 .241
UNRATE       level   rises_by         0.5 12 -     0   1948 .288 .21 .38
SAHMREALTIME level   reaches_or_above 0.5 12 below 0.5 1960 .202 .13 .31
CPIAUCSL     yoy_pct reaches_or_above 4   12 below 4   1948 .172 .10 .27
CPIAUCSL     yoy_pct reaches_or_below 2   12 above 3   1948 .196 .11 .32
T10Y2Y       level   reaches_or_below 0   12 above 0   1976 .179 .10 .30
DCOILWTICO   level   rises_by_pct     30  6  -     0   1986 .183
DCOILWTICO   level   falls_by_pct     30  6  -     0   1986 .068
FEDFUNDS     level   falls_by         0.5 12 -     0   1954 .397
FEDFUNDS     level   rises_by         0.5 12 -     0   1954 .479
DTWEXBGS     level   rises_by_pct     5   12 -     0   2006 .353 .20 .54";

fn from_word<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_json::from_value(text.into()).unwrap()
}

#[test]
fn real_series_give_the_documented_table() {
    for row in TABLE.trim().lines() {
        let cells: Vec<&str> = row.split_whitespace().collect();
        let number = |i: usize| cells[i].parse::<f64>().unwrap();
        let transform = from_word(cells[1]);
        let event = Event {
            transform,
            ..event(
                cells[0],
                from_word(cells[2]),
                number(3),
                cells[4].parse().unwrap(),
            )
        };
        let condition = (cells[5] != "-").then(|| Condition {
            transform,
            relation: from_word(cells[5]),
            threshold: number(6),
        });
        let set = load(&[cells[0]]);
        let observations = &set.get(cells[0]).unwrap().observations;
        let since = cells[7].parse().unwrap();
        let got = base_rate(observations, &event, condition.as_ref(), since).unwrap();
        assert!((got.share - number(8)).abs() < 0.0016, "{row}: {got:?}");
        if cells.len() > 9 {
            let (low, high) = got.interval;
            let near = |a: f64, b: f64| (a - b).abs() <= 0.006;
            assert!(
                near(low, number(9)) && near(high, number(10)),
                "{row}: {got:?}"
            );
        }
    }
}

#[test]
fn hits_and_starts_match_the_scenario_files() {
    let set = load(&["USREC", "UNRATE", "T10Y2Y", "CPIAUCSL"]);
    let counts = |event: &Event, condition: Option<Condition>, since| {
        let observations = &set.get(&event.series).unwrap().observations;
        let rate = base_rate(observations, event, condition.as_ref(), since).unwrap();
        (rate.hits, rate.starts)
    };
    let level = |relation, threshold| new_condition(Transform::Level, relation, threshold);
    assert_eq!(
        counts(
            &event("USREC", Move::ReachesOrAbove, 1.0, 12),
            level(Relation::Below, 0.5),
            1959
        ),
        (108, 704)
    );
    assert_eq!(
        counts(&event("UNRATE", Move::RisesBy, 0.5, 12), None, 1948),
        (269, 930)
    );
    assert_eq!(
        counts(
            &event("T10Y2Y", Move::ReachesOrBelow, 0.0, 12),
            level(Relation::Above, 0.0),
            1976
        ),
        (88, 492)
    );
    let inflation = new_condition(Transform::YoyPct, Relation::Below, 4.0);
    assert_eq!(
        counts(&yoy(Move::ReachesOrAbove, 4.0), inflation, 1948),
        (112, 651)
    );
}

fn months(values: &[f64]) -> Vec<Observation> {
    let first = Month::new(2000, 1);
    (0..)
        .zip(values)
        .map(|(k, &v)| Observation::new(first.plus(k).first_day(), v))
        .collect()
}

#[test]
fn any_month_of_a_complete_window_is_a_hit() {
    // 3 starts (t + 2 must exist); the spike of the third month is seen from the first two.
    let figures = months(&[1.0, 1.0, 5.0, 1.0, 1.0]);
    let rate = base_rate(
        &figures,
        &event("X", Move::ReachesOrAbove, 5.0, 2),
        None,
        2000,
    )
    .unwrap();
    assert_eq!((rate.hits, rate.starts), (2, 3));
    assert_eq!(rate.span, (date(2000, 1, 1), date(2000, 3, 1)));
    assert!(rate.interval.0 < rate.share && rate.share < rate.interval.1);
}

#[test]
fn relations_and_monthly_maximum_select_their_months() {
    let mut figures = months(&[1.0, 2.0, 3.0, 4.0]);
    figures.insert(1, Observation::new(date(2000, 1, 20), 9.0));
    let any = Event {
        monthly: Monthly::Max,
        ..event("X", Move::RisesBy, -100.0, 1)
    };
    let starts = |relation, threshold| {
        base_rate(
            &figures,
            &any,
            new_condition(Transform::Level, relation, threshold).as_ref(),
            2000,
        )
        .map(|r| r.starts)
    };
    assert_eq!(starts(Relation::Above, 8.0), Some(1));
    assert_eq!(starts(Relation::Below, 3.0), Some(1));
    assert_eq!(starts(Relation::AtOrBelow, 3.0), Some(2));
    assert_eq!(starts(Relation::Equals, 9.0), Some(1));
    assert_eq!(starts(Relation::Equals, 7.0), None);
}

#[test]
fn too_short_a_history_gives_no_rate() {
    let figures = months(&[1.0; 40]);
    let any = event("X", Move::RisesBy, 0.5, 12);
    assert_eq!(base_rate(&figures, &any, None, 1999), None);
    assert_eq!(base_rate(&figures, &any, None, 2000).unwrap().hits, 0);
    assert_eq!(base_rate(&[], &any, None, 2000), None);
    assert_eq!(
        base_rate(&figures, &event("X", Move::RisesBy, 0.5, 0), None, 2000),
        None
    );
}

#[test]
fn definition_deserializes_from_a_scenario_file() {
    let text = "series = \"USREC\"\ntransform = \"level\"\nmove = \"starts\"\nthreshold = 1.0\n\
                horizon_months = 12\nmonthly = \"mean\"";
    assert_eq!(
        toml::from_str::<Event>(text).unwrap(),
        event("USREC", Move::ReachesOrAbove, 1.0, 12)
    );
    let condition: Condition =
        toml::from_str("transform = \"yoy_pct\"\nrelation = \"at_or_below\"\nthreshold = 2.0")
            .unwrap();
    assert_eq!(
        Some(condition),
        new_condition(Transform::YoyPct, Relation::AtOrBelow, 2.0)
    );
}

#[test]
fn standing_has_trigger_and_past_episodes() {
    let set = load(&["SAHMREALTIME", "DGS10"]);
    let sahm = Event {
        monthly: Monthly::Last,
        ..event("SAHMREALTIME", Move::ReachesOrAbove, 0.5, 12)
    };
    let below = new_condition(Transform::Level, Relation::Below, 0.5);
    let rows = &set.get("SAHMREALTIME").unwrap().observations;
    let status = scenario_status(rows, &sahm, below.as_ref(), 1960).unwrap();
    assert_eq!((status.trigger, status.is_met), (0.5, false));
    assert_eq!(Some(&status.now), rows.last());
    let met: Vec<Date> = status.episodes.iter().map(|e| e.event_month).collect();
    // In real time the rule went off in these months among others, in 2024 without a recession.
    for month in [
        date(2001, 6, 1),
        date(2008, 4, 1),
        date(2020, 4, 1),
        date(2024, 7, 1),
    ] {
        assert!(met.contains(&month), "{month}: {met:?}");
    }
    for episode in &status.episodes {
        assert!(
            episode.value >= 0.5 && episode.from < episode.event_month,
            "{episode:?}"
        );
        let before = rows
            .iter()
            .filter(|o| episode.from <= o.date && o.date < episode.event_month);
        assert!(
            before.clone().count() > 0 && before.clone().all(|o| o.value < 0.5),
            "{episode:?}"
        );
    }
    // A rise counts from the lowest month whose window is open.
    let rise = event("DGS10", Move::RisesBy, 1.0, 12);
    let rows = &set.get("DGS10").unwrap().observations;
    let status = scenario_status(rows, &rise, None, 1962).unwrap();
    let window: Vec<_> = status.figures.iter().rev().take(12).collect();
    let lowest = window
        .iter()
        .min_by(|a, b| a.value.total_cmp(&b.value))
        .unwrap();
    assert_eq!(status.since, lowest.date);
    assert!((status.trigger - lowest.value - 1.0).abs() < 1e-9);
    assert_eq!(status.is_met, status.now.value >= status.trigger - 1e-9);
    assert!(status.episodes.len() > 10);
}
