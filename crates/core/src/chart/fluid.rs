//! Charts that fill their container: positions are percentages, and neither text nor strokes are stretched.

use super::frame::FONTS;
use super::palette::{MUTED, RULE, SHADE};
use super::plot::Plot;
use super::spec::{ChartSpec, Line};
use super::unit::{Scale, escaped};

/// Width and height of the area that is stretched, in its own units.
const SIZE: f64 = 500.0;

/// Renders a chart's lines as small curves with a dot on the last value of the first one, in the page's colours.
///
/// Empty if there are fewer than two points. It is decoration beside a figure and hidden from screen readers.
pub fn render_sparkline(spec: &ChartSpec) -> String {
    let class = r#"class="spark" aria-hidden="true" focusable="false""#;
    render(spec, class, false)
}

/// Renders a chart that fills its container, with axis labels inside the plot. Empty if there are fewer than two points.
pub fn render_fluid(spec: &ChartSpec) -> String {
    let label = escaped(&spec.describe());
    let class = format!(r#"class="fluid" role="img" aria-label="{label}" font-family="{FONTS}""#);
    render(spec, &class, true)
}

fn render(spec: &ChartSpec, class: &str, has_labels: bool) -> String {
    let has_line = spec.lines.iter().any(|l| l.points.len() > 1);
    let scale = spec.scale();
    let factor = if has_labels { scale.factor } else { 1.0 };
    let plot = Plot::new(spec, factor, 4.0).filter(|_| has_line);
    let Some(mut plot) = plot else {
        return String::new();
    };
    (plot.width, plot.height) = (SIZE, SIZE);
    // Without labels the axis need not end at ticks.
    let [low, high] = range(spec);
    if !has_labels && high > low {
        // Halves, because the distance of two numbers can overflow.
        let margin = (high * 0.5 - low * 0.5) * 0.14;
        plot.left_axis.low = (low - margin).max(f64::MIN);
        plot.left_axis.high = (high + margin).min(f64::MAX);
    }
    let mut out = format!(r#"<svg {class} width="100%" height="100%">"#);
    for (x, width) in plot.bands(&spec.shading) {
        let x = percent(x);
        let width = percent(width);
        out += &format!(r#"<rect x="{x:.2}%" width="{width:.2}%" height="100%" fill="{SHADE}"/>"#);
    }
    if has_labels {
        draw_axes(&mut out, &plot, &scale);
    }
    draw_lines(&mut out, spec, &plot, has_labels);
    out + "</svg>"
}

/// Returns the lowest and the highest value of all lines.
fn range(spec: &ChartSpec) -> [f64; 2] {
    let extremes = || spec.lines.iter().filter_map(Line::extremes);
    let lowest = extremes().map(|(lowest, _)| lowest.value);
    let highest = extremes().map(|(_, highest)| highest.value);
    [
        lowest.fold(f64::INFINITY, f64::min),
        highest.fold(f64::NEG_INFINITY, f64::max),
    ]
}

fn percent(place: f64) -> f64 {
    place / SIZE * 100.0
}

/// Draws grid lines with their labels above them at the left edge, the highest with its unit, and days at the bottom.
fn draw_axes(out: &mut String, plot: &Plot, scale: &Scale) {
    for (tick, label) in plot.left_axis.labels() {
        let label = if tick < plot.left_axis.high {
            label
        } else {
            escaped(&scale.format_tick(tick, plot.left_axis.decimals))
        };
        let y = percent(plot.y(tick));
        // The style sheet hides "next" in low containers, where it would overlap the highest label.
        let (dy, class) = match y {
            ..8.0 => (11, "high"),
            ..40.0 => (-3, "mark next"),
            _ => (-3, "mark"),
        };
        *out += &format!(
            r#"<line x2="100%" y1="{y:.2}%" y2="{y:.2}%" stroke="{RULE}"/><text class="{class}" y="{y:.2}%" dy="{dy}" fill="{MUTED}">{label}</text>"#
        );
    }
    for (n, (day, label)) in plot.time.labels(6).into_iter().enumerate() {
        let x = percent(plot.x(day));
        // The style sheet hides "odd" in narrow containers.
        let class = if n % 2 == 1 { "when odd" } else { "when" };
        // The label of the lowest tick is to the left.
        if (18.0..93.0).contains(&x) {
            *out += &format!(
                r#"<text class="{class}" x="{x:.2}%" y="100%" dy="-3" text-anchor="middle" fill="{MUTED}">{label}</text>"#
            );
        }
    }
}

fn draw_lines(out: &mut String, spec: &ChartSpec, plot: &Plot, has_labels: bool) {
    let factor = if has_labels { spec.scale().factor } else { 1.0 };
    *out += &format!(
        r#"<svg viewBox="0 0 {SIZE} {SIZE}" preserveAspectRatio="none" width="100%" height="100%" overflow="visible">"#
    );
    let mut dots = String::new();
    for line in spec.lines_back_to_front() {
        let colour = line.color();
        let path = plot.path(&spec.visible(line), factor);
        *out += &format!(
            r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.7" stroke-linejoin="round" stroke-linecap="round" vector-effect="non-scaling-stroke"/>"#
        );
        let first = spec.lines.first();
        let has_dot = first.is_some_and(|first| std::ptr::eq(first, line));
        if let Some(last) = line.points.last().filter(|_| has_labels || has_dot) {
            let x = percent(plot.x(last.date));
            let y = percent(plot.line_y(line, last.value, factor));
            dots += &format!(r#"<circle cx="{x:.2}%" cy="{y:.2}%" r="3" fill="{colour}"/>"#);
        }
    }
    out.push_str("</svg>");
    out.push_str(&dots);
}
