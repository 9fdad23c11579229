//! The fast lane gives what the protocol library gives: the same messages sent both ways, answers compared.

mod corpus;
mod http;
mod lines;
