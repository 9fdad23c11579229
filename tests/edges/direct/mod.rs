//! Tests that plain calls get the response that the SDK gives: every message is sent both ways and the responses are compared.

pub(crate) mod corpus;
mod figures;
pub(crate) mod http;
