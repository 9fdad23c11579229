//! Econoscope answers questions about the US economy for assistants, programs and web pages.
//!
//! # Floors
//! A module uses only what stands below it; `tests/floors.rs` reads the sources and fails on any other arrow.
//! ```text
//! 10 cli  app  config  live    wiring; `main` only hands over the command line
//! 9  server                    connections, observation, health, metrics
//! 8  mcp     site              edges: tools and resources; pages, widgets, pictures
//! 7  admission                 edges: hosts and origins, limits, permits
//! 6  rest    generate          edges: the endpoint table over HTTP, and as documents
//! 5  endpoints       ingest    what we answer        public sources into the store
//! 4  upstream        desk      forwarding client     local facts as of a day
//! 3  store     catalogue       observations, vintages, texts; every series there is, ours too, and its names
//! 2  indicators                pure: transforms, composites, the regime, prose
//! 2  chart                     pure: series as SVG and PNG
//! 2  recipe                    sources of figures as data: pure readers of their answers
//! 2  sqlite  postgres          SQLite files: whose they are, opened, set aside; a database of others: addresses, transactions
//! 1  model  pool  disk         series, frequency, calendar, units; computed work in turn; files
//! 1  net                       what both clients of the network share
//! 0  error  cache  clock       what can go wrong, as meanings; bounded memory; time that does not jump
//! ```
//!
//! # The way of a request
//! An edge turns what it received into [`endpoints::Arguments`] and calls a [`endpoints::Route`]. The route
//! checks them against the endpoint's own schema and asks the [`endpoints::Backend`], which answers from the
//! [`desk`]. The answer is rendered to bytes once per state of the data and shared; the
//! edge puts its envelope around it. A plain `tools/call` over HTTP takes a shorter way: the lane before the
//! protocol library (`mcp_lane`, a crate of its own) sends the result as it was rendered for the last caller who asked the same.
//!
//! # To add an endpoint
//! Write `src/endpoints/<name>.rs` (arguments, answer, declaration, `local`, `text`, tests), add its row to
//! [`endpoints::ENDPOINTS`], run `cargo run -- generate`. Tool, REST route, OpenAPI, schema file, README row
//! and command-line call follow.

pub mod admission;
mod app;
mod cache;
pub mod catalogue;
pub mod chart;
pub mod cli;
pub mod clock;
mod config;
pub mod desk;
mod disk;
pub mod endpoints;
pub mod error;
pub mod generate;
pub mod indicators;
pub mod ingest;
pub mod mcp;
pub mod model;
mod net;
pub mod pool;
mod postgres;
pub mod recipe;
pub mod rest;
pub mod server;
pub mod site;
mod sqlite;
pub mod store;
pub mod upstream;

pub use error::{Error, Result};
