//! Columns put on one calendar: statistics of each, correlations of pairs, thinned rows.

use super::Query;
use super::answer::{ComparedColumn, Comparison, ConditionMeans, Correlation};
use super::columns::{ComputedColumns, NamedColumn};
use crate::conditions::{Condition, EvaluationContext};
use crate::prelude::*;
use crate::render::aggregation_notes::{format_periods, missing_periods};
use econoscope_core::indicators::expression::{AlignedSeries, Column, convert, side_by_side};
use econoscope_core::indicators::statistics::{correlation, count, percentile_rank, summary};
use econoscope_core::indicators::transform::Units;
use econoscope_core::indicators::window::extremes;
use econoscope_core::model::frequency::Periods;
use econoscope_core::model::series_info::remove_rounding_error;
use std::borrow::Cow;
use std::sync::Arc;

/// Figures in an answer by default: sixty rows of two columns.
const MAX_CELLS: usize = 120;
/// The same for three columns and more, whose lines of statistics and notes take room, too.
const MAX_CELLS_OF_MANY: usize = 100;
const MAX_ROWS: usize = 60;
const MIN_ROWS: usize = 12;

/// Fewest common dates for a meaningful correlation.
const MIN_COMMON_DATES: usize = 10;

/// Converts the columns to common periods and adds them to `answer`, with notes on those without a figure in the range.
///
/// # Errors
/// [`Error::InvalidParam`] for a frequency finer than a series' own, and for a condition that cannot be evaluated;
/// [`Error::NoData`] when no column has a figure.
pub(super) fn fill(
    answer: &mut Comparison,
    computed: ComputedColumns,
    query: &Query,
    periods: Periods,
) -> Result<()> {
    let context = &query.context;
    let params = query.params;
    let units = query.params.units();
    let mut columns = computed.columns;
    let mut missing = computed.missing;
    let mut all = columns.iter().map(|c| Arc::clone(&c.column.series));
    let weekly = all.find(|s| s.frequency() == Frequency::Weekly && !params.has_own_weeks());
    for named in &mut columns {
        let series = &named.column.series;
        named.column.series = convert(series, periods, context.aggregation, weekly.as_deref())?;
    }
    answer.provenance.note("weeks", align_weeks(&mut columns));
    columns.retain_mut(|named| {
        // Transformed before it is cut, so that the first year of the range has growth rates, too.
        let whole = named.column.clone().transform(units);
        let rows = rows_in_range(&whole, context.range);
        if rows.is_empty() {
            let reason = no_data(&named.name, context.range, &whole);
            missing.push((named.name.clone(), reason));
            return false;
        }
        if let (Some(title), false) = (&mut named.title, units == Units::Level) {
            *title += &format!(", {}", units.describe());
        }
        named.column.series = Arc::new(Series::new(Arc::clone(&whole.series.info), rows));
        named.column.unit = whole.unit;
        true
    });
    let grid = AlignedSeries::align(&Vec::from_iter(columns.iter().map(|c| &*c.column.series)));
    let dates: Vec<Date> = grid.dates().collect();
    let values = |row: usize| grid.columns.iter().filter_map(move |c| c.get(row));
    let figures: Vec<usize> = (0..dates.len())
        .map(|row| values(row).filter(|v| !v.is_nan()).count())
        .collect();
    let cells = match columns.len() {
        ..=2 => MAX_CELLS,
        _ => MAX_CELLS_OF_MANY,
    };
    let default = (cells / columns.len().max(1)).clamp(MIN_ROWS, MAX_ROWS);
    let shown = thin(&figures, params.max_points.unwrap_or(default));
    answer.rows = dates.len();
    answer.count = figures.iter().filter(|n| **n == columns.len()).count();
    let shown_dates = shown.iter().filter_map(|row| dates.get(*row));
    answer.dates = shown_dates.copied().collect();
    note_ends(&mut answer.provenance, &columns, periods.frequency);
    for (named, figures) in columns.iter().zip(&grid.columns) {
        let figures = shown
            .iter()
            .map(|row| figures.get(*row))
            .map(|value| value.filter(|value| !value.is_nan()));
        let values = figures.map(|value| value.map(|value| named.column.round(*value)));
        let column = summarize(named, values.collect());
        answer.columns.extend(column);
    }
    if params.correlations {
        answer.correlations = correlations(&columns, &grid, periods.frequency);
    }
    if let Some(condition) = &query.condition {
        count_condition(answer, condition, &columns, context, periods)?;
    }
    for (name, reason) in missing {
        if columns.is_empty() {
            return Err(reason);
        }
        answer.provenance.note(&name, reason.to_string());
    }
    Ok(())
}

/// Counts a condition. When it names its series, adds the mean of each column where it is met and where it is not.
fn count_condition(
    answer: &mut Comparison,
    condition: &Condition,
    columns: &[NamedColumn],
    context: &EvaluationContext,
    periods: Periods,
) -> Result<()> {
    if let Some(reason) = context.series.missing_reason(&condition.tree) {
        answer.provenance.note("condition", reason.to_string());
    } else if condition.tree.has_subject() {
        let each = columns.iter().map(|c| Some((&*c.name, c.column.clone())));
        let counted = each.map(|subject| condition.count(subject, context));
        answer.conditions = counted.collect::<Result<_>>()?;
    } else {
        answer.conditions = vec![condition.count(None, context)?];
        answer.means = condition_means(condition, columns, context, periods)?;
    }
    Ok(())
}

/// Returns the mean of each column over the dates of the range at which a condition is met, and over the others. All
/// columns have the frequency of `periods`.
///
/// Condition and columns meet at the lower of their frequencies: a condition on days is evaluated on monthly means when
/// the columns are monthly, and months become quarters for a condition on quarters.
///
/// # Errors
/// [`Error::InvalidParam`] for units that cannot be compared.
fn condition_means(
    condition: &Condition,
    columns: &[NamedColumn],
    context: &EvaluationContext,
    periods: Periods,
) -> Result<Vec<ConditionMeans>> {
    let at_least = Some(periods.frequency);
    let (truth, _) = condition.evaluate(None, context, at_least)?;
    let frequency = truth.frequency();
    // `convert` also moves quarters to the stamp of their first month.
    let truth = convert(&truth, frequency, context.aggregation, None)?;
    let mut all = vec![Arc::clone(&truth)];
    for NamedColumn { column, .. } in columns {
        all.push(if column.series.frequency() < frequency {
            convert(&column.series, frequency, context.aggregation, Some(&truth))?
        } else {
            Arc::clone(&column.series)
        });
    }
    let all: Vec<&Series> = all.iter().map(|series| &**series).collect();
    let grid = AlignedSeries::align(&all);
    let Some((truth, figures)) = grid.columns.split_first() else {
        return Ok(Vec::new());
    };
    let means = columns.iter().zip(figures).map(|(named, figures)| {
        let mean = |is_met: bool| {
            let mut sum = 0.0;
            let mut n = 0;
            for (truth, value) in truth.iter().zip(figures) {
                if !truth.is_nan() && !value.is_nan() && (*truth != 0.0) == is_met {
                    (sum, n) = (sum + value, n + 1);
                }
            }
            ((n > 0).then(|| named.column.round(sum / count(n))), n)
        };
        let ((met, met_count), (unmet, unmet_count)) = (mean(true), mean(false));
        ConditionMeans {
            series: named.name.clone(),
            frequency: frequency.word().into(),
            met,
            met_count,
            unmet,
            unmet_count,
        }
    });
    Ok(means.collect())
}

/// Moves weeks that end on different days to one Friday each. Returns the note about the days on which weeks end; empty
/// without a weekly column.
fn align_weeks(columns: &mut [NamedColumn]) -> String {
    let mut weekdays: Vec<(String, Vec<&str>)> = Vec::new();
    for NamedColumn { name, column, .. } in &*columns {
        let last = column.series.observations.last();
        if let Some(last) = last.filter(|_| column.series.frequency() == Frequency::Weekly) {
            let weekday = last.date.strftime("%A").to_string();
            match weekdays.iter_mut().find(|(day, _)| *day == weekday) {
                Some((_, names)) => names.push(name),
                None => weekdays.push((weekday, vec![name.as_str()])),
            }
        }
    }
    let days = weekdays
        .iter()
        .map(|(day, names)| format!("{} on {day}", names.join(", ")));
    let days = join(days, "; ");
    match weekdays.as_slice() {
        [] => return String::new(),
        [(day, _)] => return format!("weeks end on {day}"),
        _ => {}
    }
    let series: Vec<&Series> = columns.iter().map(|c| &*c.column.series).collect();
    let aligned: Vec<Vec<Observation>> = side_by_side(&series)
        .into_iter()
        .map(Cow::into_owned)
        .collect();
    for (named, rows) in columns.iter_mut().zip(aligned) {
        let info = Arc::clone(&named.column.series.info);
        named.column.series = Arc::new(Series::new(info, rows));
    }
    format!(
        "weeks end on different days ({days}); each stands at the Friday of its week from Monday to Sunday"
    )
}

/// Notes which columns end before the others, and which periods each column lacks before its end.
fn note_ends(provenance: &mut Provenance, columns: &[NamedColumn], frequency: Frequency) {
    let last = |c: &NamedColumn| c.column.series.observations.last().map(|o| o.date);
    let newest = columns.iter().filter_map(last).max();
    let early = columns.iter().filter_map(|c| {
        let last = last(c).filter(|last| Some(*last) < newest)?;
        Some(format!("{} ends {}", c.name, frequency.period_phrase(last)))
    });
    let early = join(early, ", ");
    if let Some(newest) = newest.filter(|_| !early.is_empty()) {
        let when = frequency.period_phrase(newest);
        provenance.note("ends", format!("{early}, the others {when} at the latest"));
    }
    let gaps = columns.iter().filter_map(|c| {
        let gaps = missing_periods(frequency, &c.column.series.observations);
        Some(format!("{} in {}", format_periods(&gaps)?, c.name))
    });
    provenance.note("absent", enclosed("no figure of ", &join(gaps, "; "), ""));
}

/// Builds the error for a column without a figure in the range; it names the newest figure before.
fn no_data(name: &str, (start, end): (Date, Date), whole: &Column) -> Error {
    let mut reason = format!("nothing can be computed from {start} to {end}");
    if let Some(last) = whole.series.last_on_or_before(start) {
        let value = whole.round(last.value);
        let frequency = whole.series.frequency();
        let when = frequency.period_phrase(last.date);
        reason += &format!("; the newest figure before is {value} {when}");
    }
    Error::NoData {
        what: name.to_owned(),
        reason: reason + "; take an earlier start",
    }
}

/// Returns the figures of a column in the range. Arithmetic noise is rounded off, so that figures that print alike are
/// equal in ranks and counts.
fn rows_in_range(column: &Column, (start, end): (Date, Date)) -> Vec<Observation> {
    // Small figures, such as some quotients, would lose digits that count.
    let clean = |value: f64| {
        if value.abs() < 1e-3 {
            value
        } else {
            remove_rounding_error(value)
        }
    };
    let rows = column
        .series
        .between(start, end)
        .iter()
        .map(|o| Observation::new(o.date, clean(o.value)));
    rows.collect()
}

/// Returns the statistics of a column beside `values`, its figures at the dates of the answer; `None` without a row.
fn summarize(named: &NamedColumn, values: Vec<Option<f64>>) -> Option<ComparedColumn> {
    let column = &named.column;
    let rows = &column.series.observations;
    let sample: Vec<f64> = rows.iter().map(|o| o.value).collect();
    let (stats, last) = summary(&sample).zip(rows.last())?;
    let (lowest, highest) = extremes(rows)?;
    let sd = stats.sd.filter(|sd| *sd > 0.0);
    let fields: &[&str] = if named.is_plain { &["title"] } else { &[] };
    let rounded = |value| column.round(value);
    Some(ComparedColumn {
        series: named.name.clone(),
        title: named.title.clone(),
        unit: column.unit.short.clone(),
        count: stats.count,
        latest: rounded(last.value),
        date: last.date,
        mean: rounded(stats.mean),
        sd: sd.map(rounded),
        min: rounded(lowest.first.value),
        min_date: lowest.first.date,
        min_count: lowest.ties,
        max: rounded(highest.first.value),
        max_date: highest.first.date,
        max_count: highest.ties,
        z_score: sd.map(|sd| round_to((last.value - stats.mean) / sd, 2)),
        percentile: percentile_rank(&sample, last.value).map(|r| round_to(r, 0)),
        values,
        untrusted: UntrustedFields::for_series(&column.series.info, fields),
    })
}

/// Returns the correlation of each pair of columns on their common dates. Constant columns, truth values and pairs with
/// fewer than [`MIN_COMMON_DATES`] are left out.
fn correlations(
    columns: &[NamedColumn],
    grid: &AlignedSeries,
    frequency: Frequency,
) -> Vec<Correlation> {
    let is_variable = |(named, _): &(&NamedColumn, &Vec<f64>)| {
        let rows = &named.column.series.observations;
        let first = rows.first().map(|o| o.value);
        !named.column.unit.is_boolean() && rows.iter().any(|o| Some(o.value) != first)
    };
    let columns: Vec<_> = columns
        .iter()
        .zip(&grid.columns)
        .filter(is_variable)
        .collect();
    let places: Vec<i32> = grid.dates().map(|date| frequency.position(date)).collect();
    let mut correlations = Vec::new();
    for (i, (one, a)) in columns.iter().enumerate() {
        for (other, b) in columns.iter().skip(i + 1) {
            let [x, y, changes_x, changes_y] = common_figures(a, b, &places, frequency);
            if x.len() >= MIN_COMMON_DATES {
                correlations.push(Correlation {
                    a: one.name.clone(),
                    b: other.name.clone(),
                    count: x.len(),
                    figures: correlation(x, y).map(|r| round_to(r, 2)),
                    changes: correlation(changes_x, changes_y).map(|r| round_to(r, 2)),
                });
            }
        }
    }
    correlations
}

/// Returns the figures of two columns on their common dates, then the changes of each from one period to the next. A
/// change across a missing period does not count.
fn common_figures(a: &[f64], b: &[f64], places: &[i32], frequency: Frequency) -> [Vec<f64>; 4] {
    let mut out: [Vec<f64>; 4] = std::array::from_fn(|_| Vec::with_capacity(a.len()));
    let [x, y, changes_x, changes_y] = &mut out;
    let next = frequency.adjacent_distances();
    let mut before = None::<(i32, f64, f64)>;
    for ((a, b), place) in a.iter().zip(b).zip(places) {
        if a.is_nan() || b.is_nan() {
            continue;
        }
        if let Some((last, last_a, last_b)) = before
            && next.contains(&(place - last))
        {
            changes_x.push(a - last_a);
            changes_y.push(b - last_b);
        }
        x.push(*a);
        y.push(*b);
        before = Some((*place, *a, *b));
    }
    out
}

/// Returns the positions of at most `max` rows, evenly spread, with the first and the last. `figures` has the number of
/// figures of each row: of the rows up to the next position it takes the first with the most figures, so that a Sunday
/// without yields is not shown.
fn thin(figures: &[usize], max: usize) -> Vec<usize> {
    let count = figures.len();
    let last = figures.len().saturating_sub(1);
    let shown = count.min(max.max(2));
    let position = |i: usize| i * last / shown.saturating_sub(1).max(1);
    let fullest = |i: usize| {
        let end = if i == 0 {
            1
        } else {
            position(i + 1).min(count)
        };
        let rows = position(i)..end.max(position(i) + 1);
        rows.min_by_key(|row| std::cmp::Reverse(figures.get(*row)))
    };
    (0..shown).filter_map(fullest).collect()
}

#[cfg(test)]
mod tests {
    use super::thin;

    #[test]
    fn thinned_rows_keep_both_ends() {
        let positions = |count, max| thin(&vec![2; count], max);
        assert_eq!(positions(0, 60), Vec::<usize>::new());
        assert_eq!(positions(1, 60), [0]);
        assert_eq!(positions(3, 60), [0, 1, 2]);
        assert_eq!(positions(100, 4), [0, 33, 66, 99]);
        assert_eq!(positions(200, 60).len(), 60);
        let mut weekend = vec![2; 100];
        weekend[33..35].fill(1);
        weekend[99] = 1;
        assert_eq!(thin(&weekend, 4), [0, 35, 66, 99]);
    }
}
