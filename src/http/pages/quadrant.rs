//! The plane of the regime: growth to the right, inflation upwards, a dot where the economy stands.

use std::fmt::Write;

/// Scores beyond this are drawn on the edge.
const EDGE: f64 = 1.5;

/// Measurement error of the scores that the confidence assumes, as a ring around the dot.
const ERROR: f64 = 0.35;

/// Names by corner: x, y, anchor.
const CORNERS: [(&str, f64, f64, &str); 4] = [
    ("Stagflation", 12.0, 26.0, "start"),
    ("Reflation", 308.0, 26.0, "end"),
    ("Deflation", 12.0, 304.0, "start"),
    ("Goldilocks", 308.0, 304.0, "end"),
];

/// A score on an axis of this half length.
fn place(score: f64, half: f64) -> f64 {
    score.clamp(-EDGE, EDGE) / EDGE * half
}

fn said(growth: f64, inflation: f64, regime: &str) -> String {
    format!("Regime plane: {regime}; growth score {growth:.2}, inflation score {inflation:.2}")
}

/// For a widget: four fields, the one that holds is filled, and the dot.
pub(in crate::http) fn small(growth: f64, inflation: f64, regime: &str) -> String {
    let (x, y) = (32.0 + place(growth, 30.0), 32.0 - place(inflation, 30.0));
    let field = CORNERS.iter().find(|c| c.0 == regime).map(|c| {
        let (left, top) = (
            if c.3 == "start" { 1 } else { 32 },
            if c.2 < 100.0 { 1 } else { 32 },
        );
        format!("<rect x=\"{left}\" y=\"{top}\" width=\"31\" height=\"31\" fill=\"var(--shade)\"/>")
    });
    format!(
        "<svg class=\"quadrant\" viewBox=\"0 0 64 64\" width=\"64\" height=\"64\" role=\"img\" aria-label=\"{}\">\
         {}<path d=\"M1 32H63M32 1V63\" stroke=\"var(--muted)\" stroke-width=\"1\"/>\
         <rect x=\".5\" y=\".5\" width=\"63\" height=\"63\" fill=\"none\" stroke=\"var(--rule)\"/>\
         <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"var(--line)\" stroke=\"var(--card)\" stroke-width=\"1.5\"/></svg>",
        said(growth, inflation, regime),
        field.unwrap_or_default(),
    )
}

/// For the home page: named corners, the way of the last months, the ring of measurement error.
pub(in crate::http) fn large(way: &[(f64, f64)], regime: &str) -> String {
    let at = |(growth, inflation): &(f64, f64)| {
        (
            160.0 + place(*growth, 140.0),
            160.0 - place(*inflation, 140.0),
        )
    };
    let Some(now) = way.last() else {
        return String::new();
    };
    let (x, y) = at(now);
    let mut out = format!(
        "<svg class=\"plane\" viewBox=\"0 0 320 340\" width=\"320\" height=\"340\" role=\"img\" aria-label=\"{}; the \
         line is the way of the last {} months\" font-size=\"12.5\">\
         <rect x=\".5\" y=\".5\" width=\"319\" height=\"319\" rx=\"6\" fill=\"var(--card)\" stroke=\"var(--rule)\"/>\
         <path d=\"M8 160H312M160 8V312\" stroke=\"var(--muted)\" stroke-width=\"1\"/>",
        said(now.0, now.1, regime),
        way.len(),
    );
    for (name, cx, cy, anchor) in CORNERS {
        let (weight, fill) = if name == regime {
            ("650", "var(--ink)")
        } else {
            ("400", "var(--muted)")
        };
        // A String takes whatever is written to it.
        let _ = write!(
            out,
            "<text x=\"{cx}\" y=\"{cy}\" text-anchor=\"{anchor}\" font-weight=\"{weight}\" fill=\"{fill}\">{name}</text>"
        );
    }
    let path: String = way
        .iter()
        .map(at)
        .enumerate()
        .map(|(i, (x, y))| format!("{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" }))
        .collect();
    let _ = write!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"var(--line)\" stroke-width=\"1.4\" stroke-linejoin=\"round\" \
         opacity=\".55\"/><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"var(--line)\" opacity=\".14\"/>\
         <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5.5\" fill=\"var(--line)\" stroke=\"var(--card)\" stroke-width=\"2\"/>\
         <text x=\"320\" y=\"336\" text-anchor=\"end\" fill=\"var(--muted)\">growth →</text>\
         <text x=\"0\" y=\"336\" fill=\"var(--muted)\">↑ inflation</text></svg>",
        place(ERROR, 140.0),
    );
    out
}
