//! The state of the economy in one paragraph, from numbers alone: docs/COMPOSITES.md#narrative.
//!
//! The same figures give the same text. It says what was measured and what is missing, and nothing about
//! what markets tend to do.

use super::liquidity;
use super::months::Month;
use super::nowcast::Nowcast;
use super::prose::{
    format_largest, format_list, format_number, format_signed, format_trend, lowercase_first,
};
use super::reading::Reading;
use super::recession::CRPI;
use super::regime::{Contributor, Regime, RegimeMonth, RegimeReading, Trajectory};
use super::stress::CMSI;

/// Inputs of the paragraph, all at the same day.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The regime.
    pub regime: &'a RegimeReading,
    /// The nowcast of the regime, where there is one.
    pub nowcast: Option<&'a Nowcast>,
    /// Recession probability.
    pub recession: &'a Reading,
    /// Macro stress.
    pub stress: &'a Reading,
    /// Net liquidity.
    pub liquidity: &'a Reading,
}

/// Writes the paragraph: regime, its confidence, both scores with their two largest parts, trajectory, recession
/// probability, stress and liquidity. 60 to 110 words when the regime is known.
pub fn narrative(evidence: &Evidence<'_>) -> String {
    [
        describe_regime(evidence.regime) + &describe_nowcast(evidence),
        describe_recession(evidence.recession),
        describe_stress(evidence.stress),
        describe_liquidity(evidence.liquidity),
    ]
    .join(" ")
}

fn describe_regime(outlook: &RegimeReading) -> String {
    let Some(state) = &outlook.state else {
        let reason = outlook.reason.as_deref().unwrap_or("no figures");
        return format!("The regime is unknown: {reason}.");
    };
    let month = Month::from_date(state.month);
    let contested = if state.is_contested() {
        ", contested"
    } else {
        ""
    };
    format!(
        "{} in {}, from figures up to {} ({} % confidence{contested}). Growth is {} standard deviations from its 20-year \
         mean, mostly {}. Inflation scores {} points against target, mostly {}. {}",
        state.regime.title(),
        month.name(),
        month.plus(-1).name(),
        format_number(state.confidence, 0),
        format_signed(state.growth, 2),
        largest_parts(&state.growth_parts),
        format_signed(state.inflation, 2),
        largest_parts(&state.inflation_parts),
        describe_trajectory(state),
    )
}

/// " With claims up to 2020-04-04 the nowcast for May 2020 is Deflation.", where that is another regime.
fn describe_nowcast(evidence: &Evidence<'_>) -> String {
    let differs = |n: &&Nowcast| n.state.regime != evidence.regime.regime;
    let Some(nowcast) = evidence.nowcast.filter(differs) else {
        return String::new();
    };
    format!(
        " With claims up to {} the nowcast, which is not the regime of record, is {} for {} ({} %).",
        nowcast.claims_week,
        nowcast.state.regime.title(),
        Month::from_date(nowcast.state.month).name(),
        format_number(nowcast.state.confidence, 0)
    )
}

fn largest_parts(parts: &[Contributor]) -> String {
    let contributions = parts
        .iter()
        .map(|p| (lowercase_first(p.name), p.contribution));
    format_list(&format_largest(contributions, 2))
}

fn describe_trajectory(state: &RegimeMonth) -> String {
    let trajectory = match state.trajectory {
        Trajectory::Improving => "Over three months the scores are improving",
        Trajectory::Stable => "Over three months the scores are stable",
        Trajectory::Deteriorating => "Over three months the scores are deteriorating",
        Trajectory::Unknown => "The scores of three months ago are not known",
    };
    match state.target.map(Regime::title) {
        Some(target) => format!("{trajectory}; the most likely alternative is {target}."),
        None => format!("{trajectory}."),
    }
}

fn describe_recession(reading: &Reading) -> String {
    let Some(value) = reading.value else {
        return "The recession probability is not available.".to_owned();
    };
    let band = CRPI.band(value).unwrap_or_default();
    let trend = format_trend(reading.trend.as_ref(), "points", 1);
    let value = format_number(value, 1);
    format!("The probability of recession within 12 months is {value} % ({band}){trend}.")
}

fn describe_stress(reading: &Reading) -> String {
    let Some(value) = reading.value else {
        return "Macro stress is not available.".to_owned();
    };
    let band = CMSI.band(value).unwrap_or_default();
    let stress = format_number(value, 1);
    format!("Macro stress is {stress} out of 100 ({band}).")
}

fn describe_liquidity(reading: &Reading) -> String {
    let Some(value) = reading.value else {
        return "Net liquidity is not available.".to_owned();
    };
    let trend = reading.trend.map_or_else(String::new, |t| {
        let direction = liquidity::direction(t.change);
        let change = format_signed(t.change, 2);
        format!(", {direction} ({change} over {})", t.over)
    });
    let value = format_number(value, 2);
    format!("Net liquidity is {value} trillion dollars{trend}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indicators::regime::{self, Regime};
    use crate::indicators::{liquidity::CNLI, testdata};
    use crate::model::{Date, SeriesSet};
    use jiff::civil::date;

    fn real() -> SeriesSet {
        let composites = [&CRPI, &CMSI, &CNLI].into_iter().flat_map(|c| c.inputs());
        let ids: Vec<&str> = composites.chain(regime::INPUTS.iter().copied()).collect();
        testdata::load(&ids)
    }

    fn at(set: &SeriesSet, day: Date) -> (RegimeReading, String) {
        let outlook = regime::compute(set, day);
        let text = narrative(&Evidence {
            regime: &outlook,
            nowcast: None,
            recession: &CRPI.reading(set, day),
            stress: &CMSI.reading(set, day),
            liquidity: &CNLI.reading(set, day),
        });
        (outlook, text)
    }

    #[test]
    fn paragraph_of_august_2026_matches_its_figures() {
        let set = real();
        let (_, text) = at(&set, date(2026, 8, 22));
        insta::assert_snapshot!(text, @"Reflation in August 2026, from figures up to July 2026 (80 % confidence). Growth is +0.19 standard deviations from its 20-year mean, mostly industrial production (+0.17) and payrolls (-0.03). Inflation scores +0.23 points against target, mostly headline inflation (+0.26) and core inflation (-0.02). Over three months the scores are stable. The probability of recession within 12 months is 12.6 % (low), down 0.8 points over 3 months. Macro stress is 34.5 out of 100 (calm). Net liquidity is 5.79 trillion dollars, stable (-0.12 over 13 weeks).");
    }

    #[test]
    fn paragraph_has_60_to_110_words() {
        let set = real();
        for year in (1966..=2026).step_by(2) {
            let (outlook, text) = at(&set, date(year, 6, 25));
            let words = text.split_whitespace().count();
            assert_ne!(outlook.regime, Regime::Unknown, "{year}");
            assert!((60..=110).contains(&words), "{year}: {words} words: {text}");
            assert!(!text.contains("NaN") && !text.contains("  "), "{text}");
        }
    }

    #[test]
    fn missing_figures_are_named() {
        let (_, text) = at(&SeriesSet::default(), date(2026, 8, 22));
        assert!(text.starts_with("The regime is unknown: "), "{text}");
        for lack in ["recession probability", "Macro stress", "Net liquidity"] {
            assert!(
                text.contains(&format!("{lack} is not available.")),
                "{text}"
            );
        }
    }
}
