//! Parses the date formats of the sources: names of months, epochs, quarters, dates in several cells.

use super::read::CellLookup;
use super::shape::DateForm;
use crate::error::quote;
use crate::model::Date;
use jiff::Timestamp;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

/// The years that a date may lie in.
const YEARS: std::ops::RangeInclusive<i16> = 1800..=2200;

impl DateForm {
    /// Returns the date of a row.
    ///
    /// # Errors
    /// Quotes the text and the expected formats.
    pub(super) fn read_date(&self, lookup: CellLookup<'_>) -> Result<Date, String> {
        let names = std::iter::once(&self.field).filter(|name| !name.is_empty());
        let mut text = String::new();
        for name in names.chain(&self.fields) {
            let cell =
                lookup(name).ok_or_else(|| format!("the field \"{}\" is missing", quote(name)))?;
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(cell.trim());
        }
        let day = (self.formats.iter())
            .find_map(|form| parse_date(form, &text))
            .filter(|day| YEARS.contains(&day.year()))
            .ok_or_else(|| {
                let forms = self.formats.join("\" or \"");
                format!("\"{}\" is not a date of the form \"{forms}\"", quote(&text))
            })?;
        if self.weekday.is_some_and(|weekday| weekday != day.weekday()) {
            return Err(format!(
                "{day} is not on the weekday that the recipe requires"
            ));
        }
        Ok(self.stamp.map_or(day, |period| period.period_date(day)))
    }
}

/// Parses a date in a form of `strptime`, or one of `epoch`, `epoch_ms` and `year quarter`. A form without a day gives the
/// first day of its month.
pub fn parse_date(form: &str, text: &str) -> Option<Date> {
    let from_seconds = |seconds: i64| {
        let time = Timestamp::from_second(seconds).ok()?;
        Some(time.to_zoned(TimeZone::UTC).date())
    };
    match form {
        "epoch" => from_seconds(text.parse().ok()?),
        "epoch_ms" => from_seconds(text.parse::<i64>().ok()?.div_euclid(1000)),
        "year quarter" => {
            let (year, quarter) = text.split_once([' ', '-'])?;
            let number = quarter.trim_start_matches(['Q', 'q']);
            parse_period(&format!("{year}Q{number}"))
        }
        form => {
            let mut parts = strtime::parse(form, text).ok()?;
            if form.ends_with("Y%Y") || form == "%Y" {
                parts.set_month(Some(1)).ok()?;
            }
            if !form.contains("%d") && !form.contains("%j") && !form.contains("%F") {
                parts.set_day(Some(1)).ok()?;
            }
            let day = parts.to_date().ok()?;
            // A year of two digits from 50 on belongs to the last century.
            if form.contains("%y") && day.year() >= 2050 {
                Date::new(day.year() - 100, day.month(), day.day()).ok()
            } else {
                Some(day)
            }
        }
    }
}

/// Returns the first day of a period in the notation of the agencies: `2026Q2`, `2026M07`, `2026`.
pub fn parse_period(text: &str) -> Option<Date> {
    let (year, rest) = text.split_at_checked(4)?;
    let month = match rest.split_at_checked(1) {
        None if rest.is_empty() => 1,
        Some(("Q", quarter)) => {
            let number = quarter.parse::<i8>().ok();
            number.filter(|n| (1..=4).contains(n))? * 3 - 2
        }
        Some(("S", half)) => {
            let number = half.parse::<i8>().ok();
            number.filter(|n| (1..=2).contains(n))? * 6 - 5
        }
        Some(("A", "01")) => 1,
        Some(("M", month)) => month.parse().ok()?,
        None | Some(_) => return None,
    };
    Date::new(year.parse().ok()?, month, 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn every_date_format_is_parsed() {
        for (form, text, expected) in [
            ("%m/%d/%Y", "4/2/1971", date(1971, 4, 2)),
            ("%d %m %Y", "1 1 1985", date(1985, 1, 1)),
            ("%B %Y", "April 2016", date(2016, 4, 1)),
            ("%b-%Y", "Jan-1994", date(1994, 1, 1)),
            ("%Y-%m", "2026-02", date(2026, 2, 1)),
            ("%d%b%Y", "01JAN2024", date(2024, 1, 1)),
            ("%b-%y", "May-68", date(1968, 5, 1)),
            ("%b-%y", "Aug-26", date(2026, 8, 1)),
            ("%m/%Y", "7/2026", date(2026, 7, 1)),
            ("epoch", "1786320000", date(2026, 8, 10)),
            ("epoch_ms", "1786320000000", date(2026, 8, 10)),
            ("year quarter", "2026 2", date(2026, 4, 1)),
            ("year quarter", "2026-Q2", date(2026, 4, 1)),
            ("FY%Y", "FY2026", date(2026, 1, 1)),
            ("%Y", "2026", date(2026, 1, 1)),
        ] {
            assert_eq!(parse_date(form, text), Some(expected), "{form} {text}");
        }
        for (form, text) in [
            ("%m/%d/%Y", "2026-01-01"),
            ("year quarter", "2026 5"),
            ("epoch", "x"),
        ] {
            assert_eq!(parse_date(form, text), None, "{form} {text}");
        }
        assert_eq!(parse_period("2026Q2"), Some(date(2026, 4, 1)));
        assert_eq!(parse_period("2026M07"), Some(date(2026, 7, 1)));
        assert_eq!(parse_period("2026"), Some(date(2026, 1, 1)));
        assert_eq!(parse_period("2026S02"), Some(date(2026, 7, 1)));
        assert_eq!(parse_period("2026S03"), None, "the year");
        assert_eq!(parse_period("2026A01"), Some(date(2026, 1, 1)));
        assert_eq!(parse_period("2026X1"), None);
    }
}
