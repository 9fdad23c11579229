//! The day's counts in a small file, so that a restart is no new allowance.
//!
//! Layout: a magic line, the ledger's own time when it was written (i64), the moment of that (wall i64, uptime u64,
//! boot u64), day (i64), salt (32 bytes), number of entries (u64), then 24 bytes each (hashed address, general, data),
//! CRC-32 of all before it. Little endian, times in milliseconds. The file is readable by its owner only, for with the
//! salt the hashes of IPv4 addresses can be tried out until the day is over.

use econoscope_core::clock::Moment;
use econoscope_data::disk;
use std::io;
use std::path::Path;

const MAGIC: &[u8; 16] = b"econoscope-use2\n";

/// A hashed address.
pub(super) type Key = [u8; 16];
/// The day's key of the hash.
pub(super) type Salt = [u8; 32];

/// What is written down of a day.
#[derive(Debug, PartialEq)]
pub(super) struct Saved {
    /// The ledger's own time at the moment `set`.
    pub(super) at: i64,
    pub(super) set: Moment,
    pub(super) day: i64,
    pub(super) salt: Salt,
    /// Requests of each address: general ones, and those for time series.
    pub(super) counts: Vec<(Key, u32, u32)>,
}

impl Saved {
    /// Writes the counts whole or not at all.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        disk::replace(path, &self.encode())
    }

    /// What was written down; nothing when there is no such file, or it cannot be read.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
        match disk::read(path).and_then(|bytes| Self::decode(&bytes).ok_or_else(damaged)) {
            Ok(saved) => Some(saved),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!(%error, file = disk::shown(path), "the day's counts cannot be read; counting anew");
                None
            }
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let count = u64::try_from(self.counts.len()).unwrap_or(u64::MAX);
        let mut bytes = MAGIC.to_vec();
        let [wall, uptime, boot] = self.set.written();
        for number in [self.at, wall, uptime, boot, self.day] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.salt);
        bytes.extend(count.to_le_bytes());
        for (key, general, data) in &self.counts {
            bytes.extend(key);
            bytes.extend(general.to_le_bytes());
            bytes.extend(data.to_le_bytes());
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, crc) = bytes.split_last_chunk()?;
        let mut rest = content.strip_prefix(MAGIC)?;
        if crc32fast::hash(content) != u32::from_le_bytes(*crc) {
            return None;
        }
        let mut number = || take(&mut rest).map(i64::from_le_bytes);
        let at = number()?;
        let set = Moment::read([number()?, number()?, number()?])?;
        let day = number()?;
        let salt = take(&mut rest)?;
        let count = u64::from_le_bytes(take(&mut rest)?);
        let mut counts = Vec::new();
        while !rest.is_empty() {
            let (key, general) = (take(&mut rest)?, take(&mut rest)?);
            let (general, data) = (u32::from_le_bytes(general), take(&mut rest)?);
            counts.push((key, general, u32::from_le_bytes(data)));
        }
        let is_whole = u64::try_from(counts.len()) == Ok(count);
        is_whole.then_some(Self {
            at,
            set,
            day,
            salt,
            counts,
        })
    }
}

/// The next bytes.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, left) = rest.split_first_chunk()?;
    *rest = left;
    Some(*taken)
}
