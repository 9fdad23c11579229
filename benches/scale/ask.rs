//! Questions to the store in this process, by CPU time, and to a server over it, by the clock on the wall.

use super::make::{LONG, county, cpu, name};
use econoscope_core::model::SeriesId;
use econoscope_data::store::{Sqlite, Store};
use econoscope_desk::{Desk, Settings};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const QUERIES: [&str; 6] = [
    "unemployment rate texas",
    "house price index",
    "in county",
    "real gross domestic product ohio",
    "popul",
    "unemploymnt rte",
];

fn any(n: u32, series: u32) -> String {
    name(n.wrapping_mul(2_654_435_761) % series)
}

/// Reads and searches without a server.
pub(crate) fn in_process(path: &Path, series: u32) {
    let store: Arc<dyn Store> = Arc::new(Sqlite::open(path).unwrap());
    let id = |name: String| SeriesId::new(&name).unwrap();
    let read = |name: String| store.read(&id(name)).unwrap().unwrap().rows().len();
    times("store, 625 rows", 5_000, cpu, |n| read(any(n, series)));
    times("store, 5,000 rows", 1_000, cpu, |n| {
        read(format!("LONG{}", n % LONG))
    });
    let desk = Desk::open(
        Arc::clone(&store),
        Settings::default(),
        Desk::system_clock(),
    );
    for query in QUERIES {
        let found = desk.find_series(query, None, 50).unwrap().1;
        times(&format!("search \"{query}\" ({found})"), 50, cpu, |_| {
            desk.find_series(query, None, 50).unwrap().1
        });
    }
    times("search \"rate in <county>\"", 200, cpu, |n| {
        desk.find_series(&format!("rate {}", county(n)), None, 50)
            .unwrap()
            .1
    });
}

/// The same from outside.
pub(crate) fn over_http(path: &Path, series: u32) {
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let first = format!("/api/public/data/{}", any(7, series));
    let starts = (0..5).map(|_| start(path, &free.to_string(), &first).1);
    let best = starts.min().unwrap();
    println!(
        "  start to first answer       best of 5 {:.1} ms",
        best.as_secs_f64() * 1e3
    );
    let (running, _) = start(path, &free.to_string(), &first);
    let server = &running.0;
    println!("  resident after one answer   {}", resident(server));
    let clock =
        || Duration::from_nanos(u64::try_from(BORN.with(Instant::elapsed).as_nanos()).unwrap());
    let mut socket = TcpStream::connect(free).unwrap();
    let mut get = |path: &str| {
        let bytes = get(&mut socket, path).unwrap();
        assert!(bytes > 200, "{path}");
        bytes
    };
    let served = |what: &str, runs: u32, work: &mut dyn FnMut(u32) -> usize| {
        let spent = used(server);
        times(what, runs, clock, work);
        let each = (used(server) - spent) * 1e6 / f64::from(runs);
        println!("    server CPU {each:.0} us each");
    };
    served("HTTP, one row", 5_000, &mut |n| {
        get(&format!(
            "/api/public/data/{}?start=2024-09-01",
            any(n, series)
        ))
    });
    served("HTTP, 5,000 rows", 1_000, &mut |n| {
        // Another first day each time, so that no rendered answer is given twice.
        get(&format!(
            "/api/public/data/LONG{}?start={}-01-01",
            n % LONG,
            1800 + n / LONG
        ))
    });
    served("HTTP, search", 500, &mut |n| {
        get(&format!(
            "/api/public/series/search?limit=10&query=rate%20{}",
            county(n)
        ))
    });
    println!("  resident at the end         {}", resident(server));
}

thread_local! {
    static BORN: Instant = Instant::now();
}

/// Starts the server and waits for its first answer.
fn start(store: &Path, address: &str, path: &str) -> (Server, Duration) {
    let begin = Instant::now();
    let child = Command::new(env!("CARGO_BIN_EXE_econoscope"))
        .arg("--store")
        .arg(store)
        .args(["serve", "--no-sync", "--listen", address])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let server = Server(child);
    while begin.elapsed() < Duration::from_secs(60) {
        if let Ok(mut socket) = TcpStream::connect(address)
            && get(&mut socket, path).is_ok_and(|bytes| bytes > 200)
        {
            return (server, begin.elapsed());
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    panic!("no answer within a minute");
}

/// A server that is stopped when it is forgotten.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Bytes of the body; the connection is kept.
fn get(socket: &mut TcpStream, path: &str) -> std::io::Result<usize> {
    // In one piece: several would each wait for the other side's word.
    let request = format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
    socket.write_all(request.as_bytes())?;
    let mut seen = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        let came = socket.read(&mut piece)?;
        if came == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        seen.extend_from_slice(piece.get(..came).unwrap_or_default());
        let Some(head) = seen.windows(4).position(|w| w == b"\r\n\r\n") else {
            continue;
        };
        let text =
            String::from_utf8_lossy(seen.get(..head).unwrap_or_default()).to_ascii_lowercase();
        assert!(text.starts_with("http/1.1 200"), "{path}: {text}");
        let length: usize = text
            .lines()
            .find_map(|l| l.strip_prefix("content-length: "))
            .unwrap()
            .parse()
            .unwrap();
        if seen.len() >= head + 4 + length {
            return Ok(length);
        }
    }
}

/// Runs `work` so often and prints median and 99th percentile of the time each took.
fn times<T>(what: &str, runs: u32, clock: impl Fn() -> Duration, mut work: impl FnMut(u32) -> T) {
    let mut all: Vec<Duration> = (0..runs)
        .map(|n| {
            let start = clock();
            std::hint::black_box(work(n));
            clock().saturating_sub(start)
        })
        .collect();
    all.sort();
    let at = |share: usize| all.get(all.len() * share / 100).unwrap().as_secs_f64() * 1e6;
    println!(
        "  {what:40} median {:8.1} us, p99 {:8.1} us",
        at(50),
        at(99)
    );
}

fn resident(server: &Child) -> String {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let of = |key: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(key)).unwrap();
        line.split_whitespace()
            .next()
            .unwrap()
            .parse::<f64>()
            .unwrap()
            / 1024.0
    };
    format!(
        "{:.1} MiB ({:.1} of it its own)",
        of("VmRSS:"),
        of("RssAnon:")
    )
}

/// Seconds of CPU that a server has used.
fn used(server: &Child) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.id())).unwrap();
    let after = stat.rsplit_once(") ").unwrap().1;
    let ticks: Vec<f64> = after
        .split(' ')
        .skip(11)
        .take(2)
        .map(|n| n.parse().unwrap())
        .collect();
    ticks.iter().sum::<f64>() / 100.0
}
