//! Replaces the text of a drawing by outlines of the embedded font, so that a renderer needs no fonts.
//!
//! Reads only what this crate writes: `<text>` elements of one line with `x`, `y`, `fill` and, where they differ from the
//! drawing's, `font-size`, `font-weight` and `text-anchor`.

use quick_xml::escape::unescape;
use quick_xml::events::BytesStart;
use std::fmt::Write;
use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

static REGULAR: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(include_bytes!("../../data/fonts/Inter-Regular.otf"), 0).ok());
static SEMIBOLD: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(include_bytes!("../../data/fonts/Inter-SemiBold.otf"), 0).ok());

/// Replaces each text of a drawing by a path. A text that cannot be read is left out.
pub(super) fn outline_text(drawing: &str) -> String {
    // The font size of the nearest preceding element that has one.
    let mut size = 13.0;
    let mut out = String::with_capacity(drawing.len() * 2);
    let mut rest = drawing;
    while let Some((before, text)) = rest.split_once("<text ") {
        out += before;
        if let Some((_, after)) = before.rsplit_once("font-size=\"") {
            let parsed = after.split('"').next().and_then(|size| size.parse().ok());
            size = parsed.unwrap_or(size);
        }
        let Some((element, after)) = text.split_once("</text>") else {
            return out;
        };
        write_outline(element, size, &mut out).unwrap_or_default();
        rest = after;
    }
    out + rest
}

/// Writes one text, given from its attributes on, as a path.
fn write_outline(element: &str, size: f32, out: &mut String) -> Option<()> {
    let (attributes, content) = element.split_once('>')?;
    let text = unescape(content).ok()?;
    let tag = BytesStart::from_content(attributes, 0);
    let is_bold = number(&tag, "font-weight").is_some_and(|weight| weight >= 600.0);
    let face = if is_bold { &SEMIBOLD } else { &REGULAR }.as_ref()?;
    let scale = number(&tag, "font-size").unwrap_or(size) / f32::from(face.units_per_em());
    let glyph = |c: char| face.glyph_index(c).or_else(|| face.glyph_index('?'));
    let advance = |id: GlyphId| f32::from(face.glyph_hor_advance(id).unwrap_or_default()) * scale;
    let glyphs: Vec<GlyphId> = text.chars().filter_map(glyph).collect();
    let width: f32 = glyphs.iter().map(|id| advance(*id)).sum();
    let start = number(&tag, "x")?;
    let mut pen = Pen {
        path: String::new(),
        x: match attribute(&tag, "text-anchor").as_deref() {
            Some("middle") => start - width / 2.0,
            Some("end") => start - width,
            Some(_) | None => start,
        },
        y: number(&tag, "y")?,
        scale,
    };
    for id in glyphs {
        // A glyph without an outline, such as a space, only advances.
        face.outline_glyph(id, &mut pen);
        pen.x += advance(id);
    }
    let fill = attribute(&tag, "fill").unwrap_or_else(|| "#000".to_owned());
    write!(out, r#"<path fill="{fill}" d="{}"/>"#, pen.path).ok()
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    Some(attribute.value.into_owned())
}

fn number(tag: &BytesStart<'_>, name: &str) -> Option<f32> {
    attribute(tag, name)?.parse().ok()
}

/// Writes outlines in units of the drawing, where y grows downwards.
struct Pen {
    path: String,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen {
    fn write(&mut self, command: char, points: &[(f32, f32)]) {
        self.path.push(command);
        for (x, y) in points {
            let x = self.x + x * self.scale;
            let y = self.y - y * self.scale;
            // A hundredth of a unit is not visible.
            write!(self.path, "{x:.2} {y:.2} ").unwrap_or_default();
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.write('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.write('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.write('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.write('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}
