//! Flags of the sources of figures.

use clap::{Arg, Args};
use econoscope_core::recipe::Recipes;
use econoscope_data::ingest::{ApiKey, SourceSettings, Timeouts};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Whether questions fetch series outside the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum AnySeries {
    /// They do not.
    Off,
    /// They do.
    Open,
}

/// Flags of the sources.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Sources")]
pub(crate) struct Sources {
    /// FRED API key; without one the public CSV download is used
    #[arg(long, value_name = "KEY", hide_env_values = true)]
    pub(crate) fred_key: Option<ApiKey>,

    /// Folder of your own recipes (.toml); a source of the same name replaces the built-in one
    #[arg(long, value_name = "DIR")]
    pub(crate) sources: Option<PathBuf>,

    /// Your key for a source, as eia=KEY (repeat or separate by commas)
    #[arg(long, value_name = "NAME=KEY", value_delimiter = ',', hide_env_values = true, value_parser = parse_key)]
    pub(crate) source_key: Vec<(String, ApiKey)>,

    /// Address of a source instead of its own, as treasury=http://127.0.0.1:9000
    #[arg(long, value_name = "NAME=URL", value_delimiter = ',', value_parser = parse_url)]
    pub(crate) source_url: Vec<(String, Url)>,

    /// Ask FRED in every sync, also over stdio and while serving, for what no other source has: credit spreads, share indexes, house prices; its terms reserve it for your own use. Without this only `econoscope sync` asks it
    #[arg(long, conflicts_with = "no_fred")]
    pub(crate) fred: bool,

    /// Never ask FRED, not even in `econoscope sync`
    #[arg(long)]
    pub(crate) no_fred: bool,

    /// Fetch a series outside the catalogue when a question names it by an agency's identifier (LASST060000000000003, bea:A007RX.Q), and keep it for 90 days; with --fred also by FRED's, in memory alone: off, open [default: open over stdio and on loopback, off for strangers and with --no-sync]
    #[arg(long, value_name = "WHEN")]
    pub(crate) any_series: Option<AnySeries>,

    /// Mail address for the maintainers of the sources, in every request; BLS gives its lists of titles to those who name one
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) contact: Option<String>,

    /// Time limit for a response of a source with all retries, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 90, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) source_patience: u64,

    /// Address of FRED's CSV download [default: FRED's own]
    #[arg(long, value_name = "URL")]
    pub(crate) fred_csv_url: Option<Url>,

    /// Address of FRED's JSON API [default: FRED's own]
    #[arg(long, value_name = "URL")]
    pub(crate) fred_api_url: Option<Url>,
}

impl Sources {
    /// Builds the settings of a sync.
    ///
    /// # Errors
    /// [`econoscope_core::Error::BadFile`] when a recipe of the operator's folder is invalid.
    pub(crate) fn source_settings(&self) -> econoscope_core::Result<SourceSettings> {
        let csv = self.fred_csv_url.iter().map(|url| ("fred", url));
        let api = self.fred_api_url.iter().map(|url| ("fred api", url));
        let fred = csv
            .chain(api)
            .map(|(name, url)| (name.to_owned(), url.clone()));
        Ok(SourceSettings {
            addresses: fred.chain(self.source_url.iter().cloned()).collect(),
            key: self.fred_key.clone(),
            recipes: self.recipes()?,
            keys: self.source_key.iter().cloned().collect(),
            no_fred: self.no_fred,
            contact: self.contact.clone(),
            timeouts: Timeouts {
                all_tries: Duration::from_secs(self.source_patience),
                ..Timeouts::default()
            },
            ..SourceSettings::default()
        })
    }

    /// Returns the recipes: the embedded ones, and those of the operator's folder.
    ///
    /// # Errors
    /// [`econoscope_core::Error::BadFile`] when a recipe of the folder is invalid.
    pub(crate) fn recipes(&self) -> econoscope_core::Result<Arc<Recipes>> {
        let own = self.own_recipes()?;
        Ok(own.unwrap_or_else(|| Arc::clone(Recipes::embedded())))
    }

    /// Returns the recipes of the operator's folder with the embedded ones; `None` without a folder.
    ///
    /// # Errors
    /// As [`Self::recipes`].
    pub(crate) fn own_recipes(&self) -> econoscope_core::Result<Option<Arc<Recipes>>> {
        let folder = self.sources.as_deref();
        folder
            .map(econoscope_data::ingest::recipes_with_folder)
            .transpose()
    }
}

/// Parses the name of a source and its key. No error shows the key.
fn parse_key(text: &str) -> Result<(String, ApiKey), &'static str> {
    const HINT: &str = "write NAME=KEY, for example eia=KEY";
    let (name, key) = text.split_once('=').ok_or(HINT)?;
    Ok((name.trim().to_owned(), key.into()))
}

/// Parses the name of a source and its address.
fn parse_url(text: &str) -> Result<(String, Url), &'static str> {
    const HINT: &str = "write NAME=URL, for example treasury=http://127.0.0.1:9000";
    let (name, url) = text.split_once('=').ok_or(HINT)?;
    Ok((name.trim().to_owned(), Url::parse(url).map_err(|_| HINT)?))
}

/// Returns the flag of `doctor` that takes the value of the general flag `--sources DIR`.
pub(super) fn doctor_folder_flag() -> Arg {
    let folder = Arg::new("sources").long("sources-from").value_name("DIR");
    folder
        .value_parser(clap::value_parser!(PathBuf))
        .help("Folder of your own recipes (.toml), as --sources DIR before the command")
}
