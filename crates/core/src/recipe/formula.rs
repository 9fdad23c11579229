//! Series that follow from others: what agencies print as spreads and ratios is computed here, on their own figures.

use super::shape::{Formula, SeriesRecipe};
use crate::model::series_info::round_to;
use crate::model::{Date, Frequency, Observation};
use std::collections::BTreeMap;

/// The figures of a line from those of the series it names, in their order.
///
/// Shape: dates that every input has; nothing where one is missing.
/// Source: FRED's own notes on T10Y2Y, T5YIFR, M2V, GFDEGDQ188S; Sahm 2019.
pub fn formula(line: &SeriesRecipe, inputs: &[Vec<Observation>]) -> Vec<Observation> {
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
        (Formula::QuarterRatio, [a, b]) => {
            together(a, &means(b, Frequency::Quarterly, 3), |a, b| a / b)
        }
        (Formula::MonthMeanDifference, _) => {
            let mut months = means(&pair(|a, b| a - b), Frequency::Monthly, 1);
            // The last one may go on.
            months.pop();
            months
        }
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

/// The mean of each period that has so many figures at least.
fn means(rows: &[Observation], of: Frequency, least: usize) -> Vec<Observation> {
    let same = |a: &Observation, b: &Observation| of.stamp(a.date) == of.stamp(b.date);
    let whole = rows.chunk_by(same).filter(|rows| rows.len() >= least);
    let mean = |rows: &[Observation]| {
        let sum: f64 = rows.iter().map(|o| o.value).sum();
        let count = u32::try_from(rows.len()).ok()?;
        let stamp = of.stamp(rows.first()?.date);
        Some(Observation::new(stamp, sum / f64::from(count)))
    };
    whole.filter_map(mean).collect()
}

fn sahm(rate: &[Observation]) -> Vec<Observation> {
    let month = |o: &Observation| Frequency::Monthly.period_number(o.date);
    let mean = |w: &[Observation]| match w {
        // Three consecutive months, or none.
        [a, b, c] => {
            let sum = a.value + b.value + c.value;
            Some((c.date, (month(c) - month(a) == 2).then_some(sum / 3.0)))
        }
        _ => None,
    };
    let means: Vec<(Date, Option<f64>)> = rate.windows(3).filter_map(mean).collect();
    let value = |w: &[(Date, Option<f64>)]| {
        let (now, before) = w.split_last()?;
        let before = before.iter().filter_map(|(_, mean)| *mean);
        let least = before.fold(f64::INFINITY, f64::min);
        Some(Observation::new(now.0, now.1? - least))
    };
    means.windows(13).filter_map(value).collect()
}
