//! Past months that were most like a month, and what followed them; no forecast
//! (docs/COMPOSITES.md#precedents).

use super::months::{Month, MonthlyGrid, log_ratio};
use super::nber::is_recession;
use super::regime::RegimeMonth;
use super::statistics::{Sample, count, mean, summary};
use super::transform::bond_equivalent;
use crate::model::{Date, SeriesSet};

/// Every series read besides the regime's own.
pub const INPUTS: [&str; 7] = [
    "T10Y3M", "GS10", "TB3MS", "NFCI", "UNRATE", "PAYEMS", "CPIAUCSL",
];

/// Months from a precedent to its outcome, and between two precedents.
const YEAR: i32 = 12;

/// Number of newest months of the regime searched for one with all features: market figures may end sooner.
const SEARCHED_MONTHS: i32 = 3;

/// Number of precedents.
const PRECEDENTS: usize = 12;

/// Distance above which the nearest month is no close precedent: the 95th percentile since 1985
/// (docs/COMPOSITES.md#precedents).
pub const CLOSE: f64 = 1.21;

/// Track record, measured 1990-01..2025-07 with outcomes known by then.
pub const SKILL: &str = "no skill beyond the average for jobs, little for recession and inflation; the range of the \
                         twelve held 85 of 100 times";

/// A past month.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precedent {
    /// First day of the month.
    pub month: Date,
    /// Distance in standard deviations of the features.
    pub distance: f64,
    /// Whether a recession month followed within a year.
    pub recession: bool,
}

/// Outcomes over the year after the precedents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// What was measured.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Over the precedents whose outcome is known.
    pub sample: Sample,
}

/// The precedents of a month.
#[derive(Debug, Clone, PartialEq)]
pub struct Precedents {
    /// First day of that month.
    pub month: Date,
    /// The nearest first.
    pub nearest: Vec<Precedent>,
    /// Unemployment, payrolls, prices, the 10-year yield.
    pub outcomes: Vec<Outcome>,
}

impl Precedents {
    /// Returns the distance of the nearest precedent.
    pub fn novelty(&self) -> f64 {
        self.nearest.first().map_or(f64::INFINITY, |p| p.distance)
    }

    /// Whether the nearest precedent is close.
    pub fn is_close(&self) -> bool {
        self.novelty() <= CLOSE
    }

    /// Returns the number of precedents with a recession within a year.
    pub fn recessions(&self) -> usize {
        self.nearest.iter().filter(|p| p.recession).count()
    }
}

/// Finds the precedents of the newest month of the regime's path that has all features, from a set as known on `day`.
///
/// # Errors
/// Why there are none, as a clause.
pub fn find(path: &[RegimeMonth], set: &SeriesSet, day: Date) -> Result<Precedents, String> {
    let last = path.last().ok_or("there is no regime")?;
    let features = features(path, set, day);
    let is_whole = |month: &Month| features.iter().all(|f| f.get(*month).is_some());
    let last = Month::from_date(last.month);
    let mut newest_first = (0..SEARCHED_MONTHS).map(|back| last.plus(-back));
    let month = newest_first.find(is_whole).ok_or_else(|| {
        let months = format!("{} and the months before", last.name());
        format!("term spread and financial conditions of {months} are not known")
    })?;
    let standardized = features.each_ref().map(|f| standardize(f, month));
    let vector = |month| -> Option<[f64; 4]> {
        let [growth, inflation, spread, conditions] = standardized.each_ref().map(|f| f.get(month));
        Some([growth?, inflation?, spread?, conditions?])
    };
    let reference = vector(month).ok_or("a feature does not vary")?;
    let months = features[0].iter().map(|(m, _)| m);
    let past = months.take_while(|m| *m <= month.plus(-YEAR));
    let mut distances: Vec<(f64, Month)> = past
        .filter_map(|m| Some((distance(reference, vector(m)?), m)))
        .collect();
    distances.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut nearest: Vec<(f64, Month)> = Vec::new();
    for (distance, month) in distances {
        let is_apart = |(_, other): &(f64, Month)| month.since(*other).abs() >= YEAR;
        if nearest.len() < PRECEDENTS && nearest.iter().all(is_apart) {
            nearest.push((distance, month));
        }
    }
    let precedent = |&(distance, month): &(f64, Month)| Precedent {
        month: month.first_day(),
        distance,
        recession: month.plus(1).through(month.plus(YEAR)).any(is_recession),
    };
    let months: Vec<Month> = nearest.iter().map(|(_, month)| *month).collect();
    Ok(Precedents {
        month: month.first_day(),
        nearest: nearest.iter().map(precedent).collect(),
        outcomes: outcomes(&months, set, day),
    })
}

/// Returns growth, inflation, spread and financial conditions by month, each from its first month (docs/COMPOSITES.md#precedents).
fn features(path: &[RegimeMonth], set: &SeriesSet, day: Date) -> [MonthlyGrid; 4] {
    let rows = |id| set.up_to(id, day);
    let regime = |score: fn(&RegimeMonth) -> f64| {
        MonthlyGrid::new(path.iter().map(|m| (Month::from_date(m.month), score(m))))
    };
    let long = MonthlyGrid::from_last_values(rows("GS10"));
    let short = MonthlyGrid::from_last_values(rows("TB3MS"));
    let daily = MonthlyGrid::from_means(rows("T10Y3M"));
    let first = daily.first();
    let early = short.map(|m, bill| {
        let is_early = first.is_none_or(|first| m < first);
        Some(long.get(m)? - bond_equivalent(bill)?).filter(|_| is_early)
    });
    let spread = MonthlyGrid::new(early.iter().chain(daily.iter()));
    [
        regime(|m| m.growth).starting_at(Month::new(1966, 1)),
        regime(|m| m.inflation).starting_at(Month::new(1966, 1)),
        spread.starting_at(Month::new(1959, 1)),
        MonthlyGrid::from_means(rows("NFCI")).starting_at(Month::new(1971, 1)),
    ]
}

/// Converts a feature to standard deviations from its mean, over all months up to `last`; the sd divides by n.
fn standardize(feature: &MonthlyGrid, last: Month) -> MonthlyGrid {
    let known = feature.iter().take_while(|(m, _)| *m <= last);
    let values: Vec<f64> = known.map(|(_, v)| v).collect();
    let mean = mean(&values).unwrap_or_default();
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let sd = (squares / count(values.len().max(1))).sqrt();
    feature.map(|month, v| (month <= last).then(|| (v - mean) / sd))
}

fn distance(a: [f64; 4], b: [f64; 4]) -> f64 {
    let squares = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2));
    squares.sum::<f64>().sqrt()
}

/// Summarises what followed the months within a year, where it is known.
fn outcomes(months: &[Month], set: &SeriesSet, day: Date) -> Vec<Outcome> {
    type OutcomeFn = fn(&MonthlyGrid, Month) -> Option<f64>;
    let change: OutcomeFn = |g, m| Some(g.get(m.plus(YEAR))? - g.get(m)?);
    let growth: OutcomeFn =
        |g, m| Some(100.0 * (log_ratio(g.get(m.plus(YEAR))?, g.get(m)?)?.exp() - 1.0));
    let outcomes = [
        ("Unemployment rate, change", "pp", "UNRATE", change),
        ("Payrolls", "%", "PAYEMS", growth),
        ("Consumer prices", "%", "CPIAUCSL", growth),
        ("10-year yield, change", "pp", "GS10", change),
    ];
    let summarise = |(name, unit, id, outcome): (&'static str, &'static str, &str, OutcomeFn)| {
        let (grid, _) = MonthlyGrid::from_last_values(set.up_to(id, day)).interpolate_gaps();
        let values: Vec<f64> = months.iter().filter_map(|m| outcome(&grid, *m)).collect();
        Some(Outcome {
            name,
            unit,
            sample: summary(&values)?,
        })
    };
    outcomes.into_iter().filter_map(summarise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indicators::{regime, testdata};
    use jiff::civil::date;

    fn of_month(month: Date) -> Precedents {
        let ids: Vec<&str> = INPUTS.iter().chain(regime::INPUTS).copied().collect();
        let set = testdata::load(&ids);
        let mut path = regime::history(&set, date(2026, 8, 20));
        path.retain(|m| m.month <= month);
        find(&path, &set, date(2026, 8, 20)).unwrap()
    }

    fn assert_nearest(precedents: &Precedents, nearest: &[(Date, f64)]) {
        println!("{precedents:?}");
        for (p, (month, distance)) in precedents.nearest.iter().zip(nearest) {
            assert_eq!(p.month, *month);
            // Of the printed eleven, 1.256 is 1.254 here, and 0.452 is 0.451: so they are in a calculation apart from this
            // program, too. With growth and inflation from March 1966 on those two come out as printed and two others,
            // 1.313 and 1.489, do not; neither rounding nor another bill yield explains it.
            assert!((p.distance - distance).abs() < 0.002, "{p:?} {distance}");
        }
        assert_eq!(precedents.nearest.len(), PRECEDENTS);
    }

    fn assert_unemployment(precedents: &Precedents, [mean, min, max]: [f64; 3]) {
        let sample = precedents.outcomes[0].sample;
        for (actual, expected, tolerance) in [
            (sample.mean, mean, 0.0006),
            (sample.min, min, 1e-9),
            (sample.max, max, 1e-9),
        ] {
            assert!((actual - expected).abs() < tolerance, "{sample:?}");
        }
    }

    #[test]
    fn precedents_match_the_documented_ones() {
        let now = of_month(date(2026, 7, 1));
        assert_nearest(
            &now,
            &[
                (date(1995, 5, 1), 0.236),
                (date(2005, 9, 1), 0.295),
                (date(1996, 11, 1), 0.390),
                (date(2025, 1, 1), 0.452),
                (date(2000, 2, 1), 0.469),
            ],
        );
        assert_unemployment(&now, [0.033, -1.0, 3.1]);
        assert_eq!(now.recessions(), 2);
        assert!(now.is_close());
        let calm = of_month(date(2019, 12, 1));
        assert_nearest(
            &calm,
            &[
                (date(1998, 7, 1), 0.255),
                (date(2018, 12, 1), 0.255),
                (date(2005, 12, 1), 0.359),
            ],
        );
        assert_unemployment(&calm, [-0.267, -0.9, 1.0]);
        let crisis = of_month(date(2008, 6, 1));
        assert_nearest(
            &crisis,
            &[
                (date(1975, 6, 1), 1.256),
                (date(2001, 10, 1), 1.313),
                (date(1983, 1, 1), 1.489),
            ],
        );
        assert_unemployment(&crisis, [-0.292, -2.4, 1.8]);
        assert!(!crisis.is_close(), "far away, and wrong");
    }

    #[test]
    fn precedents_are_a_year_apart_and_a_year_past() {
        let precedents = of_month(date(2026, 7, 1));
        for (i, a) in precedents.nearest.iter().enumerate() {
            assert!(Month::from_date(a.month) <= Month::new(2025, 7));
            for b in &precedents.nearest[..i] {
                let a = Month::from_date(a.month);
                let b = Month::from_date(b.month);
                assert!(a >= b.plus(12) || b >= a.plus(12), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn missing_regime_is_an_error() {
        let why = find(&[], &SeriesSet::default(), date(2026, 8, 20)).unwrap_err();
        assert!(why.contains("no regime"), "{why}");
    }
}
