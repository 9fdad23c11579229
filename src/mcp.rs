//! The MCP server: tools, resources, prompts, skills and subscriptions, over stdio and streamable HTTP, in both lifecycles
//! of the protocol.
//!
//! The handler shares prepared state with its clones. Every list is built once, in table order, so its bytes never change.

mod apps;
mod completion;
mod framing;
mod handler;
pub(crate) mod jsonrpc;
mod message;
mod params;
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

pub use message::{InvalidMessage, Message};
pub use server::{INSTRUCTIONS, Server};
