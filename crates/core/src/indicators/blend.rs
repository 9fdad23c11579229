//! How a daily index is blended from parts: one way of scoring, one rule for gaps.
//!
//! Stress and risk appetite differ in their parts and in how a part is scored; everything else is the same
//! and stands here: the days of the index, which way of measuring a part counts on a day, renormalised
//! weights, and a reading whose contributions add up. Each day uses only figures from before or on it.

use super::measure::{Measure, Way};
use super::prose::joined;
use super::reading::{Input, Reading, Trend, too_little};
use super::statistics::percentile_rank;
use crate::model::frequency::{days_between, shift};
use crate::model::{Date, Frequency, Observation, SeriesSet};
use jiff::ToSpan;
use jiff::civil::{Weekday, date};

/// First day of every daily index (docs/METHODS.md#macro-stress).
const START: Date = date(1986, 1, 1);
/// Inputs are read from here, so that windows are full at [`START`].
const READ_FROM: Date = date(1984, 1, 1);
/// A daily index whose newest day is older than this has no value: one period and the slack of
/// docs/METHODS.md#staleness.
const STALE_AFTER_DAYS: i64 = 8;
/// Calendar days over which the trend is taken, and the words for it.
const TREND: (i64, &str) = (28, "4 weeks");

/// One part of an index.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// What it measures.
    pub name: &'static str,
    /// Unit of the transformed input.
    pub unit: &'static str,
    /// Weight; those of an index add up to 1.
    pub weight: f64,
    /// Ways to measure it, the preferred first: on each day the first that has a score counts.
    pub ways: &'static [Way],
}

impl Part {
    /// The same with another weight.
    pub const fn weighing(self, weight: f64) -> Self {
        Self { weight, ..self }
    }

    /// Series that it may be measured by, the preferred first.
    fn series(&self) -> impl Iterator<Item = &'static str> {
        self.ways.iter().flat_map(|w| w.series).copied()
    }
}

/// A daily index: its parts, and how they are scored and put together.
///
/// The profile, full or other, is chosen once for the whole history, so that no history mixes two definitions.
#[derive(Debug)]
pub struct Index {
    /// Its parts where their series are there.
    pub full: &'static [Part],
    /// Its parts elsewhere.
    pub other: &'static [Part],
    /// The full profile applies when all series of one of these groups are current on the reference day.
    pub full_with: &'static [&'static [&'static str]],
    /// What is said of a reading of the other profile.
    pub other_basis: &'static str,
    /// From a part's values up to each day to scores from 0 to 1; `None` while the past is too short.
    pub score: fn(&[f64]) -> Vec<Option<f64>>,
    /// The index with every part at its reference.
    pub base: f64,
    /// Share of the weight that must be present.
    pub least_weight: f64,
}

impl Index {
    /// Every series that it may read, each once.
    pub fn inputs(&self) -> Vec<&'static str> {
        let mut inputs = Vec::new();
        for id in self.full.iter().chain(self.other).flat_map(Part::series) {
            if !inputs.contains(&id) {
                inputs.push(id);
            }
        }
        inputs
    }

    /// The reading at `day`, on which the set was known, and the history that it ranks itself in: every day on
    /// which enough weight is present, ascending. O(n log n) in the number of days.
    pub fn at(&'static self, set: &SeriesSet, day: Date) -> (Reading, Vec<Observation>) {
        let current = |id: &&str| set.get(id).is_some_and(|s| s.lookup(day).is_some());
        let is_full = self.full_with.iter().any(|group| group.iter().all(current));
        let parts = if is_full { self.full } else { self.other };
        let blend = Blend::compute(self, parts, set, day);
        let history = blend.history();
        let mut reading = blend.reading();
        let standing = reading.value.and_then(|v| standing(&history, v));
        reading.basis.extend(standing);
        if !is_full {
            reading.basis.push(self.other_basis.to_owned());
        }
        (reading, history)
    }
}

/// Where a value stands in its own history, in words.
fn standing(history: &[Observation], value: f64) -> Option<String> {
    let values: Vec<f64> = history.iter().map(|o| o.value).collect();
    let rank = percentile_rank(&values, value)?;
    let since = history.first()?.date.strftime("%Y-%m");
    let is_extreme = |beyond: fn(f64, f64) -> bool| !values.iter().any(|v| beyond(*v, value));
    let (highest, lowest) = (is_extreme(|v, now| v > now), is_extreme(|v, now| v < now));
    Some(match (highest, lowest) {
        (true, false) => format!("the highest since {since}"),
        (false, true) => format!("the lowest since {since}"),
        // Rounded down: nothing is above 100 % of days that include itself.
        _ => format!("above {:.0} % of its days since {since}", rank.floor()),
    })
}

/// An index on all its days.
struct Blend {
    index: &'static Index,
    day: Date,
    days: Vec<Date>,
    parts: Vec<PartDays>,
}

/// A part on all days of the index.
struct PartDays {
    part: &'static Part,
    measures: Vec<Measure>,
    /// One per day.
    scores: Vec<Option<f64>>,
    /// The score of the last day, with the series and the figure that it was made of.
    newest: Option<(&'static [&'static str], Observation, f64)>,
}

impl Blend {
    fn compute(index: &'static Index, parts: &'static [Part], set: &SeriesSet, day: Date) -> Self {
        let measure = |part: &'static Part| {
            let ways = part.ways.iter();
            let measures = ways.filter_map(|w| w.measure(set, (READ_FROM, day)));
            (part, measures.collect::<Vec<_>>())
        };
        let measured: Vec<_> = parts.iter().map(measure).collect();
        let days = index_days(measured.iter().flat_map(|(_, m)| m), day);
        let scored = |(part, measures)| PartDays::score(part, measures, &days, index.score);
        Self {
            index,
            day,
            parts: measured.into_iter().map(scored).collect(),
            days,
        }
    }

    fn history(&self) -> Vec<Observation> {
        let days = self.days.iter().enumerate();
        let rows = days.filter_map(|(i, day)| Some(Observation::new(*day, self.at(i).1?)));
        rows.collect()
    }

    /// The newest day's value with its parts; without a value, the reason.
    fn reading(&self) -> Reading {
        let newest = self.days.iter().copied().enumerate().next_back();
        let fresh = newest.filter(|(_, d)| days_between(*d, self.day) <= STALE_AFTER_DAYS);
        let Some((last, date)) = fresh else {
            let old =
                |(_, date)| format!("its newest input day is {date}, too old for {}", self.day);
            let reason = newest.map_or_else(|| "none of its inputs is there".to_owned(), old);
            return Reading::none(self.day, reason, self.inputs(None));
        };
        let (weight, value) = self.at(last);
        let Some(value) = value else {
            // Without a value of the index there is nothing to contribute to.
            let reason = too_little(weight, self.index.least_weight);
            return Reading::none(date, reason, self.inputs(Some((date, None))));
        };
        let inputs = self.inputs(Some((date, Some(weight))));
        Reading {
            base: self.index.base,
            weight_present: weight,
            trend: self.trend(date, value),
            ..Reading::of(date, value, inputs)
        }
    }

    fn trend(&self, date: Date, value: f64) -> Option<Trend> {
        let (span, over) = TREND;
        let then = shift(date, (-span).days());
        let place = self.days.partition_point(|d| *d <= then).checked_sub(1)?;
        let fresh = days_between(*self.days.get(place)?, then) <= STALE_AFTER_DAYS;
        let (_, before) = self.at(place);
        Trend::since(before.filter(|_| fresh), value, over)
    }

    /// The weight that is present on the day of that place, and the index where that is enough.
    fn at(&self, place: usize) -> (f64, Option<f64>) {
        let (mut weight, mut points) = (0.0, 0.0);
        for p in &self.parts {
            if let Some(score) = p.scores.get(place).copied().flatten() {
                weight += p.part.weight;
                points += self.points(p.part.weight, score);
            }
        }
        let weight = f64::min(weight, 1.0);
        // A sum of decimal weights may miss its limit by a rounding.
        let is_enough = weight >= self.index.least_weight - 1e-9;
        let value = (self.index.base + points / weight).clamp(0.0, 100.0);
        (weight, is_enough.then_some(value))
    }

    /// Points that a score takes the index away from its base, before weights are renormalised.
    fn points(&self, weight: f64, score: f64) -> f64 {
        100.0 * weight * (score - self.index.base / 100.0)
    }

    /// The parts on the last day, if it counts; their contributions where the index has a value for so much weight.
    fn inputs(&self, last: Option<(Date, Option<f64>)>) -> Vec<Input> {
        let (day, total) = last.unwrap_or((self.day, None));
        let input = |p: &PartDays| {
            let scored = last.and(p.newest);
            let points = |(_, _, score)| Some(self.points(p.part.weight, score) / total?);
            Input {
                name: p.part.name,
                value: scored.map(|(_, input, _)| input.value),
                unit: p.part.unit,
                date: scored.map(|(_, input, _)| input.date),
                weight: Some(p.part.weight),
                contribution: scored.and_then(points),
                series: scored.map_or_else(|| p.part.series().collect(), |(s, ..)| s.to_vec()),
                missing: scored.is_none().then(|| p.lack(day)),
            }
        };
        self.parts.iter().map(input).collect()
    }
}

impl PartDays {
    /// Scores of a part: on each day that of the first measure that has one.
    fn score(
        part: &'static Part,
        measures: Vec<Measure>,
        days: &[Date],
        score: fn(&[f64]) -> Vec<Option<f64>>,
    ) -> Self {
        let (mut scores, mut newest) = (vec![None; days.len()], None);
        for measure in &measures {
            // A score rests on the past alone: what comes behind the last open day is not asked for.
            let last = scores.iter().rposition(Option::is_none);
            let Some(open) = last.and_then(|last| days.get(..=last)) else {
                break;
            };
            let mut values = Vec::with_capacity(open.len());
            let mut inputs = Vec::with_capacity(open.len());
            for (place, input) in measure.on(open).enumerate() {
                if let Some(input) = input {
                    values.push(input.value);
                    inputs.push((place, input));
                }
            }
            let first = measure.usable_from;
            let first = first.map_or(0, |from| days.partition_point(|day| *day < from));
            for ((place, input), score) in inputs.into_iter().zip(score(&values)) {
                let slot = scores.get_mut(place);
                let Some(slot) = slot.filter(|s| s.is_none() && place >= first) else {
                    continue;
                };
                *slot = score;
                if place + 1 == days.len() {
                    newest = score.map(|score| (measure.from, input, score));
                }
            }
        }
        Self {
            part,
            measures,
            scores,
            newest,
        }
    }

    /// Why there is no score on `day`.
    fn lack(&self, day: Date) -> String {
        let measures = || self.measures.iter();
        let last = |m: &Measure| m.series.observations.last().map(|o| o.date);
        match measures().filter_map(last).max() {
            None => format!("no figures of {}", joined(self.part.series(), " or ")),
            Some(_) if measures().any(|m| m.on(&[day]).flatten().next().is_some()) => {
                format!("too short a history by {day} to be ranked")
            }
            Some(newest) => format!("newest figure of {newest} is too old for {day}"),
        }
    }
}

/// Days on which the index stands: weekdays with a daily figure, and once daily figures have stopped, the
/// days on which a weekly or monthly figure comes out.
fn index_days<'a>(measures: impl Iterator<Item = &'a Measure> + Clone, day: Date) -> Vec<Date> {
    let is_daily = |m: &&Measure| m.series.frequency() == Frequency::Daily;
    let daily = measures.clone().filter(|m| is_daily(m) && m.sets_days);
    let daily = daily.flat_map(|m| &m.series.observations);
    let mut days: Vec<Date> = daily.map(|o| o.date).collect();
    let last = days.iter().max();
    let stopped = last.map_or(START, |d| shift(*d, STALE_AFTER_DAYS.days()));
    for measure in measures.filter(|m| !is_daily(m)) {
        let newest_first = measure.series.observations.iter().rev();
        let since = newest_first.map(|o| measure.since(o.date));
        days.extend(since.take_while(|d| *d > stopped));
    }
    days.retain(|d| {
        (START..=day).contains(d) && !matches!(d.weekday(), Weekday::Saturday | Weekday::Sunday)
    });
    // One ascending run after the other, which a stable sort merges.
    days.sort();
    days.dedup();
    days
}
