//! The page on rights: for each class, what its figures may be used for and the sources in it.

use super::prelude::*;
use econoscope_core::model::series_info::Rights;

#[derive(Template)]
#[template(path = "rights.html")]
struct Page {
    frame: Frame,
    /// Names of sources, and the notices that they require.
    notices: Vec<(String, String)>,
}

/// Classes of series: name, rights, answer, and whether this service computes them.
const CLASSES: [(&str, Rights, &str, bool); 4] = [
    ("Public domain", Rights::Ok, PUBLIC, false),
    (
        "With the source named",
        Rights::OkWithCitation,
        CITED,
        false,
    ),
    ("Not to be passed on", Rights::FetchOnly, OWN, false),
    ("Indicators of this service", Rights::Ok, COMPUTED, true),
];
const PUBLIC: &str = "Yes. These figures are in the public domain: you may print, show, sell and pass them on. Please \
    name the source anyway, so that your readers can check.";
const CITED: &str = "Yes, if you name the source beside the figure or chart. A few Reserve Banks ask businesses to \
    read their terms first; the page of each series names them.";
const OWN: &str = "Only for yourself. A company sells these figures, or the terms of their source allow personal use \
    only. A public server does not pass them on, and you may not do so without a license.";
const COMPUTED: &str = "Yes, with the credit line. They are computed here from figures that may be passed on, by formulas \
    that anybody may use.";

pub(super) fn page(desk: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    let description =
        "Who may print, show or pass on the figures of this service, by class of rights.";
    render_page(&Page {
        frame: Frame::new(desk, "May I use this?", description, "/rights"),
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
    let classes = CLASSES
        .iter()
        .map(|(name, _, answer, _)| format!("## {name}\n{answer}\n"));
    let required = notices(desk).into_iter();
    let lines = required.map(|(name, notice)| format!("- {name}: {notice}\n"));
    format!(
        "# May I use this?\n\n{}\n## Notices that sources require\n{}",
        classes.collect::<String>(),
        lines.collect::<String>()
    )
}

/// Returns the answer for a series: what may be done with its figures.
pub(super) fn answer_for(info: &SeriesInfo) -> &'static str {
    let mut classes = CLASSES.iter();
    let class = classes.find(|(_, rights, _, is_computed)| is_in(info, rights, is_computed));
    class.map_or("", |(_, _, answer, _)| answer)
}

/// Returns whether a series belongs to a class.
fn is_in(info: &SeriesInfo, rights: &Rights, is_computed: &bool) -> bool {
    info.is_composite() == *is_computed && (*is_computed || info.rights == *rights)
}

/// Returns the sources of a class, or the titles of computed series, and the number of its series.
fn sources(rights: &Rights, is_computed: &bool) -> (Vec<&'static str>, usize) {
    let series = Catalogue::embedded()
        .iter()
        .filter(|info| is_in(info, rights, is_computed));
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
