//! Agencies are asked before FRED.

use super::*;
use crate::ingest::key::ApiKey;
use crate::ingest::testing::zip_file;
use econoscope_core::recipe::Recipes;
use wiremock::matchers::{any, header, path_regex};

const EMPTY_YEAR: &str = "Date,\"2 Yr\",\"10 Yr\"\n";
const YEAR: &str = "Date,\"2 Yr\",\"10 Yr\"\n11/20/2026,4.81,5.17\n11/19/2026,4.80,5.15\n11/18/2026,4.79,5.14\n11/17/2026,4.78,5.12\n11/16/2026,4.77,5.10\n";
const FRED_10Y: &str = "observation_date,DGS10\n2026-11-16,5.10\n2026-11-17,5.12\n2026-11-18,5.14\n2026-11-19,5.15\n2026-11-20,5.17\n";

/// Serves every source from one loopback server.
pub(super) async fn agencies(only: &[&str]) -> (MockServer, SyncConfig) {
    let (server, mut config) = mock_fred(only).await;
    let home = url::Url::parse(&server.uri()).unwrap();
    config.sources.recipes = Arc::clone(Recipes::embedded());
    for recipe in &Recipes::embedded().recipes {
        let id = recipe.source.id.clone();
        config.sources.addresses.insert(id, home.clone());
    }
    (server, config)
}

pub(super) async fn mount(
    server: &MockServer,
    regex: &str,
    priority: u8,
    response: ResponseTemplate,
) {
    Mock::given(path_regex(regex))
        .respond_with(response)
        .with_priority(priority)
        .mount(server)
        .await;
}

pub(super) async fn treasury(server: &MockServer) {
    mount(server, "daily-treasury-rates.csv/2026/all", 1, csv(YEAR)).await;
    mount(server, "daily-treasury-rates.csv/", 2, csv(EMPTY_YEAR)).await;
}

fn origin(store: &Sqlite, series: &str) -> String {
    store
        .status_of(&id(series))
        .unwrap()
        .map_or_else(String::new, |s| s.origin)
}

pub(super) async fn count_requests(server: &MockServer, word: &str) -> usize {
    let all = server.received_requests().await.unwrap();
    all.iter().filter(|r| r.url.as_str().contains(word)).count()
}

fn refusals(store: &Arc<Sqlite>) -> Vec<(String, String)> {
    let all = crate::ingest::refused_responses(store.as_ref(), Recipes::embedded()).unwrap();
    all.into_iter()
        .map(|(feed, refusal)| (feed, refusal.why))
        .collect()
}

#[tokio::test]
async fn one_response_serves_many_series_and_formulas() {
    let (server, mut config) = agencies(&["DGS10", "DGS2", "T10Y2Y"]).await;
    config.sources.no_fred = true;
    treasury(&server).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(
        count_requests(&server, "daily-treasury").await,
        37,
        "a request a year for both series"
    );
    assert_eq!(
        values(&store, "DGS10").last(),
        Some(&(date(2026, 11, 20), 5.17))
    );
    assert_eq!(
        values(&store, "T10Y2Y").last(),
        Some(&(date(2026, 11, 20), 0.36))
    );
    assert_eq!(
        (
            origin(&store, "DGS2").as_str(),
            origin(&store, "T10Y2Y").as_str()
        ),
        ("treasury", "formula")
    );
    let again = run(&store, &config).await;
    assert_eq!(
        (again.read_count(), again.missed_count()),
        (0, 0),
        "nothing is due on a Saturday"
    );
}

#[tokio::test]
async fn web_page_moves_the_series_to_the_next_source() {
    let (server, config) = agencies(&["DGS10"]).await;
    mount(&server, "daily-treasury", 1, page(200)).await;
    mount(&server, "FRB_", 1, page(404)).await;
    respond(&server, "DGS10", csv(FRED_10Y)).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(origin(&store, "DGS10"), "fred");
    let refused = refusals(&store);
    assert!(
        refused
            .iter()
            .any(|(feed, why)| feed == "treasury/par_yields" && why.contains("web page")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn outage_does_not_switch_the_source() {
    let (server, mut config) = agencies(&["DGS10"]).await;
    treasury(&server).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    assert!(run(&store, &config).await.is_complete());
    server.reset().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(503))
        .mount(&server)
        .await;
    config.force = true;
    let report = run(&store, &config).await;
    assert!(failure(&report, "DGS10").to_string().contains("503"));
    assert_eq!(report.failed["treasury"], 1);
    assert_eq!(count_requests(&server, "fredgraph").await, 0);
    assert_eq!(origin(&store, "DGS10"), "treasury");
    // A store without the series takes it from FRED.
    server.reset().await;
    mount(&server, "fredgraph", 1, csv(FRED_10Y)).await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(503))
        .with_priority(9)
        .mount(&server)
        .await;
    let new = Arc::new(Sqlite::in_memory().unwrap());
    assert!(run(&new, &config).await.is_complete());
    assert_eq!(origin(&new, "DGS10"), "fred");
}

fn release(name: &str, unit: &str, values: &[(&str, &str)]) -> ResponseTemplate {
    archive(&member(name, unit, values))
}

/// Several series, each of one value in all months.
fn releases(members: &[(&str, &str, &str)]) -> ResponseTemplate {
    let all = members
        .iter()
        .map(|(name, unit, value)| member(name, unit, &MONTHS.map(|day| (day, *value))));
    archive(&all.collect::<String>())
}

fn member(name: &str, unit: &str, values: &[(&str, &str)]) -> String {
    let rows: String = values
        .iter()
        .map(|(day, value)| {
            format!("<frb:Obs OBS_STATUS=\"A\" OBS_VALUE=\"{value}\" TIME_PERIOD=\"{day}\"/>")
        })
        .collect();
    format!("<kf:Series SERIES_NAME=\"{name}\" UNIT=\"{unit}\" UNIT_MULT=\"1\">{rows}</kf:Series>")
}

fn archive(members: &str) -> ResponseTemplate {
    let xml = format!("<m:Group><frb:DataSet id=\"X\">{members}</frb:DataSet></m:Group>");
    let zip = zip_file("X_data.xml", xml.as_bytes());
    ResponseTemplate::new(200)
        .set_body_raw(zip, "application/zip")
        .insert_header("etag", "\"1\"")
}

const MONTHS: [&str; 5] = [
    "2026-05-31",
    "2026-06-30",
    "2026-07-31",
    "2026-08-31",
    "2026-09-30",
];

#[tokio::test]
async fn sampled_recipe_needs_no_confirmation() {
    let (server, mut config) = agencies(&["MPRIME"]).await;
    let rows = MONTHS.map(|day| (day, "7.50"));
    mount(
        &server,
        "FRB_h15",
        1,
        release("RIFSPBLP_N.M", "Percent:_Per_Year", &rows),
    )
    .await;
    let fred = "observation_date,MPRIME\n2026-05-01,7.5\n2026-06-01,7.5\n2026-07-01,7.5\n2026-08-01,7.5\n2026-09-01,7.5\n";
    respond(&server, "MPRIME", csv(fred)).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    assert!(run(&store, &config).await.is_complete());
    let first = origin(&store, "MPRIME");
    config.force = true;
    assert!(run(&store, &config).await.is_complete());
    assert_eq!(
        (first.as_str(), origin(&store, "MPRIME").as_str()),
        ("fed_board", "fed_board"),
        "a sample of its response exists"
    );
}

#[tokio::test]
async fn untested_recipe_waits_for_confirmation() {
    let (server, mut config) = agencies(&["DFII20"]).await;
    let days = [
        "2026-11-16",
        "2026-11-17",
        "2026-11-18",
        "2026-11-19",
        "2026-11-20",
    ];
    // FRED lacks the newest figure, which shows the origin.
    let mut board = days.map(|day| (day, "7.00")).to_vec();
    board.push(("2026-11-21", "7.00"));
    mount(
        &server,
        "FRB_h15",
        1,
        release("RIFLGFCY20_XII_N.B", "Percent:_Per_Year", &board),
    )
    .await;
    let row = |value: &str| days.map(|day| format!("{day},{value}\n")).concat();
    respond(
        &server,
        "DFII20",
        csv(&format!("observation_date,DFII20\n{}", row("7.0"))),
    )
    .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    assert!(run(&store, &config).await.is_complete());
    assert_eq!(
        origin(&store, "DFII20"),
        "fred",
        "nothing held confirmed it yet"
    );
    config.force = true;
    assert!(run(&store, &config).await.is_complete());
    assert_eq!(origin(&store, "DFII20"), "fed_board");
    // The same answer against other figures is refused, and without FRED nothing is written.
    let other = Arc::new(Sqlite::in_memory().unwrap());
    write_rows(
        &other,
        "DFII20",
        &days.map(|day| (day.parse().unwrap(), 8.25)),
    );
    config.sources.no_fred = true;
    let report = run(&other, &config).await;
    assert!(
        failure(&report, "DFII20").to_string().contains("differ"),
        "{report:?}"
    );
    assert_eq!(values(&other, "DFII20")[0].1, 8.25);
    let refused = refusals(&other);
    assert!(
        refused.iter().any(|(feed, _)| feed == "fed_board/h15"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn wrong_unit_refuses_only_its_series() {
    let (server, mut config) = agencies(&["INDPRO", "TCU"]).await;
    config.sources.no_fred = true;
    mount(
        &server,
        "FRB_g17",
        1,
        releases(&[
            ("IP.B50001.S", "Percent:_Change", "97.0"),
            ("CAPUTL.B50001.S", "Percentage", "77.5"),
        ]),
    )
    .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    write_rows(&store, "INDPRO", &[(date(2026, 8, 1), 101.0)]);
    let report = run(&store, &config).await;
    let message = failure(&report, "INDPRO").to_string();
    assert!(
        message.contains("Percent:_Change") && message.contains("Index:_2017_100"),
        "{message}"
    );
    assert_eq!(values(&store, "INDPRO"), [(date(2026, 8, 1), 101.0)]);
    // The other members of the archive are not refused with it.
    assert!(
        values(&store, "TCU")
            .iter()
            .all(|(_, value)| *value == 77.5)
    );
    assert_eq!(values(&store, "TCU").len(), MONTHS.len());
}

#[tokio::test]
async fn unchanged_response_is_requested_by_etag() {
    let (server, mut config) = agencies(&["MPRIME"]).await;
    mount(
        &server,
        "FRB_h15",
        5,
        release(
            "RIFSPBLP_N.M",
            "Percent:_Per_Year",
            &MONTHS.map(|day| (day, "7.50")),
        ),
    )
    .await;
    Mock::given(header("if-none-match", "\"1\""))
        .respond_with(ResponseTemplate::new(304))
        .with_priority(1)
        .expect(1)
        .mount(&server)
        .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    assert!(run(&store, &config).await.is_complete());
    config.clock = Some(|| "2026-12-05T12:00:00Z".parse().unwrap());
    let report = run(&store, &config).await;
    assert_eq!(
        (report.read_count(), report.written()),
        (1, WriteOutcome::default()),
        "{report:?}"
    );
    assert_eq!(values(&store, "MPRIME").len(), 5);
}

/// Serves H.15 with two daily rates under an entity tag, and 304 to a request with this tag.
async fn serve_h15(server: &MockServer, etag: &str, two_years: &str, ten_years: &str) {
    server.reset().await;
    let rates = |name, newest| {
        let days = ["16", "17", "18", "19", "20"].map(|day| format!("2026-11-{day}"));
        let mut rows: Vec<(&str, &str)> = days.iter().map(|day| (day.as_str(), "4.00")).collect();
        rows.push(("2026-11-23", newest));
        member(name, "Percent:_Per_Year", &rows)
    };
    let members = [
        rates("RIFLGFCY02_N.B", two_years),
        rates("RIFLGFCY10_N.B", ten_years),
    ];
    let response = archive(&members.concat()).insert_header("etag", etag);
    mount(server, "FRB_h15", 5, response).await;
    Mock::given(header("if-none-match", etag))
        .respond_with(ResponseTemplate::new(304))
        .with_priority(1)
        .mount(server)
        .await;
    mount(server, "daily-treasury", 1, page(404)).await;
}

/// Syncs some series without FRED on a day of December 2026.
async fn sync_in_december(
    store: &Arc<Sqlite>,
    config: &mut SyncConfig,
    only: &[&str],
    clock: fn() -> Timestamp,
) -> SyncReport {
    config.sources.no_fred = true;
    config.only = Some(only.iter().map(|series| id(series)).collect());
    config.clock = Some(clock);
    run(store, config).await
}

const FIRST: fn() -> Timestamp = || "2026-12-01T12:00:00Z".parse().unwrap();
const SECOND: fn() -> Timestamp = || "2026-12-02T12:00:00Z".parse().unwrap();
const THIRD: fn() -> Timestamp = || "2026-12-03T12:00:00Z".parse().unwrap();

#[tokio::test]
async fn unchanged_response_counts_only_for_series_that_were_read_from_it() {
    let (server, mut config) = agencies(&[]).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    serve_h15(&server, "\"1\"", "4.00", "4.00").await;
    sync_in_december(&store, &mut config, &["DGS2", "DGS10"], FIRST).await;
    serve_h15(&server, "\"2\"", "4.10", "4.20").await;
    sync_in_december(&store, &mut config, &["DGS2"], SECOND).await;
    sync_in_december(&store, &mut config, &["DGS10"], THIRD).await;
    let newest = ["DGS2", "DGS10"].map(|series| values(&store, series).last().copied());
    let monday = date(2026, 11, 23);
    assert_eq!(newest, [Some((monday, 4.1)), Some((monday, 4.2))]);
}

#[tokio::test]
async fn refused_figure_is_refused_again_until_the_source_corrects_it() {
    let (server, mut config) = agencies(&[]).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    serve_h15(&server, "\"1\"", "4.00", "4.00").await;
    sync_in_december(&store, &mut config, &["DGS10"], FIRST).await;
    serve_h15(&server, "\"2\"", "4.00", "0.04").await;
    for clock in [SECOND, THIRD] {
        let report = sync_in_december(&store, &mut config, &["DGS10"], clock).await;
        assert_eq!(report.missed_count(), 1, "{report:?}");
        let error = failure(&report, "DGS10").to_string();
        assert!(error.contains("hundredfold"), "{error}");
    }
    let refused = refusals(&store);
    assert!(
        refused
            .iter()
            .any(|(feed, _)| feed.starts_with("fed_board/")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn refusal_stays_when_the_next_response_of_its_feed_is_accepted() {
    let (server, mut config) = agencies(&["VIXCLS", "VXVCLS"]).await;
    config.sources.no_fred = true;
    let figures = "DATE,OPEN,HIGH,LOW,CLOSE\n11/20/2026,20.1,21.0,19.5,20.5\n";
    mount(&server, "VIX_History", 1, page(404)).await;
    mount(&server, "VIX3M_History", 1, csv(figures)).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    assert_eq!(
        (report.read_count(), report.missed_count()),
        (1, 1),
        "{report:?}"
    );
    assert_eq!(refusals(&store).len(), 1);
    // The next sync reads it.
    server.reset().await;
    mount(&server, "History", 1, csv(figures)).await;
    config.clock = Some(|| "2026-11-24T12:00:00Z".parse().unwrap());
    assert!(run(&store, &config).await.is_complete());
    assert_eq!(refusals(&store), []);
}

#[tokio::test]
async fn keyed_source_is_used_after_cboe_fails() {
    let (server, mut config) = agencies(&["SPY", "BTC"]).await;
    config.sources.no_fred = true;
    mount(
        &server,
        "historical/SPY.json",
        1,
        ResponseTemplate::new(403),
    )
    .await;
    mount(&server, "products/BTC-USD/candles", 1, page(200)).await;
    let kraken = include_str!("../../../../../core/data/sources/samples/kraken/kraken_ohlc.json");
    mount(
        &server,
        "0/public/OHLC",
        1,
        ResponseTemplate::new(200).set_body_raw(kraken.as_bytes().to_vec(), "application/json"),
    )
    .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    assert!(failure(&report, "SPY").to_string().contains("403"));
    assert_eq!(
        values(&store, "BTC").last(),
        Some(&(date(2026, 8, 17), 63_426.0)),
        "of the second source"
    );
    assert_eq!(origin(&store, "BTC"), "kraken");
    Mock::given(path("/tiingo/daily/SPY/prices"))
        .and(header(
            "authorization",
            "Token canary0canary1canary2canary3cana",
        ))
        .respond_with(csv("date,close,adjClose\n2026-11-20,771.25,771.25\n"))
        .mount(&server)
        .await;
    let key = ApiKey::from(crate::ingest::testing::CANARY);
    config.sources.keys.insert("tiingo".to_owned(), key);
    let report = run(&store, &config).await;
    assert!(report.failures().next().is_none(), "{report:?}");
    assert_eq!(origin(&store, "SPY"), "tiingo");
    assert!(!format!("{report:?} {config:?}").contains("canary0"));
}

#[tokio::test]
async fn newest_figures_come_before_the_whole_history_and_headlines_before_others() {
    let (server, mut config) = agencies(&["HOUST", "DGS10", "DGS2"]).await;
    config.sources.no_fred = true;
    treasury(&server).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    for series in ["DGS2", "DGS10"] {
        let rows = [
            (11, 4.77),
            (12, 4.78),
            (13, 4.79),
            (16, 4.77),
            (17, 4.78),
            (18, 4.79),
            (19, 4.80),
        ];
        write_rows(
            &store,
            series,
            &rows.map(|(day, value)| {
                (
                    date(2026, 11, day),
                    value + f64::from(u8::from(series == "DGS10")) * 0.34,
                )
            }),
        );
    }
    run(&store, &config).await;
    assert_eq!(
        values(&store, "DGS10").last(),
        Some(&(date(2026, 11, 20), 5.17))
    );
    let asked = server.received_requests().await.unwrap();
    let years: Vec<String> = asked
        .iter()
        .filter_map(|request| Some(request.url.path().split_once("rates.csv/")?.1[..4].to_owned()))
        .collect();
    assert_eq!(years[..2], ["2026", "1990"], "the newest year, then all");
    assert_eq!(years.iter().filter(|year| *year == "2026").count(), 2);
    let first = asked.first().unwrap().url.as_str();
    assert!(first.contains("/2026/"), "housing waits: {first}");
    // A second sync has nothing to ask.
    server.reset().await;
    assert_eq!(run(&store, &config).await.read_count(), 0);
    let again = server.received_requests().await.unwrap();
    let is_yield = |request: &&wiremock::Request| request.url.path().contains("treasury-rates");
    assert_eq!(again.iter().filter(is_yield).count(), 0);
}

#[tokio::test]
async fn sync_that_brings_nothing_changes_no_time() {
    let (server, mut config) = agencies(&[]).await;
    config.only = None;
    config.sources.no_fred = true;
    mount(&server, ".*", 1, page(503)).await;
    let store = Arc::new(Sqlite::bundled().unwrap());
    let before = store.status().unwrap();
    let report = run(&store, &config).await;
    assert!(store.status().unwrap() == before, "something was written");
    assert_eq!(store.note(LAST_SYNC).unwrap(), None);
    assert_eq!(report.read_count(), 0);
    let why = report.why_nothing_came().unwrap();
    assert!(why.contains("HTTP 503"), "{why}");
}

#[tokio::test]
async fn feed_that_has_stopped_is_found() {
    let (server, config) = agencies(&["DGS10"]).await;
    treasury(&server).await;
    let store = Sqlite::in_memory().unwrap();
    for (now, has_stopped) in [
        ("2026-11-21T12:00:00Z", false),
        ("2026-12-20T12:00:00Z", true),
    ] {
        let now = now.parse().unwrap();
        let checks = crate::ingest::check_sources(&store, &config.sources, now)
            .await
            .unwrap();
        let yields = checks
            .iter()
            .find(|check| check.feed == "treasury/par_yields")
            .unwrap();
        let why = format!("{:?}", yields.result);
        let finding = "DGS10: the newest figure is of 2026-11-20; the feed may have stopped";
        assert_eq!(why.contains(finding), has_stopped, "{why}");
    }
}
