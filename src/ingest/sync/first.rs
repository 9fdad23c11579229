//! First sources: what recipes bring, feed by feed, before FRED is asked for what is left.
//!
//! One answer serves many series. A source in an outage keeps the series that are its own; one that refuses hands them
//! to the next. An address or a name that nobody has seen answered counts only once its figures agree with figures held.

use super::report::Outcome;
use super::run::Run;
use super::way::{Brought, FEEDS, FeedLook, Way, all_said, at_key, no_source, reaches_further};
use crate::error::{Error, Result};
use crate::ingest::ask::{Asker, Came, Miss, Wish};
use crate::ingest::fetch::Validators;
use crate::ingest::looks::{Looks, blocking};
use crate::ingest::plan::Step;
use crate::model::{Observation, SeriesId};
use crate::recipe::{FeedRef, Format, Line, Recipes};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What was brought that nobody could confirm yet.
type Unconfirmed = Vec<(String, SeriesId, Vec<Observation>)>;

/// The recipes' part of a sync.
pub(super) struct First<'a, 'r> {
    pub(super) run: &'r mut Run<'a>,
    pub(super) recipes: Arc<Recipes>,
    asker: Asker<'a>,
    pub(super) feeds: Looks<FeedLook>,
    pub(super) unconfirmed: Unconfirmed,
}

impl<'a, 'r> First<'a, 'r> {
    pub(super) async fn begin(run: &'r mut Run<'a>) -> Result<Self> {
        let settings = &run.config.sources;
        Ok(Self {
            recipes: Arc::clone(&settings.recipes),
            asker: Asker::new(settings),
            feeds: Looks::read(&run.store, FEEDS).await?,
            unconfirmed: Vec::new(),
            run,
        })
    }

    /// Takes every step that a recipe can; gives back what is left.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read or noted in.
    pub(super) async fn all(&mut self, steps: Vec<Step>) -> Result<Vec<Step>> {
        let (mut left, mut ways) = (Vec::new(), Vec::new());
        for step in steps {
            let has_route = self.recipes.routes(&step.id).next().is_some();
            if step.vintages || !has_route {
                left.push(step);
                continue;
            }
            let id = step.id.clone();
            let status = blocking(&self.run.store, move |store| store.status_of(&id)).await?;
            ways.push(Way {
                step,
                next: 0,
                said: Vec::new(),
                covered: false,
                origin: status.map(|s| s.origin).unwrap_or_default(),
            });
        }
        while !ways.is_empty() {
            ways = self.round(ways, &mut left).await?;
        }
        self.feeds.keep(&self.run.store, FEEDS).await?;
        Ok(left)
    }

    /// Asks every feed once for the series whose turn it is there.
    async fn round(&mut self, ways: Vec<Way>, left: &mut Vec<Step>) -> Result<Vec<Way>> {
        let recipes = Arc::clone(&self.recipes);
        let all: Vec<FeedRef<'_>> = recipes.feeds().collect();
        let mut groups: BTreeMap<(usize, String), Vec<Way>> = BTreeMap::new();
        for mut way in ways {
            let routes = all.iter().enumerate();
            let settings = &self.run.config.sources;
            let id = way.step.id.clone();
            let mut open = routes.filter_map(|(n, at)| {
                let fetched = at.feed.format != Format::Formula && settings.is_open(at.source);
                let line = at.feed.series.iter().find(|line| line.id == id)?;
                fetched.then_some((n, line))
            });
            match open.nth(way.next) {
                Some((n, line)) => {
                    way.next += 1;
                    let own = at_key(all.get(n), line);
                    groups.entry((n, own)).or_default().push(way);
                }
                None => self.end(way, left),
            }
        }
        let mut next = Vec::new();
        for ((n, _), ways) in groups {
            if let Some(at) = all.get(n) {
                next.extend(self.feed(*at, ways).await?);
            }
        }
        Ok(next)
    }

    /// No recipe is left for a series.
    fn end(&mut self, way: Way, left: &mut Vec<Step>) {
        match (
            way.covered,
            way.step.source.is_some() || self.recipes.formula(&way.step.id).is_some(),
        ) {
            (_, true) => left.push(Step {
                covered: way.covered,
                said: way.said,
                ..way.step
            }),
            (true, false) => {}
            (false, false) => {
                let error = all_said(way.said, self.run.offline.as_ref())
                    .unwrap_or_else(|| no_source(&self.recipes, &way.step.id));
                self.run.close(way.step.id, Outcome::Failed(error));
            }
        }
    }

    /// Asks a feed for some series; gives back those that need another source.
    async fn feed(&mut self, at: FeedRef<'_>, ways: Vec<Way>) -> Result<Vec<Way>> {
        let name = at.name();
        self.run.progress.step(&name);
        let ids: BTreeSet<&SeriesId> = ways.iter().map(|way| &way.step.id).collect();
        let lines = at.feed.series.iter();
        let lines: Vec<&Line> = lines.filter(|line| ids.contains(&line.id)).collect();
        let is_own = |way: &Way| way.origin == at.source.id;
        let mut look = self.feeds.get(&name).unwrap_or_default();
        let known = match ways.iter().all(is_own) && !self.run.config.force {
            true => look.validators.clone(),
            false => Validators::default(),
        };
        let now = (self.run.config.clock)();
        let from = |way: &Way| way.step.from.filter(|_| is_own(way));
        let earliest = ways.iter().map(from).min().flatten();
        let mut wish = Wish {
            at,
            lines: &lines,
            from: earliest,
            now,
        };
        let mut came = self.asker.ask(wish, &known, self.run.progress).await?;
        if let (Ok(Came::Figures(figures, _)), Some(_)) = (&came, earliest)
            && reaches_further(&self.run.store, &ways, figures).await?
        {
            wish.from = None;
            let anew = Validators::default();
            came = self.asker.ask(wish, &anew, self.run.progress).await?;
        }
        look.refused = None;
        if came.is_err() {
            self.run.report.failed(&at.source.id);
        }
        self.run.offline = self.asker.offline();
        let next = match came {
            Ok(Came::Same) => self.same(at, ways).await?,
            Ok(Came::Figures(figures, validators)) => {
                look.validators = validators;
                let brought = Brought {
                    figures,
                    look: &mut look,
                    full: wish.from.is_none(),
                };
                self.take(at, ways, brought).await?
            }
            Err(Miss::Outage(error)) => self.outage(at, ways, &error),
            Err(Miss::Refused(error, head)) => {
                look.refuse(now, error.to_string(), head);
                ways.into_iter().map(|way| way.missed(&error)).collect()
            }
        };
        self.feeds.note(&name, look);
        Ok(next)
    }

    /// Nothing has changed at the source: that is noted.
    async fn same(&mut self, at: FeedRef<'_>, ways: Vec<Way>) -> Result<Vec<Way>> {
        let empty = ways
            .iter()
            .map(|way| (way.step.id.clone(), Ok(Vec::new())))
            .collect();
        let brought = Brought {
            figures: empty,
            look: &mut FeedLook::default(),
            full: false,
        };
        self.take(at, ways, brought).await
    }

    /// A source that cannot be reached keeps its own series as they are; others ask the next.
    fn outage(&mut self, at: FeedRef<'_>, ways: Vec<Way>, error: &Error) -> Vec<Way> {
        let mut next = Vec::new();
        for way in ways {
            let is_own = way.origin == at.source.id && !way.covered;
            let way = way.missed(error);
            if is_own {
                let error =
                    all_said(way.said, self.run.offline.as_ref()).unwrap_or_else(|| error.clone());
                self.run.close(way.step.id, Outcome::Failed(error));
            } else {
                next.push(way);
            }
        }
        next
    }
}
