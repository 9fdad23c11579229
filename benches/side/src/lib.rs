//! What both floors share: the least that must be read of a message, and the answer around its id.

use serde_json::value::RawValue;

/// A message as far as it must be read.
#[derive(serde::Deserialize)]
pub struct Message<'a> {
    /// None for a notification.
    #[serde(borrow)]
    pub id: Option<&'a RawValue>,
    /// `tools/call` and so on.
    pub method: &'a str,
}

/// The bytes to answer with: the file given as the last argument holds them.
pub fn result() -> Vec<u8> {
    let file = std::env::args().next_back().expect("a file");
    std::fs::read(file).expect("the result's file")
}

/// The answer to an id.
pub fn answer(id: &str, result: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(result.len() + id.len() + 48);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b",\"result\":");
    out.extend_from_slice(result);
    out.push(b'}');
    out
}
