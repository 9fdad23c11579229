//! Computes the record of the indicators and writes or checks the file that the program carries.

use anyhow::{Context as _, Result, bail};
use econoscope_data::desk::scores::Scores;
use econoscope_data::desk::{Desk, Settings};
use econoscope_data::store::Sqlite;
use std::path::Path;
use std::sync::Arc;

/// The files, from this crate's folder: the tables, and the sentences printed from them.
const TABLES: &str = "../data/data/scores.json";
const SENTENCES: &str = "../core/data/record.csv";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_check = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--check"] => true,
        _ => bail!(
            "usage: econoscope-score [--check]; without --check it writes the record that the program carries"
        ),
    };
    let store = Arc::new(Sqlite::bundled()?);
    let desk = Desk::open(store, Settings::default(), Desk::system_clock());
    let found = econoscope_score::score(&desk)?;
    let said = econoscope_score::sentences(&found)?;
    let file = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let written = std::fs::read_to_string(file(SENTENCES)).unwrap_or_default();
    if is_check && (found != *Scores::embedded() || said != written) {
        eprintln!("{}", found.in_markdown());
        bail!("the record in the program is another; run `cargo run -p econoscope-score`");
    }
    if !is_check {
        let tables = serde_json::to_string_pretty(&found)? + "\n";
        for (name, text) in [(TABLES, tables), (SENTENCES, said)] {
            let path = file(name);
            std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    eprintln!("{} tables", found.tables.len());
    Ok(())
}
