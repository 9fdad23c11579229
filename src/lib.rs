//! Econoscope answers questions about the US economy for assistants, programs and web pages.
//!
//! # Floors
//! A module uses only what stands below it; `tests/floors.rs` reads the sources and fails on any other arrow.
//! ```text
//! 7  cli  app  config  live    wiring; `main` only hands over the command line
//! 6  mcp     http    generate  edges: siblings that share the endpoint table
//! 5  endpoints       ingest    what we answer        public sources into the store
//! 4  upstream        desk      forwarding client     local facts as of a day
//! 3  store                     observations, vintages, texts
//! 2  indicators                pure: transforms, composites, the regime, prose
//! 2  chart                     pure: series as SVG and PNG
//! 1  model       rpc           series, frequency, catalogue, names; messages as they come in
//! 0  error       cache         what can go wrong, as meanings; bounded memory
//! ```
//!
//! # The way of a request
//! An edge turns what it received into [`endpoints::Arguments`] and calls a [`endpoints::Route`]. The route
//! checks them against the endpoint's own schema and asks the [`endpoints::Backend`], which answers from the
//! [`desk`]. The answer is rendered to bytes once per state of the data and shared; the
//! edge puts its envelope around it. A plain `tools/call` takes a shorter way: the fast lane of [`mcp`] sends the
//! result as it was rendered for the last caller who asked the same.
//!
//! # To add an endpoint
//! Write `src/endpoints/<name>.rs` (arguments, answer, declaration, `local`, `text`, tests), add its row to
//! [`endpoints::ENDPOINTS`], run `cargo run -- generate`. Tool, REST route, OpenAPI, schema file, README row
//! and command-line call follow.

mod app;
mod cache;
pub mod chart;
pub mod cli;
mod config;
pub mod desk;
pub mod endpoints;
pub mod error;
pub mod generate;
pub mod http;
pub mod indicators;
pub mod ingest;
mod live;
pub mod mcp;
pub mod model;
pub mod rpc;
pub mod store;
pub mod upstream;

pub use error::{Error, Result};
