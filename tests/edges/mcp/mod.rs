//! Tests of the MCP server through a client that sends lines of JSON over a pipe.

mod apps;
mod budgets;
mod client;
mod habits;
mod hosts;
mod lines;
mod outputs;
mod pictures;
mod portable;
mod protocol;
mod reading;
mod subscriptions;
mod token_cost;
mod tool_choice;
mod typos;
mod unreadable;
mod untrusted_text;

use crate::home::bundled;
use econoscope::mcp::Server;

/// Creates a server over the bundled history.
fn server() -> Server {
    Server::new(bundled())
}
