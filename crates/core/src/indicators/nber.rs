//! Recessions of the United States as dated by the NBER, for shading and for scoring.
//!
//! A recession runs from the month after the peak through the trough, as in the series USREC.

use super::months::Month;
use crate::model::{Date, table};
use std::sync::LazyLock;

/// A recession, from the month after the peak through the trough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recession {
    /// Last month of the expansion before.
    pub peak: Month,
    /// Last month of the recession.
    pub trough: Month,
    /// Days from which peak and trough were known: their announcement; before 1980, without one, a year later.
    known: (Date, Date),
}

impl Recession {
    /// Returns the first day of the month after the peak.
    pub fn start(self) -> Date {
        self.peak.plus(1).first_day()
    }

    /// Whether the peak had been announced by a day.
    pub fn is_known_on(&self, day: Date) -> bool {
        self.known.0 <= day
    }

    /// Whether the trough had been announced by a day.
    pub fn is_over_on(&self, day: Date) -> bool {
        self.known.1 <= day
    }

    /// Returns the last day of the trough's month.
    pub fn end(self) -> Date {
        self.trough.last_day()
    }
}

/// Months that an alarm may be away from the recession it belongs to (docs/COMPOSITES.md#sahm-rule).
const MAX_DISTANCE: i32 = 8;

/// Returns the first and the last month of the recession nearest to a range of months, within eight months of it.
///
/// Only recessions whose peak was known on `day` count; the last month is `None` while the trough was not known.
pub fn recession_near(from: Month, to: Month, day: Date) -> Option<(Month, Option<Month>)> {
    let known = RECESSIONS.iter().filter(|r| r.known.0 <= day);
    let distance = |r: &&Recession| r.peak.plus(1).since(to).max(from.since(r.trough)).max(0);
    let nearest = known
        .min_by_key(distance)
        .filter(|r| distance(r) <= MAX_DISTANCE)?;
    let last = (nearest.known.1 <= day).then_some(nearest.trough);
    Some((nearest.peak.plus(1), last))
}

/// Whether a month was in a recession.
pub fn is_recession(month: Month) -> bool {
    RECESSIONS
        .iter()
        .any(|r| r.peak < month && month <= r.trough)
}

/// Whether a month counted as one of a recession on a day: the last state announced by then continues.
pub fn is_recession_as_known(month: Month, day: Date) -> bool {
    RECESSIONS.iter().any(|r| {
        let is_over = r.trough < month && r.known.1 <= day;
        r.peak < month && r.known.0 <= day && !is_over
    })
}

/// Returns the day from which it was known whether `month` was in a recession, unless its own end is later: the day
/// from which the last turning point before it was known.
pub(crate) fn known_from(month: Month) -> Option<Date> {
    let newest_first = RECESSIONS.iter().rev();
    let mut turns = newest_first.flat_map(|r| [(r.trough, r.known.1), (r.peak, r.known.0)]);
    let last = turns.find(|(turn, _)| *turn < month);
    last.map(|(_, known)| known)
}

/// Every dated recession, the earliest first; none after 2020-04 as of August 2026.
/// Source: NBER, "US Business Cycle Expansions and Contractions".
pub static RECESSIONS: LazyLock<Vec<Recession>> = LazyLock::new(|| {
    let month = |text: &str| Some(Month::from_date(text.parse().ok()?));
    let known = |turn: Month, announced: &str| {
        announced
            .parse()
            .unwrap_or_else(|_| turn.plus(12).last_day())
    };
    let rows = table::rows(include_str!("../../data/recessions.csv"));
    let recessions = rows.filter_map(|(_, row)| {
        let [peak, trough, peak_day, trough_day] = row.ok()?;
        let peak = month(peak)?;
        let trough = month(trough)?;
        Some(Recession {
            peak,
            trough,
            known: (known(peak, peak_day), known(trough, trough_day)),
        })
    });
    recessions.collect()
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indicators::testdata;
    use jiff::civil::date;

    #[test]
    fn dates_match_usrec() {
        let set = testdata::load(&["USREC"]);
        let in_recession = |day: Date| {
            RECESSIONS
                .iter()
                .any(|r| r.start() <= day && day <= r.end())
        };
        // The series begins in the last month of a recession without a dated peak.
        for o in &set.get("USREC").unwrap().observations[1..] {
            assert_eq!(in_recession(o.date), o.value == 1.0, "{}", o.date);
        }
    }

    #[test]
    fn range_belongs_to_the_nearest_known_recession() {
        let month = Month::new;
        let near = |from, to, day| recession_near(from, to, day);
        let today = date(2026, 11, 21);
        let double_dip = near(month(1981, 12), month(1982, 8), today);
        assert_eq!(double_dip, Some((month(1981, 8), Some(month(1982, 11)))));
        let early = near(month(1959, 12), month(1959, 12), today);
        assert_eq!(early, Some((month(1960, 5), Some(month(1961, 2)))));
        assert_eq!(near(month(2024, 7), month(2024, 9), today), None);
        // Peak and trough of 2007-09 were announced on 2008-12-01 and 2010-09-20.
        let from = month(2008, 8);
        let to = month(2008, 11);
        assert_eq!(near(from, to, date(2008, 11, 30)), None);
        assert_eq!(
            near(from, to, date(2008, 12, 1)),
            Some((month(2008, 1), None))
        );
        let known = near(from, to, date(2010, 9, 20));
        assert_eq!(known, Some((month(2008, 1), Some(month(2009, 6)))));
    }

    #[test]
    fn recession_starts_after_peak_and_ends_with_trough() {
        let covid = RECESSIONS.last().unwrap();
        assert_eq!(
            (covid.start(), covid.end()),
            (date(2020, 3, 1), date(2020, 4, 30))
        );
    }
}
