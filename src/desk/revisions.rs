//! How a series was revised, read out of its vintages once while they are as they were.

use super::local::Desk;
use crate::error::Result;
use crate::indicators::revisions::Revisions;
use crate::model::SeriesInfo;
use std::sync::Arc;

impl Desk {
    /// The record of a series' revisions; `None` when nothing is held of it.
    ///
    /// # Errors
    /// [`crate::Error::Store`] when the store cannot be read.
    pub fn revisions(&self, info: &SeriesInfo) -> Result<Option<Arc<Revisions>>> {
        let state = self.state()?;
        let key = (self.stamp(&info.id, state)?, info.id.clone());
        self.revisions.or_make(key, || {
            let vintages = self.kept_vintages(&info.id, state)?;
            Ok(vintages.map(|vintages| Arc::new(Revisions::of(info, &vintages))))
        })
    }
}
