//! Tests of the compact form and of its schema.

use super::*;

fn compacted(value: Value) -> Value {
    Structure::from_answer(value, &[], &Map::new()).value
}

#[test]
fn columns_stand_in_declared_order_whatever_the_first_row_lacks() {
    let range = json!({"type": "object", "properties": {"low": {}, "high": {}}});
    let row = json!({"type": "object", "properties": {
        "date": {}, "value": {}, "range": {"anyOf": [range, {"type": "null"}]}, "note": {}, "unit": {}}});
    let schema = json!({"type": "object", "properties": {"rows": {"type": "array", "items": row}}});
    let answer = json!({"rows": [
        {"date": "2020-01", "value": null, "range": null, "unit": "%"},
        {"date": "2020-02", "value": 2, "range": {"high": 3, "low": 1}, "note": "late", "unit": "pp", "other": 4},
    ]});
    let expected = json!({"rows": {
        "columns": ["date", "value", "range.low", "range.high", "note", "unit", "other"],
        "rows": [["2020-01", null, null, null, null, "%", null], ["2020-02", 2, 1, 3, "late", "pp", 4]],
    }});
    let fields = schema.as_object().unwrap();
    assert_eq!(Structure::from_answer(answer, &[], fields).value, expected);
}

#[test]
fn null_and_empty_fields_are_left_out() {
    let answer = json!({"a": null, "b": "", "c": [], "d": {"e": null}, "f": 0.0, "g": false, "h": [null, 1.5]});
    assert_eq!(
        compacted(answer),
        json!({"f": 0, "g": false, "h": [null, 1.5]})
    );
    assert_eq!(compacted(json!({"a": null})), json!({}));
}

#[test]
fn what_another_field_says_is_left_out() {
    let answer = |unit, sources, rows| {
        json!({
            "unit": "%", "unitInWords": unit, "source": "A", "sources": sources,
            "reduction": {"from_rows": 9, "to_rows": rows}, "all_rows": "macro://series/X.csv",
        })
    };
    let repeated = compacted(answer("%", json!([{"source": "A"}]), 9));
    let names: Vec<&String> = repeated.as_object().unwrap().keys().collect();
    assert_eq!(names, ["unit", "sources"]);
    let sources = json!([{"source": "A"}, {"source": "B"}]);
    let told = compacted(answer("%, SA", sources, 3));
    assert_eq!(told.as_object().unwrap().len(), 6);
}

#[test]
fn list_of_objects_becomes_a_table() {
    let answer = json!({"rows": [
        {"date": "2020-01", "kind": "rule", "p": {"up": 1.0, "down": 2.5}, "note": null},
        {"date": "2020-02", "kind": "rule", "p": {"up": 3.0, "down": 4.5}, "note": "late"},
        {"date": "2020-03", "kind": "rule", "p": null, "note": null},
    ]});
    let expected = json!({"rows": {
        "columns": ["date", "p.up", "p.down", "note"],
        "rows": [["2020-01", 1, 2.5, null], ["2020-02", 3, 4.5, "late"], ["2020-03", null, null, null]],
        "constant": {"kind": "rule"},
    }});
    assert_eq!(compacted(answer), expected);
}

#[test]
fn numbers_and_short_lists_are_never_constant() {
    let answer = json!({"r": [{"v": 1.5, "t": "x"}, {"v": 1.5, "t": "x"}]});
    assert_eq!(
        compacted(answer),
        json!({"r": {"columns": ["v", "t"], "rows": [[1.5, "x"], [1.5, "x"]]}})
    );
    let answer = json!({"r": [{"v": 1.5, "t": "x"}, {"v": 1.5, "t": "x"}, {"v": 1.5, "t": "x"}]});
    let expected =
        json!({"r": {"columns": ["v"], "rows": [[1.5], [1.5], [1.5]], "constant": {"t": "x"}}});
    assert_eq!(compacted(answer), expected);
}

#[test]
fn objects_with_different_keys_stay_in_their_cell() {
    let answer = json!({"r": [{"m": {"a": 1}}, {"m": {"b": 2}}, {"m": {"c": 3}}]});
    let expected = json!({"r": {"columns": ["m"], "rows": [[{"a": 1}], [{"b": 2}], [{"c": 3}]]}});
    assert_eq!(compacted(answer), expected);
}

#[test]
fn table_can_be_a_cell() {
    let answer = json!({"r": [{"name": "x", "parts": [{"k": 1}, {"k": 2}]}]});
    let expected = json!({"r": {"columns": ["name", "parts"], "rows": [["x", {"columns": ["k"], "rows": [[1], [2]]}]]}});
    assert_eq!(compacted(answer), expected);
}

#[test]
fn notices_are_returned_apart_and_omitted_fields_removed() {
    let answer = json!({
        "sources": [
            {"source": "A", "series": ["X"], "notice": "Cite A."},
            {"source": "B", "series": ["Y"], "notice": "Cite A."},
        ],
        "items": [{"name": "n", "rule": "r", "inner": {"x": 1, "y": 2}}],
        "other": 1,
    });
    let structure = Structure::from_answer(
        answer,
        &["items.rule", "items.inner.y", "other", "absent.field"],
        &Map::new(),
    );
    assert_eq!(structure.notices, ["Cite A."]);
    let expected = json!({
        "sources": {"columns": ["source"], "rows": [["A"], ["B"]]},
        "items": {"columns": ["name", "inner.x"], "rows": [["n", 1]]},
    });
    assert_eq!(structure.value, expected);
}

#[test]
fn whole_number_is_written_without_a_fraction() {
    for (number, expected) in [
        ("75.0", "75"),
        ("-0.0", "0"),
        ("0.1", "0.1"),
        ("-3.0", "-3"),
        ("1e300", "1e+300"),
    ] {
        let number: Value = serde_json::from_str(number).unwrap();
        let compacted = compacted(json!({"v": number})).to_string();
        assert_eq!(compacted, format!("{{\"v\":{expected}}}"));
    }
}

#[test]
fn schema_describes_tables_and_requires_no_field() {
    let answer = json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer", "description": "How many."},
            "when": {"type": ["string", "null"], "format": "date"},
            "rows": {"type": "array", "description": "Rows.", "items": {"type": "object", "properties": {
                "date": {"type": "string", "format": "date", "description": "Day."},
                "p": {"type": "object", "additionalProperties": {"type": "number"}},
            }, "required": ["date", "p"]}},
        },
        "required": ["count", "when", "rows"],
    });
    let schema = Value::Object(schema(answer.as_object().unwrap()));
    assert_eq!(schema.get("required"), None);
    assert_eq!(
        schema["properties"]["when"],
        json!({"type": "string", "format": "date"})
    );
    let rows = &schema["properties"]["rows"];
    assert_eq!(rows["description"], "Rows.");
    let columns = &rows["properties"]["columns"];
    assert_eq!(columns["description"], "date (date): Day.");
    let brief = brief(&schema);
    assert_eq!(
        brief["properties"]["rows"]["description"],
        "Table of date, p.*."
    );
    assert_eq!(
        brief["properties"]["count"],
        json!({"type": "integer"}),
        "no description"
    );
}
