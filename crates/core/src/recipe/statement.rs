//! The monthly Treasury statement: months are named below the row of their fiscal year, and each report restates the
//! months before it, so that the newest report counts.

use super::cells::text;
use crate::model::Date;
use jiff::fmt::strtime;
use serde_json::Value;
use std::collections::HashMap;

/// Month, day of the report, and cell.
///
/// # Errors
/// Names a month that stands below no fiscal year.
pub(super) fn months(rows: &[Value], field: &str) -> Result<Vec<(Date, String, String)>, String> {
    let year = |row| {
        let name = cell(row, "classification_desc");
        let year: i16 = name.strip_prefix("FY ")?.trim().parse().ok()?;
        let (report, id) = (cell(row, "record_date"), cell(row, "classification_id"));
        Some(((report, id), year))
    };
    let years: HashMap<_, i16> = rows.iter().filter_map(year).collect();
    let mut found = Vec::new();
    for row in rows {
        let name = cell(row, "classification_desc");
        let month = strtime::parse("%B", &name).ok();
        let Some(month) = month.and_then(|named| named.month()) else {
            continue;
        };
        let report = cell(row, "record_date");
        let year = years.get(&(report.clone(), cell(row, "parent_id")));
        let year = year.ok_or_else(|| {
            format!("{name} of the report of {report} stands below no fiscal year")
        })?;
        // A fiscal year begins in October.
        let year = if month >= 10 { year - 1 } else { *year };
        let date = Date::new(year, month, 1).map_err(|e| e.to_string())?;
        found.push((date, report, cell(row, field)));
    }
    Ok(found)
}

fn cell(row: &Value, name: &str) -> String {
    let found = row.get(name).map(text);
    found.unwrap_or_default().into_owned()
}
