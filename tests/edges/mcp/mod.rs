//! Tests of the MCP server through a client that sends lines of JSON over a pipe.

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

/// Creates a server over the bundled history.
fn server() -> Server {
    Server::new(bundled())
}
