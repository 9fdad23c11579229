//! Curves that fill whatever room they get: places are shares of it, and no letter or stroke is stretched.

use super::frame::FONTS;
use super::palette::{MUTED, RULE, SHADE};
use super::plot::Plot;
use super::spec::{ChartSpec, Line};
use super::unit::{Scale, escaped};
use std::fmt::Write;

/// Units across and down the field that is stretched.
const FIELD: f64 = 500.0;

/// A chart's first line as a small curve with a dot on its last value, in the page's colours.
///
/// Empty when there are fewer than two points. It is decoration beside a figure: hidden from readers aloud.
pub fn spark(spec: &ChartSpec) -> String {
    let mut first = spec.clone();
    first.lines.truncate(1);
    let class = r#"class="spark" aria-hidden="true" focusable="false""#;
    drawn(&first, class, false)
}

/// A chart that fills its frame, with marks at the edges; empty when there are fewer than two points.
pub fn fluid(spec: &ChartSpec) -> String {
    let label = escaped(&spec.sentence());
    let class = format!(r#"class="fluid" role="img" aria-label="{label}" font-family="{FONTS}""#);
    drawn(spec, &class, true)
}

fn drawn(spec: &ChartSpec, class: &str, has_marks: bool) -> String {
    let has_line = spec.lines.iter().any(|l| l.points.len() > 1);
    let factor = if has_marks { spec.scale().factor } else { 1.0 };
    let plot = Plot::axes(spec, factor, 4.0).filter(|_| has_line);
    let Some((days, mut values, right)) = plot else {
        return String::new();
    };
    if !has_marks {
        // Without marks nothing is gained by round ends.
        let ends = spec.lines.first().and_then(Line::extremes);
        let (low, high) = ends.map_or((0.0, 0.0), |(low, high)| (low.value, high.value));
        if high > low {
            // Halves, since the distance of two numbers may be larger than any number.
            let room = (high * 0.5 - low * 0.5) * 0.14;
            values.low = (low - room).max(f64::MIN);
            values.high = (high + room).min(f64::MAX);
        }
    }
    let plot = Plot {
        left: 0.0,
        top: 0.0,
        width: FIELD,
        height: FIELD,
        days,
        values,
        right,
    };
    let mut out = format!(r#"<svg {class} width="100%" height="100%">"#);
    shading(&mut out, spec, &plot);
    if has_marks {
        marks(&mut out, &plot, &spec.scale());
    }
    lines(&mut out, spec, &plot, factor);
    out + "</svg>"
}

/// A place in the field as a share of the room.
fn share(place: f64) -> f64 {
    place / FIELD * 100.0
}

fn shading(out: &mut String, spec: &ChartSpec, plot: &Plot) {
    let Some(shown) = spec.dates() else {
        return;
    };
    for (x, width) in spec.shading.iter().filter_map(|s| plot.band(*s, shown)) {
        let (x, width) = (share(x), share(width));
        // A String takes whatever is written to it.
        let _ = write!(
            out,
            r#"<rect x="{x:.2}%" width="{width:.2}%" height="100%" fill="{SHADE}"/>"#
        );
    }
}

/// Level lines with their figures above them at the left edge, the highest with its unit, and days along the lower one.
fn marks(out: &mut String, plot: &Plot, scale: &Scale) {
    for (mark, level) in plot.values.levels() {
        let level = match mark < plot.values.high {
            true => level,
            false => escaped(&scale.mark(mark, plot.values.decimals)),
        };
        let y = share(plot.y(mark));
        // In a low frame the one below the highest would lie on it.
        let (above, label) = match y {
            ..8.0 => (11, "high"),
            ..40.0 => (-3, "mark next"),
            _ => (-3, "mark"),
        };
        let _ = write!(
            out,
            r#"<line x2="100%" y1="{y:.2}%" y2="{y:.2}%" stroke="{RULE}"/><text class="{label}" y="{y:.2}%" dy="{above}" fill="{MUTED}">{level}</text>"#
        );
    }
    for (n, (day, label)) in plot.days.marks(6).into_iter().enumerate() {
        let x = share(plot.x(day));
        // In a narrow frame every other one is left out. To the left stands the lowest figure.
        let class = if n % 2 == 1 { "when odd" } else { "when" };
        if (18.0..93.0).contains(&x) {
            let _ = write!(
                out,
                r#"<text class="{class}" x="{x:.2}%" y="100%" dy="-3" text-anchor="middle" fill="{MUTED}">{label}</text>"#
            );
        }
    }
}

fn lines(out: &mut String, spec: &ChartSpec, plot: &Plot, factor: f64) {
    let _ = write!(
        out,
        r#"<svg viewBox="0 0 {FIELD} {FIELD}" preserveAspectRatio="none" width="100%" height="100%" overflow="visible">"#
    );
    for line in spec.drawn() {
        let colour = line.color();
        let path = plot.path(&spec.visible(line), factor);
        let _ = write!(
            out,
            r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.7" stroke-linejoin="round" stroke-linecap="round" vector-effect="non-scaling-stroke"/>"#
        );
    }
    out.push_str("</svg>");
    for line in spec.drawn() {
        let colour = line.color();
        if let Some(last) = line.points.last() {
            let x = share(plot.x(last.date));
            let y = share(plot.place(line, last.value, factor));
            let _ = write!(
                out,
                r#"<circle cx="{x:.2}%" cy="{y:.2}%" r="3" fill="{colour}"/>"#
            );
        }
    }
}
