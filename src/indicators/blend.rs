//! How a daily index is blended from inputs: one row of parts, one way of scoring, one rule for gaps.
//!
//! Stress and risk appetite differ in their parts and in how a part is scored; everything else is the same
//! and stands here: the days of the index, which alternative of a part counts on a day, renormalised
//! weights, and a reading whose contributions add up. Each day uses only figures from before or on it.

use super::composite::{Input, Reading, Trend};
use super::measure::Measure;
use crate::model::frequency::{days_between, shift};
use crate::model::{Date, Frequency, Observation, SeriesSet};
use jiff::ToSpan;
use jiff::civil::{Weekday, date};

/// First day of every daily index (METHODS 4).
pub const START: Date = date(1986, 1, 1);
/// Inputs are read from here, so that windows are full at [`START`].
const READ_FROM: Date = date(1984, 1, 1);
/// Observations that the longest transform of an input takes.
const LONGEST_TRANSFORM: usize = 126;
/// A daily index whose newest day is older than this has no value: one period and the slack of METHODS 0.4.
const STALE_AFTER_DAYS: i64 = 8;

/// A way to measure a part; `None` when its series are absent. The span is first day read and reference day.
pub type Measurement = fn(&SeriesSet, (Date, Date)) -> Option<Measure>;

/// One part of an index.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// What it measures.
    pub name: &'static str,
    /// Unit of the transformed input.
    pub unit: &'static str,
    /// Weight; those of an index add up to 1.
    pub weight: f64,
    /// Series that the alternatives read, the preferred first.
    pub series: &'static [&'static str],
    /// Ways to measure it, the preferred first: on each day the first that has a score counts.
    pub alternatives: &'static [Measurement],
}

/// How scores are made and put together.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// From the values up to each day to scores from 0 to 1; `None` while the past is too short, and for the
    /// first ones, as many as the second argument says, which nobody asked for.
    pub score: fn(&[f64], usize) -> Vec<Option<f64>>,
    /// How many values, itself included, a score rests on; `None` = on all that came before.
    pub reach: Option<usize>,
    /// The index with every part at its reference.
    pub base: f64,
    /// Share of the weight that must be present.
    pub least_weight: f64,
    /// Calendar days over which the trend is taken, and the words for it.
    pub trend: (i64, &'static str),
}

/// A part on one day.
#[derive(Debug, Clone, Copy)]
struct Scored {
    alternative: usize,
    input: Observation,
    score: f64,
}

struct PartDays {
    part: &'static Part,
    measures: Vec<Option<Measure>>,
    scored: Vec<Option<Scored>>,
    /// The fewest values before the first day asked for, among measures that do not begin at their beginning.
    past: Option<usize>,
}

/// An index on all its days.
pub struct Blend {
    rule: Rule,
    day: Date,
    days: Vec<Date>,
    /// Place of the first day that was asked for; those before it have no scores.
    first: usize,
    parts: Vec<PartDays>,
}

impl Blend {
    /// Computes the index up to `day`, on which the set was known. O(n log n) in the number of days.
    pub fn compute(parts: &'static [Part], rule: Rule, set: &SeriesSet, day: Date) -> Self {
        Self::read(parts, rule, set, (READ_FROM, day), START)
    }

    /// The index on the days from `from` to `day` alone.
    ///
    /// Where scores rest on a window, only that much of the past is read. Where they rest on all of it, it is
    /// passed over once per input, without being scored.
    pub fn since(
        parts: &'static [Part],
        rule: Rule,
        set: &SeriesSet,
        day: Date,
        from: Date,
    ) -> Self {
        let near = rule.reach.and_then(|reach| {
            let start = shift(from, (-calendar_days(reach + LONGEST_TRANSFORM)).days());
            let near =
                (start > READ_FROM).then(|| Self::read(parts, rule, set, (start, day), from))?;
            let full = |p: &PartDays| p.past.is_none_or(|past| past >= reach);
            near.parts.iter().all(full).then_some(near)
        });
        // A window that reaches over holes in the past needs more of it than was read.
        near.unwrap_or_else(|| Self::read(parts, rule, set, (READ_FROM, day), from))
    }

    fn read(
        parts: &'static [Part],
        rule: Rule,
        set: &SeriesSet,
        span: (Date, Date),
        from: Date,
    ) -> Self {
        let day = span.1;
        let measured: Vec<Vec<Option<Measure>>> = parts
            .iter()
            .map(|p| p.alternatives.iter().map(|m| m(set, span)).collect())
            .collect();
        let days = index_days(measured.iter().flatten().flatten(), day);
        let first = days.partition_point(|d| *d < from);
        let parts = parts
            .iter()
            .zip(measured)
            .map(|(part, measures)| {
                let (scored, past) = choose(&measures, &days, first, rule.score);
                PartDays {
                    part,
                    measures,
                    scored,
                    past,
                }
            })
            .collect();
        Self {
            rule,
            day,
            days,
            first,
            parts,
        }
    }

    /// The index on every day that was asked for and on which enough weight is present, ascending.
    pub fn history(&self) -> Vec<Observation> {
        let asked = self.days.iter().enumerate().skip(self.first);
        asked
            .filter_map(|(i, &day)| Some(Observation::new(day, self.value(i)?)))
            .collect()
    }

    /// The newest day's value with its parts; without a value, the reason.
    pub fn reading(&self) -> Reading {
        let Some(last) = self.days.len().checked_sub(1) else {
            let reason = "none of its inputs is there".to_owned();
            return Reading::none(self.day, reason, self.inputs(None));
        };
        let date = self.days.get(last).copied().unwrap_or(self.day);
        if days_between(date, self.day) > STALE_AFTER_DAYS {
            let reason = format!("its newest input day is {date}, too old for {}", self.day);
            return Reading::none(self.day, reason, self.inputs(None));
        }
        let Some(value) = self.value(last) else {
            let reason = format!(
                "only {:.0} % of its weight is present, {:.0} % are needed",
                100.0 * self.weight(last),
                100.0 * self.rule.least_weight
            );
            return Reading::none(date, reason, self.inputs(Some(last)));
        };
        Reading {
            date,
            value: Some(value),
            reason: None,
            base: self.rule.base,
            inputs: self.inputs(Some(last)),
            weight_present: self.weight(last),
            trend: self.trend(date, value),
            basis: Vec::new(),
        }
    }

    fn trend(&self, date: Date, value: f64) -> Option<Trend> {
        let (span, over) = self.rule.trend;
        let then = shift(date, (-span).days());
        let index = self.days.partition_point(|d| *d <= then).checked_sub(1)?;
        let before = self.days.get(index)?;
        (days_between(*before, then) <= STALE_AFTER_DAYS)
            .then(|| self.value(index))
            .flatten()
            .map(|before| Trend {
                change: value - before,
                over,
            })
    }

    fn scores(&self, index: usize) -> impl Iterator<Item = (f64, f64)> {
        self.parts.iter().filter_map(move |p| {
            let scored = p.scored.get(index)?.as_ref()?;
            Some((p.part.weight, scored.score))
        })
    }

    fn weight(&self, index: usize) -> f64 {
        // Not `sum`, which makes nothing at all −0.
        let sum = self
            .scores(index)
            .fold(0.0, |sum, (weight, _)| sum + weight);
        sum.min(1.0)
    }

    fn value(&self, index: usize) -> Option<f64> {
        let weight = self.weight(index);
        // A sum of decimal weights may miss its limit by a rounding.
        (weight >= self.rule.least_weight - 1e-9).then(|| {
            let reference = self.rule.base / 100.0;
            let points = self
                .scores(index)
                .map(|(w, s)| 100.0 * w * (s - reference))
                .sum::<f64>();
            (self.rule.base + points / weight).clamp(0.0, 100.0)
        })
    }

    fn inputs(&self, index: Option<usize>) -> Vec<Input> {
        let weight = index.map_or(0.0, |i| self.weight(i));
        let published = index.is_some_and(|i| self.value(i).is_some());
        self.parts
            .iter()
            .map(|p| {
                let found = index.and_then(|i| p.scored.get(i)?.as_ref());
                let reference = self.rule.base / 100.0;
                found.map_or_else(
                    || {
                        p.absent(
                            index
                                .and_then(|i| self.days.get(i))
                                .copied()
                                .unwrap_or(self.day),
                        )
                    },
                    |s| {
                        p.present(
                            s,
                            published
                                .then(|| 100.0 * p.part.weight * (s.score - reference) / weight),
                        )
                    },
                )
            })
            .collect()
    }
}

impl PartDays {
    fn present(&self, scored: &Scored, contribution: Option<f64>) -> Input {
        let measure = self
            .measures
            .get(scored.alternative)
            .and_then(Option::as_ref);
        Input {
            name: self.part.name,
            series: measure.map_or_else(|| self.part.series.to_vec(), |m| m.from.clone()),
            value: Some(scored.input.value),
            unit: self.part.unit,
            date: Some(scored.input.date),
            weight: self.part.weight,
            contribution,
            missing: None,
        }
    }

    fn absent(&self, day: Date) -> Input {
        let Part {
            name,
            unit,
            weight,
            series,
            ..
        } = *self.part;
        let newest = self
            .measures
            .iter()
            .flatten()
            .filter_map(|m| m.series.observations.last());
        let reason = newest.map(|o| o.date).max().map_or_else(
            || format!("no figures of {}", series.join(" or ")),
            |last| {
                let stale = self
                    .measures
                    .iter()
                    .flatten()
                    .all(|m| m.on(&[day]) == [None]);
                if stale {
                    format!("newest figure of {last} is too old for {day}")
                } else {
                    format!("too short a history by {day} to be ranked")
                }
            },
        );
        Input::absent(name, series, unit, weight, reason)
    }
}

/// Days on which the index stands: weekdays with a daily figure, and once daily figures have stopped, the
/// days on which a weekly or monthly figure comes out.
fn index_days<'a>(measures: impl Iterator<Item = &'a Measure> + Clone, day: Date) -> Vec<Date> {
    let is_daily = |m: &&Measure| m.series.frequency() == Frequency::Daily;
    let daily = measures.clone().filter(|m| is_daily(m) && m.sets_days);
    let mut days: Vec<Date> = daily
        .flat_map(|m| m.series.observations.iter().map(|o| o.date))
        .collect();
    let stopped = days
        .iter()
        .max()
        .map_or(START, |d| shift(*d, STALE_AFTER_DAYS.days()));
    for measure in measures.filter(|m| !is_daily(m)) {
        let newest_first = measure.series.observations.iter().rev();
        days.extend(
            newest_first
                .map(|o| measure.since(o.date))
                .take_while(|d| *d > stopped),
        );
    }
    days.retain(|d| {
        (START..=day).contains(d) && !matches!(d.weekday(), Weekday::Saturday | Weekday::Sunday)
    });
    days.sort_unstable();
    days.dedup();
    days
}

/// Calendar days that hold so many trading days, and some holidays.
fn calendar_days(trading: usize) -> i64 {
    i64::try_from(trading * 3 / 2).unwrap_or(i64::MAX / 2) + 30
}

/// For each day from the place `first` on the first alternative that has a score; and the fewest values
/// that a measure which was cut off has before.
fn choose(
    measures: &[Option<Measure>],
    days: &[Date],
    first: usize,
    score: fn(&[f64], usize) -> Vec<Option<f64>>,
) -> (Vec<Option<Scored>>, Option<usize>) {
    let mut chosen: Vec<Option<Scored>> = vec![None; days.len()];
    let mut least = None;
    for (alternative, measure) in measures.iter().enumerate() {
        let Some(measure) = measure else { continue };
        let inputs = measure.on(days);
        let values: Vec<f64> = inputs.iter().flatten().map(|o| o.value).collect();
        let past = inputs.iter().take(first).flatten().count();
        if measure.cut {
            least = Some(least.map_or(past, |least: usize| least.min(past)));
        }
        let mut scores = score(&values, past).into_iter();
        for ((slot, input), day) in chosen.iter_mut().zip(inputs).zip(days) {
            let Some(input) = input else { continue };
            let score = scores.next().flatten();
            if slot.is_none() && measure.usable_from.is_none_or(|from| from <= *day) {
                *slot = score.map(|score| Scored {
                    alternative,
                    input,
                    score,
                });
            }
        }
    }
    (chosen, least)
}
