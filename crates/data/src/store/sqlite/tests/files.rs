//! Tests of foreign, missing and unreadable files, backups and quarantine.

use super::*;
use std::fs;

#[test]
fn foreign_files_are_refused_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "not a database at all").unwrap();
    let zeros = folder.path().join("zeros.db");
    fs::write(&zeros, vec![0; 8192]).unwrap();
    let other = folder.path().join("other.db");
    let db = rusqlite::Connection::open(&other).unwrap();
    db.execute_batch("CREATE TABLE mine (x); INSERT INTO mine VALUES (1);")
        .unwrap();
    db.close().unwrap();
    for path in [text, zeros, other] {
        let before = fs::read(&path).unwrap();
        let refused = refusal(&path);
        assert!(refused.contains("not an econoscope store"), "{refused}");
        assert!(refused.contains("Choose another path"), "{refused}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn newer_stores_are_refused_untouched() {
    let (_folder, path, store) = new_store();
    store
        .transact(|db| {
            db.pragma_update(None, "user_version", 99).unwrap();
            Ok(())
        })
        .unwrap();
    drop(store);
    let before = fs::read(&path).unwrap();
    let refused = refusal(&path);
    assert!(refused.contains("newer version"), "{refused}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn stores_with_views_or_triggers_are_refused() {
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
    for sql in [
        format!("DROP TABLE article; CREATE VIEW article AS {endless} SELECT x AS id FROM n"),
        format!("DROP TABLE series; CREATE VIEW series AS {endless} SELECT x AS id FROM n"),
        "CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM series; END".to_owned(),
    ] {
        let (_folder, path, store) = new_store();
        drop(store);
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch(&sql).unwrap();
        drop(db);
        let refused = refusal(&path);
        assert!(refused.contains("views or triggers"), "{refused}");
    }
}

#[test]
fn views_that_come_into_an_open_store_are_not_read() {
    let (_folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 3, 1.0), None);
    let db = rusqlite::Connection::open(&path).unwrap();
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
    db.execute_batch(&format!(
        "DROP TABLE series; CREATE VIEW series AS {endless} SELECT x AS id, 'GDP' AS name FROM n"
    ))
    .unwrap();
    let refused = store.probe().unwrap_err().operator_message();
    assert!(refused.contains("views or triggers"), "{refused}");
    let snapshot = store.snapshot().err().unwrap().operator_message();
    assert!(snapshot.contains("views or triggers"), "{snapshot}");
}

#[test]
fn empty_files_and_missing_folders_become_stores() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.db");
    fs::write(&empty, "").unwrap();
    let deep = folder.path().join("a/b/c.db");
    for path in [empty, deep] {
        put(&Sqlite::open(&path).unwrap(), "GDP", &days(0, 3, 1.0), None);
        let again = Sqlite::open_existing(&path).unwrap();
        assert_eq!(rows(&again, "GDP").unwrap().unwrap().len(), 3);
    }
}

#[cfg(unix)]
#[test]
fn new_store_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 3, 1.0), None);
    for file in [path.clone(), crate::sqlite::with_suffix(&path, "-wal")] {
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    // Rights that an operator has widened stay.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    drop(store);
    put(&Sqlite::open(&path).unwrap(), "GDP", &days(3, 1, 1.0), None);
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

#[test]
fn open_existing_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.db");
    let error = Sqlite::open_existing(&path).unwrap_err().operator_message();
    assert!(error.contains("no store at"), "{error}");
    assert!(!path.exists());
}

#[test]
fn unwritable_paths_are_reported_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    // No user can create this folder.
    let error = Sqlite::open(&file.join("sub/store.db")).unwrap_err();
    let text = error.operator_message();
    assert!(
        text.contains("file/sub") && text.contains("choose another path"),
        "{text}"
    );
    // A folder instead of a file.
    let text = refusal(folder.path());
    assert!(text.contains("choose another path"), "{text}");
}

#[cfg(unix)]
#[test]
fn read_only_folders_are_reported_with_advice() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mut closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(closed.join("probe"), "x").is_ok() {
        // Even root cannot create files here.
        let theirs = if cfg!(target_os = "linux") {
            "/sys"
        } else {
            "/System"
        };
        closed = PathBuf::from(theirs);
    }
    let text = refusal(&closed.join("store.db"));
    assert!(text.contains("must be writable"), "{text}");
}

#[test]
fn backup_is_independent_and_replaces_nothing() {
    let (folder, _, store) = new_store();
    put(&store, "GDP", &days(0, 500, 1.5), None);
    let copy = folder.path().join("backups/monday.db");
    let error = store.backup(&copy).unwrap_err().operator_message();
    assert!(error.contains("no file can be made there"), "{error}");
    fs::create_dir(copy.parent().unwrap()).unwrap();
    store.backup(&copy).unwrap();
    put(&store, "GDP", &days(500, 1, 1.5), None);
    let error = store.backup(&copy).unwrap_err().operator_message();
    assert!(error.contains("there is a file already"), "{error}");
    let files = fs::read_dir(copy.parent().unwrap()).unwrap().count();
    assert_eq!(files, 1, "nothing is left beside the copy");
    let copy = Sqlite::open_existing(&copy).unwrap();
    assert_eq!(copy.check_integrity().unwrap(), Vec::<String>::new());
    assert_eq!(rows(&copy, "GDP").unwrap().unwrap().len(), 500);
}

#[test]
fn quarantine_keeps_the_file_and_frees_its_path() {
    let (_folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 5, 1.0), None);
    drop(store);
    let before = fs::read(&path).unwrap();
    let first = Sqlite::quarantine(&path).unwrap();
    assert_eq!(fs::read(&first).unwrap(), before);
    let name = first.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("store.db.corrupt-2"), "{name}");
    drop(Sqlite::open(&path).unwrap());
    // Two calls within a second give two names.
    let second = Sqlite::quarantine(&path).unwrap();
    assert_ne!(first, second);
    assert!(Sqlite::quarantine(&path).is_err());
}

#[test]
fn opening_takes_the_same_time_for_large_stores() {
    let (_folder, path, store) = new_store();
    for n in 0..300 {
        put(&store, &format!("S{n}"), &days(0, 200, 0.1), None);
    }
    drop(store);
    let best = (0..20)
        .map(|_| {
            let start = std::time::Instant::now();
            drop(Sqlite::open(&path).unwrap());
            start.elapsed()
        })
        .min();
    assert!(best.unwrap().as_millis() < 20, "{best:?}");
}
