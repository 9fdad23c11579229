//! The drawing of charts to touch, which runs in pages, widgets and MCP Apps: a library with its licence, and ours.

/// Script that defines `chart(place, lines, options)` and what belongs to it; it asks nobody for anything.
pub const SCRIPT: &str = concat!(
    "/*! uPlot 1.6.32. ",
    include_str!("../../templates/chart/LICENSE-uPlot"),
    " */\n",
    include_str!("../../templates/chart/uplot.js"),
    "\n",
    include_str!("../../templates/chart/chart.js"),
);

/// Style of what the script makes.
pub const SCRIPT_STYLE: &str = concat!(
    include_str!("../../templates/chart/uplot.css"),
    include_str!("../../templates/chart/chart.css")
);

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    #[test]
    fn the_library_is_the_one_that_is_noted() {
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
