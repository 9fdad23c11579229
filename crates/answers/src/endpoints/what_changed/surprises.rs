//! First prints since a day, and how much they surprised.

use crate::endpoints::release_calendar::{LastPrint, format_value, scheduled_figure};
use crate::prelude::*;
use econoscope_core::indicators::expectation::FORMULAS;

/// Most surprises in an answer.
const MAX_SURPRISES: usize = 5;

/// A first print and its surprise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Surprise {
    /// Identifier.
    pub id: String,
    /// Full name.
    pub name: String,
    /// Measure of the figure.
    pub measure: String,
    /// Unit of print, expectation and surprise.
    pub unit: String,
    /// Print, expectation and surprise.
    #[serde(flatten)]
    pub print: LastPrint,
}

/// Returns the newest print of each figure with an expectation, if it is later than `since`; the greatest surprises
/// alone, the greatest first.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub(super) fn surprises_since(desk: &Desk, since: Date, as_of: AsOf) -> Result<Vec<Surprise>> {
    let mut surprises = Vec::new();
    for formula in FORMULAS.iter() {
        let info = desk.resolve("series", formula.id)?;
        let Some(figure) = scheduled_figure(desk, &info, None, as_of)? else {
            continue;
        };
        if let (Some(print), Some(measure), Some(unit)) = (figure.last, figure.measure, figure.unit)
            && print.date > since
            && print.deviations.is_some()
        {
            surprises.push(Surprise {
                id: figure.series_id,
                name: figure.name,
                measure,
                unit,
                print,
            });
        }
    }
    let size = |s: &Surprise| s.print.deviations.map_or(0.0, f64::abs);
    surprises.sort_by(|a, b| size(b).total_cmp(&size(a)));
    surprises.truncate(MAX_SURPRISES);
    Ok(surprises)
}

/// Renders one line per surprise, or says that there is none.
pub(super) fn render(surprises: &[Surprise]) -> String {
    if surprises.is_empty() {
        return "\nNo newer print of a figure with an expectation.".to_owned();
    }
    let line = |s: &Surprise| {
        let measure = s
            .measure
            .replacen("change from the month before", "change", 1);
        let value = |value: f64| format_value(value, &s.measure);
        let expected = cell(s.print.expected.as_ref().map(|e| value(e.value)));
        format!(
            "\n- {} ({}), {}, {measure}: {} {}, {expected} ({})",
            s.name,
            s.id,
            s.print.period,
            value(s.print.value),
            spell_out_unit(&s.unit),
            format_signed(s.print.deviations.unwrap_or_default(), 1)
        )
    };
    let lines: String = surprises.iter().map(line).collect();
    format!(
        "\nSurprises, greatest first (came, expected by a mechanical rule, in standard deviations):{lines}"
    )
}
