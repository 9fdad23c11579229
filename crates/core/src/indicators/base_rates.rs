//! How often an event has followed: base rates of scenarios from monthly figures (docs/METHODS.md#base-rates).
//!
//! Every month of the past is a starting month, so windows overlap and one recession makes twelve hits. The
//! share is right all the same; the interval is not, unless it counts windows without overlap. It does.
//! The definitions in `data/scenarios/` deserialize into [`Event`] and [`Condition`].

use super::months::{Month, Months};
use super::statistics::{Z_90, count, wilson};
use crate::model::{Date, Observation};
use serde::{Deserialize, Serialize};

/// Allowance for binary dust: 4.2 − 3.7 is half a point.
const DUST: f64 = 1e-9;

/// How a series becomes monthly; no matter for one that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Monthly {
    /// Mean of the month's figures.
    Mean,
    /// Last one.
    Last,
    /// Largest one.
    Max,
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// The figure itself.
    Level,
    /// 100·(xₜ / xₜ₋₁₂ − 1) by calendar month; absent where the base month is.
    YoyPct,
}

/// What must happen, from the starting month's figure x to a later month's figure u.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// u is at or above the threshold; a condition says that x was not.
    Starts,
    /// u − x ≥ threshold.
    RisesBy,
    /// x − u ≥ threshold.
    FallsBy,
    /// u ≥ x·(1 + threshold/100).
    RisesByPct,
    /// u ≤ x·(1 − threshold/100).
    FallsByPct,
    /// u ≥ threshold.
    ReachesOrAbove,
    /// u ≤ threshold.
    ReachesOrBelow,
}

/// How the starting month's figure must stand to a condition's threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// x < threshold.
    Below,
    /// x > threshold.
    Above,
    /// x ≤ threshold.
    AtOrBelow,
    /// x = threshold.
    Equals,
}

/// An event that figures can decide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Series that decides.
    pub series: String,
    /// What is looked at.
    pub transform: Transform,
    /// What must happen.
    #[serde(rename = "move")]
    pub movement: Move,
    /// In the series' unit after the transform; percent for the moves by percent.
    pub threshold: f64,
    /// Months after the starting month in which it may happen.
    pub horizon_months: i32,
    /// How the series becomes monthly.
    pub monthly: Monthly,
}

/// Which starting months count, judged on the event's monthly series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// What is looked at.
    pub transform: Transform,
    /// How it must stand to the threshold.
    pub relation: Relation,
    /// In the series' unit after the transform.
    pub threshold: f64,
}

/// How often the event followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaseRate {
    /// Hits per starting month, 0 to 1.
    pub share: f64,
    /// Wilson's 90 % interval of the share, low then high, on windows without overlap.
    pub interval: (f64, f64),
    /// Starting months that were followed by the event.
    pub hits: usize,
    /// Starting months that met the condition and whose window is complete.
    pub starts: usize,
    /// First and last starting month, as their first days.
    pub span: (Date, Date),
}

/// How often the event followed a starting month from January of the year `since` on.
///
/// A starting month needs a figure, the condition, and a figure at the window's end; it is a hit when any
/// month inside the window that has a figure satisfies the move. `None` when the series begins after the
/// year `since`, since a shorter past would answer another question, or when no month can start.
pub fn base_rate(
    observations: &[Observation],
    event: &Event,
    condition: Option<&Condition>,
    since: i16,
) -> Option<BaseRate> {
    let record = Record::of(observations, event, condition, since)?;
    if record.figures.first()? > Month::new(i32::from(since), 1).plus(11) {
        return None;
    }
    let starting = &record.starts;
    let (hits, starts) = (record.hits.len(), starting.len());
    let share = count(hits) / count(starts);
    Some(BaseRate {
        share,
        interval: wilson(share, count(starts) / f64::from(event.horizon_months), Z_90)?,
        hits,
        starts,
        span: (
            starting.first()?.0.first_day(),
            starting.last()?.0.first_day(),
        ),
    })
}

/// A time from which an event followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Episode {
    /// The first of the starting months, as its first day.
    pub from: Date,
    /// The month in which the event came.
    pub met: Date,
    /// Its figure.
    pub value: f64,
}

/// How far an event is in the newest month, and when it came in the past.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The monthly figures that decide.
    pub figures: Vec<Observation>,
    /// The newest of them.
    pub now: Observation,
    /// The figure at which the event comes: the nearest of all windows that are open.
    pub trigger: f64,
    /// The month in which that window began.
    pub since: Date,
    /// Whether the newest figure has reached it.
    pub met: bool,
    /// Past times from which the event followed, the oldest first; starting months in a row are one.
    pub episodes: Vec<Episode>,
}

/// How far an event is, from January of the year `since` on; `None` where nothing is known.
pub fn standing(
    observations: &[Observation],
    event: &Event,
    condition: Option<&Condition>,
    since: i16,
) -> Option<Standing> {
    let record = Record::of(observations, event, condition, since)?;
    let (newest, value) = (record.figures.last()?, record.figures.iter().last()?.1);
    let first = newest.plus(1 - event.horizon_months);
    let open = record.open.iter().filter(|(month, _)| *month >= first);
    let open = open.map(|(month, x)| (*month, event.trigger(*x)));
    let (since, trigger) = match event.is_upward() {
        true => open.min_by(|a, b| a.1.total_cmp(&b.1)),
        false => open.max_by(|a, b| a.1.total_cmp(&b.1)),
    }
    .unwrap_or((newest, event.trigger(value)));
    let runs = record.hits.chunk_by(|a, b| a.0.plus(1) == b.0);
    let episode = |run: &[Hit]| {
        let (from, met, value) = *run.first()?;
        Some(Episode {
            from: from.first_day(),
            met: met.first_day(),
            value,
        })
    };
    let stamped = |(month, x): (Month, f64)| Observation::new(month.first_day(), x);
    Some(Standing {
        now: stamped((newest, value)),
        trigger,
        since: since.first_day(),
        met: match event.is_upward() {
            true => value >= trigger - DUST,
            false => value <= trigger + DUST,
        },
        episodes: runs.filter_map(episode).collect(),
        figures: record.figures.iter().map(stamped).collect(),
    })
}

/// A starting month, the first month in its window in which the event came, and the figure of that.
type Hit = (Month, Month, f64);

/// Starting months and what followed them.
struct Record {
    /// What is looked at, by month.
    figures: Months,
    /// Starting months whose window is complete, with their figures.
    starts: Vec<(Month, f64)>,
    /// Those of them that were followed by the event.
    hits: Vec<Hit>,
    /// Starting months whose window is not complete, with their figures.
    open: Vec<(Month, f64)>,
}

impl Record {
    /// `None` for a window that is shorter than a month.
    fn of(
        observations: &[Observation],
        event: &Event,
        condition: Option<&Condition>,
        since: i16,
    ) -> Option<Self> {
        let monthly = to_months(observations, event.monthly);
        let figures = transformed(&monthly, event.transform);
        let judged = condition.map(|c| (c, transformed(&monthly, c.transform)));
        let from = Month::new(i32::from(since), 1);
        if event.horizon_months < 1 {
            return None;
        }
        let counts = |(month, _): &(Month, f64)| {
            let holds = |(c, of): &(&Condition, Months)| of.get(*month).is_some_and(|x| c.holds(x));
            *month >= from && judged.as_ref().is_none_or(holds)
        };
        let end = |month: Month| month.plus(event.horizon_months);
        let newest = figures.last();
        let counted: Vec<(Month, f64)> = figures.iter().filter(counts).collect();
        let is_whole = |(month, _): &(Month, f64)| figures.get(end(*month)).is_some();
        let starts: Vec<_> = counted.iter().copied().filter(is_whole).collect();
        let hit = |(month, x): &(Month, f64)| {
            let window = month.plus(1).until(end(*month));
            let mut later = window.filter_map(|m| Some((m, figures.get(m)?)));
            let (met, u) = later.find(|(_, u)| event.is_met(*x, *u))?;
            Some((*month, met, u))
        };
        Some(Self {
            hits: starts.iter().filter_map(hit).collect(),
            open: (counted.into_iter().filter(|(m, _)| Some(end(*m)) > newest)).collect(),
            starts,
            figures,
        })
    }
}

impl Event {
    /// The figure at which it comes after a starting month with the figure x.
    fn trigger(&self, x: f64) -> f64 {
        let by = self.threshold;
        match self.movement {
            Move::Starts | Move::ReachesOrAbove | Move::ReachesOrBelow => by,
            Move::RisesBy => x + by,
            Move::FallsBy => x - by,
            Move::RisesByPct => x * (1.0 + by / 100.0),
            Move::FallsByPct => x * (1.0 - by / 100.0),
        }
    }

    /// Whether it comes from below.
    fn is_upward(&self) -> bool {
        !matches!(
            self.movement,
            Move::FallsBy | Move::FallsByPct | Move::ReachesOrBelow
        )
    }

    /// The rule in words: "the monthly mean of DGS10 rises by 1 or more within 12 months".
    pub fn in_words(&self) -> String {
        let by = self.threshold;
        let happens = match self.movement {
            Move::Starts | Move::ReachesOrAbove => format!("is {by} or above"),
            Move::ReachesOrBelow => format!("is {by} or below"),
            Move::RisesBy => format!("rises by {by} or more"),
            Move::FallsBy => format!("falls by {by} or more"),
            Move::RisesByPct => format!("rises by {by} % or more"),
            Move::FallsByPct => format!("falls by {by} % or more"),
        };
        let monthly = match self.monthly {
            Monthly::Mean => "mean",
            Monthly::Last => "last figure",
            Monthly::Max => "highest figure",
        };
        let (what, within) = (self.transform.of(&self.series), self.horizon_months);
        format!("{what}, {monthly} of the month, {happens} in one of the next {within} months")
    }

    fn is_met(&self, x: f64, u: f64) -> bool {
        let trigger = self.trigger(x);
        match self.is_upward() {
            true => u >= trigger - DUST,
            false => u <= trigger + DUST,
        }
    }
}

impl Transform {
    /// What is looked at of a series, in words.
    fn of(self, series: &str) -> String {
        match self {
            Self::Level => series.to_owned(),
            Self::YoyPct => format!("12-month % change of {series}"),
        }
    }
}

impl Condition {
    /// Which months count, in words, of an event's series: "DGS10 below 5".
    pub fn in_words(&self, series: &str) -> String {
        let relation = match self.relation {
            Relation::Below => "below",
            Relation::Above => "above",
            Relation::AtOrBelow => "at or below",
            Relation::Equals => "equal to",
        };
        let (what, threshold) = (self.transform.of(series), self.threshold);
        format!("{what} {relation} {threshold}")
    }

    fn holds(&self, x: f64) -> bool {
        match self.relation {
            Relation::Below => x < self.threshold - DUST,
            Relation::Above => x > self.threshold + DUST,
            Relation::AtOrBelow => x <= self.threshold + DUST,
            Relation::Equals => (x - self.threshold).abs() <= DUST,
        }
    }
}

fn to_months(observations: &[Observation], how: Monthly) -> Months {
    match how {
        Monthly::Mean => Months::means(observations),
        Monthly::Last => Months::lasts(observations),
        Monthly::Max => Months::each(observations, |month| {
            month.iter().map(|o| o.value).max_by(f64::total_cmp)
        }),
    }
}

fn transformed(monthly: &Months, transform: Transform) -> Months {
    match transform {
        Transform::Level => monthly.clone(),
        Transform::YoyPct => Months::new(monthly.iter().filter_map(|(month, x)| {
            let base = monthly.get(month.plus(-12)).filter(|b| *b != 0.0)?;
            Some((month, 100.0 * (x / base - 1.0)))
        })),
    }
}

#[cfg(test)]
mod tests;
