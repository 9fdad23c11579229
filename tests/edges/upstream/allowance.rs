//! Tests of the upstream budget: one call per key, within the allowance, and none while the upstream asks for a pause.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_equal_requests_cost_one_upstream_call() {
    let origin = start_origin().await;
    let proxy = FaultyProxy::start(*origin.address(), 1).await;
    proxy.set_faults(Faults {
        delay: Duration::from_millis(400),
        ..Faults::default()
    });
    let upstream = open_upstream(proxy.address, 100, &clock());
    let callers: Vec<_> = (0..1_000)
        .map(|_| {
            let shared = upstream.clone();
            tokio::spawn(async move { shared.get(shared_request("regime")).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut answered = 0;
    for (n, caller) in callers.into_iter().enumerate() {
        if n % 2 == 0 {
            caller.abort();
        } else {
            caller.await.unwrap().unwrap();
            answered += 1;
        }
    }
    assert_eq!((answered, proxy.calls()), (500, 1));
    assert_eq!(upstream.quota().unwrap().used, 1);
}

/// Requests several names concurrently. Returns how many were answered and how many refused.
async fn request_names(upstream: &Upstream, caller: Caller, prefix: &str) -> (usize, usize) {
    let requests = (0..40).map(|n| {
        let shared = upstream.clone();
        let name = format!("{prefix}{n}");
        tokio::spawn(caller.scope(async move { shared.get(interactive_request(&name)).await }))
    });
    let mut answered = 0;
    let mut refused = 0;
    for one in requests.collect::<Vec<_>>() {
        match one.await.unwrap() {
            Ok(_) => answered += 1,
            Err(Error::RateLimited { .. }) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    (answered, refused)
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_cannot_use_up_the_calls_of_others() {
    let origin = start_origin().await;
    let upstream = open_upstream(*origin.address(), 100, &clock());
    let [one, other] = [1, 2].map(|n| Caller::from_address([203, 0, 113, n].into()));
    assert_eq!(request_names(&upstream, one, "A").await, (38, 2));
    assert_eq!(request_names(&upstream, one, "B").await, (0, 40));
    assert_eq!(request_names(&upstream, other, "C").await, (10, 30));
    // Cached responses answer every caller, and shared requests continue.
    assert_eq!(request_names(&upstream, other, "A").await, (38, 2));
    one.scope(upstream.get(shared_request("regime")))
        .await
        .unwrap();
    // The limit of one half does not apply to the program's own user.
    let (answered, _) = request_names(&upstream, Caller::LOCAL, "D").await;
    assert_eq!(answered, 1);
    assert_eq!(calls(&origin).await, 38 + 10 + 1 + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiter_makes_the_call_that_another_may_not() {
    let origin = start_origin().await;
    let upstream = open_upstream(*origin.address(), 100, &clock());
    let [one, other] = [1, 2].map(|n| Caller::from_address([203, 0, 113, n].into()));
    assert_eq!(request_names(&upstream, one, "A").await.0, 38);
    // Both request the same names at once. Whichever leads, the second gets the calls it may make.
    let (first, second) = tokio::join!(
        request_names(&upstream, one, "B"),
        request_names(&upstream, other, "B")
    );
    assert_eq!(second.0, 10);
    assert!(first.0 <= 10, "{first:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_continues_when_its_caller_disconnects() {
    let origin = start_origin().await;
    let proxy = FaultyProxy::start(*origin.address(), 1).await;
    proxy.set_faults(Faults {
        delay: Duration::from_millis(200),
        ..Faults::default()
    });
    let upstream = open_upstream(proxy.address, 100, &clock());
    let left = tokio::time::timeout(
        Duration::from_millis(50),
        upstream.get(shared_request("regime")),
    )
    .await;
    assert!(left.is_err());
    upstream.wait_until_idle().await;
    upstream.get(shared_request("regime")).await.unwrap();
    assert_eq!(proxy.calls(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_restarting_processes_stay_within_the_allowance() {
    let origin = start_origin().await;
    let proxy = FaultyProxy::start(*origin.address(), 1).await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state.db");
    let clock = clock();
    let start = || open_stored(proxy.address, 100, &clock, &file);
    let mut processes = [start(), start()];
    let mut rng = Rng(30);
    let mut hours = Vec::new();
    let mut seen = 0;
    for hour in 0..4 * 24_u64 {
        for _ in 0..rng.below(14) {
            let process = &processes[usize::try_from(rng.below(2)).unwrap()];
            let request = if rng.below(2) == 0 {
                shared_request(&format!("k{}", rng.below(6)))
            } else {
                interactive_request(&format!("T{}", rng.below(100_000)))
            };
            match process.get(request).await {
                Ok(_) | Err(Error::RateLimited { .. }) => {}
                Err(other) => panic!("{other}"),
            }
        }
        for process in &processes {
            process.wait_until_idle().await;
        }
        hours.push(proxy.calls() - seen);
        seen = proxy.calls();
        clock.advance(HOUR);
        match rng.below(30) {
            0 => processes[usize::try_from(hour % 2).unwrap()] = start(),
            1 => processes = [start(), start()],
            2 => clock.jump(jiff::SignedDuration::from_hours(24)),
            3 => clock.jump(jiff::SignedDuration::from_hours(-24)),
            _ => {}
        }
    }
    let most = hours
        .windows(24)
        .map(|day| day.iter().sum::<u64>())
        .max()
        .unwrap();
    assert!((80..=100).contains(&most), "{most} calls in 24 hours");
    assert_eq!(processes[0].quota().unwrap().limit, 100);
}

#[tokio::test]
async fn a_restart_makes_no_upstream_call() {
    let origin = start_origin().await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state.db");
    let clock = clock();
    for round in 0..3 {
        let upstream = open_stored(*origin.address(), 100, &clock, &file);
        let fetched = upstream.get(shared_request("regime")).await.unwrap();
        assert_eq!(fetched.age, Duration::from_secs(100 * round));
        upstream.wait_until_idle().await;
        clock.advance(Duration::from_secs(100));
    }
    assert_eq!(calls(&origin).await, 1);
}

#[tokio::test]
async fn processes_share_fetched_responses() {
    let origin = start_origin().await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state.db");
    let clock = clock();
    let one = open_stored(*origin.address(), 100, &clock, &file);
    let two = open_stored(*origin.address(), 100, &clock, &file);
    for upstream in [&one, &two] {
        upstream.get(shared_request("regime")).await.unwrap();
        upstream.wait_until_idle().await;
    }
    clock.advance(HOUR);
    for upstream in [&one, &two] {
        let old = stranger()
            .scope(upstream.get(shared_request("regime")))
            .await;
        assert_eq!(old.unwrap().freshness, Freshness::Stale);
        upstream.wait_until_idle().await;
        assert_eq!(
            upstream
                .get(shared_request("regime"))
                .await
                .unwrap()
                .freshness,
            Freshness::Fresh
        );
    }
    assert_eq!(calls(&origin).await, 2);
}

#[tokio::test]
async fn retry_after_of_the_upstream_is_obeyed_exactly() {
    let hour = 3600;
    let table = [
        ("120", 120),
        ("Sat, 21 Nov 2026 12:05:00 GMT", 300),
        ("Saturday, 21-Nov-26 12:05:00 GMT", 300),
        ("garbage", hour),
        ("-7", hour),
        ("Fri, 20 Nov 2026 12:00:00 GMT", hour),
        ("315360000", 24 * hour),
        ("Fri, 21 Nov 2036 12:00:00 GMT", 24 * hour),
        ("", 12 * hour),
    ];
    for (text, seconds) in table {
        // A date counts by the upstream's clock, which may differ from ours.
        let mut answer =
            ResponseTemplate::new(429).insert_header("date", "Sat, 21 Nov 2026 12:00:00 GMT");
        if !text.is_empty() {
            answer = answer.insert_header("retry-after", text);
        }
        let failing = start_fixed(answer).await;
        let clock = clock();
        let upstream = open_upstream(*failing.address(), 100, &clock);
        let error = upstream.get(interactive_request("A")).await.unwrap_err();
        assert_eq!(
            (error.code(), error.retry_after().unwrap().as_secs()),
            ("rate_limited", seconds),
            "{text}"
        );
        clock.advance(Duration::from_secs(seconds - 2));
        for name in ["A", "B", "C"] {
            assert_eq!(
                upstream
                    .get(interactive_request(name))
                    .await
                    .unwrap_err()
                    .code(),
                "rate_limited",
                "{text}"
            );
            assert_eq!(
                upstream.get(shared_request(name)).await.unwrap_err().code(),
                "rate_limited",
                "{text}"
            );
        }
        assert_eq!(calls(&failing).await, 1, "{text}");
        clock.advance(Duration::from_secs(3));
        upstream.get(interactive_request("D")).await.unwrap_err();
        assert_eq!(calls(&failing).await, 2, "{text}");
    }
}

#[tokio::test]
async fn stale_responses_are_served_when_the_allowance_is_exhausted() {
    let origin = start_origin().await;
    let clock = clock();
    let upstream = open_upstream(*origin.address(), 10, &clock);
    assert!(
        upstream
            .get(shared_request("regime"))
            .await
            .unwrap()
            .quota
            .is_none()
    );
    let mut refused = None;
    for n in 0..30 {
        refused = upstream
            .get(interactive_request(&format!("T{n}")))
            .await
            .err()
            .or(refused);
    }
    let error = refused.unwrap();
    assert_eq!(error.code(), "rate_limited");
    assert!(error.to_string().contains("2026-11-"), "{error}");
    // Two of ten calls are left, and a refresh keeps five of a day.
    for (hours, expected) in [(6, Freshness::Stale), (14, Freshness::Fresh)] {
        clock.advance(hours * HOUR);
        let fetched = upstream.get(shared_request("regime")).await.unwrap();
        assert_eq!(fetched.freshness, expected);
    }
    let spent = start_fixed(json("{}")).await;
    let small = open_upstream(*spent.address(), 1, &clock);
    let last = small.get(shared_request("regime")).await.unwrap();
    assert_eq!(
        last.quota.map(|quota| (quota.used, quota.remaining)),
        Some((1, 0))
    );
    clock.advance(2 * HOUR);
    assert_eq!(
        small.get(shared_request("regime")).await.unwrap().freshness,
        Freshness::Stale
    );
    assert_eq!(calls(&spent).await, 1);
}

#[tokio::test]
async fn a_corrupt_state_file_blocks_calls_for_a_day() {
    let origin = start_origin().await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state.db");
    let clock = clock();
    std::fs::write(&file, b"not a database").unwrap();
    let upstream = open_stored(*origin.address(), 100, &clock, &file);
    assert_eq!(
        upstream
            .get(shared_request("regime"))
            .await
            .unwrap_err()
            .code(),
        "rate_limited"
    );
    clock.advance(25 * HOUR);
    upstream.get(shared_request("regime")).await.unwrap();
}

#[tokio::test]
async fn clock_jumps_neither_age_responses_nor_grant_calls() {
    let origin = start_origin().await;
    let clock = clock();
    let upstream = open_upstream(*origin.address(), 100, &clock);
    upstream.get(shared_request("regime")).await.unwrap();
    for hours in [24, -48, 24 * 365 * 12, -24 * 365 * 90] {
        clock.jump(jiff::SignedDuration::from_hours(hours));
        let fetched = upstream.get(shared_request("regime")).await.unwrap();
        assert_eq!(
            (fetched.freshness, fetched.age),
            (Freshness::Fresh, Duration::ZERO),
            "{hours}"
        );
        assert_eq!(upstream.quota().unwrap().used, 1, "{hours}");
    }
}

#[tokio::test]
async fn a_call_is_recorded_before_it_is_sent() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state.db");
    let clock = clock();
    let server = MockServer::start().await;
    let origin = server.uri();
    let seen = file.clone();
    let witness = Arc::clone(&clock);
    let answer = move |_: &wiremock::Request| {
        let clock = Arc::clone(&witness) as Arc<dyn Clock>;
        let ledger = Ledger::open(Some(&seen), &origin, 100, clock).unwrap();
        json(&format!("{{\"used\":{}}}", ledger.quota().unwrap().used))
    };
    Mock::given(any()).respond_with(answer).mount(&server).await;
    let upstream = open_stored(*server.address(), 100, &clock, &file);
    for n in 1..6 {
        let fetched = upstream
            .get(interactive_request(&format!("T{n}")))
            .await
            .unwrap();
        assert_eq!(&fetched.body[..], format!("{{\"used\":{n}}}").as_bytes());
    }
}

/// The process that the next test kills.
fn pay_until_killed(file: &std::ffi::OsStr) -> ! {
    let clock = Arc::new(econoscope_core::clock::SystemClock);
    let ledger = Ledger::open(Some(Path::new(file)), "up", LARGE, clock).unwrap();
    loop {
        assert!(matches!(
            ledger.pay(Purpose::Miss(Kind::Shared), Caller::LOCAL),
            Ok(Verdict::Granted)
        ));
        // The line stands for the call that follows a payment.
        println!("\ncalled");
    }
}

#[test]
fn a_killed_process_has_recorded_all_of_its_calls() {
    use std::io::BufRead;
    // The test starts itself as the process to kill.
    if let Some(file) = std::env::var_os("STATE_OF_THE_VICTIM") {
        pay_until_killed(&file);
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state.db");
    let mut called = 0;
    for round in 0..5 {
        let mut victim = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "--nocapture",
                "upstream::allowance::a_killed_process_has_recorded_all_of_its_calls",
            ])
            .env("STATE_OF_THE_VICTIM", &file)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = std::io::BufReader::new(victim.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok);
        let enough = 10 + 7 * round;
        called += lines
            .by_ref()
            .filter(|line| line == "called")
            .take(enough)
            .count();
        victim.kill().unwrap();
        called += lines.filter(|line| line == "called").count();
        victim.wait().unwrap();
    }
    let clock = Arc::new(econoscope_core::clock::SystemClock);
    let used = Ledger::open(Some(&file), "up", LARGE, clock)
        .unwrap()
        .quota()
        .unwrap()
        .used;
    let used = usize::try_from(used).unwrap();
    assert!(
        called >= 120 && (called..=called + 5).contains(&used),
        "{called} calls, {used} paid"
    );
}
