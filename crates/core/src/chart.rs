//! Renders charts of series, as SVG for pages and as PNG for hosts without HTML.
//!
//! All places use the same drawing, so that a widget, a page, an app and a picture look alike. The caller passes the shaded
//! spans (recessions). A month that was never published is a gap in the line.

mod axis;
mod fluid;
mod frame;
mod outline;
mod palette;
mod plot;
mod png;
mod spec;
mod unit;
mod waterfall;

pub use fluid::{render_fluid, render_sparkline};
pub use frame::{FONTS, render_panels, render_svg};
pub use palette::{STYLE, Theme};
pub use png::{DENSITY, render_png};
pub use spec::{ChartSpec, GHOST_COLOR, Line, RIGHT_UNIT_SEPARATOR};
pub use unit::escaped;
pub use waterfall::Bar;

/// Script that defines `chart(place, lines, options)`. It makes no requests.
pub const SCRIPT: &str = concat!(
    "/*! uPlot 1.6.32. ",
    include_str!("../templates/chart/LICENSE-uPlot"),
    " */\n",
    include_str!("../templates/chart/uplot.js"),
    "\n",
    include_str!("../templates/chart/chart.js"),
);

/// Style sheet of the script.
pub const SCRIPT_STYLE: &str = concat!(
    include_str!("../templates/chart/uplot.css"),
    include_str!("../templates/chart/chart.css")
);

#[cfg(test)]
mod tests;
