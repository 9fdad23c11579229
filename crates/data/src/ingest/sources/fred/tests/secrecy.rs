//! The key is seen nowhere.

use super::*;
use crate::ingest::testing::Shared;

/// Everything that is logged, at the finest level, while failures of every kind happen.
#[tokio::test]
async fn the_key_is_in_no_error_no_log_and_no_debug_output() {
    let log = Shared::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let cut = says(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{", 1).await;
    let echo = object!({"error_code": 400, "error_message": format!("no {CANARY}")});
    let odd = object!({"count": CANARY});
    let mut seen = String::new();
    for answer in [
        json(400, &echo),
        json(400, &unregistered()),
        json(200, &odd),
        page(200),
        ResponseTemplate::new(500),
    ] {
        let server = always(answer).await;
        let error = fetch(&server, true).await.unwrap_err();
        seen.push_str(&format!("{error} {error:?} "));
        seen.push_str(&format!("{:#}", anyhow::Error::from(error)));
    }
    for address in [cut.as_str(), "http://127.0.0.1:1"] {
        let settings = sources_at(address, true);
        let error = Client::at(address, true).figures(None).await.unwrap_err();
        seen.push_str(&format!("{error} {error:?} {settings:?} "));
        seen.push_str(&format!("{:#}", anyhow::Error::from(error)));
    }
    drop(guard);
    let logged = log.text();
    assert!(logged.contains("trying again"), "the log was caught");
    assert!(
        !seen.contains("canary") && !logged.contains("canary"),
        "{seen}"
    );
}
