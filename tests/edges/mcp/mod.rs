//! The MCP edge through its public door: a client that speaks lines of JSON over a pipe, as a host would.

mod budgets;
mod choice;
mod client;
mod outputs;
mod pictures;
mod protocol;
mod reading;
mod subscriptions;
mod typos;

use crate::home::bundled;
use econoscope::mcp::Server;

/// A server over the bundled history.
fn server() -> Server {
    Server::new(bundled())
}
