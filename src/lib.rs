//! Econoscope answers questions about the US economy for assistants, programs and web pages.
//!
//! `docs/ARCHITECTURE.md` has the crates, the way of a request and of a figure, and where to add what.

pub mod admission;
mod alerts;
mod app;
pub mod cli;
mod config;
mod generate;
mod lock;
pub mod mcp;
pub mod rest;
pub mod server;
pub mod site;

pub use econoscope_core::{Error, Result};
