//! The history that ships in the binary: real figures of 70 series, out of public packages.
//!
//! `data/history/build.py` makes the pack, `docs/DATA.md` says what is in it and where it came from. It lets
//! the program answer something true before its first sync. Opening reads the header alone; a series is decoded
//! when it is asked for, without its neighbours (16,000 daily rows take 0.4 ms).
//!
//! # The pack
//!
//! ```text
//! magic      8 bytes `ECOHIST1`
//! length     u32, little endian: bytes of the header
//! header     JSON {"built_from", "series": [{"id", "source", "package", "rights", "offset", "length", "rows",
//!            "first", "last", "decimals"} ...]}, series ascending by id
//! blocks     one per series, at `offset` counted from the first byte after the header, `length` bytes long
//! ```
//!
//! A block is one zstd frame with its content size and checksum. Decompressed it holds columns: first all
//! dates, as zig-zag varints of days since 1970-01-01 (the first absolute, each other as the difference from
//! the one before), then all values. With `decimals` >= 0 a value is `round(value * 10^decimals)` as an
//! integer, written like the dates (the first absolute, then differences as zig-zag varints), and
//! `value = integer / 10^decimals` gives back the very same double. With `decimals` = -1 the values are raw
//! f64, little endian. Varints are LEB128, seven bits a byte, lowest first; zig-zag maps 0, -1, 1, -2 ... to
//! 0, 1, 2, 3 ...
//!
//! The bytes are not trusted: a damaged block is an error, never a wrong figure, and no bytes make the reader
//! panic or allocate without bound.

use crate::error::{Error, Result};
use crate::model::{Date, Known, Observation, Rights, SeriesId, Vintages};
use crate::store::{Status, Store, Write};
use bytes::Bytes;
use jiff::Span;
use serde::Deserialize;
use std::collections::BTreeMap;

const PACK: &[u8] = include_bytes!("../../data/history/history.pack");
/// When the pack was made out of its packages: 2026-11-21, 00:00 UTC.
const PACKED_AT: jiff::Timestamp = jiff::Timestamp::constant(1_795_219_200, 0);
const MAGIC: &[u8] = b"ECOHIST1";
const EPOCH: Date = jiff::civil::date(1970, 1, 1);
/// More rows than any series has (270 years of days); bounds what a damaged header can make us allocate.
const MAX_ROWS: usize = 100_000;
/// A varint of 64 bits has at most ten bytes, and a row has two columns.
const MAX_ROW_BYTES: usize = 20;
/// Integers below this and powers of ten up to here are exact as doubles, so one division rounds correctly.
const MAX_SCALED: u64 = 1 << 53;
const MAX_DECIMALS: u8 = 15;
const WHERE: &str = "the bundled history is damaged";

/// The bundled history, opened: what it holds is known, no figure is decoded yet.
#[derive(Debug, Clone)]
pub struct Bundle {
    built_from: String,
    entries: BTreeMap<SeriesId, Entry>,
    blocks: Bytes,
}

/// What the bundled history says of a series before any figure is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Identifier, upper case like every identifier.
    pub id: SeriesId,
    /// Who measures it.
    pub source: String,
    /// Package and version the figures were taken from, or what they were computed from.
    pub package: String,
    /// What may be done with the figures.
    pub rights: Rights,
    /// Number of observations.
    pub rows: usize,
    /// Oldest date.
    pub first: Date,
    /// Newest date.
    pub last: Date,
    scale: Scale,
    offset: usize,
    length: usize,
}

/// How the values of a block are written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scale {
    /// Integers; the value is the integer divided by this power of ten.
    Power(f64),
    /// Raw f64, little endian.
    Raw,
}

#[derive(Deserialize)]
struct Header {
    built_from: String,
    series: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    source: String,
    package: String,
    rights: Rights,
    offset: usize,
    length: usize,
    rows: usize,
    first: Date,
    last: Date,
    decimals: i8,
}

impl Bundle {
    /// Opens the history embedded in the binary; reads the header alone.
    ///
    /// # Errors
    /// [`Error::Internal`] when the embedded pack is damaged, which a test rules out.
    pub fn open() -> Result<Self> {
        Self::parse(Bytes::from_static(PACK))
    }

    /// Opens any pack; reads the header alone.
    ///
    /// # Errors
    /// [`Error::Internal`] when it is not a pack or its header is damaged.
    pub fn parse(pack: Bytes) -> Result<Self> {
        let (header, blocks) =
            split(&pack).ok_or_else(|| damaged("header", "cut off or of another format"))?;
        let header: Header =
            serde_json::from_slice(header).map_err(|e| Error::internal(WHERE, e))?;
        let blocks = pack.slice_ref(blocks);
        let mut entries = BTreeMap::new();
        for row in header.series {
            let entry = Entry::read(row)?;
            if let Some(twice) = entries.insert(entry.id.clone(), entry) {
                return Err(damaged(twice.id.as_str(), "stands in the header twice"));
            }
        }
        Ok(Self {
            built_from: header.built_from,
            entries,
            blocks,
        })
    }

    /// The packages the history was taken from, with their versions.
    pub fn built_from(&self) -> &str {
        &self.built_from
    }

    /// The series it holds, by identifier.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = &SeriesId> {
        self.entries.keys()
    }

    /// What is known of a series; the identifier in any case.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.get(id.to_ascii_uppercase().as_str())
    }

    /// The observations of a series, ascending by date; `None` when the history does not hold it.
    ///
    /// # Errors
    /// [`Error::Internal`] when the series' block is damaged.
    pub fn load(&self, id: &SeriesId) -> Result<Option<Vec<Observation>>> {
        self.entries
            .get(id)
            .map(|entry| self.decode(entry))
            .transpose()
    }

    /// The observations of a series as a store gives them: first-load rows without a recorded day.
    ///
    /// # Errors
    /// [`Error::Internal`] when the series' block is damaged.
    pub fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        let row = |o: Observation| Known {
            date: o.date,
            known_from: None,
            value: o.value,
        };
        Ok(self
            .load(id)?
            .map(|rows| Vintages::new(rows.into_iter().map(row).collect())))
    }

    /// What is held, as a store reports it.
    pub fn status(&self) -> Vec<Status> {
        let status = |e: &Entry| Status {
            id: e.id.clone(),
            rows: u64::try_from(e.rows).unwrap_or(u64::MAX),
            first: e.first,
            last: e.last,
            fetched_at: PACKED_AT,
            origin: format!("bundled from {}", e.package),
        };
        self.entries.values().map(status).collect()
    }

    fn decode(&self, entry: &Entry) -> Result<Vec<Observation>> {
        let id = entry.id.as_str();
        let frame = entry
            .offset
            .checked_add(entry.length)
            .and_then(|end| self.blocks.get(entry.offset..end))
            .ok_or_else(|| damaged(id, "lies outside the pack"))?;
        let columns = zstd::bulk::decompress(frame, entry.rows.saturating_mul(MAX_ROW_BYTES))
            .map_err(|e| Error::internal(format!("{WHERE}: {id}"), e))?;
        entry
            .observations(&columns)
            .ok_or_else(|| damaged(id, "does not hold what the header says"))
    }
}

/// Loads the whole bundled history into a store, as its first figures.
///
/// # Errors
/// [`Error::Internal`] when the pack is damaged, [`Error::Store`] when a series cannot be written; what was
/// written before stays.
pub fn load_into(store: &dyn Store) -> Result<()> {
    let bundle = Bundle::open()?;
    for entry in bundle.entries.values() {
        let observations = bundle.decode(entry)?;
        let origin = format!("bundled from {}", entry.package);
        store.write(Write {
            id: &entry.id,
            observations: &observations,
            known_from: None,
            fetched_at: PACKED_AT,
            origin: &origin,
        })?;
    }
    Ok(())
}

impl Entry {
    fn read(row: Row) -> Result<Self> {
        if row.rows == 0 || row.rows > MAX_ROWS {
            return Err(damaged(&row.id, "has an impossible number of rows"));
        }
        let scale = match u8::try_from(row.decimals) {
            Ok(decimals) if decimals <= MAX_DECIMALS => {
                Scale::Power(10f64.powi(i32::from(decimals)))
            }
            Err(_) if row.decimals == -1 => Scale::Raw,
            Ok(_) | Err(_) => return Err(damaged(&row.id, "has an impossible number of decimals")),
        };
        Ok(Self {
            id: SeriesId::new(&row.id)?,
            source: row.source,
            package: row.package,
            rights: row.rights,
            rows: row.rows,
            first: row.first,
            last: row.last,
            scale,
            offset: row.offset,
            length: row.length,
        })
    }

    /// The observations in a decompressed block; `None` unless it is exactly what the header promises:
    /// so many rows, from `first` to `last`, ascending, finite, and not a byte more.
    fn observations(&self, columns: &[u8]) -> Option<Vec<Observation>> {
        let mut dates = Deltas::new(columns);
        let mut rows = Vec::with_capacity(self.rows);
        let mut before: Option<Date> = None;
        for _ in 0..self.rows {
            let date = EPOCH
                .checked_add(Span::new().try_days(dates.next()?).ok()?)
                .ok()?;
            if before.is_some_and(|b| b >= date) {
                return None;
            }
            before = Some(date);
            rows.push(Observation::new(date, f64::NAN));
        }
        let complete = rows.first()?.date == self.first && before? == self.last;
        let read = match self.scale {
            Scale::Power(power) => scaled_values(dates.rest, power, &mut rows),
            Scale::Raw => raw_values(dates.rest, &mut rows),
        };
        read.filter(|()| complete && rows.iter().all(|r| r.value.is_finite()))?;
        Some(rows)
    }
}

/// Reads one scaled value a row; `None` when there are fewer or more, or one is too large to be exact.
fn scaled_values(column: &[u8], power: f64, rows: &mut [Observation]) -> Option<()> {
    let mut values = Deltas::new(column);
    for row in rows {
        row.value = exact(values.next()?)? / power;
    }
    values.rest.is_empty().then_some(())
}

/// Reads one raw value a row; `None` when there are fewer or more.
fn raw_values(column: &[u8], rows: &mut [Observation]) -> Option<()> {
    let (values, rest) = column.as_chunks::<8>();
    if values.len() != rows.len() || !rest.is_empty() {
        return None;
    }
    for (row, bytes) in rows.iter_mut().zip(values) {
        row.value = f64::from_le_bytes(*bytes);
    }
    Some(())
}

/// A column of zig-zag varints, each the difference from the number before.
struct Deltas<'a> {
    rest: &'a [u8],
    sum: i64,
}

impl<'a> Deltas<'a> {
    fn new(rest: &'a [u8]) -> Self {
        Self { rest, sum: 0 }
    }

    /// The next number; `None` when the bytes end before it does, or it does not fit.
    fn next(&mut self) -> Option<i64> {
        let mut number = 0u64;
        for shift in (0..u64::BITS).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            let bits = u64::from(byte & 0x7F);
            let placed = bits << shift;
            if placed >> shift != bits {
                return None;
            }
            number |= placed;
            if byte < 0x80 {
                let delta = (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
                self.sum = self.sum.checked_add(delta)?;
                return Some(self.sum);
            }
        }
        None
    }
}

/// The integer as a double, if it is one exactly.
#[expect(clippy::cast_precision_loss, reason = "integers below 2^53 are exact")]
fn exact(integer: i64) -> Option<f64> {
    (integer.unsigned_abs() < MAX_SCALED).then_some(integer as f64)
}

/// Header and blocks of a pack; `None` when it is no pack or ends early.
fn split(pack: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = pack.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}

fn damaged(what: &str, problem: &str) -> Error {
    Error::internal(WHERE, format!("{what} {problem}"))
}

#[cfg(test)]
mod tests;
