//! Tests of compressed bodies and validators, as caches need them.

use super::support::{get_with, router};
use axum::http::StatusCode;
use std::io::Read;

const LARGE: &str = "/api/public/data/DGS10?start=2010-01-01&end=2026-01-01";

fn plain(encoding: &str, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match encoding {
        "gzip" => {
            flate2::read::GzDecoder::new(body)
                .read_to_end(&mut out)
                .unwrap();
        }
        "zstd" => out = zstd::bulk::decompress(body, 10 << 20).unwrap(),
        _ => out = body.to_vec(),
    }
    out
}

#[tokio::test]
async fn each_encoding_has_its_own_etag_and_304() {
    let router = router();
    let whole = get_with(&router, LARGE, &[]).await;
    assert!(whole.body.len() > 50_000);
    let mut tags = vec![whole.header("etag").to_owned()];
    for encoding in ["gzip", "zstd"] {
        let reply = get_with(&router, LARGE, &[("accept-encoding", encoding)]).await;
        assert_eq!(reply.header("content-encoding"), encoding);
        assert_eq!(
            reply
                .header("vary")
                .to_ascii_lowercase()
                .matches("accept-encoding")
                .count(),
            1
        );
        assert!(
            reply.body.len() * 3 < whole.body.len(),
            "{encoding}: {}",
            reply.body.len()
        );
        assert_eq!(plain(encoding, &reply.body), whole.body, "{encoding}");
        let tag = reply.header("etag").to_owned();
        let conditional = get_with(
            &router,
            LARGE,
            &[("accept-encoding", encoding), ("if-none-match", &tag)],
        )
        .await;
        assert_eq!(conditional.status, StatusCode::NOT_MODIFIED, "{encoding}");
        assert!(conditional.body.is_empty());
        assert_eq!(conditional.header("etag"), tag);
        assert_eq!(conditional.header("cache-control"), "public, max-age=1800");
        let other = get_with(&router, LARGE, &[("if-none-match", &tag)]).await;
        assert_eq!(
            other.status,
            StatusCode::OK,
            "another form is not the same bytes"
        );
        tags.push(tag);
    }
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 3, "one validator a form");
}

#[tokio::test]
async fn only_large_bodies_are_compressed() {
    let router = router();
    let small = get_with(
        &router,
        "/api/public/data/UNRATE?start=2020-01-01&end=2020-03-01&format=csv",
        &[("accept-encoding", "gzip, zstd")],
    )
    .await;
    assert!(small.body.len() < 1_024 && small.headers.get("content-encoding").is_none());
    let large = get_with(
        &router,
        "/api/public/data/UNRATE?start=max&format=csv",
        &[("accept-encoding", "gzip, zstd")],
    )
    .await;
    assert_eq!(large.header("content-encoding"), "zstd");
    assert!(plain("zstd", &large.body).starts_with(b"observation_date,UNRATE\n"));
}

#[tokio::test]
async fn many_unknown_parameters_do_not_fill_the_headers() {
    let name = "%C3%A9".repeat(1_200);
    let many: String = (0..50).map(|n| format!("&x{n}{name}=1")).collect();
    let reply = get_with(
        &router(),
        &format!("/api/public/metrics/UNRATE?a=1{}", &many[..7_000]),
        &[],
    )
    .await;
    assert_eq!(reply.status, StatusCode::OK);
    let warning = reply.header("warning");
    assert!(
        warning.contains("not a parameter") && warning.len() < 1_000,
        "{warning}"
    );
}
