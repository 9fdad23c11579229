//! Confidence intervals of scores, comparisons of two rules on the same months, and the choice among variants.

use crate::target::{ByMonth, Target};
use crate::{format_share, format_test, new_table};
use econoscope_core::error::Result;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::statistics::{
    ProbabilityForecast, auc, block_draws, brier, diebold_mariano, quantile,
};
use econoscope_desk::scores::ScoreTable;

/// Months per block of the bootstrap. Months within a false alarm or the middle of an expansion share news and labels.
const BLOCK: usize = 48;
/// Draws of the bootstrap.
const DRAWS: usize = 2_000;

/// AUC and Brier score of each of two rules.
type Scores = [[f64; 2]; 2];

/// A statistic with the 5th and the 95th percentile of its draws.
type Estimate = [f64; 3];

/// AUC and Brier score of the first rule, and their differences from those of the second.
const STATISTICS: [fn(&Scores) -> f64; 4] = [
    |[a, _]| a[0],
    |[a, _]| a[1],
    |[a, b]| a[0] - b[0],
    |[a, b]| a[1] - b[1],
];

/// Returns a table of comparisons, over all scored months and over each part of them.
pub(super) fn table(
    indicator: &str,
    target: &Target,
    comparisons: &[(&str, [&ByMonth; 2])],
) -> Result<ScoreTable> {
    let mut table = new_table("comparisons", indicator)?;
    for (name, rules) in comparisons {
        for (part, is_included) in target.parts() {
            let comma = if part.is_empty() { "" } else { ", " };
            if let Some(cells) = compare(target, *rules, is_included) {
                let name = format!("{name}{comma}{part}");
                table.row(std::iter::once(name).chain(cells));
            }
        }
    }
    Ok(table)
}

/// Compares two rules over the scored months that both have and that `is_included`. Returns the cells after the name; `None`
/// without both outcomes.
fn compare(
    target: &Target,
    [rule, other]: [&ByMonth; 2],
    is_included: impl Fn(Month) -> bool,
) -> Option<[String; 7]> {
    let [first, last] = target.scored;
    // Blocks are calendar months, so excluded months stay in the draws as `None`.
    let pair = |(m, p): (&Month, &f64)| {
        let q = *other.get(m)?;
        let outcome = (target.outcome)(*m);
        Some(is_included(*m).then_some([(*p, outcome), (q, outcome)]))
    };
    let pairs: Vec<Option<[ProbabilityForecast; 2]>> =
        rule.range(first..=last).filter_map(pair).collect();
    let scores = |indexes: Vec<usize>| -> Option<Scores> {
        let drawn = indexes.into_iter().filter_map(|i| *pairs.get(i)?);
        let (a, b): (Vec<ProbabilityForecast>, Vec<ProbabilityForecast>) =
            drawn.map(|[a, b]| (a, b)).unzip();
        Some([[auc(&a)?, brier(&a)?], [auc(&b)?, brier(&b)?]])
    };
    let whole = scores((0..pairs.len()).collect())?;
    let draws: Vec<Scores> = block_draws(pairs.len(), BLOCK, DRAWS)
        .filter_map(&scores)
        .collect();
    let estimates = STATISTICS.map(|statistic| -> Option<Estimate> {
        let mut values: Vec<f64> = draws.iter().map(statistic).collect();
        values.sort_by(f64::total_cmp);
        Some([
            statistic(&whole),
            quantile(&values, 5)?,
            quantile(&values, 95)?,
        ])
    });
    let [Some(auc), Some(brier), Some(auc_gain), Some(brier_gain)] = estimates else {
        return None;
    };
    let loss = |(p, outcome): ProbabilityForecast| (p - f64::from(u8::from(outcome))).powi(2);
    let both = pairs.iter().flatten();
    let losses: Vec<f64> = both.map(|[a, b]| loss(*a) - loss(*b)).collect();
    let test = diebold_mariano(&losses, target.overlap);
    Some([
        losses.len().to_string(),
        format_estimate(auc),
        format_estimate(brier),
        format_estimate(auc_gain),
        format_estimate(brier_gain),
        format_test(test),
        verdict(auc_gain, brier_gain, test.map(|t| t.p)).to_owned(),
    ])
}

/// Returns the verdict. A gain needs an interval without zero, and for probabilities a significant test, too.
fn verdict([_, auc_low, _]: Estimate, [.., brier_high]: Estimate, p: Option<f64>) -> &'static str {
    let is_better = brier_high < 0.0 && p.is_some_and(|p| p < 0.1);
    match (auc_low > 0.0, is_better) {
        (true, true) => "it ranks months better, and its probabilities are better",
        (true, false) => "it ranks months better; that its probabilities are better is not shown",
        (false, true) => "its probabilities are better; that it ranks months better is not shown",
        (false, false) => "no gain is shown",
    }
}

/// Formats an estimate with its interval: ".854 (.790 to .910)", "-.014 (-.020 to -.008)".
fn format_estimate(estimate: Estimate) -> String {
    let [value, low, high] = estimate.map(|value| {
        let sign = if value < -0.000_5 { "-" } else { "" };
        format!("{sign}{}", format_share(Some(value.abs())))
    });
    format!("{value} ({low} to {high})")
}

/// Returns for each month from `first` on the probability of the set of inputs that had the lowest Brier score until then, over
/// the scored months with a known label.
pub(super) fn best_variant<const M: usize>(
    target: &Target,
    rows: &[(Month, [Option<f64>; M])],
    first: Month,
) -> ByMonth {
    let variants = variants(target, rows);
    let best = |month: Month| {
        let last = (target.last_known)(month);
        let score = |variant: &ByMonth| {
            let known = variant.range(target.scored[0]..=last);
            let forecasts = known.map(|(m, p)| (*p, (target.outcome)(*m)));
            Some((
                brier(&forecasts.collect::<Vec<_>>())?,
                *variant.get(&month)?,
            ))
        };
        let scores = variants.iter().filter_map(score);
        let (_, p) = scores.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((month, p))
    };
    first.through(target.scored[1]).filter_map(best).collect()
}

/// Returns a probit for every non-empty set of the inputs, at most five, refitted at each month.
fn variants<const M: usize>(target: &Target, rows: &[(Month, [Option<f64>; M])]) -> Vec<ByMonth> {
    let sets = (1..1_usize << M).map(|set| (0..M).filter(|i| set >> i & 1 == 1).collect());
    sets.map(|set: Vec<usize>| match set.len() {
        1 => variant::<2, M>(target, rows, &set),
        2 => variant::<3, M>(target, rows, &set),
        3 => variant::<4, M>(target, rows, &set),
        4 => variant::<5, M>(target, rows, &set),
        _ => variant::<6, M>(target, rows, &set),
    })
    .collect()
}

/// Fits a probit on a set of the inputs, over the months that have them. `N` is the size of the set plus one.
fn variant<const N: usize, const M: usize>(
    target: &Target,
    rows: &[(Month, [Option<f64>; M])],
    set: &[usize],
) -> ByMonth {
    let row = |(month, inputs): &(Month, [Option<f64>; M])| {
        let mut row = [1.0; N];
        for (cell, index) in row.iter_mut().skip(1).zip(set) {
            *cell = inputs.get(*index).copied()??;
        }
        Some((*month, row))
    };
    target.refit(&rows.iter().filter_map(row).collect::<Vec<_>>())
}
