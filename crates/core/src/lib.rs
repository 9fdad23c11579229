//! The economics of Econoscope: series, the catalogue, indicators, formats of sources, charts and errors.
//!
//! This crate uses no network, no disk and no async runtime.

pub mod cache;
pub mod catalogue;
pub mod chart;
pub mod clock;
pub mod error;
pub mod format;
pub mod indicators;
pub mod model;
pub mod recipe;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use error::{Error, Result};
