//! Typing errors by their likelihood.

/// Rows of a keyboard, digits above letters.
const KEYS: [&[u8]; 4] = [b"1234567890", b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];

/// Returns how unlikely the typing error is that turns `intended` into `typed`: 0 for a doubled or undoubled key, a
/// neighbouring key, or two swapped keys; 1 for another missing or extra key; 2 for another key; 3 for anything else.
pub(super) fn rank(typed: &str, intended: &str) -> u8 {
    let (typed, intended) = (typed.as_bytes(), intended.as_bytes());
    let start = typed
        .iter()
        .zip(intended)
        .take_while(|(a, b)| a == b)
        .count();
    let before = start.checked_sub(1).and_then(|i| typed.get(i));
    match (
        typed.get(start..).unwrap_or(&[]),
        intended.get(start..).unwrap_or(&[]),
    ) {
        ([x, rest @ ..], b) if rest == b => u8::from(before != Some(x)),
        (a, [y, rest @ ..]) if rest == a => u8::from(before != Some(y)),
        ([x, y, rest @ ..], [v, w, tail @ ..]) if x == w && y == v && rest == tail => 0,
        ([x, rest @ ..], [y, tail @ ..]) if rest == tail => match are_similar(*x, *y) {
            true => 0,
            false => 2,
        },
        _ => 3,
    }
}

/// Returns whether two keys are neighbours or look alike.
fn are_similar(a: u8, b: u8) -> bool {
    let position = |key: u8| {
        KEYS.iter().zip(0i8..).find_map(|(row, y)| {
            let x = row.iter().zip(0i8..).find(|(k, _)| **k == key)?.1;
            Some((x, y))
        })
    };
    let look_alike = matches!(
        (a, b),
        (b'0', b'o') | (b'o', b'0') | (b'1', b'l' | b'i') | (b'l' | b'i', b'1')
    );
    look_alike
        || position(a)
            .zip(position(b))
            .is_some_and(|((x, y), (v, w))| x.abs_diff(v) <= 1 && y.abs_diff(w) <= 1)
}
