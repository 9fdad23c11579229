//! The units in which a series was published: a figure as known on a day has the base year of that day.

use super::frequency::Date;
use super::table;

/// Series, first month, units; ascending by month for each series.
const UNITS: &str = include_str!("../../data/units.csv");

/// Returns the units in which a series was published in the month of `day`, if they are not today's.
pub fn units_on(id: &str, day: Date) -> Option<&'static str> {
    let month = day.strftime("%Y-%m").to_string();
    let is_own = |[series, ..]: &[&str; 3]| series.eq_ignore_ascii_case(id);
    let rows: Vec<_> = table::embedded(UNITS).filter(is_own).collect();
    let next = rows.partition_point(|[_, from, _]| *from <= month.as_str());
    let [_, _, units] = rows.get(next.checked_sub(1)?)?;
    (next < rows.len()).then_some(*units)
}

/// Returns whether a series was ever published in these units.
pub fn was_published_in(id: &str, units: &str) -> bool {
    let mut rows = table::embedded(UNITS);
    rows.any(|[series, _, words]| series.eq_ignore_ascii_case(id) && words == units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn figures_have_the_units_of_their_day() {
        let on = |id, year, month| units_on(id, date(year, month, 20));
        assert_eq!(on("INDPRO", 2010, 5), Some("index 2002=100"));
        assert_eq!(on("INDPRO", 2010, 6), Some("index 2007=100"));
        assert_eq!(on("INDPRO", 2026, 1), None, "as today");
        assert_eq!(on("INDPRO", 1950, 1), None, "not known");
        let dollars = on("GDPC1", 2009, 1);
        assert_eq!(dollars, Some("billions of chained 2000 dollars"));
        assert_eq!(on("PAYEMS", 1990, 1), None, "always the same");
    }

    #[test]
    fn rows_are_grouped_by_series_and_ascending() {
        let rows: Vec<_> = table::rows::<3>(UNITS)
            .map(|(_, row)| row.unwrap())
            .collect();
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
