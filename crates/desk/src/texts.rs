//! What people have written: articles, the glossary, scenarios, remarks on series, and citations of sources.

pub mod articles;
pub mod citations;
pub mod doubts;
mod folder;
pub mod glossary;
pub mod remarks;
pub mod scenarios;
