//! In which units a series was published when: base years move, and a figure as known then has those of its time.

use super::frequency::Date;
use super::table;

/// Series, month from which on, units; ascending by month for each series.
const UNITS: &str = include_str!("../../data/units.csv");

/// The units in which a series was published in the month of `day`, where they were others than today's.
pub fn published(id: &str, day: Date) -> Option<&'static str> {
    let month = day.strftime("%Y-%m").to_string();
    let rows = table::rows::<3>(UNITS).filter_map(|(_, row)| row.ok());
    let of_series: Vec<_> = rows
        .filter(|[series, ..]| series.eq_ignore_ascii_case(id))
        .collect();
    let until = of_series.partition_point(|[_, from, _]| *from <= month.as_str());
    let [_, _, units] = of_series.get(until.checked_sub(1)?)?;
    (until < of_series.len()).then_some(*units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_figure_has_the_units_of_its_time() {
        let on = |id, year, month| published(id, date(year, month, 20));
        assert_eq!(on("INDPRO", 2010, 5), Some("index 2002=100"));
        assert_eq!(on("INDPRO", 2010, 6), Some("index 2007=100"));
        assert_eq!(on("INDPRO", 2026, 1), None, "as today");
        assert_eq!(on("INDPRO", 1950, 1), None, "not known");
        let dollars = on("GDPC1", 2009, 1);
        assert_eq!(dollars, Some("billions of chained 2000 dollars"));
        assert_eq!(on("PAYEMS", 1990, 1), None, "always the same");
    }

    #[test]
    fn the_rows_of_a_series_stand_together_and_in_order() {
        let rows = table::rows::<3>(UNITS).map(|(_, row)| row.unwrap());
        let rows: Vec<_> = rows.collect();
        let runs = rows.chunk_by(|[a, ..], [b, ..]| a == b);
        let mut series: Vec<&str> = Vec::new();
        for run in runs {
            assert!(run.is_sorted_by(|[_, a, _], [_, b, _]| a < b), "{run:?}");
            series.extend(run.first().map(|[id, ..]| *id));
        }
        let count = series.len();
        series.sort_unstable();
        series.dedup();
        assert_eq!(series.len(), count, "in one place");
    }
}
