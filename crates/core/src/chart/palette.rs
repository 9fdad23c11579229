//! Colours of a chart: those of a theme for a picture, or the custom properties of the page around it.

use crate::model::words::replace_markers;
use std::collections::HashMap;

/// The colours of a chart. With those of a page it is the plot alone, because the page shows title and source; else it is a
/// picture with title, unit, source and date.
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

/// Background.
pub(super) const PAPER: &str = "var(--paper)";
/// Titles and values.
pub(super) const INK: &str = "var(--ink)";
/// Labels.
pub(super) const MUTED: &str = "var(--muted)";
/// Grid lines.
pub(super) const RULE: &str = "var(--rule)";
/// Shading of recessions.
pub(super) const SHADE: &str = "var(--shade)";
/// Lines, in order.
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

/// The style sheet with the colours of both themes.
pub const STYLE: &str = include_str!("../../templates/tokens.css");

impl Theme {
    /// Replaces the custom properties in a drawing by the theme's colours, because few programs but browsers know custom
    /// properties.
    pub fn resolve_colours(self, drawing: String) -> String {
        let block = match self {
            Self::Page => return drawing,
            Self::Light => ":root{",
            Self::Dark => "=dark]{",
        };
        let block = STYLE.split(block).nth(1).and_then(|s| s.split('}').next());
        let properties = block.unwrap_or_default().split(';');
        let colours: HashMap<&str, &str> = properties.filter_map(|p| p.split_once(':')).collect();
        replace_markers(&drawing, "var(", |after| {
            let (name, rest) = after.split_once(')')?;
            Some(((*colours.get(name)?).to_owned(), rest))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_gets_the_colours_of_the_theme() {
        let drawing = "<svg><path stroke=\"var(--line)\" fill=\"var(--line-2)\"/></svg>";
        let light = (Theme::Light, ["#1d4f80", "#a8481a"]);
        let dark = (Theme::Dark, ["#86b9ee", "#f0a572"]);
        for (theme, [line, second]) in [light, dark] {
            let expected = format!("<svg><path stroke=\"{line}\" fill=\"{second}\"/></svg>");
            assert_eq!(theme.resolve_colours(drawing.to_owned()), expected);
        }
        assert_eq!(Theme::Page.resolve_colours(drawing.to_owned()), drawing);
    }

    #[test]
    fn both_themes_define_every_colour() {
        let all = [PAPER, INK, MUTED, RULE, SHADE].into_iter().chain(LINES);
        for name in all {
            for theme in [Theme::Light, Theme::Dark] {
                let colour = theme.resolve_colours(name.to_owned());
                assert!(colour.starts_with('#') && colour.len() == 7, "{colour}");
            }
        }
    }
}
