//! Articles: the list, and a page for each article of this service.

use super::charts;
use super::error_page::find;
use super::prelude::*;
use super::text::format_interpretation;
use econoscope_answers::endpoints::{metric, time_series};
use econoscope_core::format::Unit;
use econoscope_data::store::Article;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use url::Url;

/// Maximum number of articles in the list.
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
    latest: Option<LatestFigure>,
}

/// The latest figure of the series that an article is about.
struct LatestFigure {
    id: String,
    info: Arc<SeriesInfo>,
    /// "13.99 %, September 2026".
    figure: String,
    interpretation: String,
    /// The chart for wide and for narrow screens.
    drawings: String,
}

/// Returns the latest figure of a series; `None` where there is none.
fn latest_figure(desk: &Desk, series: &str) -> Result<Option<LatestFigure>> {
    let info = desk.resolve("series", series)?;
    desk.check_permitted(&info)?;
    let id = desk.display_id(&info.id);
    let arguments = [("seriesId", &*id), ("start", "20y")];
    let answer = time_series::read_all_rows(desk, endpoint_arguments(arguments))?;
    let metric = metric::read(desk, &info, AsOf::Latest)?;
    let Some((value, date)) = metric.value.zip(metric.date) else {
        return Ok(None);
    };
    let unit = Unit::parse(&info.units_short, &info.units);
    let value = unit.write(value, usize::from(info.decimals));
    Ok(Some(LatestFigure {
        figure: format!("{value}, {}", period(date, info.frequency)),
        interpretation: format_interpretation(&info, &metric.interpretation.unwrap_or_default()),
        drawings: charts::draw(&charts::plot(&answer), &[]),
        id,
        info,
    }))
}

/// Returns the published articles, newest first. Articles of other sites link to their pages there.
pub(super) fn published(desk: &Desk) -> Result<Vec<Article>> {
    let mut articles = desk.articles(MAX_ARTICLES)?;
    articles.retain(|article| is_safe(&article.url));
    Ok(articles)
}

/// Returns the names of all articles in the binary.
pub(super) fn names() -> Vec<&'static str> {
    let texts = econoscope_desk::texts::articles::embedded().iter();
    texts.map(|text| &*text.article.slug).collect()
}

pub(super) fn index(desk: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    render_page(&Index {
        frame: Frame::of(desk, "/articles"),
        articles: published(desk)?,
    })
}

pub(super) fn article(desk: &Desk, request: &PageRequest, answers: Answers) -> Result<Document> {
    let texts = desk.own_articles();
    let text = find("article", &request.name, texts, |text| {
        (&text.article.slug, &text.article.title)
    })?;
    let article = &text.article;
    let description = article.summary.as_deref().unwrap_or(&article.title);
    let path = format!("/articles/{}", article.slug);
    // On a server that forwards, the stored figures are not those of the API.
    let series = text.series.as_deref().filter(|_| !answers.is_forwarded);
    let latest = series.map_or(Ok(None), |series| latest_figure(desk, series));
    render_page(&Page {
        frame: Frame::new(desk, &article.title, description, &path),
        latest: match latest {
            Err(error @ (Error::Store { .. } | Error::Internal { .. })) => return Err(error),
            // The article is complete without a figure that may not or cannot be shown.
            latest => latest.unwrap_or_default(),
        },
        article,
        body: markdown(&text.body),
    })
}

/// Renders Markdown as HTML. Raw HTML becomes text; an image becomes its description; an unsafe link becomes a link to the top of the page.
pub fn markdown(text: &str) -> String {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| {
        if let Event::Html(raw) | Event::InlineHtml(raw) = event {
            Some(Event::Text(raw))
        } else if let Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) = event {
            None
        } else if let Event::Start(Tag::Link { dest_url, .. }) = &event
            && !is_safe(dest_url)
        {
            Some(Event::Start(Tag::Link {
                link_type: LinkType::Inline,
                dest_url: "#main".into(),
                title: "".into(),
                id: "".into(),
            }))
        } else {
            Some(event)
        }
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

/// Returns whether a link leads to a page of this site or to http(s), read as a browser reads it: `/\host` is another
/// site. A link with a user name, which could pass for a host, is not safe.
fn is_safe(link: &str) -> bool {
    const HERE: &str = "https://here.invalid/";
    let Ok(url) = Url::parse(HERE).and_then(|here| here.join(link)) else {
        return false;
    };
    let is_here = link.starts_with(['#', '/']) && url.as_str().starts_with(HERE);
    let is_absolute = link.starts_with("https://") || link.starts_with("http://");
    (is_here || is_absolute) && url.username().is_empty() && url.password().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_removes_html_scripts_and_unsafe_links() {
        let evil = "# A <b>\n\n<script>alert(1)</script>\n\nx <img src=x onerror=alert(1)> y\n\n\
            [a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) ![p](https://e.example/x.png)\n\n\
            [f](/\\\\evil.example) [g](https://bank.example@evil.example) [d](vbscript:x \"onmouseover=1\") <https://ok.example> [e](&#106;avascript:alert(1))\n\n| a |\n|---|\n| <i>x</i> |";
        let html = markdown(evil);
        for word in [
            "<script",
            "<img",
            "<b>",
            "<i>",
            "<a href=\"javascript",
            "href=\"data",
            "href=\"//",
            "evil.example",
            "href=\"vbscript",
        ] {
            assert!(!html.contains(word), "{word}: {html}");
        }
        assert!(html.contains("href=\"https://ok.example\""), "{html}");
        assert!(html.contains("<table>"));
    }
}
