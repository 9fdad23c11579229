//! National accounts of the Bureau of Economic Analysis: every series in one file of `code,period,value`.

use super::dates;
use super::shape::Line;
use crate::model::Date;
use std::collections::HashMap;

/// Dates and cells by the place of their line, read row by row; only the codes asked for are kept.
///
/// # Errors
/// Says what makes the whole file useless. A made-up name is answered with a page under 200, so the first line counts.
pub(super) fn read(body: &[u8], lines: &[&Line]) -> Result<Vec<Vec<(Date, String)>>, String> {
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
    let mut found: Vec<Vec<(Date, String)>> = lines.iter().map(|_| Vec::new()).collect();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| e.to_string())? {
        let cell = |at: usize| record.get(at).unwrap_or_default().trim();
        let Some(at) = places.get(cell(0)) else {
            continue;
        };
        let period = dates::period(cell(1));
        let period = period.ok_or_else(|| format!("\"{}\" is not a period", cell(1)))?;
        for place in at {
            let all = found.iter_mut().skip(*place).take(1);
            all.for_each(|points| points.push((period, cell(2).to_owned())));
        }
    }
    Ok(found)
}
