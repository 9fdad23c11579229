//! Renders the resources that no endpoint answers: the catalogue and articles.

use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result, Suggestion};
use econoscope_core::model::untrusted;
use econoscope_desk::Desk;
use econoscope_desk::texts::articles;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The page on formulas and conditions.
pub(super) const FORMULAS: &str = include_str!("../../../docs/FORMULAS.md");

/// Maximum number of articles on a page.
const MAX_ARTICLES: usize = 10;

/// Renders the catalogue as CSV, whole or of one category.
///
/// # Errors
/// [`Error::Unknown`] for a category that does not exist, [`Error::Store`] when the store cannot be read.
pub(super) fn catalogue(desk: &Desk, category: Option<&str>) -> Result<String> {
    let holdings = desk.store_summary()?;
    let mut text = String::from("series_id,title,unit,frequency,category,source,newest\n");
    let mut rows = 0;
    for info in Catalogue::embedded().iter() {
        let is_other = category.is_some_and(|c| !c.eq_ignore_ascii_case(&info.category));
        if is_other || !desk.is_listed(info)? {
            continue;
        }
        let newest = holdings.get(&info.id).map(|s| s.last.to_string());
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{}",
            desk.display_id(&info.id),
            cell(&info.title),
            cell(&info.units_short),
            info.frequency.word(),
            info.category,
            cell(&info.source),
            newest.unwrap_or_default(),
        );
        rows += 1;
    }
    let suggestion = |id| Suggestion {
        title: format!("macro://catalog/{id}"),
        id,
    };
    match category {
        Some(name) if rows == 0 => {
            let all = categories().into_iter().map(suggestion).collect();
            Err(Error::unknown("category", name, all))
        }
        _ => Ok(text),
    }
}

/// Formats a CSV cell, quoted if necessary.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Returns the categories of the catalogue, sorted.
pub(in crate::mcp) fn categories() -> Vec<String> {
    let names = Catalogue::embedded().categories().into_iter();
    names.map(str::to_owned).collect()
}

/// Renders the newest articles, fenced as untrusted text.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read; [`Error::Unknown`] for a tag that no article carries.
pub(super) fn articles(desk: &Desk, tag: Option<&str>) -> Result<String> {
    let matches =
        |tags: &[String]| tag.is_none_or(|t| tags.iter().any(|x| x.eq_ignore_ascii_case(t)));
    let articles = desk.articles(100)?.into_iter().filter(|a| matches(&a.tags));
    let mut text = String::new();
    for a in articles.take(MAX_ARTICLES).map(articles::sanitise) {
        let day = a.published_at.to_zoned(jiff::tz::TimeZone::UTC).date();
        let _ = writeln!(text, "- {day} {} ({})", a.title, a.url);
        if let Some(summary) = &a.summary {
            let _ = writeln!(text, "  {summary}");
        }
    }
    match tag {
        Some(tag) if text.is_empty() => Err(Error::unknown("tag", tag, Vec::new())),
        _ => Ok(untrusted::fence(&text, 8_000)),
    }
}

/// Returns the tags of articles, sorted.
pub(in crate::mcp) fn tags() -> Vec<String> {
    let texts = articles::embedded().iter();
    let tags: BTreeSet<_> = texts.flat_map(|t| t.article.tags.clone()).collect();
    tags.into_iter().collect()
}
