//! First sources: what recipes bring, feed by feed, before FRED is asked for what is left; what follows from other
//! series; and, after all were asked, whom to believe from now on.
//!
//! One answer serves many series. A source in an outage keeps the series that are its own; one that refuses hands them
//! to the next. An address or a name that nobody has seen answered counts only once its figures agree with figures held.

use super::place::compute;
use super::report::Outcome;
use super::run::Run;
use super::way::{Brought, FEEDS, FeedLook, all_said, no_source, reaches_further};
use crate::ingest::ask::{Came, Miss, Wish};
use crate::ingest::fetch::Validators;
use crate::ingest::judge::{Verdict, compare};
use crate::ingest::looks::{self, blocking};
use crate::ingest::plan::Step;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::SeriesId;
use econoscope_core::recipe::{FeedRef, Format, Line};
use std::collections::{BTreeMap, BTreeSet};

impl Run<'_> {
    /// Takes every step that a recipe can; gives back what is left.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read or noted in.
    pub(super) async fn ask_recipes(&mut self, steps: Vec<Step>) -> Result<Vec<Step>> {
        let recipes = &self.config.sources.recipes;
        let is_routed = |step: &Step| !step.vintages && recipes.routes(&step.id).next().is_some();
        let (mut open, mut left): (Vec<_>, Vec<_>) = steps.into_iter().partition(is_routed);
        while !open.is_empty() {
            open = self.round(open, &mut left).await?;
        }
        looks::keep(&self.feeds, &self.store, FEEDS).await?;
        Ok(left)
    }

    /// Asks every feed once for the series whose turn it is there.
    async fn round(&mut self, steps: Vec<Step>, left: &mut Vec<Step>) -> Result<Vec<Step>> {
        let settings = &self.config.sources;
        let is_open =
            |at: &FeedRef<'_>| at.feed.format != Format::Formula && settings.is_open(at.source);
        let open: Vec<FeedRef<'_>> = settings.recipes.feeds().filter(is_open).collect();
        let mut groups: BTreeMap<_, (FeedRef<'_>, Vec<Step>)> = BTreeMap::new();
        for mut step in steps {
            let mut routes = open.iter().enumerate().filter_map(|(n, at)| {
                let mut lines = at.feed.series.iter();
                Some((n, *at, lines.find(|line| line.id == step.id)?))
            });
            let Some((n, at, line)) = routes.nth(step.next) else {
                self.end(step, left);
                continue;
            };
            step.next += 1;
            // A feed that is asked for its series one by one is asked so here.
            let is_single = at.feed.url.contains("{series}");
            let key = is_single.then(|| line.key.clone());
            let group = groups.entry((n, key));
            group.or_insert((at, Vec::new())).1.push(step);
        }
        let mut next = Vec::new();
        for (at, steps) in groups.into_values() {
            next.extend(self.feed(at, steps).await?);
        }
        Ok(next)
    }

    /// No recipe is left for a series.
    fn end(&mut self, step: Step, left: &mut Vec<Step>) {
        let recipes = &self.config.sources.recipes;
        if step.on_fred || recipes.formula(&step.id).is_some() {
            left.push(step);
        } else if !step.covered {
            let error = all_said(step.said, self.asker.offline().as_ref())
                .unwrap_or_else(|| no_source(recipes, &step.id));
            self.close(step.id, Outcome::Failed(error));
        }
    }

    /// Asks a feed for some series; gives back those that need another source.
    async fn feed(&mut self, at: FeedRef<'_>, steps: Vec<Step>) -> Result<Vec<Step>> {
        let name = at.name();
        self.progress.step(&name);
        let ids: BTreeSet<&SeriesId> = steps.iter().map(|step| &step.id).collect();
        let lines = at.feed.series.iter();
        let lines: Vec<&Line> = lines.filter(|line| ids.contains(&line.id)).collect();
        let is_own = |step: &Step| step.origin == at.source.id;
        let mut look = self.feeds.get(&name).cloned().unwrap_or_default();
        let known = match steps.iter().all(is_own) && !self.config.force {
            true => look.validators.clone(),
            false => Validators::default(),
        };
        let now = self.now();
        let from = |step: &Step| step.from.filter(|_| is_own(step));
        let earliest = steps.iter().map(from).min().flatten();
        let mut wish = Wish {
            at,
            lines: &lines,
            from: earliest,
            now,
        };
        let mut came = self.asker.ask(wish, &known, self.progress).await?;
        if let (Ok(Came::Figures(figures, _)), Some(_)) = (&came, earliest)
            && reaches_further(&self.store, &steps, figures).await?
        {
            wish.from = None;
            let anew = Validators::default();
            came = self.asker.ask(wish, &anew, self.progress).await?;
        }
        look.refused = None;
        if came.is_err() {
            self.report.failed(&at.source.id);
        }
        let next = match came {
            Ok(Came::Same) => self.same(at, steps).await?,
            Ok(Came::Figures(figures, validators)) => {
                look.validators = validators;
                let brought = Brought {
                    figures,
                    look: &mut look,
                    full: wish.from.is_none(),
                };
                self.take(at, steps, brought).await?
            }
            Err(Miss::Outage(error)) => self.outage(at, steps, &error),
            Err(Miss::Refused(error, head)) => {
                look.refuse(now, error.to_string(), head);
                steps.into_iter().map(|step| step.missed(&error)).collect()
            }
        };
        self.feeds.insert(name, look);
        Ok(next)
    }

    /// Nothing has changed at the source: that is noted.
    async fn same(&mut self, at: FeedRef<'_>, steps: Vec<Step>) -> Result<Vec<Step>> {
        let empty = steps.iter().map(|step| (step.id.clone(), Ok(Vec::new())));
        let brought = Brought {
            figures: empty.collect(),
            look: &mut FeedLook::default(),
            full: false,
        };
        self.take(at, steps, brought).await
    }

    /// A source that cannot be reached keeps its own series as they are; others ask the next.
    fn outage(&mut self, at: FeedRef<'_>, steps: Vec<Step>, error: &Error) -> Vec<Step> {
        let mut next = Vec::new();
        for step in steps {
            if step.origin == at.source.id && !step.covered {
                self.conclude(step, Outcome::Failed(error.clone()));
            } else {
                next.push(step.missed(error));
            }
        }
        next
    }

    /// Figures of other series make some; gives back what cannot be computed.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read or written.
    pub(super) async fn formulas(&mut self, steps: Vec<Step>) -> Result<Vec<Step>> {
        let mut left = Vec::new();
        for step in steps {
            let line = self.config.sources.recipes.formula(&step.id).cloned();
            let Some(line) = line.filter(|_| !step.vintages) else {
                left.push(step);
                continue;
            };
            let (work, now) = (step.clone(), self.now());
            let made = blocking(&self.store, move |store| compute(store, &work, &line, now));
            match made.await? {
                Some(written) => {
                    self.looked(&step, now, true);
                    self.close(step.id, Outcome::Written(written));
                }
                None => left.push(step),
            }
        }
        Ok(left)
    }

    /// What nobody could confirm is held against what came since; what agrees is believed next time.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read or noted in.
    pub(super) async fn confirm(&mut self) -> Result<()> {
        for (feed, id, rows) in std::mem::take(&mut self.unconfirmed) {
            let held = looks::latest(&self.store, &id).await?;
            let info = Catalogue::embedded().get(id.as_str());
            let mut look = self.feeds.get(&feed).cloned().unwrap_or_default();
            match compare(info.map(AsRef::as_ref), &held, &rows) {
                Verdict::Agrees => drop(look.trusted.insert(id)),
                Verdict::Differs(why) => {
                    look.told(self.now(), format!("{id}: {why}"), String::new());
                }
                Verdict::Unknown => {}
            }
            self.feeds.insert(feed, look);
        }
        looks::keep(&self.feeds, &self.store, FEEDS).await
    }
}
