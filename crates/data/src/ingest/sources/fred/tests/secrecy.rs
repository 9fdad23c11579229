//! The key is output nowhere.

use super::*;
use crate::ingest::testing::SharedBuffer;

/// Collects errors and trace logs of failures of every kind.
#[tokio::test]
async fn key_appears_in_no_error_log_or_debug_output() {
    let log = SharedBuffer::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let cut = serve_bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{", 1).await;
    let echo = object!({"error_code": 400, "error_message": format!("no {CANARY}")});
    let odd = object!({"count": CANARY});
    let broken = item("2026-08-20", "2026-07-29", CANARY);
    let mut output = String::new();
    for response in [
        json(400, &echo),
        json(400, &unregistered()),
        json(200, &odd),
        json(200, &listing(1, &[broken])),
        page(200),
        ResponseTemplate::new(500),
    ] {
        let server = server_with(response).await;
        let error = fetch(&server, true).await.unwrap_err();
        output.push_str(&format!("{error} {error:?} "));
        output.push_str(&format!("{:#}", anyhow::Error::from(error)));
    }
    for address in [cut.as_str(), "http://127.0.0.1:1"] {
        let settings = sources_at(address, true);
        let error = Client::new(address, true).figures(None).await.unwrap_err();
        output.push_str(&format!("{error} {error:?} {settings:?} "));
        output.push_str(&format!("{:#}", anyhow::Error::from(error)));
    }
    drop(guard);
    let logged = log.text();
    assert!(logged.contains("retrying"), "the log was caught");
    assert!(
        !output.contains("canary") && !logged.contains("canary"),
        "{output}"
    );
}
