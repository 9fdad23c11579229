//! Columns put on one calendar: statistics of each, correlations of pairs, thinned rows.

use super::answer::{ComparedColumn, Comparison, Correlation};
use super::arguments::Query;
use super::columns::{Columns, Named};
use crate::endpoints::condition::Setting;
use crate::endpoints::foreign::UntrustedFields;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::expression::{Column, Grid, convert};
use econoscope_core::indicators::statistics::{correlation, percentile_rank, summary};
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::frequency::Periods;
use econoscope_core::model::series_info::{round_to, without_noise};
use econoscope_core::model::{Date, Frequency, Observation, Series};
use std::sync::Arc;

/// Figures in an answer by default: sixty rows of two columns.
const CELLS: usize = 120;
/// The same of three columns and more, of which each has a line of figures and notes, too.
const CELLS_OF_MANY: usize = 100;
const MAX_ROWS: usize = 60;
const MIN_ROWS: usize = 12;

/// Fewest common dates from which a correlation says something.
const MIN_COMMON: usize = 10;

/// Puts the columns, in common periods, into an answer that has everything else; gives those without a figure in the
/// range, by name.
///
/// # Errors
/// [`Error::InvalidParam`] for a frequency finer than a series' own, and for a condition that cannot be judged.
pub(super) fn fill(
    answer: &mut Comparison,
    found: Columns,
    asked: &Query,
    to: Periods,
) -> Result<Vec<(String, Error)>> {
    let (known, how, params) = (&found.known, found.how, asked.params);
    let mut all = found.columns.iter().map(|c| Arc::clone(&c.column.series));
    let weeks = all.find(|s| s.frequency() == Frequency::Weekly && !params.has_own_weeks());
    let (mut kept, mut missing) = (Vec::new(), found.missing);
    for mut named in found.columns {
        named.column.series = convert(&named.column.series, to, how, weeks.as_deref())?;
        let whole = named.column.clone();
        named.column = cut(named.column, asked);
        match named.column.series.observations.is_empty() {
            true => missing.push((named.name.clone(), nothing(named.name, asked, whole))),
            false => kept.push(named),
        }
    }
    let series: Vec<&Series> = kept.iter().map(|c| &*c.column.series).collect();
    let grid = Grid::of(&series);
    let dates = grid.common();
    let cells = if kept.len() > 2 { CELLS_OF_MANY } else { CELLS };
    let usual = (cells / kept.len().max(1)).clamp(MIN_ROWS, MAX_ROWS);
    let shown = thinned(dates.len(), params.max_points.unwrap_or(usual));
    answer.count = dates.len();
    let shown: Vec<_> = shown.filter_map(|i| dates.get(i).copied()).collect();
    answer.dates = shown.iter().map(|(_, date)| *date).collect();
    for (named, figures) in kept.iter().zip(&grid.columns) {
        let at = |(i, _): &(usize, Date)| Some(rounded(&named.column, *figures.get(*i)?));
        let described = described(named, params.units(), shown.iter().filter_map(at).collect());
        answer.columns.extend(described);
    }
    if params.correlations {
        answer.correlations = correlations(&kept, &grid, to.frequency);
    }
    let Some(condition) = &asked.condition else {
        return Ok(missing);
    };
    if let Some(reason) = known.reason(&condition.tree) {
        answer.provenance.note("condition", reason.to_string());
        return Ok(missing);
    }
    let setting = Setting {
        known,
        how,
        frequency: params.frequency(),
        days: asked.days,
    };
    let each = kept.iter().map(|c| Some((&*c.name, c.column.clone())));
    let of: Vec<_> = match condition.tree.has_subject() {
        true => each.collect(),
        false => vec![None],
    };
    let judged = of.into_iter().map(|of| condition.figures(of, &setting));
    answer.conditions = judged.collect::<Result<_>>()?;
    Ok(missing)
}

/// Why a column has no figure in the range, with the newest before it.
fn nothing(what: String, asked: &Query, whole: Column) -> Error {
    let before = nearest(whole, asked);
    let (start, end) = asked.days;
    Error::NoData {
        what,
        reason: format!(
            "nothing can be computed from {start} to {end}{before}; take an earlier start"
        ),
    }
}

/// The figure that is known nearest before a range, in words.
fn nearest(column: Column, asked: &Query) -> String {
    let column = column.transformed(asked.params.units());
    let last = column.series.last_on_or_before(asked.days.0);
    let words = last.map(|last| {
        let when = column.series.frequency().when(last.date);
        format!(
            "; the newest figure before is {} {when}",
            rounded(&column, last.value)
        )
    });
    words.unwrap_or_default()
}

/// A column transformed, and cut to the range; in this order, so that the first year of the range has growth rates too.
fn cut(column: Column, asked: &Query) -> Column {
    let mut column = column.transformed(asked.params.units());
    // Figures that are equal to a reader are equal in ranks and counts.
    let (start, end) = asked.days;
    let rows = column.series.between(start, end).iter();
    // A quotient may be small throughout; its noise is off.
    let clean = |value: f64| match value.abs() < 1e-3 {
        true => value,
        false => without_noise(value),
    };
    let rows = rows.map(|o| Observation::new(o.date, clean(o.value)));
    let series = Series::new(Arc::clone(&column.series.info), rows.collect());
    column.series = Arc::new(series);
    column
}

/// Five significant figures, and never fewer decimals than the source publishes (up to three).
fn rounded(column: &Column, value: f64) -> f64 {
    let mut size = value.abs();
    let mut significant = 0;
    while size > 0.0 && size < 10_000.0 && significant < 20 {
        size *= 10.0;
        significant += 1;
    }
    let own = i32::from(column.series.info.decimals.min(3));
    round_to(value, own.max(significant))
}

fn described(named: &Named, units: Units, values: Vec<f64>) -> Option<ComparedColumn> {
    let rows = &named.column.series.observations;
    let sample: Vec<f64> = rows.iter().map(|o| o.value).collect();
    let (stats, last) = summary(&sample).zip(rows.last())?;
    let (lowest, lowest_count) = first_of(rows, stats.min)?;
    let (highest, highest_count) = first_of(rows, stats.max)?;
    let sd = stats.sd.filter(|sd| *sd > 0.0);
    let info = &named.column.series.info;
    let fields: &[&str] = if named.is_plain { &["title"] } else { &[] };
    let shown = |value| rounded(&named.column, value);
    let title = named
        .title
        .as_ref()
        .map(|title| match units == Units::Level {
            true => title.clone(),
            false => format!("{title}, {}", units.words()),
        });
    Some(ComparedColumn {
        series: named.name.clone(),
        title,
        unit: named.column.unit.short.clone(),
        count: stats.count,
        latest: shown(last.value),
        date: last.date,
        mean: shown(stats.mean),
        sd: sd.map(shown),
        min: shown(lowest.value),
        min_date: lowest.date,
        min_count: lowest_count,
        max: shown(highest.value),
        max_date: highest.date,
        max_count: highest_count,
        z_score: sd.map(|sd| round_to((last.value - stats.mean) / sd, 2)),
        percentile: percentile_rank(&sample, last.value).map(|r| round_to(r, 0)),
        values,
        untrusted: UntrustedFields::of(info, fields),
    })
}

/// The first observation of a value, and how many there are.
fn first_of(rows: &[Observation], value: f64) -> Option<(&Observation, usize)> {
    let mut same = rows.iter().filter(|o| o.value == value);
    same.next().map(|first| (first, 1 + same.count()))
}

/// Each pair of columns that somebody could want a correlation of, on the dates that both have.
fn correlations(columns: &[Named], grid: &Grid, frequency: Frequency) -> Vec<Correlation> {
    let varies = |(named, _): &(&Named, &Vec<f64>)| {
        let rows = &named.column.series.observations;
        let first = rows.first().map(|o| o.value);
        !named.column.unit.is_truth() && rows.iter().any(|o| Some(o.value) != first)
    };
    let columns: Vec<_> = columns.iter().zip(&grid.columns).filter(varies).collect();
    let places: Vec<i32> = grid.dates().map(|date| frequency.place(date)).collect();
    let pairs = columns.iter().enumerate().flat_map(|(i, one)| {
        let others = columns.iter().skip(i + 1);
        others.map(move |other| (one, other))
    });
    let found = pairs.filter_map(|((one, a), (other, b))| {
        let [x, y, of_x, of_y] = paired(a, b, &places, frequency);
        (x.len() >= MIN_COMMON).then(|| Correlation {
            a: one.name.clone(),
            b: other.name.clone(),
            count: x.len(),
            figures: correlation(x, y).map(|r| round_to(r, 2)),
            changes: correlation(of_x, of_y).map(|r| round_to(r, 2)),
        })
    });
    found.collect()
}

/// What two columns have on common dates: figures of each, and the changes of each from one period to the next;
/// across a missing one there is none.
fn paired(a: &[f64], b: &[f64], places: &[i32], frequency: Frequency) -> [Vec<f64>; 4] {
    let mut out: [Vec<f64>; 4] = std::array::from_fn(|_| Vec::with_capacity(a.len()));
    let [x, y, of_x, of_y] = &mut out;
    let (next, mut before) = (frequency.next(), None::<(i32, f64, f64)>);
    for ((a, b), place) in a.iter().zip(b).zip(places) {
        if a.is_nan() || b.is_nan() {
            continue;
        }
        if let Some((last, from_a, from_b)) = before
            && next.contains(&(place - last))
        {
            of_x.push(a - from_a);
            of_y.push(b - from_b);
        }
        x.push(*a);
        y.push(*b);
        before = Some((*place, *a, *b));
    }
    out
}

/// Positions of at most `max` of `count` rows, evenly spread, first and last among them.
fn thinned(count: usize, max: usize) -> impl Iterator<Item = usize> {
    let (shown, last) = (count.min(max.max(2)), count.saturating_sub(1));
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
