//! The day's counts in a small file, so that a restart is no new allowance.
//!
//! Layout: a magic line, day (i64), salt (32 bytes), number of entries (u64), then 24 bytes each (hashed
//! address, general, data), CRC-32 of all before it. Little endian. The file is readable by its owner only, for
//! with the salt the hashes of IPv4 addresses can be tried out until the day is over.

use super::ledger::{Key, Ledger, Salt, day_of};
use jiff::Timestamp;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

const MAGIC: &[u8; 16] = b"econoscope-use1\n";
const ENTRY: usize = 24;

/// Writes the counts beside their name and renames, so that a reader never sees half of them.
pub(super) fn save(path: &Path, ledger: &Ledger) -> std::io::Result<()> {
    let (day, salt, entries) = ledger.snapshot();
    let mut bytes = Vec::with_capacity(80 + entries.len() * ENTRY);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&day.to_le_bytes());
    bytes.extend_from_slice(&salt);
    let count = u64::try_from(entries.len()).unwrap_or(u64::MAX);
    bytes.extend_from_slice(&count.to_le_bytes());
    for (key, used) in &entries {
        bytes.extend_from_slice(key);
        bytes.extend_from_slice(&used.general.to_le_bytes());
        bytes.extend_from_slice(&used.data.to_le_bytes());
    }
    let crc = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&crc.to_le_bytes());
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&part)?;
    file.write_all(&bytes)?;
    file.sync_all()?;
    std::fs::rename(&part, path)
}

/// The counts of today; nothing when there are none, they are of another day, or cannot be read.
pub(super) fn load(path: &Path, now: Timestamp, addresses: usize) -> Option<Ledger> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => {
            tracing::warn!(%error, file = %path.display(), "the day's counts cannot be read; counting anew");
            return None;
        }
    };
    let ledger = read(&bytes, day_of(now), addresses);
    if ledger.is_none() {
        tracing::info!(file = %path.display(), "the counts on disk are of another day, or damaged; counting anew");
    }
    ledger
}

/// Reads what [`save`] wrote, if it is of `today`.
pub(super) fn read(bytes: &[u8], today: i64, addresses: usize) -> Option<Ledger> {
    let (content, crc) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(content) != u32::from_le_bytes(*crc) {
        return None;
    }
    let rest = content.strip_prefix(MAGIC)?;
    let (day, rest) = rest.split_first_chunk::<8>()?;
    let (salt, rest) = rest.split_first_chunk::<32>()?;
    let (count, rest) = rest.split_first_chunk::<8>()?;
    let salt: &Salt = salt;
    let day = i64::from_le_bytes(*day);
    let whole = u64::try_from(rest.len() / ENTRY) == Ok(u64::from_le_bytes(*count));
    if day != today || !whole || rest.len() % ENTRY != 0 {
        return None;
    }
    let ledger = Ledger::with(day, *salt, addresses);
    for entry in rest.chunks_exact(ENTRY) {
        let (key, numbers) = entry.split_first_chunk::<16>()?;
        let (general, data) = numbers.split_first_chunk::<4>()?;
        let key: &Key = key;
        let data = data.first_chunk::<4>()?;
        ledger.restore(
            *key,
            u32::from_le_bytes(*general),
            u32::from_le_bytes(*data),
        );
    }
    Some(ledger)
}
