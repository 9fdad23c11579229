//! One error for the whole crate: what happened, in meanings, not in status codes.
//!
//! Each edge translates a meaning once (tool result, HTTP status, exit code); nothing here knows how.
//! `Display` says what happened and what to do next and never prints a cause; causes are logged. It may be shown to
//! anybody: what only the operator should read, paths above all, stands in [`Error::for_operator`].

use std::sync::Arc;

/// What every fallible function of the crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// A cause for the log, never shown to a caller.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The same in an error, which may be told to many who asked the same.
pub type KeptCause = Arc<dyn std::error::Error + Send + Sync>;

/// When it makes sense to ask a broken store again: it may be mended or replaced while the server runs.
const STORE_PAUSE: std::time::Duration = std::time::Duration::from_secs(10);

/// What the program says to who started it, whatever is logged: plain lines, or JSON where the log is JSON.
pub const NOTICE: &str = "econoscope::notice";

/// A name offered instead of one that was not found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The identifier to ask for.
    pub id: String,
    /// What it is, in a few words.
    pub title: String,
}

impl Suggestion {
    /// A name to ask for, and what it is.
    pub fn new(id: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
        }
    }
}

/// What went wrong, as a meaning.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// An argument is missing, malformed, unknown or out of range.
    #[error("{}{problem}. Allowed: {allowed}.", subject(field, received))]
    InvalidParam {
        /// The argument's name as the caller knows it.
        field: String,
        /// What came, cut and escaped; empty when nothing came.
        received: String,
        /// What is wrong with it.
        problem: String,
        /// What would be right, with an example.
        allowed: String,
    },
    /// No series, metric, term or page answers to the name.
    #[error("Unknown {kind} \"{name}\". {}", hint(suggestions, kind))]
    Unknown {
        /// What was looked for: `ticker`, `series`, `status` …
        kind: &'static str,
        /// What came, cut and escaped.
        name: String,
        /// Up to three near names.
        suggestions: Vec<Suggestion>,
    },
    /// A name that several series answer to; the caller must choose.
    #[error("\"{name}\" is ambiguous. Choose one: {}", choices_text(choices))]
    Ambiguous {
        /// What came.
        name: String,
        /// What it may mean, with a line each.
        choices: Vec<Suggestion>,
    },
    /// The series exists but holds nothing that could answer.
    #[error("No data for {what}: {reason}")]
    NoData {
        /// Series or answer.
        what: String,
        /// Why, and what would bring it.
        reason: String,
    },
    /// The operator does not allow this series to be passed on.
    #[error("{what} is not served here: {reason}")]
    NotPermitted {
        /// Series.
        what: String,
        /// Which right is missing and who can give it.
        reason: String,
    },
    /// A limit is used up.
    #[error("{what} Retry after {} s.", .retry_after.as_secs())]
    RateLimited {
        /// Which limit, and when it resets.
        what: String,
        /// How long to wait.
        retry_after: std::time::Duration,
    },
    /// A source or the upstream service did not give a usable answer.
    #[error("{what}")]
    Unavailable {
        /// Who failed, how, and when to come back.
        what: String,
        /// When another try makes sense.
        retry_after: Option<std::time::Duration>,
        /// For the log.
        #[source]
        source: Option<KeptCause>,
    },
    /// More is to be computed than can wait; nothing failed.
    #[error(
        "More is asked of this server than it can compute now. Retry after {} s.",
        .retry_after.as_secs()
    )]
    Busy {
        /// When another try makes sense.
        retry_after: std::time::Duration,
    },
    /// A file that is read (import, configuration, scenario, article) is not right.
    #[error("{file}{}: {problem}", line_text(*line))]
    BadFile {
        /// Path as given.
        file: String,
        /// One-based line, where one is known.
        line: Option<u64>,
        /// What is wrong and what was expected.
        problem: String,
    },
    /// The store cannot be opened, read or written.
    #[error("The data cannot be read or written at the moment. Try again in {} s; the operator's log says why.", STORE_PAUSE.as_secs())]
    Store {
        /// What was tried, and the way out: for the operator, since it names files.
        what: String,
        /// For the log.
        #[source]
        source: Option<KeptCause>,
    },
    /// A defect of this program.
    #[error("Internal error: {what}. This is a defect; please report it.")]
    Internal {
        /// Where.
        what: String,
        /// For the log.
        #[source]
        source: Option<KeptCause>,
    },
}

impl Error {
    /// An argument that cannot be used.
    pub fn invalid(field: &str, received: &str, problem: &str, allowed: &str) -> Self {
        Self::InvalidParam {
            field: field.to_owned(),
            received: quote(received),
            problem: problem.to_owned(),
            allowed: allowed.to_owned(),
        }
    }

    /// A name that nothing answers to, with what may have been meant.
    pub fn unknown(kind: &'static str, name: &str, suggestions: Vec<Suggestion>) -> Self {
        Self::Unknown {
            kind,
            name: quote(name),
            suggestions,
        }
    }

    /// A failure of the store, with its cause.
    pub fn store(what: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Store {
            what: what.into(),
            source: Some(Arc::from(source.into())),
        }
    }

    /// A failure of the store that has no cause below it.
    pub fn of_store(what: impl Into<String>) -> Self {
        Self::Store {
            what: what.into(),
            source: None,
        }
    }

    /// Nothing that could answer, and why.
    pub fn no_data(what: impl ToString, reason: impl Into<String>) -> Self {
        Self::NoData {
            what: what.to_string(),
            reason: reason.into(),
        }
    }

    /// A file that is not right as a whole.
    pub fn bad_file(file: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::BadFile {
            file: file.into(),
            line: None,
            problem: problem.into(),
        }
    }

    /// A file with a line that is not right.
    pub fn bad_line(file: impl Into<String>, line: u64, problem: impl Into<String>) -> Self {
        Self::BadFile {
            file: file.into(),
            line: Some(line),
            problem: problem.into(),
        }
    }

    /// No room for work that must be computed.
    pub fn busy() -> Self {
        Self::Busy {
            retry_after: std::time::Duration::from_secs(1),
        }
    }

    /// A defect, with its cause.
    pub fn internal(what: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Internal {
            what: what.into(),
            source: Some(Arc::from(source.into())),
        }
    }

    /// Stable machine-readable name of the meaning.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidParam { .. } => "invalid_param",
            Self::Unknown { .. } => "unknown_name",
            Self::Ambiguous { .. } => "ambiguous_name",
            Self::NoData { .. } => "no_data",
            Self::NotPermitted { .. } => "not_permitted",
            Self::RateLimited { .. } => "rate_limited",
            Self::Unavailable { .. } | Self::Busy { .. } => "unavailable",
            Self::BadFile { .. } => "bad_file",
            Self::Store { .. } => "store",
            Self::Internal { .. } => "internal",
        }
    }

    /// The whole of it, with what no caller should read: for the command line, reports and the log.
    pub fn for_operator(&self) -> String {
        if let Self::Store { what, .. } = self {
            return format!("Store: {what}");
        }
        self.to_string()
    }

    /// Whether the same call may succeed later without a change.
    pub fn retryable(&self) -> bool {
        self.retry_after().is_some() || matches!(self, Self::Unavailable { .. })
    }

    /// How long to wait before another try, where that is known.
    pub fn retry_after(&self) -> Option<std::time::Duration> {
        if let Self::RateLimited { retry_after, .. }
        | Self::Busy { retry_after }
        | Self::Unavailable {
            retry_after: Some(retry_after),
            ..
        } = self
        {
            return Some(*retry_after);
        }
        matches!(self, Self::Store { .. }).then_some(STORE_PAUSE)
    }

    /// What could be meant instead: suggestions or choices.
    pub fn suggestions(&self) -> &[Suggestion] {
        if let Self::Unknown {
            suggestions: all, ..
        }
        | Self::Ambiguous { choices: all, .. } = self
        {
            return all;
        }
        &[]
    }
}

/// Logs a failure once, at the edge that answers it: a caller's mistake quietly, a fault with its causes.
pub fn log(error: &Error, endpoint: &str) {
    let code = error.code();
    if matches!(
        error,
        Error::Store { .. } | Error::Internal { .. } | Error::Unavailable { .. }
    ) {
        let causes = causes(std::iter::successors(
            std::error::Error::source(error),
            |e| e.source(),
        ));
        let error = error.for_operator();
        tracing::error!(endpoint, code, error, causes);
    } else if let Error::InvalidParam { field, problem, .. } = error {
        // What came may be a secret in the wrong place: the log names the argument alone.
        tracing::debug!(endpoint, code, field, problem);
    } else {
        tracing::debug!(endpoint, code, %error);
    }
}

/// An error and everything that led to it, for the operator.
pub fn causes<'a>(chain: impl Iterator<Item = &'a (dyn std::error::Error + 'static)>) -> String {
    let said = |cause: &(dyn std::error::Error + 'static)| {
        let own = cause.downcast_ref::<Error>();
        own.map_or_else(|| cause.to_string(), Error::for_operator)
    };
    chain.map(said).collect::<Vec<_>>().join(": ")
}

/// Caller's text made safe to echo: control and invisible characters out, at most 64 characters.
pub fn quote(text: &str) -> String {
    let visible = |c: char| match c.is_control() || is_invisible(c) {
        true => '?',
        false => c,
    };
    let mut out: String = text.chars().map(visible).take(64).collect();
    if text.chars().count() > 64 {
        out.push('…');
    }
    out
}

/// Characters that hide or reorder text: zero-width, bidi controls, tags, variation selectors, soft hyphen.
pub fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0x00AD | 0x061C | 0x180E | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x2064
        | 0x2066..=0x206F | 0xFE00..=0xFE0F | 0xFEFF | 0xFFF9..=0xFFFB | 0x115F | 0x1160 | 0x3164
        | 0xE0000..=0xE007F | 0xE0100..=0xE01EF)
}

/// What a problem is told of: the argument, or what came for it.
fn subject(field: &str, received: &str) -> String {
    match received {
        "" => format!("{field} "),
        received => format!("Invalid {field}: \"{received}\" "),
    }
}

fn choices_text(choices: &[Suggestion]) -> String {
    let choices = choices.iter().map(|s| format!("{} ({})", s.id, s.title));
    choices.collect::<Vec<_>>().join("; ") + "."
}

fn hint(suggestions: &[Suggestion], kind: &str) -> String {
    if suggestions.is_empty() {
        return format!("Nothing similar is known; ask for another {kind}.");
    }
    let choices = choices_text(suggestions);
    format!("Did you mean: {choices} Call again with one of these.")
}

fn line_text(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(" line {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_came_and_what_to_do_next() {
        let bad = Error::invalid("limit", "0", "is too small", "an integer from 1 to 50");
        assert_eq!(
            bad.to_string(),
            "Invalid limit: \"0\" is too small. Allowed: an integer from 1 to 50."
        );
        let unknown = Error::Unknown {
            kind: "ticker",
            name: "DGS1O".into(),
            suggestions: vec![Suggestion {
                id: "DGS10".into(),
                title: "10-Year Treasury".into(),
            }],
        };
        assert_eq!(
            unknown.to_string(),
            "Unknown ticker \"DGS1O\". Did you mean: DGS10 (10-Year Treasury). Call again with one of these."
        );
    }

    #[test]
    fn echoed_text_is_cut_and_cleaned() {
        assert_eq!(quote("a\u{202e}b\n"), "a?b?");
        assert_eq!(quote(&"x".repeat(100)).chars().count(), 65);
    }
}
