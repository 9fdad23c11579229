//! The error type of the whole program.
//!
//! Each interface translates it once, into a tool result, an HTTP status or an exit code. `Display` states what happened and what
//! to do next, without causes, and is safe to show to anybody. [`Error::operator_message`] adds details for the operator, such as
//! paths; [`log`] writes the causes.

use serde::{Deserialize, Serialize};
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

/// The result of fallible functions.
pub type Result<T> = std::result::Result<T, Error>;

/// A cause for the log, never shown to a caller.
pub type Cause = Box<dyn StdError + Send + Sync>;

/// A [`Cause`] that clones of an error share.
type SharedCause = Arc<dyn StdError + Send + Sync>;

/// The wait before a retry while the queue of computations is full.
const BUSY_RETRY_AFTER: Duration = Duration::from_secs(1);

/// The wait before a failed store is used again: it may be repaired or replaced while the server runs.
const STORE_RETRY_AFTER: Duration = Duration::from_secs(10);

/// Log target of notices to whoever started the program. They are shown at any log level, in plain lines or JSON.
pub const NOTICE_TARGET: &str = "econoscope::notice";

/// A name that the caller may have meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The identifier.
    pub id: String,
    /// Its title.
    pub title: String,
}

impl Suggestion {
    /// Creates a suggestion.
    pub fn new(id: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
        }
    }
}

/// Why a figure is missing, or why there is no newer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Absence {
    /// No sync and no import has brought the series yet.
    NotLoaded,
    /// Nothing of it was known on the day asked for.
    NotKnownThen,
    /// The source does not allow it to be passed on.
    NotPermitted,
    /// Its publisher has ended the series.
    Ended,
    /// There has been no figure for so long that the series may have ended.
    MayHaveEnded,
    /// What it is computed from is missing or too old, or any other reason, which the note tells.
    NotAvailable,
}

/// What went wrong.
#[derive(Debug, Clone, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Error {
    /// An argument is missing, malformed, unknown or out of range.
    #[error("{}{problem}. Allowed: {allowed}.", subject(field, received))]
    InvalidParam {
        /// Name of the argument.
        field: String,
        /// The received value by [`quote`]; empty if there was none.
        received: String,
        /// What is wrong.
        problem: String,
        /// Allowed values, with an example.
        allowed: String,
    },
    /// No series, metric, term or page has this name.
    #[error("{}", describe_unknown(kind, name, why, suggestions))]
    #[strum(serialize = "unknown_name")]
    Unknown {
        /// What the name is for: `ticker`, `series`, `status` …
        kind: &'static str,
        /// The received name by [`quote`].
        name: String,
        /// Why it is not carried; empty for a name like nothing known.
        why: String,
        /// Up to three similar names.
        suggestions: Vec<Suggestion>,
    },
    /// Several series have this name; the caller must choose.
    #[error("\"{name}\" {problem}. Choose one: {}", format_choices(choices))]
    #[strum(serialize = "ambiguous_name")]
    Ambiguous {
        /// The received name.
        name: String,
        /// What is wrong with it: it is ambiguous, or several names where one is taken.
        problem: &'static str,
        /// The candidates.
        choices: Vec<Suggestion>,
    },
    /// The series exists but has no data for the request.
    #[error("No data for {what}: {reason}")]
    NoData {
        /// Series or answer.
        what: String,
        /// Why, and how to get the data.
        reason: String,
        /// The reason as a code.
        absence: Absence,
    },
    /// The terms of the source do not allow this series to be served.
    #[error("{what} is not served here: {reason}")]
    NotPermitted {
        /// Series.
        what: String,
        /// Which right is missing and who can grant it.
        reason: String,
    },
    /// A rate limit is exhausted.
    #[error("{what} Retry after {} s.", .retry_after.as_secs())]
    RateLimited {
        /// Which limit, and when it resets.
        what: String,
        /// Time to wait.
        retry_after: Duration,
    },
    /// A source or the upstream service did not return a usable response.
    #[error("{what}")]
    Unavailable {
        /// Who failed, how, and when to retry.
        what: String,
        /// Time to wait before a retry.
        retry_after: Option<Duration>,
        /// For the log.
        #[source]
        source: Option<SharedCause>,
    },
    /// The queue of computations is full; nothing failed.
    #[error("The server is at capacity. Retry after {} s.", BUSY_RETRY_AFTER.as_secs())]
    #[strum(serialize = "unavailable")]
    Busy,
    /// An input file (import, configuration, scenario, article) is invalid.
    #[error("{file}{}: {problem}", line.map(|line| format!(" line {line}")).unwrap_or_default())]
    BadFile {
        /// Path as given.
        file: String,
        /// One-based line, if known.
        line: Option<u64>,
        /// What is wrong, and what was expected.
        problem: String,
    },
    /// The store cannot be opened, read or written.
    #[error("The data cannot be read or written at the moment. Try again in {} s; the operator's log says why.", STORE_RETRY_AFTER.as_secs())]
    Store {
        /// What failed and how to fix it. Only for the operator, because it names files.
        what: String,
        /// For the log.
        #[source]
        source: Option<SharedCause>,
    },
    /// A bug in this program.
    #[error("Internal error: {what}. This is a defect; please report it.")]
    Internal {
        /// What failed.
        what: String,
        /// For the log.
        #[source]
        source: Option<SharedCause>,
    },
}

impl Error {
    /// Creates [`Error::InvalidParam`].
    pub fn invalid(field: &str, received: &str, problem: &str, allowed: &str) -> Self {
        Self::InvalidParam {
            field: field.to_owned(),
            received: quote(received),
            problem: problem.to_owned(),
            allowed: allowed.to_owned(),
        }
    }

    /// Creates [`Error::Unknown`].
    pub fn unknown(kind: &'static str, name: &str, suggestions: Vec<Suggestion>) -> Self {
        Self::Unknown {
            kind,
            name: quote(name),
            why: String::new(),
            suggestions,
        }
    }

    /// Creates [`Error::Store`] with a cause.
    pub fn store(what: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Store {
            what: what.into(),
            source: Some(Arc::from(source.into())),
        }
    }

    /// Creates [`Error::Store`] without a cause.
    pub fn store_without_cause(what: impl Into<String>) -> Self {
        Self::Store {
            what: what.into(),
            source: None,
        }
    }

    /// Creates [`Error::NoData`].
    pub fn no_data(what: impl ToString, reason: impl Into<String>) -> Self {
        Self::NoData {
            what: what.to_string(),
            reason: reason.into(),
            absence: Absence::NotAvailable,
        }
    }

    /// Creates [`Error::Unavailable`] without a cause.
    pub fn unavailable(what: impl Into<String>, retry_after: Option<Duration>) -> Self {
        Self::Unavailable {
            what: what.into(),
            retry_after,
            source: None,
        }
    }

    /// Creates [`Error::BadFile`] for a whole file.
    pub fn bad_file(file: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::BadFile {
            file: file.into(),
            line: None,
            problem: problem.into(),
        }
    }

    /// Creates [`Error::BadFile`] for a line.
    pub fn bad_line(file: impl Into<String>, line: u64, problem: impl Into<String>) -> Self {
        Self::BadFile {
            file: file.into(),
            line: Some(line),
            problem: problem.into(),
        }
    }

    /// Creates [`Error::Internal`] with a cause.
    pub fn internal(what: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Internal {
            what: what.into(),
            source: Some(Arc::from(source.into())),
        }
    }

    /// Returns why a figure is missing.
    pub fn absence(&self) -> Absence {
        if let Self::NoData { absence, .. } = self {
            *absence
        } else if matches!(self, Self::NotPermitted { .. }) {
            Absence::NotPermitted
        } else {
            Absence::NotAvailable
        }
    }

    /// Returns the stable machine-readable code.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// Returns the message with details for the operator: for the command line, reports and the log.
    pub fn operator_message(&self) -> String {
        if let Self::Store { what, .. } = self {
            return format!("Store: {what}");
        }
        self.to_string()
    }

    /// Returns whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.retry_after().is_some() || matches!(self, Self::Unavailable { .. })
    }

    /// Returns the time to wait before a retry, if known.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } => Some(*retry_after),
            Self::Unavailable { retry_after, .. } => *retry_after,
            Self::Busy => Some(BUSY_RETRY_AFTER),
            Self::Store { .. } => Some(STORE_RETRY_AFTER),
            Self::InvalidParam { .. }
            | Self::Unknown { .. }
            | Self::Ambiguous { .. }
            | Self::NoData { .. }
            | Self::NotPermitted { .. }
            | Self::BadFile { .. }
            | Self::Internal { .. } => None,
        }
    }

    /// Returns the names that the caller may have meant.
    pub fn suggestions(&self) -> &[Suggestion] {
        if let Self::Unknown {
            suggestions: names, ..
        }
        | Self::Ambiguous { choices: names, .. } = self
        {
            return names;
        }
        &[]
    }
}

/// Logs an error of an endpoint: a caller's mistake at debug level, a failure at error level with its causes.
pub fn log(error: &Error, endpoint: &str) {
    let code = error.code();
    if matches!(
        error,
        Error::Store { .. } | Error::Internal { .. } | Error::Unavailable { .. }
    ) {
        let causes = format_causes(std::iter::successors(error.source(), |e| (*e).source()));
        tracing::error!(endpoint, code, error = error.operator_message(), causes);
    } else if let Error::InvalidParam { field, problem, .. } = error {
        // The received value may be a misplaced secret, so the log has only the name of the argument.
        tracing::debug!(endpoint, code, field, problem);
    } else {
        tracing::debug!(endpoint, code, %error);
    }
}

/// Formats a chain of errors for the operator.
pub fn format_causes<'a>(chain: impl Iterator<Item = &'a (dyn StdError + 'static)>) -> String {
    let format = |cause: &(dyn StdError + 'static)| match cause.downcast_ref::<Error>() {
        Some(error) => error.operator_message(),
        None => cause.to_string(),
    };
    chain.map(format).collect::<Vec<_>>().join(": ")
}

/// Makes a caller's text safe to echo: control and invisible characters become `?`, and it is truncated after 64 characters.
pub fn quote(text: &str) -> String {
    let replace = |c: char| {
        if c.is_control() || is_invisible(c) {
            '?'
        } else {
            c
        }
    };
    let mut out: String = text.chars().map(replace).take(64).collect();
    if text.chars().count() > 64 {
        out.push('…');
    }
    out
}

/// Makes a caller's text safe to print whole, in any format: invisible characters are removed, and control characters and
/// blanks become single blanks.
pub fn single_line(text: &str) -> String {
    let visible = text.chars().filter(|c| !is_invisible(*c));
    let spaced: String = visible
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    words.join(" ")
}

/// Returns whether a character hides or reorders text: zero-width, bidi controls, tags, variation selectors, soft hyphen.
pub fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0x00AD | 0x061C | 0x180E | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x2064
        | 0x2066..=0x206F | 0xFE00..=0xFE0F | 0xFEFF | 0xFFF9..=0xFFFB | 0x115F | 0x1160 | 0x3164
        | 0xE0000..=0xE007F | 0xE0100..=0xE01EF)
}

/// Returns the subject of a problem: the argument, with its value if there is one.
fn subject(field: &str, received: &str) -> String {
    match received {
        "" => format!("{field} "),
        received => format!("{field}=\"{received}\" "),
    }
}

fn format_choices(choices: &[Suggestion]) -> String {
    let names = choices.iter().map(|s| format!("{} ({})", s.id, s.title));
    names.collect::<Vec<_>>().join("; ") + "."
}

/// Where names of series are found.
const SERIES_HINT: &str = " search_series finds series by subject.";

fn describe_unknown(kind: &str, name: &str, why: &str, suggestions: &[Suggestion]) -> String {
    let is_series = matches!(kind, "ticker" | "series" | "seriesId");
    let noun = if is_series { "series" } else { kind };
    let hint = if is_series { SERIES_HINT } else { "" };
    let near = format_choices(suggestions);
    match (why, suggestions) {
        ("", []) => format!("No {noun} \"{name}\", nor a similar name.{hint}"),
        ("", _) => format!("No {noun} \"{name}\". Did you mean: {near}"),
        (why, []) => format!("\"{name}\" is not carried: {why}."),
        (why, _) => format!("\"{name}\" is not carried: {why}. Nearest: {near}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_problem_and_the_next_step() {
        let bad = Error::invalid("limit", "0", "is too small", "an integer from 1 to 50");
        assert_eq!(
            bad.to_string(),
            "limit=\"0\" is too small. Allowed: an integer from 1 to 50."
        );
        let unknown = Error::Unknown {
            kind: "ticker",
            name: "DGS1O".into(),
            why: String::new(),
            suggestions: vec![Suggestion {
                id: "DGS10".into(),
                title: "10-Year Treasury".into(),
            }],
        };
        assert_eq!(
            unknown.to_string(),
            "No series \"DGS1O\". Did you mean: DGS10 (10-Year Treasury)."
        );
    }

    #[test]
    fn single_line_has_no_control_or_invisible_character() {
        let every: String = (0..=0x10_ffff_u32).filter_map(char::from_u32).collect();
        let line = single_line(&every);
        assert!(!line.contains(|c: char| c.is_control() || is_invisible(c)));
        assert_eq!(single_line(" UNRATE\u{b}<\u{202e}\r\n 5\0"), "UNRATE < 5");
    }

    #[test]
    fn quoted_text_is_truncated_and_cleaned() {
        assert_eq!(quote("a\u{202e}b\n"), "a?b?");
        assert_eq!(quote(&"x".repeat(100)).chars().count(), 65);
    }
}
