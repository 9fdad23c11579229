//! Formats days and periods for readers: "24 August 2026", "June 2026", "Q2 2026".

use crate::model::{Date, Frequency};

/// Formats a day: "24 August 2026".
pub fn day(date: Date) -> String {
    date.strftime("%-d %B %Y").to_string()
}

/// Formats a day for narrow places: "24 Aug 2026".
pub fn short_day(date: Date) -> String {
    date.strftime("%-d %b %Y").to_string()
}

/// Formats a month: "August 2026".
pub fn month(date: Date) -> String {
    date.strftime("%B %Y").to_string()
}

/// Formats the period dated `date`: "24 August 2026", "week to 21 August 2026", "June 2026", "Q2 2026", "2025". A date that
/// is not the first day of such a period is formatted as a day.
pub fn period(date: Date, frequency: Frequency) -> String {
    match frequency {
        Frequency::Weekly => format!("week to {}", day(date)),
        Frequency::Biweekly => format!("two weeks to {}", day(date)),
        Frequency::Daily => day(date),
        Frequency::Monthly | Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual => {
            if frequency.is_period_date(date) {
                frequency.label(date)
            } else {
                day(date)
            }
        }
    }
}

/// Formats the day of the next figure: "24 August 2026", or "due 24 Aug, not loaded" if it is before `today`.
pub fn due(date: Date, today: Date) -> String {
    if date >= today {
        return day(date);
    }
    let format = if date.year() == today.year() {
        "%-d %b"
    } else {
        "%-d %b %Y"
    };
    format!("due {}, not loaded", date.strftime(format))
}

/// Rewrites a sentence of an answer for readers: ISO dates as "24 August 2026", "August 2026" and "Q3 2026", and a true minus
/// before numbers.
pub fn format_dates(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    let mut previous = ' ';
    while let Some(c) = rest.chars().next() {
        let starts_word = !previous.is_alphanumeric() && previous != '-';
        if starts_word && let Some((name, after)) = parse_iso(rest) {
            out += &name;
            (rest, previous) = (after, '0');
            continue;
        }
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let is_minus = c == '-' && starts_word && after.starts_with(|c: char| c.is_ascii_digit());
        out.push(if is_minus { '−' } else { c });
        (rest, previous) = (after, c);
    }
    out
}

/// Formats the ISO day, month, quarter or span of days at the start of a text, and returns it with the rest of the text.
fn parse_iso(text: &str) -> Option<(String, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '=' | '/');
    let (date, after) = text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()));
    let year = date.get(..5)?.strip_suffix('-')?;
    let is_year = year.bytes().all(|b| b.is_ascii_digit());
    let name = match date.len() {
        21 => {
            let (first, last) = date.split_once('/')?;
            let [first, last]: [Date; 2] = [first.parse().ok()?, last.parse().ok()?];
            if first.first_of_month() == last.first_of_month() {
                format!("{}–{}", first.day(), day(last))
            } else {
                format!("{} to {}", day(first), day(last))
            }
        }
        10 => day(date.parse().ok()?),
        7 if date.get(5..6) == Some("Q") => format!("{} {year}", date.get(5..)?),
        7 => month(format!("{date}-01").parse().ok()?),
        _ => return None,
    };
    is_year.then_some((name, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn periods_are_formatted_by_frequency() {
        let first = date(2026, 4, 1);
        let names = [
            Frequency::Daily,
            Frequency::Weekly,
            Frequency::Monthly,
            Frequency::Quarterly,
        ]
        .map(|f| period(first, f));
        assert_eq!(
            names,
            [
                "1 April 2026",
                "week to 1 April 2026",
                "April 2026",
                "Q2 2026"
            ]
        );
        assert_eq!(
            period(date(2026, 4, 3), Frequency::Quarterly),
            "3 April 2026"
        );
        assert_eq!(short_day(first), "1 Apr 2026");
        assert_eq!(month(first), "April 2026");
    }

    #[test]
    fn overdue_day_is_marked_as_not_loaded() {
        let today = date(2026, 11, 25);
        assert_eq!(due(date(2026, 8, 24), today), "due 24 Aug, not loaded");
        assert_eq!(due(date(2025, 8, 24), today), "due 24 Aug 2025, not loaded");
        assert_eq!(due(date(2026, 12, 4), today), "4 December 2026");
    }

    #[test]
    fn dates_and_minus_signs_in_sentences_are_rewritten() {
        for (text, expected) in [
            ("-0.30 on 2026-08-19.", "−0.30 on 19 August 2026."),
            (
                "stable (-0.12 over 13 weeks)",
                "stable (−0.12 over 13 weeks)",
            ),
            ("index 1982-84=100, 10-year", "index 1982-84=100, 10-year"),
            (
                "2026-02-30, 2026-08-191, x2026-08-19",
                "2026-02-30, 2026-08-191, x2026-08-19",
            ),
            ("5–10 é -5", "5–10 é −5"),
            ("2026-Q3: expected -0.2", "Q3 2026: expected −0.2"),
            ("2026-12-08/2026-12-09", "8–9 December 2026"),
            ("2026-03-31/2026-04-01", "31 March 2026 to 1 April 2026"),
            ("of 2026-11, 1982-84", "of November 2026, 1982-84"),
            ("DGS10-DGS2, WALCL - 5", "DGS10-DGS2, WALCL - 5"),
        ] {
            assert_eq!(format_dates(text), expected);
        }
    }
}
