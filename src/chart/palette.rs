//! Colours of a chart: fixed for a picture, or the page's own so that light and dark follow the reader.

/// Which colours a chart has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Dark ink on light paper.
    Light,
    /// Light ink on dark paper.
    Dark,
    /// The custom properties of the page around it.
    Page,
    /// A file of its own that follows the reader's setting.
    Auto,
}

/// The colours by their part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// Ground.
    pub paper: &'static str,
    /// Titles and values.
    pub ink: &'static str,
    /// Labels.
    pub muted: &'static str,
    /// Grid.
    pub rule: &'static str,
    /// Recessions.
    pub shade: &'static str,
    /// Lines, in their order.
    pub lines: [&'static str; 2],
}

/// The same colours as the custom properties of `templates/tokens.css`; a test holds them together.
const LIGHT: Palette = Palette {
    paper: "#fcfcfa",
    ink: "#15181e",
    muted: "#586070",
    rule: "#dfe0db",
    shade: "#e7e7e0",
    lines: ["#1d4f80", "#a8481a"],
};

const DARK: Palette = Palette {
    paper: "#101318",
    ink: "#eceef2",
    muted: "#9ba4b3",
    rule: "#343b46",
    shade: "#2a303a",
    lines: ["#86b9ee", "#f0a572"],
};

const PAGE: Palette = Palette {
    paper: "var(--paper)",
    ink: "var(--ink)",
    muted: "var(--muted)",
    rule: "var(--rule)",
    shade: "var(--shade)",
    lines: ["var(--line)", "var(--line-2)"],
};

/// Style of a file that follows the reader's setting.
pub const STYLE: &str = include_str!("../../templates/tokens.css");

impl Theme {
    /// The theme's colours.
    pub fn palette(self) -> Palette {
        match self {
            Self::Light => LIGHT,
            Self::Dark => DARK,
            Self::Page | Self::Auto => PAGE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_and_pages_have_the_same_colours() {
        let (light, dark) = STYLE.split_once("@media").unwrap();
        for (palette, text) in [(LIGHT, light), (DARK, dark)] {
            let named = [
                ("--paper", palette.paper),
                ("--ink", palette.ink),
                ("--muted", palette.muted),
                ("--rule", palette.rule),
                ("--shade", palette.shade),
                ("--line", palette.lines[0]),
                ("--line-2", palette.lines[1]),
            ];
            for (name, colour) in named {
                assert!(
                    text.contains(&format!("{name}:{colour}")),
                    "{name} {colour}"
                );
            }
        }
    }
}
