//! Columns put on one calendar: statistics of each, correlations of pairs, thinned rows.

use super::Query;
use super::answer::{ComparedColumn, ConditionMeans, Correlation};
use super::columns::{ComputedColumns, NamedColumn};
use crate::conditions::{Condition, ConditionFigures, EvaluationContext};
use crate::prelude::*;
use crate::render::aggregation_notes::{format_periods, missing_periods};
use econoscope_core::indicators::expression::{AlignedSeries, Column, convert, side_by_side};
use econoscope_core::indicators::statistics::{correlation, mean, percentile_rank, summary};
use econoscope_core::indicators::window::extremes;
use econoscope_core::model::frequency::Periods;

/// Figures in an answer by default: eleven rows of two columns.
const MAX_CELLS: usize = 22;
const MAX_ROWS: usize = 24;
const MIN_ROWS: usize = 11;

/// Fewest common dates for a meaningful correlation.
const MIN_COMMON_DATES: usize = 10;

/// The columns of a comparison in its range, aligned on common dates.
pub(super) struct Table {
    /// In the order of the request.
    columns: Vec<NamedColumn>,
    /// Requested columns without a figure in the range, each with the reason.
    missing: Vec<(String, Error)>,
    frequency: Frequency,
    /// The days on which weeks end; empty without a weekly column.
    weeks: String,
    pub(super) grid: AlignedSeries,
    /// Columns with a figure, for each date.
    counts: Vec<usize>,
    /// Number of dates that all columns have.
    pub(super) common: usize,
}

impl Table {
    /// Converts the columns to common periods, transforms them, cuts them to the range and aligns them.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for a frequency finer than a series' own.
    pub(super) fn new(computed: ComputedColumns, query: &Query, periods: Periods) -> Result<Self> {
        let converted = convert_columns(computed.columns, query, periods)?;
        let weekdays = weekdays(&converted);
        let weeks = describe_weeks(&weekdays);
        let aligned = if weekdays.len() > 1 {
            align_weeks(&converted)
        } else {
            converted
        };
        let mut columns = Vec::with_capacity(aligned.len());
        let mut missing = computed.missing;
        let units = query.params.units();
        let change = (units != Units::Level).then(|| units.describe());
        let suffix = enclosed_value(", ", change, "");
        for named in aligned {
            // Transformed before it is cut to the range, whose first year has growth rates, too.
            let whole = named.column.transform(units);
            let rows = rows_in_range(&whole, query.context.range);
            if rows.is_empty() {
                let reason = no_data(&named.name, query, &whole);
                missing.push((named.name, reason));
                continue;
            }
            let info = Arc::clone(&whole.series.info);
            columns.push(NamedColumn {
                title: named.title.map(|title| title + &suffix),
                column: Column {
                    series: Arc::new(Series::new(info, rows)),
                    unit: whole.unit,
                },
                ..named
            });
        }
        let grid = AlignedSeries::align(&Vec::from_iter(columns.iter().map(NamedColumn::series)));
        let values = |row: usize| grid.columns.iter().filter_map(move |c| c.get(row));
        let count = |row| values(row).filter(|value| !value.is_nan()).count();
        let counts: Vec<usize> = (0..grid.dates.len()).map(count).collect();
        let all = columns.len();
        Ok(Self {
            common: counts.iter().filter(|n| **n == all).count(),
            counts,
            columns,
            missing,
            frequency: periods.frequency,
            weeks,
            grid,
        })
    }

    /// Returns the positions of at most `max_points` rows, by default of as many as a text has room for.
    pub(super) fn thin(&self, max_points: Option<usize>) -> Vec<usize> {
        let default = (MAX_CELLS / self.columns.len().max(1)).clamp(MIN_ROWS, MAX_ROWS);
        thin(&self.counts, max_points.unwrap_or(default))
    }

    /// Returns the dates of the rows at these positions.
    pub(super) fn dates(&self, positions: &[usize]) -> Vec<Date> {
        let dates = positions.iter().filter_map(|row| self.grid.dates.get(*row));
        dates.copied().collect()
    }

    /// Returns the statistics of each column, with its figures at these positions.
    pub(super) fn summaries(&self, positions: &[usize]) -> Vec<ComparedColumn> {
        let pairs = self.columns.iter().zip(&self.grid.columns);
        let summaries = pairs.filter_map(|(named, figures)| {
            let values = positions.iter().map(|row| {
                let value = figures.get(*row).filter(|value| !value.is_nan());
                value.map(|value| named.column.round(*value))
            });
            summarize(named, values.collect())
        });
        summaries.collect()
    }

    /// Counts a condition over the range; once for each column where it does not name its series.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for units that cannot be compared and for what takes too long.
    pub(super) fn count(
        &self,
        condition: &Condition,
        context: &EvaluationContext,
    ) -> Result<Vec<ConditionFigures>> {
        if !condition.tree.has_subject() {
            return Ok(vec![condition.count(None, context)?]);
        }
        let subjects = self.columns.iter().map(|c| (&*c.name, c.column.clone()));
        let counted = subjects.map(|subject| condition.count(Some(subject), context));
        counted.collect()
    }

    /// Notes how weeks are aligned, which columns end early, and which periods are absent.
    pub(super) fn note_dates(&self, provenance: &mut Provenance) {
        provenance.note("weeks", self.weeks.as_str());
        provenance.note("ends", self.describe_ends());
        provenance.note("absent", self.describe_gaps());
    }

    /// Returns the provenance with the reasons why columns are missing.
    ///
    /// # Errors
    /// The first reason, where no column is left.
    pub(super) fn with_missing(self, mut provenance: Provenance) -> Result<Provenance> {
        for (name, reason) in self.missing {
            if self.columns.is_empty() {
                return Err(reason);
            }
            provenance.note(&name, reason.to_string());
            provenance.reasons.insert(name, reason.absence());
        }
        Ok(provenance)
    }

    /// Describes which columns end before the others; empty where all end together.
    fn describe_ends(&self) -> String {
        let last = |c: &NamedColumn| c.series().observations.last().map(|o| o.date);
        let Some(newest) = self.columns.iter().filter_map(last).max() else {
            return String::new();
        };
        let when = |day| self.frequency.period_phrase(day);
        let early = self.columns.iter().filter_map(|c| {
            let last = last(c).filter(|last| *last < newest)?;
            Some(format!("{} ends {}", c.name, when(last)))
        });
        let others = format!(", the others {} at the latest", when(newest));
        enclosed("", &join(early, ", "), &others)
    }

    /// Describes which periods each column lacks before its end; empty without one.
    fn describe_gaps(&self) -> String {
        let gaps = self.columns.iter().filter_map(|c| {
            let all = DateRange::new(Date::MIN, Date::MAX);
            let gaps = missing_periods(c.series(), all);
            let gaps: Vec<String> = gaps.iter().map(|day| self.frequency.label(*day)).collect();
            Some(format!("{} in {}", format_periods(&gaps)?, c.name))
        });
        enclosed("no figure of ", &join(gaps, "; "), "")
    }

    /// Returns the mean of each column over the dates of the range at which a condition is met, and over the others. A
    /// condition about each column has none.
    ///
    /// Condition and columns meet at the lower of their frequencies: a condition on days is evaluated on monthly means
    /// when the columns are monthly, and months become quarters for a condition on quarters.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for units that cannot be compared.
    pub(super) fn means(
        &self,
        condition: &Condition,
        context: &EvaluationContext,
    ) -> Result<Vec<ConditionMeans>> {
        if condition.tree.has_subject() {
            return Ok(Vec::new());
        }
        let (evaluated, _) = condition.evaluate(None, context, Some(self.frequency))?;
        let frequency = evaluated.frequency();
        // `convert` also moves quarters to the stamp of their first month.
        let truth = convert(&evaluated, frequency, context.aggregation, None)?;
        let mut series = vec![Arc::clone(&truth)];
        for NamedColumn { column, .. } in &self.columns {
            let how = context.aggregation;
            series.push(convert(&column.series, frequency, how, Some(&truth))?);
        }
        let grid = AlignedSeries::align(&Vec::from_iter(series.iter().map(|s| &**s)));
        let Some((is_met, figures)) = grid.columns.split_first() else {
            return Ok(Vec::new());
        };
        let means = self.columns.iter().zip(figures).map(|(named, figures)| {
            let met = group(is_met, figures, true);
            let unmet = group(is_met, figures, false);
            let rounded = |value| named.column.round(value);
            ConditionMeans {
                series: named.name.clone(),
                frequency: frequency.word().into(),
                met: mean(&met).map(rounded),
                met_count: met.len(),
                unmet: mean(&unmet).map(rounded),
                unmet_count: unmet.len(),
            }
        });
        Ok(means.collect())
    }

    /// Returns the correlation of each pair of columns on their common dates. Constant columns, truth values and pairs
    /// with fewer than [`MIN_COMMON_DATES`] are left out.
    pub(super) fn correlations(&self) -> Vec<Correlation> {
        let is_variable = |named: &NamedColumn| {
            let rows = &named.series().observations;
            let first = rows.first().map(|o| o.value);
            !named.column.unit.is_boolean() && rows.iter().any(|o| Some(o.value) != first)
        };
        let all = self.columns.iter().zip(&self.grid.columns);
        let variable: Vec<_> = all.filter(|(named, _)| is_variable(named)).collect();
        let position = |date: &Date| self.frequency.position(*date);
        let places: Vec<i32> = self.grid.dates.iter().map(position).collect();
        let mut correlations = Vec::new();
        for (i, (one, a)) in variable.iter().enumerate() {
            for (other, b) in variable.iter().skip(i + 1) {
                let [x, y, changes_x, changes_y] = common_figures(a, b, &places, self.frequency);
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
}

/// Returns the figures at the dates at which a condition is met, or is not.
fn group(is_met: &[f64], figures: &[f64], wanted: bool) -> Vec<f64> {
    let dates = is_met.iter().zip(figures);
    let known = dates.filter(|(truth, value)| !truth.is_nan() && !value.is_nan());
    let group = known.filter(|(truth, _)| (**truth != 0.0) == wanted);
    group.map(|(_, value)| *value).collect()
}

/// Converts the columns to common periods. Days become weeks as those of a weekly column end, unless the request names
/// the day.
fn convert_columns(
    columns: Vec<NamedColumn>,
    query: &Query,
    periods: Periods,
) -> Result<Vec<NamedColumn>> {
    let mut series = columns.iter().map(|c| Arc::clone(&c.column.series));
    let has_own_weeks = query.params.has_own_weeks();
    let weekly = series.find(|s| s.frequency() == Frequency::Weekly && !has_own_weeks);
    let aggregation = query.context.aggregation;
    let converted = columns.into_iter().map(|named| {
        let own = &named.column.series;
        let series = convert(own, periods, aggregation, weekly.as_deref())?;
        Ok(named.with_series(series))
    });
    converted.collect()
}

/// Builds the error for a column without a figure in the range; it names the newest figure before.
fn no_data(name: &str, query: &Query, whole: &Column) -> Error {
    let range = query.context.range;
    let mut reason = format!("nothing can be computed {range}");
    if let Some(last) = whole.series.last_on_or_before(range.start) {
        let value = whole.round(last.value);
        let frequency = whole.series.frequency();
        let when = frequency.period_phrase(last.date);
        reason += &format!("; the newest figure before is {value} {when}; take an earlier start");
    } else if let Some(first) = whole.series.observations.first() {
        let notes = enclosed("; ", &query.context.series.notes(), "");
        reason += &format!("; it begins on {}{notes}", first.date);
    }
    Error::no_data(name, reason)
}

/// Returns the figures of a column in the range. Arithmetic noise is rounded off, so that figures that print alike are
/// equal in ranks and counts.
fn rows_in_range(column: &Column, range: DateRange) -> Vec<Observation> {
    // Small figures, such as some quotients, would lose digits that count.
    let clean = |value: f64| match value.abs() {
        ..1e-3 => value,
        _ => remove_rounding_error(value),
    };
    let rows = column.series.between(range.start, range.end).iter();
    rows.map(|o| Observation::new(o.date, clean(o.value)))
        .collect()
}

/// Returns the statistics of a column beside `values`, its figures at the dates of the answer; `None` without a row.
fn summarize(named: &NamedColumn, values: Vec<Option<f64>>) -> Option<ComparedColumn> {
    let column = &named.column;
    let rows = &column.series.observations;
    let sample: Vec<f64> = rows.iter().map(|o| o.value).collect();
    let (stats, last) = summary(&sample).zip(rows.last())?;
    let first = rows.first()?;
    let (lowest, highest) = extremes(rows)?;
    let sd = stats.sd.filter(|sd| *sd > 0.0);
    let fields: &[&str] = if named.is_plain { &["title"] } else { &[] };
    let rounded = |value| column.round(value);
    Some(ComparedColumn {
        series: named.name.clone(),
        title: named.title.clone(),
        unit: column.unit.short.clone(),
        count: stats.count,
        first: rounded(first.value),
        first_date: first.date,
        change: rounded(last.value - first.value),
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
    let last = count.saturating_sub(1);
    let shown = count.min(max.max(2));
    let position = |i: usize| i * last / shown.saturating_sub(1).max(1);
    let fullest = |i: usize| {
        let next = if i == 0 { 1 } else { position(i + 1) };
        let rows = position(i)..next.min(count).max(position(i) + 1);
        rows.min_by_key(|row| std::cmp::Reverse(figures.get(*row)))
    };
    (0..shown).filter_map(fullest).collect()
}

/// Returns the days on which the weeks of the columns end, each with its columns; empty without a weekly column.
fn weekdays(columns: &[NamedColumn]) -> Vec<(String, Vec<&str>)> {
    let mut weekdays: Vec<(String, Vec<&str>)> = Vec::new();
    let is_weekly = |c: &&NamedColumn| c.series().frequency() == Frequency::Weekly;
    for named in columns.iter().filter(is_weekly) {
        let Some(last) = named.series().observations.last() else {
            continue;
        };
        let weekday = last.date.strftime("%A").to_string();
        match weekdays.iter_mut().find(|(day, _)| *day == weekday) {
            Some((_, names)) => names.push(&named.name),
            None => weekdays.push((weekday, vec![&named.name])),
        }
    }
    weekdays
}

/// Describes the days on which weeks end; empty without a weekly column.
fn describe_weeks(weekdays: &[(String, Vec<&str>)]) -> String {
    match weekdays {
        [] => String::new(),
        [(day, _)] => format!("weeks end on {day}"),
        several => {
            let days = several
                .iter()
                .map(|(day, names)| format!("{} on {day}", names.join(", ")));
            format!(
                "weeks end on different days ({}); each stands at the Friday of its week from Monday to Sunday",
                join(days, "; ")
            )
        }
    }
}

/// Moves weeks that end on different days to one Friday each.
fn align_weeks(columns: &[NamedColumn]) -> Vec<NamedColumn> {
    let aligned = side_by_side(&Vec::from_iter(columns.iter().map(NamedColumn::series)));
    let pairs = columns.iter().zip(aligned);
    let moved = pairs.map(|(named, rows)| {
        let info = Arc::clone(&named.column.series.info);
        let series = Arc::new(Series::new(info, rows.into_owned()));
        named.clone().with_series(series)
    });
    moved.collect()
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
