//! Tests of the program through its public entry points: MCP, HTTP, direct calls next to the SDK, and an upstream.
//!
//! One test program in place of many, since each links the whole library.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says so; a long one is a table of cases"
)]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "counts of words are small, and a random number is cut to an index"
)]

mod direct;
#[path = "../figures/expanded.rs"]
mod expanded;
mod home;
mod http;
mod mcp;
mod parity;
mod upstream;
