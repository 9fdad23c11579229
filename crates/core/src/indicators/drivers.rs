//! What moved a published figure: the contributions of its parts, which add up to its change.
//!
//! `data/drivers.csv` has a row for each part. Contributions are computed by one of four rules ([`Rule`]); none is estimated,
//! and a change whose weights are not held is refused with the months that are.

use crate::model::frequency::shift;
use crate::model::{Date, Frequency, SeriesSet, table};
use std::sync::LazyLock;

/// How a part's contribution is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Of a price index with the weights of a base period: `weight × change of the part's index / its index in the base
    /// period`, over the whole's index, summed over the years or months of each weight (BLS Handbook of Methods, CPI).
    Prices,
    /// The change of a part of a sum.
    Sum,
    /// Of the unemployment rate `1 - employment / labor force`: each factor's change at the means of the other ones.
    Rate,
    /// The agency's own contribution.
    Published,
}

/// A part of a figure.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// Its series.
    pub series: &'static str,
    /// Series of its weight; empty without one.
    pub weight: &'static str,
    /// Name of the part that it belongs to; empty for the parts that add up to the whole.
    pub of: &'static str,
    /// Name.
    pub name: &'static str,
}

/// A figure whose change is the sum of its parts' contributions.
#[derive(Debug)]
pub struct Whole {
    /// The series that people ask for.
    pub series: &'static str,
    /// How contributions are computed.
    pub rule: Rule,
    /// The series whose change they add up to.
    pub total: &'static str,
    /// Months of the usual change.
    pub months: i32,
    /// Parts, those that add up first.
    pub parts: Vec<Part>,
}

static WHOLES: LazyLock<Vec<Whole>> = LazyLock::new(|| {
    let mut wholes: Vec<Whole> = Vec::new();
    let rows = table::embedded(include_str!("../../data/drivers.csv"));
    for [series, rule, total, months, part, weight, of, name] in rows {
        let part = Part {
            series: part,
            weight,
            of,
            name,
        };
        match wholes.iter_mut().find(|whole| whole.series == series) {
            Some(whole) => whole.parts.push(part),
            None => wholes.push(Whole {
                series,
                rule: match rule {
                    "prices" => Rule::Prices,
                    "rate" => Rule::Rate,
                    "published" => Rule::Published,
                    _ => Rule::Sum,
                },
                total,
                months: months.parse().unwrap_or(1),
                parts: vec![part],
            }),
        }
    }
    wholes
});

/// What a part contributed.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The part.
    pub part: &'static Part,
    /// Its own change: percent of a price, thousands of persons, points of participation.
    pub change: f64,
    /// Its weight at the start, percent.
    pub weight: Option<f64>,
    /// Its contribution, in the unit of the whole's change.
    pub points: f64,
}

/// A change and the contributions to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    /// Change of the whole: percent of a price index, else in its unit.
    pub change: f64,
    /// By part, in the order of the table; parts of parts may be missing.
    pub contributions: Vec<Contribution>,
    /// Parts of parts without a figure.
    pub missing: Vec<&'static str>,
}

impl Breakdown {
    /// What the contributions leave of the change: rounding, and seasonal adjustment of the whole by itself.
    pub fn rest(&self) -> f64 {
        let top = self.contributions.iter().filter(|c| c.part.of.is_empty());
        self.change - top.map(|c| c.points).sum::<f64>()
    }
}

/// Both ends of a change.
#[derive(Debug, Clone, Copy)]
pub struct Ends {
    /// Period compared with.
    pub from: Date,
    /// Period explained.
    pub to: Date,
}

impl Whole {
    /// Returns every whole.
    pub fn all() -> &'static [Self] {
        &WHOLES
    }

    /// Returns the identifiers of every series that a breakdown reads.
    pub fn inputs(&self) -> impl Iterator<Item = &'static str> {
        let parts = self.parts.iter();
        let of_parts = parts.flat_map(|part| [part.series, part.weight]);
        let all = [self.total].into_iter().chain(of_parts);
        all.filter(|id| !id.is_empty())
    }

    /// Breaks a change down into contributions.
    ///
    /// # Errors
    /// Says which figure or weight is missing, of which periods weights are held, or that parts and whole do not fit.
    pub fn break_down(&'static self, set: &SeriesSet, ends: Ends) -> Result<Breakdown, String> {
        let Ends { from, to } = ends;
        let change = match self.rule {
            Rule::Prices => percent_change(set, self.total, ends)?,
            Rule::Published => value(set, self.total, to)?,
            Rule::Sum | Rule::Rate => value(set, self.total, to)? - value(set, self.total, from)?,
        };
        let mut breakdown = Breakdown {
            change,
            contributions: Vec::new(),
            missing: Vec::new(),
        };
        for part in &self.parts {
            match self.contribution(part, set, ends) {
                Ok(contribution) => breakdown.contributions.push(contribution),
                Err(reason) if part.of.is_empty() => return Err(reason),
                Err(_) => breakdown.missing.push(part.name),
            }
        }
        // Rounded parts leave less than this; more shows that parts and whole are of different states.
        let tolerance = match self.rule {
            Rule::Prices => 0.03,
            Rule::Published | Rule::Rate => 0.1,
            Rule::Sum => 2.0 + 0.002 * change.abs(),
        };
        let rest = breakdown.rest();
        if rest.abs() > tolerance {
            let sum = change - rest;
            return Err(format!(
                "its parts add up to {sum:.2} and it changed by {change:.2}: they are of different states"
            ));
        }
        Ok(breakdown)
    }

    fn contribution(
        &self,
        part: &'static Part,
        set: &SeriesSet,
        ends: Ends,
    ) -> Result<Contribution, String> {
        let Ends { from, to } = ends;
        let of = |change, points| Contribution {
            part,
            change,
            weight: None,
            points,
        };
        match self.rule {
            Rule::Prices => self.price_contribution(part, set, ends),
            Rule::Published => value(set, part.series, to).map(|points| of(points, points)),
            Rule::Sum => {
                let change = value(set, part.series, to)? - value(set, part.series, from)?;
                Ok(of(change, change))
            }
            Rule::Rate => {
                let [employed, force, people] = ["CE16OV", "CLF16OV", "CNP16OV"]
                    .map(|id| Ok::<_, String>([value(set, id, from)?, value(set, id, to)?]));
                let rate = Factors {
                    employed: employed?,
                    force: force?,
                    people: people?,
                };
                let [change, points] = rate.effect(part.series);
                Ok(of(change, points))
            }
        }
    }

    fn price_contribution(
        &self,
        part: &'static Part,
        set: &SeriesSet,
        ends: Ends,
    ) -> Result<Contribution, String> {
        let start = value(set, self.total, ends.from)?;
        let mut points = 0.0;
        let mut first_weight = None;
        for segment in segments(set, part, ends)? {
            let weight = |part: &Part| value(set, part.weight, segment.weighed);
            let top = self.parts.iter().filter(|part| part.of.is_empty());
            let all: f64 = top.map(weight).sum::<Result<_, _>>()?;
            let share = weight(part)? / all;
            let index = |date| value(set, part.series, date);
            let growth = (index(segment.to)? - index(segment.from)?) / index(segment.base)?;
            points += 100.0 * share * growth * value(set, self.total, segment.base)? / start;
            first_weight.get_or_insert(100.0 * share);
        }
        let change = percent_change(set, part.series, ends)?;
        Ok(Contribution {
            part,
            change,
            weight: first_weight,
            points,
        })
    }
}

/// A stretch of one weight.
struct Segment {
    /// Date of the weight.
    weighed: Date,
    /// Period whose prices it weighs.
    base: Date,
    from: Date,
    to: Date,
}

/// Divides a change at the periods of a part's weights.
fn segments(set: &SeriesSet, part: &Part, ends: Ends) -> Result<Vec<Segment>, String> {
    let missing = || format!("{} is not loaded", part.weight);
    let weights = set.get(part.weight).ok_or_else(missing)?;
    let frequency = weights.frequency();
    // A year's weights are of its December and hold for the next year.
    let base_of = |date: Date| {
        if frequency == Frequency::Annual {
            date.last_of_year().first_of_month()
        } else {
            date
        }
    };
    let until = |date| shift(base_of(date), frequency.period());
    let mut segments = Vec::new();
    let mut from = ends.from;
    while from < ends.to {
        let mut newest_first = weights.observations.iter().rev().map(|o| o.date);
        let weighed = newest_first.find(|date| base_of(*date) <= from && until(*date) > from);
        let Some(weighed) = weighed else {
            let rows = &weights.observations;
            let dates = rows.first().zip(rows.last());
            let month = |date| Frequency::Monthly.label(date);
            let held = dates.map_or_else(String::new, |(first, last)| {
                let [begin, end] = [base_of(first.date), until(last.date)].map(month);
                format!("{begin} to {end}")
            });
            return Err(format!("weights are held for changes from {held} only"));
        };
        let to = until(weighed).min(ends.to);
        segments.push(Segment {
            weighed,
            base: base_of(weighed),
            from,
            to,
        });
        from = to;
    }
    Ok(segments)
}

/// The factors of the unemployment rate, before and after.
struct Factors {
    employed: [f64; 2],
    force: [f64; 2],
    people: [f64; 2],
}

impl Factors {
    /// Returns the change of a factor (of participation in points) and its effect on the rate in points.
    fn effect(&self, series: &str) -> [f64; 2] {
        let mean = |[a, b]: [f64; 2]| f64::midpoint(a, b);
        let change = |[a, b]: [f64; 2]| b - a;
        let [[force, force_after], [people, people_after]] = [self.force, self.people];
        let participation = [force / people, force_after / people_after];
        // A thousand more in the labor force raise the rate by this, with employment as it was on the average.
        let of_force = mean(self.employed) / (force * force_after);
        match series {
            "CE16OV" => {
                let share = mean(self.force.map(|force| 1.0 / force));
                [
                    change(self.employed),
                    -100.0 * change(self.employed) * share,
                ]
            }
            "CNP16OV" => {
                let effect = mean(participation) * change(self.people) * of_force;
                [change(self.people), 100.0 * effect]
            }
            _ => {
                let effect = change(participation) * mean(self.people) * of_force;
                [100.0 * change(participation), 100.0 * effect]
            }
        }
    }
}

fn value(set: &SeriesSet, id: &str, date: Date) -> Result<f64, String> {
    let Some(series) = set.get(id) else {
        return Err(set.describe_missing(id, date));
    };
    let period = || series.frequency().label(date);
    series
        .value_on(date)
        .ok_or_else(|| format!("{id} has no figure of {}", period()))
}

fn percent_change(set: &SeriesSet, id: &str, ends: Ends) -> Result<f64, String> {
    Ok((value(set, id, ends.to)? / value(set, id, ends.from)? - 1.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn every_row_is_read_and_names_known_series() {
        let text = include_str!("../../data/drivers.csv");
        let parts: usize = Whole::all().iter().map(|whole| whole.parts.len()).sum();
        assert_eq!(parts, text.lines().count() - 1);
        for whole in Whole::all() {
            for id in whole.inputs().chain([whole.series]) {
                assert!(Catalogue::embedded().get(id).is_some(), "{id}");
            }
            for part in &whole.parts {
                assert_eq!(
                    part.weight.is_empty(),
                    whole.rule != Rule::Prices,
                    "{}",
                    part.name
                );
                assert!(
                    part.of.is_empty() || whole.parts.iter().any(|other| other.name == part.of),
                    "{}",
                    part.of
                );
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn effects_on_the_rate_add_up(
            employed in [1e4..2e5, 1e4..2e5],
            more in [1.0..5e4, 1.0..5e4],
            people in [2e5..4e5, 2e5..4e5],
        ) {
            let force = [employed[0] + more[0], employed[1] + more[1]];
            let factors = Factors { employed, force, people };
            let rate = |i: usize| 100.0 * (1.0 - employed[i] / force[i]);
            let sum: f64 = ["CE16OV", "CLF16OV", "CNP16OV"].iter().map(|id| factors.effect(id)[1]).sum();
            assert!((sum - (rate(1) - rate(0))).abs() < 1e-9);
        }
    }
}
