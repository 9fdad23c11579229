//! All series by subject.

use super::prelude::*;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::indicators::prose::capitalised;

#[derive(Template)]
#[template(path = "catalogue.html")]
struct Series {
    frame: Frame,
    count: usize,
    held: usize,
    groups: Vec<(String, Vec<Item>)>,
}

/// Identifier, title, and whether something is held or made here.
type Item = (String, &'static str, bool);

/// A subject as a heading: "Money and liquidity".
pub(super) fn subject(category: &str) -> String {
    match category {
        "fx" => "Foreign exchange".to_owned(),
        "money_liquidity" => "Money and liquidity".to_owned(),
        other => capitalised(&other.replace('_', " ")),
    }
}

/// Things under the headings of their subjects, in the order in which subjects first come.
pub(super) fn by_subject<T>(all: impl Iterator<Item = (&'static str, T)>) -> Vec<(String, Vec<T>)> {
    let mut groups: Vec<(String, Vec<T>)> = Vec::new();
    for (category, item) in all {
        let name = subject(category);
        match groups.iter_mut().find(|group| group.0 == name) {
            Some(group) => group.1.push(item),
            None => groups.push((name, vec![item])),
        }
    }
    groups
}

pub(super) fn page(desk: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    let catalogue = Catalogue::embedded();
    let holdings = desk.holdings()?;
    let mut items = Vec::new();
    for info in catalogue.iter() {
        let is_made = info.is_composite() || desk.made_by(&info.id)?.is_some();
        let is_held = is_made || holdings.get(&info.id).is_some();
        let item = (desk.shown_id(&info.id), info.title.as_str(), is_held);
        items.push((info.category.as_str(), item));
    }
    let held = items.iter().filter(|(_, (.., is_held))| *is_held).count();
    let description =
        "US macroeconomic series by subject: rates, inflation, labor, growth, credit, liquidity.";
    html(
        &Series {
            frame: Frame::of(desk, "Series", description, "/series")?,
            count: catalogue.iter().count(),
            held,
            groups: by_subject(items.into_iter()),
        },
        "",
    )
}
