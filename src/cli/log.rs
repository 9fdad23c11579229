//! The log on stderr: which events are written, and in which form.

use anyhow::{Context, Result};
use econoscope_core::error::NOTICE;
use std::io::IsTerminal;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{Format, Writer};
use tracing_subscriber::fmt::{self, FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// What these say is about callers and not about us; a filter that names them goes before.
const QUIET: &str = "rmcp=error,hyper=error";

/// Starts the log. Colours go to a terminal alone, and to none where `NO_COLOR` is set. In JSON every line is an object,
/// from the first: what the program says to who started it, and panics, too.
pub(super) fn to_stderr(filter: &str, is_json: bool) -> Result<()> {
    let filter: Targets = format!("{QUIET},{filter},{NOTICE}=info")
        .parse()
        .with_context(|| format!("--log {filter} is not a filter; try warn, info or debug"))?;
    let log = tracing_subscriber::registry().with(filter);
    if is_json {
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
    let lines = fmt::layer().with_writer(std::io::stderr);
    let mut lines = lines.event_format(Lines(fmt::format()));
    if !std::io::stderr().is_terminal() {
        lines.set_ansi(false);
    }
    log.with(lines).init();
    Ok(())
}

/// Notices as plain lines, and all else as the library writes it.
struct Lines(Format);

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> std::fmt::Result {
        if event.metadata().target() != NOTICE {
            return self.0.format_event(context, writer, event);
        }
        writer.write_str(match *event.metadata().level() {
            Level::ERROR => "econoscope: ",
            Level::WARN => "econoscope: warning: ",
            _ => "",
        })?;
        context.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}
