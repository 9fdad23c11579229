//! A door for `fuzz/` to a parser that nothing outside needs; not compiled otherwise.

use super::segment;

/// Decodes a row group; what decodes comes back the same after encoding.
pub fn segment(bytes: &[u8]) {
    let mut rows = Vec::new();
    if segment::decode(bytes, &mut rows).is_err() {
        return;
    }
    assert!(rows.len() <= bytes.len(), "more rows than bytes");
    if !rows.is_sorted_by_key(|r| r.date)
        || rows.iter().any(|r| r.value.is_some_and(|v| !v.is_finite()))
    {
        return;
    }
    let mut again = Vec::new();
    let read = segment::decode(&segment::encode(&rows), &mut again);
    assert!(read.is_ok() && again == rows, "a round trip");
}
