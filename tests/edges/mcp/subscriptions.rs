//! Tests that listeners are notified of changes to what they subscribed to, and of nothing else.

use super::client::{Client, with_meta};
use crate::home::{backend, write};
use econoscope::mcp::Server;
use econoscope_data::store::{Sqlite, Store};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn a_write_is_announced_to_its_listeners() {
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    write(store.as_ref(), "DGS10", &[4.0, 4.1]);
    write(store.as_ref(), "DGS2", &[3.0]);
    let mut client = Client::open(Server::new(backend(Arc::clone(&store))));
    let uris = [
        "macro://metric/DGS10",
        "macro://series/10y",
        "macro://calendar",
        "macro://series/NOSUCH",
        "file:///x",
    ];
    let listen = client
        .send_request(
            "subscriptions/listen",
            with_meta(json!({ "notifications": {
                "resourceSubscriptions": uris, "toolsListChanged": true } })),
        )
        .await;
    let ack = client.notification().await;
    assert_eq!(ack["method"], "notifications/subscriptions/acknowledged");
    let granted = &ack["params"]["notifications"];
    assert_eq!(
        granted,
        &json!({ "resourceSubscriptions": ["macro://metric/DGS10", "macro://series/10y", "macro://calendar"] })
    );
    // A change right after the grant, before the first poll, is not lost.
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.2]);
    let mut announced = Vec::new();
    for _ in 0..3 {
        let notification = client.notification().await;
        assert_eq!(
            notification["method"], "notifications/resources/updated",
            "{notification}"
        );
        let tag = &notification["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(tag, &json!(listen));
        announced.push(notification["params"]["uri"].as_str().unwrap().to_owned());
    }
    announced.sort();
    assert_eq!(
        announced,
        [
            "macro://calendar",
            "macro://metric/DGS10",
            "macro://series/10y"
        ]
    );
    // A write of another series changes only the calendar, and equal figures change nothing.
    write(store.as_ref(), "DGS2", &[3.0, 3.1]);
    let notification = client.notification().await;
    assert_eq!(notification["params"]["uri"], "macro://calendar");
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.2]);
    assert!(client.is_quiet(Duration::from_millis(2_500)).await);
    // A later change is announced for both addresses and for the calendar.
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.3]);
    for _ in 0..3 {
        let notification = client.notification().await;
        assert_eq!(notification["method"], "notifications/resources/updated");
    }
}

/// Hosts of the revisions before 2026-07-28 subscribe to one address after the other on their connection.
#[tokio::test]
async fn a_host_of_an_earlier_revision_hears_of_changes() {
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    write(store.as_ref(), "DGS10", &[4.0, 4.1]);
    write(store.as_ref(), "DGS2", &[3.0]);
    let server = Server::new(backend(Arc::clone(&store)));
    let (mut client, hello) = Client::over_lines(server, "2025-11-25").await;
    assert_eq!(
        hello["result"]["capabilities"]["resources"]["subscribe"],
        true
    );
    let uri = |uri: &str| json!({ "uri": uri });
    for address in [
        "macro://metric/DGS10",
        "macro://metric/DGS10",
        "macro://formulas",
    ] {
        let answer = client.request("resources/subscribe", uri(address)).await;
        assert_eq!(answer["result"], json!({}), "{address}: {answer}");
    }
    for address in [
        "macro://series/NOSUCH",
        "file:///x",
        "macro://alert/NOSUCH%20%3C%200",
    ] {
        let answer = client.request("resources/subscribe", uri(address)).await;
        assert!(answer["error"]["code"].is_i64(), "{address}: {answer}");
    }
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.2]);
    let news = client.notification().await;
    let expected = json!({"jsonrpc": "2.0", "method": "notifications/resources/updated",
        "params": {"uri": "macro://metric/DGS10"}});
    assert_eq!(news, expected, "once, though it was asked for twice");
    write(store.as_ref(), "DGS2", &[3.0, 3.1]);
    assert!(client.is_quiet(Duration::from_millis(2_500)).await);
    for address in ["macro://metric/DGS10", "macro://metric/never"] {
        let answer = client.request("resources/unsubscribe", uri(address)).await;
        assert_eq!(answer["result"], json!({}), "{address}");
    }
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.3]);
    assert!(client.is_quiet(Duration::from_millis(2_500)).await);
}

#[tokio::test]
async fn a_change_wakes_only_its_listeners() {
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
        let params = json!({ "notifications": { "resourceSubscriptions": all } });
        client
            .send_request("subscriptions/listen", with_meta(params))
            .await;
        let ack = client.notification().await;
        let granted = &ack["params"]["notifications"]["resourceSubscriptions"];
        assert_eq!(granted.as_array().unwrap().len(), 64);
        clients.push(client);
    }
    // A topic that is first read after a write counts as changed, so each is read before it.
    assert!(clients[0].is_quiet(Duration::from_millis(2_500)).await);
    write(store.as_ref(), "OTHER", &[1.0, 2.0]);
    assert!(clients[0].is_quiet(Duration::from_millis(2_500)).await);
    write(store.as_ref(), "OWN7", &[1.0, 2.0]);
    for client in &mut clients {
        let notification = client.notification().await;
        assert_eq!(
            notification["params"]["uri"], "macro://series/OWN7",
            "{notification}"
        );
    }
    assert!(clients[19].is_quiet(Duration::from_millis(2_500)).await);
}

#[tokio::test]
async fn a_condition_is_announced_only_when_crossed() {
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    write(store.as_ref(), "DGS10", &[4.0, 4.1]);
    // All at once: a poll between two writes would count a change of its own.
    write(store.as_ref(), "DGS2", &[3.0; 7]);
    let mut client = Client::open(Server::new(backend(Arc::clone(&store))));
    let alert = "macro://alert/DGS10%20-%20DGS2%20%2F%202%20%3E%203";
    let uris = [
        alert,
        "macro://calendar",
        "macro://alert/DGS10",
        "macro://alert/NOSUCH%20%3E%203",
        "macro://alert/%3E%203",
    ];
    let params = json!({ "notifications": { "resourceSubscriptions": uris } });
    client
        .send_request("subscriptions/listen", with_meta(params))
        .await;
    let ack = client.notification().await;
    let granted = &ack["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(granted, &json!([alert, "macro://calendar"]));
    // The calendar changes at every write, which shows that a write was noticed.
    let mut announced = Vec::new();
    for (n, last) in [4.6, 4.7, 4.8, 4.4, 4.3].into_iter().enumerate() {
        let earlier = [4.0, 4.1, 4.6, 4.7, 4.8, 4.4];
        let rows: Vec<f64> = earlier.into_iter().take(n + 2).chain([last]).collect();
        write(store.as_ref(), "DGS10", &rows);
        // The first and the fourth figure change both.
        let is_crossing = n % 3 == 0;
        let mut received = Vec::new();
        while !received.contains(&"macro://calendar".to_owned())
            || (is_crossing && !received.contains(&alert.to_owned()))
        {
            let notification = client.notification().await;
            received.push(notification["params"]["uri"].as_str().unwrap().to_owned());
        }
        announced.extend(received);
    }
    assert_eq!(
        announced.iter().filter(|uri| *uri == alert).count(),
        2,
        "{announced:?}"
    );
    let read = client
        .result("resources/read", json!({ "uri": alert }))
        .await;
    let text = read["contents"][0]["text"].as_str().unwrap();
    let resource: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(
        (&resource["met"], &resource["since"]),
        (&json!(false), &json!("2026-08-06"))
    );
    assert_eq!(resource["lastCrossing"]["values"][0]["value"], 2.9);
    assert_eq!(resource["earlierCrossings"][0]["date"], "2026-08-03");
    assert_eq!(resource["crossings"], 2);
    for uri in [
        "macro://alert/DGS10",
        "macro://alert/NOSUCH%20%3E%203",
        "macro://alert/DGS30%20%3E%203",
    ] {
        let answer = client.modern("resources/read", json!({ "uri": uri })).await;
        assert!(answer["error"]["message"].is_string(), "{uri}: {answer}");
    }
}
