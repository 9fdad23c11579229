//! The key is seen nowhere.

use super::*;

/// Everything that is logged, at the finest level, while failures of every kind happen.
#[tokio::test]
async fn the_key_is_in_no_error_no_log_and_no_debug_output() {
    #[derive(Clone, Default)]
    struct Log(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);
    impl std::io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let log = Log::default();
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
        let fred = Fred::new(fred_at(address, true)).unwrap();
        let error = fred.observations(&id(), None, today()).await.unwrap_err();
        seen.push_str(&format!("{error} {error:?} {fred:?} "));
        seen.push_str(&format!("{:#}", anyhow::Error::from(error)));
    }
    drop(guard);
    let logged = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(logged.contains("trying again"), "the log was caught");
    assert!(
        !seen.contains("canary") && !logged.contains("canary"),
        "{seen}"
    );
}
