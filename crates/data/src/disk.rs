//! Files as this program touches them: only regular ones are read, a new one takes its place whole, and a name is
//! shown without what a terminal would obey.

use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A path for people: control and invisible characters as `\u{1b}`, everything else as it is.
pub fn shown(path: &Path) -> String {
    escaped(&path.to_string_lossy())
}

/// Text of others on its way to a terminal or a log, on one line and without what a terminal would obey.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || econoscope_core::error::is_invisible(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Which file a path leads to: its device and its number there. Another file has another one while the first is
/// still open somewhere.
#[cfg(unix)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity(u64, u64);

/// Which file a path leads to. The standard library tells no number of a file on this system, so it is known by when
/// it was made; SQLite holds its files so that nobody can put another in their place while they are open.
#[cfg(not(unix))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity(Option<std::time::SystemTime>);

/// The file that lies there now, if any does.
pub fn identity(path: &Path) -> Option<Identity> {
    let found = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    return Some(Identity(found.dev(), found.ino()));
    #[cfg(not(unix))]
    return Some(Identity(found.created().ok()));
}

/// Refuses what is there and is no regular file: opening a pipe would wait for ever, a device has no end.
///
/// # Errors
/// `NotFound` when nothing is there; `InvalidInput` with words that follow "cannot be read:".
pub fn must_be_regular(path: &Path) -> io::Result<()> {
    let kind = std::fs::metadata(path)?.file_type();
    let what = if kind.is_file() {
        return Ok(());
    } else if kind.is_dir() {
        "a folder"
    } else {
        special(kind)
    };
    let words = format!("it is {what}, not a regular file");
    Err(io::Error::new(io::ErrorKind::InvalidInput, words))
}

/// What is neither a file nor a folder.
#[cfg(unix)]
fn special(kind: std::fs::FileType) -> &'static str {
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn special(_: std::fs::FileType) -> &'static str {
    "a device"
}

/// Opens a regular file for reading.
///
/// # Errors
/// As [`must_be_regular`], and when it may not be read.
pub fn open(path: &Path) -> io::Result<File> {
    must_be_regular(path)?;
    File::open(path)
}

/// What lies in a folder, by name.
///
/// # Errors
/// When the folder cannot be listed.
pub fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?;
    let paths = entries.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// The whole of a regular file.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The whole of a regular file of text.
///
/// # Errors
/// As [`open`], and when it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Makes an empty file that only its owner may read, where there is none.
///
/// # Errors
/// When it cannot be made.
pub fn make_private(path: &Path) -> io::Result<()> {
    match private().open(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}

/// `create_new` follows no link and takes no file that is there.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // Elsewhere a file takes the permissions of its folder, which in a user's own are the user's.
    #[cfg(unix)]
    options.mode(0o600);
    options
}

/// A new empty file beside `path` that only its owner may read, under a name that nobody can have put there before.
///
/// # Errors
/// When it cannot be made.
pub fn part_of(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(
        ".part-{:016x}",
        RandomState::new().hash_one(std::process::id())
    ));
    let part = PathBuf::from(name);
    let file = private().open(&part)?;
    Ok((part, file))
}

/// Puts a file in the place of another, whole or not at all; only its owner may read it.
///
/// # Errors
/// When it cannot be written; then nothing is left of it, and what was there stays.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (part, mut file) = part_of(path)?;
    let done = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::rename(&part, path));
    if done.is_err() {
        // It is half a file under a name of its own: nobody misses it, and nobody would read it.
        std::fs::remove_file(&part).unwrap_or_default();
    }
    done
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_speak_to_a_terminal() {
        let path = Path::new("/tmp/\u{1b}]0;owned\u{7}\n\u{202e}é.csv");
        assert_eq!(shown(path), r"/tmp/\u{1b}]0;owned\u{7}\u{a}\u{202e}é.csv");
    }

    #[test]
    fn a_file_takes_its_place_whole_and_follows_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
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
    fn what_is_no_regular_file_is_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for (path, word) in [
            (folder.path(), "a folder"),
            (&socket, "a socket"),
            (Path::new("/dev/zero"), "a device"),
        ] {
            let error = read(path).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        let kind = read(&folder.path().join("none")).unwrap_err().kind();
        assert_eq!(kind, io::ErrorKind::NotFound);
    }
}
