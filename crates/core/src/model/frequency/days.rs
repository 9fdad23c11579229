//! Whole days as numbers, and the calendar's ends.

use jiff::Span;
use jiff::civil::Date;

/// `date` moved by a span, held at the calendar's ends instead of failing.
pub fn shift(date: Date, by: Span) -> Date {
    date.saturating_add(by)
}

/// `date` moved by whole days, held at the calendar's ends; arithmetic, as [`day_number`] is, for whole histories.
pub fn days_later(date: Date, days: i64) -> Date {
    let number = i64::from(day_number(date)).saturating_add(days);
    let moved = i32::try_from(number).ok().and_then(day_from_number);
    moved.unwrap_or(if days < 0 { Date::MIN } else { Date::MAX })
}

/// Whole days from `from` to `to`; negative when `to` is earlier.
pub fn days_between(from: Date, to: Date) -> i64 {
    // Neighbours in a history mostly stand in the same month.
    if (from.year(), from.month()) == (to.year(), to.month()) {
        return i64::from(to.day()) - i64::from(from.day());
    }
    i64::from(day_number(to)) - i64::from(day_number(from))
}

/// The calendar repeats itself after 400 years, which have so many days.
const ERA: i32 = 146_097;
/// Days from 0000-03-01, where a year that ends with its leap day begins, to 1970-01-01.
const BEFORE_1970: i32 = 719_468;

/// Days since 1970-01-01. Whole histories are read and written by it, so it is arithmetic and no time span.
pub fn day_number(date: Date) -> i32 {
    let month = i32::from(date.month());
    let year = i32::from(date.year()) - i32::from(month <= 2);
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let months = (month + 9) % 12;
    let day = (153 * months + 2) / 5 + i32::from(date.day()) - 1;
    era * ERA + year * 365 + year / 4 - year / 100 + day - BEFORE_1970
}

/// The day `number` days after 1970-01-01, if the calendar holds it.
pub fn day_from_number(number: i32) -> Option<Date> {
    let days = number.checked_add(BEFORE_1970)?;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let months = (5 * day + 2) / 153;
    let month = if months < 10 { months + 3 } else { months - 9 };
    let year = era * 400 + year + i32::from(month <= 2);
    Date::new(
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day - (153 * months + 2) / 5 + 1).ok()?,
    )
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::ToSpan;
    use jiff::civil::date;

    #[test]
    fn day_numbers_go_both_ways() {
        for d in [date(1854, 1, 1), date(1970, 1, 1), date(2026, 11, 21)] {
            assert_eq!(day_from_number(day_number(d)), Some(d));
        }
        assert_eq!(days_between(date(2026, 1, 1), date(2026, 3, 1)), 59);
        assert_eq!(days_between(date(2026, 1, 31), date(2026, 1, 1)), -30);
        assert_eq!(days_between(date(2025, 1, 1), date(2026, 1, 1)), 365);
        for outside in [
            i32::MIN,
            i32::MAX,
            day_number(Date::MAX) + 1,
            day_number(Date::MIN) - 1,
        ] {
            assert_eq!(day_from_number(outside), None);
        }
        // Every day of two eras around the present, and the ends of the calendar, by the library's own way.
        let own = |number: i32| {
            let span = jiff::SignedDuration::from_hours(i64::from(number) * 24);
            date(1970, 1, 1).checked_add(span).ok()
        };
        let ends = [day_number(Date::MIN), day_number(Date::MAX)];
        for number in (-150_000..150_000).chain(ends) {
            assert_eq!(day_from_number(number), own(number), "{number}");
            assert_eq!(day_from_number(number).map(day_number), Some(number));
        }
        for from in [Date::MIN, date(2024, 2, 29), Date::MAX] {
            for days in [-4_000_000, -366, -1, 0, 1, 60, 4_000_000] {
                let moved = from.saturating_add(days.days());
                assert_eq!(days_later(from, days), moved, "{from} {days}");
            }
        }
    }
}
