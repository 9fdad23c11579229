//! The three channels of the index, from counts of texts by day, term and source.

use super::vocabulary::Vocabulary;
use crate::indicators::statistics::{average, count, normal_cdf, rolling_z};
use crate::model::Date;
use crate::model::frequency::days_between;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Number of terms: the most mentioned of the last seven days.
const TOP_TERMS: usize = 10;
/// Days over which velocities are compared, and the fewest of them.
const VELOCITY_DAYS: usize = 90;
const MIN_VELOCITIES: usize = 7;
/// Days of texts that are read: 90 velocities, each of two weeks.
const READ_DAYS: usize = VELOCITY_DAYS + 13;
/// Whole weeks of the 30 days in which first sources are compared.
const WEEKS: i64 = 4;

/// A text with its terms. Texts of one day are in the order of publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document<'a> {
    /// Day of publication.
    pub day: Date,
    /// Publisher.
    pub source: &'a str,
    /// Terms that title and summary mention ([`super::Vocabulary::mentioned`]).
    pub terms: Cow<'a, [usize]>,
}

/// Texts and mentions by day, counted back from the reference day.
pub(super) struct MentionCounts<'a> {
    reference_day: Date,
    /// Day of the first text up to the reference day.
    first_day: Option<Date>,
    /// Number of terms in the vocabulary.
    terms: usize,
    /// `days[k]` is the day k days before.
    days: Vec<DayCounts>,
    /// Weight of each term in the seven days that end k days before: the sum of the shares of each day's texts that
    /// mention it. Days without texts are left out and the sum is scaled to seven, so that a gap is not a loss of interest;
    /// `None` when none of the days has a text.
    weights: Vec<Option<Vec<f64>>>,
    /// Texts of the last four weeks with their age in days, in order of publication.
    recent: Vec<(i64, &'a str, &'a [usize])>,
}

#[derive(Clone, Default)]
struct DayCounts {
    texts: usize,
    /// Texts that mention each term, by its number.
    mentions: Vec<u32>,
}

impl<'a> MentionCounts<'a> {
    /// Counts the texts of the last 103 days up to `day`; later ones are ignored.
    pub(super) fn new(documents: &'a [Document<'a>], vocabulary: &Vocabulary, day: Date) -> Self {
        let mut ordered: Vec<_> = documents.iter().filter(|d| d.day <= day).collect();
        ordered.sort_by_key(|d| d.day);
        let mut counts = Self {
            reference_day: day,
            first_day: ordered.first().map(|d| d.day),
            terms: vocabulary.len(),
            days: vec![DayCounts::default(); READ_DAYS],
            weights: Vec::new(),
            recent: Vec::new(),
        };
        ordered.into_iter().for_each(|text| counts.add(text));
        let days = 0..READ_DAYS;
        counts.weights = days.map(|back| counts.week_weights(back)).collect();
        counts
    }

    fn add(&mut self, document: &'a Document<'a>) {
        let age = days_between(document.day, self.reference_day);
        let index = usize::try_from(age).unwrap_or(usize::MAX);
        let Some(day) = self.days.get_mut(index) else {
            return;
        };
        day.texts += 1;
        day.mentions.resize(self.terms, 0);
        for term in document.terms.iter() {
            if let Some(n) = day.mentions.get_mut(*term) {
                *n += 1;
            }
        }
        if age < 7 * WEEKS {
            self.recent.push((age, document.source, &document.terms));
        }
    }

    /// Returns the days from the first text to the reference day; 0 without texts.
    pub(super) fn days(&self) -> i64 {
        let first = self.first_day;
        first.map_or(0, |first| days_between(first, self.reference_day) + 1)
    }

    /// Returns the mean number of texts a day over the last `days`.
    pub(super) fn texts_a_day(&self, days: usize) -> f64 {
        let sum: usize = self.days.iter().take(days).map(|d| d.texts).sum();
        count(sum) / count(days.max(1))
    }

    /// Returns the ten terms of the greatest weight in the seven days that end `back` days ago, the greatest first.
    pub(super) fn top_terms(&self, back: usize) -> Vec<(usize, f64)> {
        let weights = self.weights.get(back).into_iter().flatten().flatten();
        let mut terms: Vec<(usize, f64)> = weights.copied().enumerate().collect();
        terms.retain(|(_, weight)| *weight > 0.0);
        terms.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        terms.truncate(TOP_TERMS);
        terms
    }

    fn week_weights(&self, back: usize) -> Option<Vec<f64>> {
        let week = self.days.get(back..back + 7)?;
        let days: Vec<&DayCounts> = week.iter().filter(|d| d.texts > 0).collect();
        let scale = 7.0 / count(days.len());
        let weight = |term: usize| {
            let mentions = |d: &DayCounts| d.mentions.get(term).copied().map_or(0.0, f64::from);
            let shares = days.iter().map(|d| mentions(d) / count(d.texts));
            shares.sum::<f64>() * scale
        };
        (!days.is_empty()).then(|| (0..self.terms).map(weight).collect())
    }

    /// Returns the mean growth of the top terms' weights over a week earlier, in logarithms, weighted by the weight.
    ///
    /// Formula: ln((m7ₜ + ε) / (m7ₜ₋₇ + ε)), ε = ½ / texts of the seven days.
    fn growth(&self, back: usize) -> Option<f64> {
        let before = self.weights.get(back + 7)?.as_deref()?;
        let week = self.days.get(back..back + 7)?;
        let texts: usize = week.iter().map(|d| d.texts).sum();
        let epsilon = 0.5 / count(texts.max(1));
        let top = self.top_terms(back);
        let total: f64 = top.iter().map(|(_, weight)| weight).sum();
        let growth = |(term, weight): &(usize, f64)| {
            let earlier = before.get(*term).copied().unwrap_or(0.0);
            weight * ((weight + epsilon) / (earlier + epsilon)).ln()
        };
        (total > 0.0).then(|| top.iter().map(growth).sum::<f64>() / total)
    }

    /// Returns the velocity, 0 to 100: the rank of the growth among that of the last 90 days, 100·Φ(z).
    ///
    /// `None` under seven days with a growth; 50 where growth never changed.
    pub(super) fn velocity(&self) -> Option<f64> {
        self.growth(0)?;
        let days = (0..VELOCITY_DAYS).rev();
        let growth: Vec<f64> = days.filter_map(|back| self.growth(back)).collect();
        let z = rolling_z(&growth, VELOCITY_DAYS, MIN_VELOCITIES, 3.0);
        let newest = *z.last().filter(|_| growth.len() >= MIN_VELOCITIES)?;
        Some(100.0 * normal_cdf(newest.unwrap_or(0.0)))
    }

    /// Returns the convergence, 0 to 100: how evenly the sources of seven days mention the top terms.
    ///
    /// For each term the share of each source's texts that mention it is divided by the sum over
    /// sources; the entropy of that, as a share of its maximum ln(sources), is 1 when all mention it alike
    /// and 0 when one does. The result is the mean over terms. `None` with one source.
    pub(super) fn convergence(&self) -> Option<f64> {
        let mut sources: BTreeMap<&str, Vec<&[usize]>> = BTreeMap::new();
        for (_, source, terms) in self.recent.iter().filter(|(age, ..)| *age < 7) {
            sources.entry(source).or_default().push(terms);
        }
        let max_entropy = count(sources.len()).ln();
        let evenness = |(term, _): &(usize, f64)| {
            let shares = sources.values().map(|texts| {
                let mentions = texts.iter().filter(|terms| terms.contains(term)).count();
                count(mentions) / count(texts.len())
            });
            let total: f64 = shares.clone().sum();
            let entropy = |share: f64| match share / total {
                p if p > 0.0 => -p * p.ln(),
                _ => 0.0,
            };
            shares.map(entropy).sum::<f64>() / max_entropy
        };
        let mean = average(self.top_terms(0).iter().map(evenness)).filter(|_| sources.len() >= 2);
        mean.map(|mean| (100.0 * mean).clamp(0.0, 100.0))
    }

    /// Returns the primacy, 0 to 100: of the top terms mentioned in at least two of the last four weeks, the share for
    /// which one source was first in more than half of those weeks. `None` without such terms.
    pub(super) fn primacy(&self) -> Option<f64> {
        let terms = self.top_terms(0).into_iter();
        let repeats = terms.filter_map(|(term, _)| self.has_repeated_first_source(term));
        average(repeats.map(|b| f64::from(u8::from(b)))).map(|share| 100.0 * share)
    }

    /// Whether one source was first in more than half of the weeks with the term; `None` under two such weeks.
    fn has_repeated_first_source(&self, term: usize) -> Option<bool> {
        let first_source = |week: i64| {
            let mentions = |age: i64, terms: &[usize]| age / 7 == week && terms.contains(&term);
            let mut texts = self.recent.iter();
            let first = texts.find(|(age, _, terms)| mentions(*age, terms));
            first.map(|(_, source, _)| *source)
        };
        let sources: Vec<&str> = (0..WEEKS).filter_map(first_source).collect();
        let times = |s: &&str| sources.iter().filter(|other| *other == s).count();
        let most = sources.iter().map(times).max()?;
        (sources.len() >= 2).then_some(2 * most > sources.len())
    }
}
