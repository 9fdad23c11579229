//! The plane of the regime: growth to the right, inflation upwards, a dot where the economy stands.

use econoscope_core::chart::{FONTS, escaped};
use econoscope_core::format::{number, signed};
use econoscope_core::indicators::regime::PUBLISHED;
use std::fmt::Write;

/// Scores beyond this are drawn on the edge of a widget.
const EDGE: f64 = 1.5;
/// Scores at the edge of a large plane: the least in which the line has room. The script has the same.
const EDGES: [f64; 6] = [0.5, 1.0, 1.5, 2.0, 3.0, 5.0];

/// Names by corner: x, y, anchor.
const CORNERS: [(&str, f64, f64, &str); 4] = [
    ("Stagflation", 12.0, 26.0, "start"),
    ("Reflation", 308.0, 26.0, "end"),
    ("Deflation", 12.0, 304.0, "start"),
    ("Goldilocks", 308.0, 304.0, "end"),
];

/// A score on an axis of this half length that ends at `edge`.
fn place(score: f64, half: f64, edge: f64) -> f64 {
    let score = if score.is_nan() { 0.0 } else { score };
    score.clamp(-edge, edge) / edge * half
}

/// The edge of a plane in which a line fills most of the room.
fn edge(way: &[(f64, f64)]) -> f64 {
    let sizes = way.iter().flat_map(|(g, i)| [g.abs(), i.abs()]);
    let largest = sizes.fold(0.0, f64::max);
    let fits = |edge: &&f64| largest * 1.05 <= **edge;
    EDGES.iter().find(fits).copied().unwrap_or(5.0)
}

/// Marks of both axes at the half and at the whole of the edge.
fn marks(edge: f64) -> String {
    let mut out = String::from("<g class=\"marks\" font-size=\"10.5\">");
    for share in [-1.0, -0.5, 0.5, 1.0] {
        let at = 140.0 * share;
        let value = edge * share;
        let text = signed(value, if value.fract() == 0.0 { 0 } else { 2 });
        let (x, y) = (160.0 + at, 160.0 - at);
        // A String takes whatever is written to it.
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

fn said(growth: f64, inflation: f64, regime: &str) -> String {
    let (growth, inflation) = (number(growth, 2), number(inflation, 2));
    format!("Regime plane: {regime}; growth score {growth}, inflation score {inflation}")
}

/// For a widget: four fields, the one that holds is filled, and the dot.
pub(super) fn small(growth: f64, inflation: f64, regime: &str) -> String {
    let [x, y] = [growth, -inflation].map(|score| 32.0 + place(score, 30.0, EDGE));
    let field = CORNERS.iter().find(|c| c.0 == regime).map(|c| {
        let [left, top] = [c.3 == "start", c.2 < 100.0].map(|near| if near { 1 } else { 32 });
        format!("<rect x=\"{left}\" y=\"{top}\" width=\"31\" height=\"31\" fill=\"var(--shade)\"/>")
    });
    format!(
        "<svg class=\"plain\" viewBox=\"0 0 64 64\" role=\"img\" aria-label=\"{}\">\
         {}<path d=\"M1 32H63M32 1V63\" stroke=\"var(--muted)\" stroke-width=\"1\"/>\
         <rect x=\".5\" y=\".5\" width=\"63\" height=\"63\" fill=\"none\" stroke=\"var(--rule)\"/>\
         <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"var(--line)\" stroke=\"var(--card)\" stroke-width=\"1.5\"/></svg>",
        said(growth, inflation, regime),
        field.unwrap_or_default(),
    )
}

/// Words beside the plane on a picture.
pub(super) struct Words<'a> {
    /// The regime.
    pub(super) title: &'a str,
    /// Lines below the title, from top to bottom.
    pub(super) lines: Vec<String>,
    /// Who brought the figures.
    pub(super) source: &'a str,
    pub(super) credit: &'a str,
}

/// As a picture of its own for pasted links: the plane with its words to the left, in the colours of a page.
pub(super) fn picture(way: &[(f64, f64)], words: &Words) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 420\" width=\"800\" height=\"420\" \
         font-family=\"{FONTS}\"><rect width=\"800\" height=\"420\" fill=\"var(--paper)\"/>"
    );
    let mut text = |y: usize, size: usize, style: &str, words: &str| {
        let words = escaped(words);
        // A String takes whatever is written to it.
        let _ = write!(
            out,
            "<text x=\"28\" y=\"{y}\" font-size=\"{size}\" {style}>{words}</text>"
        );
    };
    text(64, 16, "fill=\"var(--muted)\"", "US macro regime");
    let bold = "font-weight=\"600\" fill=\"var(--ink)\"";
    text(106, 34, bold, words.title);
    for (n, line) in words.lines.iter().enumerate() {
        text(156 + 30 * n, 17, "fill=\"var(--ink)\"", line);
    }
    let foot = match words.source {
        "" => words.credit.to_owned(),
        source => format!("Source: {source}. {}", words.credit),
    };
    text(398, 13, "fill=\"var(--muted)\"", &foot);
    let plane = large(way, words.title);
    out + &plane.replacen("<svg ", "<svg x=\"452\" y=\"40\" ", 1) + "</svg>"
}

/// For pages: named corners, a scale, the line of the last months, the ring of measurement error that the confidence assumes.
pub(super) fn large(way: &[(f64, f64)], regime: &str) -> String {
    let edge = edge(way);
    let at = |(growth, inflation): &(f64, f64)| {
        [*growth, -inflation].map(|score| 160.0 + place(score, 140.0, edge))
    };
    let Some(now) = way.last() else {
        return String::new();
    };
    let [x, y] = at(now);
    let mut out = format!(
        "<svg class=\"plane\" viewBox=\"0 0 320 340\" width=\"320\" height=\"340\" role=\"img\" aria-label=\"{}; the \
         line shows the last {} months\" font-size=\"12.5\">\
         <rect x=\".5\" y=\".5\" width=\"319\" height=\"319\" rx=\"6\" fill=\"var(--card)\" stroke=\"var(--rule)\"/>\
         <path d=\"M8 160H312M160 8V312\" stroke=\"var(--muted)\" stroke-width=\"1\"/>",
        said(now.0, now.1, regime),
        way.len(),
    );
    out += &marks(edge);
    for (name, cx, cy, anchor) in CORNERS {
        let (weight, fill) = match name == regime {
            true => ("650", "var(--ink)"),
            false => ("400", "var(--muted)"),
        };
        // A String takes whatever is written to it.
        let _ = write!(
            out,
            "<text x=\"{cx}\" y=\"{cy}\" text-anchor=\"{anchor}\" font-weight=\"{weight}\" fill=\"{fill}\">{name}</text>"
        );
    }
    let points = way.iter().map(at);
    let points: Vec<String> = points.map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
    let path = format!("M{}", points.join("L"));
    let _ = write!(
        out,
        "<path class=\"way\" d=\"{path}\" fill=\"none\" stroke=\"var(--line)\" stroke-width=\"1.4\" stroke-linejoin=\"round\" \
         opacity=\".55\"/><ellipse class=\"ring\" cx=\"{x:.1}\" cy=\"{y:.1}\" rx=\"{:.1}\" ry=\"{:.1}\" fill=\"var(--line)\" opacity=\".14\"/>\
         <g class=\"dots\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5.5\" fill=\"var(--line)\" stroke=\"var(--card)\" stroke-width=\"2\"/></g>\
         <text x=\"320\" y=\"336\" text-anchor=\"end\" fill=\"var(--muted)\">growth, standard deviations →</text>\
         <text x=\"0\" y=\"336\" fill=\"var(--muted)\">up: inflation, points</text></svg>",
        place(PUBLISHED.growth, 140.0, edge),
        place(PUBLISHED.inflation, 140.0, edge),
    );
    out
}
