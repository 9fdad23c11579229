//! Tests of the habits of other clients: repeated parameters, tracking parameters, file extensions, media types and
//! ranges.

use super::support::{Reply, get, get_with, request, router, send};

const UNRATE: &str = "/api/public/data/UNRATE";

fn is_csv(reply: &Reply) -> bool {
    reply.header("content-type") == "text/csv; charset=utf-8"
        && reply.text().starts_with("observation_date,UNRATE\n")
}

#[tokio::test]
async fn lists_may_be_repeated_or_comma_separated() {
    let router = router();
    let path = "/api/public/compare?start=2024-01-01&series=";
    let commas = format!("{path}UNRATE,DGS10");
    let twice = format!("{path}UNRATE&series=DGS10");
    let commas = get(&router, &commas).await;
    assert_eq!(commas.status, 200, "{}", commas.text());
    assert_eq!(commas.body, get(&router, &twice).await.body);
}

#[tokio::test]
async fn unknown_parameters_are_ignored_and_reported_in_a_header() {
    let router = router();
    let plain = get(&router, UNRATE).await;
    for (query, warning) in [
        ("?_=1732270000&utm_source=news&utm_x=", ""),
        (
            "?nonsense=1&%22odd%0d=2",
            "299 - \"not a parameter of this path: nonsense, %22odd%0D\"",
        ),
    ] {
        let reply = get(&router, &format!("{UNRATE}{query}")).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("warning")),
            (200, warning)
        );
        assert_eq!(reply.body, plain.body, "{query}");
    }
    let whole = get(&router, "/api/public/scenarios?limit=5.0").await;
    assert_eq!(whole.json()["count"], 5);
}

#[tokio::test]
async fn csv_warnings_are_in_the_headers() {
    let router = router();
    let table = get(
        &router,
        &format!("{UNRATE}.csv?start=2025-07-01&frequency=q"),
    )
    .await;
    assert!(is_csv(&table));
    let warning = table.header("warning");
    assert!(
        warning.contains("October 2025 was never published")
            && warning.contains("Q4 2025 (2 of 3)"),
        "{warning}"
    );
    let days = get(
        &router,
        &format!("{UNRATE}?dates=2020-04-15&dates=2020-05-15"),
    )
    .await;
    assert_eq!(days.json()["points"][1]["date"], "2020-05-01");
}

#[tokio::test]
async fn csv_is_selected_by_parameter_extension_or_accept() {
    let router = router();
    assert!(is_csv(&get(&router, &format!("{UNRATE}?format=csv")).await));
    assert!(is_csv(&get(&router, &format!("{UNRATE}.csv")).await));
    for (accept, csv) in [
        ("text/csv", true),
        ("text/csv; charset=utf-8, */*;q=0.1", true),
        (
            "application/json;q=0.5, text/csv;header=present;q=0.9",
            true,
        ),
        ("application/json, text/csv;q=0.9", false),
        ("text/csv;q=0", false),
        ("*/*", false),
    ] {
        let reply = get_with(&router, UNRATE, &[("accept", accept)]).await;
        assert_eq!(is_csv(&reply), csv, "{accept}");
        assert_eq!(reply.header("vary"), "accept, accept-encoding");
    }
    let chosen = [("accept", "text/csv")];
    for path in [format!("{UNRATE}?format=json"), format!("{UNRATE}.json")] {
        assert!(get_with(&router, &path, &chosen).await.json()["data"].is_array());
    }
}

#[tokio::test]
async fn a_format_that_a_path_lacks_is_refused_with_those_it_has() {
    let router = router();
    let compare = "/api/public/compare?series=DGS10,DGS2&start=2026-07-01";
    for path in [
        compare,
        "/api/public/regime?",
        "/api/public/scenarios?limit=2",
    ] {
        for format in ["csv", "CSV", "xml"] {
            let reply = get(&router, &format!("{path}&format={format}")).await;
            assert_eq!(reply.status, 400, "{path} {format}");
            let error = reply.json()["error"].as_str().unwrap().to_owned();
            assert!(error.contains("Allowed: json; CSV is at /"), "{error}");
        }
        for format in ["json", "JSON", ""] {
            let reply = get(&router, &format!("{path}&format={format}")).await;
            assert_eq!(
                (reply.status.as_u16(), reply.header("warning")),
                (200, ""),
                "{path}"
            );
        }
    }
    // The path that the error names has the same figures.
    let csv = get(
        &router,
        &compare.replace("/api/public/compare", "/compare.csv"),
    )
    .await;
    assert!(csv.text().starts_with("observation_date,DGS10,DGS2"));
}

#[tokio::test]
async fn a_known_series_without_data_returns_the_reason() {
    let router = router();
    let metric = get(&router, "/api/public/metrics/VIXCLS").await.json();
    let reply = get(&router, "/api/public/data/VIXCLS").await;
    assert_eq!(reply.status, 200);
    let series = reply.json();
    assert_eq!(
        (
            &series["rowCount"],
            series["data"].as_array().unwrap().len()
        ),
        (&0.into(), 0)
    );
    assert_eq!(series["notes"]["data"], metric["notes"]["value"]);
    assert_eq!(series["unit"], metric["unit"]);
}

#[tokio::test]
async fn the_reported_start_is_the_first_row() {
    let router = router();
    let start = async |query: &str| {
        let reply = get(&router, &format!("/api/public/data/{query}"))
            .await
            .json();
        (reply["start"].clone(), reply["data"][0]["date"].clone())
    };
    for query in [
        "UNRATE?start=max",
        "DGS10?start=max",
        "UNRATE?start=1900-01-01&units=pc1",
    ] {
        let (start, first) = start(query).await;
        assert_eq!(start, first, "{query}");
    }
    let (start_day, first_row) = start("DGS10?start=2023-01-01").await;
    assert_eq!(
        (start_day, first_row),
        ("2023-01-01".into(), "2023-01-03".into())
    );
}

#[tokio::test]
async fn the_address_of_mcp_may_end_with_a_slash() {
    let router = router();
    let headers = [("content-type", "application/json")];
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for path in ["/mcp", "/mcp/"] {
        let reply = send(&router, request("POST", path, &headers, ping)).await;
        assert_eq!(
            (reply.status.as_u16(), reply.json()["id"].as_u64()),
            (200, Some(1)),
            "{path}"
        );
    }
    assert_eq!(
        send(&router, request("POST", "/mcp//", &headers, ping))
            .await
            .status,
        404
    );
}
