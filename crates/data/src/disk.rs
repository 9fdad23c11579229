//! Files: reading regular files only, replacing files atomically, and printing paths without control characters.

use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Formats a path for people: control and invisible characters as `\u{1b}`, everything else unchanged.
pub fn format_path(path: &Path) -> String {
    escape_controls(&path.to_string_lossy())
}

/// Escapes control and invisible characters, line breaks included, so that untrusted text can go to a terminal or a log.
pub fn escape_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let is_line_end = matches!(c, '\u{2028}' | '\u{2029}');
        if c.is_control() || is_line_end || econoscope_core::error::is_invisible(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// The identity of a file: its device and inode. No other file has the same while the first one is open.
#[cfg(unix)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity(u64, u64);

/// The identity of a file: its time of creation, since the standard library offers no file number on this system.
/// Here SQLite keeps its files from being replaced while they are open.
#[cfg(not(unix))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity(Option<std::time::SystemTime>);

/// Returns the identity of the file at a path, if there is one.
pub fn identity(path: &Path) -> Option<Identity> {
    let metadata = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    return Some(Identity(metadata.dev(), metadata.ino()));
    #[cfg(not(unix))]
    return Some(Identity(metadata.created().ok()));
}

/// Checks that a path leads to a regular file: opening a pipe would block, a device has no end.
///
/// # Errors
/// `NotFound` when nothing is there; `InvalidInput` with a message that follows "cannot be read:".
pub fn must_be_regular(path: &Path) -> io::Result<()> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let name = if kind.is_dir() {
        "a folder"
    } else {
        special_kind(kind)
    };
    let message = format!("it is {name}, not a regular file");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// Names what is neither a file nor a folder.
#[cfg(unix)]
fn special_kind(kind: std::fs::FileType) -> &'static str {
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn special_kind(_: std::fs::FileType) -> &'static str {
    "a device"
}

/// Opens a regular file for reading.
///
/// # Errors
/// As [`must_be_regular`], and when it cannot be read.
pub fn open(path: &Path) -> io::Result<File> {
    must_be_regular(path)?;
    File::open(path)
}

/// Returns the folder of a file; `None` for the current one.
pub(crate) fn folder(path: &Path) -> Option<&Path> {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
}

/// Returns the paths in a folder, sorted.
///
/// # Errors
/// When the folder cannot be listed.
pub fn list_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// Reads a regular file of UTF-8 text.
///
/// # Errors
/// As [`open`], and when it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    must_be_regular(path)?;
    std::fs::read_to_string(path)
}

/// Creates an empty file that only its owner may read, unless there is one.
///
/// # Errors
/// When it cannot be created.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    match private_options().open(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result.map(drop),
    }
}

/// Options for a new file that only its owner may read. `create_new` follows no link and opens no existing file.
fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // Elsewhere a file inherits the permissions of its folder; a user's own folder is private.
    #[cfg(unix)]
    options.mode(0o600);
    options
}

/// Creates an empty file beside `path` that only its owner may read, under a name that nobody can guess.
///
/// # Errors
/// When it cannot be created.
pub(crate) fn create_partial(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut name = path.as_os_str().to_owned();
    let random = RandomState::new().hash_one(std::process::id());
    name.push(format!(".part-{random:016x}"));
    let partial = PathBuf::from(name);
    let file = private_options().open(&partial)?;
    Ok((partial, file))
}

/// Writes a file atomically, in place of any that is there. Only its owner may read it.
///
/// # Errors
/// When it cannot be written; the old file stays and no partial one is left.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (partial, mut file) = create_partial(path)?;
    let result = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::rename(&partial, path));
    if result.is_err() {
        // Nobody reads a partial file, so a failure to remove it does no harm.
        std::fs::remove_file(&partial).unwrap_or_default();
    }
    result
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn control_characters_in_a_path_are_escaped() {
        let path = Path::new("/tmp/\u{1b}]0;owned\u{7}\n\u{202e}é.csv");
        assert_eq!(
            format_path(path),
            r"/tmp/\u{1b}]0;owned\u{7}\u{a}\u{202e}é.csv"
        );
    }

    #[test]
    fn replacing_a_file_is_atomic_and_follows_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let other = folder.path().join("b");
        std::fs::write(&other, "theirs").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        replace(&path, b"ours").unwrap();
        assert_eq!(std::fs::read(&other).unwrap(), b"theirs");
        assert_eq!(std::fs::read(&path).unwrap(), b"ours");
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert!(replace(&folder.path().join("no/a"), b"x").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for (path, word) in [
            (folder.path(), "a folder"),
            (&socket, "a socket"),
            (Path::new("/dev/zero"), "a device"),
        ] {
            let error = open(path).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        let kind = open(&folder.path().join("none")).unwrap_err().kind();
        assert_eq!(kind, io::ErrorKind::NotFound);
    }
}
