//! Who may call the server and how much each caller may request: hosts and origins, daily allowances, bursts, open streams.

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

pub use address::peer;
pub use callers::AccessRules;
pub(crate) use callers::{
    MCP_PATH, RESOURCE_POLICY, guard, is_mcp, is_public_url, jsonrpc_rejection,
};
pub(crate) use counters::NamedCounters;
pub use limits::Admission;
pub(crate) use limits::charge;
pub(crate) use permits::{MAX_LISTENERS_PER_ADDRESS, NoPermit, Permit, Permits};
pub(crate) use policy::Price;
pub use policy::{LimitExceeded, Policy, Quota};
pub use redis::{RedisAddress, SharedCountersStatus};
pub use settings::LimitSettings;
