//! The fast lane gives what the protocol library gives: the same messages sent both ways, answers compared.

pub(crate) mod corpus;
mod floats;
pub(crate) mod http;
