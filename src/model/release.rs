//! When the next figure of a series is due.
//!
//! From how often it is measured, how late it usually comes, and the business days on which agencies publish.
//! A pattern, not an agency's calendar: one release may differ.

use super::frequency::shift;
use super::observation::known_by;
use super::{Date, Frequency, SeriesInfo};
use jiff::ToSpan;
use jiff::civil::{Weekday, date};

/// The day the figure after the one stamped `last` is due.
///
/// Daily: business days all the way. Weekly: the source's weekday and lag. Monthly and slower: the period's
/// end and the lag; the employment report on its Friday. Never on a weekend or a federal holiday.
pub fn next(info: &SeriesInfo, last: Date) -> Date {
    if trades_every_day(info) {
        return shift(last, (1 + info.publication_lag_days).days());
    }
    match info.frequency {
        Frequency::Daily => {
            (0..=info.publication_lag_days).fold(last, |day, _| business_day_after(day))
        }
        Frequency::Monthly if in_employment_report(info) => {
            employment_friday(shift(last.first_of_month(), 1.month()))
        }
        Frequency::Weekly | Frequency::Monthly | Frequency::Quarterly | Frequency::Annual => {
            let period = shift(last, info.frequency.period());
            business_day_from(known_by(period, info.frequency, info.publication_lag_days))
        }
    }
}

/// The pattern in words: "monthly, about the 13th of the following month". `last` gives a weekly series' weekday.
pub fn pattern(info: &SeriesInfo, last: Date) -> String {
    let lag = info.publication_lag_days;
    match info.frequency {
        Frequency::Daily if trades_every_day(info) => "every day".to_owned(),
        Frequency::Daily if lag == 0 => "every business day, for the day itself".to_owned(),
        Frequency::Daily if lag == 1 => "every business day, for the day before".to_owned(),
        Frequency::Daily => format!("every business day, {lag} business days late"),
        Frequency::Weekly => {
            let day = shift(last, lag.days()).strftime("%A").to_string();
            format!("weekly, on {day}s, {lag} days after the week")
        }
        Frequency::Monthly if in_employment_report(info) => {
            "monthly, with the employment report: the third Friday after the week of the 12th"
                .to_owned()
        }
        Frequency::Monthly if (1..=28).contains(&lag) => {
            format!("monthly, about day {lag} of the following month")
        }
        Frequency::Monthly | Frequency::Quarterly | Frequency::Annual => {
            let word = info.frequency.word();
            format!("{word}, about {lag} days after the period's end")
        }
    }
}

/// Markets that never close.
fn trades_every_day(info: &SeriesInfo) -> bool {
    info.frequency == Frequency::Daily && info.category == "crypto"
}

/// Figures of the employment report, and the Sahm rule that follows from it on the same day.
fn in_employment_report(info: &SeriesInfo) -> bool {
    info.category == "labor" && info.publication_lag_days == 5
}

/// The day of the employment report for the month of `day`: the third Friday after the week (Sunday to
/// Saturday) that holds the 12th; a week later when that is New Year's Day, the business day before when it
/// is another holiday.
fn employment_friday(day: Date) -> Date {
    let twelfth = shift(day.first_of_month(), 11.days());
    let to_saturday =
        Weekday::Saturday.to_sunday_zero_offset() - twelfth.weekday().to_sunday_zero_offset();
    let mut friday = shift(twelfth, i64::from(to_saturday + 20).days());
    if (friday.month(), friday.day()) == (1, 1) {
        friday = shift(friday, 7.days());
    }
    while !is_business_day(friday) {
        friday = shift(friday, (-1).day());
    }
    friday
}

/// Whether agencies publish: neither a weekend nor a federal holiday.
pub fn is_business_day(day: Date) -> bool {
    !is_weekend(day) && !is_holiday(day)
}

fn is_weekend(day: Date) -> bool {
    matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
}

fn business_day_after(day: Date) -> Date {
    business_day_from(shift(day, 1.day()))
}

fn business_day_from(mut day: Date) -> Date {
    while !is_business_day(day) {
        day = shift(day, 1.day());
    }
    day
}

/// Federal holidays of today's law (5 U.S.C. 6103): on a Saturday they are kept on the Friday before, on a
/// Sunday on the Monday after.
fn is_holiday(day: Date) -> bool {
    let year = day.year();
    let fixed = [(1, 1), (6, 19), (7, 4), (11, 11), (12, 25)];
    let kept = |(month, on): (i8, i8)| {
        let holiday = date(year, month, on);
        match holiday.weekday() {
            Weekday::Saturday => shift(holiday, (-1).day()),
            Weekday::Sunday => shift(holiday, 1.day()),
            Weekday::Monday
            | Weekday::Tuesday
            | Weekday::Wednesday
            | Weekday::Thursday
            | Weekday::Friday => holiday,
        }
    };
    // New Year's Day of next year may be kept on 31 December.
    let new_year = (day.month(), day.day()) == (12, 31) && day.weekday() == Weekday::Friday;
    let nth = |month, weekday, n| {
        date(year, month, 1)
            .nth_weekday_of_month(n, weekday)
            .is_ok_and(|d| d == day)
    };
    new_year
        || fixed.into_iter().any(|f| kept(f) == day)
        || nth(1, Weekday::Monday, 3)
        || nth(2, Weekday::Monday, 3)
        || nth(5, Weekday::Monday, -1)
        || nth(9, Weekday::Monday, 1)
        || nth(10, Weekday::Monday, 2)
        || nth(11, Weekday::Thursday, 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Catalogue;

    fn due(id: &str, last: Date) -> Date {
        next(Catalogue::embedded().get(id).unwrap(), last)
    }

    #[test]
    fn daily_figures_are_due_on_business_days() {
        // Thursday's yield is published on Friday; Friday's on Monday.
        assert_eq!(due("DGS10", date(2026, 8, 19)), date(2026, 8, 21));
        assert_eq!(due("DGS10", date(2026, 8, 20)), date(2026, 8, 24));
        // 3 July 2026 is kept for Independence Day, 7 September is Labor Day.
        assert_eq!(due("DGS10", date(2026, 7, 1)), date(2026, 7, 6));
        assert_eq!(due("DGS10", date(2026, 9, 3)), date(2026, 9, 8));
        assert_eq!(due("RRPONTSYD", date(2026, 8, 21)), date(2026, 8, 24));
        assert_eq!(due("BTC", date(2026, 8, 21)), date(2026, 8, 22));
    }

    #[test]
    fn weekly_figures_keep_their_weekday_unless_it_is_a_holiday() {
        // Claims of a week that ends on Saturday come on Thursday; Thanksgiving moves them.
        assert_eq!(due("ICSA", date(2026, 8, 15)), date(2026, 8, 27));
        assert_eq!(due("ICSA", date(2026, 11, 14)), date(2026, 11, 27));
        assert_eq!(due("WALCL", date(2026, 8, 19)), date(2026, 8, 27));
    }

    #[test]
    fn the_employment_report_has_its_friday() {
        // Published 5 June, 2 July (the 3rd is a holiday) and 7 August 2026, and 8 January 2027.
        assert_eq!(due("UNRATE", date(2026, 4, 1)), date(2026, 6, 5));
        assert_eq!(due("UNRATE", date(2026, 5, 1)), date(2026, 7, 2));
        assert_eq!(due("PAYEMS", date(2026, 6, 1)), date(2026, 8, 7));
        assert_eq!(due("SAHMREALTIME", date(2026, 11, 1)), date(2027, 1, 8));
    }

    #[test]
    fn slower_figures_are_due_after_their_lag() {
        assert_eq!(due("CPIAUCSL", date(2026, 7, 1)), date(2026, 9, 14));
        assert_eq!(due("GDP", date(2026, 4, 1)), date(2026, 10, 30));
    }

    #[test]
    fn nothing_is_ever_due_on_a_day_off_or_before_the_last_figure() {
        for info in Catalogue::embedded()
            .iter()
            .filter(|i| !trades_every_day(i))
        {
            for days in 0..800 {
                let last = info.frequency.stamp(shift(date(2025, 1, 1), days.days()));
                let due = next(info, last);
                assert!(is_business_day(due), "{} {last} {due}", info.id);
                assert!(due > last, "{} {last} {due}", info.id);
            }
            assert!(!pattern(info, date(2026, 8, 19)).is_empty());
        }
    }
}
