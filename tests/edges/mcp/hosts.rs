//! Tests of the habits of hosts: some show a model only the text, others only the structure, some merge all names into
//! one list, and none can open an address without a listener.

use super::client::Client;
use super::server;
use crate::home::bundled;
use econoscope::mcp::Server;
use econoscope_answers::{Backend, ENDPOINTS};
use econoscope_desk::Settings;
use econoscope_desk::testing::TestDesk;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

async fn call(client: &mut Client, tool: &str, arguments: &Value) -> Value {
    let call = json!({ "name": tool, "arguments": arguments });
    client.result("tools/call", call).await
}

#[tokio::test]
async fn text_and_structure_have_the_same_rows() {
    let mut client = Client::open(server());
    for (arguments, rows) in [
        (json!({"start": "5y"}), 25..=60),
        (json!({"start": "5y", "max_points": 8.0}), 5..=8),
        (json!({"start": "max", "detail": "points"}), 10..=60),
        (
            json!({"start": "2y", "detail": "csv", "frequency": ""}),
            300..=750,
        ),
        (json!({"start": "max", "detail": "csv"}), 300..=750),
        (json!({"start": "max", "format": "csv"}), 300..=750),
        (
            json!({"start": "2y", "format": "csv", "detail": "full"}),
            300..=750,
        ),
        (json!({"start": "max", "detail": "full"}), 5_000..=5_000),
    ] {
        let mut whole = arguments.clone();
        whole["seriesId"] = "DGS10".into();
        let result = call(&mut client, "get_time_series", &whole).await;
        let answer = &result["structuredContent"];
        let row = |row: &Value| format!("{},{}", row[0].as_str().unwrap(), row[1]);
        assert_eq!(answer["data"]["columns"], json!(["date", "value"]));
        let rows_of_structure: Vec<String> = answer["data"]["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(row)
            .collect();
        let structure: Vec<&str> = rows_of_structure
            .iter()
            .map(|r| r.trim_end_matches(".0"))
            .collect();
        let text = result["content"][0]["text"].as_str().unwrap();
        let is_row = |line: &&str| {
            line.split_once(',')
                .is_some_and(|(d, v)| d.len() == 10 && v.parse::<f64>().is_ok())
        };
        let lines: Vec<&str> = text.lines().filter(is_row).collect();
        assert_eq!(lines, structure, "{arguments}");
        assert!(
            rows.contains(&lines.len()),
            "{arguments}: {} rows",
            lines.len()
        );
        assert_eq!(answer["rowCount"], lines.len(), "{arguments}");
        if let Some(all) = answer["all_rows"]
            .as_str()
            .filter(|_| answer["reduction"]["from_rows"] != answer["rowCount"])
        {
            assert!(
                text.contains(all) && text.contains("More: "),
                "{arguments}: {text}"
            );
        }
        let kinds = result["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| &c["type"]);
        assert_eq!(kinds.collect::<Vec<_>>(), ["text"], "{arguments}");
    }
}

#[tokio::test]
async fn tool_resource_and_prompt_names_are_unique() {
    let mut client = Client::open(server());
    let mut seen = HashSet::new();
    for (method, list) in [
        ("tools/list", "tools"),
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let listed = client.result(method, json!({})).await;
        for one in listed[list].as_array().unwrap() {
            // Hosts replace other characters than letters in names.
            let name = one["name"]
                .as_str()
                .unwrap()
                .replace('-', "_")
                .to_lowercase();
            assert!(
                seen.insert(name.clone()),
                "{method}: {name} is a name already"
            );
        }
    }
    assert!(seen.len() > 30);
}

/// Returns every link in an answer, in its structure and its text.
fn links(result: &Value) -> Vec<String> {
    let text = result.to_string();
    let begin = |scheme: &str| {
        text.match_indices(scheme)
            .map(|(at, _)| at)
            .collect::<Vec<_>>()
    };
    let starts = ["http://", "https://", "macro://"]
        .into_iter()
        .flat_map(begin);
    let link = |at: usize| {
        let end = text[at..].find(|c: char| c.is_whitespace() || "\"\\()<>,;`".contains(c));
        text[at..]
            .split_at(end.unwrap())
            .0
            .trim_end_matches('.')
            .to_owned()
    };
    starts.map(link).collect()
}

#[tokio::test]
async fn links_of_a_stdio_server_resolve() {
    let settings = Settings {
        base_url: None,
        ..Settings::default()
    };
    let desk = TestDesk::bundled()
        .settings(settings)
        .at(crate::home::now())
        .open();
    let server = Server::new(Arc::new(Backend::local(Arc::new(desk))));
    let (mut client, hello) = Client::legacy(server, "2025-11-25").await;
    let home = env!("CARGO_PKG_REPOSITORY");
    assert_eq!(hello["result"]["serverInfo"]["websiteUrl"], home);
    let mut read = 0;
    for route in ENDPOINTS.iter() {
        let arguments: Value = route
            .spec
            .example
            .iter()
            .map(|(k, v)| ((*k).to_owned(), json!(v)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let result = call(&mut client, route.spec.tool, &arguments).await;
        assert_eq!(result["isError"], false, "{result}");
        let links: HashSet<String> = links(&result).into_iter().collect();
        for link in links {
            assert!(
                !link.contains("127.0.0.1") && !link.contains("localhost"),
                "{}: {link}",
                route.spec.tool
            );
            if link.starts_with("macro://") {
                let page = client
                    .result("resources/read", json!({ "uri": link }))
                    .await;
                assert!(
                    page["contents"][0]["text"].as_str().unwrap().len() > 20,
                    "{link}"
                );
                read += 1;
            }
        }
    }
    assert!(read > 12, "{read}");
    let alert = "macro://alert/T10Y2Y%20%3C%200";
    let resource = client
        .result("resources/read", json!({ "uri": alert }))
        .await;
    let resource = resource["contents"][0]["text"].as_str().unwrap();
    let resource: Value = serde_json::from_str(resource).unwrap();
    assert_eq!(resource["lastCrossing"]["page"], alert);
    let whole = json!({"seriesId": "DGS10", "start": "6y", "frequency": "m", "aggregation": "avg", "units": "pc1"});
    let uri =
        call(&mut client, "get_time_series", &whole).await["structuredContent"]["all_rows"].clone();
    let csv = client.result("resources/read", json!({ "uri": uri })).await;
    let csv = csv["contents"][0]["text"].as_str().unwrap();
    assert!(csv.lines().count() > 40, "{uri}: {csv}");
}

#[tokio::test]
async fn subscriptions_are_offered_only_where_supported() {
    let is_mentioned = |words: &Value| words.as_str().unwrap().contains("Subscribe to");
    // A server without a connection of its own, as over HTTP.
    let (mut client, hello) = Client::legacy(server(), "2025-06-18").await;
    assert!(!is_mentioned(&hello["result"]["instructions"]));
    assert!(
        hello["result"]["capabilities"]["resources"]
            .get("subscribe")
            .is_none()
    );
    let refused = client
        .request("resources/subscribe", json!({ "uri": "macro://regime" }))
        .await;
    assert_eq!(refused["error"]["code"], -32601);
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.contains("subscriptions/listen"), "{why}");
    let mut modern = Client::open(Server::new(bundled()));
    assert!(is_mentioned(
        &modern.result("server/discover", json!({})).await["instructions"]
    ));
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let (_, hello) = Client::over_lines(server(), revision).await;
        let resources = &hello["result"]["capabilities"]["resources"];
        assert_eq!(resources["subscribe"], true, "{revision}");
        assert!(is_mentioned(&hello["result"]["instructions"]), "{revision}");
    }
}
