//! Rows of an answer, from the lists of objects in its schema.

use anyhow::Result;
use econoscope_answers::Route;
use serde_json::{Map, Value};

/// Lists of metadata.
const METADATA_LISTS: [&str; 2] = ["knowledge", "sources"];
/// Field of metadata in a row.
const METADATA_FIELD: &str = "untrusted";
/// Characters with which a spreadsheet begins a formula.
const FORMULA_STARTS: [char; 5] = ['=', '+', '-', '@', '\t'];

/// Rows with the names of their columns.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Rows {
    pub(super) columns: Vec<String>,
    /// As many cells as columns.
    pub(super) rows: Vec<Vec<Value>>,
}

/// Returns the fields of a tool's answer that are lists of objects, by its schema.
pub(super) fn list_fields(route: &Route) -> Vec<&str> {
    let properties = route
        .output_schema
        .get("properties")
        .and_then(Value::as_object);
    let lists = properties.into_iter().flatten().filter(|(name, schema)| {
        let item = schema.pointer("/items/type").and_then(Value::as_str);
        item == Some("object") && !METADATA_LISTS.contains(&name.as_str())
    });
    lists.map(|(name, _)| name.as_str()).collect()
}

impl Rows {
    /// Returns the rows of all lists of an answer. With several lists, a first column has the name of the list.
    pub(super) fn of_all_lists(route: &Route, answer: &Value) -> Self {
        let aligned = Self::of_aligned_series(answer);
        aligned.unwrap_or_else(|| Self::of_lists(answer, &list_fields(route)))
    }

    /// Returns the rows of each list that is not empty.
    pub(super) fn of_each_list(route: &Route, answer: &Value) -> Vec<Self> {
        if let Some(rows) = Self::of_aligned_series(answer) {
            return vec![rows];
        }
        let lists = list_fields(route)
            .into_iter()
            .map(|list| Self::of_lists(answer, &[list]));
        lists.filter(|list| !list.rows.is_empty()).collect()
    }

    fn of_lists(answer: &Value, lists: &[&str]) -> Self {
        let mut columns: Vec<String> = Vec::new();
        let mut rows = Vec::new();
        for list in lists {
            let items = answer.get(*list).and_then(Value::as_array);
            for item in items.into_iter().flatten() {
                let mut row = Map::new();
                if lists.len() > 1 {
                    row.insert("list".into(), Value::from(*list));
                }
                flatten("", item, &mut row);
                for name in row.keys() {
                    if !columns.contains(name) {
                        columns.push(name.clone());
                    }
                }
                rows.push(row);
            }
        }
        let cells = |mut row: Map<String, Value>| {
            let cell = |name| row.remove(name).unwrap_or_default();
            columns.iter().map(cell).collect()
        };
        Self {
            rows: rows.into_iter().map(cells).collect(),
            columns,
        }
    }

    /// Returns the rows of an answer with series that share their dates: a column of dates, and one per series.
    fn of_aligned_series(answer: &Value) -> Option<Self> {
        if answer.get("table").is_some() {
            return Some(Self::of_lists(answer, &["table"]));
        }
        let dates = answer.get("dates")?.as_array()?;
        let series = answer.get("columns")?.as_array()?;
        let name = |one: &Value| one.get("series").map_or_else(String::new, to_text);
        let names = series.iter().map(name);
        let columns = std::iter::once("date".to_owned()).chain(names).collect();
        let row = |(at, date): (usize, &Value)| {
            let cell = |one: &Value| one.get("values")?.get(at).cloned();
            let cells = series.iter().map(|one| cell(one).unwrap_or_default());
            std::iter::once(date.clone()).chain(cells).collect()
        };
        Some(Self {
            columns,
            rows: dates.iter().enumerate().map(row).collect(),
        })
    }

    /// Formats the rows as CSV with a header.
    pub(super) fn to_csv(&self) -> Result<String> {
        if self.columns.is_empty() {
            return Ok(String::new());
        }
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.columns)?;
        for row in &self.rows {
            writer.write_record(row.iter().map(csv_cell))?;
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }
}

/// Formats a cell for a spreadsheet. A text that would be read as a formula is marked as text.
fn csv_cell(value: &Value) -> String {
    let text = to_text(value);
    let is_formula = value.is_string() && text.starts_with(FORMULA_STARTS);
    let mark = if is_formula { "'" } else { "" };
    mark.to_owned() + &text
}

/// Formats a value without the syntax of JSON.
pub(super) fn to_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(to_text).collect::<Vec<_>>().join("; "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// Adds a value to the row under `path`, or the fields of an object under `path.field`.
fn flatten(path: &str, value: &Value, row: &mut Map<String, Value>) {
    let Value::Object(fields) = value else {
        row.insert(path.to_owned(), value.clone());
        return;
    };
    let dot = if path.is_empty() { "" } else { "." };
    for (name, field) in fields.iter().filter(|(name, _)| *name != METADATA_FIELD) {
        flatten(&format!("{path}{dot}{name}"), field, row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn csv(tool: &str, answer: &Value) -> String {
        let route = Route::find(tool).unwrap();
        Rows::of_all_lists(route, answer).to_csv().unwrap()
    }

    #[test]
    fn inner_objects_become_columns_and_absent_values_are_empty() {
        let answer = json!({"knowledge": [{"rule": "x"}], "scenarios": [
            {"id": "A", "now": 1.5, "newerMean": {"value": 2, "date": "2026-01-01"}, "untrusted": ["id"]},
            {"id": "B", "now": null, "tags": ["x", "y"]}]});
        assert_eq!(
            csv("list_scenarios", &answer),
            "id,now,newerMean.value,newerMean.date,tags\nA,1.5,2,2026-01-01,\nB,,,,x; y\n"
        );
    }

    #[test]
    fn rows_of_several_lists_name_their_list() {
        let answer =
            json!({"convexIndices": [{"ticker": "CRPI"}], "marketSignals": [{"ticker": "VIX"}]});
        assert_eq!(
            csv("get_signals", &answer),
            "list,ticker\nconvexIndices,CRPI\nmarketSignals,VIX\n"
        );
    }

    #[test]
    fn aligned_series_become_columns() {
        let answer = json!({"dates": ["2026-01-01", "2026-02-01"], "columns": [
            {"series": "yoy(CPI)", "values": [1, null]}, {"series": "DGS10", "values": [4.5, 4.25]}]});
        assert_eq!(
            csv("compare_series", &answer),
            "date,yoy(CPI),DGS10\n2026-01-01,1,4.5\n2026-02-01,,4.25\n"
        );
    }

    #[test]
    fn tables_keep_their_columns() {
        let answer = json!({"dates": [], "columns": [], "table": [
            {"item": "1-month", "unit": "%", "1990-06-29": "begins 2001-07-31"}, {"item": "2-year", "unit": "%", "1990-06-29": 8.24}]});
        assert_eq!(
            csv("compare_series", &answer),
            "item,unit,1990-06-29\n1-month,%,begins 2001-07-31\n2-year,%,8.24\n"
        );
    }

    #[test]
    fn csv_marks_formulas_as_text() {
        let answer = json!({"articles": [{"title": "=cmd()", "score": -1}]});
        assert_eq!(
            csv("get_latest_articles", &answer),
            "title,score\n'=cmd(),-1\n"
        );
    }

    #[test]
    fn only_tools_with_one_state_have_no_rows() {
        let routes = econoscope_answers::ENDPOINTS.iter();
        let without_rows = routes.filter(|route| list_fields(route).is_empty());
        let names: Vec<&str> = without_rows.map(|route| route.spec.tool).collect();
        assert_eq!(names, ["get_macro_summary", "get_metric", "fetch"]);
    }
}
