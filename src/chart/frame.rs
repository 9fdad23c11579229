//! The drawing: ground, shading, grid, lines, last values, and the words around them.

use super::palette::{Palette, STYLE, Theme};
use super::plot::Plot;
use super::unit::{Scale, grouped};
use super::{ChartSpec, Extent, Line, escaped, put};
use crate::model::Observation;

/// Font families: the one that pictures embed, then the reader's own.
const FONTS: &str =
    "Inter, system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif";

/// Sizes of letters, by width of the drawing.
struct Letters {
    small: f64,
    title: f64,
}

/// A chart as SVG. Without a point it says so instead of drawing an empty grid.
pub fn svg(spec: &ChartSpec) -> String {
    let palette = spec.theme.palette();
    let (width, height) = (f64::from(spec.size.0), f64::from(spec.size.1));
    let wide = width >= 600.0;
    let letters = Letters {
        small: if wide { 13.0 } else { 11.5 },
        title: if wide { 20.0 } else { 15.0 },
    };
    let scale = Scale::of(spec);
    let mut out = String::with_capacity(16_384);
    put(
        &mut out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{}\" font-family=\"{FONTS}\" font-size=\"{}\">",
            escaped(&spec.sentence()),
            letters.small,
        ),
    );
    if spec.theme == Theme::Auto {
        put(&mut out, format_args!("<style>{STYLE}</style>"));
    }
    let margin = if spec.extent == Extent::Whole {
        20.0
    } else {
        2.0
    };
    let (mut top, mut bottom) = (10.0, height - letters.small - 8.0);
    if spec.extent == Extent::Whole {
        top = words(&mut out, spec, &scale, &palette, &letters);
        bottom = height - margin - letters.small * 2.6;
    }
    match lay(
        spec,
        &scale,
        &letters,
        (margin, top, width - margin, bottom),
    ) {
        Some(plot) => draw(&mut out, spec, &scale, &plot, &letters),
        None => put(
            &mut out,
            format_args!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\">No observations in this range</text>",
                width / 2.0,
                f64::midpoint(top, bottom),
                palette.muted
            ),
        ),
    }
    out.push_str("</svg>");
    out
}

/// Ground, title, unit, footer; returns where the plot may begin.
fn words(
    out: &mut String,
    spec: &ChartSpec,
    scale: &Scale,
    palette: &Palette,
    letters: &Letters,
) -> f64 {
    let (width, height) = (f64::from(spec.size.0), f64::from(spec.size.1));
    put(
        out,
        format_args!(
            "<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
            palette.paper
        ),
    );
    let room = usize::from(spec.size.0 / if width >= 600.0 { 11 } else { 8 });
    put(
        out,
        format_args!(
            "<text x=\"20\" y=\"{}\" font-size=\"{}\" font-weight=\"600\" fill=\"{}\">{}</text>",
            20.0 + letters.title * 0.75,
            letters.title,
            palette.ink,
            escaped(&cut(&spec.title, room)),
        ),
    );
    let mut unit = if scale.factor == 1.0 {
        spec.unit.clone()
    } else {
        scale.unit.clone()
    };
    if let Some((first, last)) = spec.dates() {
        unit.push_str(&format!(", {first} to {last}"));
    }
    if spec.shading.iter().any(|s| in_view(spec, s.start, s.end)) {
        unit.push_str("; shaded: NBER recessions");
    }
    let second = 20.0 + letters.title * 0.75 + letters.small * 1.6;
    put(
        out,
        format_args!(
            "<text x=\"20\" y=\"{second}\" fill=\"{}\">{}</text>",
            palette.muted,
            escaped(&unit)
        ),
    );
    let foot = height - 18.0;
    put(
        out,
        format_args!(
            "<text x=\"20\" y=\"{foot}\" fill=\"{}\">Source: {}</text><text x=\"{}\" y=\"{foot}\" \
             text-anchor=\"end\" fill=\"{}\">{}</text>",
            palette.muted,
            escaped(&cut(&spec.source, room)),
            width - 20.0,
            palette.muted,
            escaped(&spec.credit),
        ),
    );
    second + letters.small * 1.4
}

fn in_view(spec: &ChartSpec, start: crate::model::Date, end: crate::model::Date) -> bool {
    spec.dates()
        .is_some_and(|(first, last)| start < last && end > first)
}

/// At most `most` letters, with an ellipsis where some were cut.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Puts the plot into the room left, top, right, bottom that is free.
fn lay(
    spec: &ChartSpec,
    scale: &Scale,
    letters: &Letters,
    room: (f64, f64, f64, f64),
) -> Option<Plot> {
    let (left, top, right, bottom) = room;
    let wanted = if bottom - top > 250.0 { 6.0 } else { 4.0 };
    let (days, values) = Plot::axes(spec, scale.factor, wanted)?;
    let letter = letters.small * 0.58;
    let longest = |texts: &mut dyn Iterator<Item = String>| {
        let most = texts.map(|t| t.chars().count()).max().unwrap_or(0);
        f64::from(u32::try_from(most).unwrap_or(u32::MAX)) * letter
    };
    let marks = longest(&mut values.marks.iter().map(|m| grouped(*m, values.decimals)));
    let lasts = longest(
        &mut spec
            .lines
            .iter()
            .filter_map(|l| last_label(l, scale))
            .map(|(_, t)| t),
    );
    Some(Plot {
        left: left + marks + 8.0,
        top,
        width: right - left - marks - lasts - 20.0,
        height: bottom - top,
        days,
        values,
    })
}

/// The last observation of a line and what is written beside it.
fn last_label<'a>(line: &'a Line, scale: &Scale) -> Option<(&'a Observation, String)> {
    let last = line.points.last()?;
    let text = format!("{} {}", line.name, scale.number(last.value));
    Some((last, text.trim().to_owned()))
}

fn draw(out: &mut String, spec: &ChartSpec, scale: &Scale, plot: &Plot, letters: &Letters) {
    let palette = spec.theme.palette();
    let base = plot.top + plot.height;
    if let Some(shown) = spec.dates() {
        for (x, width) in spec.shading.iter().filter_map(|s| plot.band(*s, shown)) {
            put(
                out,
                format_args!(
                    "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
                    plot.top, plot.height, palette.shade
                ),
            );
        }
    }
    grid(out, plot, &palette, letters);
    let mut most_marks = 3;
    while f64::from(most_marks) * letters.small * 5.5 < plot.width && most_marks < 9 {
        most_marks += 1;
    }
    for (day, label) in plot.days.marks(most_marks) {
        let x = plot.x(day);
        let half = letters.small * 0.29 * f64::from(u32::try_from(label.len()).unwrap_or(8));
        if x + half > plot.left + plot.width + 40.0 {
            continue;
        }
        put(
            out,
            format_args!(
                "<path d=\"M{x:.1} {base:.1}v4\" stroke=\"{}\"/><text x=\"{x:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\" fill=\"{}\">{label}</text>",
                palette.muted,
                base + letters.small + 5.0,
                palette.muted
            ),
        );
    }
    curves(out, spec, scale, plot, letters);
}

/// Level lines with their figures; zero, where it lies inside, is drawn in ink.
fn grid(out: &mut String, plot: &Plot, palette: &Palette, letters: &Letters) {
    let right = plot.left + plot.width;
    for mark in &plot.values.marks {
        let y = plot.y(*mark);
        let zero = *mark == 0.0 && plot.values.low < 0.0;
        put(
            out,
            format_args!(
                "<path d=\"M{:.1} {y:.1}H{right:.1}\" stroke=\"{}\" stroke-width=\"{}\"/><text x=\"{:.1}\" \
                 y=\"{:.1}\" text-anchor=\"end\" fill=\"{}\">{}</text>",
                plot.left,
                if zero { palette.ink } else { palette.rule },
                if zero { "1.2" } else { "1" },
                plot.left - 8.0,
                y + letters.small * 0.35,
                palette.muted,
                grouped(*mark, plot.values.decimals),
            ),
        );
    }
}

/// The lines, a dot on each last value and the value beside it; two labels never lie on each other.
fn curves(out: &mut String, spec: &ChartSpec, scale: &Scale, plot: &Plot, letters: &Letters) {
    let palette = spec.theme.palette();
    let mut labels: Vec<(f64, f64, f64, &str, String)> = Vec::new();
    for (line, colour) in spec.lines.iter().zip(palette.lines).rev() {
        put(
            out,
            format_args!(
                "<path d=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-linejoin=\"round\" \
                 stroke-linecap=\"round\"/>",
                plot.path(line, scale.factor)
            ),
        );
        if let Some((last, text)) = last_label(line, scale) {
            let y = plot.y(last.value * scale.factor);
            labels.push((y, plot.x(last.date), y, colour, text));
        }
    }
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let [upper, lower] = labels.as_mut_slice() {
        let lacking = letters.small * 1.15 - (lower.0 - upper.0);
        if lacking > 0.0 {
            upper.0 -= lacking / 2.0;
            lower.0 += lacking / 2.0;
        }
    }
    for (at, x, y, colour, text) in labels {
        put(
            out,
            format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" fill=\"{colour}\" stroke=\"{}\" \
                 stroke-width=\"1.5\"/><text x=\"{:.1}\" y=\"{:.1}\" font-weight=\"600\" fill=\"{colour}\">{}</text>",
                palette.paper,
                x + 8.0,
                at + letters.small * 0.35,
                escaped(&text)
            ),
        );
    }
}
