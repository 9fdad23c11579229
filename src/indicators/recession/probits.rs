//! What both versions of the recession probability share: the probit on three inputs.

use crate::indicators::statistics::normal_cdf;

/// The probit on spread, conditions and permits, 0 to 1; `None` when all three are absent.
///
/// Each combination of absent inputs has a probit of its own, fitted to the same target
/// (docs/METHODS.md#recession-probability).
pub fn second_term(drivers: [Option<f64>; 3]) -> Option<f64> {
    let second = match drivers {
        [Some(s), Some(f), Some(b)] => -0.4101 - 0.4916 * s + 0.8150 * f - 0.0268 * b,
        [Some(s), Some(f), None] => -0.2726 - 0.5104 * s + 0.9871 * f,
        [Some(s), None, Some(b)] => -0.4821 - 0.4456 * s - 0.0333 * b,
        [Some(s), None, None] => -0.2057 - 0.4567 * s,
        [None, Some(f), Some(b)] => -0.9149 + 0.8068 * f - 0.0259 * b,
        // docs/METHODS.md#recession-probability fits no probit to a single input other than the spread.
        [None, _, _] => return None,
    };
    Some(normal_cdf(second))
}
