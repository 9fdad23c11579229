//! Articles: the project's own from `data/articles/`, an operator's folder, and what feeds brought into the store.

use super::Desk;
use crate::error::{Error, Result};
use crate::store::Article;
use include_dir::{Dir, include_dir};
use jiff::Timestamp;
use std::sync::OnceLock;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/articles");

/// A text of a folder with its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Title, summary, tags, time.
    pub article: Article,
    /// Markdown.
    pub body: String,
}

/// The embedded articles, newest first; their `url` is a path below the service's base address.
///
/// # Errors
/// [`Error::BadFile`] for a file that cannot be read, which a test rules out.
pub fn embedded() -> Result<&'static [Text]> {
    static TEXTS: OnceLock<Vec<Text>> = OnceLock::new();
    if let Some(ready) = TEXTS.get() {
        return Ok(ready);
    }
    let mut texts = FILES
        .files()
        .map(|f| {
            read(
                &f.path().display().to_string(),
                f.contents_utf8().unwrap_or_default(),
            )
        })
        .collect::<Result<Vec<_>>>()?;
    texts.sort_by_key(|t| std::cmp::Reverse(t.article.published_at));
    Ok(TEXTS.get_or_init(|| texts))
}

/// Reads a Markdown file with front matter between two `---` lines: id, title, subtitle, topic, summary,
/// tags (`[a, b]`), published.
///
/// # Errors
/// [`Error::BadFile`] naming the file and the missing or malformed key.
pub fn read(file: &str, text: &str) -> Result<Text> {
    let bad = |problem: &str| Error::BadFile {
        file: file.to_owned(),
        line: None,
        problem: problem.to_owned(),
    };
    let (head, body) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .ok_or_else(|| bad("front matter between two --- lines is missing"))?;
    let field = |key: &str| {
        head.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.trim() == key)
            .map(|(_, value)| value.trim().trim_matches('"').to_owned())
            .filter(|value| !value.is_empty())
    };
    let need = |key: &'static str| field(key).ok_or_else(|| bad(&format!("`{key}:` is missing")));
    let id = need("id")?;
    let published_at: Timestamp = need("published")?
        .parse()
        .map_err(|_| bad("`published:` is not an RFC 3339 instant"))?;
    let tags = field("tags").unwrap_or_default();
    let article = Article {
        slug: id.clone(),
        url: format!("/articles/{id}"),
        id,
        title: need("title")?,
        subtitle: field("subtitle"),
        topic: field("topic"),
        summary: field("summary"),
        tags: tags
            .trim_matches(['[', ']'])
            .split(',')
            .map(|t| t.trim().trim_matches('"').to_owned())
            .filter(|t| !t.is_empty())
            .collect(),
        published_at,
        source: "Econoscope".into(),
    };
    Ok(Text {
        article,
        body: body.trim().to_owned(),
    })
}

impl Desk {
    /// The newest articles of all sources published up to now, newest first, at most `limit`.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn articles(&self, limit: usize) -> Result<Vec<Article>> {
        let now = self.now();
        let mut list = self.store().articles(now, limit)?;
        list.extend(
            embedded()?
                .iter()
                .filter(|t| t.article.published_at <= now)
                .map(|t| {
                    let mut article = t.article.clone();
                    article.url = format!("{}{}", self.settings().base_url, article.url);
                    article
                }),
        );
        list.sort_by(|a, b| {
            b.published_at
                .cmp(&a.published_at)
                .then_with(|| a.id.cmp(&b.id))
        });
        list.truncate(limit);
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_article_is_read() -> Result<()> {
        assert!(embedded()?.len() >= 5);
        assert!(embedded()?.iter().all(|t| t.body.len() > 500));
        Ok(())
    }
}
