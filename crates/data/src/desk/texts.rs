//! What articles mention, for the Narrative Velocity Index.

use super::glossary::Glossary;
use crate::store::Article;
use econoscope_core::error::Result;
use econoscope_core::indicators::Reading;
use econoscope_core::indicators::narrative_velocity::{self, Document, Vocabulary};
use econoscope_core::model::Date;
use econoscope_core::model::frequency::shift;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Days of texts that are read.
const WINDOW: i64 = 120;
/// Most texts that are read, the newest: some 160 a day.
pub(super) const MAX_READ: usize = 20_000;
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
    pub(super) fn of(articles: &[Article], most: usize) -> Result<Self> {
        let vocabulary = vocabulary()?;
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
        Ok(Self {
            cut: texts.len() >= most,
            texts,
        })
    }

    /// Whether all texts are here that the index of `day` may read.
    pub(super) fn reach(&self, day: Date) -> bool {
        let first = shift(day, (-WINDOW).days());
        !self.cut || self.texts.first().is_some_and(|text| text.day < first)
    }

    /// The index of a day, from what was published up to then.
    pub(super) fn reading(&self, day: Date, until: Timestamp) -> Result<Reading> {
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
        Ok(narrative_velocity::reading(&documents, vocabulary()?, day))
    }
}

/// The last instant of a day, UTC.
pub(super) fn end_of(day: Date) -> Timestamp {
    let start = day.to_zoned(TimeZone::UTC);
    let end = start.and_then(|start| start.end_of_day());
    end.map_or(Timestamp::MAX, |end| end.timestamp())
}

/// Terms of the glossary with their aliases.
fn vocabulary() -> Result<&'static Vocabulary> {
    static VOCABULARY: LazyLock<Result<Vocabulary>> = LazyLock::new(|| {
        let terms = Glossary::embedded()?.iter();
        let names = terms.map(|t| (t.term.as_str(), t.aliases.iter().map(String::as_str)));
        Ok(Vocabulary::new(names))
    });
    VOCABULARY.as_ref().map_err(Clone::clone)
}
