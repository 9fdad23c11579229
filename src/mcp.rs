//! The MCP edge: tools, resources, prompts, skills and subscriptions, over stdio and streamable HTTP, in
//! both lifecycles.
//!
//! The handler is a thin copy over shared, prepared state; every list is built once, in table order, so
//! that it is the same bytes each time.

mod apps;
mod completion;
#[cfg(feature = "conformance")]
mod fixtures;
mod handler;
mod lines;
pub(crate) mod mount;
mod prompts;
mod protocol;
mod resources;
mod results;
mod server;
mod shared;
mod skills;
mod subscriptions;
mod tools;
pub mod transport;

pub use server::{INSTRUCTIONS, Server};
