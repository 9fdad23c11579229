//! The Narrative Velocity Index from the articles that feeds brought into the store
//! (docs/METHODS.md#narrative-velocity).
//!
//! It reads what was published up to the reference day and nothing else: neither the project's own articles
//! nor an operator's are a feed. Each day's value is stored when a sync computes it and stays as it was.

use super::local::Desk;
use super::texts::{MAX_READ, Texts, end_of};
use crate::store::WriteVintages;
use econoscope_core::error::Result;
use econoscope_core::indicators::Reading;
use econoscope_core::indicators::narrative_velocity::NVI;
use econoscope_core::model::{AsOf, Date, Known, SeriesId};
use jiff::Timestamp;
use std::sync::Arc;

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
            Ok(Arc::new(texts.reading(day, end_of(day).min(self.now()))?))
        })
    }

    /// The texts up to a day: the newest of all, read once per state of the data, where they reach back far
    /// enough for it; else those of that day.
    fn texts(&self, day: Date) -> Result<Arc<Texts>> {
        let read = |until, most| {
            let articles = self.store().articles(until, most)?;
            Ok(Arc::new(Texts::of(&articles, most)?))
        };
        let newest = |_| read(Timestamp::MAX, MAX_KEPT);
        let newest = self.texts.or_make(self.state()?, newest)?;
        match newest.reach(day) {
            true => Ok(newest),
            false => read(end_of(day).min(self.now()), MAX_READ),
        }
    }
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
    use crate::store::{Article, Sqlite, Store};

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
