//! The regime month by month, with the probability of each of the four regimes, and its switches.

use crate::prelude::*;
use econoscope_core::indicators::regime::{self, PUBLISHED, REGIME, Regime, RegimeMonth};

/// Probability of each regime, percent; absent where the regime is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub struct Probabilities {
    /// Growth at or above trend, inflation below target.
    pub goldilocks: Option<f64>,
    /// Growth at or above trend, inflation at or above target.
    pub reflation: Option<f64>,
    /// Growth below trend, inflation at or above target.
    pub stagflation: Option<f64>,
    /// Growth below trend, inflation below target.
    pub deflation: Option<f64>,
}

impl Probabilities {
    /// Converts shares from 0 to 1, in the order of [`Regime::QUADRANTS`].
    pub(super) fn from_shares(shares: [f64; 4]) -> Self {
        let [goldilocks, reflation, stagflation, deflation] =
            shares.map(|share| Some(round_to(100.0 * share, 1)));
        Self {
            goldilocks,
            reflation,
            stagflation,
            deflation,
        }
    }
}

/// The regime of a month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonthlyRegime {
    /// Its first day; the figures are those of the month before.
    pub month: Date,
    /// GOLDILOCKS, STAGFLATION, REFLATION or DEFLATION.
    pub regime: String,
    /// Probability of the label, percent.
    pub confidence: f64,
    /// Probability of each regime, percent.
    pub probabilities: Probabilities,
    /// Most likely other regime.
    pub runner_up: String,
    /// Growth score, standard deviations from its 20-year mean.
    pub growth_score: f64,
    /// Inflation score, percentage points around target.
    pub inflation_score: f64,
    /// The day at whose end it was known; left out if all months use the figures of one day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_on: Option<Date>,
}

impl MonthlyRegime {
    fn new(month: Date, regime: Regime, growth: f64, inflation: f64) -> Self {
        let shares = regime::probabilities(growth, inflation, PUBLISHED);
        let mut pairs = Regime::QUADRANTS.iter().zip(shares);
        let share = pairs.find(|(r, _)| **r == regime).map(|(_, share)| share);
        Self {
            month,
            regime: regime.name().to_owned(),
            confidence: (100.0 * share.unwrap_or_default()).round(),
            probabilities: Probabilities::from_shares(shares),
            runner_up: regime::runner_up(regime, shares).name().to_owned(),
            growth_score: round_to(growth, 2),
            inflation_score: round_to(inflation, 2),
            known_on: None,
        }
    }
}

/// Returns the regime of every month, from the figures known at `as_of`; if `as_known`, each month as known at its own
/// end.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub fn monthly_regimes(desk: &Desk, as_of: AsOf, as_known: bool) -> Result<Vec<MonthlyRegime>> {
    if !as_known {
        let new = |m: &RegimeMonth| MonthlyRegime::new(m.month, m.regime, m.growth, m.inflation);
        return Ok(desk.regimes(as_of)?.months.iter().map(new).collect());
    }
    let last = desk.reading_day(as_of);
    let path = desk.real_time_path(&REGIME)?;
    let history = path.iter().take_while(|(day, _)| *day <= last);
    let months = history.filter_map(|(day, figures)| {
        let mut quadrants = Regime::QUADRANTS.into_iter();
        let regime = quadrants.find(|r| Some(r.name()) == figures.label)?;
        let [growth, inflation] = figures.scores.as_slice().try_into().ok()?;
        Some(MonthlyRegime {
            known_on: Some(*day),
            ..MonthlyRegime::new(figures.date, regime, growth, inflation)
        })
    });
    Ok(months.collect())
}

/// Whether a month lies in the range of days, the month of its first day included.
pub(super) fn is_within(month: Date, range: DateRange) -> bool {
    range.start.first_of_month() <= month && month <= range.end
}

/// Renders one line per month.
pub(super) fn render(months: &[MonthlyRegime]) -> String {
    let names = Regime::QUADRANTS.map(Regime::name).join(",");
    let mut text = format!(
        "\n{} months (probabilities in percent):\nmonth,regime,{names},growth,inflation",
        months.len()
    );
    for m in months {
        let known = enclosed_value(" (as known on ", m.known_on, ")");
        let p = &m.probabilities;
        let shares = [p.goldilocks, p.reflation, p.stagflation, p.deflation];
        text += &format!(
            "\n{},{},{},{},{}{known}",
            m.month.strftime("%Y-%m"),
            m.regime,
            join(shares.map(cell), ","),
            m.growth_score,
            m.inflation_score
        );
    }
    text
}

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
pub(super) fn render_switches(switches: &[RegimeSwitch]) -> String {
    if switches.is_empty() {
        return "\nNo switch of regime in these months.".to_owned();
    }
    let mut text = "\nSwitches of regime, the newest first:".to_owned();
    for s in switches {
        let from = s.from.strftime("%Y-%m");
        let months = match s.months {
            1 => "1 month".to_owned(),
            many => format!("{many} months"),
        };
        let until = match s.to {
            Some(to) => format!(" until {} ({months})", to.strftime("%Y-%m")),
            None => format!(" {months} so far"),
        };
        text += &format!("\n- {from}: {} to {},{until}", s.before, s.regime);
    }
    text
}

#[cfg(test)]
mod tests {
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
            render_switches(&switches(&months)),
            "\nSwitches of regime, the newest first:\n- 2020-05: DEFLATION to REFLATION, 1 month so far\n- 2020-03: \
             GOLDILOCKS to DEFLATION, until 2020-04 (2 months)"
        );
        assert!(render_switches(&switches(&months[..2])).contains("No switch"));
        assert_eq!(switches(&[]), []);
    }
}
