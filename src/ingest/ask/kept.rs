//! An answer that several feeds read.

use crate::ingest::fetch::{Response, Validators};
use crate::recipe::Ask;
use std::sync::Arc;

/// An answer, and what it was an answer to.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) address: String,
    pub(super) known: Validators,
    pub(super) answer: Arc<Response>,
}

impl Kept {
    /// Whether asking again would bring the same: what came whole stands for this sync, and "unchanged" for whoever
    /// knew as much.
    pub(super) fn answers(&self, ask: &Ask, known: &Validators) -> bool {
        self.address == ask.url && (self.answer.status == 200 || self.known == *known)
    }
}
