//! Asks before a figure is believed that no unit of its series explains.
//!
//! A source that turns billions into trillions, or percent into shares, sends well-formed figures. Each is held
//! against the [`BESIDE`] figures held up to its own date (before the first: against the first ones) and is doubted
//! when it lies both
//! - [`FACTOR`] times above the largest or below the smallest of those, by size, and
//! - outside the whole range of sizes that the series has ever had.
//!
//! So a rate that rises from 0.05 to 5.33 is believed, for it has been there before, as are claims of 2020 (29 times the
//! week before). A series that was zero or on both sides of it may become as small as it likes. Above [`LARGEST`]
//! nothing is believed, also of a series that is new.

use econoscope_core::model::{Known, Observation};

/// A little less than a hundred: percent as shares are just that, and a figure may move as well.
const FACTOR: f64 = 90.0;
/// Figures that a new one is held against.
const BESIDE: usize = 12;
/// No economic figure is as large in any unit.
const LARGEST: f64 = 1e18;

/// The first figure that came and should not be believed, in words; `None` when all may be.
pub(super) fn doubt(held: &[Observation], came: &[Known]) -> Option<String> {
    let (least, most) = sizes(held);
    let crosses = held.iter().any(|o| o.value >= 0.0) && held.iter().any(|o| o.value <= 0.0);
    let given = came.iter().filter_map(|row| Some((row.date, row.value?)));
    for (date, value) in given {
        let size = value.abs();
        if size > LARGEST {
            return Some(format!("{value:e} for {date} is no economic figure"));
        }
        let upto = held.partition_point(|o| o.date <= date);
        let beside = match upto {
            0 => held.get(..BESIDE.min(held.len())),
            _ => held.get(upto.saturating_sub(BESIDE)..upto),
        };
        let beside = beside.unwrap_or_default();
        let (low, high) = sizes(beside);
        let high = if high > 0.0 { high } else { most };
        let grown = high > 0.0 && size > most && size > high * FACTOR;
        let shrunk =
            !held.is_empty() && !crosses && size > 0.0 && size < least && size < low / FACTOR;
        if grown || shrunk {
            let near = beside.last().map_or(0.0, |o| o.value);
            return Some(format!(
                "{value} for {date} lies about a hundredfold off the figures beside it ({near}) and outside all that were ever held"
            ));
        }
    }
    None
}

/// The smallest and the largest size.
fn sizes(figures: &[Observation]) -> (f64, f64) {
    let sizes = || figures.iter().map(|o| o.value.abs());
    (
        sizes().fold(f64::INFINITY, f64::min),
        sizes().fold(0.0, f64::max),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::model::Date;
    use econoscope_core::model::frequency::day_from_number;

    fn held(values: &[f64]) -> Vec<Observation> {
        (0i32..)
            .zip(values)
            .map(|(n, v)| Observation::new(day_from_number(n).unwrap(), *v))
            .collect()
    }

    fn doubted(before: &[f64], after: f64) -> bool {
        let next = day_from_number(i32::try_from(before.len()).unwrap()).unwrap();
        doubt(&held(before), &[known(next, after)]).is_some()
    }

    fn known(date: Date, value: f64) -> Known {
        Known {
            date,
            known_from: None,
            value: Some(value),
        }
    }

    #[test]
    fn another_unit_is_doubted() {
        let mut product = vec![243.0, 900.0, 9_000.0];
        product.extend([29_000.0; BESIDE]);
        for wrong in [29.5, 29_500_000.0, 1e308, -1e308] {
            assert!(doubted(&product, wrong), "{wrong}");
        }
        assert!(doubted(&[3.9, 4.1, 4.2], 0.042), "percent as shares");
        assert!(doubted(&[0.039, 0.041, 0.042], 4.2), "shares as percent");
        assert!(doubted(&[0.0, 0.0], 1e300) && doubted(&[], 1e300));
    }

    #[test]
    fn real_moves_are_believed() {
        for (before, after) in [
            (&[282.0, 211.0, 6_137.0 / 29.0][..], 6_137.0),
            (&[5.33, 0.05, 0.04], 5.3),
            (&[0.05, 5.33, 5.3, 5.2], 0.05),
            (&[0.5, 0.01, -0.02], 1.7),
            (&[1.0, 0.0, 900.0, 0.0, 0.0], 850.0),
            (&[0.0, 0.0, 0.0], 1.0),
            (&[0.2, -0.3, 0.4], 0.0001),
            (&[4.2, 4.1], 0.0),
        ] {
            assert!(!doubted(before, after), "{before:?} then {after}");
        }
    }

    #[test]
    fn a_revision_long_ago_is_held_against_its_own_time() {
        let mut history = vec![243.0; 12];
        history.extend([29_000.0; 24]);
        let first = day_from_number(0).unwrap();
        let before = day_from_number(-9).unwrap();
        assert_eq!(
            doubt(
                &held(&history),
                &[known(first, 242.9), known(before, 241.0)]
            ),
            None
        );
        assert!(doubt(&held(&history), &[known(first, 0.243)]).is_some());
    }
}
