//! Whether two sources speak of the same series: their newest common dates are held against each other. Pure.
//!
//! Two answers agree when nine of ten of at most [`LAST`] common dates lie within a tolerance: one unit of the last
//! decimal that is published, or a share of the figure (5 in 10,000 for daily figures, which are not revised, 5 in 1,000
//! for others, which are), or half of what the series usually moves by, whichever is more. Another tenor, another
//! adjustment or another base year lies outside.

use econoscope_core::model::{Frequency, Observation, SeriesInfo};
use std::collections::BTreeMap;

/// Common dates that count.
const LAST: usize = 60;
/// With fewer nothing can be said.
const LEAST: usize = 5;

/// What a comparison says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// They are the same series.
    Agrees,
    /// They are not, or a unit, a base or an adjustment differs; in words.
    Differs(String),
    /// They have too few dates in common.
    Unknown,
}

/// Compares what came with what is held.
pub(super) fn compare(
    info: Option<&SeriesInfo>,
    held: &[Observation],
    came: &[Observation],
) -> Verdict {
    let other: BTreeMap<_, f64> = held.iter().map(|o| (o.date, o.value)).collect();
    let pairs: Vec<(Observation, f64)> = came
        .iter()
        .rev()
        .filter_map(|o| Some((*o, *other.get(&o.date)?)))
        .take(LAST)
        .collect();
    if pairs.len() < LEAST {
        return Verdict::Unknown;
    }
    let is_daily = info.is_none_or(|info| info.frequency == Frequency::Daily);
    let share = if is_daily { 5e-4 } else { 5e-3 };
    let digit = info.map_or(0.0, |info| 10f64.powi(-i32::from(info.decimals)) * 1.01);
    let usual = match is_daily {
        true => 0.0,
        false => usual_step(&pairs) / 2.0,
    };
    let differs = |(o, held): &&(Observation, f64)| {
        (o.value - held).abs() > digit.max(share * held.abs()).max(usual)
    };
    let wrong = pairs.iter().filter(differs).count();
    if wrong * 10 <= pairs.len() {
        return Verdict::Agrees;
    }
    let first = pairs.iter().find(differs);
    let example = first.map_or_else(String::new, |(o, held)| {
        format!(", for {} {} where {held} is held", o.date, o.value)
    });
    let all = pairs.len();
    Verdict::Differs(format!(
        "{wrong} of the {all} newest common dates differ{example}"
    ))
}

/// The median size of a step.
fn usual_step(pairs: &[(Observation, f64)]) -> f64 {
    let step = |w: &[(Observation, f64)]| Some((w.first()?.1 - w.last()?.1).abs());
    let mut steps: Vec<f64> = pairs.windows(2).filter_map(step).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::catalogue::Catalogue;
    use econoscope_core::model::frequency::day_from_number;

    fn rows(f: impl Fn(i32) -> f64) -> Vec<Observation> {
        let day = |n| day_from_number(20_000 + n).unwrap();
        (0..80).map(|n| Observation::new(day(n), f(n))).collect()
    }

    fn verdict(id: &str, held: impl Fn(i32) -> f64, came: impl Fn(i32) -> f64) -> Verdict {
        let info = Catalogue::embedded().get(id).map(AsRef::as_ref);
        compare(info, &rows(held), &rows(came))
    }

    #[test]
    fn the_same_series_agrees_and_a_neighbour_does_not() {
        let yields = |n: i32| 4.0 + f64::from(n % 7) / 100.0;
        assert_eq!(verdict("DGS10", yields, yields), Verdict::Agrees);
        for other in [0.35, -0.03, 100.0] {
            let said = verdict("DGS10", yields, |n| yields(n) + other);
            assert!(matches!(said, Verdict::Differs(_)), "{other} {said:?}");
        }
        let index = |n: i32| 100.0 + f64::from(n) / 10.0;
        let revised = |n: i32| index(n) + if n > 70 { 0.2 } else { 0.01 };
        assert_eq!(verdict("INDPRO", index, revised), Verdict::Agrees);
        // A new base year of 2022 instead of 2017.
        let rebased = verdict("INDPRO", index, |n| index(n) * 0.97);
        assert!(matches!(rebased, Verdict::Differs(_)), "{rebased:?}");
        let thousands = verdict(
            "PAYEMS",
            |n| 150_000.0 + f64::from(n),
            |n| 150.0 + f64::from(n) / 1e3,
        );
        assert!(matches!(thousands, Verdict::Differs(_)), "{thousands:?}");
    }

    #[test]
    fn too_few_common_dates_say_nothing() {
        let info = Catalogue::embedded().get("DGS10").map(AsRef::as_ref);
        let some = rows(|_| 4.0);
        assert_eq!(compare(info, &some[..4], &some), Verdict::Unknown);
        assert_eq!(compare(info, &[], &some), Verdict::Unknown);
    }
}
