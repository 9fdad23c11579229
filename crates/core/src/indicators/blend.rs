//! Daily indices blended from parts.
//!
//! Stress and risk appetite differ in their parts and in the scoring of a part. This module holds what they share:
//! the days of the index, which proxy of a part counts on a day, renormalised weights, and a reading whose
//! contributions add up. Each day uses only figures from before or on it.

use super::measure::{Measure, Proxy};
use super::prose::join;
use super::reading::{Input, Reading, Trend, describe_missing_weight};
use super::statistics::percentile_rank;
use crate::model::frequency::{add_days, days_between};
use crate::model::{Date, Frequency, Observation, SeriesSet, table};
use jiff::civil::{Weekday, date};
use std::collections::HashSet;

/// First day of every daily index (docs/COMPOSITES.md#macro-stress).
const START: Date = date(1986, 1, 1);
/// Inputs are read from here, so that windows are full at [`START`].
const READ_FROM: Date = date(1984, 1, 1);
/// A daily index whose newest day is older than this has no value: one period and the slack of
/// docs/METHODS.md#staleness.
const STALE_AFTER_DAYS: i64 = 8;
/// Calendar days over which the trend is taken, and their name.
const TREND: (i64, &str) = (28, "4 weeks");

/// Index, profile, part with unit and weight, and each of its proxies, the preferred first: series (of two, their ratio), steps
/// of the transform, days of history that it needs, and whether its dates are days of the index.
const PARTS: &str = include_str!("../../data/index_parts.csv");

/// One part of an index.
#[derive(Debug)]
pub struct Part {
    /// What it measures.
    pub name: &'static str,
    /// Unit of the transformed input.
    pub unit: &'static str,
    /// Weight; those of an index add up to 1.
    pub weight: f64,
    /// Proxies, the preferred first: on each day the first that has a score counts.
    pub proxies: Vec<Proxy>,
}

impl Part {
    /// Returns the parts of an index, "CMSI", in a profile, "full" or "fallback", in the order of the table.
    pub(super) fn of(index: &str, profile: &str) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        let all = table::embedded::<9>(PARTS);
        for row in all.filter(|[of, in_profile, ..]| *of == index && *in_profile == profile) {
            let [_, _, name, unit, weight, proxy @ ..] = row;
            if parts.last().is_none_or(|part| part.name != name) {
                parts.push(Self {
                    name,
                    unit,
                    weight: weight.parse().unwrap_or_default(),
                    proxies: Vec::new(),
                });
            }
            let last = parts.last_mut().into_iter();
            last.for_each(|part| part.proxies.extend(Proxy::parse(proxy)));
        }
        parts
    }

    /// Iterates over the series of its proxies, the preferred first.
    fn series(&self) -> impl Iterator<Item = &'static str> {
        self.proxies.iter().flat_map(|p| &p.series).copied()
    }
}

/// Definition of a daily index.
///
/// The profile, full or fallback, is chosen once for the whole history, so that no history mixes two definitions.
#[derive(Debug)]
pub struct DailyIndex {
    /// Parts of the full profile.
    pub full: Vec<Part>,
    /// Parts of the fallback profile.
    pub fallback: Vec<Part>,
    /// The full profile applies when all series of one of these groups are current on the reference day.
    pub full_requires: &'static [&'static [&'static str]],
    /// Note on a reading of the fallback profile.
    pub fallback_basis: &'static str,
    /// Maps a part's values up to each day to scores from 0 to 1; `None` while the history is too short.
    pub score: fn(&[f64]) -> Vec<Option<f64>>,
    /// The index with every part at its reference.
    pub base: f64,
    /// Share of the weight that must be present.
    pub min_weight: f64,
}

impl DailyIndex {
    /// Returns every series that it may read, each once.
    pub fn inputs(&self) -> Vec<&'static str> {
        let parts = self.full.iter().chain(&self.fallback);
        let mut known = HashSet::new();
        let inputs = parts.flat_map(Part::series);
        inputs.filter(|id| known.insert(*id)).collect()
    }

    /// Computes the reading at `day`, on which the set was known, and the history in which it is ranked: every day on
    /// which enough weight is present, ascending.
    pub fn compute(&'static self, set: &SeriesSet, day: Date) -> (Reading, Vec<Observation>) {
        let is_current = |id: &&str| {
            set.get(id)
                .is_some_and(|s| s.fresh_observation(day).is_some())
        };
        let mut groups = self.full_requires.iter();
        let is_full = groups.any(|group| group.iter().all(is_current));
        let parts = if is_full { &self.full } else { &self.fallback };
        let path = IndexPath::new(self, parts, set, day);
        let history = path.history();
        let mut reading = path.reading();
        let rank = reading.value.and_then(|v| describe_rank(&history, v));
        reading.basis.extend(rank);
        if !is_full {
            reading.basis.push(self.fallback_basis.to_owned());
        }
        (reading, history)
    }
}

/// Describes the rank of a value in its own history: "the highest since 1986-01".
fn describe_rank(history: &[Observation], value: f64) -> Option<String> {
    let values: Vec<f64> = history.iter().map(|o| o.value).collect();
    let rank = percentile_rank(&values, value)?;
    let since = history.first()?.date.strftime("%Y-%m");
    let is_highest = values.iter().all(|v| *v <= value);
    let is_lowest = values.iter().all(|v| *v >= value);
    Some(match (is_highest, is_lowest) {
        (true, false) => format!("the highest since {since}"),
        (false, true) => format!("the lowest since {since}"),
        // Rounded down: nothing is above 100 % of days that include itself.
        _ => format!("above {:.0} % of its days since {since}", rank.floor()),
    })
}

/// An index on all its days.
struct IndexPath {
    index: &'static DailyIndex,
    reference_day: Date,
    days: Vec<Date>,
    parts: Vec<ScoredPart>,
}

/// A part on all days of the index.
struct ScoredPart {
    part: &'static Part,
    measures: Vec<Measure>,
    /// One per day.
    scores: Vec<Option<f64>>,
    /// The score of the last day, with its series and figure.
    newest: Option<(&'static [&'static str], Observation, f64)>,
}

impl IndexPath {
    fn new(
        index: &'static DailyIndex,
        parts: &'static [Part],
        set: &SeriesSet,
        reference_day: Date,
    ) -> Self {
        let measures = |part: &'static Part| -> Vec<Measure> {
            let measure = |p: &'static Proxy| p.measure(set, READ_FROM, reference_day);
            part.proxies.iter().filter_map(measure).collect()
        };
        let measures: Vec<_> = parts.iter().map(measures).collect();
        let days = index_days(measures.iter().flatten(), reference_day);
        let scored = parts.iter().zip(measures);
        Self {
            index,
            reference_day,
            parts: scored
                .map(|(part, measures)| ScoredPart::new(part, measures, &days, index.score))
                .collect(),
            days,
        }
    }

    fn history(&self) -> Vec<Observation> {
        let days = self.days.iter().enumerate();
        let rows = days.filter_map(|(i, day)| Some(Observation::new(*day, self.value_on(i).1?)));
        rows.collect()
    }

    /// Returns the newest day's value with its parts, or the reason why there is none.
    fn reading(&self) -> Reading {
        let day = self.reference_day;
        let Some((last, date)) = self.days.iter().copied().enumerate().next_back() else {
            let reason = "none of its inputs is there".to_owned();
            return Reading::without_value(day, reason, self.inputs(None));
        };
        if days_between(date, day) > STALE_AFTER_DAYS {
            let reason = format!("its newest input day is {date}, too old for {day}");
            return Reading::without_value(day, reason, self.inputs(None));
        }
        let (weight, value) = self.value_on(last);
        let Some(value) = value else {
            // Without a value of the index there is nothing to contribute to.
            let reason = describe_missing_weight(weight, self.index.min_weight);
            return Reading::without_value(date, reason, self.inputs(Some((date, None))));
        };
        Reading {
            base: self.index.base,
            weight_present: weight,
            trend: self.trend(date, value),
            ..Reading::new(date, value, self.inputs(Some((date, Some(weight)))))
        }
    }

    fn trend(&self, date: Date, value: f64) -> Option<Trend> {
        let (days, over) = TREND;
        let start = add_days(date, -days);
        let position = self.days.partition_point(|d| *d <= start).checked_sub(1)?;
        let is_fresh = days_between(*self.days.get(position)?, start) <= STALE_AFTER_DAYS;
        let (_, before) = self.value_on(position);
        Trend::between(before.filter(|_| is_fresh), value, over)
    }

    /// Returns the weight that is present on the day at a position, and the index where that is enough.
    fn value_on(&self, position: usize) -> (f64, Option<f64>) {
        let mut weight = 0.0;
        let mut points = 0.0;
        for p in &self.parts {
            if let Some(score) = p.scores.get(position).copied().flatten() {
                weight += p.part.weight;
                points += self.points(p.part.weight, score);
            }
        }
        let weight = f64::min(weight, 1.0);
        // A sum of decimal weights may miss its limit by a rounding.
        let is_enough = weight >= self.index.min_weight - 1e-9;
        let value = (self.index.base + points / weight).clamp(0.0, 100.0);
        (weight, is_enough.then_some(value))
    }

    /// Points by which a score moves the index from its base, before weights are renormalised.
    fn points(&self, weight: f64, score: f64) -> f64 {
        100.0 * weight * (score - self.index.base / 100.0)
    }

    /// Returns the parts on the last day, unless that is stale; with contributions where the index has a value, for the
    /// weight that is present.
    fn inputs(&self, last: Option<(Date, Option<f64>)>) -> Vec<Input> {
        let (day, weight_present) = last.unwrap_or((self.reference_day, None));
        let input = |p: &ScoredPart| {
            let newest = last.and(p.newest);
            let points = |(_, _, score)| Some(self.points(p.part.weight, score) / weight_present?);
            Input {
                name: p.part.name,
                value: newest.map(|(_, input, _)| input.value),
                unit: p.part.unit,
                date: newest.map(|(_, input, _)| input.date),
                weight: Some(p.part.weight),
                contribution: newest.and_then(points),
                series: newest.map_or_else(|| p.part.series().collect(), |(s, ..)| s.to_vec()),
                missing: newest.is_none().then(|| p.missing_reason(day)),
            }
        };
        self.parts.iter().map(input).collect()
    }
}

impl ScoredPart {
    /// Scores a part: on each day by the first measure that has a score.
    fn new(
        part: &'static Part,
        measures: Vec<Measure>,
        days: &[Date],
        score: fn(&[f64]) -> Vec<Option<f64>>,
    ) -> Self {
        let mut scores = vec![None; days.len()];
        let mut newest = None;
        for measure in &measures {
            // A score rests on earlier days alone, so that days after the last open one need not be scored.
            let Some(last_open) = scores.iter().rposition(Option::is_none) else {
                break;
            };
            let open = days.get(..=last_open).unwrap_or_default();
            let by_day = measure.values_on(open).enumerate();
            let inputs: Vec<(usize, Observation)> = by_day
                .filter_map(|(position, input)| Some((position, input?)))
                .collect();
            let values: Vec<f64> = inputs.iter().map(|(_, input)| input.value).collect();
            let first = days.partition_point(|day| measure.usable_from > Some(*day));
            for ((position, input), score) in inputs.into_iter().zip(score(&values)) {
                let slot = scores.get_mut(position);
                let Some(slot) = slot.filter(|s| s.is_none() && position >= first) else {
                    continue;
                };
                *slot = score;
                if position + 1 == days.len() {
                    newest = score.map(|score| (&*measure.proxy.series, input, score));
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

    /// Explains why there is no score on `day`.
    fn missing_reason(&self, day: Date) -> String {
        let measures = || self.measures.iter();
        let last = |m: &Measure| m.series.observations.last().map(|o| o.date);
        match measures().filter_map(last).max() {
            None => format!("no figures of {}", join(self.part.series(), " or ")),
            Some(_) if measures().any(|m| m.values_on(&[day]).flatten().next().is_some()) => {
                format!("too short a history by {day} to be ranked")
            }
            Some(newest) => format!("newest figure of {newest} is too old for {day}"),
        }
    }
}

/// Returns the days of an index: weekdays with a daily figure, and once daily figures have stopped, the
/// days on which a weekly or monthly figure comes out.
fn index_days<'a>(measures: impl Iterator<Item = &'a Measure> + Clone, day: Date) -> Vec<Date> {
    let is_daily = |m: &&Measure| m.series.frequency() == Frequency::Daily;
    let defines_days = |m: &&Measure| is_daily(m) && m.proxy.defines_days;
    let daily = measures.clone().filter(defines_days);
    let figures = daily.flat_map(|m| &m.series.observations);
    let mut days: Vec<Date> = figures.map(|o| o.date).collect();
    let last = days.iter().max();
    let stopped = last.map_or(START, |d| add_days(*d, STALE_AFTER_DAYS));
    for measure in measures.filter(|m| !is_daily(m)) {
        let newest_first = measure.series.observations.iter().rev();
        let published = newest_first.map(|o| measure.effective_from(o.date));
        days.extend(published.take_while(|d| *d > stopped));
    }
    days.retain(|d| {
        (START..=day).contains(d) && !matches!(d.weekday(), Weekday::Saturday | Weekday::Sunday)
    });
    // Concatenated ascending runs, which a stable sort merges.
    days.sort();
    days.dedup();
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_parts_reads_and_the_weights_of_a_profile_add_up() {
        for (line, row) in table::rows::<9>(PARTS) {
            let [index, profile, _, _, weight, proxy @ ..] = row.unwrap();
            assert!(weight.parse::<f64>().is_ok(), "line {line}: {weight}");
            assert!(Proxy::parse(proxy).is_some(), "line {line}: {proxy:?}");
            assert!(
                ["full", "fallback"].contains(&profile),
                "line {line}: {profile}"
            );
            let sum: f64 = Part::of(index, profile)
                .iter()
                .map(|part| part.weight)
                .sum();
            assert!((sum - 1.0).abs() < 1e-9, "{index} {profile}: {sum}");
        }
    }
}
