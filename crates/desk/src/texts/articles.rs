//! Articles: embedded ones from `data/articles/`, those of an operator's folder, and those of feeds in the store.

use super::folder;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::untrusted;
use econoscope_data::store::Article;
use include_dir::{Dir, include_dir};
use jiff::Timestamp;
use std::path::Path;
use std::sync::LazyLock;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/articles");

/// Most articles that can be searched and fetched, the newest.
pub const MAX_ARTICLES: usize = 2_000;

/// An article with its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArticleText {
    /// Article without its body.
    pub article: Article,
    /// Series whose chart is on its page.
    pub series: Option<String>,
    /// Markdown.
    pub body: String,
}

/// Returns the embedded articles, newest first. Their `url` is a path below the base address.
pub fn embedded() -> &'static [ArticleText] {
    static TEXTS: LazyLock<Vec<ArticleText>> = LazyLock::new(|| {
        let mut texts = folder::embedded(&FILES, "md", parse);
        texts.sort_by_key(|t| std::cmp::Reverse(t.article.published_at));
        texts
    });
    &TEXTS
}

/// Reads every `.md` file of an operator's folder. Answers mark them as untrusted text.
///
/// # Errors
/// [`Error::BadFile`] with the folder or file and the problem.
pub fn from_folder(folder: &Path) -> Result<Vec<ArticleText>> {
    let mut texts = folder::texts(folder, "md", parse)?;
    for text in &mut texts {
        text.article.source = "operator".into();
    }
    Ok(texts)
}

/// Reads a Markdown file with front matter between two `---` lines: id, title, subtitle, topic, summary,
/// tags (`[a, b]`), series (an identifier), published.
///
/// # Errors
/// [`Error::BadFile`] with the file and the missing or malformed key.
pub fn parse(file: &str, text: &str) -> Result<ArticleText> {
    let bad = |problem: &str| Error::bad_file(file, problem);
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
    let required =
        |key: &'static str| field(key).ok_or_else(|| bad(&format!("`{key}:` is missing")));
    let id = required("id")?;
    let published_at: Timestamp = required("published")?
        .parse()
        .map_err(|_| bad("`published:` is not an RFC 3339 instant"))?;
    if !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') || id.len() > 100 {
        return Err(bad("`id:` is not of letters, digits and hyphens"));
    }
    let tags = field("tags").unwrap_or_default();
    let article = Article {
        slug: id.clone(),
        url: format!("/articles/{id}"),
        id,
        title: untrusted::clean_line(&required("title")?, 200),
        subtitle: field("subtitle").map(|t| untrusted::clean_line(&t, 200)),
        topic: field("topic").map(|t| untrusted::clean_line(&t, 40)),
        summary: field("summary").map(|t| untrusted::clean_line(&t, 600)),
        tags: tags
            .trim_matches(['[', ']'])
            .split(',')
            .map(|t| untrusted::clean_line(t.trim().trim_matches('"'), 40).to_lowercase())
            .filter(|t| !t.is_empty())
            .collect(),
        published_at,
        source: "Econoscope".into(),
    };
    Ok(ArticleText {
        article,
        series: field("series"),
        body: body.trim().to_owned(),
    })
}

/// Prepares an article for display: untrusted text and a plain link or none, whoever wrote it.
pub fn sanitise(article: Article) -> Article {
    let clean = |max| move |text: String| untrusted::clean_name(&text, max);
    let url = untrusted::safe_url(&article.url).unwrap_or_default();
    Article {
        url: url.to_owned(),
        title: clean(200)(article.title),
        subtitle: article.subtitle.map(clean(300)),
        topic: article.topic.map(clean(40)),
        summary: article.summary.map(clean(600)),
        tags: article.tags.into_iter().map(clean(40)).collect(),
        source: clean(80)(article.source),
        ..article
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_are_sanitised_and_invalid_ones_rejected() {
        let head = "---\nid: x-1\ntitle: Rates <b>up</b>\u{202e}\npublished: 2026-01-02T00:00:00Z\ntags: [Fed, \"cpi\"]\n---\nBody.";
        let text = parse("x.md", head).unwrap();
        assert_eq!(text.article.title, "Rates up");
        assert_eq!(text.article.tags, ["fed", "cpi"]);
        let message = parse("x.md", &head.replace("x-1", "../x"))
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("x.md: `id:` is not"), "{message}");
        let message = parse("x.md", &head.replace("title", "name"))
            .unwrap_err()
            .to_string();
        assert_eq!(message, "x.md: `title:` is missing");
    }

    #[test]
    fn every_embedded_article_is_valid() {
        let texts = embedded();
        let is_text = |path: &Path| path.extension().is_some_and(|extension| extension == "md");
        let files = FILES.files().filter(|file| is_text(file.path()));
        assert_eq!(texts.len(), files.count());
        assert!(texts.len() >= 5 && texts.iter().all(|t| t.body.len() > 500));
    }
}
