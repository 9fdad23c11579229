//! Tests of the codec: round trips and hostile bytes.

use super::*;
use jiff::civil::date;
use proptest::prelude::*;

fn round_trip(rows: &[VintageObservation]) -> usize {
    let bytes = encode(rows);
    let back = decode(&bytes).unwrap();
    assert_eq!(back.len(), rows.len());
    for (a, b) in back.iter().zip(rows) {
        assert_eq!((a.date, a.known_from), (b.date, b.known_from));
        assert_eq!(a.value.map(f64::to_bits), b.value.map(f64::to_bits));
    }
    bytes.len()
}

fn monthly(values: &[f64]) -> Vec<VintageObservation> {
    (0i16..)
        .zip(values)
        .map(|(i, &value)| VintageObservation {
            date: date(1990 + i / 12, i8::try_from(i % 12).unwrap() + 1, 1),
            known_from: None,
            value: Some(value),
        })
        .collect()
}

#[test]
fn monthly_series_with_one_decimal_takes_one_byte_a_row() {
    let values: Vec<f64> = (0..400).map(|i| f64::from(40 + i % 7) / 10.0).collect();
    assert!(round_trip(&monthly(&values)) < 430);
}

#[test]
fn values_without_short_decimals_round_trip_bit_for_bit() {
    for odd in [
        1.0 / 3.0,
        -0.0,
        f64::MIN_POSITIVE,
        f64::MAX,
        5e-324,
        1e300,
        0.1 + 0.2,
    ] {
        round_trip(&monthly(&[1.5, odd, 2.5]));
    }
}

#[test]
fn calendar_limits_and_no_rows_round_trip() {
    round_trip(&[]);
    let mut rows = monthly(&[1.0, 2.0, 3.0]);
    rows[0].date = Date::MIN;
    rows[2].date = Date::MAX;
    rows[1].known_from = Some(Date::MIN);
    rows[2].known_from = Some(Date::MAX);
    round_trip(&rows);
}

#[test]
fn withdrawn_rows_round_trip_in_one_byte_each() {
    let mut rows = monthly(&[1.5, 2.5, 3.5, 4.5]);
    let plain = round_trip(&rows);
    for at in [0, 1, 3] {
        rows[at].value = None;
    }
    assert!(round_trip(&rows) <= plain + 2);
    rows[2].value = None;
    round_trip(&rows);
    let mut bytes = encode(&rows);
    let last = bytes.len() - 2;
    bytes[last] = 9;
    assert!(decode(&bytes).is_err(), "beyond the rows");
}

#[test]
fn row_count_beyond_the_bytes_is_refused() {
    let mut bytes = vec![FORMAT];
    put(&mut bytes, u64::MAX / 2);
    bytes.extend([EVERY_DAYS, 0, 1, NO_DAY, 0]);
    assert_eq!(decode(&bytes), Err(DecodeError("more rows than bytes")));
}

fn any_row() -> impl Strategy<Value = VintageObservation> {
    let day = -200_000i32..200_000;
    let value = prop_oneof![
        (-1_000_000i32..1_000_000, 0u8..5).prop_map(|(m, k)| f64::from(m) / 10f64.powi(k.into())),
        any::<f64>().prop_filter("finite", |v| v.is_finite()),
    ];
    let value = proptest::option::weighted(0.9, value);
    (day.clone(), proptest::option::of(day), value).prop_map(|(day, known, value)| {
        VintageObservation {
            date: day_from_number(day).unwrap(),
            known_from: known.and_then(day_from_number),
            value,
        }
    })
}

proptest! {
    #[test]
    fn any_rows_round_trip(mut rows in prop::collection::vec(any_row(), 0..200)) {
        rows.sort_by_key(|r| r.date);
        round_trip(&rows);
    }

    #[test]
    fn regular_rows_round_trip(
        start in -100_000i32..100_000, step in 0i32..400, n in 0i32..300, decimals in 0u8..14,
    ) {
        let rows: Vec<VintageObservation> = (0..n).map(|i| VintageObservation {
            date: day_from_number(start + i * step).unwrap(),
            known_from: day_from_number(start),
            value: Some(f64::from(i * 37 - n) / 10f64.powi(decimals.into())),
        }).collect();
        round_trip(&rows);
    }

    #[test]
    fn hostile_bytes_give_rows_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut with_head = vec![FORMAT];
        with_head.extend(&bytes);
        for input in [bytes, with_head] {
            let rows = decode(&input).unwrap_or_default();
            prop_assert!(rows.len() <= input.len());
            prop_assert!(rows.iter().all(|r| r.value.is_none_or(f64::is_finite)));
        }
    }

    #[test]
    fn damaged_bytes_give_rows_or_an_error(
        mut rows in prop::collection::vec(any_row(), 1..50), position in any::<prop::sample::Index>(), flip in 1u8..,
    ) {
        rows.sort_by_key(|r| r.date);
        let mut bytes = encode(&rows);
        let at = position.index(bytes.len());
        bytes[at] ^= flip;
        let rows = decode(&bytes).unwrap_or_default();
        prop_assert!(rows.len() <= bytes.len());
    }
}
