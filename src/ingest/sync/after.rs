//! After all sources were asked: what follows from other series, and what can be believed from now on.

use super::first::First;
use super::place::compute;
use super::report::Outcome;
use super::way::FEEDS;
use crate::catalogue::Catalogue;
use crate::error::Result;
use crate::ingest::judge::{Verdict, compare};
use crate::ingest::looks::blocking;
use crate::ingest::plan::Step;

impl First<'_, '_> {
    /// Figures of other series make some; gives back what cannot be computed.
    ///
    /// # Errors
    /// [`crate::Error::Store`] when the store cannot be read or written.
    pub(super) async fn formulas(&mut self, steps: Vec<Step>) -> Result<Vec<Step>> {
        let mut left = Vec::new();
        for step in steps {
            let line = self.recipes.formula(&step.id).cloned();
            let Some(line) = line.filter(|_| !step.vintages) else {
                left.push(step);
                continue;
            };
            let now = (self.run.config.clock)();
            let work = step.clone();
            let made = blocking(&self.run.store, move |store| {
                compute(store, &work, &line, now)
            });
            match made.await? {
                Some(written) => {
                    self.note(&step, now, true);
                    self.run.close(step.id, Outcome::Written(written));
                }
                None => left.push(step),
            }
        }
        Ok(left)
    }

    /// What nobody could confirm is held against what came since; what agrees is believed next time.
    ///
    /// # Errors
    /// [`crate::Error::Store`] when the store cannot be read or noted in.
    pub(super) async fn confirm(&mut self) -> Result<()> {
        for (feed, id, rows) in std::mem::take(&mut self.unconfirmed) {
            let wanted = id.clone();
            let held = blocking(&self.run.store, move |store| store.read(&wanted)).await?;
            let info = Catalogue::embedded().get(id.as_str());
            let held = held.unwrap_or_default().latest();
            let mut look = self.feeds.get(&feed).unwrap_or_default();
            match compare(info.map(AsRef::as_ref), &held, &rows) {
                Verdict::Agrees => drop(look.trusted.insert(id)),
                Verdict::Differs(why) => {
                    let at = (self.run.config.clock)();
                    let why = format!("{id}: {why}");
                    look.told(at, why, String::new());
                }
                Verdict::Unknown => {}
            }
            self.feeds.note(&feed, look);
        }
        self.feeds.keep(&self.run.store, FEEDS).await
    }
}
