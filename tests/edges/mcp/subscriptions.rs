//! Whoever listens to a series hears of a write, and only of what was subscribed to.

use super::client::{Client, with_meta};
use crate::home::{backend, write};
use econoscope::mcp::Server;
use econoscope::store::{Memory, Store};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn a_write_is_heard_by_those_who_listen_to_it() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    write(store.as_ref(), "DGS10", &[4.0, 4.1]);
    write(store.as_ref(), "DGS2", &[3.0]);
    let mut client = Client::open(Server::new(backend(Arc::clone(&store))));
    let wanted = [
        "macro://metric/DGS10",
        "macro://series/10y",
        "macro://series/NOSUCH",
        "file:///x",
    ];
    let listen = client
        .ask(
            "subscriptions/listen",
            with_meta(json!({ "notifications": {
                "resourceSubscriptions": wanted, "toolsListChanged": true } })),
        )
        .await;
    let ack = client.notification().await;
    assert_eq!(ack["method"], "notifications/subscriptions/acknowledged");
    let granted = &ack["params"]["notifications"];
    assert_eq!(
        granted,
        &json!({ "resourceSubscriptions": ["macro://metric/DGS10", "macro://series/10y"] })
    );
    // A change right after the grant, before the first beat, is not lost.
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.2]);
    let mut heard = Vec::new();
    for _ in 0..2 {
        let news = client.notification().await;
        assert_eq!(news["method"], "notifications/resources/updated", "{news}");
        let tag = &news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(tag, &json!(listen));
        heard.push(news["params"]["uri"].as_str().unwrap().to_owned());
    }
    heard.sort();
    assert_eq!(heard, ["macro://metric/DGS10", "macro://series/10y"]);
    // Another series, and the same figures again, are no news.
    write(store.as_ref(), "DGS2", &[3.0, 3.1]);
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.2]);
    assert!(client.is_quiet(Duration::from_millis(2_500)).await);
    // A later change is.
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.3]);
    let news = client.notification().await;
    assert_eq!(news["method"], "notifications/resources/updated");
}
