//! Rows as few bytes: the one format in which observations lie in a file.
//!
//! A segment is three columns one after the other: days, days of knowledge, values. Each column takes the
//! cheapest of two or three forms that gives back exactly what went in; nothing is rounded. A month of
//! a monthly series with two decimals costs about two bytes. Decoding trusts nothing: any bytes give
//! rows or [`Malformed`], and never more rows than bytes.
//!
//! ```text
//! segment   := FORMAT rows:varint days known values
//! days      := 0 first:zigzag gap:varint*        any ascending days, repeats allowed
//!            | 1 first:zigzag step:varint        the same number of days between all
//!            | 2 first_month:zigzag step:varint  first days of months, the same number of months between all
//! known     := 0                                 no row carries a day
//!            | 1 day:zigzag                      all carry the same
//!            | 2 day*                            0 = none, else 1 + zigzag(day - date)
//! values    := 0..=12 change:zigzag*             decimals: whole numbers of 10^-n, each as its change
//!            | 255 f64*                          little-endian
//!            | 254 n:varint gap:varint* values   n rows are withdrawn, each told by the rows since the one before
//!                                                that are not; then the values of those that are not
//! ```

use econoscope_core::model::frequency::{day_from_number, day_number};
use econoscope_core::model::{Date, Known};

const FORMAT: u8 = 1;
const ANY_DAYS: u8 = 0;
const EVERY_DAYS: u8 = 1;
const EVERY_MONTHS: u8 = 2;
const NEVER_KNOWN: u8 = 0;
const KNOWN_TOGETHER: u8 = 1;
const KNOWN_EACH: u8 = 2;
const RAW: u8 = 255;
const SOME_WITHDRAWN: u8 = 254;
/// Exact in binary up to 10^22; more than twelve decimals do not occur in published figures.
const POWERS: [f64; 13] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
];
/// Whole numbers below it are exact in an f64, one decimal place more included.
const LARGEST: f64 = 4_503_599_627_370_496.0;

/// The bytes are not a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a row group: {0}")]
pub(super) struct Malformed(&'static str);

/// Rows as bytes.
/// Rows: ordered by date, finite values; the order is kept.
pub(super) fn encode(rows: &[Known]) -> Vec<u8> {
    debug_assert!(rows.is_sorted_by_key(|r| r.date));
    let mut out = Vec::with_capacity(16 + 4 * rows.len());
    out.push(FORMAT);
    put(&mut out, rows.len() as u64);
    encode_days(&mut out, rows);
    encode_known(&mut out, rows);
    encode_values(&mut out, rows);
    out
}

/// Appends the rows of a segment to `out`; on an error `out` is to be thrown away.
pub(super) fn decode(bytes: &[u8], out: &mut Vec<Known>) -> Result<(), Malformed> {
    let mut input = Input(bytes);
    if input.byte()? != FORMAT {
        return Err(Malformed("unknown format"));
    }
    // Every row takes at least one byte of the last column, so this bounds what is allocated.
    let count = usize::try_from(input.varint()?)
        .ok()
        .filter(|&n| n <= bytes.len())
        .ok_or(Malformed("more rows than bytes"))?;
    let start = out.len();
    out.reserve(count);
    decode_days(&mut input, count, out)?;
    let rows = out.get_mut(start..).unwrap_or_default();
    decode_known(&mut input, rows)?;
    decode_values(&mut input, rows)?;
    if input.0.is_empty() {
        Ok(())
    } else {
        Err(Malformed("bytes left over"))
    }
}

fn encode_days(out: &mut Vec<u8>, rows: &[Known]) {
    let forms: [(u8, Number); 2] = [(EVERY_DAYS, day_of_date), (EVERY_MONTHS, month_of_date)];
    for (form, number) in forms {
        if let Some((first, step)) = even_steps(rows, number) {
            out.push(form);
            put_signed(out, first);
            return put(out, step);
        }
    }
    out.push(ANY_DAYS);
    let mut days = rows.iter().map(|row| i64::from(day_number(row.date)));
    let mut last = days.next().unwrap_or(0);
    put_signed(out, last);
    for day in days {
        put(out, day.abs_diff(last));
        last = day;
    }
}

fn decode_days(input: &mut Input<'_>, count: usize, out: &mut Vec<Known>) -> Result<(), Malformed> {
    let form = input.byte()?;
    let mut at = input.signed()?;
    let step = if form == ANY_DAYS { 0 } else { input.step()? };
    let calendar = match form {
        ANY_DAYS | EVERY_DAYS => date_of_day,
        EVERY_MONTHS => date_of_month,
        _ => return Err(Malformed("unknown form of days")),
    };
    for row in 0..count {
        if row > 0 {
            let gap = match form {
                ANY_DAYS => input.step()?,
                _ => step,
            };
            at = at.checked_add(gap).ok_or(OUTSIDE)?;
        }
        out.push(Known {
            date: calendar(at).ok_or(OUTSIDE)?,
            known_from: None,
            value: None,
        });
    }
    Ok(())
}

fn encode_known(out: &mut Vec<u8>, rows: &[Known]) {
    let first = rows.first().and_then(|r| r.known_from);
    let together = rows.iter().all(|r| r.known_from == first);
    match first {
        None if together => out.push(NEVER_KNOWN),
        Some(day) if together => {
            out.push(KNOWN_TOGETHER);
            put_signed(out, i64::from(day_number(day)));
        }
        Some(_) | None => {
            out.push(KNOWN_EACH);
            for row in rows {
                put(
                    out,
                    row.known_from
                        .map_or(0, |day| 1 + days_later(row.date, day)),
                );
            }
        }
    }
}

fn days_later(date: Date, known: Date) -> u64 {
    zigzag(i64::from(day_number(known)) - i64::from(day_number(date)))
}

fn decode_known(input: &mut Input<'_>, rows: &mut [Known]) -> Result<(), Malformed> {
    match input.byte()? {
        NEVER_KNOWN => {}
        KNOWN_TOGETHER => {
            let day = date_of_day(input.signed()?).ok_or(OUTSIDE)?;
            rows.iter_mut().for_each(|r| r.known_from = Some(day));
        }
        KNOWN_EACH => {
            for row in rows {
                if let Some(later) = input.varint()?.checked_sub(1) {
                    let day = i64::from(day_number(row.date)).checked_add(unzigzag(later));
                    row.known_from = Some(day.and_then(date_of_day).ok_or(OUTSIDE)?);
                }
            }
        }
        _ => return Err(Malformed("unknown form of days of knowledge")),
    }
    Ok(())
}

fn encode_values(out: &mut Vec<u8>, rows: &[Known]) {
    let values: Vec<f64> = rows.iter().filter_map(|row| row.value).collect();
    if values.len() < rows.len() {
        out.push(SOME_WITHDRAWN);
        put(out, (rows.len() - values.len()) as u64);
        let mut gap = 0;
        for row in rows {
            if row.value.is_some() {
                gap += 1;
            } else {
                put(out, gap);
                gap = 0;
            }
        }
    }
    let start = out.len();
    let Some((decimals, power)) = decimals_of(&values) else {
        return encode_raw(out, &values);
    };
    out.push(decimals);
    let mut last = 0;
    for value in &values {
        let Some(whole) = whole(*value, power) else {
            out.truncate(start);
            return encode_raw(out, &values);
        };
        put_signed(out, whole - last);
        last = whole;
    }
}

fn encode_raw(out: &mut Vec<u8>, values: &[f64]) {
    out.push(RAW);
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

fn decode_values(input: &mut Input<'_>, rows: &mut [Known]) -> Result<(), Malformed> {
    let mut form = input.byte()?;
    let mut withdrawn = Vec::new();
    if form == SOME_WITHDRAWN {
        withdrawn = decode_withdrawn(input, rows.len())?;
        form = input.byte()?;
    }
    let withdrawn = withdrawn.into_iter().chain(std::iter::repeat(false));
    let rows = rows.iter_mut().zip(withdrawn);
    let rows = rows.filter_map(|(row, withdrawn)| (!withdrawn).then_some(row));
    if form == RAW {
        for row in rows {
            let value = f64::from_le_bytes(input.eight()?);
            row.value = Some(value);
            if !value.is_finite() {
                return Err(Malformed("a value is not a number"));
            }
        }
        return Ok(());
    }
    let power = *POWERS
        .get(usize::from(form))
        .ok_or(Malformed("unknown form of values"))?;
    let mut whole: i64 = 0;
    for row in rows {
        whole = whole
            .checked_add(input.signed()?)
            .ok_or(Malformed("a value is out of range"))?;
        row.value = Some(fraction(whole, power));
    }
    Ok(())
}

/// For each of `count` rows whether it is withdrawn.
fn decode_withdrawn(input: &mut Input<'_>, count: usize) -> Result<Vec<bool>, Malformed> {
    let mut withdrawn = vec![false; count];
    let mut at = 0usize;
    for _ in 0..input.varint()? {
        let gap = usize::try_from(input.varint()?).map_err(|_| OUTSIDE)?;
        at = at.checked_add(gap).ok_or(OUTSIDE)?;
        *withdrawn
            .get_mut(at)
            .ok_or(Malformed("more withdrawn than rows"))? = true;
        at += 1;
    }
    Ok(withdrawn)
}

/// The fewest decimals that hold every value exactly; `None` when there are none.
fn decimals_of(values: &[f64]) -> Option<(u8, f64)> {
    let mut powers = (0u8..).zip(POWERS);
    let mut chosen = powers.next()?;
    for value in values {
        while whole(*value, chosen.1).is_none() {
            chosen = powers.next()?;
        }
    }
    Some(chosen)
}

/// `value` as a whole number of `1/power`, if that is exactly what it is.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole number below 2^52 in size, or the filter has returned"
)]
fn whole(value: f64, power: f64) -> Option<i64> {
    let whole = Some((value * power).round()).filter(|whole| whole.abs() < LARGEST)? as i64;
    // The way back is the judge; it also tells the two zeros apart.
    (fraction(whole, power).to_bits() == value.to_bits()).then_some(whole)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "what was encoded is below 2^52; anything else is still a finite number"
)]
fn fraction(whole: i64, power: f64) -> f64 {
    whole as f64 / power
}

const OUTSIDE: Malformed = Malformed("a day outside the calendar");

fn date_of_day(day: i64) -> Option<Date> {
    day_from_number(i32::try_from(day).ok()?)
}

fn date_of_month(month: i64) -> Option<Date> {
    let year = i16::try_from(month.div_euclid(12)).ok()?;
    let month = i8::try_from(month.rem_euclid(12)).ok()? + 1;
    Date::new(year, month, 1).ok()
}

/// A date as a number, where it is one of those that are counted.
type Number = fn(Date) -> Option<i64>;

fn day_of_date(date: Date) -> Option<i64> {
    Some(day_number(date).into())
}

/// Counts first days of months alone.
fn month_of_date(date: Date) -> Option<i64> {
    let month = i64::from(date.year()) * 12 + i64::from(date.month()) - 1;
    (date.day() == 1).then_some(month)
}

/// The first date's number and the gap between all neighbours, 0 for a single row; `None` when gaps differ.
fn even_steps(rows: &[Known], number: Number) -> Option<(i64, u64)> {
    let numbers = rows.iter().map(|row| number(row.date));
    let numbers: Vec<i64> = numbers.collect::<Option<_>>()?;
    let neighbours = numbers.iter().zip(numbers.iter().skip(1));
    let mut gaps = neighbours.map(|(earlier, later)| later.abs_diff(*earlier));
    let step = gaps.next().unwrap_or(0);
    let first = numbers.first().copied().unwrap_or(0);
    gaps.all(|gap| gap == step).then_some((first, step))
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

/// What is left to decode.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> Result<u8, Malformed> {
        let (&byte, rest) = self.0.split_first().ok_or(Malformed("cut off"))?;
        self.0 = rest;
        Ok(byte)
    }

    fn eight(&mut self) -> Result<[u8; 8], Malformed> {
        let (eight, rest) = self.0.split_first_chunk().ok_or(Malformed("cut off"))?;
        self.0 = rest;
        Ok(*eight)
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Malformed("a number is too long"))
    }

    fn signed(&mut self) -> Result<i64, Malformed> {
        self.varint().map(unzigzag)
    }

    fn step(&mut self) -> Result<i64, Malformed> {
        i64::try_from(self.varint()?).map_err(|_| OUTSIDE)
    }
}

#[cfg(test)]
mod tests;
