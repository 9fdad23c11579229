//! Where figures come from and where they stand: public sources, the store, and an upstream API.
//!
//! This crate knows nothing of how answers are served.

pub mod disk;
pub mod ingest;
pub mod net;
pub mod pool;
pub mod postgres;
pub mod sqlite;
pub mod store;
pub mod tls;
pub mod upstream;
