//! Scores of macro stress against the NBER's recessions. The index does not forecast recessions; the tables show its values.

use crate::detection::{self, Signal};
use crate::{format_share, new_table};
use econoscope_core::error::Result;
use econoscope_core::indicators::alarm::AlarmRule;
use econoscope_core::indicators::months::{Month, MonthlyGrid};
use econoscope_core::indicators::nber::is_recession;
use econoscope_core::indicators::statistics::{ProbabilityForecast, auc, average};
use econoscope_core::indicators::stress::CMSI;
use econoscope_core::model::AsOf;
use econoscope_desk::Desk;
use econoscope_desk::scores::ScoreTable;
use std::ops::RangeInclusive;

const SINCE: Month = Month::new(1985, 1);
/// High stress: five days in a row start and end it.
const HIGH: AlarmRule = AlarmRule {
    on: 70.0,
    on_after: 5,
    off: 70.0,
    off_after: 5,
};
/// The window in which high stress belongs to a recession.
const WINDOW: RangeInclusive<i64> = -180..=60;

pub(super) fn tables(desk: &Desk) -> Result<Vec<ScoreTable>> {
    let days = desk.history(&CMSI, AsOf::Latest)?;
    let ends = MonthlyGrid::from_last_values(&days);
    let values: Vec<ProbabilityForecast> = ends.iter().map(|(m, v)| (v, is_recession(m))).collect();
    let mean = |is_recession: bool| {
        let chosen = values.iter().filter(|v| v.1 == is_recession).map(|v| v.0);
        average(chosen).map_or("-".to_owned(), |v| format!("{v:.0}"))
    };
    let mut table = new_table("stress", "CMSI")?;
    let from = ends.first().map_or(String::new(), Month::name);
    table.row([
        values.len().to_string(),
        from,
        format_share(auc(&values)),
        mean(true),
        mean(false),
    ]);
    let name = format!("{} or more on {} days in a row", HIGH.on, HIGH.on_after);
    let signal = Signal::new(name, HIGH.periods(&days));
    Ok(vec![
        table,
        detection::table("CMSI", SINCE, &WINDOW, &[signal]),
    ])
}
