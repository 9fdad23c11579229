//! Columns put on one calendar: statistics of each, correlations of pairs, thinned rows.

use super::Query;
use super::answer::{ComparedColumn, Comparison, ConditionMeans, Correlation};
use super::columns::{Columns, Named};
use crate::endpoints::coarser;
use crate::endpoints::condition::{Condition, Setting};
use crate::endpoints::foreign::UntrustedFields;
use crate::endpoints::prelude::*;
use econoscope_core::indicators::expression::{Column, Grid, convert, side_by_side};
use econoscope_core::indicators::statistics::{correlation, count, percentile_rank, summary};
use econoscope_core::indicators::transform::Units;
use econoscope_core::indicators::window::extremes;
use econoscope_core::model::frequency::Periods;
use econoscope_core::model::series_info::without_noise;
use econoscope_core::model::{Frequency, Observation, Series};
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
    let (setting, params) = (&asked.setting, asked.params);
    let mut all = found.columns.iter().map(|c| Arc::clone(&c.column.series));
    let weeks = all.find(|s| s.frequency() == Frequency::Weekly && !params.has_own_weeks());
    let (mut kept, mut missing) = (Vec::new(), found.missing);
    let mut columns = found.columns;
    for named in &mut columns {
        named.column.series = convert(&named.column.series, to, setting.how, weeks.as_deref())?;
    }
    answer
        .provenance
        .note("weeks", on_one_calendar(&mut columns));
    for mut named in columns {
        // In this order, so that the first year of the range has growth rates, too.
        let whole = named.column.transformed(params.units());
        let rows = within(&whole, setting.days);
        if rows.is_empty() {
            missing.push((
                named.name.clone(),
                nothing(named.name, setting.days, &whole),
            ));
            continue;
        }
        let series = Series::new(Arc::clone(&whole.series.info), rows);
        named.column = Column {
            series: Arc::new(series),
            unit: whole.unit,
        };
        kept.push(named);
    }
    let series: Vec<&Series> = kept.iter().map(|c| &*c.column.series).collect();
    let grid = Grid::of(&series);
    let dates: Vec<Date> = grid.dates().collect();
    let known = |i: usize| grid.columns.iter().filter_map(move |c| c.get(i));
    let figures = (0..dates.len()).map(|i| known(i).filter(|value| !value.is_nan()).count());
    let figures: Vec<usize> = figures.collect();
    let cells = if kept.len() > 2 { CELLS_OF_MANY } else { CELLS };
    let usual = (cells / kept.len().max(1)).clamp(MIN_ROWS, MAX_ROWS);
    let shown = thinned(&figures, params.max_points.unwrap_or(usual));
    answer.rows = dates.len();
    answer.count = figures.iter().filter(|n| **n == kept.len()).count();
    answer.dates = shown
        .iter()
        .filter_map(|i| dates.get(*i).copied())
        .collect();
    note_ends(answer, &kept, to.frequency);
    for (named, figures) in kept.iter().zip(&grid.columns) {
        let at = |i: &usize| figures.get(*i).filter(|value| !value.is_nan());
        let values = shown.iter().map(|i| Some(named.column.rounded(*at(i)?)));
        let described = described(named, params.units(), values.collect());
        answer.columns.extend(described);
    }
    if params.correlations {
        answer.correlations = correlations(&kept, &grid, to.frequency);
    }
    if let Some(condition) = &asked.condition {
        judge(answer, condition, &kept, setting, to)?;
    }
    Ok(missing)
}

/// Counts a condition, and splits the means of the columns by one that names its series.
fn judge(
    answer: &mut Comparison,
    condition: &Condition,
    kept: &[Named],
    setting: &Setting,
    to: Periods,
) -> Result<()> {
    if let Some(reason) = setting.known.reason(&condition.tree) {
        answer.provenance.note("condition", reason.to_string());
        return Ok(());
    }
    let each = kept.iter().map(|c| Some((&*c.name, c.column.clone())));
    let of: Vec<_> = match condition.tree.has_subject() {
        true => each.collect(),
        false => vec![None],
    };
    let judged = of.into_iter().map(|of| condition.figures(of, setting));
    answer.conditions = judged.collect::<Result<_>>()?;
    if !condition.tree.has_subject() {
        answer.means = means(condition, kept, setting, to)?;
    }
    Ok(())
}

/// Means of columns, all of one frequency, over the dates of the range at which a condition is met and over the others.
///
/// Condition and columns meet at the lower of their frequencies: a condition on days is compared anew on the means of
/// months where the columns are monthly, and months become quarters for a condition on quarters.
///
/// # Errors
/// [`Error::InvalidParam`] for units that cannot be compared.
fn means(
    condition: &Condition,
    columns: &[Named],
    setting: &Setting,
    periods: Periods,
) -> Result<Vec<ConditionMeans>> {
    let at_least = Some(periods.frequency);
    let judged = condition.judged(None, setting, at_least, |_, column| Ok(column.series))?;
    let frequency = judged.frequency();
    let judged = convert(&judged, frequency, setting.how, None)?;
    let coarser = columns.iter().map(|named| {
        let series = &named.column.series;
        match series.frequency() < frequency {
            true => convert(series, frequency, setting.how, Some(&judged)),
            false => Ok(Arc::clone(series)),
        }
    });
    let coarser = coarser.collect::<Result<Vec<_>>>()?;
    let all: Vec<&Series> = std::iter::once(&judged)
        .chain(&coarser)
        .map(|s| &**s)
        .collect();
    let grid = Grid::of(&all);
    let Some((judged, figures)) = grid.columns.split_first() else {
        return Ok(Vec::new());
    };
    let means = columns.iter().zip(figures).map(|(named, figures)| {
        let side = |is_met: bool| {
            let pairs = judged.iter().zip(figures);
            let own = pairs.filter(|(truth, value)| {
                !truth.is_nan() && !value.is_nan() && (**truth != 0.0) == is_met
            });
            let (sum, n) = own.fold((0.0, 0), |(sum, n), (_, value)| (sum + value, n + 1));
            let mean = (n > 0).then(|| named.column.rounded(sum / count(n)));
            (mean, n)
        };
        let ((met, met_count), (unmet, unmet_count)) = (side(true), side(false));
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

/// Puts weeks that end on different days under one Friday each, and says by which days weeks end.
fn on_one_calendar(columns: &mut [Named]) -> String {
    let weekly = |c: &&Named| c.column.series.frequency() == Frequency::Weekly;
    let ends = columns.iter().filter(weekly).filter_map(|c| {
        let last = c.column.series.observations.last()?;
        Some((last.date.strftime("%A").to_string(), c.name.clone()))
    });
    let ends: Vec<(String, String)> = ends.collect();
    let mut days: Vec<&str> = ends.iter().map(|(day, _)| day.as_str()).collect();
    days.sort_by_key(|day| ends.iter().position(|(known, _)| known == day));
    days.dedup();
    let said = days.iter().map(|day| {
        let own = ends.iter().filter(|(known, _)| known == day);
        format!("{} on {day}", joined(own.map(|(_, name)| name), ", "))
    });
    let said = joined(said, "; ");
    match days.as_slice() {
        [] => return String::new(),
        [day] => return format!("weeks end on {day}"),
        _ => {}
    }
    let all: Vec<Arc<Series>> = columns
        .iter()
        .map(|c| Arc::clone(&c.column.series))
        .collect();
    let all: Vec<&Series> = all.iter().map(|series| &**series).collect();
    for (named, rows) in columns.iter_mut().zip(side_by_side(&all)) {
        let info = Arc::clone(&named.column.series.info);
        named.column.series = Arc::new(Series::new(info, rows.into_owned()));
    }
    format!(
        "weeks end on different days ({said}); each stands at the Friday of its week from Monday to Sunday"
    )
}

/// Notes which columns end before the others, and which periods they lack before that.
fn note_ends(answer: &mut Comparison, columns: &[Named], frequency: Frequency) {
    let last = |c: &Named| c.column.series.observations.last().map(|o| o.date);
    let newest = columns.iter().filter_map(last).max();
    let early = columns.iter().filter_map(|c| {
        let last = last(c).filter(|last| Some(*last) < newest)?;
        Some(format!("{} ends {}", c.name, frequency.when(last)))
    });
    let early = joined(early, ", ");
    if let Some(newest) = newest.filter(|_| !early.is_empty()) {
        let newest = format!("the others {}", frequency.when(newest));
        answer
            .provenance
            .note("ends", format!("{early}, {newest} at the latest"));
    }
    let absent = columns.iter().filter_map(|c| {
        let absent = coarser::absent(frequency, &c.column.series.observations);
        Some(format!("{} in {}", coarser::named(&absent)?, c.name))
    });
    let absent = joined(absent, "; ");
    if !absent.is_empty() {
        let note = format!("no figure of {absent}");
        answer.provenance.note("absent", note);
    }
}

/// Why a column has no figure in the range, with the newest before it.
fn nothing(what: String, (start, end): (Date, Date), whole: &Column) -> Error {
    let before = whole.series.last_on_or_before(start).map(|last| {
        let (value, when) = (whole.rounded(last.value), whole.series.frequency());
        let when = when.when(last.date);
        format!("; the newest figure before is {value} {when}")
    });
    let before = before.unwrap_or_default();
    let reason =
        format!("nothing can be computed from {start} to {end}{before}; take an earlier start");
    Error::NoData { what, reason }
}

/// The figures of a column in the range. What is equal to a reader is equal in ranks and counts.
fn within(column: &Column, (start, end): (Date, Date)) -> Vec<Observation> {
    // A quotient may be small throughout; its noise is off.
    let clean = |value: f64| match value.abs() < 1e-3 {
        true => value,
        false => without_noise(value),
    };
    let rows = column.series.between(start, end).iter();
    rows.map(|o| Observation::new(o.date, clean(o.value)))
        .collect()
}

fn described(named: &Named, units: Units, values: Vec<Option<f64>>) -> Option<ComparedColumn> {
    let rows = &named.column.series.observations;
    let sample: Vec<f64> = rows.iter().map(|o| o.value).collect();
    let (stats, last) = summary(&sample).zip(rows.last())?;
    let (lowest, highest) = extremes(rows)?;
    let sd = stats.sd.filter(|sd| *sd > 0.0);
    let info = &named.column.series.info;
    let fields: &[&str] = if named.is_plain { &["title"] } else { &[] };
    let shown = |value| named.column.rounded(value);
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
        min: shown(lowest.first.value),
        min_date: lowest.first.date,
        min_count: lowest.ties,
        max: shown(highest.first.value),
        max_date: highest.first.date,
        max_count: highest.ties,
        z_score: sd.map(|sd| round_to((last.value - stats.mean) / sd, 2)),
        percentile: percentile_rank(&sample, last.value).map(|r| round_to(r, 0)),
        values,
        untrusted: UntrustedFields::of(info, fields),
    })
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

/// Positions of at most `max` rows, evenly spread, first and last among them, by the number of figures of each: of the
/// rows up to the next position the first with most figures, so that a Sunday without yields is not what is shown.
fn thinned(figures: &[usize], max: usize) -> Vec<usize> {
    let (count, last) = (figures.len(), figures.len().saturating_sub(1));
    let shown = count.min(max.max(2));
    let position = |i: usize| i * last / shown.saturating_sub(1).max(1);
    let fullest = |i: usize| {
        let until = if i == 0 {
            1
        } else {
            position(i + 1).min(count)
        };
        let rows = position(i)..until.max(position(i) + 1);
        rows.min_by_key(|row| std::cmp::Reverse(figures.get(*row)))
    };
    (0..shown).filter_map(fullest).collect()
}

#[cfg(test)]
mod tests {
    use super::thinned;

    #[test]
    fn thinned_rows_keep_both_ends() {
        let of = |count, most| thinned(&vec![2; count], most);
        assert_eq!(of(0, 60), Vec::<usize>::new());
        assert_eq!(of(1, 60), [0]);
        assert_eq!(of(3, 60), [0, 1, 2]);
        assert_eq!(of(100, 4), [0, 33, 66, 99]);
        assert_eq!(of(200, 60).len(), 60);
        let mut weekend = vec![2; 100];
        weekend[33..35].fill(1);
        weekend[99] = 1;
        assert_eq!(thinned(&weekend, 4), [0, 35, 66, 99]);
    }
}
