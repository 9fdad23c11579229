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
    let (frequency, late) = (series.frequency(), series.late_since(last, day));
    match late.is_some() && days_between(frequency.period_end(last), day) > ENDED {
        true => {
            let label = frequency.label(last);
            provenance.note(field, format!("ended: no figure after {label}"));
        }
        false => provenance.note_late(field, late),
    }
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
