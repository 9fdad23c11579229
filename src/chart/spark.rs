//! A line without axes, for places as small as a word.

use super::plot::Plot;
use super::{ChartSpec, Line, put};

/// A chart's first line as a small curve with a dot on its last value, in the page's colours.
///
/// Empty when there are fewer than two points. It is decoration beside a figure: hidden from readers aloud.
pub fn spark(spec: &ChartSpec) -> String {
    let palette = spec.theme.palette();
    let (Some(line), Some(shown)) = (
        spec.lines.first().filter(|l| l.points.len() > 1),
        spec.dates(),
    ) else {
        return String::new();
    };
    let Some(plot) = lay(spec, line) else {
        return String::new();
    };
    let (width, height) = (f64::from(spec.size.0), f64::from(spec.size.1));
    let mut out = String::with_capacity(2_048);
    put(
        &mut out,
        format_args!(
            "<svg class=\"spark\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             aria-hidden=\"true\" focusable=\"false\">"
        ),
    );
    for (x, wide) in spec.shading.iter().filter_map(|s| plot.band(*s, shown)) {
        put(
            &mut out,
            format_args!(
                "<rect x=\"{x:.1}\" width=\"{wide:.1}\" height=\"{height}\" fill=\"{}\"/>",
                palette.shade
            ),
        );
    }
    put(
        &mut out,
        format_args!(
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-linejoin=\"round\" \
             stroke-linecap=\"round\"/>",
            plot.path(line, 1.0),
            palette.lines[0]
        ),
    );
    if let Some(last) = line.points.last() {
        put(
            &mut out,
            format_args!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.6\" fill=\"{}\"/>",
                plot.x(last.date),
                plot.y(last.value),
                palette.lines[0]
            ),
        );
    }
    out.push_str("</svg>");
    out
}

/// The line fills the whole height.
fn lay(spec: &ChartSpec, line: &Line) -> Option<Plot> {
    let (days, mut values) = Plot::axes(spec, 1.0, 4.0)?;
    let sizes = || line.points.iter().map(|o| o.value);
    let least = sizes().fold(f64::INFINITY, f64::min);
    let most = sizes().fold(f64::NEG_INFINITY, f64::max);
    if most > least {
        (values.low, values.high) = (least, most);
    }
    Some(Plot {
        left: 2.0,
        top: 4.0,
        width: f64::from(spec.size.0) - 8.0,
        height: f64::from(spec.size.1) - 8.0,
        days,
        values,
    })
}
