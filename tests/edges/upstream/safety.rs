//! Tests of where upstream requests go and what they carry.

use super::*;

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = start_origin().await;
    for target in ["/api/public/there", &format!("{}/x", elsewhere.uri())] {
        let server =
            start_fixed(ResponseTemplate::new(302).insert_header("location", target)).await;
        let upstream = open_upstream(*server.address(), 100, &clock());
        let error = upstream.get(shared_request("regime")).await.unwrap_err();
        assert!(error.to_string().contains("redirects"), "{error}");
        assert_eq!(calls(&server).await, 1, "{target}");
    }
    assert_eq!(calls(&elsewhere).await, 0);
}

#[tokio::test]
async fn path_traversal_in_names_sends_no_request() {
    let origin = start_origin().await;
    let upstream = open_upstream(*origin.address(), 100, &clock());
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
        let error = upstream.get(interactive_request(evil)).await.unwrap_err();
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
async fn only_own_headers_are_sent_to_the_upstream() {
    let server = start_fixed(
        json("{}")
            .insert_header("set-cookie", "session=canary")
            .insert_header("cache-control", "no-store"),
    )
    .await;
    let proxy = FaultyProxy::start(*server.address(), 1).await;
    let upstream = open_upstream(proxy.address, 100, &clock());
    upstream.get(shared_request("regime")).await.unwrap();
    upstream.get(shared_request("regime")).await.unwrap();
    let heads = proxy.heads();
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
