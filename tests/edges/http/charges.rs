//! Tests of charges: HEAD like GET, and pages, widgets and images that are not cached.

use super::support::{Reply, options, request, router_with, send, with_peer};
use axum::Router;
use axum::http::StatusCode;

const PEER: &str = "203.0.113.9:4711";

#[tokio::test]
async fn head_is_charged_like_get() {
    let mut options = options();
    (options.limits.general, options.limits.data) = (3, 1);
    let router = router_with(options, true);
    let head = |path| send_from(&router, "HEAD", path, PEER);
    let first = head("/api/public/regime").await;
    assert_eq!(first.status, StatusCode::OK);
    assert_eq!(first.header("x-ratelimit-remaining"), "2");
    let second = send_from(&router, "GET", "/api/public/regime", PEER).await;
    assert_eq!(second.header("x-ratelimit-remaining"), "1");
    let series = head("/api/public/data/UNRATE").await;
    assert_eq!(series.header("x-ratelimit-remaining"), "0");
    let series = head("/api/public/data/UNRATE").await;
    assert_eq!(series.status, StatusCode::TOO_MANY_REQUESTS);
    head("/api/public/regime").await;
    let last = head("/api/public/regime").await;
    assert_eq!(last.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(last.body.is_empty() && !last.header("retry-after").is_empty());
}

/// Creates a router with a daily allowance of pages per address.
fn router_with_pages(most: u32) -> Router {
    let mut options = options();
    options.limits.pages = most;
    options.limits.burst = 10_000;
    router_with(options, true)
}

async fn send_from(router: &Router, method: &str, path: &str, peer: &str) -> Reply {
    send(router, with_peer(request(method, path, &[], ""), peer)).await
}

#[tokio::test]
async fn rendered_pages_are_charged_and_cached_ones_are_free() {
    let router = router_with_pages(3);
    let made = [
        "/widget/metric/UNRATE",
        "/series/UNRATE",
        "/chart/UNRATE.png",
    ];
    for path in made {
        assert_eq!(
            send_from(&router, "HEAD", path, PEER).await.status,
            StatusCode::OK,
            "{path}"
        );
    }
    for path in [
        "/widget/metric/DGS10",
        "/series/DGS10",
        "/chart/DGS10.png",
        "/",
        "/series/nonsense",
    ] {
        let reply = send_from(&router, "GET", path, PEER).await;
        assert_eq!(reply.status, StatusCode::TOO_MANY_REQUESTS, "{path}");
        assert!(!reply.header("retry-after").is_empty(), "{path}");
        assert!(
            reply
                .text()
                .contains("Daily limit reached: 3 new pages and pictures"),
            "{path}"
        );
    }
    for path in made {
        assert_eq!(
            send_from(&router, "GET", path, PEER).await.status,
            StatusCode::OK,
            "{path}"
        );
    }
    assert_eq!(
        send_from(&router, "GET", "/api/public/regime", PEER)
            .await
            .header("x-ratelimit-remaining"),
        "99",
        "questions are counted apart"
    );
    let other = send_from(&router, "GET", "/series/DGS10", "203.0.113.10:5").await;
    assert_eq!(other.status, StatusCode::OK, "each address for itself");
}

#[tokio::test]
async fn unknown_parameters_do_not_create_new_images() {
    let router = router_with_pages(3);
    for (n, path) in [
        "/chart/DGS10.png?start=max",
        "/chart/dgs10.PNG?x=1&start=max",
        "/chart/10y.png?&start=max&0",
    ]
    .into_iter()
    .enumerate()
    {
        for more in 0..5 {
            let path = format!("{path}&{n}{more}&y={}", "z".repeat(more * 1_000));
            let reply = send_from(&router, "GET", &path, PEER).await;
            assert_eq!(reply.status, StatusCode::OK, "{path}");
        }
    }
    for path in [
        "/series/DGS10",
        "/series/d-g-s-1-0?q=1",
        "/series/10%20year?",
    ] {
        assert_eq!(
            send_from(&router, "GET", path, PEER).await.status,
            StatusCode::OK,
            "{path}"
        );
    }
    for path in [
        "/widget/metric/DGS10",
        "/widget/metric/10y?x",
        "/widget/metric/dgs10?theme=green",
    ] {
        assert_eq!(
            send_from(&router, "GET", path, PEER).await.status,
            StatusCode::OK,
            "{path}"
        );
    }
    let fourth = send_from(&router, "GET", "/chart/DGS10.png?start=5y", PEER).await;
    assert_eq!(
        fourth.status,
        StatusCode::TOO_MANY_REQUESTS,
        "three were made"
    );
}

#[tokio::test]
async fn pictures_are_charged_by_pixels_and_lines() {
    let list: Vec<String> = (0..8).map(|n| format!("DGS10%2B{n}")).collect();
    let eight = format!("/chart/compare.png?series={}", list.join(","));
    for (path, price) in [
        ("/chart/UNRATE.png".to_owned(), 1),
        ("/chart/UNRATE.png?width=2400&height=1600".to_owned(), 4),
        (
            "/chart/UNRATE.png?width=2400&height=1600&as_of=2024-01-05".to_owned(),
            6,
        ),
        (format!("{eight}&width=800&height=420"), 2),
        (format!("{eight}&width=1200&height=700&as_of=2024-01-05"), 6),
        ("/series/UNRATE?width=2400".to_owned(), 1),
    ] {
        for (allowance, status) in [(price, 200), (price - 1, 429)] {
            let router = router_with_pages(allowance);
            let reply = send_from(&router, "GET", &path, PEER).await;
            assert_eq!(reply.status, status, "{path} for {allowance}");
        }
    }
    let router = router_with_pages(1_000);
    let large = send_from(
        &router,
        "GET",
        &format!("{eight}&width=2400&height=1600"),
        PEER,
    )
    .await;
    assert_eq!(large.status, StatusCode::BAD_REQUEST);
    assert!(large.text().contains("pixels in all"), "{}", large.text());
    let drawing = eight.replace(".png", ".svg") + "&width=2400&height=1600";
    assert_eq!(
        send_from(&router, "GET", &drawing, PEER).await.status,
        StatusCode::OK
    );
}
