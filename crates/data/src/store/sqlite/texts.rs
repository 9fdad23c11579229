//! Articles and notes.

use super::query::{Query, RowError, RowResult, checksum, damage_error, execute};
use crate::store::Article;
use crate::store::change::to_microseconds;
use econoscope_core::error::{Result, quote};
use jiff::Timestamp;
use rusqlite::{Connection, Row};

const ARTICLE: &str = "An article";
const BY_ID: Query<'_> = Query::new(ARTICLE, "SELECT * FROM article WHERE id = ?1");
const NEWEST: Query<'_> = Query::new(
    ARTICLE,
    "SELECT * FROM article WHERE published_at <= ?1 ORDER BY published_at DESC, id LIMIT ?2",
);
const WRITE: &str =
    "INSERT OR REPLACE INTO article VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
const ALL: Query<'_> = Query::new("The list of articles", "SELECT * FROM article");
/// Selects the key of the query, since a damaged index may lead to another note.
const NOTE: Query<'_> = Query::new("A note", "SELECT ?1, value, crc FROM note WHERE key = ?1");
const NOTES: Query<'_> = Query::new("The list of notes", "SELECT * FROM note");
/// Separator of tags, none of which has a line break.
const TAG_SEPARATOR: &str = "\n";

/// Adds or replaces articles. Returns the number of new ones, and whether anything changed. A damaged article is
/// replaced.
pub(super) fn write_articles(db: &Connection, articles: &[Article]) -> Result<(usize, bool)> {
    let mut added = 0;
    let mut is_changed = false;
    for article in articles {
        let article = Article {
            published_at: to_microseconds(article.published_at),
            tags: split_tags(&article.tags.join(TAG_SEPARATOR)),
            ..article.clone()
        };
        let is_same = |row: &Row<'_>| Ok(read_article(row).is_ok_and(|a| a == article));
        match BY_ID.first(db, [&article.id], is_same)? {
            Some(true) => continue,
            Some(false) => {}
            None => added += 1,
        }
        is_changed = true;
        let columns = rusqlite::params![
            article.id,
            article.slug,
            article.title,
            article.subtitle,
            article.topic,
            article.summary,
            article.tags.join(TAG_SEPARATOR),
            article.published_at.as_microsecond(),
            article.url,
            article.source,
            article_crc(&article),
        ];
        execute(db, WRITE, columns)?;
    }
    Ok((added, is_changed))
}

/// Returns articles published at or before `until`, newest first.
pub(super) fn articles(db: &Connection, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let articles = NEWEST.all(db, (until.as_microsecond(), limit), read_article)?;
    // Order and bound come from the index, which may be damaged.
    let key = |a: &Article| (std::cmp::Reverse(a.published_at), a.id.clone());
    if articles.is_sorted_by_key(key) && articles.iter().all(|a| a.published_at <= until) {
        Ok(articles)
    } else {
        Err(damage_error("The index of articles", "it is out of order"))
    }
}

/// Describes the damage of articles and notes.
pub(super) fn damages(db: &Connection) -> Vec<String> {
    let mut all = ALL.damages(db, read_article);
    all.extend(NOTES.damages(db, read_note));
    all
}

fn read_article(row: &Row<'_>) -> RowResult<Article> {
    let tags: String = row.get(6)?;
    let published_at: i64 = row.get(7)?;
    let article = Article {
        id: row.get(0)?,
        slug: row.get(1)?,
        title: row.get(2)?,
        subtitle: row.get(3)?,
        topic: row.get(4)?,
        summary: row.get(5)?,
        tags: split_tags(&tags),
        published_at: Timestamp::from_microsecond(published_at).unwrap_or_default(),
        url: row.get(8)?,
        source: row.get(9)?,
    };
    let is_whole = row.get::<_, i64>(10)? == article_crc(&article)
        && article.published_at.as_microsecond() == published_at;
    if is_whole {
        Ok(article)
    } else {
        Err(text_damage("Article", &article.id))
    }
}

fn text_damage(kind: &str, name: &str) -> RowError {
    let subject = format!("{kind} \"{}\"", quote(name));
    damage_error(&subject, "its checksum does not match").into()
}

fn split_tags(tags: &str) -> Vec<String> {
    tags.split(TAG_SEPARATOR)
        .filter(|tag| !tag.is_empty())
        .map(str::to_owned)
        .collect()
}

fn article_crc(article: &Article) -> i64 {
    let mut parts: Vec<Option<&str>> = vec![
        Some(&article.id),
        Some(&article.slug),
        Some(&article.title),
        article.subtitle.as_deref(),
        article.topic.as_deref(),
        article.summary.as_deref(),
        Some(&article.url),
        Some(&article.source),
    ];
    parts.extend(article.tags.iter().map(|tag| Some(tag.as_str())));
    checksum(&parts, &[article.published_at.as_microsecond()])
}

/// Returns a small named value.
pub(super) fn note(db: &Connection, key: &str) -> Result<Option<String>> {
    NOTE.first(db, [key], read_note)
}

/// Sets a small named value. Returns whether that changed anything. A damaged value is replaced.
pub(super) fn set_note(db: &Connection, key: &str, value: &str) -> Result<bool> {
    if note(db, key).is_ok_and(|stored| stored.as_deref() == Some(value)) {
        return Ok(false);
    }
    let crc = checksum(&[Some(key), Some(value)], &[]);
    let sql = "INSERT OR REPLACE INTO note VALUES (?1, ?2, ?3)";
    execute(db, sql, (key, value, crc))?;
    Ok(true)
}

fn read_note(row: &Row<'_>) -> RowResult<String> {
    let key: String = row.get(0)?;
    let value: String = row.get(1)?;
    let is_whole = row.get::<_, i64>(2)? == checksum(&[Some(&key), Some(&value)], &[]);
    if is_whole {
        Ok(value)
    } else {
        Err(text_damage("Note", &key))
    }
}
