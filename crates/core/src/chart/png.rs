//! The same drawing as PNG, with an embedded font: equal input gives equal bytes on every machine.

use super::outline::outlined;
use crate::error::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::collections::HashMap;

/// Pixels per unit of the drawing: 800 by 420 becomes 1200 by 630, the size that link previews want.
pub const DENSITY: f32 = 1.5;

/// A drawing in fixed colours as PNG, with so many pixels to a unit.
///
/// # Errors
/// [`Error::Internal`] when the drawing cannot be read, rendered or encoded.
pub fn png(drawing: &str, density: f32) -> Result<Vec<u8>> {
    let tree = Tree::from_str(&outlined(drawing), &Options::default())
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

/// Most colours of an indexed picture.
const MAX_COLOURS: usize = 256;

/// The picture with a palette of its commonest colours, which is half the size of full colour.
///
/// A chart has about two hundred; what is left over, shades on the rims of letters, takes the nearest.
fn encode(pixels: &Pixmap) -> std::result::Result<Vec<u8>, png::EncodingError> {
    // Most of a chart is stretches of one colour, which is looked up once for each.
    let (mut numbers, mut counts) = (HashMap::new(), Vec::<(Colour, usize)>::new());
    let mut stretches: Vec<(usize, usize)> = Vec::new();
    for run in pixels.pixels().chunk_by(|a, b| a == b) {
        let Some(p) = run.first() else { continue };
        let colour = [p.red(), p.green(), p.blue()];
        let number = *numbers.entry(colour).or_insert(counts.len());
        match counts.get_mut(number) {
            Some((_, count)) => *count += run.len(),
            None => counts.push((colour, run.len())),
        }
        stretches.push((number, run.len()));
    }
    let mut palette = counts.clone();
    palette.sort_by_key(|(colour, n)| (std::cmp::Reverse(*n), *colour));
    palette.truncate(MAX_COLOURS);
    let colours = counts.iter();
    let places: Vec<u8> = colours.map(|(c, _)| nearest(&palette, *c)).collect();
    let mut indices: Vec<u8> = Vec::with_capacity(pixels.pixels().len());
    for (number, length) in stretches {
        let place = places.get(number).copied().unwrap_or(0);
        indices.extend(std::iter::repeat_n(place, length));
    }
    let mut out = Vec::with_capacity(32_768);
    let mut encoder = png::Encoder::new(&mut out, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.iter().flat_map(|(c, _)| *c).collect::<Vec<u8>>());
    // The highest takes five times as long for a tenth less.
    encoder.set_deflate_compression(png::DeflateCompression::Level(4));
    // Indices are names, not shades: differences between neighbours say nothing.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&indices)?;
    writer.finish()?;
    Ok(out)
}

/// Place in the palette of the colour that is nearest.
fn nearest(palette: &[(Colour, usize)], wanted: Colour) -> u8 {
    let distance = |colour: &Colour| -> u32 {
        let parts = colour.iter().zip(wanted);
        parts.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    let places = palette.iter().zip(0u8..=u8::MAX);
    places
        .min_by_key(|((colour, _), _)| distance(colour))
        .map_or(0, |(_, place)| place)
}
