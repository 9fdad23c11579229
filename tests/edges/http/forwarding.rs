//! Tests of pages in front of an upstream: they show its figures, as the API does, or none.

use super::support::{backend, get, unlimited_router, unlimited_router_over};
use axum::Router;
use axum::http::StatusCode;
use econoscope_answers::Backend;
use econoscope_core::clock::SystemClock;
use econoscope_data::upstream::{Upstream, UpstreamConfig};
use serde_json::{Value, json};
use std::sync::Arc;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// The newest figure of the upstream, which the local store does not have.
const UPSTREAM_FIGURE: f64 = 9.99;

/// Creates a server in front of an upstream with another ten-year yield.
async fn forwarding_router() -> (Router, MockServer) {
    let origin = MockServer::start().await;
    let own = unlimited_router();
    let data = "/api/public/data/DGS10";
    for (address, query) in [("/api/public/metrics/DGS10", ""), (data, "?start=10y")] {
        let mut answer = get(&own, &format!("{address}{query}")).await.json();
        match answer.get_mut("data").and_then(Value::as_array_mut) {
            Some(rows) => rows
                .iter_mut()
                .for_each(|row| row["value"] = json!(UPSTREAM_FIGURE)),
            None => answer["value"] = json!(UPSTREAM_FIGURE),
        }
        let reply = ResponseTemplate::new(200).set_body_json(answer);
        let mock = Mock::given(path(address)).respond_with(reply);
        mock.mount(&origin).await;
    }
    let config = UpstreamConfig::new(origin.uri().parse().unwrap());
    let upstream = Upstream::open(config, Arc::new(SystemClock)).unwrap();
    let desk = Arc::clone(backend(true).desk());
    let router = unlimited_router_over(Arc::new(Backend::forwarding(desk, upstream)));
    (router, origin)
}

#[tokio::test(flavor = "multi_thread")]
async fn forwarded_pages_show_upstream_figures_or_the_reason() {
    let (router, _origin) = forwarding_router().await;
    let api = get(&router, "/api/public/metrics/DGS10").await.json();
    assert_eq!(api["value"], UPSTREAM_FIGURE);
    let page = get(&router, "/series/DGS10").await;
    assert!(page.text().contains("9.99 %"), "{}", page.text());
    // Citations and comparisons would use local figures.
    for link in ["href=\"/cite/", "href=\"/compare?"] {
        assert!(!page.text().contains(link), "{link}");
    }
    let picture = get(&router, "/chart/DGS10.svg").await;
    assert!(picture.text().contains("9.99") && !picture.text().contains("/cite/"));
    let ours = get(&unlimited_router(), "/api/public/metrics/DGS10")
        .await
        .json();
    let ours = ours["value"].to_string();
    let search_page = get(&router, "/search?q=DGS10").await;
    assert_eq!(search_page.status, StatusCode::OK);
    assert!(search_page.text().contains("href=\"/series/DGS10\""));
    assert!(!search_page.text().contains(&ours), "{ours}");
    for path in [
        "/compare?series=DGS10,DGS2",
        "/widget/chart?series=DGS10,DGS2",
        "/chart/compare.svg?series=DGS10,DGS2",
        "/chart/scenario/10y-up-100bp.svg",
        "/cite/DGS10",
        "/scenarios",
        "/scenarios/sahm-trigger",
        "/widget/scenario/sahm-trigger",
        "/alerts.atom?condition=DGS10%20%3E%205",
        "/alerts.ics?condition=DGS10%20%3E%205",
    ] {
        let refused = get(&router, path).await;
        let text = refused.text();
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path}: {text}");
        assert!(
            text.contains("forwards requests to another service"),
            "{path}: {text}"
        );
        assert!(!text.contains(&ours), "{path}");
    }
    let page = get(&router, "/compare?series=DGS10,DGS2").await;
    let reader = page.text();
    assert!(
        reader.contains("The page of a single series shows the figures of that service."),
        "{reader}"
    );
}
