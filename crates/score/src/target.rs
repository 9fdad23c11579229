//! What rules say month by month is to come: fitted anew at each month from no more than was known in it, and held
//! against what came.

use crate::{rate, share};
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nber::RECESSIONS;
use econoscope_core::indicators::statistics::{
    Said, auc, brier, calibration, dot, normal_cdf, probit,
};
use econoscope_data::desk::scores::ScoreTable;
use std::collections::BTreeMap;

/// A month and its inputs, the constant first.
pub(super) type Row<const N: usize> = (Month, [f64; N]);

/// Probabilities, 0 to 1.
pub(super) type ByMonth = BTreeMap<Month, f64>;

/// Which months are meant.
type Which = fn(Month) -> bool;

/// What is learnt, and over which months it is scored.
pub(super) struct Target {
    /// The same in words.
    pub(super) title: &'static str,
    /// The first and the last scored month.
    pub(super) scored: [Month; 2],
    /// The last month whose label is known in a month.
    pub(super) known: fn(Month) -> Month,
    /// Whether it came.
    pub(super) came: Which,
    /// Months over which neighbours share news and labels: in the variance of a comparison, and left out of a fit before a
    /// cycle that is left out.
    pub(super) overlap: usize,
    /// Months that are scored by themselves, too.
    pub(super) parts: &'static [(&'static str, Which)],
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

    /// What the months of each cycle were given with coefficients from all other months: a cycle ends with a trough.
    /// Months whose label reaches into the cycle are left out with it.
    pub(super) fn cycles_left_out<const N: usize>(&self, rows: &[Row<N>]) -> ByMonth {
        let reach = i32::try_from(self.overlap).unwrap_or(1) - 1;
        let mut said = ByMonth::new();
        let first = rows.first().map_or(Month::new(1900, 1), |(m, _)| *m);
        let mut begin = first;
        let troughs = RECESSIONS.iter().map(|r| r.trough);
        for end in troughs
            .filter(|t| *t >= first)
            .chain(rows.last().map(|(m, _)| *m))
        {
            let kept = rows
                .iter()
                .filter(|(m, _)| *m < begin.plus(-reach) || *m > end);
            let (inputs, labels): (Vec<[f64; N]>, Vec<bool>) =
                kept.map(|(m, row)| (*row, (self.came)(*m))).unzip();
            if let Some(found) = probit(&inputs, &labels, [0.0; N]) {
                let own = rows.iter().filter(|(m, _)| (begin..=end).contains(m));
                said.extend(own.map(|(m, row)| (*m, normal_cdf(dot(row, &found)))));
            }
            begin = end.plus(1);
        }
        said
    }

    /// The probabilities after a probit on the log odds of what was said before: what each month would be given if the
    /// rule's own were taken at what they had been worth by then.
    pub(super) fn recalibrated(&self, said: &ByMonth, first: Month) -> ByMonth {
        let odds = |p: f64| {
            let p = p.clamp(0.001, 0.999);
            (p / (1.0 - p)).ln()
        };
        let rows: Vec<Row<2>> = said.iter().map(|(m, p)| (*m, [1.0, odds(*p)])).collect();
        let mut all = self.out_of_sample(&rows);
        all.retain(|month, _| *month >= first);
        all
    }

    /// What each month from the first scored one on was given with the coefficients of that month.
    pub(super) fn out_of_sample<const N: usize>(&self, rows: &[Row<N>]) -> ByMonth {
        let mut guess = [0.0; N];
        let mut said = ByMonth::new();
        for (month, row) in rows.iter().filter(|(m, _)| *m >= self.scored[0]) {
            if let Some(found) = self.learnt(rows, *month, guess) {
                guess = found;
                said.insert(*month, normal_cdf(dot(row, &found)));
            }
        }
        said
    }

    /// What scored months were given, and whether it came.
    fn said(&self, by_month: &ByMonth, is_meant: Which) -> Vec<Said> {
        let [first, last] = self.scored;
        let scored = by_month.range(first..=last).filter(|(m, _)| is_meant(**m));
        scored.map(|(m, p)| (*p, (self.came)(*m))).collect()
    }

    /// How rules fared over all scored months, and over the parts of them.
    pub(super) fn table(&self, indicator: &str, rules: &[(&str, &ByMonth)]) -> ScoreTable {
        let columns = ["rule", "months", "base rate", "AUC", "Brier"];
        let mut table = ScoreTable::new(indicator, self.title, &columns);
        let measures = |part: &str| ["AUC", "Brier"].map(|measure| format!("{measure} {part}"));
        let parts = self.parts.iter().flat_map(|(part, _)| measures(part));
        table.columns.extend(parts);
        for (name, by_month) in rules {
            let all = self.said(by_month, |_| true);
            let came = rate(all.iter().map(|s| s.1));
            let mut cells = vec![(*name).to_owned(), all.len().to_string(), came];
            cells.extend(skill(&all));
            let parts = self.parts.iter();
            cells.extend(parts.flat_map(|(_, part)| skill(&self.said(by_month, *part))));
            table.row(cells);
        }
        table
    }

    /// What was said and what came, by ranges that begin at these shares.
    pub(super) fn calibrated(
        &self,
        indicator: &str,
        title: &str,
        by_month: &ByMonth,
        edges: &[f64],
    ) -> ScoreTable {
        let mut table = ScoreTable::new(indicator, title, &["said from", "months", "said", "came"]);
        for bin in calibration(&self.said(by_month, |_| true), edges) {
            let [said, came] = [bin.said, bin.came].map(|v| share(Some(v)));
            let from = format!("{:.0} %", 100.0 * bin.from);
            table.row([from, bin.months.to_string(), said, came]);
        }
        table
    }
}

/// AUC and Brier score.
fn skill(said: &[Said]) -> [String; 2] {
    [share(auc(said)), share(brier(said))]
}
