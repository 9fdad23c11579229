//! Doors for `fuzz/` to parsers that nothing outside needs; not compiled otherwise.

/// Renders markdown: no tag comes out that we do not write.
pub fn markdown(text: &str) {
    super::articles::fuzz(text);
}
