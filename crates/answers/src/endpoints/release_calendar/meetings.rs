//! Meetings of the FOMC: announced days, and decisions on the target range.

use super::answer::{ANNOUNCED, ReleaseEvent};
use crate::prelude::*;
use econoscope_core::model::calendar::{
    AnnouncedDay, AnnouncedDays, Meeting, MeetingKind, meetings,
};
use econoscope_core::model::frequency::days_between;

/// Name of the Committee, with the word by which the `agency` argument matches it.
pub(super) const AGENCY: &str = "Federal Open Market Committee (Fed)";

/// Series of the lower and the upper bound of the target range, percent.
pub(super) const TARGET_RANGE: [&str; 2] = ["DFEDTARL", "DFEDTARU"];

/// A meeting or minutes announced for a day this near to one of the schedule are the same.
const NEAR_DAYS: i64 = 10;

const SCHEDULE: &str = "the Committee's schedule; tentative until confirmed at the meeting before";

/// Returns the decisions and minutes of a range that were scheduled by the reference day, in order.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub(in crate::endpoints) fn events(
    desk: &Desk,
    range: DateRange,
    as_of: AsOf,
) -> Result<Vec<ReleaseEvent>> {
    let [low, high] = TARGET_RANGE.map(|id| desk.series(&desk.resolve("series", id)?, as_of));
    let bounds = low?.zip(high?);
    let day = newest(as_of, desk.today());
    let days = desk.announced_days(as_of)?;
    let mut events = Vec::new();
    // Meetings that the schedule of this program does not have.
    let is_new = |announced: &&AnnouncedDay| {
        let is_far = |m: &Meeting| days_between(m.day, announced.day).abs() > NEAR_DAYS;
        meetings().iter().all(is_far)
    };
    let new = days.of("fomc").filter(is_new).map(Meeting::announced);
    let known = meetings().iter().copied().filter(|m| m.is_known_on(day));
    for meeting in &known.chain(new).collect::<Vec<_>>() {
        if range.contains(meeting.day) {
            let known = bounds.as_ref().filter(|_| day >= meeting.day);
            events.push(ReleaseEvent {
                series: TARGET_RANGE.map(str::to_owned).into(),
                outcome: known.and_then(|(low, high)| describe_outcome(meeting, low, high)),
                ..decision(meeting)
            });
        }
        let by_rule = meeting.minutes;
        let minutes = by_rule.map(|day| nearest(&days, "fomc-minutes", day).unwrap_or(day));
        if let Some(minutes) = minutes.filter(|day| range.contains(*day)) {
            events.push(ReleaseEvent {
                time: "14:00".to_owned(),
                rule: "three weeks after the decision".to_owned(),
                ..event("fomc-minutes", "FOMC minutes", meeting, minutes)
            });
        }
    }
    Ok(events)
}

/// Returns the announced day that is nearest to one by rule.
fn nearest(days: &AnnouncedDays, release: &str, by_rule: Date) -> Option<Date> {
    let distance = |day: &Date| days_between(by_rule, *day).abs();
    let announced = days.of(release).map(|announced| announced.day);
    let near = announced.filter(|day| distance(day) <= NEAR_DAYS);
    near.min_by_key(distance)
}

fn decision(meeting: &Meeting) -> ReleaseEvent {
    let name = match (meeting.kind, meeting.has_projections) {
        (MeetingKind::Scheduled, true) => "FOMC decision and projections",
        (MeetingKind::Scheduled, false) => "FOMC decision",
        (MeetingKind::Unscheduled, _) => "FOMC meeting, unscheduled",
        (MeetingKind::Call, _) => "FOMC conference call",
        (MeetingKind::Vote, _) => "FOMC vote without a meeting",
    };
    let time = meeting.at.map(|at| at.strftime("%H:%M").to_string());
    ReleaseEvent {
        time: time.unwrap_or_default(),
        ..event("fomc", name, meeting, meeting.day)
    }
}

fn event(release: &str, name: &str, meeting: &Meeting, date: Date) -> ReleaseEvent {
    let days = if meeting.start < meeting.day {
        format!("{}/{}", meeting.start, meeting.day)
    } else {
        meeting.day.to_string()
    };
    ReleaseEvent {
        date,
        release: release.to_owned(),
        name: name.to_owned(),
        agency: AGENCY.to_owned(),
        period: days,
        basis: ANNOUNCED.to_owned(),
        rule: SCHEDULE.to_owned(),
        ..ReleaseEvent::default()
    }
}

/// Describes a decision: "target range raised by 0.25 to 5.25-5.5 percent". Compares the bounds on the day before and
/// the day after; `None` while the latter are not known. A new range is in effect from the day of its announcement or
/// the next.
fn describe_outcome(meeting: &Meeting, low: &Series, high: &Series) -> Option<String> {
    let effective = shift(meeting.day, 1.day());
    let before_and_after = |series: &Series| {
        let is_known = series.observations.last()?.date >= effective;
        let before = series.fresh_observation(shift(meeting.day, (-1).day()))?;
        let after = series.fresh_observation(effective).filter(|_| is_known)?;
        Some((before.value, after.value))
    };
    let ((_, low), (before, high)) = (before_and_after(low)?, before_and_after(high)?);
    let change = remove_rounding_error(high - before);
    Some(match change {
        0.0 => format!("target range unchanged at {low}-{high} percent"),
        up if up > 0.0 => format!("target range raised by {up} to {low}-{high} percent"),
        down => format!("target range lowered by {} to {low}-{high} percent", -down),
    })
}
