//! The catalogue of series and their names.

pub mod names;
mod series;

pub use series::Catalogue;
