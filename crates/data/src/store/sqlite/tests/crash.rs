//! Tests of a process that is killed while it writes.

use super::*;
use std::process::{Command, Stdio};
use std::time::Duration;

const STORE_VARIABLE: &str = "ECONOSCOPE_TEST_STORE_TO_CRASH";
const SERIES: i32 = 7;
const ROWS: i32 = 300;

/// The work of the killed process: each write replaces all values of one series.
fn write_until_killed(path: &Path) -> ! {
    let store = Sqlite::open(path).unwrap();
    let mut n = i32::try_from(store.version().unwrap()).unwrap();
    loop {
        let rows = days(0, ROWS, f64::from(n));
        put(
            &store,
            &format!("S{}", n % SERIES),
            &rows,
            day_from_number(20_000 + n),
        );
        n += 1;
    }
}

#[test]
fn killed_writer_leaves_only_whole_writes() {
    // The test starts itself as the process to kill.
    if let Some(path) = std::env::var_os(STORE_VARIABLE) {
        write_until_killed(Path::new(&path));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut last = 0;
    for round in 0..30u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "store::sqlite::tests::crash::killed_writer_leaves_only_whole_writes",
            ])
            .env(STORE_VARIABLE, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Long enough for writes in most rounds, and different each time.
        std::thread::sleep(Duration::from_millis(20 + round * 13 % 47));
        child.kill().unwrap();
        child.wait().unwrap();
        let store = Sqlite::open(&path).unwrap();
        assert_eq!(
            store.check_integrity().unwrap(),
            Vec::<String>::new(),
            "round {round}"
        );
        let version = store.version().unwrap();
        assert!(version >= last, "a write that was there is gone");
        last = version;
        let mut writes = 0;
        for status in store.status().unwrap() {
            let stored = rows(&store, status.id.as_str()).unwrap().unwrap();
            for whole in stored.chunks(stored.len() / usize::try_from(ROWS).unwrap()) {
                assert!(whole.iter().all(|r| r.date == whole[0].date));
            }
            let latest = store.read(&status.id).unwrap().unwrap().latest();
            assert!(
                latest.iter().all(|o| o.value == latest[0].value),
                "half a write"
            );
            assert_eq!(stored.len() % usize::try_from(ROWS).unwrap(), 0);
            writes += stored.len() as u64 / u64::try_from(ROWS).unwrap();
        }
        assert_eq!(writes, version, "the version counts the writes");
    }
    assert!(
        last > 30,
        "only {last} writes: the killed process hardly wrote"
    );
}
