//! A request costs all that it costs, or nothing.

use super::super::*;
use super::{Clock, from, public};
use futures_util::FutureExt;

/// Counts that lie on this machine are asked without waiting.
pub(super) trait Asked {
    fn burst(&self, caller: Caller) -> Result<(), Refusal>;
    fn spent(&self, caller: Caller, policy: Policy) -> Result<Option<Standing>, Refusal>;
}

impl Asked for Admission {
    fn burst(&self, caller: Caller) -> Result<(), Refusal> {
        self.charge(caller, None).now_or_never().unwrap().map(drop)
    }

    fn spent(&self, caller: Caller, policy: Policy) -> Result<Option<Standing>, Refusal> {
        self.spend(caller, policy).now_or_never().unwrap()
    }
}

#[test]
fn a_request_is_charged_whole_or_not_at_all() {
    let clock = Clock::at("2026-11-21T12:00:00Z");
    let settings = LimitSettings {
        general: 2,
        burst: 3,
        ..LimitSettings::default()
    };
    let limits = public(settings, &clock);
    let client = from("203.0.113.9");
    let ask = |policy| limits.charge(client, policy).now_or_never().unwrap();
    let left: Vec<_> = (0..9)
        .map(|_| ask(Some(Policy::General)).map(|s| s.map(|s| s.remaining)))
        .collect();
    assert_eq!(left[..2], [Ok(Some(1)), Ok(Some(0))]);
    let day = left[2..]
        .iter()
        .all(|l| l.is_err_and(|r| r.standing.is_some()));
    assert!(day, "refused by the day, not for coming at once: {left:?}");
    assert_eq!(
        ask(Some(Policy::Data)).map(|s| s.map(|s| s.remaining)),
        Ok(Some(199))
    );
    let refused = ask(Some(Policy::Data)).unwrap_err();
    assert_eq!(refused.limit(), "burst");
    clock.advance(100);
    assert_eq!(
        ask(Some(Policy::Data)).map(|s| s.map(|s| s.remaining)),
        Ok(Some(198))
    );
}
