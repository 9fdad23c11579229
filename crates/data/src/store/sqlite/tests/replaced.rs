//! Tests of a file that is deleted, replaced or repaired while it is open.

use super::*;
use std::fs;

fn value(store: &Sqlite) -> econoscope_core::Result<Option<f64>> {
    Ok(rows(store, "GDP")?.and_then(|rows| rows.first().and_then(|r| r.value)))
}

/// Checks that the open store neither reads nor writes.
fn assert_refused(store: &Sqlite) {
    let write = store.set_note("key", "value").unwrap_err();
    for error in [write, value(store).unwrap_err(), store.count().unwrap_err()] {
        let text = error.operator_message();
        assert!(text.contains("restart econoscope"), "{text}");
    }
}

#[test]
fn deleted_store_is_an_error_until_it_is_back() {
    let (folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 9, 1.0), None);
    let away = folder.path().join("away.db");
    fs::rename(&path, &away).unwrap();
    assert_refused(&store);
    assert!(!path.exists(), "nothing is made in its place");
    fs::rename(&away, &path).unwrap();
    put(&store, "CPI", &days(0, 3, 2.0), None);
    assert_eq!(value(&store).unwrap(), Some(1.0));
    assert_eq!(store.check_integrity().unwrap(), vec![]);
}

#[test]
fn replaced_store_is_an_error_until_it_is_opened_again() {
    let (folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 9, 1.0), None);
    let backup = folder.path().join("backup.db");
    store.backup(&backup).unwrap();
    put(&store, "GDP", &days(0, 9, 2.0), None);
    let away = folder.path().join("away.db");
    fs::rename(&path, &away).unwrap();
    fs::rename(&backup, &path).unwrap();
    assert_refused(&store);
    drop(store);
    for (path, count) in [(path, 9), (away, 18)] {
        let store = Sqlite::open_existing(&path).unwrap();
        assert_eq!(rows(&store, "GDP").unwrap().unwrap().len(), count);
        assert_eq!(store.check_integrity().unwrap(), vec![]);
    }
}

#[test]
fn log_of_a_deleted_store_does_not_enter_a_new_one() {
    let (_folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 500, 1.0), None);
    let wal = crate::sqlite::with_suffix(&path, "-wal");
    let log = fs::read(&wal).unwrap();
    assert!(!log.is_empty());
    drop(store);
    fs::remove_file(&path).unwrap();
    fs::write(&wal, log).unwrap();
    let store = Sqlite::open(&path).unwrap();
    assert_eq!(store.count().unwrap(), 0);
    assert_eq!(store.check_integrity().unwrap(), vec![]);
}

#[test]
fn repaired_damage_is_forgotten() {
    let (_folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 400, 1.5), None);
    drop(store);
    let whole = fs::read(&path).unwrap();
    let store = Sqlite::open(&path).unwrap();
    let mut torn = whole.clone();
    for byte in torn.iter_mut().skip(4096) {
        *byte ^= 0x55;
    }
    let overwrite = |bytes: &[u8]| {
        use std::io::Write;
        let mut file = fs::File::options().write(true).open(&path).unwrap();
        file.write_all(bytes).unwrap();
    };
    overwrite(&torn);
    assert!(value(&store).is_err());
    assert!(store.count().is_err());
    overwrite(&whole);
    assert_eq!(value(&store).unwrap(), Some(1.5));
    assert_eq!(store.count().unwrap(), 1);
    put(&store, "GDP", &days(400, 1, 1.5), None);
    assert_eq!(store.check_integrity().unwrap(), vec![]);
}

#[test]
fn special_files_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for (path, word) in [
        (socket.as_path(), "a socket"),
        (Path::new("/dev/null"), "a device"),
    ] {
        let text = refusal(path);
        assert!(
            text.contains(word) && text.contains("choose another path"),
            "{text}"
        );
    }
}
