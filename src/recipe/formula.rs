//! Series that follow from others: what agencies print as spreads and ratios is computed here, on their own figures.

use super::shape::{Formula, Line};
use crate::model::series_info::round_to;
use crate::model::{Date, Frequency, Observation};
use std::collections::BTreeMap;

/// The figures of a line from those of the series it names, in their order.
///
/// Shape: dates that every input has; nothing where one is missing.
/// Source: FRED's own notes on T10Y2Y, T5YIFR, M2V, GFDEGDQ188S; Sahm 2019.
pub fn formula(line: &Line, inputs: &[Vec<Observation>]) -> Vec<Observation> {
    let Some(kind) = line.formula else {
        return Vec::new();
    };
    let pair = |f: fn(f64, f64) -> f64| match inputs {
        [a, b] => together(a, b, f),
        _ => Vec::new(),
    };
    let found = match (kind, inputs) {
        (Formula::Difference, _) => pair(|a, b| a - b),
        (Formula::Ratio, _) => pair(|a, b| a / b),
        (Formula::QuarterRatio, [a, b]) => together(a, &quarter_means(b), |a, b| a / b),
        (Formula::MonthMeanDifference, _) => month_means(&pair(|a, b| a - b)),
        (Formula::Forward, [n5, n10, r5, r10]) => {
            let five = together(n5, r5, |n, r| n - r);
            let ten = together(n10, r10, |n, r| n - r);
            together(&five, &ten, |five, ten| {
                let half = |rate: f64, power: i32| (1.0 + rate / 200.0).powi(power);
                ((half(ten, 20) / half(five, 10)).powf(0.1) - 1.0) * 200.0
            })
        }
        (Formula::Sahm, [rate]) => sahm(rate),
        (Formula::Forward | Formula::Sahm | Formula::QuarterRatio, _) => Vec::new(),
    };
    let tidy = |o: Observation| {
        let value = o.value * line.scale;
        let value = line
            .decimals
            .map_or(value, |n| round_to(value, i32::from(n)));
        Observation::new(o.date, value)
    };
    let is_sound =
        |o: &Observation| o.value.is_finite() && line.from.is_none_or(|from| o.date >= from);
    found.into_iter().map(tidy).filter(is_sound).collect()
}

fn together(a: &[Observation], b: &[Observation], f: fn(f64, f64) -> f64) -> Vec<Observation> {
    let other: BTreeMap<Date, f64> = b.iter().map(|o| (o.date, o.value)).collect();
    let both = a
        .iter()
        .filter_map(|o| Some(Observation::new(o.date, f(o.value, *other.get(&o.date)?))));
    both.collect()
}

/// The mean of each month but the last, which may go on.
fn month_means(days: &[Observation]) -> Vec<Observation> {
    let month = |o: &Observation| Frequency::Monthly.stamp(o.date);
    let mut means: Vec<Observation> = days
        .chunk_by(|a, b| month(a) == month(b))
        .filter_map(|days| {
            let sum: f64 = days.iter().map(|o| o.value).sum();
            let count = u32::try_from(days.len()).ok()?;
            Some(Observation::new(
                month(days.first()?),
                sum / f64::from(count),
            ))
        })
        .collect();
    means.pop();
    means
}

/// The mean of each quarter that has three months.
fn quarter_means(months: &[Observation]) -> Vec<Observation> {
    let quarter = |o: &Observation| Frequency::Quarterly.stamp(o.date);
    let whole = |w: &[Observation]| match w {
        [a, b, c] => Some(Observation::new(
            quarter(a),
            (a.value + b.value + c.value) / 3.0,
        )),
        _ => None,
    };
    months
        .chunk_by(|a, b| quarter(a) == quarter(b))
        .filter_map(whole)
        .collect()
}

fn sahm(rate: &[Observation]) -> Vec<Observation> {
    let months = |w: &[Observation]| {
        let first = w.first().map(|o| Frequency::Monthly.period_number(o.date));
        first.zip(w.last().map(|o| Frequency::Monthly.period_number(o.date)))
    };
    let mean = |w: &[Observation]| {
        let sum: f64 = w.iter().map(|o| o.value).sum();
        // Three consecutive months, or none.
        let whole = months(w).is_some_and(|(a, b)| b - a == 2);
        Some((w.last()?.date, whole.then_some(sum / 3.0)))
    };
    let means: Vec<(Date, Option<f64>)> = rate.windows(3).filter_map(mean).collect();
    let value = |w: &[(Date, Option<f64>)]| {
        let (now, before) = w.split_last()?;
        let least = before
            .iter()
            .filter_map(|(_, mean)| *mean)
            .fold(f64::INFINITY, f64::min);
        Some(Observation::new(now.0, now.1? - least))
    };
    means.windows(13).filter_map(value).collect()
}
