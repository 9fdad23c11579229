//! Tests of citations: the address of a figure gives the same figure after every later sync, or says why it cannot.

use super::support::{BASE, Reply, get, options, public_router, router_with, unlimited_router};
use axum::Router;
use axum::http::StatusCode;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, SeriesId, VintageObservation};
use econoscope_data::store::{Sqlite, Store, WriteVintages};
use jiff::civil::date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// A server over its own store and clock.
pub(super) struct TestServer {
    pub(super) store: Arc<Sqlite>,
    now: Arc<Mutex<Timestamp>>,
    pub(super) router: Router,
}

impl TestServer {
    pub(super) fn new() -> Self {
        let store = Arc::new(Sqlite::in_memory().unwrap());
        let now = Arc::new(Mutex::new(Timestamp::UNIX_EPOCH));
        let clock = Arc::clone(&now);
        let at = Arc::new(move || *clock.lock().unwrap());
        Self {
            router: public_router(Arc::clone(&store), at),
            store,
            now,
        }
    }

    pub(super) fn set_time(&self, day: Date, hour: i8) {
        let at = day.at(hour, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap();
        *self.now.lock().unwrap() = at.timestamp();
    }

    /// Writes the rows of a source as a sync does: rows that were due at the last read are known from now on.
    fn sync(&self, id: &str, rows: &[(Date, f64)], last_read: Date, today: Date) {
        let info = Catalogue::embedded().get(id).unwrap();
        let id = SeriesId::new(id).unwrap();
        let stored = self.store.read(&id).unwrap().unwrap_or_default();
        let is_stored = |day: Date| stored.rows().iter().any(|row| row.date == day);
        let is_new = |day: Date| {
            let public = info.publication_day(day);
            !is_stored(day) && (public <= last_read || public > today)
        };
        let row = |(day, value): &(Date, f64)| VintageObservation {
            date: *day,
            known_from: is_new(*day).then_some(today),
            value: Some(*value),
        };
        let observations: Vec<VintageObservation> = rows.iter().map(row).collect();
        self.write(&id, &observations);
    }

    pub(super) fn write(&self, id: &SeriesId, rows: &[VintageObservation]) {
        let write = WriteVintages::new(id, rows, *self.now.lock().unwrap(), "test");
        self.store.write_vintages(write).unwrap();
    }

    async fn json(&self, path: &str) -> Value {
        let reply = get(&self.router, path).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}: {}", reply.text());
        reply.json()
    }
}

/// Returns pseudo-random numbers, the same each time.
fn random(seed: i64) -> f64 {
    let mixed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    f64::from(u32::try_from(mixed >> 33 & 0xFFFF).unwrap()) / 65_536.0
}

/// Returns a monthly series as of a day: recent months are revised at each release, one in nine is weeks late.
fn monthly(today: Date) -> Vec<(Date, f64)> {
    let mut rows = Vec::new();
    let mut month = date(2020, 1, 1);
    while month <= today {
        let n = i64::from(month.year()) * 12 + i64::from(month.month());
        let lateness = if random(n) < 0.11 { 45 } else { 0 };
        let age = (today - month).get_days() - lateness;
        let releases = i64::from((age - 36).div_euclid(30)).min(3);
        if releases >= 0 {
            let value = 4.0 + random(n) + random(n * 31 + releases) / 10.0;
            rows.push((month, (value * 10.0).round() / 10.0));
        }
        month = shift(month, 1.month());
    }
    rows
}

/// Returns a daily series as of a day: values are published on the next day, one in six up to a week late; few are corrected.
fn daily(today: Date) -> Vec<(Date, f64)> {
    let mut rows = Vec::new();
    let mut day = date(2025, 6, 2);
    while day < today {
        let n = i64::from((day - date(2025, 1, 1)).get_days());
        let lateness = if random(n) < 0.16 {
            1 + (random(n * 7) * 6.0) as i32
        } else {
            1
        };
        let age = (today - day).get_days();
        if day.weekday().to_monday_zero_offset() < 5 && age >= lateness {
            let corrected = if random(n * 13) < 0.1 && age > 20 {
                0.01
            } else {
                0.0
            };
            rows.push((day, ((4.0 + random(n)) * 100.0).round() / 100.0 + corrected));
        }
        day = shift(day, 1.day());
    }
    rows
}

#[tokio::test]
async fn a_citation_is_stable_over_a_year_of_syncs() {
    let world = TestServer::new();
    let mut cited: Vec<(String, Value)> = Vec::new();
    let mut today = date(2025, 11, 24);
    let end = date(2026, 11, 25);
    let mut last_read = date(2019, 1, 1);
    while today < end {
        world.set_time(today, 9);
        world.sync("UNRATE", &monthly(today), last_read, today);
        world.sync("DGS10", &daily(today), last_read, today);
        last_read = today;
        let first = shift(today, (-70).days());
        for path in [
            "/cite/UNRATE?format=json".to_owned(),
            "/cite/UNRATE?format=json&units=pc1".to_owned(),
            "/cite/UNRATE?format=json&units=chg".to_owned(),
            "/cite/UNRATE?format=json&start=2024-01-01".to_owned(),
            "/cite/DGS10?format=json".to_owned(),
            "/cite/DGS10?format=json&frequency=m".to_owned(),
            format!("/cite/DGS10?format=json&start={first}"),
        ] {
            let made = world.json(&path).await;
            let url = made["url"].as_str().unwrap().strip_prefix(BASE).unwrap();
            cited.push((format!("{url}&format=json"), made));
        }
        // Syncs run a day apart, and after pauses of up to two weeks.
        let n = i64::from((today - date(2025, 1, 1)).get_days());
        let pause = [1, 1, 1, 2, 3, 4, 9, 14][(random(n * 3) * 8.0) as usize];
        today = shift(today, pause.days());
    }
    assert!(cited.len() > 200, "{}", cited.len());
    let values = |text: &str| cited.iter().filter(|(url, _)| url.contains(text)).count();
    assert!(values("units=pc1") > 30 && values("start=") > 60);
    world.set_time(end, 9);
    let whole = |made: &Value| made["as_of"].as_str().unwrap() < "2026-11-25";
    assert!(cited.iter().all(|(_, made)| whole(made)));
    for (n, (url, made)) in cited.iter().enumerate() {
        let again = world.json(url).await;
        for field in [
            "citation", "value", "check", "as_of", "count", "unit", "data",
        ] {
            assert_eq!(again[field], made[field], "{field} of {url}");
        }
        assert_eq!(again["agrees"], true, "{url}");
        // The permanent address of a permanent address is itself.
        assert_eq!(again["url"], made["url"]);
        assert!(made["agrees"].is_null());
        if n % 5 > 0 {
            continue;
        }
        let rows = get(
            &world.router,
            made["data"].as_str().unwrap().strip_prefix(BASE).unwrap(),
        )
        .await
        .json()["data"]
            .as_array()
            .unwrap()
            .len();
        assert_eq!(rows, made["count"].as_u64().unwrap() as usize, "{url}");
    }
}

/// The sentence that people copy says "as known on" only of figures whose vintage is held.
#[tokio::test]
async fn a_citation_says_as_known_only_of_recorded_vintages() {
    let bundled = unlimited_router();
    for path in [
        "/cite/CUSR0000SAC?date=2008-10",
        "/cite/CUSR0000SAC?date=2008-10&as_of=2008-12-31",
        "/cite/SERVICE_CRPI",
        "/cite/SERVICE_CRPI?date=2008-10&as_of=2008-12-31",
    ] {
        let page = get(&bundled, path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert!(page.text().contains("as last revised"), "{path}");
        assert!(!page.text().contains(", as known on "), "{path}");
    }
    // One month was first printed at 4.9 and is held as such; the others only as last revised.
    let world = TestServer::new();
    world.set_time(date(2026, 3, 20), 9);
    let row = |month, known_from, value| VintageObservation {
        date: date(2025, month, 1),
        known_from,
        value: Some(value),
    };
    let printed = Some(date(2025, 12, 5));
    let rows = [row(9, None, 4.7), row(10, None, 4.8), row(11, printed, 4.9)];
    world.write(&SeriesId::new("UNRATE").unwrap(), &rows);
    let mut made = Vec::new();
    for (path, known) in [
        ("/cite/UNRATE?date=2025-11&as_of=2026-01-31", true),
        ("/cite/UNRATE?date=2025-10&as_of=2026-01-31", false),
        // A change is as known only if both of its figures are, a range if all are.
        (
            "/cite/UNRATE?date=2025-11&units=chg&as_of=2026-01-31",
            false,
        ),
        (
            "/cite/UNRATE?start=2025-09&end=2025-11&as_of=2026-01-31",
            false,
        ),
    ] {
        let cited = world.json(&format!("{path}&format=json")).await;
        let sentence = cited["citation"].as_str().unwrap();
        assert_eq!(
            sentence.contains("as known on 31 January 2026"),
            known,
            "{sentence}"
        );
        assert_eq!(sentence.contains("as last revised"), !known, "{sentence}");
        let basis = &cited["knowledge"][0]["values"];
        assert_eq!(basis == "values as known then", known, "{path}: {basis}");
        made.push(cited);
    }
    // An archive that records the same values afterwards changes no permanent sentence.
    let archive = [
        row(9, Some(date(2025, 10, 3)), 4.7),
        row(10, Some(date(2025, 11, 7)), 4.8),
    ];
    world.write(&SeriesId::new("UNRATE").unwrap(), &archive);
    for cited in made {
        let url = cited["url"].as_str().unwrap().strip_prefix(BASE).unwrap();
        let again = world.json(&format!("{url}&format=json")).await;
        for field in ["citation", "url", "value", "vintage"] {
            assert_eq!(again[field], cited[field], "{field} of {url}");
        }
        assert_eq!(again["agrees"], true);
    }
    // An address cannot claim a vintage that is not held.
    let forged = "/cite/ICSA?date=2026-03-07&as_of=2026-03-19&check=213000&values=known";
    world.write(
        &SeriesId::new("ICSA").unwrap(),
        &[VintageObservation {
            date: date(2026, 3, 7),
            known_from: None,
            value: Some(213_000.0),
        }],
    );
    let page = get(&world.router, forged).await;
    assert!(
        page.text()
            .contains("published by 19 March 2026, as last revised")
    );
    assert!(!page.text().contains(", as known on "));
}

#[tokio::test]
async fn a_citation_names_an_archive_that_knows_more() {
    let world = TestServer::new();
    let today = date(2026, 3, 20);
    world.set_time(today, 9);
    world.sync("UNRATE", &monthly(today), date(2019, 1, 1), today);
    let made = world.json("/cite/UNRATE?date=2025-12&format=json").await;
    let value = made["value"].as_f64().unwrap();
    let as_of = made["as_of"].as_str().unwrap();
    assert_eq!(made["knowledge"][0]["values"], "values as last revised");
    let url = made["url"]
        .as_str()
        .unwrap()
        .strip_prefix(BASE)
        .unwrap()
        .to_owned();
    world.set_time(date(2026, 3, 22), 9);
    let row = |day, value| VintageObservation {
        date: date(2025, 12, 1),
        known_from: Some(day),
        value: Some(value),
    };
    let archive = [
        row(date(2026, 1, 9), value + 0.3),
        row(date(2026, 3, 21), value),
    ];
    world.write(&SeriesId::new("UNRATE").unwrap(), &archive);
    let again = world.json(&format!("{url}&format=json")).await;
    assert_eq!(again["agrees"], false);
    assert_eq!(again["as_of"], as_of);
    assert!(
        (again["value"].as_f64().unwrap() - value - 0.3).abs() < 1e-9,
        "{again}"
    );
    let page = get(&world.router, &url).await;
    assert_eq!(page.status, StatusCode::OK);
    let message = format!("The address names {value}.");
    assert!(page.text().contains(&message), "{}", page.text());
    // A citation of a value that never was is refused.
    let forged = url.replace(&format!("check={value}"), "check=99.9");
    let page = get(&world.router, &forged).await;
    let sentence = page
        .text()
        .split("<pre")
        .nth(1)
        .unwrap()
        .split("</pre>")
        .next()
        .unwrap();
    assert!(!sentence.contains("99.9"), "{sentence}");
    assert!(page.text().contains("the record says otherwise"));
    let lie = url.replace(&format!("check={value}"), "check=the+ministry+is+lying");
    let page = get(&world.router, &lie).await;
    assert!(page.text().contains("The address names another figure."));
    assert!(!page.text().contains("the ministry"), "{}", page.text());
}

/// An address with a day within a week still works, and the page names the week.
#[tokio::test]
async fn a_weekly_citation_is_stable_and_names_its_week() {
    let world = TestServer::new();
    world.set_time(date(2026, 3, 20), 9);
    let rows = [
        (date(2026, 2, 28), 219_000.0),
        (date(2026, 3, 7), 213_000.0),
    ];
    world.sync("ICSA", &rows, date(2026, 2, 1), date(2026, 3, 20));
    let old = "/cite/ICSA?date=2026-03-07&as_of=2026-03-19&check=213000";
    let made = world.json(&format!("{old}&format=json")).await;
    assert_eq!(made["url"], format!("{BASE}{old}"));
    assert_eq!(made["agrees"], true);
    assert_eq!(made["period"], "week to 7 March 2026");
    let page = get(&world.router, old).await;
    assert!(page.text().contains("week to 7 March 2026"));
}

#[tokio::test]
async fn a_page_shows_the_citation_of_its_figure() {
    let router = unlimited_router();
    let page = get(&router, "/series/UNRATE?units=pc1").await;
    assert!(page.text().contains("href=\"/cite/UNRATE?units=pc1\""));
    let cite = get(&router, "/cite/UNRATE?units=pc1").await;
    assert_eq!(cite.status, StatusCode::OK);
    let text = cite.text();
    for message in [
        "Source: Bureau of Labor Statistics",
        "units=pc1",
        "% from a year earlier",
        "as last revised",
    ] {
        assert!(text.contains(message), "{message}: {text}");
    }
    let picture = get(&router, "/chart/UNRATE.svg").await;
    assert!(picture.text().contains("macro.example/cite/UNRATE"));
    for (path, status) in [
        ("/cite/UNRATE?date=1850-01", StatusCode::NOT_FOUND),
        ("/cite/UNRATE?units=nonsense", StatusCode::BAD_REQUEST),
        ("/cite/UNRATE?as_of=2999-01-01", StatusCode::BAD_REQUEST),
        ("/cite/UNRAT3", StatusCode::NOT_FOUND),
    ] {
        let refused = get(&router, path).await;
        assert_eq!(refused.status, status, "{path}");
    }
}

#[tokio::test]
async fn restricted_figures_are_not_cited_publicly() {
    let router = router_with(options(), false);
    let chart = get(&router, "/chart/VIXCLS.png").await;
    for path in ["/cite/VIXCLS", "/cite/VIXCLS?format=json"] {
        let refused: Reply = get(&router, path).await;
        assert_eq!(refused.status, chart.status, "{path}");
        assert!(refused.status.is_client_error());
    }
    assert!(get(&router, "/cite/VIXCLS?format=json").await.json()["code"] == "not_permitted");
}
