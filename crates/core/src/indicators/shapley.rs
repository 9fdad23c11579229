//! Contribution of each input of a formula to its result.

use super::reading::{Input, Reading};
use super::statistics::count;
use crate::model::Date;

/// Applies a formula to inputs and attributes its result to them, from their usual values; without a result the reading
/// has the reason.
pub fn attributed_reading<const N: usize>(
    date: Date,
    mut inputs: [Input; N],
    usual: [f64; N],
    formula: impl Fn([Option<f64>; N]) -> Option<f64>,
) -> Reading {
    let values = inputs.each_ref().map(|i| i.value);
    let (base, contributions) = shapley(values, usual, &formula).unwrap_or((0.0, [None; N]));
    for (input, contribution) in inputs.iter_mut().zip(contributions) {
        input.contribution = contribution;
    }
    match formula(values) {
        Some(value) => Reading {
            base,
            ..Reading::new(date, value, inputs.into())
        },
        None => Reading::with_missing_inputs(date, inputs.into()),
    }
}

/// Returns the result with every input at its usual value, and the points each input adds to that; `None` where there is
/// no result.
///
/// Attribution: Shapley values (1953), the mean effect of moving one input from its usual to its actual value over all
/// orders of moving; they add up to the result exactly. Absent inputs have none.
pub fn shapley<const N: usize>(
    actual: [Option<f64>; N],
    usual: [f64; N],
    formula: impl Fn([Option<f64>; N]) -> Option<f64>,
) -> Option<(f64, [Option<f64>; N])> {
    // Subsets of the inputs at their actual values are bit masks.
    let result = |subset: usize| {
        let value = |i: usize| {
            let own = actual.get(i).copied().flatten()?;
            let reference = usual.get(i)?;
            Some(if subset >> i & 1 == 1 {
                own
            } else {
                *reference
            })
        };
        formula(std::array::from_fn(value))
    };
    let results: Vec<f64> = (0..1 << N).map(result).collect::<Option<_>>()?;
    let contribution = |i: usize| {
        let without = (0..1usize << N).filter(|subset| subset >> i & 1 == 0);
        let gain = |subset: usize| {
            let with = results.get(subset | 1 << i)?;
            Some(weight(subset.count_ones() as usize, N) * (with - results.get(subset)?))
        };
        without.filter_map(gain).sum::<f64>()
    };
    let base = results.first().copied()?;
    let present = |i: usize| actual.get(i).copied().flatten().map(|_| contribution(i));
    Some((base, std::array::from_fn(present)))
}

/// Share of all orders of `n` inputs in which exactly a given set of `before` inputs comes before a given one.
fn weight(before: usize, n: usize) -> f64 {
    let ways = (0..before).fold(1.0, |ways, k| ways * count(n - 1 - k) / count(k + 1));
    1.0 / (ways * count(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contributions_add_up_and_equal_inputs_share_equally() {
        let product = |v: [Option<f64>; 3]| Some(v[0]? * v[1]? * v[2]?);
        let (base, shares) = shapley([Some(2.0); 3], [1.0; 3], product).unwrap();
        assert_eq!(base, 1.0);
        assert!(
            shares
                .into_iter()
                .all(|s| (s.unwrap() - 7.0 / 3.0).abs() < 1e-12)
        );
        let sum = |v: [Option<f64>; 2]| Some(v[0]? + v[1].unwrap_or(0.0));
        let result = shapley([Some(5.0), None], [1.0, 9.0], sum);
        assert_eq!(result, Some((1.0, [Some(4.0), None])));
        assert_eq!(shapley([None, Some(1.0)], [1.0, 9.0], sum), None);
    }
}
