//! Vintages of ALFRED: what FRED published when. One request may span at most 2000 vintage days.

use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, VintageObservation};
use jiff::ToSpan;

/// Most vintage days of one request.
const MAX_DAYS: usize = 2000;
/// FRED's date for "until further notice".
pub(super) const FOREVER: &str = "9999-12-31";

/// Returns the first and the last day of each request; the last one is open.
pub(super) fn request_ranges(days: &[Date]) -> Vec<(String, String)> {
    let starts = || days.chunks(MAX_DAYS).filter_map(<[Date]>::first);
    let ends = starts()
        .skip(1)
        .map(|d| shift(*d, (-1).days()).to_string())
        .chain([FOREVER.to_owned()]);
    starts().map(Date::to_string).zip(ends).collect()
}

/// A figure and the first and last day on which the series contained it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct VintageRow {
    pub(super) date: Date,
    pub(super) from: Date,
    /// `None` = until further notice.
    pub(super) until: Option<Date>,
    /// `None` = the row has no figure.
    pub(super) value: Option<f64>,
}

/// Returns what changed and when, by day and then by date.
///
/// Each response begins with a full copy that is stamped with the first day of its range, which is no change. A figure
/// that ends without a successor was withdrawn.
pub(super) fn changes_only(mut rows: Vec<VintageRow>) -> Vec<VintageObservation> {
    rows.sort_by_key(|row| (row.date, row.from));
    let mut changes: Vec<VintageObservation> = Vec::new();
    for (row, next) in rows.iter().zip(rows.iter().skip(1).map(Some).chain([None])) {
        let VintageRow { date, value, .. } = *row;
        let change = |known_from, value| VintageObservation {
            date,
            known_from,
            value,
        };
        let last = changes.last().filter(|last| last.date == date);
        if last.and_then(|last| last.value) != value {
            changes.push(change(Some(row.from), value));
        }
        let end = row.until.map(|day| shift(day, 1.day()));
        let has_successor = next.is_some_and(|next| next.date == date && Some(next.from) <= end);
        if value.is_some() && end.is_some() && !has_successor {
            changes.push(change(end, None));
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
    fn request_ranges_meet_without_gap_or_overlap() {
        let days: Vec<Date> = (0..4100)
            .map(|n| shift(date(2010, 1, 1), i64::from(n).days()))
            .collect();
        let ranges = request_ranges(&days);
        assert_eq!(ranges.len(), 3);
        assert_eq!(ranges[0], ("2010-01-01".to_owned(), days[1999].to_string()));
        assert_eq!(ranges[1], (days[2000].to_string(), days[3999].to_string()));
        assert_eq!(ranges[2], (days[4000].to_string(), FOREVER.to_owned()));
        assert_eq!(request_ranges(&[]), vec![]);
    }

    #[test]
    fn only_changes_remain_in_order_of_publication() {
        let june = date(2026, 6, 1);
        let july = date(2026, 7, 1);
        let v1 = date(2026, 7, 5);
        let v2 = date(2026, 8, 5);
        let v3 = date(2026, 9, 5);
        let before = |day| Some(shift(day, (-1).day()));
        let row = |date, from, until, value| VintageRow {
            date,
            from,
            until,
            value,
        };
        let known = |date, known_from, value| VintageObservation {
            date,
            known_from: Some(known_from),
            value,
        };
        let may = date(2026, 5, 1);
        let rows = vec![
            // A full copy at the cut between two requests: the same figure in two pieces.
            row(june, v2, None, Some(4.0)),
            row(june, v1, before(v2), Some(4.0)),
            row(july, v2, before(v3), Some(4.1)),
            row(july, v3, None, Some(4.2)),
            // Withdrawn in August, and given again in September.
            row(may, v1, before(v2), Some(3.9)),
            row(may, v3, None, Some(3.9)),
            // No figure, then one, then no row at all any more.
            row(date(2026, 4, 1), v1, before(v2), None),
            row(date(2026, 4, 1), v2, before(v3), Some(3.8)),
        ];
        assert_eq!(
            changes_only(rows),
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
