//! Articles and notes.

use super::failure::{damaged, failed, unreadable};
use crate::error::Result;
use crate::store::change::kept;
use crate::store::seam::Article;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};

const ARTICLES: &str =
    "SELECT id, slug, title, subtitle, topic, summary, tags, published_at, url, source, crc
     FROM article";
/// Between tags; a tag holds no line break.
const BETWEEN_TAGS: &str = "\n";

/// Adds or replaces; how many were new, and whether anything changed. A damaged article is replaced like an old one.
pub(super) fn write_articles(db: &Connection, articles: &[Article]) -> Result<(usize, bool)> {
    let (mut added, mut changed) = (0, false);
    let sql = format!("{ARTICLES} WHERE id = ?1");
    for article in articles {
        let article = Article {
            published_at: kept(article.published_at),
            ..article.clone()
        };
        let held = db
            .prepare_cached(&sql)
            .and_then(|mut s| {
                s.query_row([&article.id], |row| Ok(read_article(row)))
                    .optional()
            })
            .map_err(|e| unreadable(WHAT, e))?;
        match held {
            Some(Ok(held)) if held == article => continue,
            Some(_) => {}
            None => added += 1,
        }
        changed = true;
        put_article(db, &article).map_err(|e| failed("write", e))?;
    }
    Ok((added, changed))
}

/// Newest first.
pub(super) fn articles(db: &Connection, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
    let sql =
        format!("{ARTICLES} WHERE published_at <= ?1 ORDER BY published_at DESC, id LIMIT ?2");
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = db.prepare_cached(&sql).map_err(|e| unreadable(WHAT, e))?;
    let found = statement
        .query_map((until.as_microsecond(), limit), |row| Ok(read_article(row)))
        .map_err(|e| unreadable(WHAT, e))?;
    let articles: Vec<Article> = found
        .map(|article| article.map_err(|e| unreadable(WHAT, e)).flatten())
        .collect::<Result<_>>()?;
    // Order and bound come from the index; the articles themselves must agree with it.
    let key = |a: &Article| (std::cmp::Reverse(a.published_at), a.id.clone());
    if articles.is_sorted_by_key(key) && articles.iter().all(|a| a.published_at <= until) {
        Ok(articles)
    } else {
        Err(damaged("The index of articles", "it is out of order"))
    }
}

/// Every article that passes its check, as far as the table can be read.
pub(super) fn intact_articles(db: &Connection) -> Vec<Article> {
    let mut intact = Vec::new();
    let Ok(mut statement) = db.prepare(ARTICLES) else {
        return intact;
    };
    if let Ok(found) = statement.query_map([], |row| Ok(read_article(row))) {
        intact.extend(found.map_while(rusqlite::Result::ok).filter_map(Result::ok));
    }
    intact
}

/// What is wrong with articles and notes.
pub(super) fn damages(db: &Connection) -> Vec<String> {
    let each = |sql: &str, read: fn(&Row<'_>) -> Result<()>| -> Vec<String> {
        let all = db.prepare(sql).and_then(|mut s| {
            s.query_map([], |row| Ok(read(row)))?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        match all {
            Ok(all) => all
                .into_iter()
                .filter_map(|r| r.err().map(|e| e.to_string()))
                .collect(),
            Err(e) => vec![unreadable("The list of articles or notes", e).to_string()],
        }
    };
    let mut all = each(ARTICLES, |row| read_article(row).map(|_| ()));
    all.extend(each("SELECT value, crc, key FROM note", |row| {
        let key: String = row.get(2).map_err(|e| unreadable("A note", e))?;
        read_note(&key, row).map(|_| ())
    }));
    all
}

const WHAT: &str = "An article";

fn read_article(row: &Row<'_>) -> Result<Article> {
    let columns = || -> rusqlite::Result<(Article, i64, u32)> {
        let tags: String = row.get(6)?;
        let published_at: i64 = row.get(7)?;
        let article = Article {
            id: row.get(0)?,
            slug: row.get(1)?,
            title: row.get(2)?,
            subtitle: row.get(3)?,
            topic: row.get(4)?,
            summary: row.get(5)?,
            tags: tags
                .split(BETWEEN_TAGS)
                .filter(|t| !t.is_empty())
                .map(str::to_owned)
                .collect(),
            published_at: Timestamp::from_microsecond(published_at).unwrap_or_default(),
            url: row.get(8)?,
            source: row.get(9)?,
        };
        Ok((article, published_at, row.get(10)?))
    };
    let (article, published_at, crc) = columns().map_err(|e| unreadable(WHAT, e))?;
    if crc == article_crc(&article) && article.published_at.as_microsecond() == published_at {
        Ok(article)
    } else {
        let what = format!("Article \"{}\"", crate::error::quote(&article.id));
        Err(damaged(&what, "its checksum does not match"))
    }
}

fn put_article(db: &Connection, article: &Article) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO article
         (id, slug, title, subtitle, topic, summary, tags, published_at, url, source, crc)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    db.prepare_cached(sql)?.execute(rusqlite::params![
        article.id,
        article.slug,
        article.title,
        article.subtitle,
        article.topic,
        article.summary,
        article.tags.join(BETWEEN_TAGS),
        article.published_at.as_microsecond(),
        article.url,
        article.source,
        article_crc(article),
    ])?;
    Ok(())
}

fn article_crc(article: &Article) -> u32 {
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
    let mut crc = crc_of(&parts);
    crc.update(&article.published_at.as_microsecond().to_le_bytes());
    crc.finalize()
}

/// Lengths go in too, so that a letter cannot move from one part to the next; an absent part is no empty one.
pub(super) fn crc_of(parts: &[Option<&str>]) -> crc32fast::Hasher {
    let mut crc = crc32fast::Hasher::new();
    for part in parts {
        let length = part.map_or(u64::MAX, |text| text.len() as u64);
        crc.update(&length.to_le_bytes());
        crc.update(part.unwrap_or_default().as_bytes());
    }
    crc
}

/// A small named value.
pub(super) fn note(db: &Connection, key: &str) -> Result<Option<String>> {
    db.prepare_cached("SELECT value, crc FROM note WHERE key = ?1")
        .and_then(|mut s| s.query_row([key], |row| Ok(read_note(key, row))).optional())
        .map_err(|e| unreadable("A note", e))?
        .transpose()
}

/// Sets a small named value; whether that changed anything. A damaged one is replaced.
pub(super) fn set_note(db: &Connection, key: &str, value: &str) -> Result<bool> {
    if note(db, key).is_ok_and(|held| held.as_deref() == Some(value)) {
        return Ok(false);
    }
    db.prepare_cached("INSERT OR REPLACE INTO note (key, value, crc) VALUES (?1, ?2, ?3)")
        .and_then(|mut s| s.execute((key, value, note_crc(key, value))))
        .map(|_| true)
        .map_err(|e| failed("write", e))
}

fn read_note(key: &str, row: &Row<'_>) -> Result<String> {
    let what = || format!("Note \"{}\"", crate::error::quote(key));
    let columns = || -> rusqlite::Result<(String, u32)> { Ok((row.get(0)?, row.get(1)?)) };
    let (value, crc) = columns().map_err(|e| unreadable(&what(), e))?;
    if crc == note_crc(key, &value) {
        Ok(value)
    } else {
        Err(damaged(&what(), "its checksum does not match"))
    }
}

fn note_crc(key: &str, value: &str) -> u32 {
    crc_of(&[Some(key), Some(value)]).finalize()
}
