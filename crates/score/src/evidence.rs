//! What a score is worth: intervals, comparisons of two rules on the same months, and the choice among variants.

use crate::share;
use crate::target::{ByMonth, Target};
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::statistics::{
    Said, auc, block_draws, brier, diebold_mariano, quantile,
};
use econoscope_data::desk::scores::ScoreTable;

/// Months of a block, the length of a false alarm and of an expansion's middle: within it neighbours share news and labels.
const BLOCK: usize = 48;
/// Draws of the bootstrap.
const DRAWS: usize = 2_000;

/// A figure and the bounds of nine in ten draws.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranged {
    pub(super) value: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

/// Two rules over the same months.
pub(super) struct Comparison {
    pub(super) months: usize,
    /// AUC and Brier score of the rule, and how much more than those of the other they are.
    pub(super) own: [Ranged; 2],
    pub(super) difference: [Ranged; 2],
    /// Probability of so large a difference of the Brier scores between equals.
    pub(super) p: Option<f64>,
}

/// A pair of probabilities for a month, and whether it came.
type Pair = ([f64; 2], bool);

impl Comparison {
    /// Of the months that both rules have, over all scored months or a part of them; `None` without both kinds of month.
    pub(super) fn of(
        target: &Target,
        [own, other]: [&ByMonth; 2],
        is_meant: impl Fn(Month) -> bool,
    ) -> Option<Self> {
        let [first, last] = target.scored;
        let both = own.range(first..=last);
        // Blocks are runs of the calendar; what is not meant falls out of each draw.
        let pairs: Vec<(Pair, bool)> = both
            .filter_map(|(m, p)| Some((([*p, *other.get(m)?], (target.came)(*m)), is_meant(*m))))
            .collect();
        let of = |positions: &mut dyn Iterator<Item = usize>| -> Option<[[f64; 2]; 2]> {
            let meant = positions.filter_map(|at| pairs.get(at).filter(|(_, meant)| *meant));
            let meant: Vec<Pair> = meant.map(|(pair, _)| *pair).collect();
            let side = |which: usize| -> Option<[f64; 2]> {
                let said = meant
                    .iter()
                    .filter_map(|(p, came)| Some((*p.get(which)?, *came)));
                let said: Vec<Said> = said.collect();
                Some([auc(&said)?, brier(&said)?])
            };
            Some([side(0)?, side(1)?])
        };
        let whole = of(&mut (0..pairs.len()))?;
        let draws = block_draws(pairs.len(), BLOCK, DRAWS);
        let drawn: Vec<[[f64; 2]; 2]> = draws.filter_map(|d| of(&mut d.into_iter())).collect();
        let ranged = |pick: &dyn Fn(&[[f64; 2]; 2]) -> f64| {
            let mut values: Vec<f64> = drawn.iter().map(pick).collect();
            values.sort_by(f64::total_cmp);
            Some(Ranged {
                value: pick(&whole),
                from: quantile(&values, 5)?,
                to: quantile(&values, 95)?,
            })
        };
        let loss = |p: f64, came: bool| (p - f64::from(u8::from(came))).powi(2);
        let meant = pairs.iter().filter(|(_, meant)| *meant);
        let losses: Vec<f64> = meant
            .map(|(([a, b], came), _)| loss(*a, *came) - loss(*b, *came))
            .collect();
        Some(Self {
            months: losses.len(),
            own: [ranged(&|s| s[0][0])?, ranged(&|s| s[0][1])?],
            difference: [
                ranged(&|s| s[0][0] - s[1][0])?,
                ranged(&|s| s[0][1] - s[1][1])?,
            ],
            p: diebold_mariano(&losses, target.overlap),
        })
    }

    /// What may be claimed: a gain is one that nine in ten draws show, and of probabilities one that the test shows, too.
    pub(super) fn verdict(&self) -> &'static str {
        let [ranks, errors] = self.difference;
        let is_better = errors.to < 0.0 && self.p.is_some_and(|p| p < 0.1);
        match (ranks.from > 0.0, is_better) {
            (true, true) => "it ranks months better, and its probabilities are better",
            (true, false) => {
                "it ranks months better; that its probabilities are better is not shown"
            }
            (false, true) => {
                "its probabilities are better; that it ranks months better is not shown"
            }
            (false, false) => "no gain is shown",
        }
    }
}

impl Ranged {
    /// ".854 (.790 to .910)".
    pub(super) fn in_words(self) -> String {
        format!(
            "{} ({} to {})",
            signed(self.value),
            signed(self.from),
            signed(self.to)
        )
    }
}

/// ".014", "-.014".
fn signed(value: f64) -> String {
    let sign = if value < -0.000_5 { "-" } else { "" };
    format!("{sign}{}", share(Some(value.abs())))
}

/// Rules beside others, over all months and over the last part of them.
pub(super) fn table(
    indicator: &str,
    target: &Target,
    comparisons: &[(&str, [&ByMonth; 2])],
) -> ScoreTable {
    let title = "rules beside others on the same months, with 90 % intervals";
    let columns = [
        "rule, beside",
        "months",
        "AUC",
        "Brier",
        "AUC more by",
        "Brier more by",
        "p",
        "what it shows",
    ];
    let mut table = ScoreTable::new(indicator, title, &columns);
    for (name, rules) in comparisons {
        let all = [("", None)].into_iter();
        let parts = target
            .parts
            .iter()
            .map(|(part, is_meant)| (*part, Some(*is_meant)));
        for (part, is_meant) in all.chain(parts) {
            let meant = |m: Month| is_meant.is_none_or(|is_meant| is_meant(m));
            let Some(found) = Comparison::of(target, *rules, meant) else {
                continue;
            };
            let comma = if part.is_empty() { "" } else { ", " };
            let [own, difference] =
                [found.own, found.difference].map(|both| both.map(Ranged::in_words));
            let [ranks, errors] = own;
            let [more, less] = difference;
            let p = found.p.map_or("-".to_owned(), |p| format!("{p:.2}"));
            table.row([
                format!("{name}{comma}{part}"),
                found.months.to_string(),
                ranks,
                errors,
                more,
                less,
                p,
                found.verdict().to_owned(),
            ]);
        }
    }
    table
}

/// What is said by whichever variant had the lowest Brier score over the scored months whose labels were known, chosen
/// anew each month from `first` on.
pub(super) fn chosen(target: &Target, variants: &[ByMonth], first: Month) -> ByMonth {
    let mut said = ByMonth::new();
    for month in first.until(target.scored[1]) {
        let until = (target.known)(month);
        let past = |variant: &ByMonth| {
            let known = variant.range(target.scored[0]..=until);
            let known: Vec<Said> = known.map(|(m, p)| (*p, (target.came)(*m))).collect();
            brier(&known)
        };
        let scored = variants
            .iter()
            .filter_map(|v| Some((v, past(v)?, v.get(&month)?)));
        let best = scored.min_by(|a, b| a.1.total_cmp(&b.1));
        said.extend(best.map(|(_, _, p)| (month, *p)));
    }
    said
}

/// One probit for every choice of at least one of the inputs, at most five, refitted at each month.
pub(super) fn variants<const M: usize>(
    target: &Target,
    rows: &[(Month, [Option<f64>; M])],
) -> Vec<ByMonth> {
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

/// A probit on some of the inputs, in the months that have them; `N` is one more than they are.
fn variant<const N: usize, const M: usize>(
    target: &Target,
    rows: &[(Month, [Option<f64>; M])],
    set: &[usize],
) -> ByMonth {
    let row = |(month, all): &(Month, [Option<f64>; M])| {
        let mut row = [1.0; N];
        for (cell, at) in row.iter_mut().skip(1).zip(set) {
            *cell = all.get(*at).copied()??;
        }
        Some((*month, row))
    };
    target.out_of_sample(&rows.iter().filter_map(row).collect::<Vec<_>>())
}
