//! Tests of resources, templates and completion, as a host uses them.

use super::client::Client;
use super::server;
use crate::home::backends;
use econoscope::mcp::Server;
use serde_json::{Value, json};

const SERIES: &str =
    "macro://series/{seriesId}{?start,end,format,frequency,aggregation,units,as_of}";

async fn read(client: &mut Client, uri: &str) -> Value {
    client.result("resources/read", json!({ "uri": uri })).await
}

#[tokio::test]
async fn every_listed_resource_can_be_read() {
    for (name, backend) in backends() {
        let mut client = Client::open(Server::new(backend));
        let list = client.result("resources/list", json!({})).await;
        let listed = list["resources"].as_array().unwrap();
        assert!(listed.len() > 5, "{list}");
        for resource in listed {
            let uri = resource["uri"].as_str().unwrap();
            let result = read(&mut client, uri).await;
            let content = &result["contents"][0];
            assert_eq!(content["mimeType"], resource["mimeType"], "{name}: {uri}");
            assert!(
                content["text"].as_str().is_some_and(|t| t.len() > 20),
                "{uri}"
            );
            assert!(result["ttlMs"].as_u64().unwrap() >= 60_000, "{uri}");
            assert_eq!(result["cacheScope"], "public");
        }
    }
}

#[tokio::test]
async fn a_series_can_be_read_as_json_and_csv() {
    let mut client = Client::open(server());
    let json_text = read(&mut client, "macro://series/DGS10?start=1y").await;
    let body: Value =
        serde_json::from_str(json_text["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(body["seriesId"], "DGS10");
    for uri in [
        "macro://series/DGS10.csv?start=1y",
        "macro://series/10y?start=1y&format=csv",
    ] {
        let csv = read(&mut client, uri).await;
        let content = &csv["contents"][0];
        assert_eq!(content["mimeType"], "text/csv");
        let text = content["text"].as_str().unwrap();
        assert!(text.starts_with("observation_date,DGS10\n"), "{uri}");
        assert_eq!(
            text.lines().count() as u64,
            body["rowCount"].as_u64().unwrap() + 1
        );
    }
}

#[tokio::test]
async fn data_are_cacheable_as_long_as_over_rest() {
    let mut client = Client::open(server());
    for uri in ["macro://metric/UNRATE", "macro://regime"] {
        assert_eq!(read(&mut client, uri).await["ttlMs"], 300_000, "{uri}");
    }
}

#[tokio::test]
async fn a_method_shows_formula_inputs_and_contributions() {
    let mut client = Client::open(server());
    for indicator in ["crpi", "cnli", "cmsi", "crai", "SERVICE_CRPI", "cvrp"] {
        let result = read(&mut client, &format!("macro://method/{indicator}")).await;
        let text = result["contents"][0]["text"].as_str().unwrap();
        for part in ["Formula: ", "Source: ", "| input |", "Method: "] {
            assert!(text.contains(part), "{indicator}: {part}");
        }
    }
    let regime = read(&mut client, "macro://method/regime").await;
    assert!(
        regime["contents"][0]["text"]
            .as_str()
            .unwrap()
            .contains("INDPRO")
    );
}

#[tokio::test]
async fn unknown_resources_are_errors_with_their_address() {
    let mut client = Client::open(server());
    for uri in [
        "macro://series/NOSUCHSERIES",
        "macro://metric/DGS1O",
        "macro://method/nothing",
        "macro://glossary/no-such-term",
        "macro://catalog/no-such-category",
        "macro://series/..%2f..%2fetc%2fpasswd",
        "ui://econoscope/nothing.html",
        "skill://us-macro-data/../../Cargo.toml",
        "file:///etc/passwd",
        "http://169.254.169.254/",
    ] {
        let answer = client.modern("resources/read", json!({ "uri": uri })).await;
        assert_eq!(answer["error"]["code"], -32_602, "{uri}: {answer}");
        assert_eq!(answer["error"]["data"]["uri"], uri);
    }
    let (mut legacy, _) = Client::legacy(server(), "2025-06-18").await;
    let answer = legacy
        .request(
            "resources/read",
            json!({ "uri": "macro://glossary/no-such-term" }),
        )
        .await;
    assert_eq!(answer["error"]["code"], -32_002);
}

#[tokio::test]
async fn every_template_and_prompt_argument_can_be_completed() {
    let mut client = Client::open(server());
    for (uri, argument, typed, want) in [
        (SERIES, "seriesId", "cpiau", "CPIAUCSL"),
        (SERIES, "format", "c", "csv"),
        ("macro://metric/{ticker}", "ticker", "10y", "DGS10"),
        ("macro://method/{indicator}", "indicator", "cr", "crpi"),
        ("macro://glossary/{slug}", "slug", "sahm", "sahm-rule"),
        (
            "macro://catalog/{category}",
            "category",
            "infl",
            "inflation",
        ),
        ("macro://articles/{tag}", "tag", "reg", "regime"),
        (
            "macro://alert/{condition}",
            "condition",
            "sahm",
            "SAHMREALTIME >= 0.5",
        ),
        ("macro://alert/{condition}", "condition", "T10Y", "T10Y2Y"),
        (SERIES, "frequency", "M", "m"),
        (
            "macro://article/{article}",
            "article",
            "sahm",
            "sahm-rule-record",
        ),
        (
            "macro://scenario/{scenario}",
            "scenario",
            "10y-up",
            "10y-up-100bp",
        ),
    ] {
        let params = json!({ "ref": { "type": "ref/resource", "uri": uri },
                             "argument": { "name": argument, "value": typed } });
        let result = client.result("completion/complete", params).await;
        let values = result["completion"]["values"].as_array().unwrap();
        assert!(
            values.iter().any(|v| v == want),
            "{uri} {typed}: {values:?}"
        );
        assert!(values.len() <= 100);
    }
}

#[tokio::test]
async fn search_and_fetch_have_the_expected_shape() {
    for (name, backend) in backends() {
        let mut client = Client::open(Server::new(backend));
        for query in [
            "10 year yield",
            "sahm rule",
            "net liquidity",
            "yield curve",
            "unemployment",
        ] {
            let call = json!({ "name": "search", "arguments": { "query": query } });
            let outcome = client.result("tools/call", call).await;
            let text: Value =
                serde_json::from_str(outcome["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, outcome["structuredContent"]);
            let results = text["results"].as_array().unwrap();
            assert!(!results.is_empty(), "{name}: {query}");
            for result in results {
                assert!(result["url"].as_str().unwrap().starts_with("http"));
                let call = json!({ "name": "fetch", "arguments": { "id": result["id"] } });
                let document = client.result("tools/call", call).await;
                assert_eq!(document["isError"], false, "{name}: {document}");
                let document = &document["structuredContent"];
                assert_eq!(document["id"], result["id"]);
                for field in ["title", "text", "url"] {
                    assert!(
                        !document[field].as_str().unwrap().is_empty(),
                        "{field}: {document}"
                    );
                }
                assert!(document["metadata"].is_object());
            }
        }
        for id in [
            "",
            "DGS10",
            "series:NOPE",
            "term:nope",
            "file:/etc/passwd",
            "article:../x",
        ] {
            let call = json!({ "name": "fetch", "arguments": { "id": id } });
            assert_eq!(
                client.result("tools/call", call).await["isError"],
                true,
                "{id}"
            );
        }
    }
}
