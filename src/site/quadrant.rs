//! Drawings of the regime plane: growth to the right, inflation upwards, a dot at the present scores.

use econoscope_core::chart::{FONTS, escaped};
use econoscope_core::format::{number, signed};
use econoscope_core::indicators::prose::join;
use econoscope_core::indicators::regime::PUBLISHED;
use std::fmt::Write;

/// The score at the edge of a widget's plane. Higher scores are drawn on the edge.
const WIDGET_EDGE: f64 = 1.5;
/// Scores at the edge of a page's plane, of which the smallest that fits is taken. The script has the same list.
const EDGES: [f64; 6] = [0.5, 1.0, 1.5, 2.0, 3.0, 5.0];

/// Label, x, y and text anchor of each corner.
const CORNERS: [(&str, f64, f64, &str); 4] = [
    ("Stagflation", 12.0, 26.0, "start"),
    ("Reflation", 308.0, 26.0, "end"),
    ("Deflation", 12.0, 304.0, "start"),
    ("Goldilocks", 308.0, 304.0, "end"),
];

/// Returns the distance of a score from the center, on an axis of half length `half` that ends at `edge`.
fn offset(score: f64, half: f64, edge: f64) -> f64 {
    let score = if score.is_nan() { 0.0 } else { score };
    score.clamp(-edge, edge) / edge * half
}

/// Returns the smallest edge that a path fits into.
fn fitting_edge(path: &[(f64, f64)]) -> f64 {
    let sizes = path.iter().flat_map(|(g, i)| [g.abs(), i.abs()]);
    let largest = sizes.fold(0.0, f64::max);
    let fits = |edge: &&f64| largest * 1.05 <= **edge;
    EDGES.iter().find(fits).copied().unwrap_or(5.0)
}

/// Draws the tick marks of both axes at the half and at the whole of the edge.
fn draw_ticks(edge: f64) -> String {
    let mut out = String::from("<g class=\"marks\" font-size=\"10.5\">");
    for share in [-1.0, -0.5, 0.5, 1.0] {
        let value = edge * share;
        let text = signed(value, if value.fract() == 0.0 { 0 } else { 2 });
        let x = 160.0 + 140.0 * share;
        let y = 160.0 - 140.0 * share;
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "<path d=\"M{x:.1} 157V163M157 {y:.1}H163\" stroke=\"var(--muted)\"/>\
             <text data-share=\"{share}\" x=\"{x:.1}\" y=\"174\" text-anchor=\"middle\" fill=\"var(--muted)\">{text}</text>\
             <text data-share=\"{share}\" x=\"154\" y=\"{:.1}\" text-anchor=\"end\" fill=\"var(--muted)\">{text}</text>",
            y + 3.5
        );
    }
    out + "</g>"
}

/// Describes the plane for screen readers.
fn describe(growth: f64, inflation: f64, regime: &str) -> String {
    let growth = number(growth, 2);
    let inflation = number(inflation, 2);
    // The name may be that of an upstream.
    let regime = escaped(regime);
    format!("Regime plane: {regime}; growth score {growth}, inflation score {inflation}")
}

/// Draws the plane of a widget: four fields, of which the present one is filled, and the dot.
pub(super) fn draw_small(growth: f64, inflation: f64, regime: &str) -> String {
    let [x, y] = [growth, -inflation].map(|score| 32.0 + offset(score, 30.0, WIDGET_EDGE));
    let field = CORNERS
        .iter()
        .find(|c| c.0 == regime)
        .map(|(_, _, y, anchor)| {
            let [left, top] =
                [*anchor == "start", *y < 100.0].map(|near| if near { 1 } else { 32 });
            format!(
                "<rect x=\"{left}\" y=\"{top}\" width=\"31\" height=\"31\" fill=\"var(--shade)\"/>"
            )
        });
    format!(
        "<svg class=\"plain\" viewBox=\"0 0 64 64\" role=\"img\" aria-label=\"{}\">\
         {}<path d=\"M1 32H63M32 1V63\" stroke=\"var(--muted)\" stroke-width=\"1\"/>\
         <rect x=\".5\" y=\".5\" width=\"63\" height=\"63\" fill=\"none\" stroke=\"var(--rule)\"/>\
         <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"var(--line)\" stroke=\"var(--card)\" stroke-width=\"1.5\"/></svg>",
        describe(growth, inflation, regime),
        field.unwrap_or_default(),
    )
}

/// Texts beside the plane in a picture.
pub(super) struct Caption<'a> {
    /// The label of the regime.
    pub(super) title: &'a str,
    /// Lines below the title.
    pub(super) lines: Vec<String>,
    pub(super) source: &'a str,
    pub(super) credit: &'a str,
}

/// Draws a picture with a caption to the left of the plane.
pub(super) fn draw_picture(path: &[(f64, f64)], caption: &Caption) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 420\" width=\"800\" height=\"420\" \
         font-family=\"{FONTS}\"><rect width=\"800\" height=\"420\" fill=\"var(--paper)\"/>"
    );
    let mut text = |y: usize, size: usize, style: &str, text: &str| {
        let text = escaped(text);
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "<text x=\"28\" y=\"{y}\" font-size=\"{size}\" {style}>{text}</text>"
        );
    };
    text(64, 16, "fill=\"var(--muted)\"", "US macro regime");
    let bold = "font-weight=\"600\" fill=\"var(--ink)\"";
    text(106, 34, bold, caption.title);
    for (n, line) in caption.lines.iter().enumerate() {
        text(156 + 30 * n, 17, "fill=\"var(--ink)\"", line);
    }
    let foot = match caption.source {
        "" => caption.credit.to_owned(),
        source => format!("Source: {source}. {}", caption.credit),
    };
    text(398, 13, "fill=\"var(--muted)\"", &foot);
    let plane = draw_large(path, caption.title);
    out + &plane.replacen("<svg ", "<svg x=\"452\" y=\"40\" ", 1) + "</svg>"
}

/// Draws the plane of a page: labeled corners, a scale, the path of the last months, and the ring of measurement error that
/// the confidence assumes. Empty without a path.
pub(super) fn draw_large(path: &[(f64, f64)], regime: &str) -> String {
    let edge = fitting_edge(path);
    let position = |(growth, inflation): &(f64, f64)| {
        [*growth, -inflation].map(|score| 160.0 + offset(score, 140.0, edge))
    };
    let Some(now) = path.last() else {
        return String::new();
    };
    let [x, y] = position(now);
    let mut out = format!(
        "<svg class=\"plane\" viewBox=\"0 0 320 340\" width=\"320\" height=\"340\" role=\"img\" aria-label=\"{}; the \
         line shows the last {} months\" font-size=\"12.5\">\
         <rect x=\".5\" y=\".5\" width=\"319\" height=\"319\" rx=\"6\" fill=\"var(--card)\" stroke=\"var(--rule)\"/>\
         <path d=\"M8 160H312M160 8V312\" stroke=\"var(--muted)\" stroke-width=\"1\"/>",
        describe(now.0, now.1, regime),
        path.len(),
    );
    out += &draw_ticks(edge);
    for (label, cx, cy, anchor) in CORNERS {
        let (weight, fill) = if label == regime {
            ("650", "var(--ink)")
        } else {
            ("400", "var(--muted)")
        };
        let _ = write!(
            out,
            "<text x=\"{cx}\" y=\"{cy}\" text-anchor=\"{anchor}\" font-weight=\"{weight}\" fill=\"{fill}\">{label}</text>"
        );
    }
    let positions = path.iter().map(position);
    let points = join(positions.map(|[x, y]| format!("{x:.1} {y:.1}")), "L");
    let _ = write!(
        out,
        "<path class=\"way\" d=\"M{points}\" fill=\"none\" stroke=\"var(--line)\" stroke-width=\"1.4\" stroke-linejoin=\"round\" \
         opacity=\".55\"/><ellipse class=\"ring\" cx=\"{x:.1}\" cy=\"{y:.1}\" rx=\"{:.1}\" ry=\"{:.1}\" fill=\"var(--line)\" opacity=\".14\"/>\
         <g class=\"dots\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5.5\" fill=\"var(--line)\" stroke=\"var(--card)\" stroke-width=\"2\"/></g>\
         <text x=\"320\" y=\"336\" text-anchor=\"end\" fill=\"var(--muted)\">growth, standard deviations →</text>\
         <text x=\"0\" y=\"336\" fill=\"var(--muted)\">up: inflation, points</text></svg>",
        offset(PUBLISHED.growth, 140.0, edge),
        offset(PUBLISHED.inflation, 140.0, edge),
    );
    out
}
