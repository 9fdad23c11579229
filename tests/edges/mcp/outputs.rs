//! Tests that answers and inputs match their schemas, and that all hosts support the schemas.

use super::client::Client;
use super::server;
use crate::expanded::{expanded, untrue};
use crate::home::backends;
use econoscope::mcp::Server;
use econoscope_answers::{ENDPOINTS, Route};
use rmcp::ServerHandler as _;
use serde_json::{Map, Value, json};

/// Arguments of the calls that are checked for each tool, besides the endpoint's example.
fn calls(tool: &str) -> Vec<Value> {
    match tool {
        "get_metric" => [
            "DGS10",
            "UNRATE",
            "CPIAUCSL",
            "SERVICE_CRPI",
            "SERVICE_CNLI",
            "VIXCLS",
        ]
        .iter()
        .map(|t| json!({ "ticker": t }))
        .collect(),
        "get_time_series" => vec![
            json!({ "seriesId": "DGS10", "start": "5y" }),
            json!({ "seriesId": "UNRATE", "start": "max", "format": "csv" }),
            json!({ "seriesId": "SERVICE_CRPI", "start": "2020-01-01", "end": "2021-01-01" }),
        ],
        "get_regime" | "get_macro_summary" | "get_signals" => vec![
            json!({}),
            json!({ "as_of": "2020-03-20" }),
            json!({ "as_of": "1950-01-01" }),
        ],
        "search_glossary" => vec![
            json!({ "q": "nothing at all like this" }),
            json!({ "q": "spread" }),
        ],
        "search" => vec![json!({ "query": "zzzz" })],
        "fetch" => vec![
            json!({ "id": "method:crpi" }),
            json!({ "id": "term:sahm-rule" }),
        ],
        _ => vec![],
    }
}

fn example(route: &Route) -> Value {
    let pairs = route.spec.example.iter();
    Value::Object(
        pairs
            .map(|(k, v)| ((*k).to_owned(), Value::from(*v)))
            .collect(),
    )
}

#[tokio::test]
async fn answers_match_the_brief_and_the_full_schema() {
    for (name, backend) in backends() {
        let mut client = Client::open(Server::new(std::sync::Arc::clone(&backend)));
        let list = client.result("tools/list", json!({})).await;
        let mut checked = 0;
        for route in ENDPOINTS.iter() {
            let tool = route.spec.tool;
            let listed = list["tools"]
                .as_array()
                .unwrap()
                .iter()
                .find(|t| t["name"] == tool);
            let brief = jsonschema::validator_for(&listed.unwrap()["outputSchema"]).unwrap();
            let whole = Value::Object(route.structure_schema.clone());
            let whole = jsonschema::validator_for(&whole).unwrap();
            let of_answer = Value::Object((**route.output_schema).clone());
            let of_answer = jsonschema::validator_for(&of_answer).unwrap();
            let mut all = calls(tool);
            all.push(example(route));
            for arguments in all {
                let call = json!({ "name": tool, "arguments": &arguments });
                let result = client.result("tools/call", call).await;
                if result["isError"] == true {
                    let message = result["content"][0]["text"].as_str().unwrap();
                    assert!(
                        message.starts_with("No data"),
                        "{name}: {tool} {arguments}: {message}"
                    );
                    continue;
                }
                checked += 1;
                let answer = &result["structuredContent"];
                for schema in [&brief, &whole] {
                    let wrong: Vec<String> = schema
                        .iter_errors(answer)
                        .map(|e| format!("{e} at {}", e.instance_path()))
                        .collect();
                    assert!(wrong.is_empty(), "{name}: {tool} {arguments}: {wrong:#?}");
                }
                let call_arguments =
                    route.with_assistant_defaults(arguments.as_object().cloned().unwrap());
                let reply = route.call(&backend, call_arguments).await.unwrap();
                let whole: Value = serde_json::from_slice(&reply.json).unwrap();
                let wrong: Vec<_> = of_answer
                    .iter_errors(&whole)
                    .map(|e| e.to_string())
                    .collect();
                assert!(wrong.is_empty(), "{name}: {tool} {arguments}: {wrong:#?}");
                let wrong = untrue(&expanded(answer), &whole, "");
                assert_eq!(wrong, None, "{name}: {tool} {arguments}");
                let text = result["content"][0]["text"].as_str().unwrap();
                let json_in_text = matches!(tool, "search" | "fetch");
                assert_eq!(
                    text.starts_with('{'),
                    json_in_text,
                    "{tool}: the same JSON twice"
                );
            }
        }
        assert!(checked > ENDPOINTS.len(), "{name}: {checked}");
    }
}

#[test]
fn input_examples_match_their_schema() {
    let mut checked = 0;
    for route in ENDPOINTS.iter() {
        let schema = Value::Object((**route.input_schema).clone());
        let whole = jsonschema::validator_for(&schema).unwrap();
        let none = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        for (name, property) in properties {
            let check = jsonschema::validator_for(property).unwrap();
            for value in property["examples"].as_array().into_iter().flatten() {
                assert!(check.is_valid(value), "{}.{name}: {value}", route.spec.tool);
                checked += 1;
            }
            if let Some(value) = property.get("default") {
                assert!(check.is_valid(value), "{}.{name}: {value}", route.spec.tool);
            }
        }
        assert!(
            !whole.is_valid(&json!({ "no such argument": 1 })),
            "{}",
            route.spec.tool
        );
    }
    assert!(checked >= 10, "{checked} examples");
}

#[test]
fn output_schemas_are_portable() {
    let server = server();
    for tool in ENDPOINTS
        .iter()
        .map(|r| server.get_tool(r.spec.tool).unwrap())
    {
        let input = Value::Object((*tool.input_schema).clone());
        walk(&input, &mut |path, node| {
            let at = format!("{}: {path}", tool.name);
            if let Some(format) = node.get("format") {
                assert!(format == "date" || format == "date-time", "{at}: {format}");
            }
            assert!(
                !node.get("type").is_some_and(Value::is_array),
                "{at}: a union of types"
            );
            for word in [
                "$ref", "$defs", "anyOf", "oneOf", "allOf", "const", "$schema",
            ] {
                assert!(node.get(word).is_none(), "{at}: {word}");
            }
        });
        let output = Value::Object((**tool.output_schema.as_ref().unwrap()).clone());
        assert_eq!(output["type"], "object", "{}", tool.name);
        walk(&output, &mut |path, node| {
            assert!(node.get("$ref").is_none(), "{}: {path}", tool.name);
            if let Some(format) = node.get("format").and_then(Value::as_str) {
                assert!(
                    !format.starts_with("uint") && format != "double",
                    "{}: {path}",
                    tool.name
                );
            }
        });
        assert!(tool.name.len() <= 40 && tool.title.is_some());
        let hints = tool.annotations.as_ref().unwrap();
        assert_eq!(hints.read_only_hint, Some(true));
    }
}

fn walk(node: &Value, check: &mut dyn FnMut(&str, &Map<String, Value>)) {
    fn go(path: &str, node: &Value, check: &mut dyn FnMut(&str, &Map<String, Value>)) {
        let Some(map) = node.as_object() else { return };
        check(path, map);
        for (name, child) in map
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            go(&format!("{path}/{name}"), child, check);
        }
        if let Some(items) = map.get("items") {
            go(&format!("{path}/items"), items, check);
        }
    }
    go("", node, check);
}
