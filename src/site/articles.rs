//! Articles: the newest first, and our own as pages. Markdown is rendered with every bit of HTML turned to text.

use super::asked::PageRequest;
use super::document::Document;
use super::fault::unknown;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::series::drawings;
use super::text::meaning_of;
use super::{charts, view};
use askama::Template;
use econoscope_answers::endpoints::{metric, time_series};
use econoscope_core::error::{Error, Result};
use econoscope_core::format::{Unit, period};
use econoscope_core::model::AsOf;
use econoscope_data::desk::Desk;
use econoscope_data::store::Article;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// Most articles in a list.
const MAX_ARTICLES: usize = 50;

#[derive(Template)]
#[template(path = "articles.html")]
struct Index {
    frame: Frame,
    articles: Vec<Article>,
}

#[derive(Template)]
#[template(path = "article.html")]
struct Page<'a> {
    frame: Frame,
    article: &'a Article,
    body: String,
    now: Option<Now>,
}

/// The series that an article is about, as it stands now.
struct Now {
    id: String,
    title: String,
    /// "13.99 %, September 2026".
    figure: String,
    meaning: String,
    drawn: (String, String),
    source: String,
}

/// Where the series of an article stands; `None` of an article without one, or where nothing may or can be shown.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read, and [`Error::Internal`].
fn now(desk: &Desk, series: Option<&str>) -> Result<Option<Now>> {
    match series.map_or(Ok(None), |series| standing(desk, series)) {
        Err(error @ (Error::Store { .. } | Error::Internal { .. })) => Err(error),
        found => Ok(found.unwrap_or_default()),
    }
}

fn standing(desk: &Desk, series: &str) -> Result<Option<Now>> {
    let info = desk.resolve("series", series)?;
    desk.permit(&info)?;
    let id = desk.shown_id(&info.id);
    let given = [("seriesId", &*id), ("start", "20y")];
    let answer = time_series::every_row(desk, view::collected(given.into_iter()))?;
    let o = metric::read(desk, &info, AsOf::Latest)?;
    let Some((value, date)) = o.value.zip(o.date) else {
        return Ok(None);
    };
    let unit = Unit::of(&info.units_short, &info.units);
    let value = unit.write(value, usize::from(info.decimals));
    Ok(Some(Now {
        figure: format!("{value}, {}", period(date, info.frequency)),
        meaning: meaning_of(&info, &o.interpretation.unwrap_or_default()),
        drawn: drawings((charts::plot(&answer), Vec::new())),
        title: info.title.clone(),
        source: info.source.clone(),
        id,
    }))
}

/// The published articles, newest first; those of others lead to where they are read.
pub(super) fn published(desk: &Desk) -> Result<Vec<Article>> {
    let mut list = desk.articles(MAX_ARTICLES)?;
    list.retain(|article| is_safe(&article.url));
    Ok(list)
}

pub(super) fn index(desk: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    let description = "How the figures are made and how to read them.";
    let page = Index {
        frame: Frame::of(desk, "Articles", description, "/articles")?,
        articles: published(desk)?,
    };
    html(&page, "")
}

pub(super) fn article(desk: &Desk, asked: &PageRequest, answers: Answers) -> Result<Document> {
    let mut published = desk.own_articles();
    let Some(text) = published.clone().find(|t| t.article.slug == asked.name) else {
        let known = published.by_ref().map(|text| &text.article);
        let known = known.map(|a| (a.slug.as_str(), a.title.as_str()));
        return Err(unknown("article", &asked.name, known));
    };
    let article = &text.article;
    let description = article.summary.as_deref().unwrap_or(&article.title);
    let address = format!("/articles/{}", article.slug);
    let page = Page {
        frame: Frame::of(desk, &article.title, description, &address)?,
        now: match answers.is_forwarded {
            // The figures held here are not those of the API.
            true => None,
            false => now(desk, text.series.as_deref())?,
        },
        article,
        body: markdown(&text.body),
    };
    html(&page, "")
}

/// Markdown as HTML: tables, headings, lists, links; raw HTML becomes text, pictures and unsafe links their words.
pub fn markdown(text: &str) -> String {
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
