//! The endpoints of Econoscope: arguments, schemas, answers, and the documents printed from them.
//!
//! This crate knows nothing of HTTP or MCP.

pub mod endpoints;
