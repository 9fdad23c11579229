//! Articles: the newest first, and our own as pages. Markdown is rendered with every bit of HTML turned to text.

use super::{Asked, Frame, html};
use crate::desk::Desk;
use crate::error::{Error, Result, Suggestion};
use crate::http::document::Document;
use askama::Template;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// Most articles in a list.
const MOST: usize = 50;

/// An article in a list.
pub(super) struct Entry {
    pub(super) href: String,
    pub(super) title: String,
    pub(super) date: String,
    pub(super) summary: String,
    pub(super) tags: Vec<String>,
}

#[derive(Template)]
#[template(path = "articles.html")]
struct Index {
    frame: Frame,
    articles: Vec<Entry>,
}

#[derive(Template)]
#[template(path = "article.html")]
struct One {
    frame: Frame,
    title: &'static str,
    subtitle: Option<&'static str>,
    date: String,
    body: String,
}

/// The published articles, newest first; those of others lead to where they are read.
pub(super) fn entries(desk: &Desk) -> Result<Vec<Entry>> {
    let list = desk.articles(MOST)?;
    let entries = list.into_iter().filter(|a| is_safe(&a.url)).map(|a| Entry {
        href: a.url,
        title: a.title,
        date: a.published_at.strftime("%-d %B %Y").to_string(),
        summary: a.summary.unwrap_or_default(),
        tags: a.tags,
    });
    Ok(entries.collect())
}

pub(super) fn index(desk: &Desk, _: &Asked) -> Result<Document> {
    let description = "How the figures are made and how to read them.";
    let frame = Frame::of(desk, "Articles", description, "/articles")?;
    html(
        &Index {
            frame,
            articles: entries(desk)?,
        },
        "",
    )
}

pub(super) fn one(desk: &Desk, asked: &Asked) -> Result<Document> {
    let now = desk.now();
    let mut published = crate::desk::articles::embedded()?
        .iter()
        .filter(|t| t.article.published_at <= now);
    let Some(text) = published.clone().find(|t| t.article.slug == asked.name) else {
        let likeness = |slug: &str| strsim::jaro_winkler(slug, &asked.name);
        let near = published
            .by_ref()
            .filter(|t| likeness(&t.article.slug) > 0.7)
            .take(3);
        return Err(Error::Unknown {
            kind: "article",
            name: crate::error::quote(&asked.name),
            suggestions: near
                .map(|t| Suggestion {
                    id: t.article.slug.clone(),
                    title: t.article.title.clone(),
                })
                .collect(),
        });
    };
    let a = &text.article;
    let description = a.summary.as_deref().unwrap_or(&a.title);
    let page = One {
        frame: Frame::of(
            desk,
            &a.title,
            description,
            &format!("/articles/{}", a.slug),
        )?,
        title: &a.title,
        subtitle: a.subtitle.as_deref(),
        date: a.published_at.strftime("%-d %B %Y").to_string(),
        body: markdown(&text.body),
    };
    html(&page, "")
}

/// Markdown as HTML: tables, headings, lists, links; raw HTML becomes text, pictures and unsafe links their words.
fn markdown(text: &str) -> String {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| {
        if let Event::Html(raw) | Event::InlineHtml(raw) = event {
            return Some(Event::Text(raw));
        }
        if matches!(
            event,
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image)
        ) {
            return None;
        }
        if let Event::Start(Tag::Link { dest_url, .. }) = &event
            && !is_safe(dest_url)
        {
            let link_type = LinkType::Inline;
            return Some(Event::Start(Tag::Link {
                link_type,
                dest_url: "#main".into(),
                title: "".into(),
                id: "".into(),
            }));
        }
        Some(event)
    });
    let mut html = String::with_capacity(text.len() * 2);
    pulldown_cmark::html::push_html(&mut html, events);
    html.replace(
        "<table>",
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>",
    )
    .replace("</table>", "</table></div>")
    .replace("<pre>", "<pre tabindex=\"0\">")
    .replace("<th></th>", "<td></td>")
}

/// Renders markdown for `fuzz/`: no tag comes out that we do not write.
#[cfg(fuzzing)]
pub(in crate::http) fn fuzz(text: &str) {
    let html = markdown(text).to_ascii_lowercase();
    for tag in [
        "<script",
        "<img",
        "<iframe",
        "<style",
        "<svg",
        "<a href=\"javascript",
    ] {
        assert!(!html.contains(tag), "{tag}");
    }
}

/// Whether a link leads to a page: on this site, or by http(s).
fn is_safe(url: &str) -> bool {
    url.starts_with("https://")
        || url.starts_with("http://")
        || url.starts_with('#')
        || (url.starts_with('/') && !url.starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_brings_no_html_script_or_unsafe_link() {
        let evil = "# A <b>\n\n<script>alert(1)</script>\n\nx <img src=x onerror=alert(1)> y\n\n\
            [a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) ![p](https://e.example/x.png)\n\n\
            [d](vbscript:x \"onmouseover=1\") <https://ok.example> [e](&#106;avascript:alert(1))\n\n| a |\n|---|\n| <i>x</i> |";
        let html = markdown(evil);
        for word in [
            "<script",
            "<img",
            "<b>",
            "<i>",
            "<a href=\"javascript",
            "href=\"data",
            "href=\"//",
            "href=\"vbscript",
        ] {
            assert!(!html.contains(word), "{word}: {html}");
        }
        assert!(html.contains("href=\"https://ok.example\""), "{html}");
        assert!(html.contains("<table>"));
    }
}
