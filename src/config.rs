//! Settings: one structure, read from flags, then environment, then defaults that work.

mod call;
mod check;
mod file;
mod install;
pub(crate) mod reference;
mod settings;
mod shared;
mod sources;
mod store;
mod values;

pub(crate) use call::Call;
pub(crate) use file::{load, wants_json};
pub(crate) use install::{Install, Place};
pub(crate) use settings::{Command, Config, Doctor, Health, Import, Serve, Sync, command, help_of};
pub(crate) use store::database;
pub(crate) use values::reachable;
