//! Evaluation of probability forecasts.

use super::{average, count, student_t_p};

/// A forecast probability, 0 to 1, and whether the event occurred.
pub type ProbabilityForecast = (f64, bool);

/// Returns the area under the ROC curve: the chance that a month with the event had a higher probability than one without,
/// ties counting half.
///
/// `None` without both kinds. Source: Hanley and McNeil 1982.
pub fn auc(forecasts: &[ProbabilityForecast]) -> Option<f64> {
    let mut sorted = forecasts.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut concordant = 0.0;
    let mut below = 0;
    for ties in sorted.chunk_by(|a, b| a.0 == b.0) {
        let events = ties.iter().filter(|f| f.1).count();
        let others = ties.len() - events;
        concordant += count(events) * (count(below) + count(others) / 2.0);
        below += others;
    }
    let pairs = (sorted.len() - below) * below;
    (pairs > 0).then(|| concordant / count(pairs))
}

/// Returns the mean squared distance of probabilities from outcomes; `None` without forecasts. Source: Brier 1950.
pub fn brier(forecasts: &[ProbabilityForecast]) -> Option<f64> {
    let loss = |(p, occurred): &ProbabilityForecast| (p - f64::from(u8::from(*occurred))).powi(2);
    average(forecasts.iter().map(loss))
}

/// Months whose forecast probability was in a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// Lower end, included.
    pub from: f64,
    /// Number of months.
    pub months: usize,
    /// Mean probability.
    pub mean_probability: f64,
    /// Share of months with the event.
    pub event_share: f64,
}

/// Returns [`Bin`]s that begin at `edges`, ascending; empty ones are left out.
pub fn calibration(forecasts: &[ProbabilityForecast], edges: &[f64]) -> Vec<Bin> {
    let bin = |(i, from): (usize, &f64)| {
        let to = edges.get(i + 1).copied().unwrap_or(f64::INFINITY);
        let is_inside = |f: &&ProbabilityForecast| (*from..to).contains(&f.0);
        let inside: Vec<_> = forecasts.iter().filter(is_inside).collect();
        let events = inside.iter().filter(|f| f.1).count();
        Some(Bin {
            from: *from,
            months: inside.len(),
            mean_probability: average(inside.iter().map(|f| f.0))?,
            event_share: count(events) / count(inside.len()),
        })
    };
    edges.iter().enumerate().filter_map(bin).collect()
}

/// Draws samples of a circular block bootstrap.
///
/// Each has `n` positions, in runs of `block` consecutive ones that wrap around at the end. The same arguments give the
/// same draws. Source: Politis and Romano 1992.
pub fn block_draws(n: usize, block: usize, draws: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut state: u64 = 0;
    (0..draws).map(move |_| {
        let mut positions = Vec::with_capacity(n + block);
        while positions.len() < n {
            let begin = usize::try_from(split_mix(&mut state) % (n as u64)).unwrap_or(0);
            positions.extend((begin..begin + block).map(|p| p % n));
        }
        positions.truncate(n);
        positions
    })
}

/// Returns the next pseudo-random number. Source: Steele, Lea and Flood 2014 (SplitMix64).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Diebold and Mariano's test of equal accuracy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DieboldMariano {
    /// The statistic; negative where the first forecast has the smaller losses.
    pub statistic: f64,
    /// Two-sided p-value.
    pub p: f64,
}

/// Tests whether two forecasts are equally accurate; `None` for fewer than three periods for each of `horizon`, and without
/// variance.
///
/// `differences` are the losses of one forecast less the other's, period by period; forecasts of `horizon` periods ahead
/// share news with `horizon - 1` neighbours, which the variance allows for (Bartlett weights, so that it is never negative).
/// For small samples the statistic is corrected and compared with Student's t. Source: Diebold and Mariano 1995; Newey and
/// West 1987; Harvey, Leybourne and Newbold 1997.
pub fn diebold_mariano(differences: &[f64], horizon: usize) -> Option<DieboldMariano> {
    let n = differences.len();
    if n < 3 * horizon {
        return None;
    }
    let mean = average(differences.iter().copied())?;
    let covariance = |lag: usize| {
        let pairs = differences.iter().zip(differences.iter().skip(lag));
        pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / count(n)
    };
    let weighted = |lag| 2.0 * (1.0 - count(lag) / count(horizon)) * covariance(lag);
    let variance = covariance(0) + (1..horizon).map(weighted).sum::<f64>();
    let shared = count(horizon) * (count(horizon) - 1.0) / count(n);
    let correction = (count(n) + 1.0 - 2.0 * count(horizon) + shared) / count(n);
    let statistic = mean / (variance / count(n)).sqrt() * correction.sqrt();
    (variance > 0.0).then(|| DieboldMariano {
        statistic,
        p: student_t_p(statistic, n - 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_match_a_hand_worked_case() {
        let forecasts = [(0.1, false), (0.4, true), (0.4, false), (0.8, true)];
        assert_eq!(auc(&forecasts), Some(0.875));
        assert!((brier(&forecasts).unwrap() - (0.01 + 0.36 + 0.16 + 0.04) / 4.0).abs() < 1e-12);
        assert_eq!((auc(&forecasts[..1]), brier(&[])), (None, None));
        let bins = calibration(&forecasts, &[0.0, 0.2, 0.5, 0.9]);
        assert_eq!(bins.iter().map(|b| b.months).collect::<Vec<_>>(), [1, 2, 1]);
        assert_eq!((bins[1].mean_probability, bins[1].event_share), (0.4, 0.5));
    }

    #[test]
    fn draws_are_reproducible_runs_of_neighbours() {
        let draws: Vec<Vec<usize>> = block_draws(10, 4, 50).collect();
        for draw in &draws {
            assert_eq!(draw.len(), 10);
            let runs = draw
                .chunks(4)
                .all(|run| run.windows(2).all(|p| p[1] == (p[0] + 1) % 10));
            assert!(runs, "{draw:?}");
        }
        assert_eq!(draws, block_draws(10, 4, 50).collect::<Vec<_>>());
        let firsts: std::collections::BTreeSet<usize> = draws.iter().map(|d| d[0]).collect();
        assert_eq!(firsts.len(), 10, "every position begins a block");
    }

    #[test]
    fn test_separates_equal_from_unequal_forecasts() {
        // Mean 0.5, variance 0.25 over four periods: 2, corrected by the root of 3/4; P(|t| > 1.7321) with 3 degrees is 0.1817.
        let test = diebold_mariano(&[0.0, 1.0, 0.0, 1.0], 1).unwrap();
        assert!((test.statistic - 3.0_f64.sqrt()).abs() < 1e-12, "{test:?}");
        assert!((test.p - 0.1817).abs() < 1e-4, "{test:?}");
        // With one neighbour the variance is 0.25 - 2 * 0.5 * 0.1875, and the correction (6 + 1 - 4 + 2/6) / 6.
        let test = diebold_mariano(&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0], 2).unwrap();
        let statistic = 0.5 / ((0.25 - 5.0 / 6.0 * 0.25) / 6.0_f64).sqrt();
        let corrected = statistic * (10.0_f64 / 3.0 / 6.0).sqrt();
        assert!((test.statistic - corrected).abs() < 1e-12, "{test:?}");
        assert_eq!(diebold_mariano(&[0.1; 12], 1), None);
        assert_eq!(diebold_mariano(&[0.1, 0.2], 1), None);
    }
}
