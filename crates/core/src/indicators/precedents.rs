//! Past months that were most like a month, and what followed them: a history lesson, no forecast
//! (docs/METHODS.md#precedents).

use super::months::{Month, Months, log_ratio};
use super::nber::is_recession;
use super::regime::RegimeMonth;
use super::statistics::{Sample, count, mean, summary};
use super::transform::bond_equivalent;
use crate::model::{Date, SeriesSet};

/// Every series read beside the regime's own.
pub const INPUTS: [&str; 7] = [
    "T10Y3M", "GS10", "TB3MS", "NFCI", "UNRATE", "PAYEMS", "CPIAUCSL",
];

/// Months from a precedent to what followed, and between two precedents.
const YEAR: i32 = 12;

/// Months back from the regime's newest in which all features must be known: market figures may end sooner.
const REACH: i32 = 3;

/// Precedents taken.
const TAKEN: usize = 12;

/// A nearest month further away than this is no close precedent: the 95th percentile since 1985
/// (docs/METHODS.md#precedents).
pub const CLOSE: f64 = 1.21;

/// What this is worth, measured 1990-01..2025-07 with outcomes known by then.
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

/// What followed over a year.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Followed {
    /// What it is.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Over those of the precedents of which it is known.
    pub sample: Sample,
}

/// The precedents of a month.
#[derive(Debug, Clone, PartialEq)]
pub struct Precedents {
    /// First day of the month they are of.
    pub month: Date,
    /// The nearest first.
    pub nearest: Vec<Precedent>,
    /// Unemployment, payrolls, prices, the 10-year yield.
    pub followed: Vec<Followed>,
}

impl Precedents {
    /// The distance of the nearest one.
    pub fn novelty(&self) -> f64 {
        self.nearest.first().map_or(f64::INFINITY, |p| p.distance)
    }

    /// Whether the nearest one is near enough to be called a precedent.
    pub fn is_close(&self) -> bool {
        self.novelty() <= CLOSE
    }

    /// How many of them had a recession within a year.
    pub fn recessions(&self) -> usize {
        self.nearest.iter().filter(|p| p.recession).count()
    }
}

/// The precedents of the newest month of the regime's path of which all features are known, from what a set knew on
/// `day`.
///
/// # Errors
/// Why there are none, as half a sentence.
pub fn of(path: &[RegimeMonth], set: &SeriesSet, day: Date) -> Result<Precedents, String> {
    let last = path.last().ok_or("there is no regime")?;
    let features = features(path, set, day);
    let is_whole = |month: &Month| features.iter().all(|f| f.get(*month).is_some());
    let last = Month::of(last.month);
    let mut newest = (0..REACH).map(|back| last.plus(-back));
    let month = newest.find(is_whole).ok_or_else(|| {
        let months = format!("{} and the months before", last.name());
        format!("term spread and financial conditions of {months} are not known")
    })?;
    let scaled = scaled(&features, month);
    let at = |month| -> Option<[f64; 4]> {
        let [growth, inflation, spread, conditions] = scaled.each_ref().map(|f| f.get(month));
        Some([growth?, inflation?, spread?, conditions?])
    };
    let here = at(month).ok_or("a feature does not vary")?;
    let months = features[0].iter().map(|(m, _)| m);
    let past = months.take_while(|m| *m <= month.plus(-YEAR));
    let near = past.filter_map(|m| Some((distance(here, at(m)?), m)));
    let mut near: Vec<(f64, Month)> = near.collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut months: Vec<Month> = Vec::new();
    let mut nearest = Vec::new();
    for (distance, month) in near {
        let is_apart = |other: &Month| month.since(*other).abs() >= YEAR;
        if months.len() < TAKEN && months.iter().all(is_apart) {
            months.push(month);
            nearest.push(Precedent {
                month: month.first_day(),
                distance,
                recession: recession_follows(month),
            });
        }
    }
    Ok(Precedents {
        month: month.first_day(),
        nearest,
        followed: followed(&months, set, day),
    })
}

/// Growth, inflation, spread and financial conditions by month, each from its first month on (docs/METHODS.md#precedents).
fn features(path: &[RegimeMonth], set: &SeriesSet, day: Date) -> [Months; 4] {
    let rows = |id| set.up_to(id, day);
    let of_regime = |score: fn(&RegimeMonth) -> f64| {
        Months::new(path.iter().map(|m| (Month::of(m.month), score(m))))
    };
    let (long, short) = (Months::lasts(rows("GS10")), Months::lasts(rows("TB3MS")));
    let daily = Months::means(rows("T10Y3M"));
    let pair = |(m, bill): (Month, f64)| Some((m, long.get(m)? - bond_equivalent(bill)?));
    let first = daily.first();
    let is_early = |(m, _): &(Month, f64)| first.is_none_or(|first| *m < first);
    let early = short.iter().filter(is_early).filter_map(pair);
    let spread = Months::new(early.chain(daily.iter()));
    [
        of_regime(|m| m.growth).since(Month::new(1966, 1)),
        of_regime(|m| m.inflation).since(Month::new(1966, 1)),
        spread.since(Month::new(1959, 1)),
        Months::means(rows("NFCI")).since(Month::new(1971, 1)),
    ]
}

/// Each feature in standard deviations from its mean, over all months up to one; the sd divides by n.
fn scaled(features: &[Months; 4], last: Month) -> [Months; 4] {
    features.each_ref().map(|feature| {
        let rows: Vec<_> = feature.iter().take_while(|(m, _)| *m <= last).collect();
        let values: Vec<f64> = rows.iter().map(|(_, v)| *v).collect();
        let middle = mean(&values).unwrap_or_default();
        let squares: f64 = values.iter().map(|v| (v - middle).powi(2)).sum();
        let sd = (squares / count(values.len().max(1))).sqrt();
        Months::new(rows.into_iter().map(|(m, v)| (m, (v - middle) / sd)))
    })
}

fn distance(a: [f64; 4], b: [f64; 4]) -> f64 {
    let gaps = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2));
    gaps.sum::<f64>().sqrt()
}

/// Whether any of the twelve months after was one of a recession.
fn recession_follows(month: Month) -> bool {
    month.plus(1).until(month.plus(YEAR)).any(is_recession)
}

/// What followed the months within a year, where it is known.
fn followed(months: &[Month], set: &SeriesSet, day: Date) -> Vec<Followed> {
    type Outcome = fn(&Months, Month) -> Option<f64>;
    let moved: Outcome = |g, m| Some(g.get(m.plus(YEAR))? - g.get(m)?);
    let grown: Outcome =
        |g, m| Some(100.0 * (log_ratio(g.get(m.plus(YEAR))?, g.get(m)?)?.exp() - 1.0));
    let outcomes = [
        ("Unemployment rate, change", "pp", "UNRATE", moved),
        ("Payrolls", "%", "PAYEMS", grown),
        ("Consumer prices", "%", "CPIAUCSL", grown),
        ("10-year yield, change", "pp", "GS10", moved),
    ];
    let of = |(name, unit, id, outcome): (&'static str, &'static str, &str, Outcome)| {
        let (grid, _) = Months::lasts(set.up_to(id, day)).bridged();
        let values: Vec<f64> = months.iter().filter_map(|m| outcome(&grid, *m)).collect();
        Some(Followed {
            name,
            unit,
            sample: summary(&values)?,
        })
    };
    outcomes.into_iter().filter_map(of).collect()
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
        of(&path, &set, date(2026, 8, 20)).unwrap()
    }

    fn is(found: &Precedents, nearest: &[(Date, f64)]) {
        println!("{found:?}");
        for (p, (month, distance)) in found.nearest.iter().zip(nearest) {
            assert_eq!(p.month, *month);
            // Of the printed eleven, 1.256 is 1.254 here, and 0.452 is 0.451: so they are in a calculation apart from this
            // program, too. With growth and inflation from March 1966 on those two come out as printed and two others,
            // 1.313 and 1.489, do not; neither rounding nor another bill yield explains it.
            assert!((p.distance - distance).abs() < 0.002, "{p:?} {distance}");
        }
        assert_eq!(found.nearest.len(), TAKEN);
    }

    fn unemployment(found: &Precedents, [mean, min, max]: [f64; 3]) {
        let sample = found.followed[0].sample;
        for (is, expected, within) in [
            (sample.mean, mean, 0.0006),
            (sample.min, min, 1e-9),
            (sample.max, max, 1e-9),
        ] {
            assert!((is - expected).abs() < within, "{sample:?}");
        }
    }

    #[test]
    fn precedents_are_the_printed_ones() {
        let now = of_month(date(2026, 7, 1));
        is(
            &now,
            &[
                (date(1995, 5, 1), 0.236),
                (date(2005, 9, 1), 0.295),
                (date(1996, 11, 1), 0.390),
                (date(2025, 1, 1), 0.452),
                (date(2000, 2, 1), 0.469),
            ],
        );
        unemployment(&now, [0.033, -1.0, 3.1]);
        assert_eq!(now.recessions(), 2);
        assert!(now.is_close());
        let calm = of_month(date(2019, 12, 1));
        is(
            &calm,
            &[
                (date(1998, 7, 1), 0.255),
                (date(2018, 12, 1), 0.255),
                (date(2005, 12, 1), 0.359),
            ],
        );
        unemployment(&calm, [-0.267, -0.9, 1.0]);
        let crisis = of_month(date(2008, 6, 1));
        is(
            &crisis,
            &[
                (date(1975, 6, 1), 1.256),
                (date(2001, 10, 1), 1.313),
                (date(1983, 1, 1), 1.489),
            ],
        );
        unemployment(&crisis, [-0.292, -2.4, 1.8]);
        assert!(!crisis.is_close(), "far away, and wrong");
    }

    #[test]
    fn precedents_are_a_year_apart_and_a_year_past() {
        let found = of_month(date(2026, 7, 1));
        for (i, a) in found.nearest.iter().enumerate() {
            assert!(Month::of(a.month) <= Month::new(2025, 7));
            for b in &found.nearest[..i] {
                let (a, b) = (Month::of(a.month), Month::of(b.month));
                assert!(a >= b.plus(12) || b >= a.plus(12), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn without_a_regime_there_is_a_reason() {
        let why = of(&[], &SeriesSet::default(), date(2026, 8, 20)).unwrap_err();
        assert!(why.contains("no regime"), "{why}");
    }
}
