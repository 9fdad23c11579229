//! Flags of `econoscope call`.

use clap::Args;

/// Settings of `call`.
#[derive(Debug, Clone, Args)]
#[command(after_help = FORMS)]
pub(crate) struct Call {
    /// Tool: get_macro_summary, get_metric …; without one they are listed
    pub(crate) tool: Option<String>,

    /// Arguments as name=value; a list is separated by commas or given again
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) arguments: Vec<String>,

    /// Print the prose a model reads
    #[arg(long, group = "form")]
    pub(crate) text: bool,

    /// Print the JSON a program reads
    #[arg(long, group = "form")]
    pub(crate) json: bool,

    /// Print the rows of the answer as CSV
    #[arg(long, group = "form")]
    pub(crate) csv: bool,

    /// Print the rows of the answer as a table that fits the terminal
    #[arg(long, group = "form")]
    pub(crate) table: bool,

    /// Print help; behind the name of a tool, that of the tool: its arguments with examples
    #[arg(long, short)]
    pub(crate) help: bool,
}

const FORMS: &str = "\
On a terminal an answer is shown as a table where it has rows, else as prose. In a pipe or a file it is JSON.

Examples:
  econoscope call get_time_series --help
  econoscope call search_series query=rent
  econoscope call get_time_series seriesId=UNRATE start=5y --csv > unrate.csv
  econoscope call get_metric ticker=10y | jq .value";
