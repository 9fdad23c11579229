//! What the server counts about itself, in Prometheus' text form, on a listener of its own.
//!
//! Labels come from the routes and tables of this program, never from a request, so their number is fixed.

use crate::endpoints::Backend;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

/// Upper bounds of the time classes, in seconds.
const BOUNDS: [f64; 10] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0,
];

/// Answers of one route: how many of each status, and how long they took.
#[derive(Default)]
struct Answers {
    statuses: Mutex<BTreeMap<u16, u64>>,
    classes: [AtomicU64; BOUNDS.len()],
    count: AtomicU64,
    microseconds: AtomicU64,
}

/// Counters of one process.
#[derive(Default)]
pub struct Metrics {
    /// By the router's own patterns.
    routes: RwLock<BTreeMap<String, Answers>>,
    events: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    /// Requests being answered.
    pub(super) in_flight: AtomicI64,
    /// Connections open.
    pub(super) connections: AtomicI64,
    /// Connections taken since the start.
    pub(super) accepted: AtomicU64,
    /// Handlers that panicked.
    pub(super) panics: AtomicU64,
}

impl Answers {
    fn statuses(&self) -> MutexGuard<'_, BTreeMap<u16, u64>> {
        self.statuses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, status: u16, time: Duration) {
        *self.statuses().entry(status).or_default() += 1;
        let seconds = time.as_secs_f64();
        let class = BOUNDS.iter().position(|bound| seconds <= *bound);
        if let Some(count) = class.and_then(|class| self.classes.get(class)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.microseconds.fetch_add(micros, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts one answered request.
    pub(super) fn answered(&self, route: &str, status: u16, time: Duration) {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(answers) = routes.get(route) {
            return answers.add(status, time);
        }
        drop(routes);
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        routes
            .entry(route.to_owned())
            .or_default()
            .add(status, time);
    }

    /// Counts a refusal by a limit.
    pub(super) fn limited(&self, policy: &'static str) {
        self.event("rate_limited_total", policy);
    }

    /// Counts a call of a tool over `/mcp`.
    pub(super) fn called(&self, tool: &'static str) {
        self.event("mcp_tool_calls_total", tool);
    }

    /// Counts a connection that was closed, and why: `idle`, `slow_header`, `slow_reader`, `too_many` …
    pub(super) fn closed(&self, why: &'static str) {
        self.event("connections_closed_total", why);
    }

    fn event(&self, name: &'static str, label: &'static str) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        *events.entry((name, label)).or_default() += 1;
    }

    /// The page a scraper reads.
    pub(super) fn page(&self, backend: &Backend, addresses: usize, ready: bool) -> String {
        let mut out = String::with_capacity(8_192);
        self.write_requests(&mut out);
        self.write_events(&mut out);
        self.write_process(&mut out, addresses, ready);
        write_data(&mut out, backend);
        out
    }

    fn write_process(&self, out: &mut String, addresses: usize, ready: bool) {
        let number = |n: &AtomicI64| n.load(Ordering::Relaxed).to_string();
        let total = |n: &AtomicU64| n.load(Ordering::Relaxed).to_string();
        let memory = resident_bytes().map(|bytes| bytes.to_string());
        for (name, help, value) in [
            (
                "requests_in_flight",
                "Requests being answered.",
                Some(number(&self.in_flight)),
            ),
            (
                "connections",
                "Connections open.",
                Some(number(&self.connections)),
            ),
            (
                "connections_accepted_total",
                "Connections taken.",
                Some(total(&self.accepted)),
            ),
            (
                "panics_total",
                "Handlers that panicked.",
                Some(total(&self.panics)),
            ),
            (
                "limited_addresses",
                "Hashed addresses remembered.",
                Some(addresses.to_string()),
            ),
            (
                "ready",
                "1 while requests are wanted.",
                Some(u8::from(ready).to_string()),
            ),
            (
                "resident_memory_bytes",
                "Memory held by the process.",
                memory,
            ),
        ] {
            if let Some(value) = value {
                one(out, name, help, &value);
            }
        }
        let version = env!("CARGO_PKG_VERSION");
        let _ = write!(
            out,
            "# HELP econoscope_build_info Version.\n# TYPE econoscope_build_info gauge\n\
             econoscope_build_info{{version=\"{version}\"}} 1\n"
        );
    }

    fn write_requests(&self, out: &mut String) {
        out.push_str("# HELP econoscope_http_requests_total Requests answered.\n# TYPE econoscope_http_requests_total counter\n");
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        for (route, answers) in routes.iter() {
            for (status, count) in answers.statuses().iter() {
                let _ = writeln!(
                    out,
                    "econoscope_http_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"
                );
            }
        }
        out.push_str("# HELP econoscope_http_request_seconds Time to an answer.\n# TYPE econoscope_http_request_seconds histogram\n");
        for (route, times) in routes.iter() {
            let name = "econoscope_http_request_seconds";
            let mut below = 0;
            for (bound, count) in BOUNDS.iter().zip(&times.classes) {
                below += count.load(Ordering::Relaxed);
                let _ = writeln!(
                    out,
                    "{name}_bucket{{route=\"{route}\",le=\"{bound}\"}} {below}"
                );
            }
            let count = times.count.load(Ordering::Relaxed);
            let sum =
                Duration::from_micros(times.microseconds.load(Ordering::Relaxed)).as_secs_f64();
            let _ = writeln!(
                out,
                "{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}"
            );
            let _ = writeln!(out, "{name}_sum{{route=\"{route}\"}} {sum}");
            let _ = writeln!(out, "{name}_count{{route=\"{route}\"}} {count}");
        }
    }

    fn write_events(&self, out: &mut String) {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, label, help) in [
            (
                "rate_limited_total",
                "policy",
                "Requests refused by a limit.",
            ),
            ("mcp_tool_calls_total", "tool", "Tools called over /mcp."),
            (
                "connections_closed_total",
                "reason",
                "Connections closed by the server.",
            ),
        ] {
            let _ = write!(
                out,
                "# HELP econoscope_{name} {help}\n# TYPE econoscope_{name} counter\n"
            );
            for ((event, value), count) in events.iter().filter(|((event, _), _)| *event == name) {
                let _ = writeln!(out, "econoscope_{event}{{{label}=\"{value}\"}} {count}");
            }
        }
    }
}

/// What is known of the data; nothing while the store cannot be read, which `/ready` tells.
fn write_data(out: &mut String, backend: &Backend) {
    let Ok(held) = backend.desk().holdings() else {
        return;
    };
    let series = held.count.to_string();
    one(out, "series", "Series held.", &series);
    let bundled = u8::from(held.bundled).to_string();
    one(
        out,
        "bundled",
        "1 while the bundled history answers.",
        &bundled,
    );
    if let Some(at) = held.updated_at() {
        let help = "When data were last read from a source.";
        let seconds = at.as_second().to_string();
        one(out, "data_updated_timestamp_seconds", help, &seconds);
    }
}

/// One sample without labels; a name that ends in `_total` is a counter.
fn one(out: &mut String, name: &str, help: &str, value: &str) {
    let kind = if name.ends_with("_total") {
        "counter"
    } else {
        "gauge"
    };
    let _ = write!(
        out,
        "# HELP econoscope_{name} {help}\n# TYPE econoscope_{name} {kind}\neconoscope_{name} {value}\n"
    );
}

/// Memory of this process as the kernel counts it; none where there is no such file.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1_024)
}
