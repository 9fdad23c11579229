use super::*;
use crate::ingest::testing::{CANARY, json, page, sources_at};
use crate::store::Sqlite;
use econoscope_core::model::calendar::releases;
use econoscope_core::recipe::Recipes;
use jiff::civil::date;
use serde_json::json as object;
use std::sync::Arc;
use url::Url;
use wiremock::matchers::{path, query_param};
use wiremock::{Mock, MockServer};

const HOUR: i64 = 3_600;

fn noon() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn later(hours: i64) -> Timestamp {
    noon() + jiff::SignedDuration::from_secs(hours * HOUR)
}

fn settings(server: &MockServer, with_key: bool) -> SourceSettings {
    let mut settings = sources_at(&server.uri(), with_key);
    settings.recipes = Arc::clone(Recipes::embedded());
    for source in ["bea", "census", "fed_board", "treasury"] {
        settings
            .addresses
            .insert(source.to_owned(), Url::parse(&server.uri()).unwrap());
    }
    settings
}

async fn serve_bea(server: &MockServer, day: &str) {
    let body = object!({"Gross Domestic Product": {"release_dates": [day, day]}});
    let at = Mock::given(path("/API/signup/release_dates.json"));
    at.respond_with(json(200, &body)).mount(server).await;
}

async fn serve_rest(server: &MockServer) {
    Mock::given(wiremock::matchers::any())
        .respond_with(page(404))
        .mount(server)
        .await;
}

fn gdp(store: &Sqlite) -> Option<Date> {
    let days = announced_days(store).unwrap();
    days.of("gdp-2").next().map(|announced| announced.day)
}

#[tokio::test]
async fn calendars_are_read_once_a_day_and_failures_change_nothing() {
    let server = MockServer::start().await;
    serve_bea(&server, "2026-11-27T13:30:00+00:00").await;
    serve_rest(&server).await;
    let store = Sqlite::in_memory().unwrap();
    let settings = settings(&server, false);
    let reads = read_calendars(&store, &settings, noon(), false)
        .await
        .unwrap();
    let names: Vec<&str> = reads.iter().map(|read| read.name.as_str()).collect();
    let all = [
        "treasury/release_days",
        "fed_board/g17_dates",
        "fed_board/events",
        "bea/release_dates",
        "census/listview",
    ];
    assert_eq!(names, all);
    let failed = reads.iter().filter(|read| read.result.is_err());
    assert!(
        failed.clone().count() == 4
            && failed.clone().all(|read| read
                .result
                .as_ref()
                .unwrap_err()
                .to_string()
                .contains("404"))
    );
    assert_eq!(gdp(&store), Some(date(2026, 11, 27)));
    let version = crate::store::Store::version(&store).unwrap();
    let again = read_calendars(&store, &settings, later(3), false)
        .await
        .unwrap();
    assert_eq!(
        again.len(),
        4,
        "what was read is not due, the rest is tried again"
    );
    assert_eq!(crate::store::Store::version(&store).unwrap(), version);
    let forced = read_calendars(&store, &settings, later(4), true)
        .await
        .unwrap();
    assert_eq!(forced.len(), 5);
    // The agency's server is down, or its file has changed: what was announced stays.
    server.reset().await;
    serve_rest(&server).await;
    let down = read_calendars(&store, &settings, later(40), false)
        .await
        .unwrap();
    assert!(down.iter().all(|read| read.result.is_err()));
    assert_eq!(gdp(&store), Some(date(2026, 11, 27)));
    let read_at: States<Timestamp> = state::read(&store, READ_AT).unwrap();
    assert_eq!(read_at["bea/release_dates"], later(4));
}

#[tokio::test]
async fn fred_is_asked_with_a_key_and_fred_alone_page_by_page() {
    let server = MockServer::start().await;
    let row = |n: i64, name: &str| {
        let day = jiff::civil::date(2026, 11, 21)
            .checked_add(jiff::Span::new().days(n % 300))
            .unwrap();
        object!({"release_id": 1, "release_name": name, "date": day})
    };
    let first: Vec<_> = (0..1000).map(|n| row(n, "Other")).collect();
    let second =
        [object!({"release_id": 10, "release_name": "Consumer Price Index", "date": "2026-12-10"})];
    for (offset, rows) in [("0", &first[..]), ("1000", &second[..])] {
        Mock::given(path("/fred/releases/dates"))
            .and(query_param("offset", offset))
            .and(query_param("api_key", CANARY))
            .and(query_param("realtime_start", "2026-11-21"))
            .respond_with(json(200, &object!({"release_dates": rows})))
            .mount(&server)
            .await;
    }
    serve_rest(&server).await;
    let store = Sqlite::in_memory().unwrap();
    let keyed = settings(&server, true);
    let without = [
        settings(&server, false),
        SourceSettings {
            no_fred: true,
            ..settings(&server, true)
        },
    ];
    for settings in &without {
        let reads = read_calendars(&store, settings, noon(), true)
            .await
            .unwrap();
        assert!(reads.iter().all(|read| read.name != "fred/releases"));
    }
    let reads = read_calendars(&store, &keyed, noon(), false).await.unwrap();
    let fred = reads
        .iter()
        .find(|read| read.name == "fred/releases")
        .unwrap();
    assert_eq!(fred.result.as_ref().unwrap(), "1 release days to come");
    let cpi = releases().iter().find(|r| r.id == "cpi").unwrap();
    let due = announced_days(&store)
        .unwrap()
        .scheduled(cpi, date(2026, 12, 1), date(2026, 12, 31));
    assert!(due[0].announced.is_some() && due[0].day == date(2026, 12, 10));
    let shown = format!(
        "{reads:?}{:?}",
        crate::store::Store::note(&store, ANNOUNCED).unwrap()
    );
    assert!(!shown.contains(CANARY), "{shown}");
}
