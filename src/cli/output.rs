//! Output of the commands: text on stdout, messages and the log on stderr.

use anyhow::{Context, Result};
use econoscope_core::error::NOTICE_TARGET;
use std::io::{IsTerminal, Write};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{Format, Writer};
use tracing_subscriber::fmt::{self, FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// Filters that come before the user's: events of these crates are about callers, not about us.
const QUIET_CRATES: &str = "rmcp=error,hyper=error";

/// Replaces what a terminal would interpret in a text; line ends stay.
pub(super) fn printable(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(econoscope_data::disk::escape_controls)
        .collect();
    lines.join("\n")
}

/// Reports a failure on stderr, in the format of the log.
pub(super) fn report_error(message: &str) {
    tracing::error!(target: NOTICE_TARGET, "{}", printable(message));
}

/// Reports a warning on stderr, in the format of the log.
pub(super) fn report_warning(message: &str) {
    tracing::warn!(target: NOTICE_TARGET, "{}", printable(message));
}

/// Reports what was done on stderr, in the format of the log.
pub(super) fn report(message: &str) {
    tracing::info!(target: NOTICE_TARGET, "{}", printable(message));
}

/// Prints a text to stdout and ends its last line.
///
/// # Errors
/// When stdout cannot be written, except after its reader has closed the pipe.
pub(super) fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    match write!(stdout, "{text}{end}") {
        // The reader has closed the pipe, as `| head` does.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("writing to stdout"),
    }
}

/// Starts the log on stderr: as text, in colour on a terminal unless `NO_COLOR` is set, or as one JSON object per line,
/// messages and panics included.
pub(super) fn init_log(filter: &str, is_json: bool) -> Result<()> {
    let filter: Targets = format!("{QUIET_CRATES},{filter},{NOTICE_TARGET}=info")
        .parse()
        .with_context(|| format!("--log {filter} is not a filter; try warn, info or debug"))?;
    let log = tracing_subscriber::registry().with(filter);
    let lines = fmt::layer().with_writer(std::io::stderr);
    if is_json {
        let json = lines
            .json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false);
        log.with(json).init();
        std::panic::set_hook(Box::new(|panic| {
            tracing::error!(target: NOTICE_TARGET, %panic);
        }));
        return Ok(());
    }
    let mut text = lines.event_format(LogFormat(fmt::format()));
    if !std::io::stderr().is_terminal() {
        text.set_ansi(false);
    }
    log.with(text).init();
    Ok(())
}

/// Writes notices as plain lines, and other events in the default format.
struct LogFormat(Format);

impl<S, N> FormatEvent<S, N> for LogFormat
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
        if event.metadata().target() != NOTICE_TARGET {
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
