//! Columns put on one calendar: statistics of each, correlations of pairs, thinned rows.

use super::output::{Column, Output, Pair};
use crate::endpoints::provenance::Provenance;
use crate::error::{Error, Result};
use crate::indicators::expression::{self, convert, join};
use crate::indicators::resample::Aggregation;
use crate::indicators::statistics::{correlation, percentile_rank, summary};
use crate::indicators::transform::Units;
use crate::model::catalogue::round_to;
use crate::model::{Attribution, Date, Frequency, Observation, Series};

/// What is asked of the columns.
pub(super) struct Asked {
    pub(super) to: Frequency,
    pub(super) how: Aggregation,
    pub(super) units: Units,
    pub(super) start: Date,
    pub(super) end: Date,
    /// Most rows; by default what keeps the answer within 1,500 tokens.
    pub(super) most: Option<usize>,
}

/// Figures in an answer by default: sixty rows of two columns.
const CELLS: usize = 120;
const MOST_ROWS: usize = 60;
const LEAST_ROWS: usize = 12;

pub(super) fn compare(
    names: &[String],
    columns: Vec<expression::Column>,
    asked: &Asked,
    provenance: Provenance,
) -> Result<Output> {
    let weeks = columns
        .iter()
        .map(|c| &c.series)
        .find(|s| s.frequency() == Frequency::Weekly)
        .cloned();
    let ready = columns
        .into_iter()
        .map(|c| on_calendar(c, asked, weeks.as_ref()))
        .collect::<Result<Vec<_>>>()?;
    let series: Vec<&Series> = ready.iter().map(|c| &c.series).collect();
    let rows = join(&series);
    let most = asked
        .most
        .unwrap_or_else(|| (CELLS / names.len().max(1)).clamp(LEAST_ROWS, MOST_ROWS));
    let shown: Vec<&(Date, Vec<f64>)> = thinned(rows.len(), most)
        .filter_map(|i| rows.get(i))
        .collect();
    let columns = ready
        .iter()
        .zip(names)
        .enumerate()
        .map(|(i, (c, name))| {
            let values = shown.iter().filter_map(|(_, v)| v.get(i)).copied();
            describe(name, c, asked, values.map(|v| rounded(c, v)).collect())
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(Output {
        frequency: asked.to.word().into(),
        start: asked.start,
        end: asked.end,
        count: rows.len(),
        columns,
        correlations: pairs(names, &series),
        dates: shown.iter().map(|(date, _)| *date).collect(),
        attribution: Attribution {
            text: String::new(),
            url: String::new(),
        },
        provenance,
    })
}

/// A column at the common frequency, transformed, and cut to the range.
/// Transformed before it is cut, so that the first year of the range has growth rates too.
fn on_calendar(
    column: expression::Column,
    asked: &Asked,
    weeks: Option<&Series>,
) -> Result<expression::Column> {
    let series = convert(&column.series, asked.to, asked.how, weeks)?;
    let column = expression::Column {
        series,
        unit: column.unit,
    }
    .transformed(asked.units);
    let rows = column.series.between(asked.start, asked.end).to_vec();
    Ok(expression::Column {
        series: Series::new(column.series.info, rows),
        unit: column.unit,
    })
}

/// Five significant figures, and never fewer decimals than the source publishes (up to three).
fn rounded(column: &expression::Column, value: f64) -> f64 {
    let size = [10_000.0, 1_000.0, 100.0, 10.0, 1.0, 0.1];
    let significant = size.iter().position(|s| value.abs() >= *s).unwrap_or(6);
    let own = usize::from(column.series.info.decimals.min(3));
    round_to(value, i32::try_from(significant.max(own)).unwrap_or(6))
}

fn describe(
    name: &str,
    column: &expression::Column,
    asked: &Asked,
    values: Vec<f64>,
) -> Result<Column> {
    let rows = &column.series.observations;
    let sample: Vec<f64> = rows.iter().map(|o| o.value).collect();
    let by_value = |a: &&Observation, b: &&Observation| a.value.total_cmp(&b.value);
    let found = summary(&sample)
        .zip(rows.last())
        .zip(rows.iter().min_by(by_value))
        .zip(rows.iter().max_by(by_value));
    let Some((((stats, last), least), most)) = found else {
        return Err(Error::NoData {
            what: crate::error::quote(name),
            reason: format!(
                "nothing can be computed from {} to {}; take an earlier start",
                asked.start, asked.end
            ),
        });
    };
    let sd = stats.sd.filter(|sd| *sd > 0.0);
    let plain = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '.' | '-'));
    let is_formula = expression::parse(name).is_ok_and(|e| e.names().len() > 1);
    Ok(Column {
        series: crate::error::quote(name),
        title: (plain && !is_formula).then(|| column.series.info.title.clone()),
        unit: column.unit.short.clone(),
        count: stats.count,
        latest: rounded(column, last.value),
        date: last.date,
        mean: rounded(column, stats.mean),
        sd: sd.map(|sd| rounded(column, sd)),
        min: rounded(column, least.value),
        min_date: least.date,
        max: rounded(column, most.value),
        max_date: most.date,
        z_score: sd.map(|sd| round_to((last.value - stats.mean) / sd, 2)),
        percentile: percentile_rank(&sample, last.value).map(|r| round_to(r, 0)),
        values,
    })
}

fn pairs(names: &[String], series: &[&Series]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (i, (a, name)) in series.iter().zip(names).enumerate() {
        for (b, other) in series.iter().zip(names).skip(i + 1) {
            let rows = join(&[a, b]);
            let levels: Vec<(f64, f64)> = rows
                .iter()
                .filter_map(|(_, v)| match v.as_slice() {
                    [x, y] => Some((*x, *y)),
                    _ => None,
                })
                .collect();
            let changes: Vec<(f64, f64)> = levels
                .windows(2)
                .filter_map(|w| match w {
                    [before, now] => Some((now.0 - before.0, now.1 - before.1)),
                    _ => None,
                })
                .collect();
            let shown = |r: Option<f64>| r.map(|r| round_to(r, 2));
            pairs.push(Pair {
                a: crate::error::quote(name),
                b: crate::error::quote(other),
                count: levels.len(),
                levels: shown(correlation(&levels)),
                changes: shown(correlation(&changes)),
            });
        }
    }
    pairs
}

/// Positions of at most `most` of `count` rows, evenly spread, first and last among them.
fn thinned(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let (shown, last) = (count.min(most.max(2)), count.saturating_sub(1));
    (0..shown).map(move |i| i * last / shown.saturating_sub(1).max(1))
}

#[cfg(test)]
mod tests {
    use super::thinned;

    #[test]
    fn thinned_rows_keep_both_ends() {
        let of = |count, most| thinned(count, most).collect::<Vec<_>>();
        assert_eq!(of(0, 60), Vec::<usize>::new());
        assert_eq!(of(1, 60), [0]);
        assert_eq!(of(3, 60), [0, 1, 2]);
        assert_eq!(of(100, 4), [0, 33, 66, 99]);
        assert_eq!(of(200, 60).len(), 60);
    }
}
