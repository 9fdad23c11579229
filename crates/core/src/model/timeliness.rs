//! Whether the newest figure of a series is the one to be expected (docs/METHODS.md#staleness).

use super::frequency::{Date, PeriodLength, add_days, days_between, shift};
use super::series_info::SeriesInfo;
use crate::format;
use std::fmt;

/// A series without a figure for more days than this may have ended.
const ENDED_AFTER_DAYS: i64 = 500;

/// The same after the day on which a figure was due, for those that are as long under way.
const ENDED_AFTER_DUE_DAYS: i64 = 250;

/// Whether the newest figure of a series is the one to be expected on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeliness {
    /// No newer figure is due.
    Current,
    /// A newer figure was due by a day.
    Late {
        /// The day.
        since: Date,
    },
    /// There has been none for so long that the series may have ended.
    Ended {
        /// The day by which a newer figure would have been due.
        since: Date,
    },
}

impl Timeliness {
    /// Returns the timeliness on `day` of a series whose newest figure is of `last`. A newer figure is late from the day after
    /// the `announced` one, and without an announcement as the usual lag tells.
    pub fn new(info: &SeriesInfo, last: Date, day: Date, announced: Option<Date>) -> Self {
        let until = announced.unwrap_or_else(|| Self::current_until(info, last));
        let since = add_days(until, 1);
        if day < since {
            Self::Current
        } else if days_between(info.frequency.period_end(last), day) > ENDED_AFTER_DAYS
            && days_between(since, day) > ENDED_AFTER_DUE_DAYS
        {
            Self::Ended { since }
        } else {
            Self::Late { since }
        }
    }

    /// Returns the last day on which the figure of `last` is current: lag, one period and the slack of the frequency after its
    /// period's end.
    pub fn current_until(info: &SeriesInfo, last: Date) -> Date {
        let frequency = info.frequency;
        let one_period = match frequency.length() {
            PeriodLength::Days(n) => i64::from(n),
            PeriodLength::Months(_) => days_between(last, shift(last, frequency.period())),
        };
        let days = info.publication_lag_days + one_period + frequency.slack_days();
        add_days(frequency.period_end(last), days)
    }

    /// Returns the day by which a newer figure was due; `None` if none is due yet.
    pub fn due_by(self) -> Option<Date> {
        match self {
            Self::Current => None,
            Self::Late { since } | Self::Ended { since } => Some(since),
        }
    }
}

impl fmt::Display for Timeliness {
    /// Writes the reason for a missing figure: "a newer figure was due by 20 November 2026 but is not loaded".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Current => f.write_str("no newer figure is due yet"),
            Self::Late { since } => {
                let day = format::day(*since);
                write!(f, "a newer figure was due by {day} but is not loaded")
            }
            Self::Ended { since } => {
                let day = format::day(*since);
                write!(
                    f,
                    "no newer figure is loaded since {day}: the series may have ended"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn timeliness_counts_from_the_end_of_the_period() {
        let catalogue = crate::catalogue::Catalogue::embedded();
        let info = SeriesInfo {
            publication_lag_days: 14,
            ..SeriesInfo::clone(catalogue.get("UNRATE").unwrap())
        };
        // July ends on the 31st; 14 days lag, 31 of a period and 15 of slack carry it to 29 September.
        let since = date(2026, 9, 30);
        let on = |day| Timeliness::new(&info, date(2026, 7, 1), day, None);
        assert_eq!(on(date(2026, 9, 29)), Timeliness::Current);
        assert_eq!(on(since), Timeliness::Late { since });
        assert_eq!(on(date(2028, 6, 1)), Timeliness::Ended { since });
        assert_eq!(on(date(2026, 1, 1)).due_by(), None);
        let announced = Some(date(2026, 9, 4));
        let by_agency = |day| Timeliness::new(&info, date(2026, 7, 1), day, announced);
        assert_eq!(by_agency(date(2026, 9, 4)), Timeliness::Current);
        assert_eq!(by_agency(date(2026, 9, 5)).due_by(), Some(date(2026, 9, 5)));
        assert_eq!(
            on(since).to_string(),
            "a newer figure was due by 30 September 2026 but is not loaded"
        );
    }
}
