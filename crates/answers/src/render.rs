//! The forms of an answer: text, JSON, CSV, a tool's structure, and what every figure carries: unit, date, source, age.

pub(crate) mod aggregation_notes;
pub mod answer;
pub mod body;
pub mod error_bar;
pub(crate) mod measured;
pub mod provenance;
pub mod structure;
pub mod untrusted;
