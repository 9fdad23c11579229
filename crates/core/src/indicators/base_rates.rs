//! Base rates of scenarios: how often an event has followed, from monthly figures (docs/SCENARIOS.md#base-rates).
//!
//! Every past month is a starting month, so windows overlap and one recession gives twelve hits. The share is unaffected;
//! the interval counts only windows without overlap.
//! The definitions in `crates/desk/data/scenarios/` deserialize into [`Event`] and [`Condition`].

use super::months::{Month, MonthlyGrid};
use super::statistics::{Z_90, count, wilson};
use crate::model::{Date, Observation};
use serde::{Deserialize, Serialize};

/// Tolerance for binary rounding: 4.2 − 3.7 counts as half a point.
const TOLERANCE: f64 = 1e-9;

/// How a series becomes monthly; has no effect on a monthly series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Monthly {
    /// Mean of the month's figures.
    Mean,
    /// Last figure.
    Last,
    /// Largest figure.
    Max,
}

/// What is computed from the monthly figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// The figure itself.
    Level,
    /// 100·(xₜ / xₜ₋₁₂ − 1) by calendar month; absent where the base month is.
    YoyPct,
}

/// What must happen between the starting month's figure x and a later month's figure u.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// u − x ≥ threshold.
    RisesBy,
    /// x − u ≥ threshold.
    FallsBy,
    /// u ≥ x·(1 + threshold/100).
    RisesByPct,
    /// u ≤ x·(1 − threshold/100).
    FallsByPct,
    /// u ≥ threshold. What starts is below it in the starting month, as a condition says.
    #[serde(alias = "starts")]
    ReachesOrAbove,
    /// u ≤ threshold.
    ReachesOrBelow,
}

/// How the starting month's figure x compares with a condition's threshold.
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
    /// What is computed from it.
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

/// Selects starting months by the event's monthly series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// What is computed from the series.
    pub transform: Transform,
    /// How it must compare with the threshold.
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

/// A run of consecutive starting months that the event followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Episode {
    /// The first of the starting months, as its first day.
    pub from: Date,
    /// The month in which the event occurred.
    pub event_month: Date,
    /// That month's figure.
    pub value: f64,
}

/// How far away an event is in the newest month, and when it occurred in the past.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioStatus {
    /// The monthly figures that decide.
    pub figures: Vec<Observation>,
    /// The newest of them.
    pub now: Observation,
    /// The figure at which the event occurs: the nearest trigger of all open windows.
    pub trigger: f64,
    /// The month in which that window began.
    pub since: Date,
    /// Whether the newest figure has reached the trigger.
    pub is_met: bool,
    /// Past runs of starting months that the event followed, the oldest first.
    pub episodes: Vec<Episode>,
}

/// Starting months of an event and what followed them.
#[derive(Debug)]
pub struct Outcomes<'a> {
    event: &'a Event,
    /// The first month that may be one.
    first: Month,
    /// The transformed figures by month.
    figures: MonthlyGrid,
    /// Starting months whose window is complete.
    starts: Vec<Month>,
    /// Starting months that were followed by the event, each with the first month in which it occurred.
    hits: Vec<Episode>,
    /// Starting months whose window reaches beyond the newest figure, with their figures.
    open: Vec<(Month, f64)>,
}

impl<'a> Outcomes<'a> {
    /// Classifies the starting months from January of the year `since` on; `None` for a window that is shorter than a month.
    pub fn new(
        observations: &[Observation],
        event: &'a Event,
        condition: Option<&Condition>,
        since: i16,
    ) -> Option<Self> {
        if event.horizon_months < 1 {
            return None;
        }
        let monthly = event.monthly.aggregate(observations);
        let conditioned = condition.map(|c| (c, c.transform.apply(&monthly)));
        let first = Month::new(i32::from(since), 1);
        let is_start = |(month, _): &(Month, f64)| {
            let holds = |(condition, months): &(&Condition, MonthlyGrid)| {
                months.get(*month).is_some_and(|x| condition.holds(x))
            };
            *month >= first && conditioned.as_ref().is_none_or(holds)
        };
        let mut outcomes = Self {
            event,
            first,
            figures: event.transform.apply(&monthly),
            starts: Vec::new(),
            hits: Vec::new(),
            open: Vec::new(),
        };
        let figures = &outcomes.figures;
        for (month, x) in figures.iter().filter(is_start) {
            let end = month.plus(event.horizon_months);
            if Some(end) > figures.last() {
                outcomes.open.push((month, x));
            } else if figures.get(end).is_some() {
                outcomes.starts.push(month);
                let trigger = event.trigger(x);
                let window = month.plus(1).through(end);
                let mut later = window.filter_map(|m| Some((m, figures.get(m)?)));
                let hit = later.find(|(_, value)| event.is_reached(trigger, *value));
                outcomes
                    .hits
                    .extend(hit.map(|(event_month, value)| Episode {
                        from: month.first_day(),
                        event_month: event_month.first_day(),
                        value,
                    }));
            }
        }
        Some(outcomes)
    }

    /// Returns how often the event followed a starting month.
    ///
    /// A starting month needs a figure, the condition, and a figure at the window's end; it is a hit when any
    /// month inside the window that has a figure satisfies the move. `None` when the series begins after the
    /// first year, because the sample would not be the requested one, or when there is no starting month.
    pub fn base_rate(&self) -> Option<BaseRate> {
        if self.figures.first()? > self.first.plus(11) {
            return None;
        }
        let hits = self.hits.len();
        let starts = self.starts.len();
        let share = count(hits) / count(starts);
        let windows = count(starts) / f64::from(self.event.horizon_months);
        let [from, to] = [self.starts.first()?, self.starts.last()?].map(|month| month.first_day());
        Some(BaseRate {
            share,
            interval: wilson(share, windows, Z_90)?,
            hits,
            starts,
            span: (from, to),
        })
    }

    /// Returns how far away the event is; `None` without figures.
    pub fn status(&self) -> Option<ScenarioStatus> {
        let event = self.event;
        let (newest, value) = self.figures.iter().last()?;
        let first = newest.plus(1 - event.horizon_months);
        let open = self.open.iter().filter(|(month, _)| *month >= first);
        let triggers = open.map(|(month, x)| (*month, event.trigger(*x)));
        let (since, trigger) = if event.is_upward() {
            triggers.min_by(|a, b| a.1.total_cmp(&b.1))
        } else {
            triggers.max_by(|a, b| a.1.total_cmp(&b.1))
        }
        .unwrap_or((newest, event.trigger(value)));
        let next = |hit: &Episode| Month::from_date(hit.from).plus(1).first_day();
        let runs = self.hits.chunk_by(|a, b| next(a) == b.from);
        let episodes = runs.filter_map(|run| run.first().copied());
        let observation = |(month, x): (Month, f64)| Observation::new(month.first_day(), x);
        Some(ScenarioStatus {
            now: observation((newest, value)),
            trigger,
            since: since.first_day(),
            is_met: event.is_reached(trigger, value),
            episodes: episodes.collect(),
            figures: self.figures.iter().map(observation).collect(),
        })
    }
}

impl Event {
    /// The figure at which the event occurs after a starting month with the figure x.
    fn trigger(&self, x: f64) -> f64 {
        let by = self.threshold;
        match self.movement {
            Move::ReachesOrAbove | Move::ReachesOrBelow => by,
            Move::RisesBy => x + by,
            Move::FallsBy => x - by,
            Move::RisesByPct => x * (1.0 + by / 100.0),
            Move::FallsByPct => x * (1.0 - by / 100.0),
        }
    }

    /// Whether the figure must rise to the trigger.
    fn is_upward(&self) -> bool {
        !matches!(
            self.movement,
            Move::FallsBy | Move::FallsByPct | Move::ReachesOrBelow
        )
    }

    /// Whether a figure is at the trigger or beyond it.
    fn is_reached(&self, trigger: f64, value: f64) -> bool {
        if self.is_upward() {
            value >= trigger - TOLERANCE
        } else {
            value <= trigger + TOLERANCE
        }
    }

    /// Describes the rule: "the monthly mean of DGS10 rises by 1 or more within 12 months".
    pub fn describe(&self) -> String {
        let by = self.threshold;
        let movement = match self.movement {
            Move::ReachesOrAbove => format!("is {by} or above"),
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
        let subject = self.transform.describe(&self.series);
        let months = self.horizon_months;
        format!("{subject}, {monthly} of the month, {movement} in one of the next {months} months")
    }
}

impl Monthly {
    fn aggregate(self, observations: &[Observation]) -> MonthlyGrid {
        match self {
            Self::Mean => MonthlyGrid::from_means(observations),
            Self::Last => MonthlyGrid::from_last_values(observations),
            Self::Max => MonthlyGrid::aggregate(observations, |month| {
                month.iter().map(|o| o.value).max_by(f64::total_cmp)
            }),
        }
    }
}

impl Transform {
    fn apply(self, monthly: &MonthlyGrid) -> MonthlyGrid {
        match self {
            Self::Level => monthly.clone(),
            Self::YoyPct => monthly.map(|month, x| {
                let base = monthly.get(month.plus(-12)).filter(|b| *b != 0.0)?;
                Some(100.0 * (x / base - 1.0))
            }),
        }
    }

    /// Names the transformed series.
    fn describe(self, series: &str) -> String {
        match self {
            Self::Level => series.to_owned(),
            Self::YoyPct => format!("12-month % change of {series}"),
        }
    }
}

impl Condition {
    /// Describes which starting months of an event's series count: "DGS10 below 5".
    pub fn describe(&self, series: &str) -> String {
        let relation = match self.relation {
            Relation::Below => "below",
            Relation::Above => "above",
            Relation::AtOrBelow => "at or below",
            Relation::Equals => "equal to",
        };
        let subject = self.transform.describe(series);
        format!("{subject} {relation} {}", self.threshold)
    }

    fn holds(&self, x: f64) -> bool {
        match self.relation {
            Relation::Below => x < self.threshold - TOLERANCE,
            Relation::Above => x > self.threshold + TOLERANCE,
            Relation::AtOrBelow => x <= self.threshold + TOLERANCE,
            Relation::Equals => (x - self.threshold).abs() <= TOLERANCE,
        }
    }
}

#[cfg(test)]
mod tests;
