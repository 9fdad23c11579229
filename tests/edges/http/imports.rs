//! Tests that readers see an import whole or not at all, and never older figures after newer ones.

use super::support::{get, unlimited_router_over};
use crate::home;
use axum::Router;
use econoscope_data::ingest::{Progress, import};
use econoscope_data::store::Sqlite;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of imports.
const IMPORTS: u32 = 60;
/// Servers with imports at once, on the busy machine.
const COPIES: usize = 6;

/// Two series that are always equal, the first and the last of many. Returns their newest figure.
fn write_files(folder: &Path, newest: u32) {
    for name in ["TWINA", "TWINZ"] {
        let text = format!("date,value\n2026-08-03,1.5\n2026-08-20,{newest}\n");
        std::fs::write(folder.join(format!("{name}.csv")), text).unwrap();
    }
    for n in 0..30 {
        let text = format!("date,value\n2026-08-20,{newest}.{n:02}\n");
        std::fs::write(folder.join(format!("TWINM{n}.csv")), text).unwrap();
    }
}

async fn newest_figure(router: &Router, series: &str) -> f64 {
    let path = format!("/api/public/data/{series}?start=max");
    let answer = get(router, &path).await.json();
    answer["data"][1]["value"].as_f64().unwrap()
}

/// Reads until the imports are done. Returns how many answers differed, and how many were older than one before.
async fn watch_imports(router: Router, is_done: &AtomicBool) -> (u32, u32, u32) {
    let mut answers = 0;
    let mut differed = 0;
    let mut went_back = 0;
    let mut seen = 0.0;
    while !is_done.load(Ordering::Relaxed) {
        let path = "/api/public/compare?series=TWINA,TWINZ&start=2026-08-01";
        let both = get(&router, path).await.json();
        let [a, z] = [0, 1].map(|n| both["columns"][n]["latest"].as_f64().unwrap());
        differed += u32::from(a != z);
        let [first, second] = if answers % 2 == 0 {
            ["TWINZ", "TWINA"]
        } else {
            ["TWINA", "TWINZ"]
        };
        for value in [
            a.max(z),
            newest_figure(&router, first).await,
            newest_figure(&router, second).await,
        ] {
            went_back += u32::from(value < seen);
            seen = seen.max(value);
        }
        answers += 1;
    }
    (answers, differed, went_back)
}

/// Imports one after the other while a reader asks all the time.
async fn import_while_watched() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("figures");
    let file = dir.path().join("econoscope.db");
    std::fs::create_dir(&folder).unwrap();
    write_files(&folder, 1);
    let served = Arc::new(Sqlite::open(&file).unwrap());
    import(served.as_ref(), &folder, &mut Progress::quiet()).unwrap();
    let router = unlimited_router_over(home::backend(served.clone()));
    let is_done = Arc::new(AtomicBool::new(false));
    let watched = Arc::clone(&is_done);
    let watcher = tokio::spawn(async move { watch_imports(router, &watched).await });
    let importer = tokio::task::spawn_blocking(move || {
        // Imports by another process, and by the server itself.
        let other = Sqlite::open_existing(&file).unwrap();
        for n in 2..2 + IMPORTS {
            write_files(&folder, n);
            let store = if n % 2 == 0 { &other } else { served.as_ref() };
            import(store, &folder, &mut Progress::quiet()).unwrap();
        }
    });
    importer.await.unwrap();
    is_done.store(true, Ordering::Relaxed);
    let (answers, differed, went_back) = watcher.await.unwrap();
    assert!(answers > 0);
    assert_eq!((differed, went_back), (0, 0), "of {answers} answers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_is_visible_as_one_change() {
    import_while_watched().await;
}

/// Each answer takes so long that imports end during every attempt to compute it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_is_visible_as_one_change_on_a_busy_machine() {
    let copies = (0..COPIES).map(|_| tokio::spawn(import_while_watched()));
    for copy in copies.collect::<Vec<_>>() {
        copy.await.unwrap();
    }
}
