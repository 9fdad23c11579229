//! Files that are damaged, foreign, newer, or not there.

use super::*;

fn open(path: &Path) -> Result<StateFile> {
    StateFile::open(Some(path))
}

#[test]
fn invalid_file_is_renamed_and_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.db");
    std::fs::write(&path, vec![7; 9000]).unwrap();
    assert!(open(&path).unwrap().was_damaged);
    assert!(!open(&path).unwrap().was_damaged);
    let names = std::fs::read_dir(dir.path()).unwrap();
    let aside = names
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains(".db.corrupt-"));
    assert_eq!(std::fs::read(aside.unwrap()).unwrap(), vec![7; 9000]);
}

#[test]
fn flipped_bytes_never_panic_or_block_opening() {
    let first = tempfile::tempdir().unwrap();
    let path = first.path().join("state.db");
    drop(open(&path).unwrap());
    let whole = std::fs::read(&path).unwrap();
    let mut opened = 0;
    let mut refused = 0;
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.db");
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        std::fs::write(&path, bytes).unwrap();
        match open(&path) {
            Ok(_) => opened += 1,
            Err(error) => {
                assert_eq!(error.code(), "store", "byte {at}");
                refused += 1;
            }
        }
    }
    println!("{opened} opened, {refused} refused");
    assert!(opened > 30, "{refused} refused");
}

#[test]
fn database_of_another_program_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("theirs.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE t (x)")
        .unwrap();
    let before = std::fs::read(&path).unwrap();
    assert_eq!(open(&path).err().unwrap().code(), "store");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn newer_version_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.db");
    open(&path)
        .unwrap()
        .write(|db| db.pragma_update(None, "user_version", 2))
        .unwrap();
    assert_eq!(open(&path).err().unwrap().code(), "store");
}

#[test]
fn missing_folders_are_made() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b/state.db");
    assert!(!open(&path).unwrap().is_in_memory());
    assert!(path.exists());
}

#[test]
fn a_place_that_cannot_be_written_is_kept_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut places = vec![file.join("state.db"), file.join(".local/share/state.db")];
    if cfg!(target_os = "linux") {
        places.push("/proc/.local/share/state.db".into());
    }
    for place in places {
        let state = open(&place).unwrap();
        assert!(state.is_in_memory() && state.is_writable(), "{place:?}");
    }
}
