//! ALFRED: what FRED published when. Asked in stretches of at most 2000 vintage days, the most FRED allows.

use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Known};
use jiff::ToSpan;

/// Most vintage days one request may span.
const MAX_DAYS: usize = 2000;
/// FRED's word for "until further notice".
pub(super) const FOREVER: &str = "9999-12-31";

/// First and last day of each request; the last one stays open.
pub(super) fn stretches(days: &[Date]) -> Vec<(String, String)> {
    let starts = || days.chunks(MAX_DAYS).filter_map(<[Date]>::first);
    let ends = starts().skip(1).map(|d| shift(*d, (-1).days()).to_string());
    let ends = ends.chain([FOREVER.to_owned()]);
    starts().map(Date::to_string).zip(ends).collect()
}

/// A figure and the days between which it stood in the series, both included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stated {
    pub(super) date: Date,
    pub(super) from: Date,
    /// `None` = until further notice.
    pub(super) until: Option<Date>,
    /// `None` = there was a row and no figure in it.
    pub(super) value: Option<f64>,
}

/// What changed and when, by day and then by date. FRED begins each stretch with a full copy, stamped with its first
/// day, which is no change; where a figure ended and none followed, it was withdrawn.
pub(super) fn changes(mut rows: Vec<Stated>) -> Vec<Known> {
    rows.sort_by_key(|row| (row.date, row.from));
    let mut changes: Vec<Known> = Vec::new();
    for (row, next) in rows.iter().zip(rows.iter().skip(1).map(Some).chain([None])) {
        let Stated {
            date,
            from,
            until,
            value,
        } = *row;
        let last = changes.last().filter(|last| last.date == date);
        if last.and_then(|last| last.value) != value {
            changes.push(Known {
                date,
                known_from: Some(from),
                value,
            });
        }
        let ended = until.map(|day| shift(day, 1.day()));
        let follows = next.is_some_and(|next| next.date == date && Some(next.from) <= ended);
        if value.is_some() && ended.is_some() && !follows {
            changes.push(Known {
                date,
                known_from: ended,
                value: None,
            });
        }
    }
    changes.sort_by_key(|row| (row.known_from, row.date));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn stretches_meet_without_gap_or_overlap() {
        let days: Vec<Date> = (0..4100)
            .map(|n| shift(date(2010, 1, 1), i64::from(n).days()))
            .collect();
        let parts = stretches(&days);
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[0], ("2010-01-01".to_owned(), days[1999].to_string()));
        assert_eq!(parts[1], (days[2000].to_string(), days[3999].to_string()));
        assert_eq!(parts[2], (days[4000].to_string(), FOREVER.to_owned()));
        assert_eq!(stretches(&[]), vec![]);
    }

    #[test]
    fn only_changes_remain_in_order_of_publication() {
        let (june, july) = (date(2026, 6, 1), date(2026, 7, 1));
        let (v1, v2, v3) = (date(2026, 7, 5), date(2026, 8, 5), date(2026, 9, 5));
        let before = |day| Some(shift(day, (-1).day()));
        let stated = |date, from, until, value| Stated {
            date,
            from,
            until,
            value,
        };
        let known = |date, known_from, value| Known {
            date,
            known_from: Some(known_from),
            value,
        };
        let may = date(2026, 5, 1);
        let rows = vec![
            // A full copy at the cut between two stretches: the same figure in two pieces.
            stated(june, v2, None, Some(4.0)),
            stated(june, v1, before(v2), Some(4.0)),
            stated(july, v2, before(v3), Some(4.1)),
            stated(july, v3, None, Some(4.2)),
            // Withdrawn in August, and given again in September.
            stated(may, v1, before(v2), Some(3.9)),
            stated(may, v3, None, Some(3.9)),
            // No figure, then one, then no row at all any more.
            stated(date(2026, 4, 1), v1, before(v2), None),
            stated(date(2026, 4, 1), v2, before(v3), Some(3.8)),
        ];
        assert_eq!(
            changes(rows),
            vec![
                known(may, v1, Some(3.9)),
                known(june, v1, Some(4.0)),
                known(date(2026, 4, 1), v2, Some(3.8)),
                known(may, v2, None),
                known(july, v2, Some(4.1)),
                known(date(2026, 4, 1), v3, None),
                known(may, v3, Some(3.9)),
                known(july, v3, Some(4.2)),
            ]
        );
    }
}
