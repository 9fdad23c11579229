//! Monthly forecasts of a target by rules that are refitted at each month from what was known in it, and their scores.

use crate::{format_rate, format_share};
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nber::RECESSIONS;
use econoscope_core::indicators::statistics::{
    ProbabilityForecast, auc, brier, calibration, dot, normal_cdf, probit,
};
use econoscope_desk::scores::ScoreTable;
use std::collections::BTreeMap;

/// A month and its inputs, the constant first.
pub(super) type Row<const N: usize> = (Month, [f64; N]);

/// Probabilities, 0 to 1, by month.
pub(super) type ByMonth = BTreeMap<Month, f64>;

/// A condition on months.
pub(super) type MonthFilter = fn(Month) -> bool;

/// The outcome that rules forecast, and the months over which they are scored.
pub(super) struct Target {
    /// Description.
    pub(super) title: &'static str,
    /// First and last scored month.
    pub(super) scored: [Month; 2],
    /// Returns the last month whose outcome is known in a month.
    pub(super) last_known: fn(Month) -> Month,
    /// Returns the outcome of a month.
    pub(super) outcome: MonthFilter,
    /// Months over which neighbours share news and outcomes: for the variance of a comparison, and excluded from a fit before
    /// an excluded cycle.
    pub(super) overlap: usize,
    /// Parts of the months that are also scored separately.
    pub(super) parts: &'static [(&'static str, MonthFilter)],
}

impl Target {
    /// All scored months, without a name, and each part of them.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'static str, MonthFilter)> {
        let whole: (&str, MonthFilter) = ("", |_| true);
        std::iter::once(whole).chain(self.parts.iter().copied())
    }

    /// Fits a probit to the outcomes known in a month.
    pub(super) fn fit<const N: usize>(
        &self,
        rows: &[Row<N>],
        month: Month,
        guess: [f64; N],
    ) -> Option<[f64; N]> {
        let last = (self.last_known)(month);
        self.fit_months(rows, guess, |m| m <= last)
    }

    fn fit_months<const N: usize>(
        &self,
        rows: &[Row<N>],
        guess: [f64; N],
        is_included: impl Fn(Month) -> bool,
    ) -> Option<[f64; N]> {
        let included = rows.iter().filter(|(m, _)| is_included(*m));
        let (inputs, outcomes): (Vec<[f64; N]>, Vec<bool>) =
            included.map(|(m, row)| (*row, (self.outcome)(*m))).unzip();
        probit(&inputs, &outcomes, guess)
    }

    /// Returns probabilities for each cycle with coefficients from all other months. A cycle ends with a trough. Months whose
    /// outcome overlaps the cycle are excluded from its fit.
    pub(super) fn leave_one_cycle_out<const N: usize>(&self, rows: &[Row<N>]) -> ByMonth {
        let overlap = i32::try_from(self.overlap).unwrap_or(1) - 1;
        let mut probabilities = ByMonth::new();
        let first = rows.first().map_or(Month::new(1900, 1), |(m, _)| *m);
        let last = rows.last().map(|(m, _)| *m);
        let mut start = first;
        let troughs = RECESSIONS.iter().map(|r| r.trough);
        for end in troughs.filter(|t| *t >= first).chain(last) {
            let is_outside = |m| m < start.plus(-overlap) || m > end;
            if let Some(coefficients) = self.fit_months(rows, [0.0; N], is_outside) {
                let cycle = rows.iter().filter(|(m, _)| (start..=end).contains(m));
                let probability = |row| normal_cdf(dot(row, &coefficients));
                probabilities.extend(cycle.map(|(m, row)| (*m, probability(row))));
            }
            start = end.plus(1);
        }
        probabilities
    }

    /// Recalibrates probabilities from `first` on by a probit on their log odds, refitted at each month.
    pub(super) fn recalibrate(&self, probabilities: &ByMonth, first: Month) -> ByMonth {
        let log_odds = |p: f64| {
            let bounded = p.clamp(0.001, 0.999);
            (bounded / (1.0 - bounded)).ln()
        };
        let rows = probabilities.iter().map(|(m, p)| (*m, [1.0, log_odds(*p)]));
        let mut recalibrated = self.refit(&rows.collect::<Vec<_>>());
        recalibrated.retain(|month, _| *month >= first);
        recalibrated
    }

    /// Returns the probabilities of [`Self::refit`] for a probit on inputs from `first` on.
    pub(super) fn out_of_sample<I, const N: usize>(
        &self,
        inputs: &BTreeMap<Month, I>,
        first: Month,
        row: impl Fn(&I) -> Option<[f64; N]>,
    ) -> ByMonth {
        self.refit(&rows(inputs, first, row))
    }

    /// Returns probabilities from the first scored month on, each with coefficients fitted in its month.
    pub(super) fn refit<const N: usize>(&self, rows: &[Row<N>]) -> ByMonth {
        let mut coefficients = [0.0; N];
        let mut probabilities = ByMonth::new();
        for (month, row) in rows.iter().filter(|(m, _)| *m >= self.scored[0]) {
            if let Some(fitted) = self.fit(rows, *month, coefficients) {
                coefficients = fitted;
                probabilities.insert(*month, normal_cdf(dot(row, &fitted)));
            }
        }
        probabilities
    }

    /// Returns probabilities and outcomes of the scored months.
    fn forecasts(&self, by_month: &ByMonth, is_included: MonthFilter) -> Vec<ProbabilityForecast> {
        let [first, last] = self.scored;
        let months = by_month.range(first..=last);
        let included = months.filter(|(m, _)| is_included(**m));
        included.map(|(m, p)| (*p, (self.outcome)(*m))).collect()
    }

    /// Returns a table of the scores of rules, over all scored months and over each part of them.
    pub(super) fn table(&self, indicator: &str, rules: &[(&str, &ByMonth)]) -> ScoreTable {
        let mut table = ScoreTable::new(indicator, self.title, &["rule", "months", "base rate"]);
        for (part, _) in self.parts() {
            let columns = ["AUC", "Brier"].map(|measure| format!("{measure} {part}"));
            table
                .columns
                .extend(columns.map(|column| column.trim_end().to_owned()));
        }
        for (name, by_month) in rules {
            let forecasts = self.forecasts(by_month, |_| true);
            let base_rate = format_rate(forecasts.iter().map(|(_, outcome)| *outcome));
            let mut cells = vec![(*name).to_owned(), forecasts.len().to_string(), base_rate];
            for (_, is_included) in self.parts() {
                cells.extend(format_scores(&self.forecasts(by_month, is_included)));
            }
            table.row(cells);
        }
        table
    }

    /// Returns a table of mean probabilities and outcomes, by ranges that begin at these shares.
    pub(super) fn calibration_table(
        &self,
        indicator: &str,
        title: &str,
        by_month: &ByMonth,
        edges: &[f64],
    ) -> ScoreTable {
        let mut table = ScoreTable::new(indicator, title, &["said from", "months", "said", "came"]);
        for bin in calibration(&self.forecasts(by_month, |_| true), edges) {
            let [forecast, outcome] =
                [bin.mean_probability, bin.event_share].map(|v| format_share(Some(v)));
            let from = format!("{:.0} %", 100.0 * bin.from);
            table.row([from, bin.months.to_string(), forecast, outcome]);
        }
        table
    }
}

/// Returns the rows of the months from `first` on that have the inputs.
pub(super) fn rows<I, const N: usize>(
    inputs: &BTreeMap<Month, I>,
    first: Month,
    row: impl Fn(&I) -> Option<[f64; N]>,
) -> Vec<Row<N>> {
    let months = inputs.range(first..);
    months.filter_map(|(m, i)| Some((*m, row(i)?))).collect()
}

/// Formats AUC and Brier score.
fn format_scores(forecasts: &[ProbabilityForecast]) -> [String; 2] {
    [format_share(auc(forecasts)), format_share(brier(forecasts))]
}
