//! The program through its public doors: MCP, HTTP, the fast lane beside the library, and an upstream before it.
//!
//! One program, and not one for each door: every program of tests links all of the library.

mod http;
mod lane;
mod mcp;
mod parity;
mod upstream;
