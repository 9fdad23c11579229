//! When a series is worth another look: at its release, then again and again until the figure is there. Pure.

use econoscope_core::model::calendar::ZONE;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Frequency, SeriesInfo, release};
use econoscope_core::recipe::Release;
use jiff::civil::{Time, time};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan};

/// Revisions are looked for at least so often, whether a figure is due or not.
const LONGEST_REST_HOURS: i32 = 7 * 24;
/// When figures come whose hour nobody told: with the first releases of a business day.
const MORNING: Time = time(8, 30, 0, 0);

/// Until when a look is good. `last` is the newest figure held.
pub(super) fn fresh_until(
    looked: Timestamp,
    info: Option<&SeriesInfo>,
    last: Option<Date>,
    release: Option<Release>,
) -> Timestamp {
    let retry = later(looked, rest_hours(info.map(|info| info.frequency)));
    let (Some(info), Some(last)) = (info, last) else {
        return retry;
    };
    let due = due(info, last, release);
    if looked >= due {
        return retry;
    }
    due.min(later(looked, LONGEST_REST_HOURS))
}

/// When the figure after the one stamped `last` comes.
fn due(info: &SeriesInfo, last: Date, told: Option<Release>) -> Timestamp {
    let mut day = match told.and_then(|told| told.after_business_days) {
        Some(days) => {
            // The next business day has a figure, which comes so many business days later.
            (0..=days).fold(last, |day, _| release::business_day_after(day))
        }
        None => release::next(info, last),
    };
    if let Some(weekday) = told.and_then(|told| told.weekday) {
        while day.weekday() != weekday.into() {
            day = shift(day, 1.day());
        }
    }
    let at = told.map_or(MORNING, |told| told.at);
    let zoned = day.to_datetime(at).to_zoned(new_york());
    zoned.map_or(Timestamp::MAX, |zoned| zoned.timestamp())
}

/// Where no time zones are installed, winter time: then a look comes an hour late in summer.
pub(super) fn new_york() -> TimeZone {
    TimeZone::get(ZONE).unwrap_or_else(|_| TimeZone::fixed(Offset::constant(-5)))
}

/// Hours until a figure that is overdue is looked for again.
fn rest_hours(frequency: Option<Frequency>) -> i32 {
    match frequency {
        Some(Frequency::Daily) | None => 4,
        Some(Frequency::Weekly | Frequency::Biweekly) => 6,
        Some(Frequency::Monthly) => 12,
        Some(Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual) => 20,
    }
}

pub(super) fn later(at: Timestamp, hours: i32) -> Timestamp {
    at.checked_add(hours.hours()).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::catalogue::Catalogue;
    use jiff::civil::date;

    fn until(id: &str, last: Date, looked: &str, release: Option<Release>) -> String {
        let info = Catalogue::embedded().get(id).unwrap();
        fresh_until(looked.parse().unwrap(), Some(info), Some(last), release).to_string()
    }

    #[test]
    fn a_look_is_good_until_the_next_release_and_then_a_short_while() {
        let evening = Release {
            after_business_days: Some(0),
            weekday: None,
            at: time(18, 0, 0, 0),
        };
        // Friday's yield is in; Monday's comes on Monday at 18:00 in New York, 23:00 UTC.
        let friday = date(2026, 11, 20);
        assert_eq!(
            until("DGS10", friday, "2026-11-21T12:00:00Z", Some(evening)),
            "2026-11-23T23:00:00Z"
        );
        assert_eq!(
            until("DGS10", friday, "2026-11-23T23:30:00Z", Some(evening)),
            "2026-11-24T03:30:00Z"
        );
        // The unemployment rate of October is in; November's comes on 4 December, but revisions are looked for weekly.
        let october = date(2026, 10, 1);
        assert_eq!(
            until("UNRATE", october, "2026-11-21T12:00:00Z", None),
            "2026-11-28T12:00:00Z"
        );
        assert_eq!(
            until("UNRATE", october, "2026-12-01T12:00:00Z", None),
            "2026-12-04T13:30:00Z"
        );
    }
}
