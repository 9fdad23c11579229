//! Notes about a series whose newest figure is late, or that has ended.

use crate::render::provenance::Provenance;
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::{Date, Series};

/// A series without a figure for more days than this has ended.
const ENDED_AFTER_DAYS: i64 = 500;

/// Notes since when the newest figure up to `day` is late, or that the series has ended.
pub(crate) fn note_late(provenance: &mut Provenance, field: &str, series: &Series, day: Date) {
    let Some(last) = series.last_on_or_before(day).map(|last| last.date) else {
        return;
    };
    if has_ended(series, last, day) {
        let label = series.frequency().label(last);
        provenance.note(field, format!("ended: no figure after {label}"));
    } else {
        provenance.note_late(field, series.overdue_since(last, day))
    }
}

/// Whether a series with its newest figure on `last` has ended by `day`.
fn has_ended(series: &Series, last: Date, day: Date) -> bool {
    let age = days_between(series.frequency().period_end(last), day);
    series.overdue_since(last, day).is_some() && age > ENDED_AFTER_DAYS
}

/// Describes a series, whose newest figure is of `last`, that is late on `day` or has ended; else `None`.
pub(crate) fn late_or_ended(series: &Series, last: Date, day: Date) -> Option<String> {
    let since = series.overdue_since(last, day)?;
    Some(if has_ended(series, last, day) {
        "the series has ended".to_owned()
    } else {
        format!("the series is late since {since}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::catalogue::Catalogue;
    use econoscope_core::model::Observation;
    use jiff::civil::date;

    #[test]
    fn old_figure_is_late_and_later_the_last() {
        let info = Catalogue::embedded().get("UNRATE").unwrap().clone();
        let series = Series::new(info, vec![Observation::new(date(2026, 7, 1), 4.1)]);
        let notes = |day| {
            let mut provenance = Provenance::default();
            note_late(&mut provenance, "value", &series, day);
            (
                provenance.late.get("value").copied(),
                provenance.notes.get("value").cloned(),
            )
        };
        assert_eq!(notes(date(2026, 9, 4)), (None, None));
        assert_eq!(notes(date(2026, 11, 1)), (Some(date(2026, 9, 21)), None));
        let ended = "ended: no figure after July 2026".to_owned();
        assert_eq!(notes(date(2028, 6, 1)), (None, Some(ended)));
        assert_eq!(notes(date(2026, 1, 1)), (None, None));
    }
}
