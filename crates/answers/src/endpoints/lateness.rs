//! Whether the newest figure of a series is late, or the series has ended.

use econoscope_core::model::frequency::days_between;
use econoscope_core::model::{Date, Series};

/// From so many days without a figure a series is taken to have ended.
const ENDED: i64 = 500;

/// What is to be said of the newest figure up to `day`; `None` of one that is as new as it should be.
pub(super) fn lateness(series: &Series, day: Date) -> Option<String> {
    let last = series.last_on_or_before(day)?.date;
    if !series.is_stale(last, day) {
        return None;
    }
    let frequency = series.frequency();
    let label = frequency.label(last);
    let days = days_between(frequency.period_end(last), day);
    Some(match days > ENDED {
        true => format!("ended: no figure after {label}"),
        false => format!("late: no figure after {label}, and a newer one should be out"),
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
        assert_eq!(lateness(&series, date(2026, 9, 4)), None);
        let told = lateness(&series, date(2026, 11, 1)).unwrap();
        assert!(
            told.starts_with("late: no figure after July 2026"),
            "{told}"
        );
        let told = lateness(&series, date(2028, 6, 1)).unwrap();
        assert_eq!(told, "ended: no figure after July 2026");
        assert_eq!(lateness(&series, date(2026, 1, 1)), None);
    }
}
