mod acceptance;
mod agencies;
mod board;
mod quirks;
mod refusals;
mod settings;
mod shared;
mod vintages;
mod whole;

use super::*;
use crate::ingest::testing::{csv, json, page, sources_at};
use crate::store::{Sqlite, Write, WriteOutcome};
use econoscope_core::error::Error;
use econoscope_core::model::{Date, Observation};
use jiff::Timestamp;
use jiff::civil::date;
use serde_json::json as object;
use std::sync::Arc;
use std::time::Duration;
use wiremock::matchers::{method, path, query_param, query_param_is_missing};
use wiremock::{Mock, MockServer, ResponseTemplate};

const EBP: &str = "date,gz_spread,ebp,est_prob\n2026-06-01,1.1,-0.25,0.1\n7/31/2026,1.2,-0.5,0.1\n";

fn id(text: &str) -> SeriesId {
    SeriesId::new(text).unwrap()
}

fn noon() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn next_noon() -> Timestamp {
    "2026-11-22T12:00:00Z".parse().unwrap()
}

/// Serves FRED from a loopback server, with a sync of some series.
async fn mock_fred(only: &[&str]) -> (MockServer, SyncConfig) {
    let server = MockServer::start().await;
    let config = SyncConfig {
        sources: sources_at(&server.uri(), false),
        only: Some(only.iter().map(|text| id(text)).collect()),
        clock: Some(noon),
        ..SyncConfig::default()
    };
    (server, config)
}

async fn respond(server: &MockServer, series: &str, response: ResponseTemplate) {
    Mock::given(query_param("id", series))
        .respond_with(response)
        .mount(server)
        .await;
}

async fn run(store: &Arc<Sqlite>, config: &SyncConfig) -> SyncReport {
    sync(
        store.as_ref(),
        config,
        CancellationToken::new(),
        &mut Progress::quiet(),
    )
    .await
    .unwrap()
}

fn values(store: &Sqlite, series: &str) -> Vec<(Date, f64)> {
    let stored = store.read(&id(series)).unwrap().unwrap_or_default();
    stored.latest().iter().map(|o| (o.date, o.value)).collect()
}

fn write_rows(store: &Sqlite, series: &str, rows: &[(Date, f64)]) {
    let observations: Vec<Observation> =
        rows.iter().map(|(d, v)| Observation::new(*d, *v)).collect();
    let write = Write {
        id: &id(series),
        observations: &observations,
        known_from: None,
        fetched_at: "2026-01-01T00:00:00Z".parse().unwrap(),
        origin: "bundled",
    };
    store.write(write).unwrap();
}

fn failure<'a>(report: &'a SyncReport, series: &str) -> &'a Error {
    report
        .failures()
        .find(|(failed, _)| failed.as_str() == series)
        .unwrap()
        .1
}

#[tokio::test]
async fn failures_of_single_series_do_not_stop_others() {
    let (server, config) =
        mock_fred(&["DGS10", "DGS2", "UNRATE", "GDP", "SPY", "WALCL", "PAYEMS"]).await;
    respond(&server, "DGS10", page(404)).await;
    respond(
        &server,
        "DGS2",
        csv("observation_date,DGS2\n2026-11-18,4.1\n2026-11-19,4.2\n"),
    )
    .await;
    respond(&server, "UNRATE", page(200)).await;
    respond(
        &server,
        "GDP",
        csv("observation_date,GDP\n2026-04-01,3\n2026-07-01,not\n"),
    )
    .await;
    respond(&server, "WALCL", csv("observation_date,WALCL\n")).await;
    respond(
        &server,
        "PAYEMS",
        csv("observation_date,PAYEMS\n2026-09-01,1\n2026-10-01,2\n2026-11"),
    )
    .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    write_rows(&store, "PAYEMS", &[(date(2026, 8, 1), 7.0)]);
    let report = run(&store, &config).await;
    assert_eq!((report.read_count(), report.missed_count()), (1, 6));
    assert_eq!(report.failed["fred"], 5, "one for each response");
    assert_eq!(failure(&report, "DGS10").code(), "no_data");
    for (series, text) in [
        ("UNRATE", "web page"),
        ("GDP", "line 3"),
        ("SPY", "import"),
        ("WALCL", "without a single figure"),
        ("PAYEMS", "1 columns where the first line has 2"),
    ] {
        let message = failure(&report, series).to_string();
        assert!(message.contains(text), "{message}");
    }
    assert_eq!(values(&store, "DGS2").len(), 2);
    assert_eq!(
        values(&store, "PAYEMS"),
        vec![(date(2026, 8, 1), 7.0)],
        "as it was"
    );
    assert_eq!(
        store.note(LAST_SYNC).unwrap(),
        None,
        "a part is not the whole"
    );
    assert!(!report.is_complete() && report.summary().contains("1 series read"));
}

#[tokio::test]
async fn second_sync_requests_a_window_and_dates_new_rows() {
    let (server, mut config) = mock_fred(&["DGS10"]).await;
    let full = csv("observation_date,DGS10\n2026-10-01,4.0\n2026-11-18,4.1\n2026-11-19,4.2\n");
    Mock::given(query_param("id", "DGS10"))
        .and(query_param_is_missing("cosd"))
        .respond_with(full)
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(query_param("cosd", "2026-10-05"))
        .respond_with(csv(
            "observation_date,DGS10\n2026-11-18,4.1\n2026-11-19,4.25\n2026-11-20,4.3\n",
        ))
        .expect(1)
        .mount(&server)
        .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    run(&store, &config).await;
    let stored = store.read(&id("DGS10")).unwrap().unwrap();
    assert_eq!(stored.rows().len(), 3);
    assert!(stored.rows().iter().all(|r| r.known_from.is_none()));
    let report = run(&store, &config).await;
    assert!(matches!(report.series[0].1, Outcome::Fresh(_)));
    assert!(report.is_complete());
    // A Sunday: nothing is due, but it may be asked.
    config.clock = Some(next_noon);
    config.force = true;
    let report = run(&store, &config).await;
    assert_eq!(
        report.written(),
        WriteOutcome {
            added: 1,
            revised: 1
        }
    );
    let rows = store.read(&id("DGS10")).unwrap().unwrap().rows().to_vec();
    let dated: Vec<f64> = rows
        .iter()
        .filter(|r| r.known_from == Some(date(2026, 11, 22)))
        .filter_map(|r| r.value)
        .collect();
    assert_eq!(dated, vec![4.25, 4.3]);
}

#[tokio::test]
async fn new_base_year_causes_a_full_read() {
    let (server, mut config) = mock_fred(&["INDPRO"]).await;
    let monthly = |values: [i32; 3]| {
        let [a, b, c] = values;
        csv(&format!(
            "observation_date,INDPRO\n2015-01-01,{a}\n2022-01-01,{b}\n2026-09-01,{c}\n"
        ))
    };
    let all = |values| {
        Mock::given(query_param("id", "INDPRO"))
            .and(query_param_is_missing("cosd"))
            .respond_with(monthly(values))
            .up_to_n_times(1)
    };
    all([100, 101, 102]).mount(&server).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    run(&store, &config).await;
    config.clock = Some(next_noon);
    Mock::given(query_param("cosd", "2021-09-01"))
        .respond_with(csv(
            "observation_date,INDPRO\n2022-01-01,81\n2026-09-01,82\n",
        ))
        .mount(&server)
        .await;
    all([80, 81, 82]).mount(&server).await;
    let report = run(&store, &config).await;
    assert_eq!(
        report.written().revised,
        3,
        "the oldest too, though it lies before the window"
    );
    assert_eq!(values(&store, "INDPRO")[0].1, 80.0);
}

#[tokio::test]
async fn source_is_not_asked_after_three_failures() {
    let names = ["DGS10", "DGS2", "DGS5", "DGS30", "UNRATE"];
    let (server, config) = mock_fred(&names).await;
    Mock::given(path("/graph/fredgraph.csv"))
        .respond_with(ResponseTemplate::new(503))
        .expect(3 * 4)
        .mount(&server)
        .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    let left = |s: &&(SeriesId, Outcome)| matches!(&s.1, Outcome::Skipped(why) if why.to_string().contains("HTTP 503"));
    assert_eq!(report.series.iter().filter(left).count(), 2);
    assert_eq!((report.failures().count(), report.read_count()), (3, 0));
}

#[tokio::test]
async fn long_pause_or_refused_key_stops_requests() {
    let (server, mut config) = mock_fred(&["DGS10", "DGS2"]).await;
    respond(
        &server,
        "DGS10",
        ResponseTemplate::new(429).insert_header("retry-after", "600"),
    )
    .await;
    let report = run(&Arc::new(Sqlite::in_memory().unwrap()), &config).await;
    assert_eq!(
        failure(&report, "DGS10").retry_after(),
        Some(Duration::from_secs(600))
    );
    assert!(
        matches!(&report.series[1].1, Outcome::Skipped(why) if why.to_string().contains("600 s"))
    );

    let text = "Bad Request.  The value for variable api_key is not registered.";
    let refusal = json(400, &object!({"error_code": 400, "error_message": text}));
    config.sources = sources_at(&server.uri(), true);
    Mock::given(query_param("series_id", "DGS10"))
        .respond_with(refusal)
        .expect(4)
        .mount(&server)
        .await;
    let report = run(&Arc::new(Sqlite::in_memory().unwrap()), &config).await;
    assert!(
        failure(&report, "DGS10")
            .to_string()
            .contains("is not accepted by FRED")
    );
    assert!(matches!(&report.series[1].1, Outcome::Skipped(_)));
}

/// Cancels a sync at the first line of progress.
struct CancelAfterFirst(CancellationToken);

impl std::io::Write for CancelAfterFirst {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if bytes.starts_with(b"[1/") {
            self.0.cancel();
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn cancelled_sync_keeps_rows_and_resumes() {
    let (server, config) = mock_fred(&["DGS10", "DGS2"]).await;
    respond(
        &server,
        "DGS10",
        csv("observation_date,DGS10\n2026-11-19,4.2\n"),
    )
    .await;
    let late = csv("observation_date,DGS2\n2026-11-19,4.1\n").set_delay(Duration::from_millis(400));
    respond(&server, "DGS2", late).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let cancel = CancellationToken::new();
    let mut progress = Progress::lines(Box::new(CancelAfterFirst(cancel.clone())));
    let report = sync(store.as_ref(), &config, cancel, &mut progress)
        .await
        .unwrap();
    assert!(report.cancelled && !report.is_complete());
    assert_eq!(report.series.len(), 1);
    let report = run(&store, &config).await;
    assert!(matches!(report.series[0].1, Outcome::Fresh(_)));
    assert_eq!(values(&store, "DGS2").len(), 1);
    assert_eq!(
        server
            .received_requests()
            .await
            .unwrap()
            .iter()
            .filter(|r| r.url.query().unwrap().contains("DGS10"))
            .count(),
        1
    );
}
