//! Econoscope: US macroeconomic data for assistants.

pub mod error;
pub mod ingest;
pub mod model;
pub mod store;

pub use error::{Error, Result};
