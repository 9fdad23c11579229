//! What an answer brought, series by series: written, put off, or handed to the next source.

use super::first::First;
use super::place::{Place, Taken, settle};
use super::report::Outcome;
use super::way::{Brought, Way, earlier, refused};
use crate::error::{Error, Result};
use crate::ingest::looks::blocking;
use crate::ingest::news::day_of;
use crate::ingest::plan::{Look, Step};
use crate::ingest::titles::cleaned;
use crate::model::frequency::days_between;
use crate::model::{Date, SeriesId};
use crate::recipe::{FeedRef, Line, Seen};
use crate::store::{Description, Written};
use jiff::Timestamp;

impl First<'_, '_> {
    /// Writes what came; gives back the series that need another source.
    pub(super) async fn take(
        &mut self,
        at: FeedRef<'_>,
        ways: Vec<Way>,
        mut brought: Brought<'_>,
    ) -> Result<Vec<Way>> {
        let mut next = Vec::new();
        for way in ways {
            next.extend(self.take_one(at, way, &mut brought).await?);
        }
        Ok(next)
    }

    async fn take_one(
        &mut self,
        at: FeedRef<'_>,
        mut way: Way,
        brought: &mut Brought<'_>,
    ) -> Result<Option<Way>> {
        let (id, now) = (way.step.id.clone(), (self.run.config.clock)());
        let rows = brought.figures.remove(&id);
        let rows = match rows.unwrap_or_else(|| Err("it has no such series".to_owned())) {
            Ok(rows) => rows,
            Err(problem) => {
                let why = format!("{}: {id}: {problem}", at.source.name);
                brought.look.refuse(now, why.clone(), String::new());
                way.said.push(refused(&id, &why));
                return Ok(Some(way));
            }
        };
        let place = self.place(at, &id, brought);
        let (step, sent) = (way.step.clone(), rows.clone());
        let settled = blocking(&self.run.store, move |store| {
            settle(store, &step, &place, sent)
        });
        match settled.await {
            Ok(Taken::Written(written, difference)) => {
                if let Some(difference) = difference {
                    let name = &at.source.name;
                    let told = format!("{id}: {name} differs from what was held: {difference}");
                    self.run.progress.tell(&told);
                }
                let newest = rows.last().map(|row| row.date);
                self.written(at, way, (written, newest), brought).await
            }
            Ok(Taken::Unconfirmed(why)) => {
                let why = format!("{} is not taken at its word: {why}", at.source.name);
                way.said.push(refused(&id, &why));
                self.unconfirmed.push((at.name(), id, rows));
                Ok(Some(way))
            }
            Err(error @ Error::Store { .. }) => Err(error),
            Err(error) => {
                brought.look.told(now, error.to_string(), String::new());
                way.said.push(error);
                Ok(Some(way))
            }
        }
    }

    fn place(&self, at: FeedRef<'_>, id: &SeriesId, brought: &Brought<'_>) -> Place {
        let from_memory = |line: &Line| line.seen(at.feed) == Seen::Memory;
        let mut lines = at.feed.series.iter().filter(|line| line.id == *id);
        Place {
            origin: at.source.id.clone(),
            is_trusted: brought.look.trusted.contains(id),
            needs_trust: lines.any(from_memory),
            earlier: earlier(&self.recipes, id, at),
            rewrites: at.feed.rewrites_history,
            full: brought.full,
            now: (self.run.config.clock)(),
        }
    }

    /// It is in. Where its newest figure is old the next source may add to it.
    async fn written(
        &mut self,
        at: FeedRef<'_>,
        mut way: Way,
        (written, newest): (Written, Option<Date>),
        brought: &mut Brought<'_>,
    ) -> Result<Option<Way>> {
        let now = (self.run.config.clock)();
        brought.look.trusted.insert(way.step.id.clone());
        self.describe(at, &way.step).await?;
        self.note(&way.step, now, brought.full);
        let age = newest.map(|day| days_between(day, day_of(now)));
        let is_old = at.feed.max_age_days.zip(age);
        if !way.covered {
            self.run
                .close(way.step.id.clone(), Outcome::Written(written));
        }
        way.covered = true;
        Ok(is_old.is_some_and(|(max, age)| age > max).then_some(way))
    }

    /// Says what a series is called that the catalogue does not know.
    async fn describe(&self, at: FeedRef<'_>, step: &Step) -> Result<()> {
        let line = at.feed.series.iter().find(|line| line.id == step.id);
        let (None, Some(line)) = (&step.info, line) else {
            return Ok(());
        };
        let Some(frequency) = line.frequency else {
            return Ok(());
        };
        let told = cleaned(Description {
            id: line.id.clone(),
            title: line.title.clone().unwrap_or_else(|| line.id.to_string()),
            units: line.units.clone().unwrap_or_default(),
            frequency,
            seasonally_adjusted: false,
            source: at.source.name.clone(),
        });
        blocking(&self.run.store, move |store| store.describe(&[told])).await?;
        Ok(())
    }

    pub(super) fn note(&mut self, step: &Step, now: Timestamp, full: bool) {
        let look = Look {
            at: now,
            full: step.look.filter(|_| !full).map_or(now, |look| look.full),
            vintages: step.look.is_some_and(|look| look.vintages),
        };
        self.run.looks.note(step.id.as_str(), look);
    }
}
