//! The log on stderr: which events are written, and in which form.

use crate::config::Config;
use anyhow::{Context as _, Result};
use econoscope_core::error::NOTICE;
use std::io::IsTerminal;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::{Targets, filter_fn};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// What these say is about callers and not about us; a filter that names them goes before.
const QUIET: &str = "rmcp=error,hyper=error";

/// Starts the log. Colours go to a terminal alone, and to none where `NO_COLOR` is set. In JSON every line is an object,
/// from the first: what the program says to who started it, and panics, too.
pub(super) fn to_stderr(config: &Config) -> Result<()> {
    let filter = &config.log;
    let filter: Targets = format!("{QUIET},{filter},{NOTICE}=info")
        .parse()
        .with_context(|| format!("--log {filter} is not a filter; try warn, info or debug"))?;
    let log = tracing_subscriber::registry().with(filter);
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
        return Ok(());
    }
    let log = log.with(Notices);
    let others = filter_fn(|of| of.target() != NOTICE);
    let is_terminal = std::io::stderr().is_terminal();
    let lines = fmt::layer().with_writer(std::io::stderr);
    match is_terminal {
        true => log.with(lines.with_filter(others)).init(),
        false => log.with(lines.with_ansi(false).with_filter(others)).init(),
    }
    Ok(())
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
