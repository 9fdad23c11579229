//! On what the knowledge of a past day rests: recorded vintages, or publication lags where none were kept.

use super::Desk;
use crate::error::Result;
use crate::indicators;
use crate::model::{AsOf, Catalogue, Date, SeriesInfo};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Series named in the sentence before it counts them instead.
const NAMED: usize = 5;

impl Desk {
    /// How it is known what was known on that day, in words; `None` for the present, for which everything
    /// held counts. Composites stand for their inputs.
    ///
    /// # Errors
    /// [`crate::Error::Store`] when the store cannot be read.
    pub fn basis<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        as_of: AsOf,
    ) -> Result<Option<String>> {
        let AsOf::Day(day) = as_of else {
            return Ok(None);
        };
        let (mut recorded, mut estimated) = (BTreeSet::new(), 0_usize);
        for id in inputs(ids) {
            if let Some(info) = Catalogue::embedded().get(id) {
                match self.is_recorded(info, day)? {
                    Some(true) => {
                        recorded.insert(id);
                    }
                    Some(false) => estimated += 1,
                    None => {}
                }
            }
        }
        let lags = "publication lags; values as last revised";
        Ok(Some(match (recorded.len(), estimated) {
            (0, _) => format!("by {lags}"),
            (_, 0) => "by recorded vintages".to_owned(),
            (n, _) if n <= NAMED => {
                let names: Vec<&str> = recorded.into_iter().collect();
                format!(
                    "by recorded vintages of {}, else by {lags}",
                    names.join(", ")
                )
            }
            (n, _) => format!("by recorded vintages of {n} series, else by {lags}"),
        }))
    }

    /// Whether the newest figure known on `day` carries the day it became known; `None` when there is none.
    fn is_recorded(&self, info: &Arc<SeriesInfo>, day: Date) -> Result<Option<bool>> {
        let key = (self.state()?, info.id.clone(), day);
        if let Some(found) = self.recorded.get(&key) {
            return Ok(found);
        }
        let found = self
            .vintages(&info.id)?
            .and_then(|v| v.is_recorded(day, info.frequency, info.publication_lag_days));
        self.recorded.insert(key, found);
        Ok(found)
    }
}

/// The series themselves, and the inputs of composites among them.
fn inputs<'a>(ids: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let mut all = BTreeSet::new();
    for id in ids {
        match indicators::composite(id) {
            Some(composite) => all.extend(composite.inputs),
            None => {
                all.insert(id);
            }
        }
    }
    all
}
