//! Output of the commands: text on stdout, messages and the log on stderr.

use anyhow::{Context, Result};
use econoscope_core::error::NOTICE_TARGET;
use econoscope_data::disk::escape_controls;
use std::io::{self, Write};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{self, FmtContext, FormatEvent, FormatFields};
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
    let lines = fmt::layer().with_writer(io::stderr);
    if is_json {
        let json = lines
            .json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false)
            .map_event_format(|format| LogFormat { format, is_json });
        log.with(json).init();
        std::panic::set_hook(Box::new(|panic| {
            tracing::error!(target: NOTICE_TARGET, %panic);
        }));
        return Ok(());
    }
    let mut text = lines.map_event_format(|format| LogFormat { format, is_json });
    // Colours are control characters, as those of a request.
    text.set_ansi(false);
    log.with(text).init();
    Ok(())
}

/// Replaces what a terminal or a reader of lines would interpret in an event: a request may have it.
fn clean_event(text: &str) -> String {
    let is_plain = |c: char| escape_controls(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8();
    text.trim_end_matches('\n')
        .replace(|c| !is_plain(c), "\u{fffd}")
}

/// Writes notices of a log in text as plain lines, and each other event as one line of a format.
struct LogFormat<F> {
    format: F,
    is_json: bool,
}

impl<S, N, F> FormatEvent<S, N> for LogFormat<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> std::fmt::Result {
        if self.is_json || event.metadata().target() != NOTICE_TARGET {
            let mut line = String::new();
            let whole = Writer::new(&mut line);
            self.format.format_event(context, whole, event)?;
            return writeln!(writer, "{}", clean_event(&line));
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
            let json = lines
                .json()
                .map_event_format(|format| LogFormat { format, is_json });
            tracing::subscriber::with_default(log.with(json), work);
        } else {
            let mut text = lines.map_event_format(|format| LogFormat { format, is_json });
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
            let log = logged(is_json, || {
                let span = tracing::error_span!("request", request_id = %reflected);
                let _entered = span.enter();
                tracing::error!(%reflected, field = reflected, "no answer for {reflected}");
            });
            let line = log.strip_suffix('\n').unwrap();
            let is_plain = |c: char| escape_controls(&c.to_string()) == c.to_string();
            assert!(line.chars().all(is_plain), "{line:?}");
            assert!(line.contains("forged"), "{line:?}");
            assert!(!is_json || serde_json::from_str::<serde_json::Value>(line).is_ok());
        }
        let notice = logged(false, || tracing::warn!(target: NOTICE_TARGET, "a\nb"));
        assert_eq!(notice, "econoscope: warning: a\nb\n");
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
