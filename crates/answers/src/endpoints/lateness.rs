//! Whether the newest figure of a series is late, or the series has ended.

use super::provenance::Provenance;
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::{Date, Series};

/// From so many days without a figure a series is taken to have ended.
const ENDED: i64 = 500;

/// Notes since when the newest figure up to `day` is late, or that the series has ended.
pub(super) fn note_late(provenance: &mut Provenance, field: &str, series: &Series, day: Date) {
    let Some(last) = series.last_on_or_before(day).map(|last| last.date) else {
        return;
    };
    match has_ended(series, last, day) {
        true => {
            let label = series.frequency().label(last);
            provenance.note(field, format!("ended: no figure after {label}"));
        }
        false => provenance.note_late(field, series.late_since(last, day)),
    }
}

/// Whether a series whose newest figure is of `last` is taken to have ended by `day`.
fn has_ended(series: &Series, last: Date, day: Date) -> bool {
    let age = days_between(series.frequency().period_end(last), day);
    series.late_since(last, day).is_some() && age > ENDED
}

/// That a series whose newest figure is of `last` is late on `day`, or has ended; `None` where it is neither.
pub(super) fn late_or_ended(series: &Series, last: Date, day: Date) -> Option<String> {
    let since = series.late_since(last, day)?;
    Some(match has_ended(series, last, day) {
        true => "the series has ended".to_owned(),
        false => format!("the series is late since {since}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::catalogue::Catalogue;
    use econoscope_core::model::Observation;
    use jiff::civil::date;

    #[test]
    fn a_figure_is_new_then_late_then_the_last() {
        let info = Catalogue::embedded().get("UNRATE").unwrap().clone();
        let series = Series::new(info, vec![Observation::new(date(2026, 7, 1), 4.1)]);
        let told = |day| {
            let mut provenance = Provenance::default();
            note_late(&mut provenance, "value", &series, day);
            (
                provenance.late.get("value").copied(),
                provenance.notes.get("value").cloned(),
            )
        };
        assert_eq!(told(date(2026, 9, 4)), (None, None));
        assert_eq!(told(date(2026, 11, 1)), (Some(date(2026, 9, 21)), None));
        let ended = "ended: no figure after July 2026".to_owned();
        assert_eq!(told(date(2028, 6, 1)), (None, Some(ended)));
        assert_eq!(told(date(2026, 1, 1)), (None, None));
    }
}
