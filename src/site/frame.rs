//! The layout that all pages share: head, navigation and footer.

use super::prelude::*;
use econoscope_core::model::table;
use std::sync::LazyLock;

/// The style sheet of pages: colors, then rules that pages and widgets share, then rules of pages.
pub(super) static STYLE: LazyLock<String> = LazyLock::new(|| {
    [
        econoscope_core::chart::STYLE,
        include_str!("../../templates/base.css"),
        include_str!("../../templates/page.css"),
        econoscope_core::chart::SCRIPT_STYLE,
    ]
    .concat()
});

/// Returns address and name of each section: the pages of the navigation, and a part of the home page.
pub(super) fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    super::pages::navigation().chain([("/#connect", "Connect and API")])
}

/// Values of the layout.
pub(super) struct Frame {
    pub(super) title: String,
    pub(super) description: String,
    /// Path of the page and, where it has one, its query.
    pub(super) path: String,
    pub(super) today: Date,
    /// Address of the service, without a slash at its end.
    pub(super) base: String,
    pub(super) service: String,
    /// The credit line for published content.
    pub(super) credit: String,
    /// Sentence on the age of the figures; empty for a page without figures.
    pub(super) data_age: String,
    /// Path of the preview picture.
    pub(super) picture: String,
    /// Address of the oEmbed document; empty for a page without a widget.
    pub(super) oembed: String,
    /// Text in the search box.
    pub(super) search_text: String,
    /// Path of the script, with which every page offers what is searched for.
    pub(super) script: &'static str,
}

/// Pages with a fixed title: path, title, description.
const FRAMES: &str = include_str!("../../data/frames.csv");

impl Frame {
    /// Creates the frame of a page with a fixed title.
    pub(super) fn of(desk: &Desk, path: &str) -> Self {
        // A test reads every row.
        let mut rows = table::rows::<3>(FRAMES).filter_map(|(_, row)| row.ok());
        let row = rows.find(|[own, ..]| *own == path);
        let [_, title, description] = row.unwrap_or_default();
        Self::new(desk, title, description, path)
    }

    pub(super) fn new(desk: &Desk, title: &str, description: &str, path: &str) -> Self {
        let service = desk.settings().service.clone();
        Self {
            title: match path {
                "/" => format!("{service}: {title}"),
                _ => format!("{title} – {service}"),
            },
            description: description.to_owned(),
            path: path.to_owned(),
            today: desk.today(),
            base: desk.settings().home().to_owned(),
            data_age: String::new(),
            service,
            credit: desk.attribution().text,
            picture: "/chart/DGS10.png".into(),
            oembed: String::new(),
            search_text: String::new(),
            script: super::assets::script_path(),
        }
    }

    /// Adds what other sites show for a link to the page with this query: a widget by oEmbed, and a picture unless the
    /// default one serves.
    pub(super) fn with_preview(mut self, query: &str, picture: Option<String>) -> Self {
        let address = format!("{}{}{query}", self.base, self.path);
        let encoded = super::text::encode_segment(&address);
        self.oembed = format!("{}/oembed?url={encoded}", self.base);
        self.picture = picture.unwrap_or(self.picture);
        self
    }
}

/// Renders a page.
pub(super) fn render_page(template: &impl Template) -> Result<Document> {
    Ok(Document::page(render(template)?, &STYLE))
}

/// Renders a template.
///
/// # Errors
/// [`Error::Internal`] when the template fails.
pub(super) fn render(template: &impl Template) -> Result<String> {
    template
        .render()
        .map_err(|e| Error::internal("rendering a template", e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_desk::testing::TestDesk;

    #[test]
    fn every_row_of_the_frames_titles_a_page() {
        let desk = TestDesk::empty().open();
        let paths: Vec<_> = super::super::pages::sitemap_paths().collect();
        for (line, row) in table::rows::<3>(FRAMES) {
            let [path, title, description] = row.unwrap();
            assert!(
                paths.iter().any(|p| p == path),
                "line {line}: no page {path}"
            );
            assert!(!description.is_empty(), "line {line}");
            assert!(Frame::of(&desk, path).title.contains(title), "line {line}");
        }
        // The navigation has fixed titles alone.
        for (path, _) in super::super::pages::navigation() {
            assert!(!Frame::of(&desk, path).description.is_empty(), "{path}");
        }
    }
}
