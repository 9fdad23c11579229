//! All series by subject.

use super::{Asked, Frame, html};
use crate::desk::Desk;
use crate::error::Result;
use crate::http::document::Document;
use crate::indicators::prose::capitalised;
use crate::model::Catalogue;
use askama::Template;

#[derive(Template)]
#[template(path = "catalogue.html")]
struct Series {
    frame: Frame,
    count: usize,
    held: usize,
    groups: Vec<Group>,
}

struct Group {
    name: String,
    items: Vec<Item>,
}

struct Item {
    id: String,
    title: String,
    held: bool,
}

/// A subject as a heading: "Money and liquidity".
pub(super) fn subject(category: &str) -> String {
    match category {
        "fx" => "Foreign exchange".to_owned(),
        "money_liquidity" => "Money and liquidity".to_owned(),
        other => capitalised(&other.replace('_', " ")),
    }
}

pub(super) fn page(desk: &Desk, _: &Asked) -> Result<Document> {
    let catalogue = Catalogue::embedded();
    let holdings = desk.holdings()?;
    let mut groups: Vec<Group> = Vec::new();
    for info in catalogue.iter() {
        let name = subject(&info.category);
        let item = Item {
            id: desk.shown_id(&info.id),
            title: info.title.clone(),
            held: info.is_composite() || holdings.get(&info.id).is_some(),
        };
        match groups.iter_mut().find(|g| g.name == name) {
            Some(group) => group.items.push(item),
            None => groups.push(Group {
                name,
                items: vec![item],
            }),
        }
    }
    let held = groups
        .iter()
        .flat_map(|g| &g.items)
        .filter(|i| i.held)
        .count();
    let description =
        "US macroeconomic series by subject: rates, inflation, labor, growth, credit, liquidity.";
    html(
        &Series {
            frame: Frame::of(desk, "Series", description, "/series")?,
            count: catalogue.len(),
            held,
            groups,
        },
        "",
    )
}
