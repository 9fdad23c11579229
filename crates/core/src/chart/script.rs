//! The script of interactive charts in pages, widgets and MCP Apps: the uPlot library with its licence, and our code.

/// Script that defines `chart(place, lines, options)`. It makes no requests.
pub const SCRIPT: &str = concat!(
    "/*! uPlot 1.6.32. ",
    include_str!("../../templates/chart/LICENSE-uPlot"),
    " */\n",
    include_str!("../../templates/chart/uplot.js"),
    "\n",
    include_str!("../../templates/chart/chart.js"),
);

/// Style sheet of the script.
pub const SCRIPT_STYLE: &str = concat!(
    include_str!("../../templates/chart/uplot.css"),
    include_str!("../../templates/chart/chart.css")
);

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    #[test]
    fn library_matches_its_documented_checksum() {
        let noted = include_str!("../../templates/chart/README.md");
        for (name, text) in [
            ("uplot.js", include_str!("../../templates/chart/uplot.js")),
            ("uplot.css", include_str!("../../templates/chart/uplot.css")),
        ] {
            let sum = Sha256::digest(text.as_bytes());
            let sum: String = sum.iter().map(|b| format!("{b:02x}")).collect();
            assert!(noted.contains(&format!("{sum}  {name}")), "{name} {sum}");
        }
    }
}
