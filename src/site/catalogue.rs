//! The list of all series by subject.

use super::prelude::*;

#[derive(Template)]
#[template(path = "catalogue.html")]
struct Page {
    frame: Frame,
    count: usize,
    available: usize,
    groups: Vec<(String, Vec<Item>)>,
}

/// Identifier, title, and whether figures are stored or computed here.
type Item = (String, &'static str, bool);

/// Returns the heading of a subject: "Money and liquidity".
pub(super) fn subject(category: &str) -> String {
    match category {
        "fx" => "Foreign exchange".to_owned(),
        "money_liquidity" => "Money and liquidity".to_owned(),
        other => capitalize(&other.replace('_', " ")),
    }
}

/// Groups items under the headings of their subjects, in the order of first appearance.
pub(super) fn group_by_subject<T>(
    items: impl IntoIterator<Item = (&'static str, T)>,
) -> Vec<(String, Vec<T>)> {
    let mut groups: Vec<(String, Vec<T>)> = Vec::new();
    for (category, item) in items {
        let heading = subject(category);
        match groups.iter_mut().find(|group| group.0 == heading) {
            Some(group) => group.1.push(item),
            None => groups.push((heading, vec![item])),
        }
    }
    groups
}

/// Returns whether figures of a series are stored or computed here.
pub(super) fn is_available(desk: &Desk, info: &SeriesInfo) -> Result<bool> {
    let holdings = desk.store_summary()?;
    Ok(info.is_composite()
        || holdings.get(&info.id).is_some()
        || desk.identity_of(&info.id)?.is_some())
}

pub(super) fn page(desk: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    let mut items = Vec::new();
    for info in Catalogue::embedded().iter() {
        if !desk.is_listed(info)? {
            continue;
        }
        let is_available = is_available(desk, info)?;
        let item: Item = (desk.display_id(&info.id), info.title.as_str(), is_available);
        items.push((info.category.as_str(), item));
    }
    render_page(&Page {
        frame: Frame::of(desk, "/series"),
        count: items.len(),
        available: items.iter().filter(|(_, item)| item.2).count(),
        groups: group_by_subject(items),
    })
}
