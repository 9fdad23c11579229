//! Who is let in and how much each may ask for: hosts and origins, a number per day, bursts, streams that stay open.

mod address;
mod callers;
mod counters;
mod limits;
mod names;
mod permits;
mod policy;
mod redis;
pub(crate) mod reply;
mod settings;
mod tally;

pub use address::peer;
pub use callers::Callers;
pub(crate) use callers::{MCP, RESOURCE_POLICY, guard, is_mcp, is_public, rejected};
pub use limits::Admission;
pub(crate) use limits::charge;
pub(crate) use permits::{Activity, Full, MAX_LISTENERS_PER_ADDRESS, Permit, Permits};
pub use policy::{Policy, Refusal, Standing};
pub use redis::{RedisAddress, SharedState};
pub use settings::LimitSettings;
pub(crate) use tally::NamedCounters;
