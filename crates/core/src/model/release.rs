//! Publication days of figures, past and next, by frequency, publication lag and business days.
//!
//! These are patterns and not the calendar of an agency: a single release may differ. Government shutdowns are taken into
//! account ([`known_from_day`]).

use super::calendar::{Publication, releases};
use super::frequency::{Date, Frequency, shift};
use super::observation::lagged_publication_day;
use super::series_info::SeriesInfo;
use super::table;
use super::when::DateRange;
use jiff::ToSpan;
use jiff::civil::{Weekday, date};
use serde::Deserialize;
use std::sync::LazyLock;

/// Spans in which no agency followed its pattern: government shutdowns and the backlog after them. The employment reports of
/// December 1995, September 2013, September and November 2025 were published on 19 January 1996, 22 October 2013,
/// 20 November and 16 December 2025.
const DISRUPTIONS: [DateRange; 3] = [
    DateRange::new(date(1995, 12, 16), date(1996, 2, 29)),
    DateRange::new(date(2013, 10, 1), date(2013, 11, 30)),
    DateRange::new(date(2025, 10, 1), date(2026, 2, 28)),
];

/// The shutdown of the Department of Commerce alone (Census Bureau and Bureau of Economic Analysis), and the months of
/// the backlog.
const COMMERCE_DISRUPTION: DateRange = DateRange::new(date(2018, 12, 22), date(2019, 4, 30));

/// Returns the latest day on which an agency published what was due on `day`: the end of a disruption of the agency that
/// contains the day, else the day itself.
pub(super) fn after_disruption(agency: &str, day: Date) -> Date {
    let is_any = |names: &[&str]| names.iter().any(|name| agency.contains(name));
    let is_commerce = is_any(&["Census Bureau", "Bureau of Economic Analysis"]);
    let others = ["Bureau of Labor Statistics", "Federal Reserve Board (Fed)"];
    match disruption(day) {
        Some(range) if is_commerce || is_any(&others) => range.end,
        None if is_commerce && COMMERCE_DISRUPTION.contains(day) => COMMERCE_DISRUPTION.end,
        _ => day,
    }
}

/// Returns the span around a day in which no agency followed its pattern, if there is one.
pub fn disruption(day: Date) -> Option<DateRange> {
    DISRUPTIONS.into_iter().find(|range| range.contains(day))
}

/// Returns the publication day of the figure of `period`, for series with a pattern:
/// - monthly figures of a release: the recorded day, else the latest possible one ([`Publication::day`]);
/// - weekly figures: the catalogue's lag in days after the week's date (claims 5, gasoline 1);
/// - daily figures: the lag in business days; monthly means of rates: the first business day after the month;
/// - the excess bond premium: the end of the following month.
///
/// `None` for all others, whose publication day varies by weeks.
pub fn publication_day(info: &SeriesInfo, period: Date) -> Option<Date> {
    let lag = info.publication_lag_days;
    let next_month = || shift(period.first_of_month(), 1.month());
    match info.frequency {
        Frequency::Daily if trades_every_day(info) => Some(shift(period, lag.days())),
        Frequency::Daily => Some((0..lag).fold(period, |day, _| business_day_after(day))),
        Frequency::Weekly => Some(info.publication_day(period)),
        Frequency::Monthly if Publication::new(info).release().is_some() => {
            Some(info.publication_day(period))
        }
        Frequency::Monthly if info.category == "rates" && lag == 1 => {
            Some(business_day_from(next_month()))
        }
        Frequency::Monthly if is_bond_premium(info) => Some(next_month().last_of_month()),
        Frequency::Monthly
        | Frequency::Biweekly
        | Frequency::Quarterly
        | Frequency::Semiannual
        | Frequency::Annual => None,
    }
}

/// When the states of a series that are known by month were taken, from a month on (`data/calendar/states.csv`, with the
/// evidence).
#[derive(Deserialize)]
struct StateRule {
    series: String,
    first: Option<Date>,
    /// The day of the month, 31 for its last.
    #[serde(rename = "taken")]
    day: i8,
    /// Months before the newest figure beyond which a revision came after the release.
    reach: Option<i32>,
    /// Whether the state is that of a release: without later revisions in the same month.
    #[serde(rename = "release")]
    is_release: bool,
}

static STATE_RULES: LazyLock<Vec<StateRule>> =
    LazyLock::new(|| table::records(include_str!("../../data/calendar/states.csv")));

impl StateRule {
    /// Returns the rule for a series' state of a month: the last one that names it, else the last one for all.
    fn of(info: &SeriesInfo, month: Date) -> Option<&'static Self> {
        let find = |name: &str| {
            let mut rules = STATE_RULES.iter().rev();
            rules.find(|rule| rule.series == name && rule.first <= Some(month))
        };
        find(info.id.as_str()).or_else(|| find("*"))
    }

    /// Returns the day on which the state of a month was taken.
    fn taken(&self, month: Date) -> Date {
        let day = shift(month.first_of_month(), (i64::from(self.day) - 1).days());
        day.min(month.last_of_month())
    }

    /// Returns the day of the release that made a state with figures up to `newest`, if it is known which one did.
    fn release_day(&self, info: &SeriesInfo, month: Date, changed: DateRange) -> Option<Date> {
        let number = |date| Frequency::Monthly.period_number(date);
        let length = number(changed.end) - number(changed.start);
        if !self.is_release || self.reach.is_some_and(|reach| length > reach) {
            return None;
        }
        let before = self.taken(shift(month.first_of_month(), (-1).month()));
        let revisions = releases().iter().filter(|r| r.revises(info.id.as_str()));
        let days = revisions.map(|r| r.day_of(changed.end));
        let print = if info.frequency == Frequency::Quarterly {
            let release = Publication::new(info).release();
            release.map(|r| r.day_of(changed.end))
        } else {
            publication_day(info, changed.end)
        };
        // A state that holds the figure of a later release of its month was taken after it.
        let end = month.last_of_month();
        let latest = print.filter(|day| *day <= end).unwrap_or_default();
        let taken = self.taken(month).max(latest);
        let known = days.chain(print).filter(|day| *day > before);
        known.filter(|day| *day <= taken).max()
    }
}

/// Returns the day from which the figures that a series gained in a month count as known.
///
/// `month` is any day of the month; `changed` reaches from the oldest to the newest period whose figure differs from the
/// state of the month before. The result is the day of the release that made the state, if one lies between the two states
/// and no later revision of the month is in it; else the last day of the month, when they were known for certain.
pub fn known_from_day(info: Option<&SeriesInfo>, month: Date, changed: Option<DateRange>) -> Date {
    let end = month.last_of_month();
    let Some((info, changed)) = info.zip(changed) else {
        return end;
    };
    let rule = StateRule::of(info, month);
    let release = rule.and_then(|rule| rule.release_day(info, month, changed));
    // Collections put some figures into the month before their release.
    let printed = Publication::new(info).release();
    let recorded = printed.and_then(|r| r.recorded_day(changed.end));
    release.unwrap_or_else(|| recorded.map_or(end, |day| day.max(end)))
}

/// Returns the day on which the figure after the one dated `last` is due.
///
/// Daily: in business days. Weekly: the source's weekday and lag. Monthly and longer: the period's end and the lag; the
/// employment report on its Friday. Never a weekend or a federal holiday.
pub fn next_release_day(info: &SeriesInfo, last: Date) -> Date {
    let frequency = info.frequency;
    let lag = info.publication_lag_days;
    if trades_every_day(info) {
        shift(last, (1 + lag).days())
    } else if frequency == Frequency::Daily {
        (0..=lag).fold(last, |day, _| business_day_after(day))
    } else if frequency == Frequency::Monthly && in_employment_report(info) {
        employment_friday(shift(last.first_of_month(), 1.month()))
    } else {
        let period = shift(last, frequency.period());
        business_day_from(lagged_publication_day(period, frequency, lag))
    }
}

/// Describes the pattern: "monthly, about the 13th of the following month". `last` gives the weekday of a weekly series.
pub fn describe_pattern(info: &SeriesInfo, last: Date) -> String {
    let lag = info.publication_lag_days;
    match (info.frequency, lag) {
        (Frequency::Daily, _) if trades_every_day(info) => "every day".to_owned(),
        (Frequency::Daily, 0) => "every business day, for the day itself".to_owned(),
        (Frequency::Daily, 1) => "every business day, for the day before".to_owned(),
        (Frequency::Daily, _) => format!("every business day, {lag} business days late"),
        (Frequency::Weekly, _) => {
            let day = shift(last, lag.days()).strftime("%A").to_string();
            format!("weekly, on {day}s, {lag} days after the week")
        }
        (Frequency::Monthly, _) if in_employment_report(info) => {
            "monthly, with the employment report: the third Friday after the week of the 12th"
                .to_owned()
        }
        (Frequency::Monthly, 1..=28) => format!("monthly, about day {lag} of the following month"),
        (frequency, _) if lag < 0 => {
            format!("{frequency}, about {} days before the period's end", -lag)
        }
        (frequency, _) => format!("{frequency}, about {lag} days after the period's end"),
    }
}

/// Returns whether the market of a series never closes.
fn trades_every_day(info: &SeriesInfo) -> bool {
    info.frequency == Frequency::Daily && info.category == "crypto"
}

/// Returns whether a series is published with the employment report; the Sahm rule is computed on the same day.
fn in_employment_report(info: &SeriesInfo) -> bool {
    info.category == "labor"
        && info.publication_lag_days == 5
        && !info.source.starts_with("FRED-MD")
}

/// Returns whether a series is the Federal Reserve Board's excess bond premium or its spread.
fn is_bond_premium(info: &SeriesInfo) -> bool {
    info.category == "credit" && info.source.starts_with("Federal Reserve Board (FEDS Notes")
}

/// Returns the day of the employment report for the month of `day`: the third Friday after the week (Sunday to Saturday) of
/// the 12th; a week later if that is one of the first three days of a year (2009, 2010, 2014, 2015, 2016, 2020, 2025), the
/// business day before if it is another holiday.
pub(super) fn employment_friday(day: Date) -> Date {
    let twelfth = shift(day.first_of_month(), 11.days());
    // 26 days after the Sunday of that week.
    let from_sunday = i64::from(twelfth.weekday().to_sunday_zero_offset());
    let mut friday = shift(twelfth, (26 - from_sunday).days());
    if friday.month() == 1 && friday.day() <= 3 {
        friday = shift(friday, 7.days());
    }
    business_day_until(friday)
}

/// Returns the Monday after the week of a day, or the next business day if that is a holiday.
pub(super) fn monday_after(day: Date) -> Date {
    let from_monday = i64::from(day.weekday().to_monday_zero_offset());
    business_day_from(shift(day, (7 - from_monday).days()))
}

/// Returns whether a day is neither on a weekend nor a federal holiday.
pub fn is_business_day(day: Date) -> bool {
    !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) && !is_holiday(day)
}

/// Returns the first business day after a day.
pub fn business_day_after(day: Date) -> Date {
    business_day_from(shift(day, 1.day()))
}

/// Returns the first business day on or after a day.
pub(super) fn business_day_from(day: Date) -> Date {
    business_day_towards(day, 1)
}

/// Returns the last business day on or before a day.
pub(super) fn business_day_until(day: Date) -> Date {
    business_day_towards(day, -1)
}

fn business_day_towards(day: Date, step: i64) -> Date {
    // No run of days off is longer. At the end of the calendar there may be no business day.
    let mut days = (0..7).map(|n| shift(day, (n * step).days()));
    days.find(|day| is_business_day(*day)).unwrap_or(day)
}

/// Returns whether a day is a federal holiday by today's law (5 U.S.C. 6103). Holidays on a Saturday are observed on the Friday
/// before, on a Sunday on the Monday after.
fn is_holiday(day: Date) -> bool {
    let year = day.year();
    let fixed = [(1, 1), (6, 19), (7, 4), (11, 11), (12, 25)];
    let observed = |(month, day): (i8, i8)| {
        let holiday = date(year, month, day);
        match holiday.weekday().to_monday_one_offset() {
            6 => shift(holiday, (-1).day()),
            7 => shift(holiday, 1.day()),
            _ => holiday,
        }
    };
    // New Year's Day of next year may be observed on 31 December.
    let new_year = (day.month(), day.day()) == (12, 31) && day.weekday() == Weekday::Friday;
    let is_nth = |month, weekday, n| {
        let nth = date(year, month, 1).nth_weekday_of_month(n, weekday);
        nth.is_ok_and(|nth| nth == day)
    };
    new_year
        || fixed.into_iter().any(|f| observed(f) == day)
        || is_nth(1, Weekday::Monday, 3)
        || is_nth(2, Weekday::Monday, 3)
        || is_nth(5, Weekday::Monday, -1)
        || is_nth(9, Weekday::Monday, 1)
        || is_nth(10, Weekday::Monday, 2)
        || is_nth(11, Weekday::Thursday, 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    fn due(id: &str, last: Date) -> Date {
        next_release_day(Catalogue::embedded().get(id).unwrap(), last)
    }

    #[test]
    fn daily_figures_are_due_on_business_days() {
        // Thursday's yield is published on Friday; Friday's on Monday.
        assert_eq!(due("DGS10", date(2026, 8, 19)), date(2026, 8, 21));
        assert_eq!(due("DGS10", date(2026, 8, 20)), date(2026, 8, 24));
        // Independence Day 2026 is observed on 3 July, 7 September is Labor Day.
        assert_eq!(due("DGS10", date(2026, 7, 1)), date(2026, 7, 6));
        assert_eq!(due("DGS10", date(2026, 9, 3)), date(2026, 9, 8));
        assert_eq!(due("RRPONTSYD", date(2026, 8, 21)), date(2026, 8, 24));
        assert_eq!(due("BTC", date(2026, 8, 21)), date(2026, 8, 22));
    }

    #[test]
    fn weekly_figures_are_due_on_their_weekday_or_after_a_holiday() {
        // Claims of a week that ends on Saturday are published on Thursday, unless it is Thanksgiving.
        assert_eq!(due("ICSA", date(2026, 8, 15)), date(2026, 8, 27));
        assert_eq!(due("ICSA", date(2026, 11, 14)), date(2026, 11, 27));
        assert_eq!(due("WALCL", date(2026, 8, 19)), date(2026, 8, 27));
    }

    #[test]
    fn employment_report_is_due_on_its_friday() {
        // Published 5 June, 2 July (the 3rd is a holiday) and 7 August 2026, and 8 January 2027.
        assert_eq!(due("UNRATE", date(2026, 4, 1)), date(2026, 6, 5));
        assert_eq!(due("UNRATE", date(2026, 5, 1)), date(2026, 7, 2));
        assert_eq!(due("PAYEMS", date(2026, 6, 1)), date(2026, 8, 7));
        assert_eq!(due("SAHMREALTIME", date(2026, 11, 1)), date(2027, 1, 8));
    }

    fn published_on(id: &str, period: Date) -> Option<Date> {
        publication_day(Catalogue::embedded().get(id).unwrap(), period)
    }

    #[test]
    fn employment_reports_were_published_on_their_days() {
        for (period, day) in [
            (date(2007, 12, 1), date(2008, 1, 4)),
            (date(2008, 11, 1), date(2008, 12, 5)),
            (date(2008, 12, 1), date(2009, 1, 9)),
            (date(2009, 12, 1), date(2010, 1, 8)),
            (date(2012, 12, 1), date(2013, 1, 4)),
            (date(2013, 12, 1), date(2014, 1, 10)),
            (date(2014, 12, 1), date(2015, 1, 9)),
            (date(2015, 12, 1), date(2016, 1, 8)),
            (date(2019, 12, 1), date(2020, 1, 10)),
            (date(2020, 3, 1), date(2020, 4, 3)),
            (date(2020, 6, 1), date(2020, 7, 2)),
            (date(2024, 12, 1), date(2025, 1, 10)),
            (date(2025, 7, 1), date(2025, 8, 1)),
        ] {
            for id in ["PAYEMS", "UNRATE", "AWHMAN"] {
                assert_eq!(published_on(id, period), Some(day), "{id} {period}");
            }
        }
        assert_eq!(
            published_on("CLAIMSX", date(2020, 3, 1)),
            None,
            "a mean of weeks"
        );
    }

    #[test]
    fn figures_are_published_by_their_pattern() {
        let july = date(2026, 7, 1);
        for (id, period, day) in [
            ("CPIAUCSL", july, date(2026, 8, 12)),
            ("CPILFESL", date(2008, 12, 1), date(2009, 1, 16)),
            // By the rule, and a business day more.
            ("INDPRO", july, date(2026, 8, 18)),
            ("PERMIT", july, date(2026, 8, 19)),
            ("HOUST", july, date(2026, 8, 19)),
            ("ICSA", date(2026, 8, 15), date(2026, 8, 20)),
            ("GASREGW", date(2026, 8, 17), date(2026, 8, 18)),
            ("EBP", date(2025, 1, 1), date(2025, 2, 28)),
            ("GS10", date(2026, 10, 1), date(2026, 11, 2)),
            ("DGS10", date(2026, 8, 20), date(2026, 8, 21)),
        ] {
            assert_eq!(published_on(id, period), Some(day), "{id}");
        }
        assert_eq!(published_on("GDPC1", date(2026, 4, 1)), None);
        assert_eq!(published_on("M2SL", july), Some(date(2026, 8, 25)));
    }

    fn from(id: &str, month: Date, oldest: Date, newest: Date) -> Date {
        let info = Catalogue::embedded().get(id).unwrap();
        known_from_day(Some(info), month, Some(DateRange::new(oldest, newest)))
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of states")]
    fn states_of_a_month_count_from_their_release() {
        let first = |y, m| date(y, m, 1);
        for (id, month, oldest, newest, day) in [
            (
                "PAYEMS",
                first(2009, 1),
                first(2008, 11),
                first(2008, 12),
                date(2009, 1, 9),
            ),
            (
                "PAYEMS",
                date(2009, 1, 17),
                first(2008, 12),
                first(2008, 12),
                date(2009, 1, 9),
            ),
            // Revised by itself.
            (
                "PAYEMS",
                first(2009, 1),
                first(2008, 11),
                first(2008, 11),
                date(2009, 1, 31),
            ),
            (
                "UNRATE",
                first(2025, 9),
                first(2025, 8),
                first(2025, 8),
                date(2025, 9, 5),
            ),
            (
                "UNRATE",
                first(2025, 12),
                first(2025, 11),
                first(2025, 11),
                date(2025, 12, 16),
            ),
            // Mid-month states of GDP: advance, second, third estimate.
            (
                "GDPC1",
                first(2024, 2),
                first(2023, 10),
                first(2023, 10),
                date(2024, 1, 25),
            ),
            (
                "GDPC1",
                first(2024, 3),
                first(2023, 10),
                first(2023, 10),
                date(2024, 2, 28),
            ),
            (
                "GDPC1",
                first(2024, 4),
                first(2023, 10),
                first(2023, 10),
                date(2024, 3, 28),
            ),
            (
                "GDPC1",
                first(2024, 10),
                first(2019, 1),
                first(2024, 4),
                date(2024, 9, 26),
            ),
            (
                "GDPC1",
                first(2026, 1),
                first(2025, 7),
                first(2025, 7),
                date(2025, 12, 23),
            ),
            (
                "GDPC1",
                first(2020, 9),
                first(2020, 4),
                first(2020, 4),
                date(2020, 8, 27),
            ),
            (
                "GDPC1",
                first(2020, 10),
                first(2020, 4),
                first(2020, 4),
                date(2020, 9, 30),
            ),
            // Permits are revised within the month, production once a year.
            (
                "PERMIT",
                first(2025, 9),
                first(2025, 8),
                first(2025, 8),
                date(2025, 9, 30),
            ),
            (
                "HOUST",
                first(2025, 9),
                first(2025, 6),
                first(2025, 8),
                date(2025, 9, 17),
            ),
            (
                "INDPRO",
                first(2025, 9),
                first(2025, 3),
                first(2025, 8),
                date(2025, 9, 16),
            ),
            (
                "INDPRO",
                first(2017, 3),
                first(1972, 1),
                first(2017, 2),
                date(2017, 3, 31),
            ),
            (
                "RETAILX",
                first(2025, 9),
                first(2025, 4),
                first(2025, 8),
                date(2025, 9, 16),
            ),
            // It stands in the file of January, and was published on 1 February.
            (
                "CPIAUCSL",
                first(1996, 1),
                first(1995, 12),
                first(1995, 12),
                date(1996, 2, 1),
            ),
        ] {
            assert_eq!(
                from(id, month, oldest, newest),
                day,
                "{id} {month} {newest}"
            );
        }
        let december = Some(DateRange::new(first(2008, 12), first(2008, 12)));
        let last = date(2009, 1, 31);
        let payems = Catalogue::embedded().get("PAYEMS").unwrap();
        assert_eq!(
            known_from_day(Some(payems), first(2009, 1), None),
            last,
            "only withdrawn"
        );
        assert_eq!(known_from_day(None, first(2009, 1), december), last);
    }

    #[test]
    fn every_rule_of_states_can_be_read() {
        let text = include_str!("../../data/calendar/states.csv");
        let mut rules = STATE_RULES.iter();
        for (line, row) in table::rows(text) {
            let [series, first, taken, reach, release, evidence] = row.unwrap();
            assert_eq!(rules.next().unwrap().series, series, "{line}");
            assert!(
                series == "*" || Catalogue::embedded().get(series).is_some(),
                "{line}"
            );
            assert!(first.is_empty() || first.parse::<Date>().is_ok(), "{line}");
            assert!((1..=31).contains(&taken.parse::<i8>().unwrap()), "{line}");
            assert!(reach.is_empty() || reach.parse::<i32>().is_ok(), "{line}");
            assert!(
                matches!(release, "true" | "false") && !evidence.is_empty(),
                "{line}"
            );
        }
    }

    #[test]
    fn claims_were_not_published_in_the_shutdown_of_2025() {
        let back = date(2025, 11, 20);
        for (id, week, day) in [
            ("ICSA", date(2025, 9, 20), date(2025, 9, 25)),
            ("ICSA", date(2025, 9, 27), back),
            ("ICSA", date(2025, 11, 8), back),
            ("ICSA", date(2025, 11, 15), back),
            ("CCSA", date(2025, 9, 13), date(2025, 9, 25)),
            ("CCSA", date(2025, 9, 20), back),
            ("CCSA", date(2025, 11, 8), back),
            ("CCSA", date(2026, 8, 8), date(2026, 8, 20)),
        ] {
            assert_eq!(published_on(id, week), Some(day), "{id} {week}");
        }
    }

    #[test]
    fn next_figure_is_published_on_its_due_day() {
        // Both rules cover daily figures and the employment report.
        for id in ["DGS10", "RRPONTSYD", "BTC", "UNRATE", "SAHMREALTIME"] {
            let info = Catalogue::embedded().get(id).unwrap();
            for days in 0..400 {
                let last = info
                    .frequency
                    .period_date(shift(date(2026, 7, 1), days.days()));
                let after = shift(last, info.frequency.period());
                let after = if info.frequency == Frequency::Monthly || trades_every_day(info) {
                    after
                } else {
                    business_day_from(after)
                };
                assert_eq!(
                    publication_day(info, after),
                    Some(next_release_day(info, last)),
                    "{id} {last}"
                );
            }
        }
    }

    #[test]
    fn slower_figures_are_due_after_their_lag() {
        assert_eq!(due("CPIAUCSL", date(2026, 7, 1)), date(2026, 9, 14));
        assert_eq!(due("GDP", date(2026, 4, 1)), date(2026, 10, 30));
    }

    #[test]
    fn due_days_are_business_days_after_the_last_figure() {
        for info in Catalogue::embedded()
            .iter()
            .filter(|i| !trades_every_day(i))
        {
            for days in 0..800 {
                let last = info
                    .frequency
                    .period_date(shift(date(2025, 1, 1), days.days()));
                let due = next_release_day(info, last);
                assert!(is_business_day(due), "{} {last} {due}", info.id);
                assert!(due > last, "{} {last} {due}", info.id);
            }
            assert!(!describe_pattern(info, date(2026, 8, 19)).is_empty());
        }
    }
}
