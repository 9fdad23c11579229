//! What is looked at of a month, and what was known on a day.

use econoscope_core::error::Result;
use econoscope_core::indicators::nowcast::WEEKLY;
use econoscope_core::indicators::regime::{self, Regime, RegimeMonth};
use econoscope_core::model::{Date, SeriesSet};
use econoscope_data::desk::Desk;

/// A month's label and scores.
pub(super) type Seen = (Regime, f64, f64);

pub(super) fn seen(state: &RegimeMonth) -> Seen {
    (state.regime, state.growth, state.inflation)
}

/// Everything that regime and nowcast read, as known on a day.
pub(super) fn known(desk: &Desk, day: Date) -> Result<SeriesSet> {
    desk.set_on(regime::INPUTS.iter().chain(&WEEKLY).copied(), day)
}
