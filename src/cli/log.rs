//! The log on stderr: what is let through, in which form, and how often the same may be said.

use crate::config::Config;
use anyhow::{Context as _, Result};
use econoscope_core::error::NOTICE;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::callsite::Identifier;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt};

/// What these say is about callers and not about us; a filter that names them goes before.
const QUIET: &str = "rmcp=error,h2=error,hyper=error";

/// Warnings and errors of one kind that are written within [`SPAN`]; the rest is counted.
const MAX_LINES: u32 = 20;
const SPAN: Duration = Duration::from_secs(60);

/// Starts the log. Colours go to a terminal alone, and to none where `NO_COLOR` is set. In JSON every line is an object,
/// from the first: what the program says to who started it, and panics, too.
pub(super) fn to_stderr(config: &Config) -> Result<Repeats> {
    let filter = &config.log;
    let filter = EnvFilter::try_new(format!("{QUIET},{filter},{NOTICE}=info"))
        .with_context(|| format!("--log {filter} is not a filter; try warn, info or debug"))?;
    let repeats = Repeats::default();
    let log = tracing_subscriber::registry()
        .with(filter)
        .with(repeats.clone());
    if config.log_json {
        let lines = fmt::layer()
            .with_writer(std::io::stderr)
            .json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false);
        log.with(lines).init();
        std::panic::set_hook(Box::new(|panic| {
            tracing::error!(target: NOTICE, %panic);
        }));
        return Ok(repeats);
    }
    let log = log.with(Notices);
    let others = filter_fn(|of| of.target() != NOTICE);
    let is_terminal = std::io::stderr().is_terminal();
    let lines = fmt::layer().with_writer(std::io::stderr);
    match is_terminal {
        true => log.with(lines.with_filter(others)).init(),
        false => log.with(lines.with_ansi(false).with_filter(others)).init(),
    }
    Ok(repeats)
}

/// What went wrong before there was a log.
pub(super) fn first_word(problem: &str, is_json: bool) {
    match is_json {
        true => {
            let (timestamp, level) = (econoscope_core::clock::wall(), "ERROR");
            let line = serde_json::json!({
                "timestamp": timestamp, "level": level, "message": problem, "target": NOTICE,
            });
            eprintln!("{line}");
        }
        false => eprintln!("econoscope: {problem}"),
    }
}

/// Notices as plain lines.
struct Notices;

impl<S: Subscriber> Layer<S> for Notices {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let of = event.metadata();
        if of.target() != NOTICE {
            return;
        }
        let mut message = Message::default();
        event.record(&mut message);
        let before = match *of.level() {
            Level::ERROR => "econoscope: ",
            Level::WARN => "econoscope: warning: ",
            _ => "",
        };
        eprintln!("{before}{}", message.0);
    }
}

/// The text of an event.
#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

/// Holds back what is said again and again: a fault that every request meets must not fill the disk.
#[derive(Clone, Default)]
pub(super) struct Repeats(Arc<Mutex<HashMap<Identifier, Said>>>);

/// How often one place in the program spoke since a moment.
struct Said {
    since: Instant,
    written: u32,
    held_back: u64,
    of: &'static Metadata<'static>,
}

impl Repeats {
    /// Whether what a place says now is written.
    fn may_speak(&self, of: &'static Metadata<'static>, now: Instant) -> bool {
        let mut said = self.0.lock();
        let said = said.entry(of.callsite()).or_insert(Said {
            since: now,
            written: 0,
            held_back: 0,
            of,
        });
        if now.saturating_duration_since(said.since) >= SPAN {
            (said.since, said.written) = (now, 0);
        }
        if said.written < MAX_LINES {
            said.written += 1;
            return true;
        }
        said.held_back += 1;
        false
    }

    /// Tells once a minute what was held back.
    pub(super) async fn sum_up(self) {
        loop {
            tokio::time::sleep(SPAN).await;
            for (times, of) in self.held_back() {
                let place = format!("{}:{}", of.target(), of.line().unwrap_or_default());
                tracing::warn!(times, place, "the same was said again and is not written");
            }
        }
    }

    /// What was held back since the last time.
    fn held_back(&self) -> Vec<(u64, &'static Metadata<'static>)> {
        let mut said = self.0.lock();
        let counts = said.values_mut();
        counts
            .map(|said| (std::mem::take(&mut said.held_back), said.of))
            .filter(|(times, _)| *times > 0)
            .collect()
    }
}

impl<S: Subscriber> Layer<S> for Repeats {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let of = event.metadata();
        // A notice is said once, or is one of a list that its reader wants whole.
        *of.level() > Level::WARN || of.target() == NOTICE || self.may_speak(of, Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_is_said_again_is_counted_and_not_written() {
        let (repeats, lines) = (Repeats::default(), Lines::default());
        let sink = lines.clone();
        let log = tracing_subscriber::registry().with(repeats.clone()).with(
            fmt::layer()
                .with_ansi(false)
                .with_writer(move || sink.clone()),
        );
        tracing::subscriber::with_default(log, || {
            for n in 0..1_000 {
                tracing::warn!(n, "a broken part");
                tracing::info!(n, "an answer");
            }
            tracing::error!("another place");
        });
        let text = String::from_utf8(lines.0.lock().clone()).unwrap();
        assert_eq!(text.matches("a broken part").count(), 20);
        assert_eq!(
            text.matches("an answer").count(),
            1_000,
            "no fault, no limit"
        );
        assert!(text.contains("another place"));
        let held = repeats.held_back();
        assert_eq!(
            held.iter().map(|(times, _)| *times).collect::<Vec<_>>(),
            [980]
        );
        assert!(repeats.held_back().is_empty(), "told once");
        let (of, later) = (held[0].1, Instant::now() + SPAN);
        assert!(
            repeats.may_speak(of, later),
            "a minute later it may speak again"
        );
    }
}
