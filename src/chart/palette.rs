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
    pub lines: [&'static str; 8],
}

/// The same colours as the custom properties of `templates/tokens.css`; a test holds them together.
const LIGHT: Palette = Palette {
    paper: "#fcfcfa",
    ink: "#15181e",
    muted: "#586070",
    rule: "#dfe0db",
    shade: "#e7e7e0",
    lines: [
        "#1d4f80", "#a8481a", "#1a6642", "#7b3294", "#8a5a00", "#0b6e75", "#b0215a", "#4a4f59",
    ],
};

const DARK: Palette = Palette {
    paper: "#101318",
    ink: "#eceef2",
    muted: "#9ba4b3",
    rule: "#343b46",
    shade: "#2a303a",
    lines: [
        "#86b9ee", "#f0a572", "#74d3a0", "#cfa3e8", "#e6c15a", "#6fd0d6", "#f48fb1", "#c0c4cc",
    ],
};

const PAGE: Palette = Palette {
    paper: "var(--paper)",
    ink: "var(--ink)",
    muted: "var(--muted)",
    rule: "var(--rule)",
    shade: "var(--shade)",
    lines: [
        "var(--line)",
        "var(--line-2)",
        "var(--line-3)",
        "var(--line-4)",
        "var(--line-5)",
        "var(--line-6)",
        "var(--line-7)",
        "var(--line-8)",
    ],
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

    /// A drawing made of the custom properties of a page, as a file of its own: in the theme's colours, or with the
    /// style that chooses them.
    pub fn coloured(self, drawing: &str) -> String {
        let block = match self {
            Self::Page => return drawing.to_owned(),
            Self::Auto => return drawing.replacen('>', &format!("><style>{STYLE}</style>"), 1),
            Self::Light => ":root{",
            Self::Dark => "=dark]{",
        };
        let declared = STYLE.split(block).nth(1).and_then(|s| s.split('}').next());
        let declared = declared.unwrap_or_default().split(';');
        let each = declared.filter_map(|one| one.split_once(':'));
        each.fold(drawing.to_owned(), |out, (name, colour)| {
            out.replace(&format!("var({name})"), colour)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_of_a_page_gets_the_colours_of_the_theme() {
        let drawing = "<svg><path stroke=\"var(--line)\" fill=\"var(--line-2)\"/></svg>";
        for (theme, palette) in [(Theme::Light, LIGHT), (Theme::Dark, DARK)] {
            let [line, second, ..] = palette.lines;
            let wanted = format!("<svg><path stroke=\"{line}\" fill=\"{second}\"/></svg>");
            assert_eq!(theme.coloured(drawing), wanted);
        }
        assert_eq!(Theme::Page.coloured(drawing), drawing);
        assert!(
            Theme::Auto
                .coloured(drawing)
                .starts_with("<svg><style>:root{")
        );
    }

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
                ("--line-8", palette.lines[7]),
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
