//! The MCP edge: tools, resources, prompts, skills and subscriptions, over stdio and streamable HTTP, in
//! both lifecycles.
//!
//! The handler is a thin copy over shared, prepared state; every list is built once, in table order, so
//! that it is the same bytes each time.

mod apps;
mod completion;
mod framing;
mod handler;
pub(crate) mod jsonrpc;
mod message;
mod prompts;
mod protocol;
mod resources;
mod results;
pub(crate) mod router;
mod server;
mod skills;
mod subscriptions;
mod tools;
pub mod transport;

pub use message::{Message, Refused};
pub use server::{INSTRUCTIONS, Server};
