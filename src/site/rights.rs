//! May I use this? One answer for each class of rights, with the series that are in it.

use super::prelude::*;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::model::SeriesInfo;
use econoscope_core::model::series_info::Rights;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "rights.html")]
struct Page {
    frame: Frame,
    /// Names of sources, and what each asks to be said where its figures are shown.
    notices: Vec<(String, String)>,
}

/// Classes of series: name, rights, answer, whether they are computed here.
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
    let frame = Frame::of(desk, "May I use this?", description, "/rights")?;
    let recipes = &desk.settings().recipes;
    let mut notices: Vec<(String, String)> = Vec::new();
    for source in recipes.feeds().map(|at| at.source) {
        let notice = source.cite.replace("{title}", "series");
        if !notice.is_empty() && notices.iter().all(|(name, _)| *name != source.name) {
            notices.push((source.name.clone(), notice));
        }
    }
    html(&Page { frame, notices }, "")
}

/// What may be done with the figures of a series.
pub(super) fn of(info: &SeriesInfo) -> &'static str {
    let mut classes = CLASSES.iter();
    let class = classes.find(|(_, rights, _, is_made)| is_in(info, rights, is_made));
    class.map_or("", |(_, _, answer, _)| answer)
}

fn is_in(info: &SeriesInfo, rights: &Rights, is_made: &bool) -> bool {
    info.is_composite() == *is_made && (*is_made || info.rights == *rights)
}

/// Who measures the series of a class, and how many there are.
fn sources(rights: &Rights, is_made: &bool) -> (Vec<&'static str>, usize) {
    let all = Catalogue::embedded().iter();
    let series = all.filter(|info| is_in(info, rights, is_made));
    // By which way the figures come is for those who fetch them; our own are known by their names.
    let source = |info: &'static Arc<SeriesInfo>| match info.is_composite() {
        true => info.title.as_str(),
        false => info.source.split(" (").next().unwrap_or_default(),
    };
    let mut sources: Vec<&str> = series.map(source).collect();
    let count = sources.len();
    sources.sort_unstable();
    sources.dedup();
    (sources, count)
}
