//! Meetings of the FOMC in the calendar: announced days, and what was decided.

use super::answer::ReleaseEvent;
use crate::endpoints::prelude::*;
use econoscope_core::model::Series;
use econoscope_core::model::calendar::{Meeting, MeetingKind, meetings};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::series_info::without_noise;
use jiff::ToSpan;
use std::sync::Arc;

/// Who meets, with the words by which an agency is asked for.
pub(super) const AGENCY: &str = "Federal Open Market Committee (Fed)";

/// Bounds of the target range, percent.
pub(super) const TARGET: [&str; 2] = ["DFEDTARL", "DFEDTARU"];

/// How a meeting's day is known.
const SCHEDULE: &str = "the Committee's schedule; tentative until confirmed at the meeting before";

/// Decisions and minutes from `from` to `to` that were known of on the day of knowledge, the earliest first.
pub(super) fn events(
    desk: &Desk,
    (from, to): (Date, Date),
    (as_of, day): (AsOf, Date),
) -> Result<Vec<ReleaseEvent>> {
    let target = target(desk, as_of)?;
    let mut events = Vec::new();
    for meeting in meetings().iter().filter(|m| m.is_known(day)) {
        if (from..=to).contains(&meeting.day) {
            events.push(decision(meeting, target.as_ref(), day));
        }
        let minutes = meeting.minutes;
        if let Some(minutes) = minutes.filter(|day| (from..=to).contains(day)) {
            events.push(ReleaseEvent {
                rule: "three weeks after the decision".to_owned(),
                ..event("fomc-minutes", "FOMC minutes", (meeting, minutes), "14:00")
            });
        }
    }
    Ok(events)
}

/// What was decided on each day after `since`, up to the day of knowledge.
///
/// # Errors
/// What reading the target range fails with.
pub(in crate::endpoints) fn decided(
    desk: &Desk,
    since: Date,
    known: (AsOf, Date),
) -> Result<Vec<ReleaseEvent>> {
    let days = (shift(since, 1.day()), known.1);
    let all = events(desk, days, known)?;
    Ok(all.into_iter().filter(|e| e.outcome.is_some()).collect())
}

/// The bounds of the target range, the lower first; `None` where one is not held.
fn target(desk: &Desk, as_of: AsOf) -> Result<Option<[Arc<Series>; 2]>> {
    let [low, high] = TARGET.map(|id| desk.series(&desk.resolve("series", id)?, as_of));
    Ok(low?.zip(high?).map(|(low, high)| [low, high]))
}

fn decision(meeting: &Meeting, target: Option<&[Arc<Series>; 2]>, day: Date) -> ReleaseEvent {
    let name = match (meeting.kind, meeting.projections) {
        (MeetingKind::Scheduled, true) => "FOMC decision and projections",
        (MeetingKind::Scheduled, false) => "FOMC decision",
        (MeetingKind::Unscheduled, _) => "FOMC meeting, unscheduled",
        (MeetingKind::Call, _) => "FOMC conference call",
        (MeetingKind::Vote, _) => "FOMC vote without a meeting",
    };
    let time = meeting.at.map(|at| at.strftime("%H:%M").to_string());
    let time = time.unwrap_or_default();
    let target = target.filter(|_| day >= meeting.day);
    ReleaseEvent {
        series: TARGET.map(str::to_owned).into(),
        outcome: target.and_then(|target| outcome(meeting, target)),
        ..event("fomc", name, (meeting, meeting.day), &time)
    }
}

fn event(release: &str, name: &str, (meeting, date): (&Meeting, Date), time: &str) -> ReleaseEvent {
    let days = match meeting.start < meeting.day {
        true => format!("{}/{}", meeting.start, meeting.day),
        false => meeting.day.to_string(),
    };
    ReleaseEvent {
        release: release.to_owned(),
        name: name.to_owned(),
        agency: AGENCY.to_owned(),
        date,
        time: time.to_owned(),
        period: days,
        basis: "announced".to_owned(),
        rule: SCHEDULE.to_owned(),
        ..ReleaseEvent::default()
    }
}

/// "target range raised by 0.25 to 5.25-5.5 percent", from the target range around the day; `None` while the range after
/// it is not known. A new range holds from the day of its announcement or the one after.
fn outcome(meeting: &Meeting, target: &[Arc<Series>; 2]) -> Option<String> {
    let effective = shift(meeting.day, 1.day());
    let around = |series: &Series| {
        let is_known = series.observations.last()?.date >= effective;
        let before = series.lookup(shift(meeting.day, (-1).day()))?;
        let after = series.lookup(effective).filter(|_| is_known)?;
        Some((before.value, after.value))
    };
    let [(_, low), (before, high)] = [around(&target[0])?, around(&target[1])?];
    let change = without_noise(high - before);
    Some(match change {
        0.0 => format!("target range unchanged at {low}-{high} percent"),
        up if up > 0.0 => format!("target range raised by {up} to {low}-{high} percent"),
        down => format!("target range lowered by {} to {low}-{high} percent", -down),
    })
}
