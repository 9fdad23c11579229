//! Order of jobs, refusals, and shared work.

use super::caller::Priority;
use super::queue::{Job, Queue};
use super::threads::{NICENESS, Pool};
use super::{Caller, SingleFlight, in_background};
use econoscope_core::error::{Error, Result};
use std::future::Future;
use std::net::Ipv4Addr;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

fn caller(last: u8) -> Caller {
    Caller::from_address(Ipv4Addr::new(203, 0, 113, last).into())
}

/// Queues an empty job. Returns its number, and whether it or another job was refused.
fn push(queue: &mut Queue, caller: Caller, now: Instant) -> (u64, bool) {
    let (number, refused) = queue.push(caller, Priority::Request, Box::new(|| ()), now);
    (number, refused.is_some())
}

/// Finishes the next job with a cost in milliseconds. Returns its caller.
fn finish_next(queue: &mut Queue, cost: u64, now: Instant) -> Caller {
    let Job { reservation, .. } = queue.pop(now).unwrap();
    queue.finish(reservation, Duration::from_millis(cost), now);
    reservation.caller
}

/// Polls a future once.
fn poll_once<F: Future>(future: &mut std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
}

/// Blocks a thread of the pool until the sender is dropped.
async fn block_thread(pool: &Arc<Pool>) -> (mpsc::Sender<()>, tokio::task::JoinHandle<Result<()>>) {
    let (go, gone) = mpsc::channel::<()>();
    let (begun, has_begun) = oneshot::channel();
    let busy = Arc::clone(pool);
    let work = tokio::spawn(async move {
        let work = move || {
            begun.send(()).unwrap();
            let _ = gone.recv();
            Ok(())
        };
        busy.run(work).await
    });
    has_begun.await.unwrap();
    (go, work)
}

#[test]
fn lowest_usage_goes_first_then_oldest() {
    let now = Instant::now();
    let mut queue = Queue::default();
    for who in [1, 1, 2, 3, 3, 3] {
        assert!(!push(&mut queue, caller(who), now).1);
    }
    let order: Vec<u64> = (0..6)
        .map(|_| {
            let before: Vec<u64> = queue.waiting().collect();
            finish_next(&mut queue, 30, now);
            assert_eq!(queue.counts().waiting, before.len() - 1);
            let is_gone = |n: &u64| !queue.waiting().any(|m| m == *n);
            before.into_iter().find(is_gone).unwrap()
        })
        .collect();
    // 10, 20 and 30 ms are reserved at first; each job then costs 30.
    assert_eq!(order, [2, 0, 3, 1, 4, 5]);
}

#[test]
fn own_user_goes_first_whatever_the_usage() {
    let now = Instant::now();
    let mut queue = Queue::default();
    push(&mut queue, Caller::LOCAL, now);
    finish_next(&mut queue, 5_000, now);
    push(&mut queue, caller(1), now);
    push(&mut queue, Caller::LOCAL, now);
    assert_eq!(finish_next(&mut queue, 1, now), Caller::LOCAL);
}

#[test]
fn usage_halves_after_ten_seconds() {
    let start = Instant::now();
    let mut queue = Queue::default();
    let spend = |queue: &mut Queue, who, cost, now| {
        push(queue, who, now);
        assert_eq!(finish_next(queue, cost, now), who);
    };
    spend(&mut queue, caller(1), 300, start);
    let later = start + Duration::from_secs(10);
    spend(&mut queue, caller(2), 200, later);
    let (second, _) = push(&mut queue, caller(2), later);
    push(&mut queue, caller(1), later);
    let first = queue.pop(later).map(|job| job.reservation.caller);
    assert_eq!(first, Some(caller(1)), "150 against 200");
    let hour = start + Duration::from_secs(3_600);
    queue.remove(second, hour);
    spend(&mut queue, caller(3), 1, hour);
    push(&mut queue, caller(3), hour);
    push(&mut queue, caller(2), hour);
    let first = queue.pop(hour).map(|job| job.reservation.caller);
    assert_eq!(first, Some(caller(2)), "forgiven");
}

#[test]
fn refund_is_what_is_left_of_the_reservation() {
    let start = Instant::now();
    let later = start + Duration::from_secs(10);
    let mut queue = Queue::default();
    push(&mut queue, caller(1), start);
    finish_next(&mut queue, 300, start);
    let waiting: Vec<u64> = (0..100)
        .map(|_| push(&mut queue, caller(1), start).0)
        .collect();
    for number in waiting {
        queue.remove(number, later);
    }
    push(&mut queue, caller(2), later);
    finish_next(&mut queue, 120, later);
    push(&mut queue, caller(1), later);
    push(&mut queue, caller(2), later);
    let first = queue.pop(later).map(|job| job.reservation.caller);
    assert_eq!(first, Some(caller(2)), "150 are still owed");
}

#[test]
fn full_queue_evicts_the_highest_usage() {
    let now = Instant::now();
    let mut queue = Queue::default();
    for number in 0..256_u64 {
        let who = caller(u8::try_from(number / 16).unwrap());
        assert_eq!(push(&mut queue, who, now), (number, false));
    }
    let waited = queue.counts().waiting;
    let (_, is_refused) = push(&mut queue, caller(3), now);
    assert!(is_refused, "sixteen are as dear as those of others");
    let counts = queue.counts();
    assert_eq!((counts.refused, counts.evicted), (1, 0));
    let (newcomer, is_another_refused) = push(&mut queue, caller(99), now);
    assert!(is_another_refused, "another is told");
    let counts = queue.counts();
    assert_eq!(
        (counts.waiting, counts.refused, counts.evicted),
        (waited, 1, 1)
    );
    assert!(
        queue.waiting().any(|n| n == newcomer),
        "and the newcomer has his place"
    );
    assert!(
        !queue.waiting().any(|n| n == 255),
        "the newest of the dearest went"
    );
    for _ in 0..16 {
        push(&mut queue, Caller::LOCAL, now);
    }
    assert_eq!(
        queue.counts().waiting,
        waited + 16,
        "our own user is never sent away"
    );
    assert!(queue.waiting().any(|n| n == newcomer));
}

#[test]
fn many_callers_do_not_erase_a_high_usage() {
    let now = Instant::now();
    let mut queue = Queue::default();
    let mut spend = |who, cost| {
        push(&mut queue, who, now);
        finish_next(&mut queue, cost, now);
    };
    spend(caller(1), 5_000);
    for n in 0..10_000_u32 {
        spend(
            Caller::from_address(Ipv4Addr::from_bits(0x0a00_0000 + n).into()),
            2,
        );
    }
    assert!(queue.callers() <= 4_096, "{}", queue.callers());
    push(&mut queue, caller(1), now);
    let cheap = Caller::from_address(Ipv4Addr::from_bits(0x0a00_0000).into());
    push(&mut queue, cheap, now);
    assert_eq!(
        queue.pop(now).map(|job| job.reservation.caller),
        Some(cheap)
    );
}

#[test]
fn ipv6_network_is_one_caller() {
    let at = |text: &str| Caller::from_address(text.parse().unwrap());
    assert_eq!(at("2001:db8:0:1::7"), at("2001:db8:0:1:ffff::1"));
    assert_ne!(at("2001:db8:0:1::7"), at("2001:db8:0:2::7"));
    assert_eq!(at("::ffff:203.0.113.9"), caller(9));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn threads_have_a_lower_priority() {
    let here = rustix::process::getpriority_process(None).unwrap();
    let pool = Pool::default();
    let there = pool.run(|| Ok(rustix::process::getpriority_process(None)));
    assert_eq!(there.await.unwrap().unwrap(), (here + NICENESS).min(19));
    assert_eq!(rustix::process::getpriority_process(None).unwrap(), here);
}

#[tokio::test]
async fn full_queue_refuses_at_once() {
    let pool = Arc::new(Pool::with_threads(1));
    let (go, blocked) = block_thread(&pool).await;
    let one = caller(1);
    let work = || Ok(());
    let mut waiting: Vec<_> = (0..256)
        .map(|_| Box::pin(one.scope(pool.run(work))))
        .collect();
    for future in &mut waiting {
        assert!(poll_once(&mut future.as_mut()).is_pending());
    }
    let mut more = pin!(one.scope(pool.run(work)));
    let Poll::Ready(Err(error)) = poll_once(&mut more) else {
        panic!("one more waits")
    };
    assert_eq!((error.code(), error.is_retryable()), ("unavailable", true));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
    drop(go);
    blocked.await.unwrap().unwrap();
    for future in waiting {
        future.await.unwrap();
    }
    assert_eq!(pool.counts().waiting, 0);
}

#[tokio::test]
async fn own_user_is_never_refused() {
    let pool = Arc::new(Pool::with_threads(1));
    let (go, blocked) = block_thread(&pool).await;
    let waiting: Vec<_> = (0..500)
        .map(|n| {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { pool.run(move || Ok(n)).await })
        })
        .collect();
    drop(go);
    blocked.await.unwrap().unwrap();
    for (n, one) in waiting.into_iter().enumerate() {
        assert_eq!(one.await.unwrap().unwrap(), n);
    }
}

#[tokio::test]
async fn abandoned_work_is_never_run() {
    let pool = Arc::new(Pool::with_threads(1));
    let (go, blocked) = block_thread(&pool).await;
    let (begun, has_begun) = mpsc::channel();
    {
        let mut left = pin!(caller(1).scope(pool.run(move || {
            begun.send(()).unwrap();
            Ok(())
        })));
        assert!(poll_once(&mut left).is_pending());
        assert_eq!(pool.counts().waiting, 1);
    }
    assert_eq!(pool.counts().waiting, 0, "its place is free at once");
    drop(go);
    blocked.await.unwrap().unwrap();
    pool.run(|| Ok(())).await.unwrap();
    assert!(has_begun.recv().is_err(), "the work was dropped unbegun");
}

#[tokio::test]
async fn panic_is_an_error_and_the_thread_survives() {
    let pool = Pool::with_threads(1);
    for _ in 0..3 {
        let failed = pool.run(|| -> Result<()> { panic!("dividing by nothing") });
        let error = failed.await.unwrap_err();
        assert_eq!(error.code(), "internal");
    }
    assert_eq!(pool.run(|| Ok(7)).await.unwrap(), 7);
}

#[tokio::test]
async fn concurrent_requests_share_one_run() {
    let pool = Arc::new(Pool::with_threads(2));
    let flights = Arc::new(SingleFlight::<u8, u64>::default());
    let runs = Arc::new(AtomicU64::new(0));
    let (go, blocked) = block_thread(&pool).await;
    let (also_go, also_blocked) = block_thread(&pool).await;
    let waiting: Vec<_> = (0..1_000_u32)
        .map(|n| {
            let pool = Arc::clone(&pool);
            let flights = Arc::clone(&flights);
            let runs = Arc::clone(&runs);
            let who = Caller::from_address(Ipv4Addr::from_bits(n).into());
            tokio::spawn(who.scope(async move {
                let work = move || Ok(runs.fetch_add(1, Ordering::SeqCst));
                flights.run(&pool, 1, || None, work).await
            }))
        })
        .collect();
    while pool.counts().waiting == 0 {
        tokio::task::yield_now().await;
    }
    for _ in 0..2_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(pool.counts().waiting, 1, "one place in the queue for all");
    drop((go, also_go));
    blocked.await.unwrap().unwrap();
    also_blocked.await.unwrap().unwrap();
    for one in waiting {
        assert_eq!(one.await.unwrap().unwrap(), 0);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn work_continues_when_the_first_caller_leaves() {
    let pool = Arc::new(Pool::with_threads(1));
    let flights = SingleFlight::<u8, u8>::default();
    let (go, blocked) = block_thread(&pool).await;
    let mut first = Box::pin(caller(1).scope(flights.run(&pool, 1, || None, || Ok(1))));
    assert!(poll_once(&mut first.as_mut()).is_pending());
    let mut second = Box::pin(caller(2).scope(flights.run(&pool, 1, || None, || Ok(2))));
    assert!(poll_once(&mut second.as_mut()).is_pending());
    drop(first);
    assert_eq!(pool.counts().waiting, 1, "somebody still waits");
    let mut third = Box::pin(caller(3).scope(flights.run(&pool, 1, || None, || Ok(3))));
    assert!(poll_once(&mut third.as_mut()).is_pending());
    drop((second, third));
    assert_eq!(pool.counts().waiting, 0, "now nobody does");
    let fourth = caller(4).scope(flights.run(&pool, 1, || None, || Ok(4)));
    drop(go);
    blocked.await.unwrap().unwrap();
    assert_eq!(fourth.await.unwrap(), 4);
    let cached = flights.run(&pool, 1, || Some(9), || Ok(5)).await;
    assert_eq!(cached.unwrap(), 9, "what is held is not made");
}

#[test]
fn join_moves_a_job_to_the_lower_usage() {
    let now = Instant::now();
    let mut queue = Queue::default();
    for _ in 0..9 {
        push(&mut queue, caller(1), now);
        finish_next(&mut queue, 900, now);
    }
    let (dear, _) = push(&mut queue, caller(1), now);
    push(&mut queue, caller(2), now);
    queue.join(dear, caller(3), Priority::Request, now);
    let order: Vec<Caller> =
        std::iter::from_fn(|| queue.pop(now).map(|job| job.reservation.caller)).collect();
    assert_eq!(order, [caller(3), caller(2)]);
}

#[tokio::test]
async fn error_reaches_all_callers_and_is_not_cached() {
    let pool = Arc::new(Pool::with_threads(1));
    let flights = SingleFlight::<u8, u8>::default();
    let (go, blocked) = block_thread(&pool).await;
    let fail = || Err(Error::internal("a test", "on purpose"));
    let mut first = Box::pin(flights.run(&pool, 1, || None, fail));
    let mut second = Box::pin(flights.run(&pool, 1, || None, fail));
    assert!(
        poll_once(&mut first.as_mut()).is_pending() && poll_once(&mut second.as_mut()).is_pending()
    );
    drop(go);
    blocked.await.unwrap().unwrap();
    assert_eq!(first.await.unwrap_err().code(), "internal");
    assert_eq!(second.await.unwrap_err().code(), "internal");
    assert_eq!(flights.run(&pool, 1, || None, || Ok(7)).await.unwrap(), 7);
}

#[test]
fn background_gives_way_to_every_request_for_two_seconds() {
    let now = Instant::now();
    let later = now + Duration::from_secs(3);
    for own in [Caller::LOCAL, caller(1)] {
        let mut queue = Queue::default();
        // Whoever waits has used much, and the background nothing.
        for _ in 0..9 {
            push(&mut queue, caller(2), now);
            finish_next(&mut queue, 900, now);
        }
        queue.push(own, Priority::Background, Box::new(|| ()), now);
        let (joined, _) = queue.push(caller(3), Priority::Background, Box::new(|| ()), now);
        push(&mut queue, caller(2), now);
        push(&mut queue, caller(2), now);
        queue.join(joined, caller(4), Priority::Request, now);
        let order = [now, now, later].map(|at| finish_next_at(&mut queue, at));
        assert_eq!(
            order,
            [caller(3), caller(2), own],
            "by usage, until it has waited"
        );
    }
}

/// Removes the next job of a moment. Returns its caller.
fn finish_next_at(queue: &mut Queue, now: Instant) -> Caller {
    queue.pop(now).unwrap().reservation.caller
}

#[tokio::test]
async fn a_batch_runs_behind_requests_that_come_later() {
    let pool = Arc::new(Pool::with_threads(1));
    let (go, blocked) = block_thread(&pool).await;
    let order = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let work = |name| {
        let order = Arc::clone(&order);
        move || {
            order.lock().push(name);
            Ok(())
        }
    };
    let mut item = Box::pin(in_background(pool.run(work("item"))));
    assert!(poll_once(&mut item.as_mut()).is_pending());
    let mut request = Box::pin(caller(1).scope(pool.run(work("request"))));
    assert!(poll_once(&mut request.as_mut()).is_pending());
    drop(go);
    blocked.await.unwrap().unwrap();
    request.await.unwrap();
    item.await.unwrap();
    assert_eq!(*order.lock(), ["request", "item"]);
}
