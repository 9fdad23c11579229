//! How good probabilities were.

use super::moments::{average, count};

/// A probability that was said, 0 to 1, and whether it came so.
pub type Said = (f64, bool);

/// The chance that a month with the event was given more than one without, ties counting half: the area under the ROC
/// curve. `None` without both kinds. Source: Hanley and McNeil 1982.
pub fn auc(said: &[Said]) -> Option<f64> {
    let of = |kind: bool| said.iter().filter(move |s| s.1 == kind).map(|s| s.0);
    let pairs = of(true).count() * of(false).count();
    let won = |with: f64| -> f64 {
        let won = |without: f64| match with.total_cmp(&without) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        of(false).map(won).sum()
    };
    (pairs > 0).then(|| of(true).map(won).sum::<f64>() / count(pairs))
}

/// Mean squared distance of what was said from what came; `None` for nothing. Source: Brier 1950.
pub fn brier(said: &[Said]) -> Option<f64> {
    let squares = said
        .iter()
        .map(|(p, came)| (p - f64::from(u8::from(*came))).powi(2));
    average(squares)
}

/// Of the months that were given a probability in a range: how many, what was said on average, what share came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// Lower end, included.
    pub from: f64,
    /// Months.
    pub months: usize,
    /// Mean of what was said.
    pub said: f64,
    /// Share that came.
    pub came: f64,
}

/// [`Bin`]s that begin at `edges`, ascending; empty ones are left out.
pub fn calibration(said: &[Said], edges: &[f64]) -> Vec<Bin> {
    let bin = |(i, from): (usize, &f64)| {
        let to = edges.get(i + 1).copied().unwrap_or(f64::INFINITY);
        let own: Vec<&Said> = said.iter().filter(|s| (*from..to).contains(&s.0)).collect();
        let came = own.iter().filter(|s| s.1).count();
        Some(Bin {
            from: *from,
            months: own.len(),
            said: average(own.iter().map(|s| s.0))?,
            came: count(came) / count(own.len()),
        })
    };
    edges.iter().enumerate().filter_map(bin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_distances_and_shares_are_those_of_a_hand_worked_case() {
        let said = [(0.1, false), (0.4, true), (0.4, false), (0.8, true)];
        assert_eq!(auc(&said), Some(0.875));
        assert!((brier(&said).unwrap() - (0.01 + 0.36 + 0.16 + 0.04) / 4.0).abs() < 1e-12);
        assert_eq!((auc(&said[..1]), brier(&[])), (None, None));
        let bins = calibration(&said, &[0.0, 0.2, 0.5, 0.9]);
        assert_eq!(bins.iter().map(|b| b.months).collect::<Vec<_>>(), [1, 2, 1]);
        assert_eq!((bins[1].said, bins[1].came), (0.4, 0.5));
    }
}
