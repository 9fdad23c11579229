//! Responses that are refused: partial ones, other statuses, figures in another unit.

use super::agencies::{agencies, mount};
use super::*;

const STORED: [(Date, f64); 2] = [(date(2026, 9, 1), 4.1), (date(2026, 10, 1), 4.2)];

async fn sync_response(template: ResponseTemplate) -> (String, Vec<(Date, f64)>) {
    let (server, config) = mock_fred(&["UNRATE"]).await;
    respond(&server, "UNRATE", template).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    write_rows(&store, "UNRATE", &STORED);
    let report = run(&store, &config).await;
    let failed = report.failures().next();
    let message = failed.map_or_else(String::new, |(_, error)| error.to_string());
    (message, values(&store, "UNRATE"))
}

#[tokio::test]
async fn only_status_200_is_accepted() {
    let body = "observation_date,UNRATE\n2026-11-01,4.3\n";
    for status in [201, 202, 203, 204, 205, 206, 226, 299, 304, 418] {
        let template =
            ResponseTemplate::new(status).set_body_raw(body.as_bytes().to_vec(), "text/csv");
        let (message, stored) = sync_response(template).await;
        assert!(
            message.contains(&format!("HTTP {status}")),
            "{status}: {message}"
        );
        assert_eq!(stored, STORED, "{status}");
    }
    let (message, stored) = sync_response(csv(body)).await;
    assert_eq!((message.as_str(), stored.len()), ("", 3));
}

#[tokio::test]
async fn figure_in_another_unit_is_refused() {
    for wrong in ["1e308", "-1e308", "430", "0.042"] {
        let body = format!("observation_date,UNRATE\n2026-10-01,4.2\n2026-11-01,{wrong}\n");
        let (message, stored) = sync_response(csv(&body)).await;
        assert!(
            message.contains("UNRATE")
                && message.contains("not accepted")
                && message.contains("2026-11-01"),
            "{message}"
        );
        assert_eq!(stored, STORED, "{wrong}");
    }
}

#[tokio::test]
async fn figures_dated_after_today_are_refused() {
    let body =
        "observation_date,UNRATE\n2026-11-01,4.3\n2026-11-22,9\n2026-11-23,9\n2036-01-01,9\n";
    let (message, stored) = sync_response(csv(body)).await;
    let new = [(date(2026, 11, 1), 4.3)];
    assert_eq!(
        (message.as_str(), stored),
        ("", [&STORED[..], &new].concat())
    );
}

#[tokio::test]
async fn error_explains_what_to_do() {
    let figures = "DATE,OPEN,HIGH,LOW,CLOSE\n11/20/2026,20.1,21.0,19.5,20.5\n";
    let moved = ResponseTemplate::new(301)
        .insert_header("location", "https://elsewhere.example/vix.csv?key=secret");
    let cases = [
        (
            moved,
            "moved to https://elsewhere.example/vix.csv (HTTP 301); a recipe of your own",
        ),
        (
            ResponseTemplate::new(410),
            "nothing at its address any more (HTTP 410); a newer version",
        ),
        (
            csv(figures).insert_header("content-encoding", "gzip"),
            "not compressed as it says",
        ),
        (
            csv(&figures.replace("20.5", "unavail")),
            "\"unavail\" for 2026-11-20 is not a number; if it marks",
        ),
        (csv(&figures.replace("CLOSE", "LAST")), "CLOSE"),
    ];
    for (template, expected) in cases {
        let (server, mut config) = agencies(&["VIXCLS"]).await;
        config.sources.no_fred = true;
        mount(&server, "VIX_History", 1, template).await;
        let store = Arc::new(Sqlite::in_memory().unwrap());
        write_rows(&store, "VIXCLS", &STORED);
        let report = run(&store, &config).await;
        let message: String = report
            .failures()
            .map(|(_, error)| error.operator_message())
            .collect();
        assert!(message.contains(expected), "{expected}: {message}");
        assert!(
            message.contains("Cboe Global Markets") && !message.contains("secret"),
            "{message}"
        );
        assert_eq!(values(&store, "VIXCLS"), STORED);
    }
}
