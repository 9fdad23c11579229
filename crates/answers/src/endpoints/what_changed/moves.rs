//! Moves of key figures between two states of knowledge, and how unusual they are.

use crate::endpoints::prelude::*;
use econoscope_core::indicators::Composite;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::statistics::Moments;
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::frequency::{day_number, shift};
use econoscope_core::model::{Frequency, Observation, Series};
use jiff::ToSpan;
use std::sync::Arc;

/// Years of moves that a move is set against.
const YEARS: i64 = 20;
/// Fewest such moves for a standard deviation.
const MIN_MOVES: usize = 24;
/// Days by which the figure a span earlier may be off in a daily or weekly series.
const SLACK_DAYS: i32 = 6;

/// Values nearer than this are the same figure.
const SAME: f64 = 1e-9;

/// How a figure moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// By its own unit: rates, spreads, indices around a level.
    Points,
    /// By percent: prices and quantities that grow.
    Percent,
    /// Its percent change from a year earlier, by percentage points: inflation.
    Yearly,
}

impl Kind {
    fn change(self, now: f64, then: f64) -> Option<f64> {
        match self {
            Self::Points | Self::Yearly => Some(now - then),
            Self::Percent => (then > 0.0).then(|| 100.0 * (now / then - 1.0)),
        }
    }
}

/// The figures people ask about, by subject.
pub(super) const KEY: &[(&str, Kind)] = &[
    ("DGS10", Kind::Points),
    ("DGS2", Kind::Points),
    ("T10Y2Y", Kind::Points),
    ("T10Y3M", Kind::Points),
    ("EFFR", Kind::Points),
    ("T10YIE", Kind::Points),
    ("MORTGAGE30US", Kind::Points),
    ("BAMLH0A0HYM2", Kind::Points),
    ("BAA10Y", Kind::Points),
    ("NFCI", Kind::Points),
    ("VIXCLS", Kind::Points),
    ("SP500", Kind::Percent),
    ("DTWEXBGS", Kind::Percent),
    ("DCOILWTICO", Kind::Percent),
    ("UNRATE", Kind::Points),
    ("SAHMREALTIME", Kind::Points),
    ("PAYEMS", Kind::Percent),
    ("ICSA", Kind::Percent),
    ("CPIAUCSL", Kind::Yearly),
    ("CPILFESL", Kind::Yearly),
    ("PCEPILFE", Kind::Yearly),
    ("INDPRO", Kind::Percent),
    ("PERMIT", Kind::Percent),
    ("WALCL", Kind::Percent),
];

/// A figure on both days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Identifier.
    pub id: String,
    /// Full name, and the transform where there is one.
    pub name: String,
    /// Value now.
    pub now: f64,
    /// Its date.
    pub date: Date,
    /// Value then, as known then.
    pub then: f64,
    /// Its date.
    pub date_then: Date,
    /// What `then` has been revised to, where it was; the move counts from it, so that both its ends are of one state
    /// of knowledge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then_revised: Option<f64>,
    /// Unit of all values.
    pub unit: String,
    /// The move, in `change_unit`.
    pub change: f64,
    /// Unit of the move: the value's own, or percent.
    pub change_unit: String,
    /// The move in standard deviations of moves over the same span in 20 years; null with too short a history.
    pub unusual: Option<f64>,
}

/// What became of a figure.
pub(super) enum Outcome {
    /// It moved, by so many standard deviations of moves over the same span; less than none where that is not known.
    Moved(Change, f64),
    NoNewFigure,
    Absent,
}

/// The two states of knowledge: that of the answer, and the day it is compared with.
type Comparison = (AsOf, Date);

/// A composite on both days, against its own history.
pub(super) fn of_composite(
    desk: &Desk,
    composite: &'static Composite,
    (as_of, since): Comparison,
) -> Result<Outcome> {
    let at = |as_of| -> Result<Option<Observation>> {
        let reading = desk.reading(composite, as_of)?;
        Ok(reading.value.map(|v| Observation::new(reading.date, v)))
    };
    let Some(info) = Catalogue::of(&composite.about) else {
        return Ok(Outcome::Absent);
    };
    let history = desk.series(info, as_of)?;
    // A month under way then is whole now: what the index said then is what it has moved from.
    let both = at(as_of)?.zip(at(AsOf::Day(since))?);
    let figures = both.map(|(now, then)| (now, then, then.value));
    let history = history.as_deref();
    Ok(outcome((desk, info), Kind::Points, figures, history))
}

/// A key figure on both days, unless it may not be passed on.
pub(super) fn of_key(
    desk: &Desk,
    id: &str,
    kind: Kind,
    (as_of, since): Comparison,
) -> Result<Outcome> {
    let info = Catalogue::embedded().get(id);
    let Some(info) = info.filter(|info| desk.permit(info).is_ok()) else {
        return Ok(Outcome::Absent);
    };
    let measured = |as_of| -> Result<Option<Arc<Series>>> {
        let found = desk.series(info, as_of)?;
        Ok(found.map(|s| match kind {
            Kind::Points | Kind::Percent => s,
            Kind::Yearly => {
                let rows = Units::PercentYear.apply(&s);
                Arc::new(Series::new(Arc::clone(&s.info), rows))
            }
        }))
    };
    let (Some(now), Some(then)) = (measured(as_of)?, measured(AsOf::Day(since))?) else {
        return Ok(Outcome::Absent);
    };
    let newest = now.last_on_or_before(desk.present(as_of));
    let both = newest.zip(then.last_on_or_before(since));
    let figures = both.and_then(|(last, then)| Some((last, then, now.at(then.date)?)));
    Ok(outcome((desk, info), kind, figures, Some(&now)))
}

/// What became of a figure: as it is now and as it was known then, with what that has been revised to.
fn outcome(
    (desk, info): (&Desk, &SeriesInfo),
    kind: Kind,
    figures: Option<(Observation, Observation, f64)>,
    history: Option<&Series>,
) -> Outcome {
    let Some((now, then, revised)) = figures else {
        return Outcome::Absent;
    };
    if now.date <= then.date {
        return Outcome::NoNewFigure;
    }
    let Some(change) = kind.change(now.value, revised) else {
        return Outcome::Absent;
    };
    let sd = history.and_then(|s| usual(s, kind, (then.date, now.date)));
    let unusual = sd.map(|sd| change / sd);
    let (own, own_decimals) = (info.units_short.as_str(), i32::from(info.decimals) + 1);
    let points = match own {
        "%" => "pp",
        "0-100" => "points",
        own => own,
    };
    // Unit and decimals of the figures and of the move, and what is said behind the title.
    let (unit, decimals, change_unit, change_decimals, measure) = match kind {
        Kind::Points => (own, own_decimals, points, own_decimals, ""),
        Kind::Percent => (own, own_decimals, "%", 2, ""),
        Kind::Yearly => ("%", 2, "pp", 2, ", from a year earlier"),
    };
    let shown = |value| round_to(value, decimals);
    let was_revised = (revised - then.value).abs() > SAME;
    let moved = Change {
        id: desk.shown_id(&info.id),
        name: format!("{}{measure}", info.title),
        now: shown(now.value),
        date: now.date,
        then: shown(then.value),
        date_then: then.date,
        then_revised: was_revised.then(|| shown(revised)),
        unit: unit.to_owned(),
        change: round_to(change, change_decimals),
        change_unit: change_unit.to_owned(),
        unusual: unusual.map(|u| round_to(u, 2)),
    };
    Outcome::Moved(moved, unusual.map_or(-1.0, f64::abs))
}

/// Standard deviation of moves over the span from `from` to `to`, of the 20 years before `to`; spans overlap.
fn usual(series: &Series, kind: Kind, (from, to): (Date, Date)) -> Option<f64> {
    // Whole months in monthly and slower series.
    let (number, slack): (fn(Date) -> i32, i32) = match series.frequency() {
        Frequency::Daily | Frequency::Weekly | Frequency::Biweekly => (day_number, SLACK_DAYS),
        Frequency::Monthly | Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual => {
            (|date| Month::of(date).since(Month::new(1970, 1)), 0)
        }
    };
    let back = number(to) - number(from);
    let recent = series.between(shift(to, (-YEARS).years()), to);
    let rows = series.observations.iter();
    let mut past = rows.map(|o| (number(o.date), o.value)).peekable();
    let mut found = None;
    let moves = recent.iter().filter_map(|o| {
        let then = number(o.date) - back;
        while let Some(next) = past.next_if(|(date, _)| *date <= then) {
            found = Some(next);
        }
        let (_, before) = found.filter(|(date, _)| then - date <= slack)?;
        kind.change(o.value, before)
    });
    let moves: Moments = moves.collect();
    let sd = moves.sd().filter(|_| moves.count() >= MIN_MOVES)?;
    (sd > 1e-9).then_some(sd)
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
    fn a_move_is_set_against_moves_over_the_same_span() {
        // Moves over two months alternate between +1 and -1 around a level.
        let values: Vec<f64> = (0..60).map(|i| f64::from((i / 2) % 2)).collect();
        let s = monthly("UNRATE", &values);
        let span = (date(2024, 10, 1), date(2024, 12, 1));
        let sd = usual(&s, Kind::Points, span).unwrap();
        // 58 moves, 30 of +1 and 28 of -1: mean 2/58, sum of squares 58.
        let variance: f64 = (58.0 - 58.0 * (2.0f64 / 58.0).powi(2)) / 57.0;
        assert!((sd - variance.sqrt()).abs() < 1e-12, "{sd}");
        assert_eq!(
            usual(&monthly("UNRATE", &[1.0; 60]), Kind::Points, span),
            None
        );
        assert_eq!(
            usual(&monthly("UNRATE", &values[..20]), Kind::Points, span),
            None
        );
    }

    #[test]
    fn every_key_figure_is_in_the_catalogue_once() {
        let mut ids: Vec<&str> = KEY.iter().map(|(id, _)| *id).collect();
        assert!(ids.iter().all(|id| Catalogue::embedded().get(id).is_some()));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), KEY.len());
    }
}
