//! Whoever listens to a series hears of a write, and only of what was subscribed to.

use super::client::{Client, with_meta};
use crate::home::{backend, write};
use econoscope::mcp::Server;
use econoscope_data::store::{Sqlite, Store};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn a_write_is_heard_by_those_who_listen_to_it() {
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    write(store.as_ref(), "DGS10", &[4.0, 4.1]);
    write(store.as_ref(), "DGS2", &[3.0]);
    let mut client = Client::open(Server::new(backend(Arc::clone(&store))));
    let wanted = [
        "macro://metric/DGS10",
        "macro://series/10y",
        "macro://calendar",
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
        &json!({ "resourceSubscriptions": ["macro://metric/DGS10", "macro://series/10y", "macro://calendar"] })
    );
    // A change right after the grant, before the first beat, is not lost.
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.2]);
    let mut heard = Vec::new();
    for _ in 0..3 {
        let news = client.notification().await;
        assert_eq!(news["method"], "notifications/resources/updated", "{news}");
        let tag = &news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(tag, &json!(listen));
        heard.push(news["params"]["uri"].as_str().unwrap().to_owned());
    }
    heard.sort();
    assert_eq!(
        heard,
        [
            "macro://calendar",
            "macro://metric/DGS10",
            "macro://series/10y"
        ]
    );
    // Another series is news of the calendar alone, and the same figures again are none.
    write(store.as_ref(), "DGS2", &[3.0, 3.1]);
    let news = client.notification().await;
    assert_eq!(news["params"]["uri"], "macro://calendar");
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.2]);
    assert!(client.is_quiet(Duration::from_millis(2_500)).await);
    // A later change is, of both addresses and of the calendar.
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.3]);
    for _ in 0..3 {
        let news = client.notification().await;
        assert_eq!(news["method"], "notifications/resources/updated");
    }
}

#[tokio::test]
async fn a_change_wakes_those_alone_who_watch_it() {
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    for n in 0..64 {
        write(store.as_ref(), &format!("OWN{n}"), &[1.0]);
    }
    write(store.as_ref(), "OTHER", &[1.0]);
    let server = Server::new(backend(Arc::clone(&store)));
    let all: Vec<String> = (0..64).map(|n| format!("macro://series/OWN{n}")).collect();
    let mut clients = Vec::new();
    for _ in 0..20 {
        let mut client = Client::open(server.clone());
        let wish = json!({ "notifications": { "resourceSubscriptions": all } });
        client.ask("subscriptions/listen", with_meta(wish)).await;
        let ack = client.notification().await;
        let granted = &ack["params"]["notifications"]["resourceSubscriptions"];
        assert_eq!(granted.as_array().unwrap().len(), 64);
        clients.push(client);
    }
    write(store.as_ref(), "OTHER", &[1.0, 2.0]);
    assert!(clients[0].is_quiet(Duration::from_millis(2_500)).await);
    write(store.as_ref(), "OWN7", &[1.0, 2.0]);
    for client in &mut clients {
        let news = client.notification().await;
        assert_eq!(news["params"]["uri"], "macro://series/OWN7", "{news}");
    }
    assert!(clients[19].is_quiet(Duration::from_millis(2_500)).await);
}
