//! Settings, read from flags, the environment, the settings file and defaults, in this order.

mod check;
mod commands;
mod file;
pub(crate) mod reference;
mod settings;
mod sources;
mod store;
mod values;

pub(crate) use commands::{Call, Doctor, Export, Health, Import, Install, InstallTarget, Sync};
pub(crate) use file::{load, should_log_json};
pub(crate) use settings::{Command, Config, DEFAULT_LOG, Serve, command, render_help};
pub(crate) use sources::AnySeries;
pub(crate) use store::database;
pub(crate) use values::{local_address, suggest};
