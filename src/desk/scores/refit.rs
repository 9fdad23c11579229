//! Probits fitted anew at each month, from no more than was known in it.

use crate::indicators::months::Month;
use crate::indicators::statistics::{Said, dot, normal_cdf, probit};

/// A month and its inputs, the constant first.
pub(super) type Row<const N: usize> = (Month, [f64; N]);

/// What is learnt.
pub(super) struct Target {
    /// The last month whose label is known in a month.
    pub(super) known: fn(Month) -> Month,
    /// Whether it came.
    pub(super) came: fn(Month) -> bool,
}

impl Target {
    /// The coefficients that could be had in a month.
    pub(super) fn learnt<const N: usize>(
        &self,
        rows: &[Row<N>],
        month: Month,
        guess: [f64; N],
    ) -> Option<[f64; N]> {
        let until = (self.known)(month);
        let known = rows.iter().filter(|(m, _)| *m <= until);
        let (inputs, labels): (Vec<[f64; N]>, Vec<bool>) =
            known.map(|(m, row)| (*row, (self.came)(*m))).unzip();
        probit(&inputs, &labels, guess)
    }

    /// What each month of a time was given with the coefficients of that month, and whether it came.
    pub(super) fn out_of_sample<const N: usize>(
        &self,
        rows: &[Row<N>],
        scored: impl Fn(&Month) -> bool,
    ) -> Vec<(Month, Said)> {
        let mut guess = [0.0; N];
        let mut said = Vec::new();
        for (month, row) in rows.iter().filter(|(m, _)| scored(m)) {
            if let Some(found) = self.learnt(rows, *month, guess) {
                guess = found;
                said.push((*month, (normal_cdf(dot(row, &found)), (self.came)(*month))));
            }
        }
        said
    }
}
