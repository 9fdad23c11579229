//! Small least-squares regressions.

/// Returns the coefficients that minimise the squares of `outcome - row · coefficients`; `None` for collinear rows.
///
/// Method: normal equations, solved by Gaussian elimination with partial pivoting.
pub fn least_squares<const N: usize>(rows: &[[f64; N]], outcomes: &[f64]) -> Option<[f64; N]> {
    // One equation for each coefficient, with the outcome last.
    let mut equations = vec![vec![0.0; N + 1]; N];
    for (row, outcome) in rows.iter().zip(outcomes) {
        for (equation, a) in equations.iter_mut().zip(row) {
            let terms = equation.iter_mut().zip(row.iter().chain([outcome]));
            terms.for_each(|(term, b)| *term += a * b);
        }
    }
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
        let known: f64 = known.map(|(a, b)| a * b).sum();
        *coefficients.get_mut(column)? = (right.first()? - known) / left.get(column)?;
    }
    let is_finite = coefficients.iter().all(|v| v.is_finite());
    is_finite.then_some(coefficients)
}

/// Returns the product of a row and coefficients.
pub fn dot<const N: usize>(row: &[f64; N], coefficients: &[f64; N]) -> f64 {
    row.iter().zip(coefficients).map(|(a, b)| a * b).sum()
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
}
