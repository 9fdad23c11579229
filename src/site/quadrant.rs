//! Drawings of the regime plane: growth to the right, inflation upwards, a dot at the present scores.

use super::prelude::*;
use econoscope_core::chart::FONTS;
use econoscope_core::format::{number, signed};
use econoscope_core::indicators::regime::PUBLISHED;

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

/// Scores of growth and inflation.
type Scores = (f64, f64);

/// Returns the distance of a score from the center, on an axis of half length `half` that ends at `edge`.
fn offset(score: f64, half: f64, edge: f64) -> f64 {
    let score = if score.is_nan() { 0.0 } else { score };
    score.clamp(-edge, edge) / edge * half
}

/// Returns the smallest edge that a path fits into.
fn fitting_edge(path: &[Scores]) -> f64 {
    let sizes = path.iter().flat_map(|(g, i)| [g.abs(), i.abs()]);
    let largest = sizes.fold(0.0, f64::max);
    let fits = |edge: &&f64| largest * 1.05 <= **edge;
    EDGES.iter().find(fits).copied().unwrap_or(5.0)
}

/// Describes the plane for screen readers.
fn describe(scores: &Scores, regime: &str) -> String {
    let growth = number(scores.0, 2);
    let inflation = number(scores.1, 2);
    format!("Regime plane: {regime}; growth score {growth}, inflation score {inflation}")
}

/// The plane of a widget: four fields, of which the present one is filled, and the dot.
#[derive(Template)]
#[template(path = "plane_small.svg")]
struct SmallPlane<'a> {
    now: Scores,
    regime: &'a str,
}

/// Draws the plane of a widget.
pub(super) fn draw_small(now: Scores, regime: &str) -> Result<String> {
    render(&SmallPlane { now, regime })
}

/// A picture: texts to the left of the plane.
#[derive(Template)]
#[template(path = "plane_picture.svg")]
pub(super) struct Picture<'a> {
    /// The label of the regime.
    pub(super) title: &'a str,
    /// Lines below the title.
    pub(super) lines: Vec<String>,
    pub(super) source: &'a str,
    pub(super) credit: &'a str,
    /// The plane as drawn by [`draw_large`].
    pub(super) plane: String,
}

/// The plane of a page: labeled corners, a scale, the path of the last months, and the ring of measurement error that
/// the confidence assumes.
#[derive(Template)]
#[template(path = "plane.svg")]
struct Plane<'a> {
    path: &'a [Scores],
    now: &'a Scores,
    regime: &'a str,
    edge: f64,
}

impl Plane<'_> {
    fn position(&self, scores: &Scores) -> [f64; 2] {
        [scores.0, -scores.1].map(|score| 160.0 + offset(score, 140.0, self.edge))
    }

    fn points(&self) -> String {
        let positions = self.path.iter().map(|scores| self.position(scores));
        join(positions.map(|[x, y]| format!("{x:.1} {y:.1}")), "L")
    }

    /// Returns the ticks of an axis: shares of the edge, and the scores there.
    fn ticks(&self) -> [(f64, String); 4] {
        [-1.0, -0.5, 0.5, 1.0].map(|share| {
            let value = self.edge * share;
            let decimals = if value.fract() == 0.0 { 0 } else { 2 };
            (share, signed(value, decimals))
        })
    }
}

/// Draws the plane of a page. Empty without a path.
pub(super) fn draw_large(path: &[Scores], regime: &str) -> Result<String> {
    let Some(now) = path.last() else {
        return Ok(String::new());
    };
    let edge = fitting_edge(path);
    render(&Plane {
        path,
        now,
        regime,
        edge,
    })
}
