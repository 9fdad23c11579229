//! Charts: series in, one drawing out, as SVG for pages and as PNG for hosts without HTML.
//!
//! One drawing serves every place, so that a widget, a page, an app and a picture look alike. Pure: no
//! clock, no files. What is shaded (recessions) is handed in. A month that was never published is a gap
//! in the line, never a bridge over it.

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
