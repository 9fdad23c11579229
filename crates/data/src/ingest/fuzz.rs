//! Doors for `fuzz/` to parsers that nothing outside needs; not compiled otherwise.

use super::fetch::Response;
use super::table;

/// Reads a file as every source and an operator may hand it over; rows that come out are in order and numbers.
pub fn table(bytes: &[u8]) {
    let _ = table::is_cut_off(bytes);
    for name in [None, Some("DGS10")] {
        let Ok(columns) = table::read(bytes, name) else {
            continue;
        };
        for column in columns {
            let rows = column.known(None);
            let key = |row: &econoscope_core::model::Known| (row.date, row.known_from);
            assert!(rows.is_sorted_by(|a, b| key(a) < key(b)), "days in order");
            assert!(
                rows.iter().all(|r| r.value.is_none_or(f64::is_finite)),
                "numbers only"
            );
        }
    }
}

/// Reads an answer of FRED, with and without a key, and of the board.
pub fn fred(status: u16, kind: &str, body: &[u8]) {
    super::sources::fuzz(&Response::of(status, kind, body));
}

/// Reads a feed; what comes out is fit to be shown.
pub fn feed(body: &[u8]) {
    super::feeds::fuzz(body);
}
