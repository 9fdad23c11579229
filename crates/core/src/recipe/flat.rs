//! National accounts of the Bureau of Economic Analysis: every series in one file of `code,period,value`.

use super::cells::Found;
use super::dates;
use super::shape::Line;
use std::collections::HashMap;

/// The place of a line, a date, and the cell, read row by row; only the codes asked for are kept.
///
/// # Errors
/// Says what makes the whole file useless. A made-up name is answered with a page under 200, so the first line counts.
pub(super) fn read(body: &[u8], lines: &[&Line]) -> Result<Vec<Found>, String> {
    let mut reader = csv::ReaderBuilder::new().from_reader(body);
    let header = reader.headers().map_err(|e| e.to_string())?;
    if header
        .iter()
        .map(str::trim)
        .ne(["%SeriesCode", "Period", "Value"])
    {
        return Err("its first line is not \"%SeriesCode,Period,Value\"".to_owned());
    }
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, line) in lines.iter().enumerate() {
        places.entry(line.field.as_str()).or_default().push(place);
    }
    let mut found = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| e.to_string())? {
        let cell = |at: usize| record.get(at).unwrap_or_default().trim();
        let Some(at) = places.get(cell(0)) else {
            continue;
        };
        let period = dates::period(cell(1));
        let period = period.ok_or_else(|| format!("\"{}\" is not a period", cell(1)))?;
        found.extend(at.iter().map(|place| (*place, period, cell(2).to_owned())));
    }
    Ok(found)
}
