//! What an answer brought, series by series: written, put off, or handed to the next source.

use super::place::{Place, Taken, settle};
use super::report::Outcome;
use super::run::Run;
use super::way::Brought;
use crate::ingest::looks::blocking;
use crate::ingest::news::day_of;
use crate::ingest::plan::Step;
use crate::ingest::titles::cleaned;
use crate::store::{Description, Written};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::{Date, SeriesId};
use econoscope_core::recipe::{FeedRef, Line, Seen};

impl Run<'_> {
    /// Writes what came; gives back the series that need another source.
    pub(super) async fn take(
        &mut self,
        at: FeedRef<'_>,
        steps: Vec<Step>,
        mut brought: Brought<'_>,
    ) -> Result<Vec<Step>> {
        let mut next = Vec::new();
        for step in steps {
            next.extend(self.take_one(at, step, &mut brought).await?);
        }
        Ok(next)
    }

    async fn take_one(
        &mut self,
        at: FeedRef<'_>,
        mut step: Step,
        brought: &mut Brought<'_>,
    ) -> Result<Option<Step>> {
        let (id, now) = (step.id.clone(), self.now());
        let rows = brought.figures.remove(&id);
        let rows = match rows.unwrap_or_else(|| Err("it has no such series".to_owned())) {
            Ok(rows) => rows,
            Err(problem) => {
                let why = format!("{}: {id}: {problem}", at.source.name);
                brought.look.refuse(now, why.clone(), String::new());
                step.said.push(Error::no_data(&id, why));
                return Ok(Some(step));
            }
        };
        let place = self.place(at, &id, brought);
        let (sent, given) = (step.clone(), rows.clone());
        let settled = blocking(&self.store, move |store| {
            settle(store, &sent, &place, given)
        });
        match settled.await {
            Ok(Taken::Written(written, difference)) => {
                if let Some(difference) = difference {
                    let name = &at.source.name;
                    let told = format!("{id}: {name} differs from what was held: {difference}");
                    self.progress.tell(&told);
                }
                let newest = rows.last().map(|row| row.date);
                self.written(at, step, (written, newest), brought).await
            }
            Ok(Taken::Unconfirmed(why)) => {
                let why = format!("{} is not taken at its word: {why}", at.source.name);
                step.said.push(Error::no_data(&id, why));
                self.unconfirmed.push((at.name(), id, rows));
                Ok(Some(step))
            }
            Err(error @ Error::Store { .. }) => Err(error),
            Err(error) => {
                brought.look.told(now, error.to_string(), String::new());
                step.said.push(error);
                Ok(Some(step))
            }
        }
    }

    fn place(&self, at: FeedRef<'_>, id: &SeriesId, brought: &Brought<'_>) -> Place {
        let from_memory = |line: &Line| line.seen(at.feed) == Seen::Memory;
        let mut lines = at.feed.series.iter().filter(|line| line.id == *id);
        let routes = self.config.sources.recipes.routes(id);
        let before = routes.take_while(|other| other.source.id != at.source.id);
        Place {
            origin: at.source.id.clone(),
            is_unsure: lines.any(from_memory) && !brought.look.trusted.contains(id),
            earlier: before.map(|other| other.source.id.clone()).collect(),
            rewrites: at.feed.rewrites_history,
            full: brought.full,
            now: self.now(),
        }
    }

    /// It is in. Where its newest figure is old the next source may add to it.
    async fn written(
        &mut self,
        at: FeedRef<'_>,
        mut step: Step,
        (written, newest): (Written, Option<Date>),
        brought: &mut Brought<'_>,
    ) -> Result<Option<Step>> {
        brought.look.trusted.insert(step.id.clone());
        self.describe(at, &step).await?;
        self.looked(&step, self.now(), brought.full);
        let age = newest.map(|day| days_between(day, day_of(self.now())));
        let is_old = at.feed.max_age_days.zip(age);
        if !step.covered {
            self.close(step.id.clone(), Outcome::Written(written));
        }
        step.covered = true;
        Ok(is_old.is_some_and(|(max, age)| age > max).then_some(step))
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
        blocking(&self.store, move |store| store.describe(&[told])).await?;
        Ok(())
    }
}
