//! Validates the error bars of first prints: how often the value of a year later lay inside, by what was known when each
//! figure first came out.

use crate::revisions::series;
use crate::{format_share, format_test, new_table, rate};
use econoscope_core::error::Result;
use econoscope_core::indicators::prose::format_signed;
use econoscope_core::indicators::revisions::{LEVELS, PrintedPeriod, Revisions};
use econoscope_core::indicators::statistics::{average, count, diebold_mariano, mean, quantile};
use econoscope_core::model::Date;
use econoscope_desk::Desk;
use econoscope_desk::scores::{ERROR_BARS, ScoreTable};

/// Years of the first prints that are scored.
const YEARS: std::ops::RangeInclusive<i16> = 1985..=2024;
/// Fewest first prints of a validation.
const MIN_PRINTS: usize = 100;
/// How far a coverage may fall short. Two standard errors of a share of .9 over 150 independent prints.
const MAX_SHORTFALL: f64 = 0.05;
/// Periods over which revisions of a year share news.
const OVERLAP: usize = 12;
/// Least density of a score, so that one outlier does not decide it.
const MIN_DENSITY: f64 = 1e-6;

/// What the bar of one first print said, and what came.
struct Trial {
    date: Date,
    /// Whether the revision lay inside, for each of [`LEVELS`].
    is_inside: [bool; 3],
    /// Logarithmic score of the revisions' kernel density less that of a normal with their mean and deviation.
    gain: f64,
}

pub(super) fn table(desk: &Desk) -> Result<ScoreTable> {
    let mut table = new_table("error bars", ERROR_BARS)?;
    for info in series() {
        let revisions = desk.revisions(info)?;
        let trials = revisions.map_or_else(Vec::new, |revisions| trials(&revisions));
        let (Some(first), Some(last)) = (trials.first(), trials.last()) else {
            continue;
        };
        let coverage = [0, 1, 2].map(|level: usize| {
            let is_inside = |trial: &Trial| trial.is_inside.get(level) == Some(&true);
            rate(trials.iter().map(is_inside))
        });
        let mut pairs = LEVELS.into_iter().zip(coverage);
        let is_short = pairs.any(|pair| {
            let promised = count(pair.0) / 100.0;
            pair.1.is_none_or(|share| share < promised - MAX_SHORTFALL)
        });
        let is_shown = trials.len() >= MIN_PRINTS && !is_short;
        let gains: Vec<f64> = trials.iter().map(|trial| trial.gain).collect();
        let gain = mean(&gains).map_or("-".to_owned(), |gain| format_signed(gain, 2));
        let losses: Vec<f64> = gains.iter().map(|gain| -gain).collect();
        let test = format_test(diebold_mariano(&losses, OVERLAP));
        let [from, to] = [first, last].map(|trial| trial.date.strftime("%Y-%m").to_string());
        let n = trials.len().to_string();
        let head = [info.id.to_string(), from, to, n];
        let shown = if is_shown { "yes" } else { "no" };
        let cells = head.into_iter().chain(coverage.map(format_share));
        table.row(cells.chain([gain, test, shown.to_owned()]));
    }
    Ok(table)
}

/// Tries the bar of every first print of [`YEARS`] whose value of a year later is known.
fn trials(revisions: &Revisions) -> Vec<Trial> {
    let prints = revisions.prints.iter();
    let scored = prints.filter(|print| YEARS.contains(&print.date.year()));
    let trial = |print: &PrintedPeriod| {
        let bar = revisions.error_bar(print.first.day)?;
        let later = print.later[1]?.value;
        let revision = revisions.measure.revision(print.first.value, later);
        // The quantiles are rounded in binary arithmetic.
        let holds = |[low, high]: [f64; 2]| (low - 1e-9..=high + 1e-9).contains(&revision);
        Some(Trial {
            date: print.date,
            is_inside: bar.intervals.map(holds),
            gain: gain(&bar.revisions, revision)?,
        })
    };
    scored.filter_map(trial).collect()
}

/// Returns the log score of a kernel density of the revisions less that of a normal. The bandwidth is Silverman's.
fn gain(revisions: &[f64], came: f64) -> Option<f64> {
    let center = mean(revisions)?;
    let squares: Vec<f64> = revisions.iter().map(|r| (r - center).powi(2)).collect();
    let sd = mean(&squares)?.sqrt();
    let spread = (quantile(revisions, 75)? - quantile(revisions, 25)?) / 1.34;
    let spread = if spread > 0.0 { spread.min(sd) } else { sd };
    let width = (0.9 * spread * count(revisions.len()).powf(-0.2)).max(1e-3);
    let normal = |x: f64, sd: f64| {
        (-0.5 * (x / sd).powi(2)).exp() / sd / (2.0 * std::f64::consts::PI).sqrt()
    };
    let kernel = average(revisions.iter().map(|r| normal(came - r, width)))?;
    Some(kernel.max(MIN_DENSITY).ln() - normal(came - center, sd).max(MIN_DENSITY).ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::catalogue::Catalogue;
    use econoscope_data::store::Sqlite;
    use econoscope_desk::Settings;
    use econoscope_desk::scores::Scores;
    use jiff::civil::date;
    use std::sync::Arc;

    fn desk() -> Desk {
        let store = Arc::new(Sqlite::bundled().unwrap());
        Desk::open(store, Settings::default(), Desk::system_clock())
    }

    #[test]
    fn table_of_error_bars_is_the_embedded_one() {
        let desk = desk();
        let computed = table(&desk).unwrap();
        let embedded = Scores::embedded().tables_of(ERROR_BARS);
        let printed = serde_json::to_string_pretty(&computed).unwrap();
        assert!(embedded == [computed], "{printed}");
    }

    #[test]
    fn bar_knows_no_later_revision() {
        let desk = desk();
        let info = Catalogue::embedded().get("PAYEMS").unwrap();
        let revisions = desk.revisions(info).unwrap().unwrap();
        let day = date(2005, 6, 3);
        let mut altered = (*revisions).clone();
        for print in &mut altered.prints {
            for later in print
                .later
                .iter_mut()
                .flatten()
                .filter(|later| later.day >= day)
            {
                later.value += 1_000.0;
            }
        }
        let bar = revisions.error_bar(day).unwrap();
        assert_eq!(altered.error_bar(day), Some(bar));
        let later = date(2015, 6, 5);
        assert_ne!(altered.error_bar(later), revisions.error_bar(later));
    }
}
