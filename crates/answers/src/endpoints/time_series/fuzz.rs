//! Doors for `fuzz/` to writers that nothing outside needs; not compiled otherwise.

use super::rows;
use econoscope_core::model::Observation;
use econoscope_core::model::frequency::day_from_number;

/// Writes rows as CSV and reads them back: the same days, the same numbers, no cell that is a formula.
pub fn csv(given: &[(i32, f64)]) {
    let rows: Vec<Observation> = given
        .iter()
        .filter(|(_, value)| value.is_finite())
        .filter_map(|&(day, value)| {
            let date = day_from_number(day).filter(|d| (0..=9_999).contains(&d.year()))?;
            Some(Observation { date, value })
        })
        .collect();
    let text = rows::csv("DGS10", &rows);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("observation_date,DGS10"));
    for (line, row) in lines.by_ref().zip(&rows) {
        let cells = line.split_once(',');
        let date = cells.and_then(|(date, _)| date.parse().ok());
        let value = cells.and_then(|(_, value)| value.parse::<f64>().ok());
        assert_eq!(date, Some(row.date));
        assert_eq!(value, Some(row.value));
    }
    assert_eq!(text.lines().count(), rows.len() + 1);
}
