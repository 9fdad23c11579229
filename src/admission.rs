//! Who is let in and how much each may ask for: hosts and origins, a number per day, bursts, streams that stay open.

mod address;
mod callers;
mod gate;
mod ledger;
mod names;
mod permits;
mod policy;
pub(crate) mod reply;
mod saved;
mod settings;
mod shared;
mod tally;
mod used;

pub use address::peer;
pub use callers::Callers;
pub(crate) use callers::{MCP, RESOURCE_POLICY, guard, is_mcp, is_public, rejected};
pub use gate::Admission;
pub(crate) use gate::charge;
pub(crate) use permits::{Full, MAX_LISTENERS_PER_ADDRESS, Permit, Permits};
pub use policy::{Policy, Refusal, Standing};
pub use settings::LimitSettings;
pub use shared::{RedisAddress, SharedState};
pub(crate) use tally::Tally;
