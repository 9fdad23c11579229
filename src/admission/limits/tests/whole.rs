//! Tests that a request is charged whole or not at all.

use super::super::*;
use super::{Clock, from, limits_with};
use futures_util::FutureExt;

/// Charges without waiting, since the counters are local.
pub(super) trait ChargeNow {
    fn charge_burst(&self, caller: Caller) -> Result<(), LimitExceeded>;
    fn spend_now(&self, caller: Caller, policy: Policy) -> Result<Option<Quota>, LimitExceeded>;
}

impl ChargeNow for Admission {
    fn charge_burst(&self, caller: Caller) -> Result<(), LimitExceeded> {
        self.charge(caller, None).now_or_never().unwrap().map(drop)
    }

    fn spend_now(&self, caller: Caller, policy: Policy) -> Result<Option<Quota>, LimitExceeded> {
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
    let limits = limits_with(settings, &clock);
    let client = from("203.0.113.9");
    let ask = |policy| limits.charge(client, policy).now_or_never().unwrap();
    let left: Vec<_> = (0..9)
        .map(|_| ask(Some(Policy::General)).map(|s| s.map(|s| s.remaining)))
        .collect();
    assert_eq!(left[..2], [Ok(Some(1)), Ok(Some(0))]);
    let day = left[2..]
        .iter()
        .all(|l| l.is_err_and(|r| r.quota.is_some()));
    assert!(day, "refused by the day, not for coming at once: {left:?}");
    assert_eq!(
        ask(Some(Policy::Data)).map(|s| s.map(|s| s.remaining)),
        Ok(Some(199))
    );
    let refused = ask(Some(Policy::Data)).unwrap_err();
    assert_eq!(refused.limit_name(), "burst");
    clock.advance(100);
    assert_eq!(
        ask(Some(Policy::Data)).map(|s| s.map(|s| s.remaining)),
        Ok(Some(198))
    );
}
