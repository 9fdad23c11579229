//! Files that are not ours, not yet there, or out of reach; copies and files set aside.

use super::*;
use std::fs;

#[test]
fn a_foreign_file_is_refused_and_not_touched() {
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
fn a_store_of_a_newer_version_is_refused_and_not_touched() {
    let (_folder, path, store) = new_store();
    store
        .with_transaction(|db| {
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
fn an_empty_file_and_a_missing_folder_become_a_store() {
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
fn only_its_owner_may_read_a_new_store_and_what_lies_beside_it() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 3, 1.0), None);
    for file in [path.clone(), crate::sqlite::with_suffix(&path, "-wal")] {
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    // What an operator has opened to others stays so.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    drop(store);
    put(&Sqlite::open(&path).unwrap(), "GDP", &days(3, 1, 1.0), None);
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

#[test]
fn a_store_that_must_exist_is_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.db");
    let error = Sqlite::open_existing(&path).unwrap_err().for_operator();
    assert!(error.contains("no store at"), "{error}");
    assert!(!path.exists());
}

#[test]
fn a_place_that_cannot_be_written_is_named_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    // A folder that cannot be made, whoever runs the test.
    let error = Sqlite::open(&file.join("sub/store.db")).unwrap_err();
    let text = error.for_operator();
    assert!(
        text.contains("file/sub") && text.contains("choose another path"),
        "{text}"
    );
    // A folder in the file's place.
    let text = refusal(folder.path());
    assert!(text.contains("choose another path"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_named_with_a_way_out() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mut closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(closed.join("probe"), "x").is_ok() {
        // Who may write everywhere still makes no file among the kernel's, or the system's.
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
fn a_backup_is_a_store_of_its_own_and_replaces_nothing() {
    let (folder, _, store) = new_store();
    put(&store, "GDP", &days(0, 500, 1.5), None);
    let copy = folder.path().join("backups/monday.db");
    let error = store.backup(&copy).unwrap_err().for_operator();
    assert!(error.contains("no file can be made there"), "{error}");
    fs::create_dir(copy.parent().unwrap()).unwrap();
    store.backup(&copy).unwrap();
    put(&store, "GDP", &days(500, 1, 1.5), None);
    let error = store.backup(&copy).unwrap_err().for_operator();
    assert!(error.contains("there is a file already"), "{error}");
    let files = fs::read_dir(copy.parent().unwrap()).unwrap().count();
    assert_eq!(files, 1, "nothing is left beside the copy");
    let copy = Sqlite::open_existing(&copy).unwrap();
    assert_eq!(copy.integrity().unwrap(), vec![]);
    assert_eq!(rows(&copy, "GDP").unwrap().unwrap().len(), 500);
}

#[test]
fn a_store_set_aside_keeps_its_bytes_and_makes_room() {
    let (_folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 5, 1.0), None);
    drop(store);
    let before = fs::read(&path).unwrap();
    let first = Sqlite::quarantine(&path).unwrap();
    assert_eq!(fs::read(&first).unwrap(), before);
    let name = first.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("store.db.corrupt-2"), "{name}");
    drop(Sqlite::open(&path).unwrap());
    // Twice within a second still gives two names.
    let second = Sqlite::quarantine(&path).unwrap();
    assert_ne!(first, second);
    assert!(Sqlite::quarantine(&path).is_err());
}

#[test]
fn opening_does_not_depend_on_how_much_is_held() {
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
