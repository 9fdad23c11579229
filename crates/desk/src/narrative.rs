//! The Narrative Velocity Index from the stored articles of feeds (docs/COMPOSITES.md#narrative-velocity).
//!
//! It counts articles of feeds published up to the reference day, not the project's own or an operator's. A sync stores
//! each day's value, which is never changed.

use crate::desk::Desk;
use crate::texts::glossary;
use econoscope_core::error::Result;
use econoscope_core::indicators::Reading;
use econoscope_core::indicators::narrative_velocity::{self, Document, NVI, Vocabulary};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, SeriesId, VintageObservation};
use econoscope_data::store::{Article, WriteVintages};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Length of the window of articles, in days.
const WINDOW: i64 = 120;
/// Most articles of an index, the newest: some 160 a day.
const MAX_ARTICLES: usize = 20_000;
/// Most articles whose terms are cached, the newest: a year of some 160 a day.
const MAX_CACHED: usize = 60_000;

impl Desk {
    /// Returns the index at the reference day, without a value and with the reason while there are too few articles.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn narrative(&self, as_of: AsOf) -> Result<Arc<Reading>> {
        let key = (self.state()?, NVI.id, as_of);
        self.readings.get_or_insert_with(key, || {
            // Articles have their own days: old figures do not make today's articles old.
            let day = self.reading_day(as_of);
            let articles = self.article_terms(day)?;
            Ok(Arc::new(articles.reading(day, end_of(day).min(self.now()))))
        })
    }

    /// Returns the terms of the articles up to a day: those of the newest articles, read once per state of the data, where
    /// they reach back far enough, else those of that day.
    fn article_terms(&self, day: Date) -> Result<Arc<ArticleTerms>> {
        let read = |until, max| {
            let articles = self.store().articles(until, max)?;
            Ok(Arc::new(ArticleTerms::new(&articles, max)))
        };
        let newest = |_| read(Timestamp::MAX, MAX_CACHED);
        let newest = self.article_terms.get_or_compute(self.state()?, newest)?;
        if newest.covers(day) {
            Ok(newest)
        } else {
            read(end_of(day).min(self.now()), MAX_ARTICLES)
        }
    }
}

/// The terms that articles mention, by time of publication.
#[derive(Debug)]
pub(super) struct ArticleTerms {
    entries: Vec<Entry>,
    /// Whether the store may have older articles.
    is_truncated: bool,
}

#[derive(Debug)]
struct Entry {
    published_at: Timestamp,
    day: Date,
    source: Arc<str>,
    terms: Box<[usize]>,
}

impl ArticleTerms {
    /// Reads the terms of at most `max` articles.
    fn new(articles: &[Article], max: usize) -> Self {
        let mut sources: BTreeMap<&str, Arc<str>> = BTreeMap::new();
        let mut entries: Vec<Entry> = articles
            .iter()
            .map(|article| {
                let summary = article.summary.as_deref().unwrap_or("");
                let text = format!("{} {summary}", article.title);
                let source = sources.entry(&article.source);
                Entry {
                    published_at: article.published_at,
                    day: article.published_at.to_zoned(TimeZone::UTC).date(),
                    source: Arc::clone(source.or_insert_with(|| Arc::from(&*article.source))),
                    terms: vocabulary().mentioned(&text).into(),
                }
            })
            .collect();
        entries.sort_by_key(|entry| entry.published_at);
        Self {
            is_truncated: entries.len() >= max,
            entries,
        }
    }

    /// Whether no article of the window before a day is missing.
    fn covers(&self, day: Date) -> bool {
        let first = shift(day, (-WINDOW).days());
        !self.is_truncated || self.entries.first().is_some_and(|entry| entry.day < first)
    }

    /// Computes the index on a day from articles published up to `until`.
    fn reading(&self, day: Date, until: Timestamp) -> Reading {
        let first = shift(day, (-WINDOW).days());
        let end = self
            .entries
            .partition_point(|entry| entry.published_at <= until);
        let start = end.saturating_sub(MAX_ARTICLES);
        let entries = self.entries.get(start..end).unwrap_or_default().iter();
        let documents: Vec<Document<'_>> = entries
            .filter(|entry| entry.day > first)
            .map(|entry| Document {
                day: entry.day,
                source: &entry.source,
                terms: Cow::Borrowed(&entry.terms),
            })
            .collect();
        narrative_velocity::reading(&documents, vocabulary(), day)
    }
}

/// Returns the last instant of a day, UTC.
fn end_of(day: Date) -> Timestamp {
    let start = day.to_zoned(TimeZone::UTC);
    let end = start.and_then(|start| start.end_of_day());
    end.map_or(Timestamp::MAX, |end| end.timestamp())
}

/// Returns the terms of the glossary with their aliases.
fn vocabulary() -> &'static Vocabulary {
    static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
        let terms = glossary::embedded().iter();
        Vocabulary::new(terms.map(|t| (t.term.as_str(), t.aliases.iter().map(String::as_str))))
    });
    &VOCABULARY
}

/// Stores the day's value if there is one and none is stored.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<()> {
    let reading = desk.narrative(AsOf::Latest)?;
    let Some(value) = reading.value else {
        return Ok(());
    };
    let id = SeriesId::new(NVI.id)?;
    let stored = desk.store().read(&id)?.unwrap_or_default();
    let mut rows = stored.rows().to_vec();
    if rows.iter().any(|r| r.date == reading.date) {
        return Ok(());
    }
    rows.push(VintageObservation {
        date: reading.date,
        known_from: Some(desk.today()),
        value: Some(value),
    });
    let origin = format!("computed {}", NVI.definition().method);
    desk.store()
        .replace_computed(WriteVintages::new(&id, &rows, desk.now(), &origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::testing::TestDesk;
    use econoscope_data::store::{Sqlite, Store};

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
        TestDesk::over(Arc::new(store)).at(now()).open()
    }

    #[test]
    fn too_few_articles_give_no_index() -> Result<()> {
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
    fn daily_value_is_stored_once() -> Result<()> {
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
