//! Plain calls are answered as the protocol library answers them: the same messages sent both ways, answers compared.

pub(crate) mod corpus;
mod figures;
pub(crate) mod http;
