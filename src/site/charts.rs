//! Charts of what `get_time_series` and `compare_series` answer.

use econoscope_answers::endpoints::compare_series::{ComparedColumn, Comparison};
use econoscope_answers::endpoints::recessions;
pub(super) use econoscope_answers::endpoints::time_series::{line, plot};
use econoscope_core::chart::{ChartSpec, GHOST, Line, RIGHT};
use econoscope_core::format::spelled;
use econoscope_core::model::{Frequency, Observation};

/// A chart, and those below it where it has one for each unit.
pub(super) type Panels = (ChartSpec, Vec<ChartSpec>);

/// The plot of a comparison, columns of a second unit on the right axis. There are two axes: three units and more have
/// a panel each, below each other. Behind each column stands the same of `then`, as it was known on a past day.
pub(super) fn compared((o, then): (&Comparison, Option<&Comparison>), is_log: bool) -> Panels {
    let mut units: Vec<&str> = Vec::new();
    for column in &o.columns {
        if !units.contains(&&*column.unit) {
            units.push(&column.unit);
        }
    }
    let spec = |own: &[&str], unit: String| {
        let columns = o.columns.iter().enumerate();
        let columns = columns.filter(|(_, column)| own.contains(&&*column.unit));
        let lines = columns.flat_map(|(color, column)| {
            let is_right = own.first() != Some(&&*column.unit);
            let ghost = then.and_then(|then| Some((then, same(then, column)?)));
            let ghost = ghost.map(|(then, column)| Line {
                name: "then".to_owned(),
                color: GHOST,
                is_right,
                ..side_by_side(then, column)
            });
            let line = Line {
                is_right,
                color,
                ..side_by_side(o, column)
            };
            [line].into_iter().chain(ghost)
        });
        let spec = ChartSpec {
            title: titles(o),
            unit,
            unit_short: own.first().copied().unwrap_or_default().to_owned(),
            decimals: 2,
            lines: lines.collect(),
            shading: recessions(),
            ..ChartSpec::default()
        };
        if is_log { spec.on_log_axes() } else { spec }
    };
    match units.as_slice() {
        [first, second] => (
            spec(&units, spelled(first) + RIGHT + &spelled(second)),
            Vec::new(),
        ),
        [first, rest @ ..] if !rest.is_empty() => {
            let panel = |unit: &&str| spec(&[*unit], spelled(unit));
            let (mut first, mut rest) = (panel(first), rest.iter().map(panel).collect::<Vec<_>>());
            let shown = || {
                std::iter::once(&first)
                    .chain(&rest)
                    .filter_map(ChartSpec::dates)
            };
            let days = shown().map(|d| d.0).min().zip(shown().map(|d| d.1).max());
            first.days = days;
            rest.iter_mut().for_each(|panel| panel.days = days);
            (first, rest)
        }
        _ => (spec(&units, spelled(&units.concat())), Vec::new()),
    }
}

/// The column of the same series in the same unit.
pub(super) fn same<'a>(o: &'a Comparison, column: &ComparedColumn) -> Option<&'a ComparedColumn> {
    let mut columns = o.columns.iter();
    columns.find(|other| other.series == column.series && other.unit == column.unit)
}

/// A column as a line.
pub(super) fn side_by_side(o: &Comparison, column: &ComparedColumn) -> Line {
    let rows = o.dates.iter().zip(&column.values);
    let rows = rows.filter_map(|(date, value)| Some(Observation::new(*date, (*value)?)));
    Line {
        name: match o.columns.len() {
            1 => String::new(),
            _ => column.series.clone(),
        },
        points: rows.collect(),
        frequency: match o.dates.len() < o.rows {
            // Rows were left out; that is no gap.
            true => Frequency::Annual,
            false => o.frequency.parse().unwrap_or(Frequency::Daily),
        },
        is_right: false,
        color: 0,
    }
}

/// The columns of a comparison by their titles and codes.
pub(super) fn titles(o: &Comparison) -> String {
    let all = o.columns.iter().map(|column| {
        let title = column.title.as_deref();
        match column.series.strip_prefix("index(") {
            // What an index is of; that it is one, the unit says.
            Some(of) => {
                let of = of.split([',', ')']).next().unwrap_or(of);
                titled(
                    of,
                    title.map(|t| t.rsplit_once(", ").map_or(t, |(title, _)| title)),
                )
            }
            None => titled(&column.series, title),
        }
    });
    all.collect::<Vec<_>>().join(", ")
}

/// "Unemployment Rate (UNRATE)"; a code alone where it has no title.
pub(super) fn titled(code: &str, title: Option<&str>) -> String {
    title.map_or_else(|| code.to_owned(), |title| format!("{title} ({code})"))
}
