//! The location of the store: a file, or a database that many servers share with a local replica.

use super::settings::{Command, Config};
use econoscope_data::ingest::{DailyRequests, SourceSettings};
use econoscope_data::postgres::Address;
use std::path::{Path, PathBuf};

/// Returns the path of a file in the user's data folder, or in the working directory where there is no home.
fn data_path(name: &str) -> PathBuf {
    let home = std::env::home_dir();
    home.map_or_else(PathBuf::new, |home| home.join(".local/share/econoscope"))
        .join(name)
}

/// Returns the database at a value of `--store`; `None` for a file.
///
/// # Errors
/// [`econoscope_core::Error::InvalidParam`] when the address is invalid.
pub(crate) fn database(store: &Path) -> econoscope_core::Result<Option<Address>> {
    database_of("store", store)
}

/// Returns the database at the value of a flag; `None` for a file.
fn database_of(flag: &str, value: &Path) -> econoscope_core::Result<Option<Address>> {
    let text = value.to_str().filter(|text| Address::has_scheme(text));
    let address = text.map(|text| Address::parse(flag, text)).transpose()?;
    let password = || std::env::var_os("PGPASSWORD")?.into_string().ok();
    Ok(address.map(|address| address.with_default_password(password())))
}

impl Config {
    /// Whether the operator has a licence to serve restricted series to anyone.
    pub(crate) fn is_licensed(&self) -> bool {
        matches!(&self.command, Some(Command::Serve(serve)) if serve.serve_restricted)
    }

    /// Returns the database of the store; `None` for a file.
    ///
    /// # Errors
    /// As [`database`].
    pub(crate) fn database(&self) -> econoscope_core::Result<Option<Address>> {
        self.store.as_deref().map_or(Ok(None), database)
    }

    /// Returns the file that answers are read from: the store, or the replica of a shared one.
    pub(crate) fn local_file(&self) -> PathBuf {
        match (self.database(), &self.store) {
            (Ok(None), Some(store)) => store.clone(),
            (Ok(None), None) => data_path("econoscope.db"),
            _ => {
                let replica = self.replica.clone();
                replica.unwrap_or_else(|| data_path("replica.db"))
            }
        }
    }

    /// Builds the settings of a sync, whose requests to sources that limit them are recorded beside the store.
    ///
    /// # Errors
    /// [`econoscope_core::Error::BadFile`] when a recipe of the operator's folder is invalid.
    pub(crate) fn source_settings(&self) -> econoscope_core::Result<SourceSettings> {
        let file = self.local_file().with_file_name("requests.db");
        Ok(SourceSettings {
            daily: DailyRequests::in_file(file),
            ..self.sources.source_settings()?
        })
    }

    /// Returns where the calls and answers of an upstream are stored: a file, by default beside the store, and for many
    /// servers the database that counts their calls.
    ///
    /// # Errors
    /// As [`database`].
    pub(crate) fn upstream_state(
        &self,
    ) -> econoscope_core::Result<(Option<PathBuf>, Option<Address>)> {
        let state = self.forwarding.upstream_state.as_deref();
        let database = match state {
            Some(state) => database_of("upstream-state", state)?,
            None => self.database()?,
        };
        let file = match state {
            Some(file) if database.is_none() => file.to_owned(),
            _ => self.local_file().with_file_name("upstream.db"),
        };
        Ok((Some(file), database))
    }
}
