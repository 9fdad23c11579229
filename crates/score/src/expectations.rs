//! Scores the expectations of releases beside naive forecasts, each from what was known on the day before the release.

use crate::target::MonthFilter;
use crate::{format_rate, format_share, format_test, new_table};
use econoscope_core::error::Result;
use econoscope_core::indicators::expectation::{Expectation, Formula};
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::statistics::{average, count, diebold_mariano, quantile};
use econoscope_core::model::AsOf;
use econoscope_core::model::frequency::shift;
use econoscope_desk::Desk;
use econoscope_desk::scores::ScoreTable;
use jiff::ToSpan;

/// A naive forecast beside a formula.
struct Rival {
    id: &'static str,
    name: &'static str,
    /// It repeats the mean of so many last values of the measure; of none it is zero.
    values: usize,
    /// A forecast is near within this distance.
    near: f64,
}

const fn rival(id: &'static str, name: &'static str, values: usize, near: f64) -> Rival {
    Rival {
        id,
        name,
        values,
        near,
    }
}

/// Most values that a naive forecast averages.
const MOST_VALUES: usize = 12;

/// Each formula with what it claims to beat; of one formula all in a row.
const RIVALS: [Rival; 12] = [
    rival("PAYEMS", "the last change", 1, 50.0),
    rival("PAYEMS", "the mean of twelve", 12, 50.0),
    rival("UNRATE", "no change", 0, 0.05),
    rival("CPIAUCSL", "the last change", 1, 0.05),
    rival("CPIAUCSL", "the mean of twelve", 12, 0.05),
    rival("CPILFESL", "the last change", 1, 0.05),
    rival("CPILFESL", "the mean of twelve", 12, 0.05),
    rival("INDPRO", "the last change", 1, 0.25),
    rival("INDPRO", "no change", 0, 0.25),
    rival("ICSA", "the last week", 1, 2.5),
    rival("PCEPI", "the last change", 1, 0.05),
    rival("PCEPI", "the mean of twelve", 12, 0.05),
];

/// Parts of the months.
const PARTS: [(&str, MonthFilter); 4] = [
    ("", |_| true),
    (", without March 2020 to June 2021", |m| {
        !(Month::new(2020, 3)..=Month::new(2021, 6)).contains(&m)
    }),
    (", 2010 to 2019", |m| {
        (Month::new(2010, 1)..=Month::new(2019, 12)).contains(&m)
    }),
    (", since July 2021", |m| m >= Month::new(2021, 7)),
];

/// A first print, and what was known on the day before.
struct Print {
    month: Month,
    value: f64,
    expected: Expectation,
    /// The values of the measure before it, the newest first; not more than [`MOST_VALUES`].
    before: Vec<f64>,
}

/// Errors of the formula and of a rival for one print.
struct Trial {
    month: Month,
    errors: [f64; 2],
    /// Whether the formula's error was within what it says of nine in ten.
    is_inside: bool,
}

pub(super) fn table(desk: &Desk) -> Result<ScoreTable> {
    let mut table = new_table("expectations", "expectations")?;
    for rivals in RIVALS.chunk_by(|a, b| a.id == b.id) {
        let Some(formula) = rivals.first().and_then(|r| Formula::for_series(r.id)) else {
            continue;
        };
        let prints = prints(desk, formula)?;
        for rival in rivals {
            let all = prints.iter();
            let trials: Vec<Trial> = all.filter_map(|p| p.trial(formula, rival)).collect();
            for (part, is_included) in PARTS {
                let included = trials.iter().filter(|t| is_included(t.month));
                let name = format!("{}, beside {}{part}", rival.id, rival.name);
                let cells = row(rival, &included.collect::<Vec<_>>());
                table.row(std::iter::once(name).chain(cells.into_iter().flatten()));
            }
        }
    }
    Ok(table)
}

/// Returns every first print of a formula's series with a recorded day, or of a series without vintages.
fn prints(desk: &Desk, formula: &'static Formula) -> Result<Vec<Print>> {
    let latest = desk.series_set([formula.id], AsOf::Latest)?;
    let mut prints = Vec::new();
    for observation in latest.get(formula.id).iter().flat_map(|s| &s.observations) {
        let Some(print) = desk.first_print(formula, observation.date, AsOf::Latest)? else {
            continue;
        };
        if let (true, Ok(expected)) = (print.is_recorded || formula.id == "ICSA", print.expected) {
            let known = desk.series_set_on([formula.id], shift(print.day, (-1).day()))?;
            let series = known.get(formula.id);
            let newest = series.into_iter().flat_map(|series| {
                let observations = series.observations.iter().rev().take(MOST_VALUES);
                observations.filter_map(|o| formula.value_of(series, o.date))
            });
            prints.push(Print {
                month: Month::from_date(print.period),
                value: print.value,
                expected,
                before: newest.collect(),
            });
        }
    }
    Ok(prints)
}

impl Print {
    fn trial(&self, formula: &Formula, rival: &Rival) -> Option<Trial> {
        let values = self.before.iter().take(rival.values).copied();
        let naive = average(values).or((rival.values == 0).then_some(0.0))?;
        let error = |forecast: f64| match formula.measure {
            "level" => 100.0 * (self.value / forecast).ln(),
            _ => self.value - forecast,
        };
        let distance = (self.value - self.expected.value).abs();
        Some(Trial {
            month: self.month,
            errors: [error(self.expected.value), error(naive)],
            is_inside: self.expected.p90.is_some_and(|p90| distance <= p90),
        })
    }
}

/// Returns the cells after the name; `None` without trials.
fn row(rival: &Rival, trials: &[&Trial]) -> Option<[String; 12]> {
    let [from, to] = [trials.first()?, trials.last()?]
        .map(|trial| trial.month.first_day().strftime("%Y-%m").to_string());
    let own: Vec<f64> = trials.iter().map(|t| t.errors[0].abs()).collect();
    let other: Vec<f64> = trials.iter().map(|t| t.errors[1].abs()).collect();
    let losses: Vec<f64> = own.iter().zip(&other).map(|(a, b)| a * a - b * b).collect();
    let test = diebold_mariano(&losses, bandwidth(losses.len()));
    let shows = match test {
        Some(test) if test.p < 0.05 && test.statistic < 0.0 => "it is better",
        Some(test) if test.p < 0.05 => "it is worse",
        _ => "no gain is shown",
    };
    let mut sorted = own.clone();
    sorted.sort_by(f64::total_cmp);
    let rmse = |errors: &[f64]| average(errors.iter().map(|e| e * e)).map(f64::sqrt);
    let near = |errors: &[f64]| format_rate(errors.iter().map(|e| *e <= rival.near));
    let inside = match rival.id {
        "ICSA" => "-".to_owned(),
        _ => format_rate(trials.iter().map(|t| t.is_inside)),
    };
    Some([
        from,
        to,
        trials.len().to_string(),
        format_size(rmse(&own)),
        format_size(rmse(&other)),
        format_test(test),
        format_size(Some(rival.near)),
        near(&own),
        near(&other),
        format_size(quantile(&sorted, 90)),
        inside,
        shows.to_owned(),
    ])
}

/// Returns over how many periods squared errors are taken to share news. Source: Newey and West 1994, Bartlett weights.
fn bandwidth(n: usize) -> usize {
    let periods = 1.0 + 4.0 * (count(n) / 100.0).powf(2.0 / 9.0);
    (1..=n).take_while(|lag| count(*lag) <= periods).count()
}

/// Formats an error: "126" from ten on, else ".094".
fn format_size(value: Option<f64>) -> String {
    match value {
        Some(value) if value >= 10.0 => format!("{value:.0}"),
        _ => format_share(value),
    }
}
