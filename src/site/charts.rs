//! Charts of the answers of `get_time_series` and `compare_series`.

use super::prelude::*;
use super::text::parse_frequency;
use super::view::with_axes;
use econoscope_answers::endpoints::compare_series::{ComparedColumn, Comparison};
use econoscope_answers::endpoints::time_series::recessions;
pub(super) use econoscope_answers::endpoints::time_series::{line, plot};
use econoscope_core::chart::{
    ChartSpec, GHOST_COLOR, Line, RIGHT_UNIT_SEPARATOR, render_panels, render_svg,
};
use econoscope_core::format::unit_name;

/// A chart and the panels below it.
pub(super) type Panels = (ChartSpec, Vec<ChartSpec>);

/// Plots a comparison. A second unit has the right axis; from three units on, each has a panel of its own. For a past
/// reference day, `now` has the figures of today, which are drawn in front of those of `answer`.
pub(super) fn plot_comparison(
    request: &PageRequest,
    answer: &Comparison,
    now: Option<&Comparison>,
) -> Panels {
    let (answer, then) = now.map_or((answer, None), |now| (now, Some(answer)));
    let mut units: Vec<&str> = Vec::new();
    for column in &answer.columns {
        if !units.contains(&&*column.unit) {
            units.push(&column.unit);
        }
    }
    let chart = |chart_units: &[&str]| {
        let columns = answer.columns.iter().enumerate();
        let own = columns.filter(|(_, column)| chart_units.contains(&&*column.unit));
        let lines = own.flat_map(|(color, column)| {
            let is_right = chart_units.first() != Some(&&*column.unit);
            let past = then.and_then(|then| Some((then, same_column(then, column)?)));
            let ghost = past.map(|(then, column)| Line {
                name: "then".to_owned(),
                color: GHOST_COLOR,
                is_right,
                ..column_line(then, column)
            });
            let line = Line {
                is_right,
                color,
                ..column_line(answer, column)
            };
            [line].into_iter().chain(ghost)
        });
        let unit_names = chart_units.iter().map(|unit| unit_name(unit));
        let spec = ChartSpec {
            title: format_titles(answer),
            unit: join(unit_names, RIGHT_UNIT_SEPARATOR),
            unit_short: chart_units.first().copied().unwrap_or_default().to_owned(),
            decimals: 2,
            lines: lines.collect(),
            shading: recessions(),
            ..ChartSpec::default()
        };
        with_axes(spec, request)
    };
    // Two units share a chart.
    let units_per_chart = if units.len() == 2 { 2 } else { 1 };
    let mut charts: Vec<ChartSpec> = units.chunks(units_per_chart).map(chart).collect();
    let ranges: Vec<_> = charts.iter().filter_map(ChartSpec::dates).collect();
    let starts = ranges.iter().map(|r| r.0);
    let ends = ranges.iter().map(|r| r.1);
    let days = starts.min().zip(ends.max());
    charts.iter_mut().for_each(|chart| chart.days = days);
    let mut panels = charts.into_iter();
    (panels.next().unwrap_or_default(), panels.collect())
}

/// Returns the column of another comparison with the same series and unit.
pub(super) fn same_column<'a>(
    other: &'a Comparison,
    column: &ComparedColumn,
) -> Option<&'a ComparedColumn> {
    let mut columns = other.columns.iter();
    columns.find(|c| c.series == column.series && c.unit == column.unit)
}

/// Builds the line of a column.
pub(super) fn column_line(answer: &Comparison, column: &ComparedColumn) -> Line {
    let rows = answer.dates.iter().zip(&column.values);
    let points = rows.filter_map(|(date, value)| Some(Observation::new(*date, (*value)?)));
    Line {
        name: match answer.columns.len() {
            1 => String::new(),
            _ => column.series.clone(),
        },
        points: points.collect(),
        frequency: if answer.dates.len() < answer.rows {
            // With rows left out, distant points are no gap.
            Frequency::Annual
        } else {
            parse_frequency(Some(&answer.frequency))
        },
        is_right: false,
        color: 0,
    }
}

/// Formats the titles of a comparison's columns.
pub(super) fn format_titles(answer: &Comparison) -> String {
    let titles = answer.columns.iter().map(|column| {
        let title = column.title.as_deref();
        match column.series.strip_prefix("index(") {
            // The unit says that it is an index.
            Some(inner) => {
                let code = inner.split([',', ')']).next().unwrap_or(inner);
                let inner_title = title.map(|t| t.rsplit_once(", ").map_or(t, |(inner, _)| inner));
                format_title(code, inner_title)
            }
            None => format_title(&column.series, title),
        }
    });
    join(titles, ", ")
}

/// Formats a title with its code: "Unemployment Rate (UNRATE)".
pub(super) fn format_title(code: &str, title: Option<&str>) -> String {
    title.map_or_else(|| code.to_owned(), |title| format!("{title} ({code})"))
}

/// Draws a waterfall as HTML, once for wide and once for narrow screens, as high as its bars need.
pub(super) fn draw_bars(spec: &ChartSpec) -> String {
    let bars = u16::try_from(spec.bars.len()).unwrap_or(1);
    let draw = |width, row| render_svg(&spec.clone().into_plot(width, 30 + bars * row));
    both(&draw(1100, 34), &draw(350, 46))
}

fn both(wide: &str, narrow: &str) -> String {
    format!("<div class=\"plot wide\">{wide}</div><div class=\"plot narrow\">{narrow}</div>")
}

/// Draws a chart and its panels as HTML, once for wide and once for narrow screens. Panels are less high than a single
/// chart.
pub(super) fn draw(spec: &ChartSpec, others: &[ChartSpec]) -> String {
    let count = u16::try_from(others.len() + 1).unwrap_or(1);
    let (wide, narrow) = match count {
        1 => (420, 280),
        count => (200 * count, 170 * count),
    };
    let draw = |width, height| render_panels(&spec.clone().into_plot(width, height), others);
    both(&draw(1100, wide), &draw(380, narrow))
}
