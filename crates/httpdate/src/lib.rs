//! The date of an HTTP answer. A clock before 1970 or after 9999, which HTTP cannot write, is taken to show the nearest
//! date that it can; `tests/chaos/clock_jumps.py` asks a server whose clock does.

#![forbid(unsafe_code)]

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use std::fmt::{self, Display, Formatter};
use std::time::SystemTime;

/// The last second that has a year of four digits, in every time zone.
const LAST: Timestamp = Timestamp::constant(253_402_207_199, 0);

/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpDate(Timestamp);

impl From<SystemTime> for HttpDate {
    fn from(shown: SystemTime) -> Self {
        let beyond = if shown < SystemTime::UNIX_EPOCH {
            Timestamp::UNIX_EPOCH
        } else {
            LAST
        };
        let shown = Timestamp::try_from(shown).unwrap_or(beyond);
        Self(shown.clamp(Timestamp::UNIX_EPOCH, LAST))
    }
}

impl Display for HttpDate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = DateTimePrinter::new().timestamp_to_rfc9110_string(&self.0);
        f.write_str(&text.map_err(|_| fmt::Error)?)
    }
}
