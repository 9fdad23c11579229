//! What SQLite reports, said in words a reader can act on; the original goes along as the cause.

use crate::error::Error;
use crate::sqlite;
use rusqlite::ErrorCode;
use std::path::Path;

/// What to do about damage; the end of every such message.
pub(super) const WAY_OUT: &str =
    "Run `econoscope doctor`, restore a backup, or move the file away and sync again.";

/// A call on an open store that did not work.
pub(super) fn failed(action: &str, cause: rusqlite::Error) -> Error {
    Error::store(format!("cannot {action}: {}", explain(&cause)), cause)
}

/// A store that cannot be opened.
pub(super) fn cannot_open(path: &Path, cause: rusqlite::Error) -> Error {
    let what = format!(
        "cannot open {}: {}",
        crate::disk::shown(path),
        explain(&cause)
    );
    Error::store(what, cause)
}

/// Content that does not match its checksum, or cannot be what was written.
pub(super) fn damaged(what: &str, detail: &str) -> Error {
    Error::of_store(format!("{what} is damaged ({detail}). {WAY_OUT}"))
}

/// A failure while the lines of `what` were read: damage, unless SQLite says otherwise.
pub(super) fn unreadable(what: &str, cause: rusqlite::Error) -> Error {
    if is_damage(&cause) {
        Error::store(format!("{what} is damaged. {WAY_OUT}"), cause)
    } else {
        failed(&format!("read {what}"), cause)
    }
}

/// Whether the file's content is to blame and not its surroundings.
fn is_damage(cause: &rusqlite::Error) -> bool {
    match cause.sqlite_error_code() {
        Some(code) => sqlite::is_damage(cause) || code == ErrorCode::TypeMismatch,
        // No code of SQLite's: a column held another type than was written, or text that is not UTF-8.
        None => true,
    }
}

fn explain(cause: &rusqlite::Error) -> String {
    let Some(code) = cause.sqlite_error_code() else {
        return format!("the file is damaged. {WAY_OUT}");
    };
    let words = if is_damage(cause) {
        return format!("the file is damaged or is no database. {WAY_OUT}");
    } else if code == ErrorCode::DiskFull {
        "the disk is full. Nothing was written; free some space and try again."
    } else if matches!(code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) {
        "another process has been writing to it for more than 10 seconds. Nothing was written; try again later."
    } else if matches!(
        code,
        ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied
    ) {
        "file and folder must be writable for this user. Change their rights or choose another path."
    } else if code == ErrorCode::SystemIoFailure {
        "the disk reported an error. Check the disk; nothing was written."
    } else {
        "the database refused. Nothing was written; see the log for its reason."
    };
    words.to_owned()
}
