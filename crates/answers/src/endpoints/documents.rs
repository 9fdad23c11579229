//! Documents printed from the table: OpenAPI, llms.txt, the server card.
//!
//! Each is a pure function of the service's base address, so that a file in the repository, an answer over
//! HTTP and a test all see the same text.

pub mod card;
pub mod crawlers;
pub mod llms;
pub mod openapi;

/// Base address in files of the repository, where no operator's address is known.
pub const EXAMPLE_BASE: &str = "http://127.0.0.1:8080";
