//! What surrounds every page.

use super::document::{Document, Frames};
use askama::Template;
use econoscope_core::error::{Error, Result};
use econoscope_data::desk::Desk;
use std::sync::LazyLock;

/// Colours, then what all surfaces share, then the pages' own.
pub(super) static STYLE: LazyLock<String> = LazyLock::new(|| {
    [
        econoscope_core::chart::STYLE,
        include_str!("../../templates/base.css"),
        include_str!("../../templates/page.css"),
        econoscope_core::chart::SCRIPT_STYLE,
    ]
    .concat()
});

/// Addresses and names of the sections.
pub(super) const NAV: [(&str, &str); 9] = [
    ("/series", "Series"),
    ("/compare", "Compare"),
    ("/regime", "Regime"),
    ("/calendar", "Calendar"),
    ("/scenarios", "Scenarios"),
    ("/articles", "Articles"),
    ("/glossary", "Glossary"),
    ("/methods", "Methods"),
    ("/#connect", "Connect and API"),
];

/// What surrounds every page.
pub(super) struct Frame {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) path: String,
    pub(super) base: String,
    pub(super) service: String,
    /// The credit line that published content carries.
    pub(super) credit: String,
    /// How old the figures of the page are; empty of one without any.
    pub(super) asof: String,
    pub(super) picture: String,
    /// Address of a widget that shows the page in small, for those who paste its link elsewhere.
    pub(super) oembed: String,
    /// What the search box in the header holds.
    pub(super) words: String,
    pub(super) style: &'static str,
    pub(super) script: &'static str,
}

impl Frame {
    pub(super) fn of(desk: &Desk, title: &str, description: &str, path: &str) -> Result<Self> {
        let service = desk.settings().service.clone();
        Ok(Self {
            title: if path == "/" {
                format!("{service}: {title}")
            } else {
                format!("{title} – {service}")
            },
            description: description.to_owned(),
            path: path.to_owned(),
            base: desk.settings().home().to_owned(),
            asof: String::new(),
            service,
            credit: desk.attribution().text,
            picture: "/chart/DGS10.png".into(),
            oembed: String::new(),
            words: String::new(),
            style: &STYLE,
            script: "",
        })
    }

    /// Sections in the head of every page.
    pub(super) fn nav(&self) -> &'static [(&'static str, &'static str)] {
        &NAV
    }

    /// The same page with the script and a card.
    pub(super) fn lively(self, query: &str, picture: String) -> Self {
        Self {
            script: super::assets::path(),
            ..self.carded(query, picture)
        }
    }

    /// The same page with a card for those who paste its link: a widget and a picture.
    pub(super) fn carded(mut self, query: &str, picture: String) -> Self {
        let address = format!("{}{}{query}", self.base, self.path);
        self.oembed = format!(
            "{}/oembed?url={}",
            self.base,
            super::text::encoded(&address)
        );
        self.picture = picture;
        self
    }
}

/// A template as a document that nobody may frame.
pub(super) fn html(template: &impl Template, script: &str) -> Result<Document> {
    let text = template
        .render()
        .map_err(|e| Error::internal("rendering a page", e))?;
    Ok(Document::html(text, &STYLE, script, Frames::Nobody))
}
