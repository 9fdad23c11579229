//! Where requests go and what they carry.

use super::*;

#[tokio::test]
async fn redirects_stay_with_the_upstream_and_are_paid_for() {
    let elsewhere = origin().await;
    let server = MockServer::start().await;
    let to = |target: &str| ResponseTemplate::new(302).insert_header("location", target);
    for (from, target) in [
        ("/api/public/near", "/api/public/there"),
        ("/api/public/loop", "/api/public/loop"),
        (
            "/api/public/far",
            &format!("{}/api/public/far", elsewhere.uri()),
        ),
        ("/api/public/scheme", "https://127.0.0.1/"),
        (
            "/api/public/relative",
            &format!("//127.0.0.1:{}/x", elsewhere.address().port()),
        ),
        (
            "/api/public/user",
            &format!("http://evil@{}/x", server.address()),
        ),
        ("/api/public/file", "file:///etc/passwd"),
    ] {
        Mock::given(path(from))
            .respond_with(to(target))
            .mount(&server)
            .await;
    }
    Mock::given(path("/api/public/there"))
        .respond_with(json("{\"there\":1}"))
        .mount(&server)
        .await;
    let clock = clock();
    let upstream = open(*server.address(), 1_000, &clock);
    assert_eq!(
        &upstream.get(shared("near")).await.unwrap().body[..],
        b"{\"there\":1}"
    );
    assert_eq!(
        (upstream.quota().unwrap().used, calls(&server).await),
        (2, 2)
    );
    upstream.get(shared("loop")).await.unwrap_err();
    assert_eq!(
        (upstream.quota().unwrap().used, calls(&server).await),
        (5, 5)
    );
    for name in ["far", "scheme", "relative", "user", "file"] {
        let error = open(*server.address(), 100, &clock)
            .get(shared(name))
            .await
            .unwrap_err();
        assert_eq!(error.code(), "unavailable", "{name}");
    }
    assert_eq!(calls(&elsewhere).await, 0);
}

#[tokio::test]
async fn names_that_try_to_escape_send_nothing() {
    let origin = origin().await;
    let upstream = open(*origin.address(), 100, &clock());
    for evil in [
        "../admin",
        "..",
        "%2e%2e",
        "..%2f",
        "//evil",
        "@evil",
        "a\r\nHost: evil",
        "a\0b",
        "․․/x",
        "．．",
        "a/../..",
        "\\\\evil",
        "",
    ] {
        let error = upstream.get(single(evil)).await.unwrap_err();
        assert_eq!(error.code(), "invalid_param", "{evil:?}");
    }
    assert_eq!(
        (calls(&origin).await, upstream.quota().unwrap().used),
        (0, 0)
    );
    let mut search = Request::new(
        &["api", "public", "glossary", "search"],
        &[("q", "a&limit=50#x ../é")],
    );
    search.kind = Kind::Interactive;
    upstream.get(search).await.unwrap();
    let sent = origin.received_requests().await.unwrap();
    let pairs: Vec<_> = sent[0].url.query_pairs().into_owned().collect();
    assert_eq!(pairs, [("q".to_owned(), "a&limit=50#x ../é".to_owned())]);
}

#[tokio::test]
async fn nothing_but_the_clients_own_headers_is_sent() {
    let server = always(
        json("{}")
            .insert_header("set-cookie", "session=canary")
            .insert_header("cache-control", "no-store"),
    )
    .await;
    let chaos = Chaos::before(*server.address(), 1).await;
    let upstream = open(chaos.address, 100, &clock());
    upstream.get(shared("regime")).await.unwrap();
    upstream.get(shared("regime")).await.unwrap();
    let heads = chaos.heads();
    assert_eq!(heads.len(), 2, "{heads:?}");
    for head in heads {
        let mut names: Vec<_> = head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .map(|(name, _)| name.to_ascii_lowercase())
            .collect();
        names.sort();
        assert_eq!(
            names,
            ["accept", "accept-encoding", "host", "user-agent"],
            "{head}"
        );
        assert!(
            head.starts_with("GET /api/public/regime HTTP/1.1\r\n"),
            "{head}"
        );
    }
}
