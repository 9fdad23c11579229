//! Output of the commands: text on stdout, messages and the log on stderr.

use anyhow::{Context, Result};
use econoscope_core::error::NOTICE_TARGET;
use econoscope_data::disk::escape_controls;
use std::io::{self, Write};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{Format, Writer};
use tracing_subscriber::fmt::{self, FmtContext, FormatEvent, FormatFields, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// Filters that come before the user's: events of these crates are about callers, not about us.
const QUIET_CRATES: &str = "rmcp=error,rmcp::service=off,hyper=error";

/// Replaces what a terminal would interpret in a text; line ends stay.
pub(super) fn printable(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(escape_controls).collect();
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

/// Starts the log on stderr: as text without colours, or as one JSON object per line,
/// messages and panics included.
pub(super) fn init_log(filter: &str, is_json: bool) -> Result<()> {
    let filter: Targets = format!("{QUIET_CRATES},{filter},{NOTICE_TARGET}=info")
        .parse()
        .with_context(|| format!("--log {filter} is not a filter; try warn, info or debug"))?;
    let log = tracing_subscriber::registry().with(filter);
    let lines = fmt::layer().with_writer(LogWriter);
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
    // Colours are control characters, as those of a request.
    text.set_ansi(false);
    log.with(text).init();
    Ok(())
}

/// Writes events on stderr, without characters that a terminal or a reader of lines would interpret: a request may have them.
struct LogWriter;

/// The writer of one event.
struct EventWriter {
    /// A notice may have several lines.
    is_notice: bool,
}

impl MakeWriter<'_> for LogWriter {
    type Writer = EventWriter;

    fn make_writer(&self) -> EventWriter {
        EventWriter { is_notice: false }
    }

    fn make_writer_for(&self, event: &Metadata<'_>) -> EventWriter {
        let is_notice = event.target() == NOTICE_TARGET;
        EventWriter { is_notice }
    }
}

/// Returns an event without its last line end, with what would be interpreted escaped.
fn clean_event(text: &str, is_notice: bool) -> String {
    let event = text.trim_end_matches('\n');
    if is_notice {
        printable(event)
    } else {
        escape_controls(event)
    }
}

impl Write for EventWriter {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = clean_event(&String::from_utf8_lossy(event), self.is_notice);
        writeln!(io::stderr().lock(), "{text}")?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::sync::Arc;

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(is_json: bool, work: impl FnOnce()) -> String {
        let buffer = Buffer::default();
        let writer = buffer.clone();
        let lines = fmt::layer().with_writer(move || writer.clone());
        let log = tracing_subscriber::registry();
        if is_json {
            tracing::subscriber::with_default(log.with(lines.json()), work);
        } else {
            let mut text = lines.event_format(LogFormat(fmt::format()));
            text.set_ansi(false);
            tracing::subscriber::with_default(log.with(text), work);
        }
        let bytes = buffer.0.lock().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn text_of_a_request_stays_on_its_line_of_the_log() {
        let reflected =
            "a\u{1b}[31m\u{9b}2J\u{7f}\u{8}\r\n2026-01-01T00:00:00Z ERROR forged\u{202e}\u{2028}\0";
        for is_json in [false, true] {
            let event = logged(is_json, || {
                let span = tracing::error_span!("request", request_id = %reflected);
                let _entered = span.enter();
                tracing::error!(%reflected, field = reflected, "no answer for {reflected}");
            });
            let line = clean_event(&event, false);
            let is_plain = |c: char| escape_controls(&c.to_string()) == c.to_string();
            assert!(line.chars().all(is_plain), "{line:?}");
            assert!(line.contains("forged") && !line.contains(['\u{1b}', '\n', '\u{2028}']));
        }
        let notice = clean_event("econoscope: warning: a\u{9b}\nb\n", true);
        assert_eq!(notice, "econoscope: warning: a\\u{9b}\nb");
    }

    #[test]
    fn sdk_does_not_log_that_a_listener_has_left() {
        let filter: Targets = format!("{QUIET_CRATES},info").parse().unwrap();
        assert!(!filter.would_enable("rmcp::service", &Level::ERROR));
        assert!(filter.would_enable("rmcp::transport::worker", &Level::ERROR));
        let asked: Targets = format!("{QUIET_CRATES},rmcp::service=debug")
            .parse()
            .unwrap();
        assert!(asked.would_enable("rmcp::service", &Level::DEBUG));
    }
}
