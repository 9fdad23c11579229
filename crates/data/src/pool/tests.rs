//! Who is served first, who is sent away, and what is never begun.

use super::queue::{Job, Queue};
use super::threads::{NICER, Pool};
use super::{Caller, SingleFlight};
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
    Caller::at(Ipv4Addr::new(203, 0, 113, last).into())
}

/// A job that does nothing: its number, and whether it or another was sent away for it.
fn admit(queue: &mut Queue, caller: Caller, now: Instant) -> (u64, bool) {
    let (number, refused) = queue.admit(caller, Box::new(|| ()), now);
    (number, refused.is_some())
}

/// The next job's caller; it cost so many milliseconds.
fn done(queue: &mut Queue, cost: u64, now: Instant) -> Caller {
    let Job { promise, .. } = queue.pop(now).unwrap();
    queue.finish(promise, Duration::from_millis(cost), now);
    promise.caller
}

/// Polls once: what the future does at once is done.
fn begin<F: Future>(future: &mut std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
}

/// Work that holds a thread until it is let go, begun when this returns.
async fn hold(pool: &Arc<Pool>) -> (mpsc::Sender<()>, tokio::task::JoinHandle<Result<()>>) {
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
fn the_caller_who_has_cost_least_goes_first_and_among_equals_who_came_first() {
    let now = Instant::now();
    let mut queue = Queue::default();
    for who in [1, 1, 2, 3, 3, 3] {
        assert!(!admit(&mut queue, caller(who), now).1);
    }
    let order: Vec<u64> = (0..6)
        .map(|_| {
            let before: Vec<u64> = queue.waiting().collect();
            done(&mut queue, 30, now);
            assert_eq!(queue.counts().waiting, before.len() - 1);
            let is_gone = |n: &u64| !queue.waiting().any(|m| m == *n);
            before.into_iter().find(is_gone).unwrap()
        })
        .collect();
    // 10, 20 and 30 ms are promised at first; each job then costs 30.
    assert_eq!(order, [2, 0, 3, 1, 4, 5]);
}

#[test]
fn the_program_s_own_user_goes_first_whatever_was_done_for_him() {
    let now = Instant::now();
    let mut queue = Queue::default();
    admit(&mut queue, Caller::OWN, now);
    done(&mut queue, 5_000, now);
    admit(&mut queue, caller(1), now);
    admit(&mut queue, Caller::OWN, now);
    assert_eq!(done(&mut queue, 1, now), Caller::OWN);
}

#[test]
fn what_was_spent_counts_half_after_ten_seconds_and_nothing_after_an_hour() {
    let start = Instant::now();
    let mut queue = Queue::default();
    let spend = |queue: &mut Queue, who, cost, now| {
        admit(queue, who, now);
        assert_eq!(done(queue, cost, now), who);
    };
    spend(&mut queue, caller(1), 300, start);
    let later = start + Duration::from_secs(10);
    spend(&mut queue, caller(2), 200, later);
    let (second, _) = admit(&mut queue, caller(2), later);
    admit(&mut queue, caller(1), later);
    let first = queue.pop(later).map(|job| job.promise.caller);
    assert_eq!(first, Some(caller(1)), "150 against 200");
    let hour = start + Duration::from_secs(3_600);
    queue.remove(second, hour);
    spend(&mut queue, caller(3), 1, hour);
    admit(&mut queue, caller(3), hour);
    admit(&mut queue, caller(2), hour);
    let first = queue.pop(hour).map(|job| job.promise.caller);
    assert_eq!(first, Some(caller(2)), "forgiven");
}

#[test]
fn what_is_given_back_is_what_is_left_of_it() {
    let start = Instant::now();
    let later = start + Duration::from_secs(10);
    let mut queue = Queue::default();
    admit(&mut queue, caller(1), start);
    done(&mut queue, 300, start);
    let waiting: Vec<u64> = (0..100)
        .map(|_| admit(&mut queue, caller(1), start).0)
        .collect();
    for number in waiting {
        queue.remove(number, later);
    }
    admit(&mut queue, caller(2), later);
    done(&mut queue, 120, later);
    admit(&mut queue, caller(1), later);
    admit(&mut queue, caller(2), later);
    let first = queue.pop(later).map(|job| job.promise.caller);
    assert_eq!(first, Some(caller(2)), "150 are still owed");
}

#[test]
fn a_full_queue_takes_the_place_of_the_dearest_for_one_who_has_cost_less() {
    let now = Instant::now();
    let mut queue = Queue::default();
    for number in 0..256_u64 {
        let who = caller(u8::try_from(number / 16).unwrap());
        assert_eq!(admit(&mut queue, who, now), (number, false));
    }
    let waited = queue.counts().waiting;
    let (_, is_refused) = admit(&mut queue, caller(3), now);
    assert!(is_refused, "sixteen are as dear as those of others");
    let counts = queue.counts();
    assert_eq!((counts.refused, counts.evicted), (1, 0));
    let (newcomer, is_another_refused) = admit(&mut queue, caller(99), now);
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
        admit(&mut queue, Caller::OWN, now);
    }
    assert_eq!(
        queue.counts().waiting,
        waited + 16,
        "our own user is never sent away"
    );
    assert!(queue.waiting().any(|n| n == newcomer));
}

#[test]
fn ten_thousand_callers_do_not_make_a_dear_one_forgotten() {
    let now = Instant::now();
    let mut queue = Queue::default();
    let mut spend = |who, cost| {
        admit(&mut queue, who, now);
        done(&mut queue, cost, now);
    };
    spend(caller(1), 5_000);
    for n in 0..10_000_u32 {
        spend(Caller::at(Ipv4Addr::from_bits(0x0a00_0000 + n).into()), 2);
    }
    assert!(queue.accounts() <= 4_096, "{}", queue.accounts());
    admit(&mut queue, caller(1), now);
    let cheap = Caller::at(Ipv4Addr::from_bits(0x0a00_0000).into());
    admit(&mut queue, cheap, now);
    assert_eq!(queue.pop(now).map(|job| job.promise.caller), Some(cheap));
}

#[test]
fn a_household_is_one_caller() {
    let at = |text: &str| Caller::at(text.parse().unwrap());
    assert_eq!(at("2001:db8:0:1::7"), at("2001:db8:0:1:ffff::1"));
    assert_ne!(at("2001:db8:0:1::7"), at("2001:db8:0:2::7"));
    assert_eq!(at("::ffff:203.0.113.9"), caller(9));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_threads_give_way_to_those_that_answer() {
    let here = rustix::process::getpriority_process(None).unwrap();
    let pool = Pool::default();
    let there = pool.run(|| Ok(rustix::process::getpriority_process(None)));
    assert_eq!(there.await.unwrap().unwrap(), (here + NICER).min(19));
    assert_eq!(rustix::process::getpriority_process(None).unwrap(), here);
}

#[tokio::test]
async fn a_full_queue_answers_at_once() {
    let pool = Arc::new(Pool::with_threads(1));
    let (go, held) = hold(&pool).await;
    let one = caller(1);
    let work = || Ok(());
    let mut waiting: Vec<_> = (0..256)
        .map(|_| Box::pin(one.scope(pool.run(work))))
        .collect();
    for future in &mut waiting {
        assert!(begin(&mut future.as_mut()).is_pending());
    }
    let mut more = pin!(one.scope(pool.run(work)));
    let Poll::Ready(Err(error)) = begin(&mut more) else {
        panic!("one more waits")
    };
    assert_eq!((error.code(), error.retryable()), ("unavailable", true));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
    drop(go);
    held.await.unwrap().unwrap();
    for future in waiting {
        future.await.unwrap();
    }
    assert_eq!(pool.counts().waiting, 0);
}

#[tokio::test]
async fn the_one_at_the_keyboard_waits_and_is_never_refused() {
    let pool = Arc::new(Pool::with_threads(1));
    let (go, held) = hold(&pool).await;
    let asked: Vec<_> = (0..500)
        .map(|n| {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { pool.run(move || Ok(n)).await })
        })
        .collect();
    drop(go);
    held.await.unwrap().unwrap();
    for (n, one) in asked.into_iter().enumerate() {
        assert_eq!(one.await.unwrap().unwrap(), n);
    }
}

#[tokio::test]
async fn work_that_nobody_waits_for_any_more_is_never_begun() {
    let pool = Arc::new(Pool::with_threads(1));
    let (go, held) = hold(&pool).await;
    let (begun, has_begun) = mpsc::channel();
    {
        let mut left = pin!(caller(1).scope(pool.run(move || {
            begun.send(()).unwrap();
            Ok(())
        })));
        assert!(begin(&mut left).is_pending());
        assert_eq!(pool.counts().waiting, 1);
    }
    assert_eq!(pool.counts().waiting, 0, "its place is free at once");
    drop(go);
    held.await.unwrap().unwrap();
    pool.run(|| Ok(())).await.unwrap();
    assert!(has_begun.recv().is_err(), "the work was dropped unbegun");
}

#[tokio::test]
async fn a_panic_is_an_internal_error_and_costs_no_thread() {
    let pool = Pool::with_threads(1);
    for _ in 0..3 {
        let failed = pool.run(|| -> Result<()> { panic!("dividing by nothing") });
        let error = failed.await.unwrap_err();
        assert_eq!(error.code(), "internal");
    }
    assert_eq!(pool.run(|| Ok(7)).await.unwrap(), 7);
}

#[tokio::test]
async fn equal_work_is_done_once_for_all_who_wait() {
    let pool = Arc::new(Pool::with_threads(2));
    let once = Arc::new(SingleFlight::<u8, u64>::default());
    let made = Arc::new(AtomicU64::new(0));
    let (go, held) = hold(&pool).await;
    let (go_too, held_too) = hold(&pool).await;
    let asked: Vec<_> = (0..1_000_u32)
        .map(|n| {
            let (pool, once, made) = (pool.clone(), once.clone(), made.clone());
            let who = Caller::at(Ipv4Addr::from_bits(n).into());
            tokio::spawn(who.scope(async move {
                let work = move || Ok(made.fetch_add(1, Ordering::SeqCst));
                once.run(&pool, 1, || None, work).await
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
    drop((go, go_too));
    held.await.unwrap().unwrap();
    held_too.await.unwrap().unwrap();
    for one in asked {
        assert_eq!(one.await.unwrap().unwrap(), 0);
    }
    assert_eq!(made.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn when_the_first_who_asked_leaves_the_work_is_done_for_the_next() {
    let pool = Arc::new(Pool::with_threads(1));
    let once = SingleFlight::<u8, u8>::default();
    let (go, held) = hold(&pool).await;
    let mut first = Box::pin(caller(1).scope(once.run(&pool, 1, || None, || Ok(1))));
    assert!(begin(&mut first.as_mut()).is_pending());
    let mut second = Box::pin(caller(2).scope(once.run(&pool, 1, || None, || Ok(2))));
    assert!(begin(&mut second.as_mut()).is_pending());
    drop(first);
    assert_eq!(pool.counts().waiting, 1, "somebody still waits");
    let mut third = Box::pin(caller(3).scope(once.run(&pool, 1, || None, || Ok(3))));
    assert!(begin(&mut third.as_mut()).is_pending());
    drop((second, third));
    assert_eq!(pool.counts().waiting, 0, "now nobody does");
    let fourth = caller(4).scope(once.run(&pool, 1, || None, || Ok(4)));
    drop(go);
    held.await.unwrap().unwrap();
    assert_eq!(fourth.await.unwrap(), 4);
    let known = once.run(&pool, 1, || Some(9), || Ok(5)).await;
    assert_eq!(known.unwrap(), 9, "what is held is not made");
}

#[test]
fn a_dear_caller_who_asked_first_does_not_hold_up_a_cheap_one_who_asks_the_same() {
    let now = Instant::now();
    let mut queue = Queue::default();
    for _ in 0..9 {
        admit(&mut queue, caller(1), now);
        done(&mut queue, 900, now);
    }
    let (dear, _) = admit(&mut queue, caller(1), now);
    admit(&mut queue, caller(2), now);
    queue.join(dear, caller(3), now);
    let order: Vec<Caller> =
        std::iter::from_fn(|| queue.pop(now).map(|job| job.promise.caller)).collect();
    assert_eq!(order, [caller(3), caller(2)]);
}

#[tokio::test]
async fn a_failure_is_told_to_all_who_waited_and_not_kept() {
    let pool = Arc::new(Pool::with_threads(1));
    let once = SingleFlight::<u8, u8>::default();
    let (go, held) = hold(&pool).await;
    let fail = || Err(Error::internal("a test", "on purpose"));
    let mut first = Box::pin(once.run(&pool, 1, || None, fail));
    let mut second = Box::pin(once.run(&pool, 1, || None, fail));
    assert!(begin(&mut first.as_mut()).is_pending() && begin(&mut second.as_mut()).is_pending());
    drop(go);
    held.await.unwrap().unwrap();
    assert_eq!(first.await.unwrap_err().code(), "internal");
    assert_eq!(second.await.unwrap_err().code(), "internal");
    assert_eq!(once.run(&pool, 1, || None, || Ok(7)).await.unwrap(), 7);
}
