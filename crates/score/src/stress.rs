//! Scores of macro stress against the NBER's recessions. The index does not forecast recessions; the tables show its values.

use crate::detection::{self, Signal, SignalWindow};
use crate::format_share;
use econoscope_core::error::Result;
use econoscope_core::indicators::alarm::AlarmRule;
use econoscope_core::indicators::months::{Month, MonthlyGrid};
use econoscope_core::indicators::nber::is_recession;
use econoscope_core::indicators::statistics::{ProbabilityForecast, auc, average};
use econoscope_core::indicators::stress::CMSI;
use econoscope_core::model::AsOf;
use econoscope_desk::Desk;
use econoscope_desk::scores::ScoreTable;

const SINCE: Month = Month::new(1985, 1);
/// High stress: five days in a row start and end it.
const HIGH: AlarmRule = AlarmRule {
    on: 70.0,
    on_after: 5,
    off: 70.0,
    off_after: 5,
};
/// The window in which high stress belongs to a recession.
const WINDOW: SignalWindow = SignalWindow {
    ahead: 180,
    behind: 60,
};

pub(super) fn tables(desk: &Desk) -> Result<Vec<ScoreTable>> {
    let days = desk.history(&CMSI, AsOf::Latest)?;
    let ends = MonthlyGrid::from_last_values(&days);
    let values: Vec<ProbabilityForecast> = ends.iter().map(|(m, v)| (v, is_recession(m))).collect();
    let mean = |is_recession: bool| {
        let chosen = values.iter().filter(|v| v.1 == is_recession).map(|v| v.0);
        average(chosen).map_or("-".to_owned(), |v| format!("{v:.0}"))
    };
    let title = "its value on the last day of a month beside whether the month was one of a recession; inputs as last \
                 revised, in the profile that the bundle has; it says no probability, so there is no Brier score";
    let columns = [
        "months",
        "from",
        "AUC",
        "mean in recessions",
        "mean otherwise",
    ];
    let mut table = ScoreTable::new("CMSI", title, &columns);
    let from = ends.first().map_or(String::new(), Month::name);
    table.row([
        values.len().to_string(),
        from,
        format_share(auc(&values)),
        mean(true),
        mean(false),
    ]);
    let signal = Signal {
        name: format!("{} or more on {} days in a row", HIGH.on, HIGH.on_after),
        periods: HIGH.periods(&days),
    };
    Ok(vec![
        table,
        detection::table("CMSI", SINCE, &WINDOW, &[signal]),
    ])
}
