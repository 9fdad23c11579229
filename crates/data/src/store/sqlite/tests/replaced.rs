//! Tests of a file that is deleted, replaced or repaired while it is open.

use super::*;
use std::fs;
use std::time::Duration;

/// Waits for longer than a version is cached.
fn expire_version() {
    std::thread::sleep(Duration::from_millis(10));
}

fn value(store: &Sqlite) -> econoscope_core::Result<Option<f64>> {
    Ok(rows(store, "GDP")?.and_then(|rows| rows.first().and_then(|r| r.value)))
}

/// Creates another store with as many rows and changes, but other values.
fn create_other(path: &Path, value: f64) {
    let store = Sqlite::open(path).unwrap();
    put(&store, "GDP", &days(0, 9, value), None);
}

#[test]
fn recreated_store_is_read_without_restart() {
    let (_folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 9, 1.0), None);
    let before = store.version().unwrap();
    fs::remove_file(&path).unwrap();
    expire_version();
    for error in [
        store.version().unwrap_err(),
        store.read(&id("GDP")).unwrap_err(),
        store.count().unwrap_err(),
    ] {
        assert!(
            error.operator_message().contains("no store at"),
            "{error:?}"
        );
    }
    assert!(!path.exists(), "a reader makes nothing");
    create_other(&path, 2.0);
    assert_eq!(value(&store).unwrap(), Some(2.0));
    assert!(store.version().unwrap() > before, "nothing backup is good");
    assert_eq!(store.incarnation(), 1);
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
    put(&store, "GDP", &days(9, 1, 3.0), None);
    assert_eq!(rows(&store, "GDP").unwrap().unwrap().len(), 10);
}

#[test]
fn replaced_store_is_not_mixed_with_the_old_one() {
    let (folder, path, store) = new_store();
    put(&store, "OLD", &days(0, 500, 1.0), None);
    put(&store, "GDP", &days(0, 9, 1.0), None);
    let stored = fs::read(crate::sqlite::with_suffix(&path, "-wal")).unwrap();
    assert!(!stored.is_empty(), "the log holds what would be mixed in");
    let other = folder.path().join("other.db");
    create_other(&other, 2.0);
    let before = store.version().unwrap();
    fs::rename(&other, &path).unwrap();
    expire_version();
    assert!(store.version().unwrap() > before);
    assert_eq!(value(&store).unwrap(), Some(2.0));
    assert_eq!(rows(&store, "OLD").unwrap(), None);
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
    drop(store);
    let again = Sqlite::open_existing(&path).unwrap();
    assert_eq!(value(&again).unwrap(), Some(2.0));
    assert_eq!(again.check_integrity().unwrap(), Vec::<String>::new());
}

#[test]
fn restoring_a_backup_serves_two_open_handles() {
    let (folder, path, one) = new_store();
    let two = Sqlite::open_existing(&path).unwrap();
    put(&one, "GDP", &days(0, 9, 1.0), None);
    let backup = folder.path().join("backup.db");
    one.backup(&backup).unwrap();
    for n in 1..50 {
        put(&two, "GDP", &days(0, 9, f64::from(n)), day_from_number(n));
    }
    assert_eq!(value(&one).unwrap(), Some(1.0));
    fs::rename(&backup, &path).unwrap();
    expire_version();
    for store in [&one, &two] {
        assert_eq!(rows(store, "GDP").unwrap().unwrap().len(), 9);
        assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
    }
    put(&two, "GDP", &days(9, 1, 1.0), None);
    assert_eq!(rows(&one, "GDP").unwrap().unwrap().len(), 10);
}

#[test]
fn moved_store_keeps_its_log() {
    let (folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 9, 1.0), None);
    let away = folder.path().join("away.db");
    fs::rename(&path, &away).unwrap();
    put(&store, "CPI", &days(0, 3, 2.0), None);
    assert_eq!(value(&store).unwrap(), None, "a writer began a new one");
    assert_eq!(rows(&store, "CPI").unwrap().unwrap().len(), 3);
    let away = Sqlite::open_existing(&away).unwrap();
    assert_eq!(value(&away).unwrap(), Some(1.0));
    assert_eq!(away.check_integrity().unwrap(), Vec::<String>::new());
}

#[test]
fn foreign_replacement_is_refused_until_the_store_returns() {
    let (folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 9, 1.0), None);
    let backup = folder.path().join("backup.db");
    store.backup(&backup).unwrap();
    let text = folder.path().join("text");
    fs::write(&text, "not a database at all").unwrap();
    fs::rename(&text, &path).unwrap();
    expire_version();
    let error = store.version().unwrap_err().operator_message();
    assert!(error.contains("not an econoscope store"), "{error}");
    assert!(value(&store).is_err());
    fs::rename(&backup, &path).unwrap();
    expire_version();
    store.version().unwrap();
    assert_eq!(value(&store).unwrap(), Some(1.0));
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
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
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
