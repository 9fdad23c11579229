//! Scores of the regime as of a day against the label of the same month when its figures were first complete, and finally.

mod revised;
mod training;

use crate::{format_rate, format_share, format_test, new_table};
use econoscope_core::error::Result;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nowcast::{self, WEEKLY};
use econoscope_core::indicators::recession_now::release_day;
use econoscope_core::indicators::regime::{self, PUBLISHED, Regime, RegimeMonth, StandardErrors};
use econoscope_core::indicators::statistics::{
    ProbabilityForecast, average, brier, diebold_mariano,
};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, SeriesSet};
use econoscope_desk::Desk;
use econoscope_desk::scores::ScoreTable;
use jiff::ToSpan;
use std::collections::BTreeMap;
use training::{LAST_MONTH, TrainingData};

const FIRST_SCORED: Month = Month::new(1985, 1);
const LAST_SCORED: Month = Month::new(2026, 1);

/// Months over which the losses of neighbours share news in the tests.
const OVERLAP: usize = 12;

/// Months of the history that are kept for each month's end.
const HISTORY_MONTHS: usize = 12;

/// The history of the regime as known at a month's end.
type MonthEnd = (Month, Vec<RegimeMonth>);

/// The regime of each month as last revised.
type Revised<'a> = BTreeMap<Date, &'a RegimeMonth>;

/// The regime of a month when its figures were first complete, and as last revised.
type Later<'a> = [&'a RegimeMonth; 2];

/// What a reading loses against the later ones.
type Loss = fn(&RegimeMonth, &Later) -> f64;

/// The regime on a day of a month, and later.
struct Case<'a> {
    month: Month,
    published: RegimeMonth,
    /// The nowcast with the bridges fitted by the day.
    nowcast: Option<RegimeMonth>,
    /// The nowcast with the bridges in use.
    shipped: Option<RegimeMonth>,
    later: Later<'a>,
}

pub(super) fn tables(desk: &Desk) -> Result<Vec<ScoreTable>> {
    let history = desk.regimes(AsOf::Latest)?;
    let revised: Revised = history.months.iter().map(|m| (m.month, m)).collect();
    let ends = month_ends(desk)?;
    let later = later_months(&ends, &revised);
    let training = TrainingData::new(desk)?;
    let mut errors = new_table("regime errors", "regime")?;
    let mut confidence = new_table("confidence", "regime")?;
    for (name, day) in [("5th", Some(5)), ("15th", Some(15)), ("month end", None)] {
        let cases = cases(desk, day, &training, &later)?;
        let all: Vec<&Case> = cases.iter().collect();
        let recent: Vec<&Case> = cases.iter().filter(|c| c.month > LAST_MONTH).collect();
        errors.row(error_row(name, &all, |c| c.nowcast.as_ref()));
        let since_2020 = format!("{name}, from 2020");
        errors.row(error_row(&since_2020, &recent, |c| c.nowcast.as_ref()));
        let shipped = format!("{name}, bridges as they ship");
        errors.row(error_row(&shipped, &all, |c| c.shipped.as_ref()));
        let published = all.iter().map(|c| (&c.published, c.later[1]));
        confidence.row(confidence_row([name, "published"], PUBLISHED, published));
        let nowcast = all
            .iter()
            .filter_map(|c| Some((c.nowcast.as_ref()?, c.later[1])));
        confidence.row(confidence_row([name, "nowcast"], nowcast::ERRORS, nowcast));
    }
    Ok(vec![
        errors,
        confidence,
        revised::label_table(desk, &ends, &revised)?,
        revised::detection_table(&ends),
    ])
}

/// Returns the inputs of regime and nowcast as known on a day.
fn inputs_on(desk: &Desk, day: Date) -> Result<SeriesSet> {
    desk.series_set_on(regime::INPUTS.iter().chain(&WEEKLY).copied(), day)
}

/// Returns the newest months of the regime as known at each month's end.
fn month_ends(desk: &Desk) -> Result<Vec<MonthEnd>> {
    let newest = Month::from_date(desk.regime_day(AsOf::Latest)?);
    let ends = revised::SINCE.through(newest).map(|end| {
        let day = end.last_day();
        let mut months = regime::history(&inputs_on(desk, day)?, day);
        months.drain(..months.len().saturating_sub(HISTORY_MONTHS));
        Ok((end, months))
    });
    ends.collect()
}

/// Returns the first complete and the revised regime of each month that still has a label.
fn later_months<'a>(ends: &'a [MonthEnd], revised: &Revised<'a>) -> BTreeMap<Date, Later<'a>> {
    let mut later = BTreeMap::new();
    for first in ends.iter().flat_map(|(_, months)| months.iter().rev()) {
        let is_complete = first.growth_parts.len() == regime::GROWTH_INPUTS;
        if let Some(last) = revised.get(&first.month).filter(|_| is_complete) {
            later.entry(first.month).or_insert([first, *last]);
        }
    }
    later
}

/// Returns every scored month as of one of its days, or of its end.
fn cases<'a>(
    desk: &Desk,
    day_of_month: Option<i64>,
    training: &TrainingData,
    later: &BTreeMap<Date, Later<'a>>,
) -> Result<Vec<Case<'a>>> {
    let mut cases = Vec::new();
    for month in FIRST_SCORED.through(LAST_SCORED) {
        let day = day_of_month.map_or(month.last_day(), |d| {
            shift(month.first_day(), (d - 1).days())
        });
        let inputs = inputs_on(desk, day)?;
        // The nowcast is for the month of the newest week of claims.
        let newest = inputs.get("ICSA").and_then(|claims| {
            let mut weeks = claims.observations.iter().rev();
            weeks.find(|o| release_day(o.date) <= day)
        });
        let later = newest.and_then(|o| later.get(&Month::from_date(o.date).plus(1).first_day()));
        if let (Some(later), Some(published)) = (later, regime::compute(&inputs, day).state) {
            let nowcast = nowcast::compute_with(&inputs, day, day, training.coefficients(day));
            let shipped = nowcast::compute(&inputs, day, day);
            cases.push(Case {
                month,
                published,
                nowcast: nowcast.ok().map(|n| n.state),
                shipped: shipped.ok().map(|n| n.state),
                later: *later,
            });
        }
    }
    Ok(cases)
}

fn error_row<'a>(
    name: &str,
    cases: &[&'a Case<'a>],
    nowcast: impl Fn(&'a Case<'a>) -> Option<&'a RegimeMonth>,
) -> [String; 9] {
    let own = cases.iter().map(|c| (&c.published, c.later)).collect();
    let nowcasts = cases
        .iter()
        .map(|c| (nowcast(c).unwrap_or(&c.published), c.later));
    let readings: [Vec<(&RegimeMonth, Later)>; 2] = [own, nowcasts.collect()];
    let [published, nowcast] = &readings;
    let label_first: Loss = |m, [first, _]| f64::from(u8::from(m.regime != first.regime));
    let label_last: Loss = |m, [_, last]| f64::from(u8::from(m.regime != last.regime));
    let growth: Loss = |m, [first, _]| (m.growth - first.growth).powi(2);
    let inflation: Loss = |m, [first, _]| (m.inflation - first.inflation).powi(2);
    let mean = |readings: &[(&RegimeMonth, Later)], loss: Loss| {
        average(readings.iter().map(|(m, later)| loss(m, later)))
    };
    let labels = |readings: &[(&RegimeMonth, Later)]| {
        let shares = [label_first, label_last].map(|loss| format_share(mean(readings, loss)));
        shares.join(", ")
    };
    let errors = |loss: Loss| {
        let means = readings.each_ref().map(|readings| mean(readings, loss));
        means
            .map(|mean| format_share(mean.map(f64::sqrt)))
            .join(", ")
    };
    let test = |loss: Loss| {
        let pairs = nowcast.iter().zip(published);
        let losses = pairs.map(|(n, p)| loss(n.0, &n.1) - loss(p.0, &p.1));
        format_test(diebold_mariano(&losses.collect::<Vec<_>>(), OVERLAP))
    };
    [
        name.to_owned(),
        cases.len().to_string(),
        labels(published),
        labels(nowcast),
        errors(growth),
        errors(inflation),
        test(label_last),
        test(growth),
        test(inflation),
    ]
}

/// Compares the confidence in labels with how often they were right. Takes pairs of a reading and the revised one.
fn confidence_row<'a>(
    names: [&str; 2],
    errors: StandardErrors,
    pairs: impl Iterator<Item = (&'a RegimeMonth, &'a RegimeMonth)> + Clone,
) -> [String; 7] {
    let confidence = |month: &RegimeMonth, errors: StandardErrors| {
        let shares = regime::probabilities(month.growth, month.inflation, errors);
        let mut quadrants = Regime::QUADRANTS.into_iter().zip(shares);
        let own = quadrants.find(|(label, _)| *label == month.regime);
        own.map_or(0.0, |(_, share)| share)
    };
    let forecasts = |errors: StandardErrors| -> Vec<ProbabilityForecast> {
        (pairs.clone())
            .map(|(month, last)| (confidence(month, errors), month.regime == last.regime))
            .collect()
    };
    let own = forecasts(errors);
    let wide = forecasts(StandardErrors {
        growth: 0.35,
        inflation: 0.35,
    });
    let loss = |(p, occurred): &ProbabilityForecast| (p - f64::from(u8::from(*occurred))).powi(2);
    let both = own.iter().zip(&wide);
    let losses: Vec<f64> = both.map(|(a, b)| loss(a) - loss(b)).collect();
    let [name, state] = names.map(str::to_owned);
    [
        name,
        state,
        format_share(average(own.iter().map(|s| s.0))),
        format_rate(own.iter().map(|s| s.1)),
        format_share(brier(&own)),
        format_share(brier(&wide)),
        format_test(diebold_mariano(&losses, OVERLAP)),
    ]
}
