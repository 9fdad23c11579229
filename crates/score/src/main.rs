//! Computes the record of the indicators and writes or checks the embedded files.

use anyhow::{Context as _, Result, bail};
use econoscope_data::store::Sqlite;
use econoscope_desk::scores::Scores;
use econoscope_desk::{Desk, Settings};
use std::path::Path;
use std::sync::Arc;

/// Paths relative to this crate: the tables, and the sentences with their figures.
const TABLES: &str = "../desk/data/scores.json";
const SENTENCES: &str = "../core/data/record.csv";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_check = match &arguments[..] {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!(
            "usage: econoscope-score [--check]; without --check it writes the embedded record"
        ),
    };
    let store = Arc::new(Sqlite::bundled()?);
    let desk = Desk::open(store, Settings::default(), Desk::system_clock());
    let scores = econoscope_score::score(&desk)?;
    let sentences = econoscope_score::sentences(&scores)?;
    let file = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let embedded = std::fs::read_to_string(file(SENTENCES)).unwrap_or_default();
    if is_check && (scores != *Scores::embedded() || sentences != embedded) {
        eprintln!("{}", scores.render_markdown());
        bail!("the embedded record is out of date; run `cargo run -p econoscope-score`");
    }
    if !is_check {
        let tables = serde_json::to_string_pretty(&scores)? + "\n";
        for (name, text) in [(TABLES, tables), (SENTENCES, sentences)] {
            let path = file(name);
            std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    eprintln!("{} tables", scores.tables.len());
    Ok(())
}
