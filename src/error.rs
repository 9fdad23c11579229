//! One error for the whole crate: what happened, in meanings, not in status codes.
//!
//! Each edge translates a meaning once (tool result, HTTP status, exit code); nothing here knows how.
//! `Display` says what happened and what to do next and never prints a cause; causes are logged.

use std::fmt;

/// What every fallible function of the crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// A cause kept for the log, never shown to a caller.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A name offered instead of one that was not found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The identifier to ask for.
    pub id: String,
    /// What it is, in a few words.
    pub title: String,
}

/// What went wrong, as a meaning.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is missing, malformed, unknown or out of range.
    #[error(
        "Invalid {field}: {}{problem}. Allowed: {allowed}.",
        Received(received)
    )]
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
    #[error("Unknown {kind} \"{name}\". {}", Hint(suggestions, kind))]
    Unknown {
        /// What was looked for: `ticker`, `series`, `status` …
        kind: &'static str,
        /// What came, cut and escaped.
        name: String,
        /// Up to three near names.
        suggestions: Vec<Suggestion>,
    },
    /// A name that several series answer to; the caller must choose.
    #[error("\"{name}\" is ambiguous. Choose one: {}", Choices(choices))]
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
        source: Option<Cause>,
    },
    /// A file that is read (import, configuration, scenario, article) is not right.
    #[error("{file}{}: {problem}", Line(line))]
    BadFile {
        /// Path as given.
        file: String,
        /// One-based line, where one is known.
        line: Option<u64>,
        /// What is wrong and what was expected.
        problem: String,
    },
    /// The store cannot be opened, read or written.
    #[error("Store: {what}")]
    Store {
        /// What was tried, and the way out.
        what: String,
        /// For the log.
        #[source]
        source: Option<Cause>,
    },
    /// A defect of this program.
    #[error("Internal error: {what}. This is a defect; please report it.")]
    Internal {
        /// Where.
        what: String,
        /// For the log.
        #[source]
        source: Option<Cause>,
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

    /// A failure of the store, with its cause.
    pub fn store(what: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Store {
            what: what.into(),
            source: Some(source.into()),
        }
    }

    /// A defect, with its cause.
    pub fn internal(what: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Internal {
            what: what.into(),
            source: Some(source.into()),
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
            Self::Unavailable { .. } => "unavailable",
            Self::BadFile { .. } => "bad_file",
            Self::Store { .. } => "store",
            Self::Internal { .. } => "internal",
        }
    }

    /// Whether the same call may succeed later without a change.
    pub fn retryable(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::Unavailable { .. } => true,
            Self::InvalidParam { .. }
            | Self::Unknown { .. }
            | Self::Ambiguous { .. }
            | Self::NoData { .. }
            | Self::NotPermitted { .. }
            | Self::BadFile { .. }
            | Self::Store { .. }
            | Self::Internal { .. } => false,
        }
    }

    /// How long to wait before another try, where that is known.
    pub fn retry_after(&self) -> Option<std::time::Duration> {
        match self {
            Self::RateLimited { retry_after, .. } => Some(*retry_after),
            Self::Unavailable { retry_after, .. } => *retry_after,
            Self::InvalidParam { .. }
            | Self::Unknown { .. }
            | Self::Ambiguous { .. }
            | Self::NoData { .. }
            | Self::NotPermitted { .. }
            | Self::BadFile { .. }
            | Self::Store { .. }
            | Self::Internal { .. } => None,
        }
    }

    /// What could be meant instead: suggestions or choices.
    pub fn suggestions(&self) -> &[Suggestion] {
        match self {
            Self::Unknown { suggestions, .. } => suggestions,
            Self::Ambiguous { choices, .. } => choices,
            Self::InvalidParam { .. }
            | Self::NoData { .. }
            | Self::NotPermitted { .. }
            | Self::RateLimited { .. }
            | Self::Unavailable { .. }
            | Self::BadFile { .. }
            | Self::Store { .. }
            | Self::Internal { .. } => &[],
        }
    }
}

/// Logs a failure once, at the edge that answers it: a caller's mistake quietly, a fault with its causes.
pub fn log(error: &Error, endpoint: &str) {
    match error {
        Error::Store { .. } | Error::Internal { .. } | Error::Unavailable { .. } => {
            let causes = std::iter::successors(std::error::Error::source(error), |e| e.source())
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(": ");
            tracing::error!(endpoint, code = error.code(), %error, causes);
        }
        // What came may be a secret in the wrong place: the log names the argument alone.
        Error::InvalidParam { field, problem, .. } => {
            tracing::debug!(endpoint, code = error.code(), field, problem);
        }
        Error::Unknown { .. }
        | Error::Ambiguous { .. }
        | Error::NoData { .. }
        | Error::NotPermitted { .. }
        | Error::RateLimited { .. }
        | Error::BadFile { .. } => tracing::debug!(endpoint, code = error.code(), %error),
    }
}

/// Caller's text made safe to echo: control and invisible characters out, at most 64 characters.
pub fn quote(text: &str) -> String {
    let mut out: String = text
        .chars()
        .map(|c| {
            if c.is_control() || is_invisible(c) {
                '?'
            } else {
                c
            }
        })
        .take(64)
        .collect();
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

struct Received<'a>(&'a str);
impl fmt::Display for Received<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            Ok(())
        } else {
            write!(f, "\"{}\" ", self.0)
        }
    }
}

struct Choices<'a>(&'a [Suggestion]);
impl fmt::Display for Choices<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, s) in self.0.iter().enumerate() {
            let gap = if i == 0 { "" } else { "; " };
            write!(f, "{gap}{} ({})", s.id, s.title)?;
        }
        f.write_str(".")
    }
}

struct Hint<'a>(&'a [Suggestion], &'a str);
impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, "Nothing similar is known; ask for another {}.", self.1);
        }
        write!(
            f,
            "Did you mean: {} Call again with one of these.",
            Choices(self.0)
        )
    }
}

struct Line<'a>(&'a Option<u64>);
impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(line) => write!(f, " line {line}"),
            None => Ok(()),
        }
    }
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
