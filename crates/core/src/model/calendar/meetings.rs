//! Meetings of the Federal Open Market Committee from 1994 on, by announced days (`data/calendar/fomc.csv`).

use super::AnnouncedDay;
use crate::model::Date;
use crate::model::table;
use jiff::civil::Time;
use serde::Deserialize;
use std::sync::LazyLock;

/// The kind of a meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeetingKind {
    /// One of the eight meetings per year, announced more than a year ahead.
    Scheduled,
    /// A meeting between scheduled ones.
    Unscheduled,
    /// A conference call between scheduled meetings.
    Call,
    /// A vote without a meeting.
    Vote,
}

/// A meeting with the days of its publications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Meeting {
    /// First day.
    pub start: Date,
    /// Last day: the day of the decision, or of its announcement if that was a day later.
    pub day: Date,
    /// Kind.
    pub kind: MeetingKind,
    /// Eastern time of the statement, if recorded.
    #[serde(rename = "time")]
    pub at: Option<Time>,
    /// Whether projections are published with the statement, since April 2011 after every other meeting.
    #[serde(rename = "projections")]
    pub has_projections: bool,
    /// Day of the minutes: recorded up to 2022, since then three weeks after the decision; `None` if unknown.
    pub minutes: Option<Date>,
    /// Day on which a scheduled meeting was cancelled.
    #[serde(rename = "called_off")]
    cancelled: Option<Date>,
}

static MEETINGS: LazyLock<Vec<Meeting>> =
    LazyLock::new(|| table::records(include_str!("../../../data/calendar/fomc.csv")));

/// Returns every meeting from 1994 on, the earliest first.
pub fn meetings() -> &'static [Meeting] {
    &MEETINGS
}

impl Meeting {
    /// Returns a meeting that was announced and that the file does not have.
    pub fn announced(announced: &AnnouncedDay) -> Self {
        Self {
            start: announced.day,
            day: announced.day,
            kind: MeetingKind::Scheduled,
            at: announced.at,
            has_projections: false,
            minutes: None,
            cancelled: None,
        }
    }

    /// Returns whether it was known on a day: a scheduled one until it was cancelled, any other from its day on.
    pub fn is_known_on(&self, on: Date) -> bool {
        match self.kind {
            MeetingKind::Scheduled => self.cancelled.is_none_or(|day| on < day),
            MeetingKind::Unscheduled | MeetingKind::Call | MeetingKind::Vote => self.day <= on,
        }
    }

    /// Returns whether it was a meeting with a decision: a scheduled one, or another after which a statement was published.
    pub fn has_decision(&self) -> bool {
        let is_other = matches!(self.kind, MeetingKind::Unscheduled | MeetingKind::Call);
        self.is_regular() || is_other && self.at.is_some()
    }

    /// Returns whether it was scheduled and not cancelled.
    pub fn is_regular(&self) -> bool {
        self.kind == MeetingKind::Scheduled && self.cancelled.is_none()
    }
}

/// The words that the name of a meeting may have.
const WORDS: &str = "next the fomc fed federal open market committee reserve s meeting meetings decision decisions rate \
                     minutes statement dot plot sep projections when is";

/// Returns whether a name means these meetings: "fomc", "Fed meeting", "next Fed decision", "FOMC minutes".
pub fn is_meeting_name(text: &str) -> bool {
    let name = text.to_ascii_lowercase();
    let mut words = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty());
    let has_any = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let is_meeting = has_any(&["fomc", "dot plot", "open market committee"])
        || (name.contains("fed") && has_any(&["meeting", "decision", "minutes"]));
    is_meeting && words.all(|word| WORDS.split(' ').any(|allowed| allowed == word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::frequency::days_between;
    use jiff::civil::date;

    #[test]
    fn every_row_is_valid_and_years_have_eight_scheduled_meetings() {
        let text = include_str!("../../../data/calendar/fomc.csv");
        assert_eq!(meetings().len(), text.lines().count() - 1);
        assert!(meetings().is_sorted_by_key(|m| m.day));
        for year in 1994..=2027 {
            let is_counted =
                |m: &&Meeting| m.day.year() == year && m.kind == MeetingKind::Scheduled;
            assert_eq!(meetings().iter().filter(is_counted).count(), 8, "{year}");
        }
        for m in meetings() {
            assert!((0..=1).contains(&days_between(m.start, m.day)), "{m:?}");
            let after = m.minutes.map(|minutes| days_between(m.day, minutes));
            assert!(after.is_none_or(|n| (14..=60).contains(&n)), "{m:?}");
            assert!(
                m.kind == MeetingKind::Scheduled || !m.has_projections,
                "{m:?}"
            );
        }
    }

    #[test]
    fn meetings_are_known_from_or_until_their_days() {
        let on = |day| meetings().iter().find(|m| m.day == day).unwrap();
        let unscheduled = on(date(2020, 3, 3));
        let cancelled = on(date(2020, 3, 18));
        assert!(
            !unscheduled.is_known_on(date(2020, 3, 2)) && unscheduled.is_known_on(date(2020, 3, 3))
        );
        assert!(
            cancelled.is_known_on(date(2020, 3, 14)) && !cancelled.is_known_on(date(2020, 3, 15))
        );
        assert!(!cancelled.is_regular() && on(date(2026, 12, 9)).is_regular());
    }

    #[test]
    fn names_of_meetings_are_recognised() {
        for name in [
            "FOMC",
            "fed meeting",
            "next Fed decision",
            "FOMC minutes",
            "the Fed's next meeting",
            "dot plot",
        ] {
            assert!(is_meeting_name(name), "{name}");
        }
        for name in [
            "cpi",
            "fed funds",
            "fed balance sheet",
            "FOMC target range",
            "federal debt",
            "",
        ] {
            assert!(!is_meeting_name(name), "{name}");
        }
    }
}
