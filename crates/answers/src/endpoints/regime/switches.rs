//! Switches of regime: from which regime to which, and for how long.

use super::months::MonthlyRegime;
use crate::prelude::*;

/// A switch of regime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegimeSwitch {
    /// First month of the new regime.
    pub from: Date,
    /// Its last month; null if not over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Date>,
    /// Regime before.
    pub before: String,
    /// New regime.
    pub regime: String,
    /// Months of the new regime.
    pub months: usize,
}

/// Returns every switch between months, which ascend; the newest first.
pub(super) fn switches(months: &[MonthlyRegime]) -> Vec<RegimeSwitch> {
    let runs: Vec<_> = months.chunk_by(|a, b| a.regime == b.regime).collect();
    let pairs = runs.iter().zip(runs.iter().skip(1));
    let switch = |(before, run): (&&[MonthlyRegime], &&[MonthlyRegime])| {
        let first = run.first()?;
        let last = run.last()?;
        Some(RegimeSwitch {
            from: first.month,
            to: Some(last.month),
            before: before.last()?.regime.clone(),
            regime: first.regime.clone(),
            months: run.len(),
        })
    };
    let mut switches: Vec<RegimeSwitch> = pairs.filter_map(switch).collect();
    if let Some(last) = switches.last_mut() {
        last.to = None;
    }
    switches.reverse();
    switches
}

/// Renders one line per switch: "2020-04: GOLDILOCKS to DEFLATION, until 2020-11 (8 months)", "2024-02: … , 32 months
/// so far".
pub(super) fn render(switches: &[RegimeSwitch]) -> String {
    let mut text = match switches {
        [] => "\nNo switch of regime in these months.".to_owned(),
        [_, ..] => "\nSwitches of regime, the newest first:".to_owned(),
    };
    for s in switches {
        let from = s.from.strftime("%Y-%m");
        let before = &s.before;
        let regime = &s.regime;
        let months = match s.months {
            1 => "1 month".to_owned(),
            many => format!("{many} months"),
        };
        let until = match s.to {
            Some(to) => format!(" until {} ({months})", to.strftime("%Y-%m")),
            None => format!(" {months} so far"),
        };
        text += &format!("\n- {from}: {before} to {regime},{until}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::months::Probabilities;
    use super::*;
    use jiff::civil::date;

    fn month(month: i8, regime: &str) -> MonthlyRegime {
        MonthlyRegime {
            month: date(2020, month, 1),
            regime: regime.to_owned(),
            confidence: 90.0,
            probabilities: Probabilities::default(),
            runner_up: "REFLATION".to_owned(),
            growth_score: 0.0,
            inflation_score: 0.0,
            known_on: None,
        }
    }

    #[test]
    fn switches_have_both_regimes_and_their_length() {
        let names = [
            "GOLDILOCKS",
            "GOLDILOCKS",
            "DEFLATION",
            "DEFLATION",
            "REFLATION",
        ];
        let months: Vec<_> = (1..).zip(names).map(|(m, name)| month(m, name)).collect();
        assert_eq!(
            render(&switches(&months)),
            "\nSwitches of regime, the newest first:\n- 2020-05: DEFLATION to REFLATION, 1 month so far\n- 2020-03: \
             GOLDILOCKS to DEFLATION, until 2020-04 (2 months)"
        );
        assert!(render(&switches(&months[..2])).contains("No switch"));
        assert_eq!(switches(&[]), []);
    }
}
