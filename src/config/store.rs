//! Where the store is: a file, or a database that many servers share and a file for this one's copy.

use super::settings::Config;
use econoscope_data::postgres::Address;
use std::path::{Path, PathBuf};

fn in_data_folder(name: &str) -> PathBuf {
    let home = std::env::home_dir();
    home.map(|home| home.join(".local/share/econoscope").join(name))
        .unwrap_or_else(|| PathBuf::from(name))
}

/// The database that a `--store` names, where it is no file.
///
/// # Errors
/// [`econoscope_core::Error::InvalidParam`] when the address cannot be read.
pub(crate) fn database(store: &Path) -> econoscope_core::Result<Option<Address>> {
    named("store", store)
}

/// The database that a flag names, where it is no file.
fn named(flag: &str, given: &Path) -> econoscope_core::Result<Option<Address>> {
    let text = given.to_str().filter(|text| Address::is_meant(text));
    let address = text.map(|text| Address::parse(flag, text)).transpose()?;
    let password = || std::env::var_os("PGPASSWORD")?.into_string().ok();
    Ok(address.map(|address| address.or_password(password())))
}

impl Config {
    /// The database that many servers share, where that is the store.
    ///
    /// # Errors
    /// As [`database`].
    pub(crate) fn database(&self) -> econoscope_core::Result<Option<Address>> {
        self.store.as_deref().map_or(Ok(None), database)
    }

    /// The file that is answered from: the store, or the copy of a shared one.
    pub(crate) fn local_file(&self) -> PathBuf {
        match (self.database(), &self.store) {
            (Ok(None), Some(store)) => store.clone(),
            (Ok(None), None) => in_data_folder("econoscope.db"),
            _ => match &self.shared.replica {
                Some(replica) => replica.clone(),
                None => in_data_folder("replica.db"),
            },
        }
    }

    /// Where the calls of an upstream and what it answered are kept: a file, by default beside the store, and the
    /// database that counts them for many servers, where one is the store or is named for it.
    ///
    /// # Errors
    /// As [`database`].
    pub(crate) fn upstream_state(
        &self,
    ) -> econoscope_core::Result<(Option<PathBuf>, Option<Address>)> {
        let given = self.forwarding.upstream_state.as_deref();
        let database = match given {
            Some(given) => named("upstream-state", given)?,
            None => self.database()?,
        };
        let file = given.filter(|_| database.is_none()).map(Path::to_owned);
        let file = file.unwrap_or_else(|| self.local_file().with_file_name("upstream.db"));
        Ok((Some(file), database))
    }
}
