//! A file that an operator imports.
#![no_main]
use econoscope_data::ingest::{Progress, import};
use econoscope_data::store::Sqlite;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

fuzz_target!(|text: &[u8]| {
    std::fs::write(FOLDER.path().join("DGS10.csv"), text).expect("a file");
    let _ = import(&Sqlite::in_memory().unwrap(), FOLDER.path(), &mut Progress::quiet());
});
