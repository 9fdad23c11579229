//! Moves of composites and key figures between two days, and how unusual they are.

use crate::prelude::*;
use econoscope_core::indicators::Composite;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::statistics::Moments;
use econoscope_core::model::frequency::day_number;
use econoscope_core::model::table;
use std::sync::LazyLock;

/// Years of history for the standard deviation of moves.
const YEARS: i64 = 20;
/// Fewest moves for a standard deviation.
const MIN_MOVES: usize = 24;
/// In a daily or weekly series, the earlier figure of a move may be so many days older than the span.
const SLACK_DAYS: i32 = 6;

/// Values that differ by less are equal.
const TOLERANCE: f64 = 1e-9;

/// How the move of a figure is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// In the figure's own unit: rates, spreads, indices around a level.
    Points,
    /// In percent: prices and quantities that grow.
    Percent,
    /// In percentage points of the percent change from a year earlier: inflation.
    Yearly,
}

impl Measure {
    fn change(self, now: f64, then: f64) -> Option<f64> {
        match self {
            Self::Points | Self::Yearly => Some(now - then),
            Self::Percent => (then > 0.0).then(|| 100.0 * (now / then - 1.0)),
        }
    }
}

/// The key figures, by subject, and how each is measured. A test reads every row.
const TABLE: &str = include_str!("../../../data/key_figures.csv");

/// The rows of [`TABLE`].
pub(super) static KEY_FIGURES: LazyLock<Vec<(&str, Measure)>> = LazyLock::new(|| {
    let measure = |[id, kind]: [&'static str; 2]| match kind {
        "yearly" => (id, Measure::Yearly),
        "percent" => (id, Measure::Percent),
        _ => (id, Measure::Points),
    };
    table::embedded(TABLE).map(measure).collect()
});

/// A figure on both days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Identifier.
    pub id: String,
    /// Full name, with any transform.
    pub name: String,
    /// Value now.
    pub now: f64,
    /// Its date.
    pub date: Date,
    /// Value then, as known then.
    pub then: f64,
    /// Its date.
    pub date_then: Date,
    /// Revised value of `then`, if revised; the move counts from it, so that it contains no revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then_revised: Option<f64>,
    /// Unit of all values.
    pub unit: String,
    /// The move, in `change_unit`.
    pub change: f64,
    /// Unit of the move: the value's own, or percent.
    pub change_unit: String,
    /// The move in standard deviations of moves over the same span in 20 years; null if history is short.
    pub unusual: Option<f64>,
}

/// The result of comparing a figure on two days.
pub(super) enum Move {
    /// A change, and its size in standard deviations of moves over the same span; -1 with too short a history.
    Change(Change, f64),
    /// No newer figure has come since.
    NoNewFigure,
    /// The figure is absent on one of the days, or restricted.
    Absent,
}

/// Compares a composite at `as_of` with its value on the day `since`.
pub(super) fn composite_move(
    desk: &Desk,
    composite: &'static Composite,
    as_of: AsOf,
    since: Date,
) -> Result<Move> {
    let read = |as_of| -> Result<Option<Observation>> {
        let reading = desk.reading(composite, as_of)?;
        Ok(reading.value.map(|v| Observation::new(reading.date, v)))
    };
    let Some(info) = Catalogue::of_indicator(&composite.indicator) else {
        return Ok(Move::Absent);
    };
    let history = desk.series(info, as_of)?;
    // The index of a month that was under way then is not revised: it moved from the value it had.
    let both = read(as_of)?.zip(read(AsOf::Day(since))?);
    let figures = both.map(|(now, then)| (now, then, then.value));
    let measure = Measure::Points;
    Ok(compare(desk, info, measure, figures, history.as_deref()))
}

/// Compares a key figure at `as_of` with its value on the day `since`.
pub(super) fn key_figure_move(
    desk: &Desk,
    id: &str,
    measure: Measure,
    as_of: AsOf,
    since: Date,
) -> Result<Move> {
    let info = Catalogue::embedded().get(id);
    let Some(info) = info.filter(|info| desk.check_permitted(info).is_ok()) else {
        return Ok(Move::Absent);
    };
    let read = |as_of| -> Result<Option<Arc<Series>>> {
        let series = desk.series(info, as_of)?;
        Ok(series.map(|s| match measure {
            Measure::Points | Measure::Percent => s,
            Measure::Yearly => {
                let rows = Units::PercentYear.apply(&s);
                Arc::new(Series::new(Arc::clone(&s.info), rows))
            }
        }))
    };
    let (Some(now), Some(then)) = (read(as_of)?, read(AsOf::Day(since))?) else {
        return Ok(Move::Absent);
    };
    let newest = now.last_on_or_before(desk.reading_day(as_of));
    let both = newest.zip(then.last_on_or_before(since));
    let figures = both.and_then(|(last, then)| Some((last, then, now.value_on(then.date)?)));
    Ok(compare(desk, info, measure, figures, Some(&now)))
}

/// Compares `figures`: the newest, the earlier one as known then, and the revised value of the earlier one.
fn compare(
    desk: &Desk,
    info: &SeriesInfo,
    measure: Measure,
    figures: Option<(Observation, Observation, f64)>,
    history: Option<&Series>,
) -> Move {
    let Some((now, then, revised)) = figures else {
        return Move::Absent;
    };
    if now.date <= then.date {
        return Move::NoNewFigure;
    }
    let Some(change) = measure.change(now.value, revised) else {
        return Move::Absent;
    };
    let sd = history.and_then(|s| sd_of_moves(s, measure, then.date, now.date));
    let unusual = sd.map(|sd| change / sd);
    let own = info.units_short.as_str();
    let own_decimals = i32::from(info.decimals) + 1;
    let points = match own {
        "%" => "pp",
        "0-100" => "points",
        own => own,
    };
    let (unit, decimals, change_unit, change_decimals, suffix) = match measure {
        Measure::Points => (own, own_decimals, points, own_decimals, ""),
        Measure::Percent => (own, own_decimals, "%", 2, ""),
        Measure::Yearly => ("%", 2, "pp", 2, ", from a year earlier"),
    };
    let round = |value| round_to(value, decimals);
    let is_revised = (revised - then.value).abs() > TOLERANCE;
    let change = Change {
        id: desk.display_id(&info.id),
        name: format!("{}{suffix}", info.title),
        now: round(now.value),
        date: now.date,
        then: round(then.value),
        date_then: then.date,
        then_revised: is_revised.then(|| round(revised)),
        unit: unit.to_owned(),
        change: round_to(change, change_decimals),
        change_unit: change_unit.to_owned(),
        unusual: unusual.map(|u| round_to(u, 2)),
    };
    Move::Change(change, unusual.map_or(-1.0, f64::abs))
}

/// Returns the standard deviation of moves over the span from `from` to `to` in the 20 years before `to`. The spans
/// overlap. `None` with too few moves, or with none that differ.
fn sd_of_moves(series: &Series, measure: Measure, from: Date, to: Date) -> Option<f64> {
    // Monthly and slower series count whole months.
    let (number, slack): (fn(Date) -> i32, i32) = match series.frequency() {
        Frequency::Daily | Frequency::Weekly | Frequency::Biweekly => (day_number, SLACK_DAYS),
        Frequency::Monthly | Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual => {
            (|date| Month::from_date(date).since(Month::new(1970, 1)), 0)
        }
    };
    let span = number(to) - number(from);
    let recent = series.between(shift(to, (-YEARS).years()), to);
    let rows = series.observations.iter();
    let mut rows = rows.map(|o| (number(o.date), o.value)).peekable();
    let mut earlier = None;
    let moves: Moments = recent
        .iter()
        .filter_map(|o| {
            let then = number(o.date) - span;
            while let Some(row) = rows.next_if(|(date, _)| *date <= then) {
                earlier = Some(row);
            }
            let (_, value) = earlier.filter(|(date, _)| then - date <= slack)?;
            measure.change(o.value, value)
        })
        .collect();
    let sd = moves.sd().filter(|_| moves.count() >= MIN_MOVES)?;
    (sd > TOLERANCE).then_some(sd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn monthly(id: &str, values: &[f64]) -> Series {
        let info = Catalogue::embedded().get(id).unwrap().clone();
        let first = Month::new(2020, 1);
        let at = |(i, v): (usize, &f64)| {
            let month = first.plus(i32::try_from(i).unwrap());
            Observation::new(month.first_day(), *v)
        };
        Series::new(info, values.iter().enumerate().map(at).collect())
    }

    #[test]
    fn moves_compare_with_moves_over_the_same_span() {
        // Moves over two months alternate between +1 and -1 around a level.
        let values: Vec<f64> = (0..60).map(|i| f64::from((i / 2) % 2)).collect();
        let s = monthly("UNRATE", &values);
        let from = date(2024, 10, 1);
        let to = date(2024, 12, 1);
        let sd = sd_of_moves(&s, Measure::Points, from, to).unwrap();
        // 58 moves, 30 of +1 and 28 of -1: mean 2/58, sum of squares 58.
        let variance: f64 = (58.0 - 58.0 * (2.0f64 / 58.0).powi(2)) / 57.0;
        assert!((sd - variance.sqrt()).abs() < 1e-12, "{sd}");
        for values in [&[1.0; 60][..], &values[..20]] {
            let series = monthly("UNRATE", values);
            assert_eq!(sd_of_moves(&series, Measure::Points, from, to), None);
        }
    }

    #[test]
    fn every_key_figure_is_in_the_catalogue_once() {
        for (line, row) in table::rows::<2>(TABLE) {
            let [_, kind] = row.unwrap();
            let is_kind = matches!(kind, "points" | "percent" | "yearly");
            assert!(is_kind, "line {line}: {kind}");
        }
        let mut ids: Vec<&str> = KEY_FIGURES.iter().map(|(id, _)| *id).collect();
        assert!(ids.iter().all(|id| Catalogue::embedded().get(id).is_some()));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), KEY_FIGURES.len());
    }
}
