//! The same drawing as PNG, with an embedded font: equal input gives equal bytes on every machine.

use super::palette::Theme;
use super::{ChartSpec, Extent, svg};
use crate::error::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Pixels per unit of the drawing: 800 by 420 becomes 1200 by 630, the size that link previews want.
const DENSITY: f32 = 1.5;

static FONTS: [&[u8]; 2] = [
    include_bytes!("../../data/fonts/Inter-Regular.otf"),
    include_bytes!("../../data/fonts/Inter-SemiBold.otf"),
];

/// A chart as PNG: the whole of it, in fixed colours, 1.5 pixels to a unit.
///
/// # Errors
/// [`Error::Internal`] when the drawing cannot be rendered or encoded.
pub fn png(spec: &ChartSpec) -> Result<Vec<u8>> {
    let mut spec = spec.clone();
    spec.extent = Extent::Whole;
    if spec.theme != Theme::Dark {
        spec.theme = Theme::Light;
    }
    let options = Options {
        font_family: "Inter".into(),
        fontdb: fonts(),
        ..Options::default()
    };
    let tree = Tree::from_str(&svg(&spec), &options)
        .map_err(|e| Error::internal("reading a chart back", e))?;
    let size = tree
        .size()
        .to_int_size()
        .scale_by(DENSITY)
        .ok_or_else(|| Error::internal("sizing a chart", "a side is zero"))?;
    let mut pixels = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| Error::internal("sizing a chart", "too large"))?;
    resvg::render(
        &tree,
        Transform::from_scale(DENSITY, DENSITY),
        &mut pixels.as_mut(),
    );
    pixels
        .encode_png()
        .map_err(|e| Error::internal("encoding a chart", e))
}

/// The embedded fonts alone: what the machine has installed must not show.
fn fonts() -> Arc<Database> {
    static LOADED: OnceLock<Arc<Database>> = OnceLock::new();
    Arc::clone(LOADED.get_or_init(|| {
        let mut fonts = Database::new();
        for font in FONTS {
            fonts.load_font_data(font.to_vec());
        }
        fonts.set_sans_serif_family("Inter");
        Arc::new(fonts)
    }))
}
