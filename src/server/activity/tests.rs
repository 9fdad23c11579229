use super::super::frames::PREFACE;
use super::super::memory::Held;
use super::*;

fn opened(activity: &Arc<Activity>) -> Arc<Exchange> {
    activity.request(Held::default().share(1).nothing())
}

#[test]
fn each_slowness_has_its_time() {
    let activity = Arc::new(Activity::new());
    assert!(activity.record.lock().judge(9_999).is_ok());
    assert_eq!(activity.record.lock().judge(10_000), Err("no_request"));
    activity.read(b"GET");
    drop(opened(&activity));
    assert!(activity.record.lock().judge(59_000).is_ok());
    assert_eq!(activity.record.lock().judge(61_000), Err("idle"));
    activity.read(b"GET");
    assert_eq!(activity.record.lock().judge(11_000), Err("slow_header"));
    let busy = opened(&activity);
    assert!(
        activity.record.lock().judge(600_000).is_ok(),
        "a slow answer is ours, not theirs"
    );
    activity.stuck();
    assert_eq!(activity.record.lock().judge(31_000), Err("slow_reader"));
    activity.wrote(100);
    activity.stuck();
    assert_eq!(
        activity.record.lock().judge(31_000),
        Err("slow_reader"),
        "a trickle is no progress"
    );
    activity.wrote(100_000);
    assert!(activity.record.lock().judge(31_000).is_ok());
    drop(busy);
}

#[test]
fn a_multiplexed_connection_has_no_heads_to_wait_for() {
    let activity = Arc::new(Activity::new());
    activity.read(PREFACE);
    drop(opened(&activity));
    activity.read(b"GET");
    assert!(activity.record.lock().judge(30_000).is_ok());
    assert_eq!(activity.record.lock().judge(61_000), Err("idle"));
}

#[test]
fn talk_does_not_keep_a_reader_who_takes_nothing() {
    for multiplexed in [false, true] {
        let activity = Arc::new(Activity::new());
        if multiplexed {
            activity.read(PREFACE);
        }
        let open = opened(&activity);
        assert!(
            activity.record.lock().judge(29_000).is_ok(),
            "nothing waits for it yet"
        );
        open.offer(700_000);
        // Replies to pings are written, and a byte of the answer at times.
        activity.wrote(1_000_000);
        activity.read(b"GET");
        open.take(100);
        assert!(activity.record.lock().judge(29_000).is_ok());
        assert_eq!(activity.record.lock().judge(31_000), Err("slow_reader"));
        open.take(70_000);
        assert!(
            activity.record.lock().judge(29_999).is_ok(),
            "enough was taken just now"
        );
        open.withdraw(700_000 - 70_100);
        assert!(
            activity.record.lock().judge(600_000).is_ok(),
            "nothing waits any more"
        );
        drop(open);
        activity.wrote(1_000_000);
        assert_eq!(
            activity.record.lock().judge(61_000),
            Err("idle"),
            "talk alone is idleness"
        );
    }
}

#[test]
fn a_listener_with_nothing_to_hear_is_kept() {
    let activity = Arc::new(Activity::new());
    let open = opened(&activity);
    open.answered(None);
    open.offer(20);
    open.take(20);
    assert!(activity.record.lock().judge(86_400_000).is_ok());
}

#[test]
fn one_answer_that_flows_keeps_others_only_for_their_turn() {
    let activity = Arc::new(Activity::new());
    activity.read(PREFACE);
    let (stalled, flowing) = (opened(&activity), opened(&activity));
    stalled.offer(1_000);
    flowing.offer(1_000_000);
    let at_119_s = |progress: &mut Progress| progress.take(70_000, 119_000);
    activity.record.lock().progress(flowing.number, at_119_s);
    assert!(activity.record.lock().judge(119_500).is_ok());
    assert_eq!(activity.record.lock().judge(120_500), Err("slow_reader"));
    stalled.withdraw(1_000);
    assert!(activity.record.lock().judge(120_500).is_ok());
}

#[test]
fn the_end_is_told_when_all_is_answered() {
    let activity = Arc::new(Activity::new());
    let mut context = Context::from_waker(std::task::Waker::noop());
    let mut seen = None;
    assert!(
        activity.end(&mut seen, &mut context).is_pending(),
        "a request may just have come"
    );
    let open = opened(&activity);
    assert!(activity.end(&mut seen, &mut context).is_pending());
    drop(open);
    assert!(activity.end(&mut seen, &mut context).is_pending());
    assert!(activity.end(&mut seen, &mut context).is_ready());
    let listener = opened(&activity);
    listener.answered(None);
    let mut seen = None;
    assert!(activity.end(&mut seen, &mut context).is_pending());
    assert!(
        activity.end(&mut seen, &mut context).is_ready(),
        "a listener that left is not waited for"
    );
}
