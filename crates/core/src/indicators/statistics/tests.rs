//! Value tables from references and comparisons with the plain way of computing.

use super::*;
use proptest::prelude::*;

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs().max(1.0)
}

#[test]
fn normal_cdf_matches_published_tables() {
    for (x, want) in [
        (0.0, 0.5),
        (1.0, 0.841_344_746_068_542_9),
        (-1.0, 0.158_655_253_931_457_05),
        (1.959_963_984_540_054, 0.975),
        (3.0, 0.998_650_101_968_369_9),
        (-5.0, 2.866_515_718_791_939e-7),
        (-10.0, 7.619_853_024_160_527e-24),
    ] {
        let got = normal_cdf(x);
        assert!((got - want).abs() <= 2e-13 * want, "{x}: {got} {want}");
    }
    assert_eq!(normal_cdf(f64::NEG_INFINITY), 0.0);
    assert_eq!(normal_cdf(40.0), 1.0);
    assert!((normal_cdf(Z_90) - 0.95).abs() < 1e-15);
}

#[test]
fn ecdf_matches_a_hand_worked_case() {
    // Fourth value 2 after 1, 3, 2: one smaller, one equal -> (1 + ½ + ½) / 4.
    let got = expanding_ecdf(&[1.0, 3.0, 2.0, 2.0], 3);
    assert_eq!(got, vec![None, None, None, Some(0.5)]);
    assert_eq!(expanding_ecdf(&[5.0], 0), vec![Some(0.5)]);
    assert_eq!(expanding_ecdf(&[0.0, -0.0], 1), vec![None, Some(0.5)]);
}

#[test]
fn non_finite_values_have_no_rank_and_are_not_counted() {
    let got = expanding_ecdf(&[1.0, f64::NAN, f64::INFINITY, 2.0], 1);
    assert_eq!(got, vec![None, None, None, Some(0.75)]);
}

#[test]
fn window_of_equal_values_has_no_z() {
    assert_eq!(
        rolling_z(&[0.1; 40], 12, 3, 3.0)
            .into_iter()
            .flatten()
            .count(),
        0
    );
    let z = rolling_z(&[1.0, 2.0, 3.0, 100.0], 4, 3, 1.2);
    assert_eq!(z[..2], [None, None]);
    assert_eq!(z[2], Some(1.0));
    assert_eq!(z[3], Some(1.2));
}

#[test]
fn rolling_moments_survive_a_large_offset() {
    // Sums of squares miss the variance by a thousandth here.
    let values: Vec<f64> = (0..5000)
        .map(|i| 1e6 + f64::from(i % 7) + f64::from(i))
        .collect();
    let window = 504;
    for (i, got) in rolling_moments(&values, window).iter().enumerate() {
        let slice = &values[(i + 1).saturating_sub(window)..=i];
        let n = count(slice.len());
        let mean = 1e6 + slice.iter().map(|v| v - 1e6).sum::<f64>() / n;
        assert_eq!(got.count(), slice.len());
        assert!(close(got.mean(), mean, 1e-14));
        if slice.len() > 1 {
            let var = slice.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
            assert!(close(got.variance().unwrap(), var, 1e-9), "{i}");
        }
    }
}

#[test]
fn percentiles_and_summary_match_a_small_sample() {
    let sample = [3.0, 1.0, 4.0, 2.0];
    assert_eq!(percentile_rank(&sample, 3.0), Some(62.5));
    assert_eq!(percentile_rank(&[], 3.0), None);
    let s = summary(&sample).unwrap();
    assert_eq!((s.count, s.mean, s.min, s.max), (4, 2.5, 1.0, 4.0));
    assert!(close(s.sd.unwrap(), (5.0f64 / 3.0).sqrt(), 1e-15));
    assert_eq!(summary(&[7.0]).unwrap().sd, None);
    assert_eq!(summary(&[]), None);
}

#[test]
fn correlation_is_one_on_a_line_and_absent_without_variation() {
    let line: Vec<(f64, f64)> = (0..9).map(|i| (f64::from(i), 2.0 - f64::from(i))).collect();
    assert!(close(of_pairs(&line).unwrap(), -1.0, 1e-15));
    assert_eq!(of_pairs(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
    assert_eq!(of_pairs(&line[..2]), None);
    assert_eq!(of_pairs(&[(0.1, 1.0); 7]), None);
}

#[test]
fn wilson_interval_matches_its_formula_and_stays_inside() {
    // 9 of 30 at 95 %: 0.1666 to 0.4788 (R: prop.test without continuity correction).
    let (low, high) = wilson(0.3, 30.0, 1.959_963_984_540_054).unwrap();
    assert!(
        (low - 0.166_6).abs() < 5e-5 && (high - 0.478_8).abs() < 5e-5,
        "{low} {high}"
    );
    assert_eq!(wilson(0.0, 10.0, Z_90).unwrap().0, 0.0);
    assert_eq!(wilson(1.0, 10.0, Z_90).unwrap().1, 1.0);
    assert_eq!(wilson(0.5, 0.0, Z_90), None);
    assert_eq!(wilson(1.1, 10.0, Z_90), None);
}

#[test]
fn student_t_gives_the_tabulated_shares() {
    // Abramowitz and Stegun, table 26.10.
    for (t, degrees, p) in [
        (1.0, 1, 0.5),
        (4.302_653, 2, 0.05),
        (3.182_446, 3, 0.05),
        (2.228_139, 10, 0.05),
        (1.725, 20, 0.1),
        (2.617, 120, 0.01),
        (0.0, 7, 1.0),
    ] {
        assert!((student_t_p(t, degrees) - p).abs() < 1e-4, "{t} {degrees}");
        assert_eq!(student_t_p(-t, degrees), student_t_p(t, degrees));
    }
    // With many degrees it is the normal distribution.
    let normal = 2.0 * normal_cdf(-1.96);
    assert!((student_t_p(1.96, 1_000_000) - normal).abs() < 1e-5);
}

#[test]
fn welch_t_matches_a_hand_worked_case() {
    // Means 2 and 5, variances 1 and 4, three values each: (2 − 5) / √(1/3 + 4/3).
    let t = welch_t(&[1.0, 2.0, 3.0], &[3.0, 5.0, 7.0]).unwrap();
    assert!(close(t, -3.0 / (5.0f64 / 3.0).sqrt(), 1e-14));
    assert_eq!(welch_t(&[1.0], &[1.0, 2.0]), None);
    assert_eq!(welch_t(&[1.0, 1.0], &[2.0, 2.0]), None);
}

/// Pearson correlation of pairs.
fn of_pairs(pairs: &[(f64, f64)]) -> Option<f64> {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    correlation(x, y)
}

proptest! {
    #[test]
    fn rolling_sums_match_the_definition(values in prop::collection::vec(-1e6f64..1e6, 0..300), window in 1usize..80) {
        let got = rolling_sums(&values, window);
        let plain: Vec<f64> = values.windows(window).map(|w| w.iter().sum()).collect();
        prop_assert_eq!(got.len(), plain.len());
        for ((a, b), w) in got.iter().zip(&plain).zip(values.windows(window)) {
            // Relative to what was added, which cancels when signs differ.
            let size: f64 = w.iter().map(|v| v.abs()).sum();
            prop_assert!((a - b).abs() <= 1e-13 * size, "{} {}", a, b);
        }
        let positive: Vec<f64> = values.iter().map(|v| v.abs() + 1e-3).collect();
        for (a, w) in rolling_sums(&positive, window).iter().zip(positive.windows(window)) {
            let b: f64 = w.iter().sum();
            prop_assert!((a - b).abs() <= 1e-9 * b, "{} {}", a, b);
        }
    }

    #[test]
    fn correlation_matches_the_definition(pairs in prop::collection::vec((-1e3f64..1e3, 1e6f64..1e6 + 9.0), 0..60)) {
        let n = count(pairs.len());
        let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
        let x = mean(|p| p.0); let y = mean(|p| p.1);
        let sum = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
        let xy = sum(&|p| (p.0 - x) * (p.1 - y));
        let plain = xy / (sum(&|p| (p.0 - x).powi(2)) * sum(&|p| (p.1 - y).powi(2))).sqrt();
        match of_pairs(&pairs) {
            Some(r) => prop_assert!((r - plain).abs() < 1e-6, "{} {}", r, plain),
            None => prop_assert!(pairs.len() < 3),
        }
    }

    #[test]
    fn expanding_ranks_match_plain_counting(quarters in prop::collection::vec(-20i32..20, 0..200), min in 0usize..30) {
        let values: Vec<f64> = quarters.into_iter().map(|v| f64::from(v) / 4.0).collect();
        for (t, got) in expanding_ecdf(&values, min).into_iter().enumerate() {
            let past = &values[..t];
            let less = count(past.iter().filter(|v| **v < values[t]).count());
            let equal = count(past.iter().filter(|v| **v == values[t]).count());
            let want = (less + 0.5 * equal + 0.5) / (count(t) + 1.0);
            prop_assert_eq!(got, (t >= min).then_some(want));
        }
    }

    #[test]
    fn rolling_z_matches_the_definition(values in prop::collection::vec(-1e6f64..1e6, 1..300), window in 2usize..80) {
        let got = rolling_z(&values, window, 2, 3.0);
        for (i, got) in got.into_iter().enumerate() {
            let slice = &values[(i + 1).saturating_sub(window)..=i];
            let n = count(slice.len());
            let mean = slice.iter().sum::<f64>() / n;
            let sd = (slice.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
            let want = (slice.len() >= 2).then(|| ((values[i] - mean) / sd).clamp(-3.0, 3.0));
            match (got, want) {
                (Some(g), Some(w)) => prop_assert!(close(g, w, 1e-12), "{} {}", g, w),
                (g, w) => prop_assert_eq!(g, w),
            }
        }
    }
}
