//! Tests of what callers get while the upstream is slow, broken or unreachable.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn cached_keys_are_answered_while_the_upstream_fails() {
    const KEYS: u64 = 20;
    let origin = start_origin().await;
    let proxy = FaultyProxy::start(*origin.address(), 4).await;
    let clock = clock();
    let upstream = open_upstream(proxy.address, LARGE, &clock);
    for n in 0..KEYS {
        upstream
            .get(shared_request(&format!("k{n}")))
            .await
            .unwrap();
    }
    let warm = proxy.calls();
    proxy.set_faults(Faults {
        errors: 30,
        resets: 5,
        truncations: 5,
        delay: Duration::from_millis(2),
    });
    let mut rng = Rng(7);
    let mut marks = BTreeMap::new();
    let mut times = Vec::new();
    for n in 0..10_000 {
        if n % 10 == 0 {
            clock.advance(Duration::from_secs(rng.below(20)));
        }
        let name = format!("k{}", rng.below(KEYS));
        let started = Instant::now();
        let UpstreamResponse {
            body,
            age,
            freshness,
            ..
        } = stranger()
            .scope(upstream.get(shared_request(&name)))
            .await
            .unwrap();
        times.push(started.elapsed());
        let start = format!(r#"{{"path":"/api/public/{name}""#);
        assert!(
            body.starts_with(start.as_bytes()) && body.ends_with(b"x\"}"),
            "a whole answer of its own key"
        );
        match freshness {
            Freshness::Fresh => assert!(age < Duration::from_secs(300), "{age:?}"),
            Freshness::Stale | Freshness::Offline => {
                assert!(age >= Duration::from_secs(300), "{age:?}")
            }
        }
        *marks.entry(format!("{freshness:?}")).or_insert(0) += 1;
        if n % 50 == 0 {
            upstream.wait_until_idle().await;
        }
    }
    assert_eq!(marks.values().sum::<u64>(), 10_000);
    assert!(marks.len() == 3, "every kind was seen: {marks:?}");
    assert!(
        proxy.calls() - warm > 100,
        "{} renewals",
        proxy.calls() - warm
    );
    times.sort_unstable();
    assert!(
        times[9_900] <= Duration::from_millis(50),
        "{:?}",
        times[9_900]
    );
}

#[tokio::test]
async fn stale_responses_bridge_an_outage_for_a_day() {
    let origin = start_origin().await;
    let proxy = FaultyProxy::start(*origin.address(), 1).await;
    let clock = clock();
    let upstream = open_upstream(proxy.address, 100, &clock);
    upstream.get(shared_request("regime")).await.unwrap();
    proxy.set_faults(Faults {
        errors: 100,
        ..Faults::default()
    });
    for _ in 0..24 {
        clock.advance(HOUR - Duration::from_secs(1));
        upstream.get(shared_request("regime")).await.unwrap();
        upstream.wait_until_idle().await;
    }
    let last = upstream.get(shared_request("regime")).await.unwrap();
    assert_eq!(last.freshness, Freshness::Offline);
    assert!(last.age > 23 * HOUR);
    clock.advance(HOUR);
    let error = upstream.get(shared_request("regime")).await.unwrap_err();
    assert_eq!(error.code(), "unavailable");
    assert!(
        error.retry_after().is_some() && error.to_string().contains("Try again in"),
        "{error}"
    );
    assert!(proxy.calls() <= 26, "{}", proxy.calls());
}

#[tokio::test]
async fn a_slow_upstream_times_out_and_its_response_is_cached() {
    let origin = start_origin().await;
    let proxy = FaultyProxy::start(*origin.address(), 1).await;
    proxy.set_faults(Faults {
        delay: Duration::from_millis(600),
        ..Faults::default()
    });
    let mut config = config(proxy.address, 100);
    config.patience = Duration::from_millis(200);
    let upstream = Upstream::open(config, clock()).unwrap();
    let started = Instant::now();
    let error = upstream.get(shared_request("regime")).await.unwrap_err();
    assert!(started.elapsed() < Duration::from_millis(500));
    assert_eq!(
        (error.code(), error.retry_after()),
        ("unavailable", Some(Duration::from_secs(5)))
    );
    upstream.wait_until_idle().await;
    upstream.get(shared_request("regime")).await.unwrap();
    assert_eq!(proxy.calls(), 1);
}

#[tokio::test]
async fn repeated_failures_of_a_key_make_no_further_calls() {
    let failing = start_fixed(ResponseTemplate::new(500)).await;
    let clock = clock();
    let upstream = open_upstream(*failing.address(), 100, &clock);
    for _ in 0..50 {
        assert_eq!(
            upstream
                .get(interactive_request("A"))
                .await
                .unwrap_err()
                .code(),
            "unavailable"
        );
    }
    assert_eq!(calls(&failing).await, 1);
    for name in ["B", "C", "D", "E", "F", "G", "H"] {
        upstream.get(interactive_request(name)).await.unwrap_err();
    }
    assert_eq!(
        calls(&failing).await,
        5,
        "after five failures no key is requested"
    );
}

#[tokio::test]
async fn a_failure_costs_a_single_call() {
    for status in [502, 503, 504, 500, 403, 302, 429] {
        let failing = start_fixed(ResponseTemplate::new(status)).await;
        let upstream = open_upstream(*failing.address(), 100, &clock());
        let error = upstream.get(interactive_request("A")).await.unwrap_err();
        assert!(
            error.is_retryable() && error.retry_after().is_some(),
            "{error}"
        );
        assert_eq!(calls(&failing).await, 1, "{status}");
        let used = upstream.quota().unwrap().used;
        assert_eq!(used, if status == 429 { 100 } else { 1 }, "{status}");
    }
}

#[tokio::test]
async fn responses_that_are_not_json_are_rejected() {
    for answer in [
        ResponseTemplate::new(404).set_body_raw("<html>", "text/html"),
        ResponseTemplate::new(200).set_body_raw("<html>", "text/html"),
        json("{\"a\":"),
        json(""),
        json(&format!("{{\"a\":\"{}\"}}", "x".repeat(9 << 20))),
    ] {
        let server = start_fixed(answer).await;
        let upstream = open_upstream(*server.address(), 100, &clock());
        assert_eq!(
            upstream
                .get(interactive_request("A"))
                .await
                .unwrap_err()
                .code(),
            "unavailable"
        );
    }
}

#[tokio::test]
async fn an_invalid_body_does_not_replace_a_cached_one() {
    fn check(body: &[u8]) -> econoscope::Result<()> {
        if body == b"{\"good\":1}" {
            return Ok(());
        }
        Err(Error::invalid(
            "regime",
            "7",
            "is not a regime",
            "GOLDILOCKS",
        ))
    }
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(json("{\"good\":1}"))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    Mock::given(any())
        .respond_with(json("{\"bad\":1}"))
        .mount(&server)
        .await;
    let clock = clock();
    let upstream = open_upstream(*server.address(), 100, &clock);
    let get = |name: &str| {
        let mut request = shared_request(name);
        request.check = Some(check);
        upstream.get(request)
    };
    get("regime").await.unwrap();
    clock.advance(HOUR);
    get("regime").await.unwrap();
    upstream.wait_until_idle().await;
    let after = get("regime").await.unwrap();
    assert_eq!(
        (&after.body[..], after.freshness),
        (&b"{\"good\":1}"[..], Freshness::Offline)
    );
    let error = get("other").await.unwrap_err();
    assert!(
        error.code() == "unavailable" && error.to_string().contains("is not a regime"),
        "{error}"
    );
}
