//! How much each input of a formula adds to its result.

use super::reading::{Input, Reading};
use super::statistics::count;
use crate::model::Date;

/// What a formula makes of inputs, with what each adds to its result at their usual values; the reason where it has no
/// result.
pub fn attributed<const N: usize>(
    date: Date,
    mut inputs: [Input; N],
    usual: [f64; N],
    formula: impl Fn([Option<f64>; N]) -> Option<f64>,
) -> Reading {
    let found = inputs.each_ref().map(|i| i.value);
    let (base, points) = shapley(found, usual, &formula).unwrap_or((0.0, [None; N]));
    for (input, points) in inputs.iter_mut().zip(points) {
        input.contribution = points;
    }
    match formula(found) {
        Some(value) => Reading {
            base,
            ..Reading::of(date, value, inputs.into())
        },
        None => Reading::lacking(date, inputs.into()),
    }
}

/// The result with every input at its usual value, and the points each input adds to that; `None` where there is no
/// result.
///
/// Attribution: Shapley values (1953), the mean effect of moving one input from its usual to its actual value over all
/// orders of moving; they add up to the result exactly. Absent inputs have none.
pub fn shapley<const N: usize>(
    actual: [Option<f64>; N],
    usual: [f64; N],
    result: impl Fn([Option<f64>; N]) -> Option<f64>,
) -> Option<(f64, [Option<f64>; N])> {
    let at = |moved: usize| {
        let pick = |i: usize| {
            let (now, usual) = (actual.get(i).copied().flatten()?, usual.get(i)?);
            Some(if moved >> i & 1 == 1 { now } else { *usual })
        };
        result(std::array::from_fn(pick))
    };
    let worth: Vec<f64> = (0..1 << N).map(at).collect::<Option<_>>()?;
    let share = |i: usize| {
        let without = (0..1usize << N).filter(|others| others >> i & 1 == 0);
        let gain = |others: usize| {
            let with = worth.get(others | 1 << i)?;
            Some(weight(others.count_ones() as usize, N) * (with - worth.get(others)?))
        };
        without.filter_map(gain).sum::<f64>()
    };
    let base = worth.first().copied()?;
    let present = |i: usize| actual.get(i).copied().flatten().map(|_| share(i));
    Some((base, std::array::from_fn(present)))
}

/// Share of all orders of `n` inputs in which exactly `before` given ones come before a given one.
fn weight(before: usize, n: usize) -> f64 {
    let ways = (0..before).fold(1.0, |ways, k| ways * count(n - 1 - k) / count(k + 1));
    1.0 / (ways * count(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_like_inputs_have_like_shares() {
        let product = |v: [Option<f64>; 3]| Some(v[0]? * v[1]? * v[2]?);
        let (base, shares) = shapley([Some(2.0); 3], [1.0; 3], product).unwrap();
        assert_eq!(base, 1.0);
        assert!(
            shares
                .into_iter()
                .all(|s| (s.unwrap() - 7.0 / 3.0).abs() < 1e-12)
        );
        let sum = |v: [Option<f64>; 2]| Some(v[0]? + v[1].unwrap_or(0.0));
        let found = shapley([Some(5.0), None], [1.0, 9.0], sum);
        assert_eq!(found, Some((1.0, [Some(4.0), None])));
        assert_eq!(shapley([None, Some(1.0)], [1.0, 9.0], sum), None);
    }
}
