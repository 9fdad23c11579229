//! The Narrative Velocity Index from the articles that feeds brought into the store
//! (docs/METHODS.md#narrative-velocity).
//!
//! It reads what was published up to the reference day and nothing else: neither the project's own articles
//! nor an operator's are a feed. Each day's value is stored when a sync computes it and stays as it was.

use super::glossary::Glossary;
use super::local::Desk;
use crate::store::{Article, WriteVintages};
use econoscope_core::error::Result;
use econoscope_core::indicators::Reading;
use econoscope_core::indicators::narrative_velocity::{self, Document, NVI, Vocabulary};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, Known, SeriesId};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Days of texts that are read.
const WINDOW: i64 = 120;
/// Most texts that are read, the newest: some 160 a day.
const MAX_READ: usize = 20_000;
/// Most texts whose terms are kept in memory, the newest: a year of some 160 a day.
const MAX_KEPT: usize = 60_000;

impl Desk {
    /// The index at the reference day, null with its reason until it may speak.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn narrative(&self, as_of: AsOf) -> Result<Arc<Reading>> {
        let key = (self.state()?, NVI.id, as_of);
        self.readings.or_make(key, || {
            // Texts have their own days: figures that are old do not make old texts of today's.
            let day = match as_of {
                AsOf::Latest => self.today(),
                AsOf::Day(day) => day.min(self.today()),
            };
            let texts = self.texts(day)?;
            Ok(Arc::new(texts.reading(day, end_of(day).min(self.now()))))
        })
    }

    /// The texts up to a day: the newest of all, read once per state of the data, where they reach back far
    /// enough for it; else those of that day.
    fn texts(&self, day: Date) -> Result<Arc<Texts>> {
        let read = |until, most| {
            let articles = self.store().articles(until, most)?;
            Ok(Arc::new(Texts::of(&articles, most)))
        };
        let newest = |_| read(Timestamp::MAX, MAX_KEPT);
        let newest = self.texts.or_make(self.state()?, newest)?;
        match newest.reach(day) {
            true => Ok(newest),
            false => read(end_of(day).min(self.now()), MAX_READ),
        }
    }
}

/// What texts mention, in the order in which they were published.
#[derive(Debug)]
pub(super) struct Texts {
    texts: Vec<Text>,
    /// Whether there may be older ones.
    cut: bool,
}

#[derive(Debug)]
struct Text {
    at: Timestamp,
    day: Date,
    source: Arc<str>,
    terms: Box<[usize]>,
}

impl Texts {
    /// Reads articles for what they mention; `most` is how many were asked for.
    fn of(articles: &[Article], most: usize) -> Self {
        let vocabulary = vocabulary();
        let mut sources: BTreeMap<&str, Arc<str>> = BTreeMap::new();
        let mut texts: Vec<Text> = articles
            .iter()
            .map(|a| {
                let summary = a.summary.as_deref().unwrap_or("");
                let text = format!("{} {summary}", a.title);
                let source = sources.entry(&a.source);
                Text {
                    at: a.published_at,
                    day: a.published_at.to_zoned(TimeZone::UTC).date(),
                    source: Arc::clone(source.or_insert_with(|| Arc::from(&*a.source))),
                    terms: vocabulary.mentioned(&text).into(),
                }
            })
            .collect();
        texts.sort_by_key(|text| text.at);
        Self {
            cut: texts.len() >= most,
            texts,
        }
    }

    /// Whether all texts are here that the index of `day` may read.
    fn reach(&self, day: Date) -> bool {
        let first = shift(day, (-WINDOW).days());
        !self.cut || self.texts.first().is_some_and(|text| text.day < first)
    }

    /// The index of a day, from what was published up to then.
    fn reading(&self, day: Date, until: Timestamp) -> Reading {
        let first = shift(day, (-WINDOW).days());
        let end = self.texts.partition_point(|text| text.at <= until);
        let known = self
            .texts
            .get(end.saturating_sub(MAX_READ)..end)
            .unwrap_or(&[]);
        let documents: Vec<Document<'_>> = known
            .iter()
            .filter(|text| text.day > first)
            .map(|text| Document {
                day: text.day,
                source: &text.source,
                terms: Cow::Borrowed(&text.terms),
            })
            .collect();
        narrative_velocity::reading(&documents, vocabulary(), day)
    }
}

/// The last instant of a day, UTC.
fn end_of(day: Date) -> Timestamp {
    let start = day.to_zoned(TimeZone::UTC);
    let end = start.and_then(|start| start.end_of_day());
    end.map_or(Timestamp::MAX, |end| end.timestamp())
}

/// Terms of the glossary with their aliases.
fn vocabulary() -> &'static Vocabulary {
    static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
        let terms = Glossary::embedded().iter();
        Vocabulary::new(terms.map(|t| (t.term.as_str(), t.aliases.iter().map(String::as_str))))
    });
    &VOCABULARY
}

/// Stores the day's value, once there is one; days that were served are never written again.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<()> {
    let reading = desk.narrative(AsOf::Latest)?;
    let Some(value) = reading.value else {
        return Ok(());
    };
    let id = SeriesId::new(NVI.id)?;
    let mut rows = desk
        .store()
        .read(&id)?
        .map(|v| v.rows().to_vec())
        .unwrap_or_default();
    if rows.iter().any(|r| r.date == reading.date) {
        return Ok(());
    }
    rows.push(Known {
        date: reading.date,
        known_from: Some(desk.today()),
        value: Some(value),
    });
    let origin = format!("computed {}", NVI.method);
    desk.store().replace_computed(WriteVintages {
        id: &id,
        rows: &rows,
        fetched_at: desk.now(),
        origin: &origin,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Settings;
    use crate::store::{Sqlite, Store};

    fn now() -> Timestamp {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    fn article(number: usize, days_ago: i64, source: &str) -> Article {
        let term = ["Inflation", "Recession", "Yield curve"][number % 3];
        Article {
            id: format!("{source}-{days_ago}-{number}"),
            slug: "x".into(),
            title: format!("{term} in the news"),
            subtitle: None,
            topic: None,
            summary: Some("Unemployment and the Sahm rule.".into()),
            tags: vec![],
            published_at: now() - jiff::SignedDuration::from_hours(24 * days_ago),
            url: "https://example.org/x".into(),
            source: source.into(),
        }
    }

    fn desk(days: i64, a_day: usize) -> Desk {
        let store = Sqlite::bundled().unwrap();
        let articles: Vec<Article> = (0..days)
            .flat_map(|day| (0..a_day).map(move |n| article(n, day, ["A", "B", "C"][n % 3])))
            .collect();
        store.write_articles(&articles).unwrap();
        Desk::open(Arc::new(store), Settings::default(), Arc::new(now))
    }

    #[test]
    fn there_is_no_index_until_there_are_texts_enough() -> Result<()> {
        for (days, a_day, want) in [
            (0, 0, "no narrative feed configured"),
            (10, 30, "10 days of texts are there, 14 are needed"),
            (40, 5, "5.0 texts a day over the last 14, 20 are needed"),
        ] {
            let reading = desk(days, a_day).narrative(AsOf::Latest)?;
            assert_eq!(
                (reading.value, reading.reason.as_deref()),
                (None, Some(want))
            );
        }
        Ok(())
    }

    #[test]
    fn enough_texts_speak_and_the_days_value_is_kept_once() -> Result<()> {
        let desk = desk(60, 24);
        let value = desk.narrative(AsOf::Latest)?.value.unwrap();
        assert!((0.0..=100.0).contains(&value));
        refresh(&desk)?;
        refresh(&desk)?;
        let rows = desk.store().read(&SeriesId::new(NVI.id)?)?.unwrap();
        assert_eq!(rows.rows().len(), 1);
        assert!((rows.rows()[0].value.unwrap() - value).abs() < 1e-12);
        let past = desk.narrative(AsOf::Day(jiff::civil::date(2026, 9, 28)))?;
        assert!(
            past.reason
                .as_deref()
                .unwrap_or("")
                .contains("days of texts"),
            "{past:?}"
        );
        Ok(())
    }
}
