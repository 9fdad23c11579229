//! Econoscope: US macroeconomic data for assistants.

pub mod error;
pub mod indicators;
pub mod model;
pub mod store;

pub use error::{Error, Result};
