//! What may change stored rows: new bases, older responses, unconfirmed sources.

use super::agencies::{agencies, mount};
use super::*;
use crate::ingest::BASES;
use crate::ingest::testing::zip_file;
use econoscope_core::model::frequency::shift;
use jiff::ToSpan;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Twenty-four months to October 2026, each a little more than the one before.
fn months(factor: f64) -> Vec<(Date, f64)> {
    let month = |n: i32| {
        let day = shift(date(2024, 11, 1), n.months());
        (day, factor * (100.0 + f64::from(n * n % 7) / 10.0))
    };
    (0..24).map(month).collect()
}

fn fred_csv(series: &str, rows: &[(Date, f64)]) -> ResponseTemplate {
    let lines: Vec<String> = rows.iter().map(|(d, v)| format!("{d},{v:.4}\n")).collect();
    csv(&format!("observation_date,{series}\n{}", lines.concat()))
}

#[tokio::test]
async fn new_base_needs_acceptance_and_the_whole_series() {
    for cut in [0, 3] {
        let (server, mut config) = mock_fred(&["HOUST"]).await;
        config.force = true;
        let store = Arc::new(Sqlite::in_memory().unwrap());
        write_rows(&store, "HOUST", &months(1.0));
        let stored = values(&store, "HOUST");
        respond(&server, "HOUST", fred_csv("HOUST", &months(0.97)[cut..])).await;
        let report = run(&store, &config).await;
        let message = failure(&report, "HOUST").to_string();
        assert!(
            message.contains("0.9700 times") && message.contains("--accept"),
            "{message}"
        );
        assert_eq!(values(&store, "HOUST"), stored);
        config.accept = vec!["houst".to_owned()];
        let report = run(&store, &config).await;
        let now = values(&store, "HOUST");
        match cut {
            0 => assert!((now[0].1 / stored[0].1 - 0.97).abs() < 1e-5, "{now:?}"),
            _ => {
                let message = failure(&report, "HOUST").to_string();
                assert!(message.contains("another base and lacks"), "{message}");
                assert_eq!(now, stored, "never half a series");
            }
        }
    }
}

#[tokio::test]
async fn older_response_revises_nothing_but_adds_rows() {
    let (server, mut config) = mock_fred(&["HOUST"]).await;
    config.force = true;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let all = months(1.0);
    write_rows(&store, "HOUST", &all[1..]);
    let older: Vec<(Date, f64)> = all[..20]
        .iter()
        .map(|(d, v)| (*d, v + 0.3 * f64::from(d.month() % 3)))
        .collect();
    respond(&server, "HOUST", fred_csv("HOUST", &older)).await;
    let report = run(&store, &config).await;
    assert!(report.is_complete(), "{report:?}");
    assert_eq!((report.written().added, report.written().revised), (1, 0));
    assert_eq!(values(&store, "HOUST")[1..], all[1..]);
    // The same answer with the newest month is a revision.
    let newer: Vec<(Date, f64)> = all
        .iter()
        .map(|(d, v)| (*d, v + 0.3 * f64::from(d.month() % 3)))
        .collect();
    server.reset().await;
    respond(&server, "HOUST", fred_csv("HOUST", &newer)).await;
    let report = run(&store, &config).await;
    assert!(report.written().revised > 10, "{report:?}");
}

#[tokio::test]
async fn second_equal_response_confirms_a_source() {
    use econoscope_core::recipe::{FormatEvidence, Recipes};
    let (server, mut config) = agencies(&["FHFAPOQ"]).await;
    let mut recipes = Recipes::embedded().recipes.clone();
    recipes.retain(|recipe| recipe.source.id == "fhfa");
    recipes[0].feeds[0].evidence = FormatEvidence::Memory;
    config.sources.recipes = Arc::new(Recipes { recipes });
    config.sources.no_fred = true;
    config.force = true;
    let file = |newest: f64| {
        let quarter = |n: i32| {
            let value = if n == 11 {
                newest
            } else {
                400.0 + f64::from(n * n) / 5.0
            };
            let year = 2024 + n / 4;
            let quarter = n % 4 + 1;
            format!(
                "traditional,purchase-only,quarterly,USA or Census Division,United States,USA,{year},{quarter},{value},{value}\n"
            )
        };
        let rows: String = (0..12).map(quarter).collect();
        csv(&format!(
            "hpi_type,hpi_flavor,frequency,level,place_name,place_id,yr,period,index_nsa,index_sa\n{rows}"
        ))
    };
    mount(&server, "hpi_master", 1, file(430.0)).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    for _ in 0..2 {
        let report = run(&store, &config).await;
        let message = failure(&report, "FHFAPOQ").to_string();
        assert!(
            message.contains("no stored figure can confirm it"),
            "{message}"
        );
    }
    config.clock = Some(next_noon);
    let report = run(&store, &config).await;
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(values(&store, "FHFAPOQ").len(), 12);
    // An operator can accept it at once.
    config.clock = Some(noon);
    config.accept = vec!["fhfa".to_owned()];
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(values(&store, "FHFAPOQ").len(), 12);
}

#[tokio::test]
async fn slow_host_delays_only_its_own_series() {
    let (server, mut config) = agencies(&["DGS10", "DGS2", "NFCI", "UNRATE"]).await;
    config.sources.no_fred = true;
    super::agencies::treasury(&server).await;
    let (slow_url, requests) = slow_host().await;
    config
        .sources
        .addresses
        .insert("chicago_fed".to_owned(), slow_url);
    config.sources.timeouts.all_tries = Duration::from_millis(1_500);
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    let message = failure(&report, "NFCI").to_string();
    assert!(message.contains("did not respond within 1 s"), "{message}");
    assert_eq!(
        requests.load(Ordering::SeqCst),
        1,
        "it is left alone for the rest of the run"
    );
    assert_eq!(values(&store, "DGS10").len(), 5);
    assert!(report.read_count() >= 2, "{report:?}");
}

/// Starts a host that sends a byte every half second without end. Returns its URL and the number of its requests.
async fn slow_host() -> (url::Url, Arc<AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let home = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                let head =
                    "HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\ncontent-length: 100000\r\n\r\n";
                let mut next = head.as_bytes();
                while stream.write_all(next).await.is_ok() {
                    next = b"x";
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
            });
        }
    });
    (url::Url::parse(&home).unwrap(), requests)
}

/// A release of industrial production on a base, with an annual revision of its last year.
fn g17(base: i16, rows: &[(Date, f64)]) -> ResponseTemplate {
    let row = |(day, value): &(Date, f64)| {
        let end = day.last_of_month();
        format!(r#"<frb:Obs OBS_STATUS="A" OBS_VALUE="{value:.4}" TIME_PERIOD="{end}"/>"#)
    };
    let observations: String = rows.iter().map(row).collect();
    // No sample of the second one exists; the factor confirms it.
    let series = ["IP.B50001.S", "IP.GMF.S"].map(|name| {
        format!(r#"<kf:Series SERIES_NAME="{name}" UNIT="Index:_{base}_100" UNIT_MULT="1">{observations}</kf:Series>"#)
    });
    let xml = format!(
        r#"<m:G xmlns:m="m" xmlns:frb="f" xmlns:kf="k"><frb:DataSet id="IP">{}</frb:DataSet></m:G>"#,
        series.concat()
    );
    ResponseTemplate::new(200).set_body_bytes(zip_file("G17_data.xml", xml.as_bytes()))
}

/// The months before October 2026 on the new base, the last eight of them revised.
fn revised() -> Vec<(Date, f64)> {
    let mut rows = months(0.974);
    for (n, row) in rows.iter_mut().skip(16).enumerate() {
        row.1 += 0.1 * f64::from(u8::try_from(n).unwrap());
    }
    rows
}

#[tokio::test]
async fn stated_base_is_taken_with_its_unit() {
    let (server, mut config) = agencies(&["INDPRO", "IPMAN"]).await;
    config.sources.no_fred = true;
    config.force = true;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    write_rows(&store, "INDPRO", &months(1.0));
    write_rows(&store, "IPMAN", &months(1.0));
    let stored = values(&store, "INDPRO");
    // A part is refused, whether its start or its end is missing.
    let whole = revised();
    for (priority, part, reach) in [
        (4, &whole[2..], "another base and lacks"),
        (
            3,
            &whole[..whole.len() - 1],
            "another base and lacks 1 of the stored dates",
        ),
    ] {
        mount(&server, "FRB_g17", priority, g17(2022, part)).await;
        let report = run(&store, &config).await;
        let message = failure(&report, "INDPRO").to_string();
        assert!(message.contains(reach), "{message}");
        assert_eq!(values(&store, "INDPRO"), stored);
        assert_eq!(store.note(BASES).unwrap(), None);
    }
    mount(&server, "FRB_g17", 2, g17(2022, &revised())).await;
    let report = run(&store, &config).await;
    assert!(report.is_complete(), "{report:?}");
    assert!((values(&store, "INDPRO")[0].1 - 97.4).abs() < 1e-9);
    let vintages = store.read(&id("INDPRO")).unwrap().unwrap();
    let before = vintages.as_of(date(2026, 10, 1), |day| day);
    assert_eq!(before[0].value, 100.0);
    // The stored base is not new.
    let notes = store.note(BASES).unwrap();
    let note = notes.as_deref().unwrap();
    assert!(
        note.contains(r#""INDPRO":[["2026-11-21","Index 2022=100"]]"#),
        "{note}"
    );
    let report = run(&store, &config).await;
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(report.written().revised, 0);
    assert_eq!(store.note(BASES).unwrap(), notes);
}
