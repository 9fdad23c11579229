//! Other measures of recession, shown beside CRPI and never mixed into it: none of them improved it out of
//! sample (METHODS 1).

use super::super::resample::known_or_none;
use super::super::statistics::normal_cdf;
use super::Sources;
use crate::indicators::months::Month;
use crate::model::{Date, Observation, SeriesSet};

/// Series the companions read beside those of CRPI.
pub const INPUTS: &[&str] = &["T10Y3M", "GS10", "TB3MS", "FEDFUNDS", "RECPROUSM156N"];

/// A measure of recession beside CRPI.
#[derive(Debug, Clone, PartialEq)]
pub struct Companion {
    /// What it is.
    pub name: &'static str,
    /// What it means and where it comes from.
    pub note: &'static str,
    /// Probability, 0 to 100, with its date; absent when an input is absent or stale.
    pub value: Option<Observation>,
}

/// The companions at `day`, from what was public then.
pub fn companions(set: &SeriesSet, day: Date) -> [Companion; 3] {
    let month = Month::of(day);
    let [spread, ..] = Sources::read(set, day, Date::MIN).month(month);
    let stamp = month.first_day();
    let rate = current(set, "FEDFUNDS", day).map(|o| o.value);
    let probit = |x: f64| Observation::new(stamp, 100.0 * normal_cdf(x));
    [
        Companion {
            name: "Term-spread probit",
            note: "A recession month 12 months ahead, from the term spread alone with the New York Fed's \
                   published coefficients (Estrella and Mishkin 1996, Trubin 2006); the first half of CRPI",
            value: spread.value.map(|s| probit(-0.5333 - 0.6330 * s)),
        },
        Companion {
            name: "Term spread and policy rate",
            note: "A recession within 12 months, from the term spread and the federal funds rate (Wright \
                   2006, model B); coefficients quoted, not re-estimated",
            value: spread
                .value
                .zip(rate)
                .map(|(s, r)| probit(-2.17 - 0.76 * s + 0.35 * r)),
        },
        Companion {
            name: "Chauvet-Piger",
            note: "Recession in the month itself, not ahead: a dynamic-factor model with Markov switching \
                   on payrolls, production, income and sales (RECPROUSM156N)",
            value: current(set, "RECPROUSM156N", day),
        },
    ]
}

/// The newest public figure of a series unless it is stale.
fn current(set: &SeriesSet, id: &str, day: Date) -> Option<Observation> {
    let series = set.get(id)?;
    let last = known_or_none(Some(series), day).last().copied()?;
    (!series.is_stale(last.date, day)).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indicators::testdata;
    use crate::model::catalogue::round_to;
    use jiff::civil::date;

    #[test]
    fn companions_answer_from_the_same_spread() {
        let Some(set) = testdata::load(INPUTS) else {
            return;
        };
        let [spread, wright, markov] = companions(&set, date(2026, 8, 22));
        // August 2026 to date: spread 0.8027, funds rate of July 3.63.
        let at = |c: &Companion| c.value.map(|o| round_to(o.value, 2));
        let expected = |x: f64| Some(round_to(100.0 * normal_cdf(x), 2));
        assert_eq!(at(&spread), expected(-0.5333 - 0.6330 * 0.802_667));
        assert_eq!(
            at(&wright),
            expected(-2.17 - 0.76 * 0.802_667 + 0.35 * 3.63)
        );
        assert_eq!(markov.value, None);
        assert!(
            companions(&set, date(2026, 11, 21))
                .iter()
                .all(|c| c.value.is_none())
        );
    }
}
