//! The format of row groups: the rows of a series as few bytes.
//!
//! A row group is three columns one after the other: dates, days of knowledge, values. Each column uses the
//! smallest of its forms; all are lossless. A month of a monthly series with two decimals takes about two bytes.
//! The decoder accepts untrusted bytes: it returns rows or [`DecodeError`], and never more rows than bytes.
//!
//! ```text
//! row group := FORMAT rows:varint dates known values
//! dates     := 0 first:zigzag gap:varint*        any ascending days, repeats allowed
//!            | 1 first:zigzag step:varint        the same number of days between all
//!            | 2 first_month:zigzag step:varint  first days of months, the same number of months between all
//! known     := 0                                 no row has a day
//!            | 1 day:zigzag                      all rows have the same day
//!            | 2 day*                            0 = none, else 1 + zigzag(day - date)
//! values    := 0..=12 change:zigzag*             integers of 10^-n, each as the difference to the one before
//!            | 255 f64*                          little-endian
//!            | 254 n:varint gap:varint* values   n withdrawn rows, each as the number of other rows since the one
//!                                                before it; then the values of the other rows
//! ```

use econoscope_core::model::frequency::{day_from_number, day_number};
use econoscope_core::model::{Date, VintageObservation};

const FORMAT: u8 = 1;
const ANY_DATES: u8 = 0;
const EVERY_DAYS: u8 = 1;
const EVERY_MONTHS: u8 = 2;
const NO_DAY: u8 = 0;
const ONE_DAY: u8 = 1;
const ANY_DAYS: u8 = 2;
const FLOATS: u8 = 255;
const WITHDRAWN: u8 = 254;
/// Powers of ten, which binary floats hold exactly up to 10^22. Published figures have at most twelve decimals.
const POWERS: [f64; 13] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
];
/// Bound of scaled integers: below it an f64 is exact, with one more decimal.
const MAX_SCALED: f64 = 4_503_599_627_370_496.0;

/// The bytes are not a row group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a row group: {0}")]
pub(super) struct DecodeError(&'static str);

const OUT_OF_RANGE: DecodeError = DecodeError("a day outside the calendar");

/// Encodes rows that are ordered by date and have finite values.
pub(super) fn encode(rows: &[VintageObservation]) -> Vec<u8> {
    debug_assert!(rows.is_sorted_by_key(|r| r.date));
    let mut out = Vec::with_capacity(16 + 4 * rows.len());
    out.push(FORMAT);
    put(&mut out, rows.len() as u64);
    encode_dates(&mut out, rows);
    encode_known(&mut out, rows);
    encode_values(&mut out, rows);
    out
}

/// Decodes the rows of a row group.
///
/// # Errors
/// [`DecodeError`] when the bytes are not a row group.
pub(super) fn decode(bytes: &[u8]) -> Result<Vec<VintageObservation>, DecodeError> {
    let mut input = Input(bytes);
    if input.byte()? != FORMAT {
        return Err(DecodeError("unknown format"));
    }
    // Every row takes at least one byte of the last column, so this bounds the allocation.
    let count = usize::try_from(input.varint()?)
        .ok()
        .filter(|&n| n <= bytes.len())
        .ok_or(DecodeError("more rows than bytes"))?;
    let mut rows = decode_dates(&mut input, count)?;
    decode_known(&mut input, &mut rows)?;
    decode_values(&mut input, &mut rows)?;
    if input.0.is_empty() {
        Ok(rows)
    } else {
        Err(DecodeError("bytes left over"))
    }
}

fn encode_dates(out: &mut Vec<u8>, rows: &[VintageObservation]) {
    let days: Vec<i64> = rows.iter().map(|r| day_number(r.date).into()).collect();
    let months: Option<Vec<i64>> = rows.iter().map(|r| month_number(r.date)).collect();
    let first = |numbers: &[i64]| numbers.first().copied().unwrap_or(0);
    for (form, numbers) in [(EVERY_DAYS, Some(&days)), (EVERY_MONTHS, months.as_ref())] {
        if let Some(numbers) = numbers
            && let Some(step) = common_step(numbers)
        {
            out.push(form);
            put_signed(out, first(numbers));
            return put(out, step);
        }
    }
    out.push(ANY_DATES);
    put_signed(out, first(&days));
    gaps(&days).for_each(|gap| put(out, gap));
}

/// Returns the differences between neighbours.
fn gaps(numbers: &[i64]) -> impl Iterator<Item = u64> {
    let pairs = numbers.iter().zip(numbers.iter().skip(1));
    pairs.map(|(earlier, later)| later.abs_diff(*earlier))
}

/// Returns the difference between all neighbours, 0 for fewer than two numbers; `None` when differences vary.
fn common_step(numbers: &[i64]) -> Option<u64> {
    let mut gaps = gaps(numbers);
    let step = gaps.next().unwrap_or(0);
    gaps.all(|gap| gap == step).then_some(step)
}

/// Decodes `count` rows that have their dates only.
fn decode_dates(
    input: &mut Input<'_>,
    count: usize,
) -> Result<Vec<VintageObservation>, DecodeError> {
    let form = input.byte()?;
    let mut number = input.signed()?;
    let (to_date, step): (fn(i64) -> Option<Date>, _) = match form {
        ANY_DATES => (date_of_day, None),
        EVERY_DAYS => (date_of_day, Some(input.step()?)),
        EVERY_MONTHS => (date_of_month, Some(input.step()?)),
        _ => return Err(DecodeError("unknown form of days")),
    };
    let mut rows = Vec::with_capacity(count);
    for row in 0..count {
        if row > 0 {
            let gap = step.map_or_else(|| input.step(), Ok)?;
            number = number.checked_add(gap).ok_or(OUT_OF_RANGE)?;
        }
        rows.push(VintageObservation {
            date: to_date(number).ok_or(OUT_OF_RANGE)?,
            known_from: None,
            value: None,
        });
    }
    Ok(rows)
}

fn encode_known(out: &mut Vec<u8>, rows: &[VintageObservation]) {
    let first = rows.first().and_then(|r| r.known_from);
    let is_one_day = rows.iter().all(|r| r.known_from == first);
    match first {
        None if is_one_day => out.push(NO_DAY),
        Some(day) if is_one_day => {
            out.push(ONE_DAY);
            put_signed(out, day_number(day).into());
        }
        Some(_) | None => {
            out.push(ANY_DAYS);
            for row in rows {
                let delay = |day| i64::from(day_number(day)) - i64::from(day_number(row.date));
                put(out, row.known_from.map_or(0, |day| 1 + zigzag(delay(day))));
            }
        }
    }
}

fn decode_known(input: &mut Input<'_>, rows: &mut [VintageObservation]) -> Result<(), DecodeError> {
    match input.byte()? {
        NO_DAY => {}
        ONE_DAY => {
            let day = date_of_day(input.signed()?).ok_or(OUT_OF_RANGE)?;
            rows.iter_mut().for_each(|r| r.known_from = Some(day));
        }
        ANY_DAYS => {
            for row in rows {
                if let Some(delay) = input.varint()?.checked_sub(1) {
                    let day = i64::from(day_number(row.date)).checked_add(unzigzag(delay));
                    row.known_from = Some(day.and_then(date_of_day).ok_or(OUT_OF_RANGE)?);
                }
            }
        }
        _ => return Err(DecodeError("unknown form of days of knowledge")),
    }
    Ok(())
}

fn encode_values(out: &mut Vec<u8>, rows: &[VintageObservation]) {
    let values: Vec<f64> = rows.iter().filter_map(|row| row.value).collect();
    let withdrawn = rows.len() - values.len();
    if withdrawn > 0 {
        out.push(WITHDRAWN);
        put(out, withdrawn as u64);
        let runs = rows.split(|row| row.value.is_none()).take(withdrawn);
        runs.for_each(|run| put(out, run.len() as u64));
    }
    if let Some((decimals, integers)) = scaled_integers(&values) {
        out.push(decimals);
        let mut last = 0;
        for integer in integers {
            put_signed(out, integer - last);
            last = integer;
        }
    } else {
        out.push(FLOATS);
        values.iter().for_each(|v| out.extend(v.to_le_bytes()));
    }
}

fn decode_values(
    input: &mut Input<'_>,
    rows: &mut [VintageObservation],
) -> Result<(), DecodeError> {
    let mut form = input.byte()?;
    let mut withdrawn = Vec::new();
    if form == WITHDRAWN {
        withdrawn = decode_withdrawn(input, rows.len())?;
        form = input.byte()?;
    }
    let is_withdrawn = withdrawn.into_iter().chain(std::iter::repeat(false));
    let remaining = rows
        .iter_mut()
        .zip(is_withdrawn)
        .filter_map(|(row, is_withdrawn)| (!is_withdrawn).then_some(row));
    if form == FLOATS {
        for row in remaining {
            let value = f64::from_le_bytes(input.eight_bytes()?);
            row.value = Some(value);
            if !value.is_finite() {
                return Err(DecodeError("a value is not a number"));
            }
        }
        return Ok(());
    }
    let power = *POWERS
        .get(usize::from(form))
        .ok_or(DecodeError("unknown form of values"))?;
    let mut integer: i64 = 0;
    for row in remaining {
        integer = integer
            .checked_add(input.signed()?)
            .ok_or(DecodeError("a value is out of range"))?;
        row.value = Some(unscale(integer, power));
    }
    Ok(())
}

/// Returns for each of `count` rows whether it is withdrawn.
fn decode_withdrawn(input: &mut Input<'_>, count: usize) -> Result<Vec<bool>, DecodeError> {
    let mut withdrawn = vec![false; count];
    let mut row = 0usize;
    for _ in 0..input.varint()? {
        let gap = usize::try_from(input.varint()?).map_err(|_| OUT_OF_RANGE)?;
        row = row.checked_add(gap).ok_or(OUT_OF_RANGE)?;
        *withdrawn
            .get_mut(row)
            .ok_or(DecodeError("more withdrawn than rows"))? = true;
        row += 1;
    }
    Ok(withdrawn)
}

/// Returns the fewest decimals with which every value is exact, and the values times that power of ten.
fn scaled_integers(values: &[f64]) -> Option<(u8, Vec<i64>)> {
    let mut powers = (0u8..).zip(POWERS);
    let (mut decimals, mut power) = powers.next()?;
    for value in values {
        while scale(*value, power).is_none() {
            (decimals, power) = powers.next()?;
        }
    }
    let integers: Option<_> = values.iter().map(|value| scale(*value, power)).collect();
    Some((decimals, integers?))
}

/// Returns `value * power` if that is an integer from which `value` comes back bit for bit.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole number below 2^52 in size, or the filter has returned"
)]
fn scale(value: f64, power: f64) -> Option<i64> {
    let integer = Some((value * power).round()).filter(|i| i.abs() < MAX_SCALED)? as i64;
    // Comparing bits also tells the two zeros apart.
    (unscale(integer, power).to_bits() == value.to_bits()).then_some(integer)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "what was encoded is below 2^52; anything else is still a finite number"
)]
fn unscale(integer: i64, power: f64) -> f64 {
    integer as f64 / power
}

fn date_of_day(day: i64) -> Option<Date> {
    day_from_number(i32::try_from(day).ok()?)
}

fn date_of_month(month: i64) -> Option<Date> {
    let year = i16::try_from(month.div_euclid(12)).ok()?;
    let month = i8::try_from(month.rem_euclid(12)).ok()? + 1;
    Date::new(year, month, 1).ok()
}

/// Returns the number of a month by its first day; `None` for any other day.
fn month_number(date: Date) -> Option<i64> {
    let month = i64::from(date.year()) * 12 + i64::from(date.month()) - 1;
    (date.day() == 1).then_some(month)
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, zigzag(number));
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// Bytes that are not decoded yet.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> Result<u8, DecodeError> {
        let (&byte, rest) = self.0.split_first().ok_or(DecodeError("cut off"))?;
        self.0 = rest;
        Ok(byte)
    }

    fn eight_bytes(&mut self) -> Result<[u8; 8], DecodeError> {
        let (eight, rest) = self.0.split_first_chunk().ok_or(DecodeError("cut off"))?;
        self.0 = rest;
        Ok(*eight)
    }

    fn varint(&mut self) -> Result<u64, DecodeError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(DecodeError("a number is too long"))
    }

    fn signed(&mut self) -> Result<i64, DecodeError> {
        self.varint().map(unzigzag)
    }

    fn step(&mut self) -> Result<i64, DecodeError> {
        i64::try_from(self.varint()?).map_err(|_| OUT_OF_RANGE)
    }
}

#[cfg(test)]
mod tests;
