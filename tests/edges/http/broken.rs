//! Tests of a store that breaks under a running server: `/ready` fails, errors have a retry time and no path, and a
//! repaired store is read without a restart.

use super::everything::addresses;
use super::support::{BASE, get, mcp_service, options, request, send, tool_call};
use axum::Router;
use axum::http::StatusCode;
use econoscope::server::{HttpServer, Shutdown};
use econoscope_answers::Backend;
use econoscope_data::store::Sqlite;
use econoscope_desk::{Desk, Settings};
use serde_json::json;
use std::fs;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A word in the store's path that no response may have.
const SECRET: &str = "where-it-lies";

struct BreakableServer {
    _folder: tempfile::TempDir,
    store: PathBuf,
    backup: PathBuf,
    router: Router,
}

/// Creates a server over a file with the bundled history, and a backup of it.
fn breakable_server() -> BreakableServer {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join(SECRET);
    let store = home.join("econoscope.db");
    let backup = home.join("backup.db");
    {
        let file = Sqlite::open(&store).unwrap();
        file.start_from_bundle().unwrap();
        file.backup(&backup).unwrap();
    }
    let desk = Desk::open(
        Arc::new(Sqlite::open(&store).unwrap()),
        Settings {
            base_url: Some(BASE.into()),
            ..Settings::default()
        },
        Desk::system_clock(),
    );
    let backend = Arc::new(Backend::local(Arc::new(desk)));
    let mcp = mcp_service(&backend, &Shutdown::default());
    BreakableServer {
        _folder: folder,
        store,
        backup,
        router: HttpServer::new(backend, options()).router(mcp),
    }
}

/// Waits longer than `/ready` caches its outcome.
async fn wait_for_probe() {
    tokio::time::sleep(Duration::from_millis(600)).await;
}

/// Requests every kind of path and checks each response for the secret word.
async fn statuses(router: &Router) -> Vec<(String, StatusCode)> {
    let mut all = Vec::new();
    for path in addresses() {
        let reply = get(router, &path).await;
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        assert!(!text.contains(SECRET), "{path}: {text}");
        assert_ne!(
            reply.status,
            StatusCode::INTERNAL_SERVER_ERROR,
            "{path}: {text}"
        );
        if reply.status == StatusCode::SERVICE_UNAVAILABLE {
            assert_eq!(reply.header("retry-after"), "10", "{path}");
        }
        all.push((path, reply.status));
    }
    all
}

async fn mcp_responses(router: &Router) -> String {
    let call = tool_call("get_regime", &json!({"as_of": "2021-03-04"}), &[]);
    let read = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read",
        "params": {"uri": "macro://series/UNRATE"}});
    let headers = [
        ("host", "localhost"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-06-18"),
    ];
    let read = request("POST", "/mcp", &headers, &read.to_string());
    let mut bodies = String::new();
    for message in [call, read] {
        let reply = send(router, message).await;
        bodies.push_str(&String::from_utf8_lossy(&reply.body));
    }
    bodies
}

fn overwrite_pages(path: &Path) {
    let length = fs::metadata(path).unwrap().len();
    let mut file = fs::File::options().write(true).open(path).unwrap();
    file.seek(std::io::SeekFrom::Start(4_096)).unwrap();
    let bytes = vec![0x5A; usize::try_from(length).unwrap() - 4_096];
    file.write_all(&bytes).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_store_is_reported_without_its_path_until_repaired() {
    type Break = (&'static str, fn(&BreakableServer));
    let breaks: [Break; 3] = [
        ("damaged in place", |h| overwrite_pages(&h.store)),
        ("deleted", |h| fs::remove_file(&h.store).unwrap()),
        ("another kind of file", |h| {
            let other = h.store.with_file_name("other");
            fs::write(&other, "a letter to nobody").unwrap();
            fs::rename(other, &h.store).unwrap();
        }),
    ];
    for (how, broken) in breaks {
        let house = breakable_server();
        let router = &house.router;
        assert_eq!(get(router, "/ready").await.status, StatusCode::OK, "{how}");
        assert_eq!(
            get(router, "/api/public/metrics/DGS10").await.status,
            StatusCode::OK,
            "{how}"
        );
        broken(&house);
        wait_for_probe().await;

        let ready = get(router, "/ready").await;
        let unavailable = StatusCode::SERVICE_UNAVAILABLE;
        assert_eq!(ready.status, unavailable, "{how}: {}", ready.text());
        assert!(!ready.text().contains(SECRET), "{how}: {}", ready.text());
        assert_eq!(ready.header("retry-after"), "10", "{how}");
        assert_eq!(get(router, "/health").await.status, StatusCode::OK, "{how}");
        let all = statuses(router).await;
        let series = |(path, status): &(String, StatusCode)| {
            path.starts_with("/api/public/data/") && *status == unavailable
        };
        assert!(all.iter().any(series), "{how}: {all:?}");
        let bodies = mcp_responses(router).await;
        assert!(!bodies.contains(SECRET), "{how}: {bodies}");
        assert!(bodies.contains("Try again in 10 s"), "{how}: {bodies}");

        fs::rename(&house.backup, &house.store).unwrap();
        wait_for_probe().await;
        assert_eq!(get(router, "/ready").await.status, StatusCode::OK, "{how}");
        let healed = statuses(router).await;
        assert!(
            healed.iter().all(|(_, s)| *s == StatusCode::OK),
            "{how}: {healed:?}"
        );
        assert!(!mcp_responses(router).await.contains("Try again"), "{how}");
    }
}
