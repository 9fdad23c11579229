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
mod script;
mod spec;
mod unit;

pub use fluid::{fluid, spark};
pub use frame::{FONTS, panels, svg};
pub use palette::{STYLE, Theme};
pub use png::{DENSITY, png};
pub use script::{SCRIPT, SCRIPT_STYLE};
pub use spec::{ChartSpec, GHOST, Line, RIGHT, Span};
pub use unit::escaped;

#[cfg(test)]
mod tests;
