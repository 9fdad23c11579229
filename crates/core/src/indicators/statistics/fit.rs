//! Small regressions: least squares, and a probit by Newton's method.

use super::intervals::normal_cdf;

/// Iterations after which a probit that still moves has no maximum.
const ITERATIONS: usize = 60;
/// A step smaller than this ends the search.
const SETTLED: f64 = 1e-10;

/// The coefficients that make the squares of `outcome - row · coefficients` least; `None` when the rows do not tell
/// them apart.
pub fn least_squares<const N: usize>(rows: &[[f64; N]], outcomes: &[f64]) -> Option<[f64; N]> {
    let mut system = System::default();
    for (row, outcome) in rows.iter().zip(outcomes) {
        system.add(row, 1.0, *outcome);
    }
    system.solve()
}

/// The coefficients of a probit, P(outcome) = Φ(row · coefficients), that make the outcomes likeliest, from a first guess.
///
/// Method: Newton's, on the exact second derivatives. `None` where there is no maximum: rows that do not tell the
/// coefficients apart, or that part the outcomes wholly.
pub fn probit<const N: usize>(
    rows: &[[f64; N]],
    outcomes: &[bool],
    mut guess: [f64; N],
) -> Option<[f64; N]> {
    for _ in 0..ITERATIONS {
        let mut system = System::default();
        for (row, outcome) in rows.iter().zip(outcomes) {
            let z = dot(row, &guess);
            let sign = if *outcome { 1.0 } else { -1.0 };
            let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
            let slope = sign * density / normal_cdf(sign * z).max(f64::MIN_POSITIVE);
            let curve = slope * (slope + z);
            // The step solves (Σ curve·row·rowᵀ) step = Σ slope·row.
            system.add(row, curve, slope / curve.max(f64::MIN_POSITIVE));
        }
        let step: [f64; N] = system.solve()?;
        for (g, s) in guess.iter_mut().zip(step) {
            *g += s;
        }
        if step.iter().all(|s| s.abs() < SETTLED) {
            return Some(guess);
        }
    }
    None
}

/// A row times coefficients.
pub fn dot<const N: usize>(row: &[f64; N], coefficients: &[f64; N]) -> f64 {
    row.iter().zip(coefficients).map(|(a, b)| a * b).sum()
}

/// Normal equations of a weighted regression: one row for each coefficient, the outcome last.
struct System<const N: usize> {
    left: [[f64; N]; N],
    right: [f64; N],
}

impl<const N: usize> Default for System<N> {
    fn default() -> Self {
        Self {
            left: [[0.0; N]; N],
            right: [0.0; N],
        }
    }
}

impl<const N: usize> System<N> {
    fn add(&mut self, row: &[f64; N], weight: f64, outcome: f64) {
        let lines = self.left.iter_mut().zip(&mut self.right).zip(row);
        for ((line, right), a) in lines {
            let cells = line.iter_mut().zip(row);
            cells.for_each(|(cell, b)| *cell += weight * a * b);
            *right += weight * a * outcome;
        }
    }

    /// Gauss's elimination with the largest pivot.
    fn solve(self) -> Option<[f64; N]> {
        let lines = self.left.iter().zip(self.right);
        let mut lines: Vec<Vec<f64>> = lines.map(|(l, r)| [l.as_slice(), &[r]].concat()).collect();
        let mut done: Vec<Vec<f64>> = Vec::new();
        for column in 0..N {
            let size = |line: &Vec<f64>| line.get(column).map_or(0.0, |v| v.abs());
            let sizes = lines.iter().map(size).enumerate();
            let (largest, _) = sizes.max_by(|a, b| a.1.total_cmp(&b.1))?;
            let pivot = lines.swap_remove(largest);
            let head = pivot.get(column).filter(|head| head.is_normal())?;
            for line in &mut lines {
                let factor = line.get(column)? / head;
                let cells = line.iter_mut().zip(&pivot);
                cells.for_each(|(a, b)| *a -= factor * b);
            }
            done.push(pivot);
        }
        let mut found = [0.0; N];
        for (column, line) in done.iter().enumerate().rev() {
            let (left, right) = line.split_at_checked(N)?;
            let known = left.iter().zip(&found).skip(column + 1);
            let known: f64 = known.map(|(a, b)| a * b).sum();
            *found.get_mut(column)? = (right.first()? - known) / left.get(column)?;
        }
        found.iter().all(|v| v.is_finite()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_squares_find_the_line_and_refuse_what_cannot_be_told_apart() {
        let rows = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]];
        let [level, slope] = least_squares(&rows, &[1.0, 3.0, 5.0, 7.0]).unwrap();
        assert!((level - 1.0).abs() < 1e-12 && (slope - 2.0).abs() < 1e-12);
        assert_eq!(least_squares(&[[1.0, 2.0], [2.0, 4.0]], &[1.0, 2.0]), None);
    }

    #[test]
    fn a_probit_on_groups_gives_their_shares() {
        // Of ten with x = 0 three, of ten with x = 1 eight: the fit must give both shares.
        let rows: Vec<[f64; 2]> = (0..20)
            .map(|i| [1.0, if i < 10 { 0.0 } else { 1.0 }])
            .collect();
        let outcomes: Vec<bool> = (0..20).map(|i| !(3..12).contains(&i)).collect();
        let [a, b] = probit(&rows, &outcomes, [0.0; 2]).unwrap();
        assert!((normal_cdf(a) - 0.3).abs() < 1e-9 && (normal_cdf(a + b) - 0.8).abs() < 1e-9);
        let parted: Vec<bool> = (0..20).map(|i| i >= 10).collect();
        assert_eq!(probit(&rows, &parted, [0.0; 2]), None);
    }
}
