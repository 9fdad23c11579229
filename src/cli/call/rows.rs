//! The rows in an answer: every list of objects that its schema has, one under the other.

use anyhow::{Context, Result};
use econoscope_answers::endpoints::Route;
use serde_json::{Map, Value};

/// Lists that speak about the answer and are no part of it.
const ABOUT: [&str; 2] = ["knowledge", "sources"];
/// Columns that speak about a row.
const ABOUT_A_ROW: [&str; 1] = ["untrusted"];
/// Characters with which a spreadsheet begins a formula.
const FORMULA: [char; 5] = ['=', '+', '-', '@', '\t'];

/// Rows with the names of their columns.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Rows {
    pub(super) columns: Vec<String>,
    /// As many cells as columns.
    pub(super) rows: Vec<Vec<Value>>,
}

/// The lists of objects in a tool's answer, by its schema.
pub(super) fn lists(route: &Route) -> Vec<&str> {
    let properties = route.output_schema().get("properties");
    let properties = properties.and_then(Value::as_object);
    let lists = properties.into_iter().flatten().filter(|(name, schema)| {
        let item = schema.pointer("/items/type").and_then(Value::as_str);
        item == Some("object") && !ABOUT.contains(&name.as_str())
    });
    lists.map(|(name, _)| name.as_str()).collect()
}

impl Rows {
    /// The rows of an answer. Of several lists each row says in a first column from which it is; series side by side
    /// are a column each beside their dates.
    pub(super) fn of(route: &Route, answer: &Value) -> Self {
        if let Some(rows) = side_by_side(answer) {
            return rows;
        }
        Self::gathered(answer, &lists(route))
    }

    /// The same, each list by itself; those that are empty are left out.
    pub(super) fn each(route: &Route, answer: &Value) -> Vec<Self> {
        if let Some(rows) = side_by_side(answer) {
            return vec![rows];
        }
        let each = lists(route).into_iter();
        let each = each.map(|list| Self::gathered(answer, &[list]));
        each.filter(|rows| !rows.rows.is_empty()).collect()
    }

    fn gathered(answer: &Value, lists: &[&str]) -> Self {
        let mut flat = Vec::new();
        for list in lists {
            let items = answer.get(*list).and_then(Value::as_array);
            for item in items.into_iter().flatten() {
                let mut row = Map::new();
                if lists.len() > 1 {
                    row.insert("list".into(), Value::from(*list));
                }
                flatten("", item, &mut row);
                flat.push(row);
            }
        }
        let mut columns: Vec<String> = Vec::new();
        for name in flat.iter().flat_map(Map::keys) {
            if !columns.contains(name) {
                columns.push(name.clone());
            }
        }
        let cells = |mut row: Map<String, Value>| {
            let names = columns.iter();
            names
                .map(|name| row.remove(name).unwrap_or_default())
                .collect()
        };
        Self {
            rows: flat.into_iter().map(cells).collect(),
            columns,
        }
    }

    /// As CSV with a header.
    ///
    /// # Errors
    /// None that can be met: memory takes it.
    pub(super) fn csv(&self) -> Result<String> {
        if self.columns.is_empty() {
            return Ok(String::new());
        }
        let mut out = csv::Writer::from_writer(Vec::new());
        let refused = "writing CSV";
        out.write_record(&self.columns).context(refused)?;
        for row in &self.rows {
            let cells = row.iter().map(cell);
            out.write_record(cells).context(refused)?;
        }
        let bytes = out.into_inner().context(refused)?;
        String::from_utf8(bytes).context(refused)
    }
}

/// What a spreadsheet shows for a value; a text that it would take for a formula is marked as text.
fn cell(value: &Value) -> String {
    let text = plain(value);
    match value.is_string() && text.starts_with(FORMULA) {
        true => format!("'{text}"),
        false => text,
    }
}

/// A value without the marks of JSON.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join("; "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// An object's fields as columns of one row; those of an object inside it are named `outer.inner`.
fn flatten(above: &str, value: &Value, row: &mut Map<String, Value>) {
    let Value::Object(fields) = value else {
        row.insert(above.to_owned(), value.clone());
        return;
    };
    for (name, field) in fields {
        if ABOUT_A_ROW.contains(&name.as_str()) {
            continue;
        }
        let name = match above.is_empty() {
            true => name.clone(),
            false => format!("{above}.{name}"),
        };
        flatten(&name, field, row);
    }
}

/// Columns of values that share their dates.
fn side_by_side(answer: &Value) -> Option<Rows> {
    let dates = answer.get("dates")?.as_array()?;
    let columns = answer.get("columns")?.as_array()?;
    let values = columns
        .iter()
        .map(|column| column.get("values")?.as_array())
        .collect::<Option<Vec<_>>>()?;
    let names = columns.iter().map(|column| {
        let name = column.get("series").map(plain);
        name.unwrap_or_default()
    });
    let rows = dates.iter().enumerate().map(|(at, date)| {
        let cells = values.iter().map(|values| values.get(at).cloned());
        let cells = cells.map(Option::unwrap_or_default);
        std::iter::once(date.clone()).chain(cells).collect()
    });
    Some(Rows {
        columns: std::iter::once("date".to_owned()).chain(names).collect(),
        rows: rows.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(tool: &str, answer: &Value) -> String {
        let route = Route::find(tool).unwrap();
        Rows::of(route, answer).csv().unwrap()
    }

    #[test]
    fn objects_in_a_row_are_columns_and_what_is_missing_is_empty() {
        let answer = json!({"knowledge": [{"rule": "x"}], "scenarios": [
            {"id": "A", "now": 1.5, "newerMean": {"value": 2, "date": "2026-01-01"}, "untrusted": ["id"]},
            {"id": "B", "now": null, "tags": ["x", "y"]}]});
        assert_eq!(
            of("list_scenarios", &answer),
            "id,now,newerMean.value,newerMean.date,tags\nA,1.5,2,2026-01-01,\nB,,,,x; y\n"
        );
    }

    #[test]
    fn rows_of_several_lists_say_from_which_they_are() {
        let answer =
            json!({"convexIndices": [{"ticker": "CRPI"}], "marketSignals": [{"ticker": "VIX"}]});
        assert_eq!(
            of("get_signals", &answer),
            "list,ticker\nconvexIndices,CRPI\nmarketSignals,VIX\n"
        );
    }

    #[test]
    fn series_side_by_side_are_columns_beside_their_dates() {
        let answer = json!({"dates": ["2026-01-01", "2026-02-01"], "columns": [
            {"series": "yoy(CPI)", "values": [1, null]}, {"series": "DGS10", "values": [4.5, 4.25]}]});
        assert_eq!(
            of("compare_series", &answer),
            "date,yoy(CPI),DGS10\n2026-01-01,1,4.5\n2026-02-01,,4.25\n"
        );
    }

    #[test]
    fn a_spreadsheet_runs_nothing_that_somebody_wrote() {
        let answer = json!({"articles": [{"title": "=cmd()", "score": -1}]});
        assert_eq!(
            of("get_latest_articles", &answer),
            "title,score\n'=cmd(),-1\n"
        );
    }

    #[test]
    fn tools_without_rows_are_those_that_answer_with_one_state() {
        let none: Vec<&str> = econoscope_answers::endpoints::ENDPOINTS
            .iter()
            .filter(|route| lists(route).is_empty())
            .map(|route| route.spec.tool)
            .collect();
        assert_eq!(none, ["get_macro_summary", "get_metric", "fetch"]);
    }
}
