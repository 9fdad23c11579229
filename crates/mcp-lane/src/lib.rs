//! A cache before an MCP server over HTTP, as nginx is one before a web server.
//!
//! An MCP library builds a tree of every message and of every answer, and runs several tasks for one request. For a
//! small answer that is most of the work; for thousands of rows it is many times the work. A [`Lane`] is a
//! [`tower::Service`] that answers `tools/call` by itself where it understands a request completely: a result is
//! rendered once for a state of the data, kept, and sent with the caller's id before it. Whatever it does not
//! understand goes to the service behind it as it came, so that a rule which is missing here costs time and nothing
//! else.
//!
//! A [`Message`] is the body of a request that was read already. Limits before the lane, the lane itself and the
//! service behind it share that one reading. [`error`](mod@error) writes what JSON-RPC has for failures.

mod body;
mod call;
pub mod error;
mod lane;
mod message;
mod meta;
mod results;

pub use body::{Body, Rendered};
pub use lane::{Answer, Lane, LaneLayer};
pub use message::{Message, Refused};
pub use meta::Lifecycle;
pub use results::{Origin, Outcome};
