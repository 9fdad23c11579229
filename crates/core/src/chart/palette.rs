//! Colours of a chart: fixed for a picture, or the page's own so that light and dark follow the reader.

use crate::model::words::rewritten;
use std::collections::HashMap;

/// Which colours a chart has. In those of a page it is the plot alone, for the page has title and source; else it is a
/// picture that stands alone, with title, unit, source and date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Dark ink on light paper.
    Light,
    /// Light ink on dark paper.
    Dark,
    /// The custom properties of the page around it.
    #[default]
    Page,
}

/// Ground.
pub(super) const PAPER: &str = "var(--paper)";
/// Titles and values.
pub(super) const INK: &str = "var(--ink)";
/// Labels.
pub(super) const MUTED: &str = "var(--muted)";
/// Grid.
pub(super) const RULE: &str = "var(--rule)";
/// Recessions.
pub(super) const SHADE: &str = "var(--shade)";
/// Lines, in their order.
pub(super) const LINES: [&str; 8] = [
    "var(--line)",
    "var(--line-2)",
    "var(--line-3)",
    "var(--line-4)",
    "var(--line-5)",
    "var(--line-6)",
    "var(--line-7)",
    "var(--line-8)",
];

/// The colours of both themes as the style of a page.
pub const STYLE: &str = include_str!("../../templates/tokens.css");

impl Theme {
    /// A drawing made of the custom properties of a page, as a file of its own in the theme's colours: literal ones, since
    /// few programs but browsers know custom properties.
    pub fn coloured(self, drawing: String) -> String {
        let block = match self {
            Self::Page => return drawing,
            Self::Light => ":root{",
            Self::Dark => "=dark]{",
        };
        let declared = STYLE.split(block).nth(1).and_then(|s| s.split('}').next());
        let declared = declared.unwrap_or_default().split(';');
        let colours: HashMap<&str, &str> = declared.filter_map(|one| one.split_once(':')).collect();
        rewritten(&drawing, "var(", |after| {
            let (name, rest) = after.split_once(')')?;
            Some(((*colours.get(name)?).to_owned(), rest))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_of_a_page_gets_the_colours_of_the_theme() {
        let drawing = "<svg><path stroke=\"var(--line)\" fill=\"var(--line-2)\"/></svg>";
        let light = (Theme::Light, ["#1d4f80", "#a8481a"]);
        let dark = (Theme::Dark, ["#86b9ee", "#f0a572"]);
        for (theme, [line, second]) in [light, dark] {
            let wanted = format!("<svg><path stroke=\"{line}\" fill=\"{second}\"/></svg>");
            assert_eq!(theme.coloured(drawing.to_owned()), wanted);
        }
        assert_eq!(Theme::Page.coloured(drawing.to_owned()), drawing);
    }

    #[test]
    fn every_colour_of_a_chart_is_one_of_both_themes() {
        let all = [PAPER, INK, MUTED, RULE, SHADE].into_iter().chain(LINES);
        for name in all {
            for theme in [Theme::Light, Theme::Dark] {
                let colour = theme.coloured(name.to_owned());
                assert!(colour.starts_with('#') && colour.len() == 7, "{colour}");
            }
        }
    }
}
