//! Documents generated from the endpoint table: OpenAPI, llms.txt, the server card and files for crawlers.
//!
//! Each is a pure function of the service's base address, so that a file in the repository, an answer over HTTP and a
//! test have the same text.

pub mod card;
pub mod crawlers;
pub mod llms;
pub mod openapi;

/// Base address in files of the repository, which know no operator's.
pub const EXAMPLE_BASE: &str = "http://127.0.0.1:8080";
