//! Every series known before any figure is read, and what series are called.

pub mod names;
mod series;

pub use series::Catalogue;
