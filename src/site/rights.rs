//! The page on rights: for each class, what its figures may be used for and the sources in it.

use super::prelude::*;
use econoscope_core::model::table;

#[derive(Template)]
#[template(path = "rights.html")]
struct Page {
    frame: Frame,
    /// Names of sources, and the notices that they require.
    notices: Vec<(String, String)>,
}

/// Classes of series with what may be done with their figures.
const CLASSES: &str = include_str!("../../data/rights.csv");

/// Returns the class, the name and the answer of each class of series.
fn classes() -> impl Iterator<Item = [&'static str; 3]> {
    // A test reads every row.
    table::rows(CLASSES).filter_map(|(_, row)| row.ok())
}

/// Returns the class of a series: the word for its rights, unless this service computes it.
fn class_of(info: &SeriesInfo) -> &'static str {
    if info.is_composite() {
        return "computed";
    }
    info.rights.word()
}

pub(super) fn page(desk: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    render_page(&Page {
        frame: Frame::of(desk, "/rights"),
        notices: notices(desk),
    })
}

/// Returns the names of the sources that require a notice, each with its notice.
fn notices(desk: &Desk) -> Vec<(String, String)> {
    let mut notices: Vec<(String, String)> = Vec::new();
    for feed in desk.settings().recipes().feeds() {
        let notice = feed.source.cite.replace("{title}", "series");
        if !notice.is_empty() && notices.iter().all(|(name, _)| *name != feed.source.name) {
            notices.push((feed.source.name.clone(), notice));
        }
    }
    notices
}

/// Renders the classes and the notices as Markdown.
pub(crate) fn render_markdown(desk: &Desk) -> String {
    let sections = classes().map(|[_, name, answer]| format!("## {name}\n{answer}\n"));
    let required = notices(desk).into_iter();
    let lines = required.map(|(name, notice)| format!("- {name}: {notice}\n"));
    format!(
        "# May I use this?\n\n{}\n## Notices that sources require\n{}",
        sections.collect::<String>(),
        lines.collect::<String>()
    )
}

/// Returns the answer for a series: what may be done with its figures.
pub(super) fn answer_for(info: &SeriesInfo) -> &'static str {
    let own = classes().find(|[class, ..]| *class == class_of(info));
    own.map_or("", |[.., answer]| answer)
}

/// Returns the sources of a class, or the titles of computed series, and the number of its series.
fn sources(class: &str) -> (Vec<&'static str>, usize) {
    let all = Catalogue::embedded().iter();
    let series = all.filter(|info| class_of(info) == class);
    let source = |info: &'static Arc<SeriesInfo>| {
        if info.is_composite() {
            info.title.as_str()
        } else {
            // The parentheses name the channel of the figures.
            info.source.split(" (").next().unwrap_or_default()
        }
    };
    let mut sources: Vec<&str> = series.map(source).collect();
    let count = sources.len();
    sources.sort_unstable();
    sources.dedup();
    (sources, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_series_has_an_answer() {
        assert_eq!(classes().count(), CLASSES.lines().count() - 1);
        for info in Catalogue::embedded().iter() {
            assert!(!answer_for(info).is_empty(), "{}", info.id);
        }
    }
}
