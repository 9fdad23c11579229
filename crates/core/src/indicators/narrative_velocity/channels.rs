//! The three channels of the index, from counts of texts by day, term and source.

use super::vocabulary::Vocabulary;
use crate::indicators::statistics::{count, mean, normal_cdf, rolling_z};
use crate::model::Date;
use crate::model::frequency::days_between;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Terms that count: the most mentioned of the last seven days.
const TOP: usize = 10;
/// Days over which the velocity's own history is taken, and the fewest of them.
const VELOCITY_DAYS: usize = 90;
const LEAST_VELOCITIES: usize = 7;
/// Days of texts that are read: 90 velocities, each of two weeks.
const READ_DAYS: usize = VELOCITY_DAYS + 13;
/// Whole weeks of the 30 days in which first speakers are compared.
const WEEKS: i64 = 4;

/// A text, read for its terms. Texts of one day stand in the order in which they were published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document<'a> {
    /// Day of publication.
    pub day: Date,
    /// Who published it.
    pub source: &'a str,
    /// What title and summary mention ([`super::Vocabulary::mentioned`]).
    pub terms: Cow<'a, [usize]>,
}

/// Texts and mentions by day, counted back from the reference day.
pub(super) struct Tally<'a> {
    /// Reference day.
    day: Date,
    /// Day of the first text at or before the reference day.
    first_day: Option<Date>,
    terms: usize,
    /// `days[k]` is the day k days before.
    days: Vec<Day>,
    /// Every term's weight in the seven days that end so many days before: the sum of the shares of each day's texts that
    /// mention it. Days without texts are left out and the sum scaled to seven, so that a gap is not a loss of interest;
    /// `None` when none of the days has a text.
    weights: Vec<Option<Vec<f64>>>,
    /// Texts of the last four weeks with their age in days, in order of publication.
    recent: Vec<(i64, &'a str, &'a [usize])>,
}

#[derive(Clone, Default)]
struct Day {
    documents: usize,
    /// Texts that mention each term, by its number.
    mentions: Vec<u32>,
}

impl<'a> Tally<'a> {
    /// Counts the texts of the last 103 days up to `day`; later ones are not looked at.
    pub(super) fn of(documents: &'a [Document<'a>], vocabulary: &Vocabulary, day: Date) -> Self {
        let mut tally = Self {
            day,
            first_day: documents.iter().map(|d| d.day).filter(|d| *d <= day).min(),
            terms: vocabulary.len(),
            days: vec![Day::default(); READ_DAYS],
            weights: Vec::new(),
            recent: Vec::new(),
        };
        let mut ordered: Vec<_> = documents.iter().filter(|d| d.day <= day).collect();
        ordered.sort_by_key(|d| d.day);
        ordered.into_iter().for_each(|document| tally.add(document));
        tally.weights = (0..READ_DAYS).map(|back| tally.weighed(back)).collect();
        tally
    }

    fn add(&mut self, document: &'a Document<'a>) {
        let age = days_between(document.day, self.day);
        let slot = usize::try_from(age).ok().and_then(|k| self.days.get_mut(k));
        let Some(slot) = slot else { return };
        slot.documents += 1;
        slot.mentions.resize(self.terms, 0);
        for term in document.terms.iter() {
            if let Some(n) = slot.mentions.get_mut(*term) {
                *n += 1;
            }
        }
        if age < 7 * WEEKS {
            self.recent.push((age, document.source, &document.terms));
        }
    }

    /// Days of texts up to the reference day; 0 without any.
    pub(super) fn days(&self) -> i64 {
        let first = self.first_day;
        first.map_or(0, |first| days_between(first, self.day) + 1)
    }

    /// Mean number of texts a day over the last `days`.
    pub(super) fn documents_a_day(&self, days: usize) -> f64 {
        let sum: usize = self.days.iter().take(days).map(|d| d.documents).sum();
        count(sum) / count(days.max(1))
    }

    /// The ten terms of the greatest weight in the seven days that end `back` days ago, the greatest first.
    pub(super) fn top(&self, back: usize) -> Vec<(usize, f64)> {
        let weights = self.weights.get(back).into_iter().flatten().flatten();
        let terms = weights.copied().enumerate();
        let mut terms: Vec<(usize, f64)> = terms.filter(|(_, weight)| *weight > 0.0).collect();
        terms.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        terms.truncate(TOP);
        terms
    }

    fn weighed(&self, back: usize) -> Option<Vec<f64>> {
        let week = self.days.get(back..back + 7)?;
        let spoken: Vec<&Day> = week.iter().filter(|d| d.documents > 0).collect();
        let scale = 7.0 / count(spoken.len());
        let weight = |term: usize| {
            let mentions = |d: &Day| d.mentions.get(term).copied().map_or(0.0, f64::from);
            let share = |d: &&Day| mentions(d) / count(d.documents);
            spoken.iter().map(share).sum::<f64>() * scale
        };
        (!spoken.is_empty()).then(|| (0..self.terms).map(weight).collect())
    }

    /// Mean growth of the top terms' weights over a week earlier, in logarithms, weighted by the weight.
    /// Formula: ln((m7ₜ + ε) / (m7ₜ₋₇ + ε)), ε = ½ / texts of the seven days.
    fn growth(&self, back: usize) -> Option<f64> {
        let before = self.weights.get(back + 7)?.as_deref()?;
        let week = self.days.get(back..back + 7)?;
        let texts: usize = week.iter().map(|d| d.documents).sum();
        let dust = 0.5 / count(texts.max(1));
        let top = self.top(back);
        let total: f64 = top.iter().map(|(_, weight)| weight).sum();
        let growth = |(term, weight): &(usize, f64)| {
            let earlier = before.get(*term).copied().unwrap_or(0.0);
            weight * ((weight + dust) / (earlier + dust)).ln()
        };
        (total > 0.0).then(|| top.iter().map(growth).sum::<f64>() / total)
    }

    /// Velocity, 0 to 100: where the growth stands among that of the last 90 days, 100·Φ(z).
    /// `None` under seven days with a growth; 50 where growth never changed.
    pub(super) fn velocity(&self) -> Option<f64> {
        self.growth(0)?;
        let days = (0..VELOCITY_DAYS).rev();
        let growth: Vec<f64> = days.filter_map(|back| self.growth(back)).collect();
        let z = rolling_z(&growth, VELOCITY_DAYS, LEAST_VELOCITIES, 3.0);
        let newest = *z.last().filter(|_| growth.len() >= LEAST_VELOCITIES)?;
        Some(100.0 * normal_cdf(newest.unwrap_or(0.0)))
    }

    /// Convergence, 0 to 100: how evenly the sources of seven days take up the top terms.
    ///
    /// For each term the share of each source's texts that mention it is set in proportion to the sum over
    /// sources; the entropy of that, as a share of its maximum ln(sources), is 1 when all speak of it alike
    /// and 0 when one does. The mean over terms counts. `None` with one source.
    pub(super) fn convergence(&self) -> Option<f64> {
        let week = self.recent.iter().filter(|(age, ..)| *age < 7);
        let mut sources: BTreeMap<&str, Vec<&[usize]>> = BTreeMap::new();
        week.for_each(|(_, source, terms)| sources.entry(source).or_default().push(terms));
        let most = count(sources.len()).ln();
        let evenness = |(term, _): &(usize, f64)| {
            let shares = sources.values().map(|texts| {
                let own = texts.iter().filter(|terms| terms.contains(term)).count();
                count(own) / count(texts.len())
            });
            let total: f64 = shares.clone().sum();
            let entropy = |share: f64| match share / total {
                p if p > 0.0 => -p * p.ln(),
                _ => 0.0,
            };
            shares.map(entropy).sum::<f64>() / most
        };
        let terms: Vec<f64> = self.top(0).iter().map(evenness).collect();
        let share = mean(&terms).filter(|_| sources.len() >= 2);
        share.map(|share| (100.0 * share).clamp(0.0, 100.0))
    }

    /// Primacy, 0 to 100: of the top terms that came up in at least two of the last four weeks, the share for
    /// which one source spoke first in more than half of those weeks. `None` when no term came up twice.
    pub(super) fn primacy(&self) -> Option<f64> {
        let top = self.top(0).into_iter();
        let repeats = top.filter_map(|(term, _)| self.first_speaker_repeats(term));
        mean(&repeats.collect::<Vec<f64>>()).map(|share| 100.0 * share)
    }

    fn first_speaker_repeats(&self, term: usize) -> Option<f64> {
        let first = |week: i64| {
            let of = |age: i64, terms: &[usize]| age / 7 == week && terms.contains(&term);
            let found = self.recent.iter().find(|(age, _, terms)| of(*age, terms));
            found.map(|(_, source, _)| *source)
        };
        let speakers: Vec<&str> = (0..WEEKS).filter_map(first).collect();
        let times = |s: &&str| speakers.iter().filter(|other| *other == s).count();
        let most = speakers.iter().map(times).max()?;
        (speakers.len() >= 2).then(|| f64::from(u8::from(2 * most > speakers.len())))
    }
}
