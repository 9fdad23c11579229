//! The MCP edge through its public door: a client that speaks lines of JSON over a pipe, as a host would.

mod apps;
mod budgets;
mod choice;
mod client;
mod foreign;
mod hosts;
mod lines;
mod outputs;
mod pictures;
mod portable;
mod price;
mod protocol;
mod reading;
mod subscriptions;
mod typos;
mod unreadable;

use crate::home::bundled;
use econoscope::mcp::Server;

/// A server over the bundled history.
fn server() -> Server {
    Server::new(bundled())
}
