//! Small regressions: least squares, and a probit by Newton's method.

use super::normal_cdf;

/// Iterations after which a probit without convergence has no maximum.
const MAX_ITERATIONS: usize = 60;
/// Largest step at convergence.
const TOLERANCE: f64 = 1e-10;

/// Returns the coefficients that minimise the squares of `outcome - row · coefficients`; `None` for collinear rows.
pub fn least_squares<const N: usize>(rows: &[[f64; N]], outcomes: &[f64]) -> Option<[f64; N]> {
    let mut equations = NormalEquations::new();
    for (row, outcome) in rows.iter().zip(outcomes) {
        equations.add(row, 1.0, *outcome);
    }
    equations.solve()
}

/// Returns the maximum-likelihood coefficients of a probit, P(outcome) = Φ(row · coefficients), from a first guess.
///
/// Method: Newton's, on the exact second derivatives. `None` where there is no maximum: collinear rows, or rows that
/// separate the outcomes completely.
pub fn probit<const N: usize>(
    rows: &[[f64; N]],
    outcomes: &[bool],
    mut coefficients: [f64; N],
) -> Option<[f64; N]> {
    for _ in 0..MAX_ITERATIONS {
        let mut equations = NormalEquations::new();
        for (row, outcome) in rows.iter().zip(outcomes) {
            let z = dot(row, &coefficients);
            let sign = if *outcome { 1.0 } else { -1.0 };
            let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
            let slope = sign * density / normal_cdf(sign * z).max(f64::MIN_POSITIVE);
            let curvature = slope * (slope + z);
            // The step solves (Σ curvature·row·rowᵀ) step = Σ slope·row.
            equations.add(row, curvature, slope / curvature.max(f64::MIN_POSITIVE));
        }
        let step: [f64; N] = equations.solve()?;
        for (c, s) in coefficients.iter_mut().zip(step) {
            *c += s;
        }
        if step.iter().all(|s| s.abs() < TOLERANCE) {
            return Some(coefficients);
        }
    }
    None
}

/// Returns the product of a row and coefficients.
pub fn dot<const N: usize>(row: &[f64; N], coefficients: &[f64; N]) -> f64 {
    row.iter().zip(coefficients).map(|(a, b)| a * b).sum()
}

/// Normal equations of a weighted regression: one for each coefficient, with the outcome last.
struct NormalEquations<const N: usize>(Vec<Vec<f64>>);

impl<const N: usize> NormalEquations<N> {
    fn new() -> Self {
        Self(vec![vec![0.0; N + 1]; N])
    }

    fn add(&mut self, row: &[f64; N], weight: f64, outcome: f64) {
        for (equation, a) in self.0.iter_mut().zip(row) {
            let terms = equation.iter_mut().zip(row.iter().chain([&outcome]));
            terms.for_each(|(term, b)| *term += weight * a * b);
        }
    }

    /// Solves the equations by Gaussian elimination with partial pivoting.
    fn solve(self) -> Option<[f64; N]> {
        let mut equations = self.0;
        let mut solved: Vec<Vec<f64>> = Vec::new();
        for column in 0..N {
            let size = |equation: &Vec<f64>| equation.get(column).map_or(0.0, |v| v.abs());
            let sizes = equations.iter().map(size).enumerate();
            let (largest, _) = sizes.max_by(|a, b| a.1.total_cmp(&b.1))?;
            let pivot = equations.swap_remove(largest);
            let head = pivot.get(column).filter(|head| head.is_normal())?;
            for equation in &mut equations {
                let factor = equation.get(column)? / head;
                let terms = equation.iter_mut().zip(&pivot);
                terms.for_each(|(a, b)| *a -= factor * b);
            }
            solved.push(pivot);
        }
        let mut coefficients = [0.0; N];
        for (column, equation) in solved.iter().enumerate().rev() {
            let (left, right) = equation.split_at_checked(N)?;
            let known = left.iter().zip(&coefficients).skip(column + 1);
            let sum: f64 = known.map(|(a, b)| a * b).sum();
            *coefficients.get_mut(column)? = (right.first()? - sum) / left.get(column)?;
        }
        let is_finite = coefficients.iter().all(|v| v.is_finite());
        is_finite.then_some(coefficients)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_squares_finds_a_line_and_rejects_collinear_rows() {
        let rows = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]];
        let [level, slope] = least_squares(&rows, &[1.0, 3.0, 5.0, 7.0]).unwrap();
        assert!((level - 1.0).abs() < 1e-12 && (slope - 2.0).abs() < 1e-12);
        assert_eq!(least_squares(&[[1.0, 2.0], [2.0, 4.0]], &[1.0, 2.0]), None);
    }

    #[test]
    fn probit_on_groups_gives_their_shares() {
        // Of ten with x = 0 three, of ten with x = 1 eight: the fit must give both shares.
        let rows: Vec<[f64; 2]> = (0..20)
            .map(|i| [1.0, if i < 10 { 0.0 } else { 1.0 }])
            .collect();
        let outcomes: Vec<bool> = (0..20).map(|i| !(3..12).contains(&i)).collect();
        let [a, b] = probit(&rows, &outcomes, [0.0; 2]).unwrap();
        assert!((normal_cdf(a) - 0.3).abs() < 1e-9 && (normal_cdf(a + b) - 0.8).abs() < 1e-9);
        let separated: Vec<bool> = (0..20).map(|i| i >= 10).collect();
        assert_eq!(probit(&rows, &separated, [0.0; 2]), None);
    }
}
