//! Meetings of the Federal Open Market Committee: announced days, no rule (`data/calendar/fomc.csv`, 1994 on).

use crate::model::Date;
use crate::model::table;
use jiff::civil::Time;
use std::sync::LazyLock;

/// How the Committee came together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeetingKind {
    /// One of the eight meetings a year whose days are announced more than a year ahead.
    Scheduled,
    /// A meeting between them.
    Unscheduled,
    /// A conference call between them.
    Call,
    /// A vote without a meeting.
    Vote,
}

/// A meeting, and the days on which its papers come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    /// First day.
    pub start: Date,
    /// Last day: that of the decision, or of its announcement where that came a day later.
    pub day: Date,
    /// How it came together.
    pub kind: MeetingKind,
    /// Time of day of the statement, Eastern; `None` where none is recorded.
    pub at: Option<Time>,
    /// Whether projections come out with the statement, as since April 2011 after every other meeting.
    pub projections: bool,
    /// The day of the minutes: recorded to 2022, three weeks after the decision since; `None` where none are known.
    pub minutes: Option<Date>,
    /// The day on which a scheduled meeting was called off.
    called_off: Option<Date>,
}

static MEETINGS: LazyLock<Vec<Meeting>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../../data/calendar/fomc.csv"));
    // The file is fixed at build time and a test reads every row, so none is lost here.
    rows.filter_map(|(_, row)| meeting(row.ok()?)).collect()
});

fn meeting(
    [day, start, kind, at, projections, minutes, called_off, _]: [&str; 8],
) -> Option<Meeting> {
    Some(Meeting {
        start: start.parse().ok()?,
        day: day.parse().ok()?,
        kind: match kind {
            "scheduled" => MeetingKind::Scheduled,
            "unscheduled" => MeetingKind::Unscheduled,
            "call" => MeetingKind::Call,
            "vote" => MeetingKind::Vote,
            _ => return None,
        },
        at: at.parse().ok(),
        projections: projections == "yes",
        minutes: minutes.parse().ok(),
        called_off: called_off.parse().ok(),
    })
}

/// Every meeting from 1994 on, the earliest first.
pub fn meetings() -> &'static [Meeting] {
    &MEETINGS
}

impl Meeting {
    /// Whether it was known of on a day: a scheduled one until it was called off, another from its own day on.
    pub fn is_known(&self, on: Date) -> bool {
        match self.kind {
            MeetingKind::Scheduled => self.called_off.is_none_or(|day| on < day),
            MeetingKind::Unscheduled | MeetingKind::Call | MeetingKind::Vote => self.day <= on,
        }
    }

    /// Whether it was scheduled and took place, or will.
    pub fn is_regular(&self) -> bool {
        self.kind == MeetingKind::Scheduled && self.called_off.is_none()
    }
}

/// Whether a person names these meetings: "fomc", "Fed meeting", "next Fed decision", "FOMC minutes".
pub fn is_meeting(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty());
    let known = [
        "next",
        "the",
        "fomc",
        "fed",
        "federal",
        "open",
        "market",
        "committee",
        "reserve",
        "s",
        "meeting",
        "meetings",
        "decision",
        "decisions",
        "rate",
        "minutes",
        "statement",
        "dot",
        "plot",
        "sep",
        "projections",
        "when",
        "is",
    ];
    let is_named = ["fomc", "dot plot", "open market committee"]
        .iter()
        .any(|n| name.contains(n))
        || (name.contains("fed")
            && ["meeting", "decision", "minutes"]
                .iter()
                .any(|n| name.contains(n)));
    is_named && words.all(|word| known.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::frequency::days_between;
    use jiff::civil::date;

    #[test]
    fn every_row_is_read_and_every_year_has_its_eight_scheduled_meetings() {
        let rows = table::rows::<8>(include_str!("../../../data/calendar/fomc.csv"));
        for (line, row) in rows {
            assert!(row.ok().and_then(meeting).is_some(), "line {line}");
        }
        assert!(meetings().is_sorted_by_key(|m| m.day));
        for year in 1994..=2027 {
            let of = |m: &&Meeting| m.day.year() == year && m.kind == MeetingKind::Scheduled;
            assert_eq!(meetings().iter().filter(of).count(), 8, "{year}");
        }
        for m in meetings() {
            assert!((0..=1).contains(&days_between(m.start, m.day)), "{m:?}");
            let after = m.minutes.map(|minutes| days_between(m.day, minutes));
            assert!(after.is_none_or(|n| (14..=60).contains(&n)), "{m:?}");
            assert!(m.kind == MeetingKind::Scheduled || !m.projections, "{m:?}");
        }
    }

    #[test]
    fn an_unscheduled_meeting_is_known_from_its_day_and_one_called_off_until_then() {
        let of = |day| meetings().iter().find(|m| m.day == day).unwrap();
        let (cut, planned) = (of(date(2020, 3, 3)), of(date(2020, 3, 18)));
        assert!(!cut.is_known(date(2020, 3, 2)) && cut.is_known(date(2020, 3, 3)));
        assert!(planned.is_known(date(2020, 3, 14)) && !planned.is_known(date(2020, 3, 15)));
        assert!(!planned.is_regular() && of(date(2026, 12, 9)).is_regular());
    }

    #[test]
    fn people_name_the_meetings_in_many_ways() {
        for name in [
            "FOMC",
            "fed meeting",
            "next Fed decision",
            "FOMC minutes",
            "the Fed's next meeting",
            "dot plot",
        ] {
            assert!(is_meeting(name), "{name}");
        }
        for name in [
            "cpi",
            "fed funds",
            "fed balance sheet",
            "FOMC target range",
            "federal debt",
            "",
        ] {
            assert!(!is_meeting(name), "{name}");
        }
    }
}
