//! First prints that came since a day, beside what could be expected of them.

use crate::endpoints::prelude::*;
use crate::endpoints::release_calendar::{LastPrint, figure, said};
use econoscope_core::indicators::expectation::FORMULAS;

/// A first print and its surprise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Surprise {
    /// Identifier.
    pub id: String,
    /// Full name.
    pub name: String,
    /// What was expected and printed.
    pub measure: String,
    /// Unit of print, expectation and surprise.
    pub unit: String,
    /// Print, expectation and surprise.
    #[serde(flatten)]
    pub print: LastPrint,
}

/// The newest print of each figure with a formula, where it came since a day; the greatest surprise first.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub(super) fn since(desk: &Desk, since: Date, as_of: AsOf) -> Result<Vec<Surprise>> {
    let mut found = Vec::new();
    for formula in FORMULAS.iter() {
        let info = desk.resolve("series", formula.id)?;
        let Some(figure) = figure(desk, &info, (None, as_of))? else {
            continue;
        };
        if let (Some(print), Some(measure), Some(unit)) = (figure.last, figure.measure, figure.unit)
            && print.date > since
            && print.deviations.is_some()
        {
            found.push(Surprise {
                id: figure.series_id,
                name: figure.name,
                measure,
                unit,
                print,
            });
        }
    }
    let size = |s: &Surprise| s.print.deviations.map_or(0.0, f64::abs);
    found.sort_by(|a, b| size(b).total_cmp(&size(a)));
    Ok(found)
}

/// "\nSurprises of the newest releases, greatest first: …"; a word where there was none.
pub(super) fn in_prose(surprises: &[Surprise]) -> String {
    if surprises.is_empty() {
        return " no newer print of a figure with an expectation.".to_owned();
    }
    let line = |s: &Surprise| {
        let said = said(&s.print, &s.measure);
        format!(
            "\n- {} ({}) {}, {}, {}: {said}",
            s.name, s.id, s.print.period, s.measure, s.unit
        )
    };
    let lines: String = surprises.iter().map(line).collect();
    format!("\nSurprises of releases, greatest first:{lines}")
}
