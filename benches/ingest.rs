//! A full sync against a stand-in for FRED on loopback: what it costs us, by CPU time.
//!
//! Fifty daily series of 16,000 figures each come as JSON pages, uncompressed, at no pace at all. The stand-in
//! runs on threads of its own, whose CPU time is taken off that of the process. `cargo bench --bench ingest`
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a bench that cannot start has failed, and printing is its purpose"
)]

use econoscope_core::catalogue::Catalogue;
use econoscope_core::model::frequency::{day_from_number, day_number};
use econoscope_core::model::{Frequency, Observation, SeriesId};
use econoscope_data::ingest::{PaceSettings, Progress, SourceSettings, SyncConfig, sync};
use econoscope_data::store::{Sqlite, Store, Write};
use jiff::Timestamp;
use jiff::civil::{Weekday, date};
use rustix::time::{ClockId, clock_gettime};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const SERIES: usize = 50;
const ROWS: usize = 16_000;
/// CPU time of the stand-in so far, in nanoseconds.
static STAND_IN: AtomicU64 = AtomicU64::new(0);

fn main() {
    let ids = ids();
    let rows = rows();
    let address = stand_in(&rows);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(Sqlite::open(&folder.path().join("x.db")).unwrap());
    let all = ids.len() * rows.len();
    println!("{} series, {all} figures", ids.len());

    let write = |rows: &[Observation]| {
        for id in &ids {
            let write = Write {
                id,
                observations: rows,
                known_from: None,
                fetched_at: Timestamp::UNIX_EPOCH,
                origin: "fred",
            };
            store.write(write).unwrap();
        }
    };
    tell("store, new", all, || write(&rows));
    tell("compare, nothing new", all, || write(&rows));
    let mut more = rows.clone();
    more.last_mut().unwrap().value += 1.0;
    tell("compare, one revised each", all, || write(&more));

    let whole = |what: &str, store: &Arc<dyn Store>| {
        let config = SyncConfig {
            sources: settings(&address),
            only: Some(ids.clone()),
            force: true,
            ..SyncConfig::default()
        };
        tell(what, all, || {
            let mut silent = Progress::quiet();
            let done = sync(
                store.as_ref(),
                &config,
                CancellationToken::new(),
                &mut silent,
            );
            let report = runtime.block_on(done).unwrap();
            assert_eq!(report.read_count(), ids.len(), "{}", report.summary());
        });
    };
    let empty = folder.path().join("y.db");
    let store: Arc<dyn Store> = Arc::new(Sqlite::open(&empty).unwrap());
    whole("sync into an empty store", &store);
    whole("sync again, all of it", &store);
}

fn ids() -> Vec<SeriesId> {
    Catalogue::embedded()
        .iter()
        .filter(|info| info.frequency == Frequency::Daily && !info.is_composite())
        .map(|info| info.id.clone())
        .take(SERIES)
        .collect()
}

fn settings(address: &str) -> SourceSettings {
    SourceSettings {
        addresses: [("fred api".to_owned(), address.parse().unwrap())].into(),
        key: Some("k".repeat(32).as_str().into()),
        pace: Some(PaceSettings {
            interval: Duration::ZERO,
            ..PaceSettings::API
        }),
        ..SourceSettings::default()
    }
}

/// Runs `work` and prints its CPU time, without the stand-in's.
fn tell(what: &str, figures: usize, mut work: impl FnMut()) {
    let ours =
        || clock(ClockId::ProcessCPUTime) - Duration::from_nanos(STAND_IN.load(Ordering::SeqCst));
    let start = ours();
    work();
    let took = (ours() - start).as_secs_f64() * 1000.0;
    let each = took * 10_000.0 / figures as f64;
    println!("{what:28} {took:8.1} ms CPU, {each:.2} ms per 10,000 figures");
}

fn clock(which: ClockId) -> Duration {
    let time = clock_gettime(which);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap(),
    )
}

/// Weekdays with figures of two decimals, as yields have them.
fn rows() -> Vec<Observation> {
    let last = day_number(date(2026, 11, 20));
    let days = (0..last).filter_map(|n| day_from_number(last - n));
    let mut rows: Vec<Observation> = days
        .filter(|d| !matches!(d.weekday(), Weekday::Saturday | Weekday::Sunday))
        .take(ROWS)
        .zip(0u32..)
        .map(|(day, n)| Observation::new(day, f64::from(n * 7_919 % 1_500) / 100.0))
        .collect();
    rows.reverse();
    rows
}

/// A server that gives every request the same page, as FRED writes it.
fn stand_in(rows: &[Observation]) -> String {
    let mut page = format!(
        "{{\"realtime_start\":\"2026-11-21\",\"realtime_end\":\"2026-11-21\",\"count\":{},\"observations\":[",
        rows.len()
    );
    for (n, row) in rows.iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(
            page,
            "{comma}{{\"realtime_start\":\"2026-11-21\",\"realtime_end\":\"2026-11-21\",\"date\":\"{}\",\"value\":\"{}\"}}",
            row.date, row.value
        );
    }
    page.push_str("]}");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let shared: Arc<str> = page.into();
        for socket in listener.incoming().map(Result::unwrap) {
            let body = Arc::clone(&shared);
            // A client that is done keeps its connection; the next one opens its own.
            std::thread::spawn(move || serve(socket, body.as_bytes()));
        }
    });
    address
}

fn serve(mut socket: TcpStream, page: &[u8]) {
    let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
    let mut told = 0;
    loop {
        let asked = lines
            .by_ref()
            .map_while(Result::ok)
            .take_while(|l| !l.is_empty());
        if asked.count() == 0 {
            return;
        }
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            page.len()
        );
        if socket
            .write_all(head.as_bytes())
            .and_then(|()| socket.write_all(page))
            .is_err()
        {
            return;
        }
        let now = u64::try_from(clock(ClockId::ThreadCPUTime).as_nanos()).unwrap();
        STAND_IN.fetch_add(now - told, Ordering::SeqCst);
        told = now;
    }
}
