//! Renders a drawing as PNG with an embedded font. Equal input gives equal bytes on every machine.

use super::outline::outline_text;
use crate::error::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::collections::HashMap;

/// Pixels per unit of the drawing: 800 by 420 becomes 1200 by 630, the size of link previews.
pub const DENSITY: f32 = 1.5;

/// Renders a drawing in literal colours as PNG, with `density` pixels per unit.
///
/// # Errors
/// [`Error::Internal`] if the drawing cannot be parsed, rendered or encoded.
pub fn render_png(drawing: &str, density: f32) -> Result<Vec<u8>> {
    let tree = Tree::from_str(&outline_text(drawing), &Options::default())
        .map_err(|e| Error::internal("reading a chart back", e))?;
    let size = tree
        .size()
        .to_int_size()
        .scale_by(density)
        .ok_or_else(|| Error::internal("sizing a chart", "a side is zero"))?;
    let mut pixels = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| Error::internal("sizing a chart", "too large"))?;
    resvg::render(
        &tree,
        Transform::from_scale(density, density),
        &mut pixels.as_mut(),
    );
    encode(&pixels).map_err(|e| Error::internal("encoding a chart", e))
}

type Colour = [u8; 3];

/// The limit of colours in an indexed picture.
const MAX_COLOURS: usize = 256;

/// Encodes a picture with a palette of its most frequent colours, which takes half the bytes of full colour.
///
/// A chart has about two hundred colours. Rarer ones, shades on the edges of letters, become the nearest of the palette.
fn encode(pixels: &Pixmap) -> std::result::Result<Vec<u8>, png::EncodingError> {
    // Most of a chart is long runs of one colour, so colours are looked up once per run.
    let mut counts: HashMap<Colour, usize> = HashMap::new();
    let runs: Vec<(Colour, usize)> = pixels
        .pixels()
        .chunk_by(|a, b| a == b)
        .filter_map(|run| Some((run.first()?, run.len())))
        .map(|(p, len)| ([p.red(), p.green(), p.blue()], len))
        .collect();
    for (colour, len) in &runs {
        *counts.entry(*colour).or_default() += len;
    }
    let mut palette: Vec<(Colour, usize)> = counts.into_iter().collect();
    palette.sort_by_key(|(colour, n)| (std::cmp::Reverse(*n), *colour));
    palette.truncate(MAX_COLOURS);
    let mut nearest: HashMap<Colour, u8> = HashMap::new();
    let mut indices: Vec<u8> = Vec::with_capacity(pixels.pixels().len());
    for (colour, len) in runs {
        let entry = nearest.entry(colour);
        let index = *entry.or_insert_with(|| nearest_index(&palette, colour));
        indices.extend(std::iter::repeat_n(index, len));
    }
    let mut out = Vec::with_capacity(32_768);
    let mut encoder = png::Encoder::new(&mut out, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.iter().flat_map(|(c, _)| *c).collect::<Vec<u8>>());
    // The highest level takes five times as long and saves a tenth.
    encoder.set_deflate_compression(png::DeflateCompression::Level(4));
    // Filters compress differences between neighbours, which mean nothing for palette indices.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&indices)?;
    writer.finish()?;
    Ok(out)
}

/// Returns the index of the nearest colour in the palette.
fn nearest_index(palette: &[(Colour, usize)], colour: Colour) -> u8 {
    let distance = |other: &Colour| -> u32 {
        let channels = other.iter().zip(colour);
        channels.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    let nearest = (0u8..=u8::MAX)
        .zip(palette)
        .min_by_key(|(_, (other, _))| distance(other));
    nearest.map_or(0, |(index, _)| index)
}
