//! The date under which a figure is stored: one rule for imports, recipes and FRED.
//!
//! Sources date a month by its first day, its last or its middle, and a week by any of its days. Two dates of one period
//! would be two figures, so each date becomes that of its period, dated as the stored rows are.

use econoscope_core::model::frequency::{PeriodLength, Periods, shift};
use econoscope_core::model::{Date, Frequency, Observation};
use jiff::ToSpan;
use jiff::civil::Weekday;

/// Newest stored rows whose weekday counts.
const COMPARED_WEEKS: usize = 60;

/// Maps the dates of a source to those of the stored rows.
pub(super) struct PeriodDates {
    /// `None`: every date stays.
    periods: Option<Periods>,
    /// Months from the start of a period to its date: some quarters are dated by their second month.
    months: i64,
}

impl PeriodDates {
    /// Returns the map for dates of a series with these stored rows.
    pub(super) fn new(frequency: Frequency, stored: &[Observation], incoming: &[Date]) -> Self {
        let (periods, months) = match frequency.length() {
            PeriodLength::Days(7) => (weeks(stored, incoming), 0),
            PeriodLength::Days(_) => (None, 0),
            PeriodLength::Months(_) => {
                let is_dated = |date: &Date| date.day() == 1;
                let dated = if stored.is_empty() {
                    let all_dated = incoming.iter().all(is_dated);
                    incoming.first().filter(|_| all_dated).copied()
                } else {
                    stored.iter().rev().map(|o| o.date).find(is_dated)
                };
                let month = |date| Frequency::Monthly.period_number(date);
                let distance = |date| i64::from(month(date) - month(frequency.period_date(date)));
                // Rows that an earlier version stored by month ends stay so.
                let is_mapped = stored.is_empty() || dated.is_some();
                let periods = is_mapped.then(|| Periods::from(frequency));
                (periods, dated.map_or(0, distance))
            }
        };
        Self { periods, months }
    }

    /// Returns the date of the period that contains `date`.
    pub(super) fn date_of(&self, date: Date) -> Date {
        self.periods.map_or(date, |periods| {
            shift(periods.period_date(date), self.months.months())
        })
    }
}

/// Returns the weeks of the stored rows when most incoming dates are on another weekday.
fn weeks(stored: &[Observation], incoming: &[Date]) -> Option<Periods> {
    let newest = stored.iter().rev().take(COMPARED_WEEKS).map(|o| o.date);
    let week_ends = most_frequent(newest)?;
    let is_other = most_frequent(incoming.iter().copied())? != week_ends;
    is_other.then_some(Periods {
        frequency: Frequency::Weekly,
        week_ends,
    })
}

fn most_frequent(dates: impl Iterator<Item = Date>) -> Option<Weekday> {
    let days: Vec<Weekday> = dates.map(Date::weekday).collect();
    let count = |day: &Weekday| days.iter().filter(|other| *other == day).count();
    let week = Weekday::Monday.cycle_forward().take(7);
    week.max_by_key(count).filter(|_| !days.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn rows(dates: &[Date]) -> Vec<Observation> {
        dates.iter().map(|d| Observation::new(*d, 1.0)).collect()
    }

    #[test]
    fn every_day_of_a_period_becomes_its_stored_date() {
        let quarter = |month| date(2026, month, 1);
        for (frequency, stored, day, expected) in [
            (
                Frequency::Monthly,
                vec![quarter(6)],
                date(2026, 7, 31),
                quarter(7),
            ),
            (Frequency::Monthly, vec![], date(2026, 7, 15), quarter(7)),
            (
                Frequency::Quarterly,
                vec![quarter(1)],
                date(2026, 6, 30),
                quarter(4),
            ),
            (
                Frequency::Quarterly,
                vec![quarter(2)],
                date(2026, 6, 30),
                quarter(5),
            ),
            (
                Frequency::Quarterly,
                vec![quarter(2)],
                quarter(8),
                quarter(8),
            ),
            (
                Frequency::Annual,
                vec![quarter(1)],
                date(2026, 12, 31),
                quarter(1),
            ),
            (
                Frequency::Daily,
                vec![quarter(1)],
                date(2026, 12, 31),
                date(2026, 12, 31),
            ),
            // Claims are dated by the Saturday that ends the week.
            (
                Frequency::Weekly,
                vec![date(2026, 8, 15)],
                date(2026, 8, 16),
                date(2026, 8, 22),
            ),
            (
                Frequency::Weekly,
                vec![date(2026, 8, 15)],
                date(2026, 8, 22),
                date(2026, 8, 22),
            ),
        ] {
            let dates = PeriodDates::new(frequency, &rows(&stored), &[day]);
            assert_eq!(dates.date_of(day), expected, "{frequency} {stored:?} {day}");
        }
    }

    #[test]
    fn moved_day_of_a_week_stays() {
        // Freddie Mac publishes on the Wednesday before Thanksgiving.
        let stored = rows(&[date(2023, 11, 9), date(2023, 11, 16)]);
        let incoming = [date(2023, 11, 16), date(2023, 11, 22), date(2023, 11, 30)];
        let dates = PeriodDates::new(Frequency::Weekly, &stored, &incoming);
        assert_eq!(dates.date_of(date(2023, 11, 22)), date(2023, 11, 22));
    }
}
