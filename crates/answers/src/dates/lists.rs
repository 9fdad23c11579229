//! Arguments of more than one day: lists, ranges of periods, and events by name.

use super::{CalendarPeriod, FORMS, join_split_dates, newest, read};
use crate::conditions::crossings_known;
use crate::prelude::*;
use crate::route::decode;
use econoscope_core::indicators::nber::{RECESSIONS, Recession};
use econoscope_core::model::calendar::{TargetChange, meetings, target_changes};

/// Separators of a range.
const RANGES: [&str; 2] = ["..", " to "];

/// A day, or the first and the last day of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Periods {
    /// The period that contains a day.
    Of(Date),
    /// Every period from one day to another.
    Range(Date, Date),
}

/// Splits a list of dates at its commas.
pub(crate) fn split_list(text: &str) -> Vec<String> {
    let parts = text.split(',').map(str::trim);
    join_split_dates(parts.filter(|part| !part.is_empty()))
}

/// Reads periods: `2008-12`, `2008-11, 2008-12`, `2008-01..2008-12`. A range without an end goes on to today.
///
/// # Errors
/// [`Error::InvalidParam`] naming the field for what is no day, and for a range that ends before it starts.
pub(crate) fn parse_periods(field: &str, text: &str, today: Date) -> Result<Vec<Periods>> {
    let parts = split_list(text);
    if parts.is_empty() {
        read(field, text, today, today)?;
    }
    let periods = parts.iter().map(|part| parse_period(field, part, today));
    periods.collect()
}

/// Reads one day or range.
fn parse_period(field: &str, text: &str, today: Date) -> Result<Periods> {
    let mut separators = RANGES.iter();
    let Some((from, to)) = separators.find_map(|separator| text.split_once(separator)) else {
        return read(field, text, today, today).map(Periods::Of);
    };
    let to = match to.trim() {
        "" => today,
        to => read(field, to, today, today)?,
    };
    // A range starts on the first day of its first period, whatever the argument.
    let from = match CalendarPeriod::parse(from.trim()) {
        Ok(when) => when.from,
        Err(_) => read(field, from, to, today)?,
    };
    if from > to {
        let problem = "ends before it starts";
        let allowed = "a range as 2008-01..2008-12";
        return Err(Error::invalid(field, text, problem, allowed));
    }
    Ok(Periods::Range(from, to))
}

/// How events may be named.
const EVENTS: &str = "an event: FOMC 2022, NBER peaks, NBER trough 2009, recessions, first rate cuts, \
    first hike 2022, last hikes, or a condition for the days from which it is met: T10Y2Y < 0";

/// Most crossings of a condition in days or weeks, in and out; of more, its months count.
const MAX_CROSSINGS: usize = 40;

/// First year of the turning points of a name without a year.
const POSTWAR: i16 = 1945;

/// What a name of events is read in.
#[derive(Clone, Copy)]
pub(crate) struct EventScope<'a> {
    /// For figures; a server that forwards has none.
    pub(crate) desk: Option<&'a Desk>,
    /// The state of the figures.
    pub(crate) as_of: AsOf,
    /// The frequency of a condition; that of its series unless given.
    pub(crate) frequency: Option<Frequency>,
    pub(crate) today: Date,
}

/// Reads a list of days, names of events and conditions, ascending. A name stands for all its days up to the state of the figures.
///
/// # Errors
/// [`Error::InvalidParam`] naming the field for what is no day and no name, and for a name without a day; those of a
/// condition.
pub(crate) fn event_days(field: &str, text: &str, scope: EventScope) -> Result<Vec<Date>> {
    let newest = newest(scope.as_of, scope.today);
    let mut days = Vec::new();
    let parts = decode::parts(text).filter(|part| !part.is_empty());
    for part in join_split_dates(parts) {
        let named = match read(field, &part, newest, scope.today) {
            Ok(day) => {
                days.push(day);
                continue;
            }
            Err(_) if part.contains(['<', '>', '=', '≤', '≥', '≠']) => {
                crossing_days(&part, scope)?
            }
            Err(Error::InvalidParam { problem, .. }) => {
                let allowed = format!("{FORMS}; or {EVENTS}");
                let unknown = || Error::invalid(field, &part, &problem, &allowed);
                named_days(&part, scope)?.ok_or_else(unknown)?
            }
            Err(error) => return Err(error),
        };
        let known = days.len();
        days.extend(named.into_iter().filter(|day| *day <= newest));
        if days.len() == known {
            return Err(Error::invalid(field, &part, "names no event", EVENTS));
        }
    }
    days.sort_unstable();
    days.dedup();
    let none = || Error::invalid(field, text, "names no event", EVENTS);
    Some(days).filter(|days| !days.is_empty()).ok_or_else(none)
}

/// Returns the days from which a condition is met.
fn crossing_days(text: &str, scope: EventScope) -> Result<Vec<Date>> {
    let Some(desk) = scope.desk else {
        let problem = "is a condition, and the figures are on another server";
        return Err(Error::invalid("after", text, problem, EVENTS));
    };
    let mut found = crossings_known(desk, text, scope.as_of, scope.frequency)?;
    let is_often = found.crossings.len() > MAX_CROSSINGS && found.frequency < Frequency::Monthly;
    if is_often && scope.frequency.is_none() {
        // Days go to and fro where months cross once.
        found = crossings_known(desk, text, scope.as_of, Some(Frequency::Monthly))?;
    }
    let met = found.crossings.iter().filter(|c| c.met);
    Ok(met.map(|c| c.date).collect())
}

/// Returns the days of "FOMC 2022", "NBER peaks", "recession 2008" or "first rate cuts"; `None` for another text.
fn named_days(text: &str, scope: EventScope) -> Result<Option<Vec<Date>>> {
    let lower = text.to_ascii_lowercase();
    let all = lower.split(|c: char| !c.is_alphanumeric());
    let mut words: Vec<&str> = all
        .map(|word| word.strip_suffix('s').unwrap_or(word))
        .collect();
    words.retain(|word| !["", "the", "of", "in", "a", "fed", "rate"].contains(word));
    let year = words.last().and_then(|word| word.parse::<i16>().ok());
    words.truncate(words.len() - usize::from(year.is_some()));
    let is_in = |first: Date, last: Date| {
        let years = first.year()..=last.year();
        year.map_or(last.year() >= POSTWAR, |year| years.contains(&year))
    };
    let peak = |r: &Recession| r.peak.last_day();
    // The NBER dates a turning point months later.
    let day = newest(scope.as_of, scope.today);
    let dated = || RECESSIONS.iter().filter(|r| r.is_known_on(day));
    let mut days: Vec<Date> = match *words.as_slice() {
        ["fomc"] | ["fomc", "meeting" | "decision"] if year.is_some() => {
            let decisions = meetings().iter().filter(|m| m.has_decision());
            decisions.map(|m| m.day).collect()
        }
        ["nber", "peak"] => dated().map(peak).collect(),
        ["nber", "trough"] => {
            let over = dated().filter(|r| r.is_over_on(day));
            over.map(|r| r.end()).collect()
        }
        ["recession"] | ["nber", "recession"] => {
            let within = dated().filter(|r| is_in(peak(r), r.end()));
            return Ok(Some(within.map(peak).collect()));
        }
        [order @ ("first" | "last"), change @ ("cut" | "hike")] => {
            target_days(order, change, scope)?
        }
        [change @ ("cut" | "hike")] => target_days("", change, scope)?,
        _ => return Ok(None),
    };
    days.retain(|day| is_in(*day, *day));
    Ok(Some(days))
}

/// Returns the days of the cuts or hikes of the federal funds target, of the first or last of each run, or of all.
fn target_days(order: &str, change: &str, scope: EventScope) -> Result<Vec<Date>> {
    let upper = match scope.desk {
        Some(desk) => desk.series(&desk.resolve("series", "DFEDTARU")?, scope.as_of)?,
        None => None,
    };
    let figures = upper.as_ref().map_or(&[][..], |s| &s.observations);
    let is_asked = |c: &TargetChange| match order {
        _ if c.is_cut != (change == "cut") => false,
        "first" => c.is_first,
        "last" => c.is_last,
        _ => true,
    };
    let mut changes = target_changes(figures);
    changes.retain(is_asked);
    Ok(changes.iter().map(|c| c.day).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_desk::testing::TestDesk;
    use jiff::civil::date;

    const TODAY: Date = date(2026, 11, 25);

    fn parsed(text: &str) -> Vec<Periods> {
        parse_periods("date", text, TODAY).unwrap_or_default()
    }

    #[test]
    fn periods_are_days_lists_and_ranges() {
        assert_eq!(parsed("2008-12"), [Periods::Of(date(2008, 12, 31))]);
        assert_eq!(
            parsed("December 15, 2008"),
            [Periods::Of(date(2008, 12, 15))]
        );
        let range = Periods::Range(date(2008, 1, 1), date(2008, 12, 31));
        for text in [
            "2008-01..2008-12",
            "2008..2008",
            "Jan 2008 to Dec 2008",
            "2008Q1 .. 2008Q4",
        ] {
            assert_eq!(parsed(text), [range], "{text}");
        }
        let list = [Periods::Of(date(2007, 12, 31)), range];
        assert_eq!(parsed("2007-12, 2008-01..2008-12"), list);
        assert_eq!(
            parsed("2026-01.."),
            [Periods::Range(date(2026, 1, 1), TODAY)]
        );
        let is_refused = |text| {
            parse_periods("date", text, TODAY).is_err_and(|e| e.to_string().contains("date"))
        };
        for wrong in [
            "2008-13",
            "2008-12..2008-01",
            "..2008",
            "a..b",
            ",",
            "2008-01,soon",
        ] {
            assert!(is_refused(wrong), "{wrong}");
        }
    }

    fn events_of(text: &str) -> Result<Vec<Date>> {
        let desk = TestDesk::bundled().on("2026-11-25").open();
        let scope = EventScope {
            desk: Some(&desk),
            as_of: AsOf::Latest,
            frequency: None,
            today: TODAY,
        };
        event_days("after", text, scope)
    }

    #[test]
    fn events_are_days_or_names_of_days() {
        assert_eq!(events_of("2008-09-15").ok(), Some(vec![date(2008, 9, 15)]));
        assert_eq!(
            events_of("2020-03-16, 2008-09-15").ok(),
            Some(vec![date(2008, 9, 15), date(2020, 3, 16)])
        );
        assert_eq!(
            events_of("15 September 2008").ok(),
            Some(vec![date(2008, 9, 15)])
        );
        assert_eq!(
            events_of("September 15, 2008").ok(),
            Some(vec![date(2008, 9, 15)])
        );
        let fomc = events_of("FOMC 2022").unwrap_or_default();
        assert_eq!(
            (fomc.len(), fomc[0], fomc[7]),
            (8, date(2022, 1, 26), date(2022, 12, 14))
        );
        // Decisions between the scheduled meetings count, calls without one do not.
        let of = |year: &str| events_of(&format!("FOMC {year}")).unwrap_or_default();
        assert!(of("2020").contains(&date(2020, 3, 3)) && of("2020").contains(&date(2020, 3, 15)));
        assert_eq!(
            [of("2020").len(), of("2001").len(), of("2008").len()],
            [9, 11, 10]
        );
        assert!(!of("2020").contains(&date(2020, 3, 18)), "cancelled");
        // Of the year that is not over, what has taken place.
        assert_eq!(events_of("fomc 2026").unwrap_or_default().len(), 7);
        assert_eq!(events_of("NBER peaks").unwrap_or_default().len(), 13);
        assert_eq!(
            events_of("nber trough 2009").ok(),
            Some(vec![date(2009, 6, 30)])
        );
        for wrong in ["FOMC 1980", "NBER peak 2015", "FOMC", "the crash", ","] {
            assert!(
                events_of(wrong).is_err_and(|e| e.to_string().contains("after")),
                "{wrong}"
            );
        }
    }

    #[test]
    fn cycles_recessions_and_crossings_are_events() {
        let days = |text: &str| match events_of(text) {
            Ok(days) => days
                .iter()
                .map(Date::to_string)
                .collect::<Vec<_>>()
                .join(" "),
            Err(error) => error.to_string(),
        };
        let first = "1995-07-06 1998-09-29 2001-01-03 2007-09-18 2019-07-31 2024-09-18";
        for text in ["first rate cut", "First rate cuts", "the Fed's first cuts"] {
            assert_eq!(days(text), first, "{text}");
        }
        assert_eq!(days("first hike 2022"), "2022-03-16");
        assert_eq!(
            days("first rate hike of 2004, 2008-09-15"),
            "2004-06-30 2008-09-15"
        );
        assert_eq!(days("last hike 2023"), "2023-07-26");
        assert_eq!(days("rate cuts 2024"), "2024-09-18 2024-11-07 2024-12-18");
        assert_eq!(days("recession 2008"), "2007-12-31");
        assert_eq!(days("recessions"), days("NBER peaks"));
        assert_eq!(
            days("UNRATE > 10.5, 2008-09-15"),
            "1982-11-01 2008-09-15 2020-04-01"
        );
        assert_eq!(days("ma(UNRATE,3) > 10.5"), "1982-12-01 2020-05-01");
        for text in ["the crash", "first rate", "rate cuts 2022", "UNRATE > 50"] {
            let error = days(text);
            assert!(
                error.contains("first rate cuts, first hike 2022"),
                "{text}: {error}"
            );
        }
        for (text, told) in [("UNRATE", "T10Y2Y < 0"), ("UNRATE > ", "compares nothing")] {
            let error = days(text);
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn crossings_are_of_what_was_known() {
        let desk = TestDesk::bundled().on("2026-11-25").open();
        let days = |text, as_of, frequency| {
            let scope = EventScope {
                desk: Some(&desk),
                as_of,
                frequency,
                today: TODAY,
            };
            event_days("after", text, scope).unwrap_or_default()
        };
        let monthly = Some(Frequency::Monthly);
        let known = days("T10Y2Y < -1", AsOf::Day(date(1990, 1, 1)), None);
        let all = days("T10Y2Y < -1", AsOf::Latest, None);
        assert!(!known.is_empty() && known.len() < all.len());
        assert!(known.iter().all(|day| *day <= date(1990, 1, 1)));
        assert!(days("T10Y2Y < -1", AsOf::Latest, monthly).len() < all.len());
        // What crosses often as days is read as months, unless a frequency is given.
        let often = |frequency| days("T10Y2Y < 0", AsOf::Latest, frequency);
        assert_eq!(often(None), often(monthly));
        assert!(often(None).len() < 20 && often(Some(Frequency::Daily)).len() > 40);
    }
}
