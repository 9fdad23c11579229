//! Recipes, feed by feed, before FRED is asked for what is left; and, after all were asked, which sources their figures
//! confirmed.
//!
//! One answer serves many series. A source in an outage keeps the series that are its own; one whose answer is useless
//! hands them to the next. An address or a name that nobody saw answer counts only once its figures agree with held ones.

use super::Run;
use crate::desk::identities;
use crate::ingest::accept::{Comparison, Kind, Refusal, Source, compare, is_revised};
use crate::ingest::client::{Clients, FeedAnswer, FeedError, FeedRequest};
use crate::ingest::fetch::Validators;
use crate::ingest::plan::{Step, SyncConfig};
use crate::ingest::report::{Outcome, joined};
use crate::ingest::state::{self, BASES, FEEDS, FeedState, States, blocking};
use crate::ingest::titles::cleaned;
use crate::ingest::write::day_of;
use crate::store::{Description, Store, WriteOutcome};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::{Date, Known, Observation, SeriesId};
use econoscope_core::recipe::{Bases, FeedRef, Figures, Recipes, Seen, SeriesRecipe};
use futures_util::stream::{self, StreamExt};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Newest figures that are kept of what nothing could confirm.
const KEPT_ROWS: usize = 24;

/// Hosts that are asked at a time.
const MAX_HOSTS: usize = 8;

/// What a feed answered, and whether it was asked for everything.
type Answer = (std::result::Result<FeedAnswer, FeedError>, bool);

/// A feed, what it is to bring, and what is known of its last answer.
struct Question<'q> {
    at: FeedRef<'q>,
    steps: Vec<Step>,
    known: Validators,
}

/// What asking takes.
#[derive(Clone)]
struct Asker<'a> {
    config: &'a SyncConfig,
    store: Arc<dyn Store>,
    clients: Arc<Clients<'a>>,
}

impl Asker<'_> {
    /// Fetches a feed for some series, in full where what it asked for is revised further back.
    async fn ask<'q>(self, question: Question<'q>) -> Result<(Question<'q>, Answer)> {
        let Question { at, steps, known } = &question;
        let is_wanted = |line: &&SeriesRecipe| steps.iter().any(|step| step.id == line.id);
        let lines: Vec<&SeriesRecipe> = at.feed.series.iter().filter(is_wanted).collect();
        let is_own = |step: &Step| step.origin == at.source.id;
        let none = Validators::default();
        let known = match steps.iter().all(is_own) && !self.config.force {
            true => known,
            false => &none,
        };
        let from = |step: &Step| step.from.filter(|_| is_own(step));
        let mut request = FeedRequest {
            at: *at,
            lines: &lines,
            from: steps.iter().map(from).min().flatten(),
            now: (self.config.clock)(),
        };
        let mut answer = self.clients.fetch(request, known).await?;
        if let (Ok(FeedAnswer::Figures(figures, ..)), Some(_)) = (&answer, request.from)
            && self.is_any_revised(steps, figures).await?
        {
            request.from = None;
            answer = self.clients.fetch(request, &none).await?;
        }
        let is_full = request.from.is_none();
        Ok((question, (answer, is_full)))
    }

    /// Whether the oldest row that came for a series revises what is held: then older ones may be revised, too.
    async fn is_any_revised(&self, steps: &[Step], figures: &Figures) -> Result<bool> {
        for step in steps {
            if let Some(Ok(rows)) = figures.get(&step.id) {
                let held = state::latest(&self.store, &step.id).await?;
                if is_revised(&held, rows.first().copied()) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

impl<'a> Run<'a> {
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
        state::write(&self.feeds, &self.store, FEEDS).await?;
        Ok(left)
    }

    /// What every feed is asked next, by source.
    fn questions(
        &mut self,
        steps: Vec<Step>,
        left: &mut Vec<Step>,
    ) -> BTreeMap<&'a str, Vec<Question<'a>>> {
        let settings = &self.config.sources;
        let is_open = |at: &FeedRef<'_>| settings.is_open(at.source);
        let open: Vec<FeedRef<'a>> = settings.recipes.feeds().filter(is_open).collect();
        let mut questions: BTreeMap<_, Question<'a>> = BTreeMap::new();
        for mut step in steps {
            let mut routes = open.iter().enumerate().filter_map(|(n, at)| {
                let mut lines = at.feed.series.iter();
                Some((n, *at, lines.find(|line| line.id == step.id)?))
            });
            let Some((n, at, line)) = routes.nth(step.next_route) else {
                self.end(step, left);
                continue;
            };
            step.next_route += 1;
            // A feed that is asked for its series one by one is asked so here.
            let is_single = at.feed.url.contains("{series}");
            let question = questions.entry((n, is_single.then_some(&line.key)));
            let question = question.or_insert_with(|| Question {
                at,
                steps: Vec::new(),
                known: (self.feeds.get(&at.name()))
                    .map(|state| state.validators.clone())
                    .unwrap_or_default(),
            });
            question.steps.push(step);
        }
        let mut hosts: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for question in questions.into_values() {
            let host = hosts.entry(question.at.source.id.as_str()).or_default();
            host.push(question);
        }
        hosts
    }

    /// Asks every feed once for the series that come to it next: hosts side by side, the feeds of a host in turn.
    async fn round(&mut self, steps: Vec<Step>, left: &mut Vec<Step>) -> Result<Vec<Step>> {
        let hosts = self.questions(steps, left);
        let mut awaited: BTreeMap<&str, usize> =
            hosts.iter().map(|(host, all)| (*host, all.len())).collect();
        let asker = Asker {
            config: self.config,
            store: Arc::clone(&self.store),
            clients: Arc::clone(&self.clients),
        };
        let hosts = stream::iter(hosts.into_values()).map(|questions| {
            let asker = asker.clone();
            let one_by_one = stream::iter(questions);
            one_by_one
                .then(move |question| asker.clone().ask(question))
                .boxed()
        });
        let mut answers = hosts.flatten_unordered(MAX_HOSTS);
        let mut next = Vec::new();
        loop {
            let names: Vec<&str> = awaited.keys().copied().collect();
            self.progress
                .step(&format!("waiting for {}", names.join(", ")));
            let Some(answered) = answers.next().await else {
                return Ok(next);
            };
            let (Question { at, steps, .. }, answer) = answered?;
            if let Some(count) = awaited.get_mut(at.source.id.as_str()) {
                *count -= 1;
            }
            awaited.retain(|_, count| *count > 0);
            next.extend(self.take_answer(at, steps, answer).await?);
        }
    }

    /// No recipe is left for a series.
    fn end(&mut self, step: Step, left: &mut Vec<Step>) {
        let recipes = &self.config.sources.recipes;
        if step.on_fred || identities::synced_from(&step.id).is_some() {
            left.push(step);
        } else if !step.is_covered {
            let error = joined(&step.errors, self.clients.offline().as_ref());
            let error = error.unwrap_or_else(|| needs_key(recipes, &step.id));
            self.close(step.id, Outcome::Failed(error));
        }
    }

    /// Takes what a feed answered for some series; gives back those that need another source.
    async fn take_answer(
        &mut self,
        at: FeedRef<'_>,
        steps: Vec<Step>,
        (answer, is_full): Answer,
    ) -> Result<Vec<Step>> {
        let name = at.name();
        let mut state = self.feeds.get(&name).cloned().unwrap_or_default();
        state.refused = None;
        if answer.is_err() {
            self.report.failed(&at.source.id);
        }
        let mut next = Vec::new();
        match answer {
            Ok(answered) => {
                // That nothing has changed is noted as well.
                let (mut figures, bases) = match answered {
                    FeedAnswer::Figures(figures, bases, validators) => {
                        state.validators = validators;
                        (Some(figures), bases)
                    }
                    FeedAnswer::Unchanged => (None, Bases::new()),
                };
                let is_full = is_full && figures.is_some();
                for step in steps {
                    let none = || Err("it has no such series".to_owned());
                    let rows = match &mut figures {
                        Some(figures) => figures.remove(&step.id).unwrap_or_else(none),
                        None => Ok(Vec::new()),
                    };
                    let rows = rows.map(|rows| (rows, bases.get(&step.id)));
                    let read = (&mut state, is_full);
                    next.extend(self.take_rows(at, step, rows, read).await?);
                }
            }
            // A source that cannot be reached keeps its own series as they are; others ask the next.
            Err(FeedError::Outage(error)) => {
                for step in steps {
                    if step.origin == at.source.id && !step.is_covered {
                        self.conclude(step, Outcome::Failed(error.clone()));
                    } else {
                        next.push(step.failed(&error));
                    }
                }
            }
            Err(FeedError::Useless(error, head)) => {
                state.refuse(self.now(), error.to_string(), head);
                state.validators = Validators::default();
                next.extend(steps.into_iter().map(|step| step.failed(&error)));
            }
        }
        self.feeds.insert(name, state);
        Ok(next)
    }

    /// Writes what is accepted of a series; gives it back where it needs another source.
    async fn take_rows(
        &mut self,
        at: FeedRef<'_>,
        step: Step,
        rows: std::result::Result<(Vec<Observation>, Option<&String>), String>,
        (state, is_full): (&mut FeedState, bool),
    ) -> Result<Option<Step>> {
        let (id, name) = (step.id.clone(), &at.source.name);
        let (rows, base) = match rows {
            Ok(found) => found,
            Err(problem) => {
                let error = Error::no_data(&id, format!("{name}: {id}: {problem}"));
                state.refuse(self.now(), error.to_string(), String::new());
                state.validators = Validators::default();
                return Ok(Some(step.failed(&error)));
            }
        };
        let source = Source {
            new_base: self.new_base(&id, base).await?,
            ..self.source(at, &id, state)
        };
        let came = rows.iter().map(|row| Known::new(row, None)).collect();
        let source = (&source, name.as_str());
        match self.accept(&step, source, is_full, came).await? {
            Ok(written) => {
                state.unconfirmed.remove(&id);
                state.trusted.insert(id);
                self.describe(at, &step).await?;
                self.note_read(&step, is_full);
                let newest = rows.last().map(|row| row.date);
                Ok(self.written(at, step, written, newest))
            }
            Err(refusal) => {
                let why = format!("{name} is not accepted: {refusal}. What is held stays");
                let error = Error::no_data(&id, why);
                if refusal == Refusal::Unconfirmed {
                    let newest = rows.split_at(rows.len().saturating_sub(KEPT_ROWS)).1;
                    let said = (day_of(self.now()), newest.to_vec());
                    let kept = state
                        .unconfirmed
                        .entry(id.clone())
                        .or_insert_with(|| said.clone());
                    if kept.0 < said.0 {
                        *kept = said;
                    }
                }
                if refusal.may_be_confirmed() {
                    self.unconfirmed.push((at.name(), id, rows));
                } else {
                    state.refuse(self.now(), error.to_string(), String::new());
                }
                Ok(Some(step.failed(&error)))
            }
        }
    }

    /// The base that a source states, where what is held stands on another.
    async fn new_base(&self, id: &SeriesId, stated: Option<&String>) -> Result<Option<String>> {
        let Some(stated) = stated else {
            return Ok(None);
        };
        let bases: States<Vec<(Date, String)>> = state::read(&self.store, BASES).await?;
        let last = bases.get(id.as_str()).and_then(|of| of.last());
        Ok((last.map(|(_, unit)| unit) != Some(stated)).then(|| stated.clone()))
    }

    fn source(&self, at: FeedRef<'_>, id: &SeriesId, state: &FeedState) -> Source {
        let mut lines = at.feed.series.iter().filter(|line| line.id == *id);
        let is_unseen = lines.any(|line| line.seen(at.feed) == Seen::Memory);
        let routes = self.config.sources.recipes.routes(id);
        let before = routes.take_while(|other| other.source.id != at.source.id);
        Source {
            earlier: before.map(|other| other.source.id.clone()).collect(),
            is_unproven: is_unseen && !state.trusted.contains(id),
            before: match state.unconfirmed.get(id) {
                Some((day, rows)) if *day < day_of(self.now()) => rows.clone(),
                Some(_) | None => Vec::new(),
            },
            is_accepted: self.config.accepts(id, &at.source.id),
            recomputes: at.feed.rewrites_history,
            ..Source::new(&at.source.id, Kind::Recipe)
        }
    }

    /// Reports what was written. Where the newest figure is old the next source may add to it.
    fn written(
        &mut self,
        at: FeedRef<'_>,
        mut step: Step,
        written: WriteOutcome,
        newest: Option<Date>,
    ) -> Option<Step> {
        let age = newest.map(|day| days_between(day, day_of(self.now())));
        let is_old = at.feed.max_age_days.zip(age);
        if !step.is_covered {
            self.close(step.id.clone(), Outcome::Written(written));
        }
        step.is_covered = true;
        is_old.is_some_and(|(max, age)| age > max).then_some(step)
    }

    /// Writes the title of a series that the catalogue does not know.
    async fn describe(&self, at: FeedRef<'_>, step: &Step) -> Result<()> {
        let line = at.feed.series.iter().find(|line| line.id == step.id);
        let (None, Some(line)) = (&step.info, line) else {
            return Ok(());
        };
        let Some(frequency) = line.frequency else {
            return Ok(());
        };
        let description = cleaned(Description {
            id: line.id.clone(),
            title: line.title.clone().unwrap_or_else(|| line.id.to_string()),
            units: line.units.clone().unwrap_or_default(),
            frequency,
            seasonally_adjusted: false,
            source: at.source.name.clone(),
        });
        blocking(&self.store, move |store| store.describe(&[description])).await?;
        Ok(())
    }

    /// Compares what was not confirmed with what came since; a source that agrees is trusted next time.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read or noted in.
    pub(super) async fn confirm(&mut self) -> Result<()> {
        for (feed, id, rows) in std::mem::take(&mut self.unconfirmed) {
            let held = state::latest(&self.store, &id).await?;
            let info = Catalogue::embedded().get(id.as_str());
            let now = self.now();
            let state = self.feeds.entry(feed).or_default();
            match compare(info.map(AsRef::as_ref), &held, &rows) {
                Comparison::Agrees => drop(state.trusted.insert(id)),
                Comparison::Differs(why) => {
                    state.refuse(now, format!("{id}: {why}"), String::new());
                }
                Comparison::TooFewDates => {}
            }
        }
        state::write(&self.feeds, &self.store, FEEDS).await
    }
}

/// Every source of a series takes a key of the operator's own.
fn needs_key(recipes: &Recipes, id: &SeriesId) -> Error {
    let keys = recipes.routes(id).filter_map(|at| {
        let key = at.source.key.as_ref()?;
        Some(format!("{} ({})", at.source.id, key.from))
    });
    let keys = keys.collect::<Vec<_>>().join(", ");
    let why = format!("it needs a key of your own, --source-key NAME=KEY, of one of: {keys}");
    Error::no_data(id, why)
}
