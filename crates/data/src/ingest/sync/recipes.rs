//! Fetches the feeds of recipes.
//!
//! One response serves many series. A source in an outage keeps the series that it brought before; one with an unusable
//! response hands them to the next source. A feed or series whose recipe was never tested counts only once its figures
//! agree with stored ones.

use super::SyncRun;
use crate::ingest::accept::{Refusal, Source, SourceKind, is_revised, to_undated};
use crate::ingest::client::{Clients, FeedError, FeedRequest, FeedResponse, FetchResult};
use crate::ingest::fetch::Validators;
use crate::ingest::plan::{Step, SyncConfig, is_unproven};
use crate::ingest::report::Outcome;
use crate::ingest::state::{self, BASES, FEEDS, FeedState, States};
use crate::ingest::titles::clean;
use crate::ingest::write::day_of;
use crate::store::{Description, Store};
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::identities;
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::{Date, Observation, SeriesId};
use econoscope_core::recipe::{FeedRef, Recipes, SeriesRecipe};
use futures_util::stream::{self, StreamExt};
use std::collections::BTreeMap;

/// Newest figures that are stored of rows that no stored row could confirm.
const UNCONFIRMED_ROWS: usize = 24;

/// Sources that are read concurrently.
const MAX_SOURCES: usize = 8;

/// A feed to fetch for some series.
struct FeedTask<'a> {
    feed_ref: FeedRef<'a>,
    steps: Vec<Step>,
    /// Validators of the feed's last response, when an unchanged one has nothing new for any of the steps.
    validators: Validators,
}

/// The tasks of a round by source.
type TasksBySource<'a> = BTreeMap<&'a str, Vec<FeedTask<'a>>>;

/// Fetches a feed, and fetches it again in full when the first row of a series revises a stored one.
async fn fetch_feed<'a>(
    config: &SyncConfig,
    store: &dyn Store,
    clients: &Clients<'_>,
    task: FeedTask<'a>,
) -> Result<(FeedTask<'a>, FetchResult)> {
    let feed_ref = task.feed_ref;
    let steps = &task.steps;
    let is_part = steps.iter().any(|step| step.is_part(feed_ref));
    let is_due = |series: &&SeriesRecipe| steps.iter().any(|step| step.id == series.id);
    let series: Vec<&SeriesRecipe> = feed_ref.feed.series.iter().filter(is_due).collect();
    let from = |step: &Step| step.first_date(feed_ref);
    let mut request = FeedRequest {
        feed_ref,
        series: &series,
        from: steps.iter().map(from).min().flatten(),
        now: config.now(),
    };
    let mut response = clients.fetch(request, &task.validators).await?;
    if let (Ok(feed_response), Some(_), false) = (&response, request.from, is_part) {
        for step in steps {
            let Some(Ok(rows)) = feed_response.figures.get(&step.id) else {
                continue;
            };
            let stored = state::stored_rows(store, &step.id)?;
            if is_revised(&stored, rows.first().copied()) {
                request.from = None;
                response = clients.fetch(request, &Validators::default()).await?;
                break;
            }
        }
    }
    Ok((task, response))
}

impl<'a> SyncRun<'a> {
    /// Processes every step that has a recipe. Returns the remaining steps.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read or written.
    pub(super) async fn fetch_from_recipes(&mut self, steps: Vec<Step>) -> Result<Vec<Step>> {
        let recipes = &self.config.sources.recipes;
        let has_route =
            |step: &Step| !step.wants_vintages && recipes.routes(&step.id).next().is_some();
        let (mut open, mut remaining): (Vec<_>, Vec<_>) = steps.into_iter().partition(has_route);
        while !open.is_empty() {
            let (tasks, exhausted) = self.plan_round(open);
            for mut step in exhausted {
                // FRED or a formula may bring it.
                if step.is_on_fred || identities::sync_inputs(&step.id).is_some() {
                    remaining.push(step);
                } else if !step.is_covered {
                    let error = step.errors.pop();
                    let why = error.unwrap_or_else(|| missing_key(recipes, &step.id));
                    self.report_step(step, Outcome::Failed(why));
                }
            }
            open = self.fetch_round(tasks).await?;
        }
        state::write(&self.feeds, self.store, FEEDS)?;
        Ok(remaining)
    }

    /// Assigns each step to its next feed. Returns the tasks by source, and the steps that have no feed left.
    fn plan_round(&self, steps: Vec<Step>) -> (TasksBySource<'a>, Vec<Step>) {
        let settings = &self.config.sources;
        let is_open = |feed_ref: &FeedRef<'_>| settings.is_open(feed_ref.source);
        let feeds: Vec<FeedRef<'a>> = settings.recipes.feeds().filter(is_open).collect();
        let mut tasks: BTreeMap<_, FeedTask<'a>> = BTreeMap::new();
        let mut exhausted = Vec::new();
        for mut step in steps {
            let mut routes = feeds.iter().enumerate().filter_map(|(n, feed_ref)| {
                let mut series = feed_ref.feed.series.iter();
                Some((n, *feed_ref, series.find(|series| series.id == step.id)?))
            });
            let Some((n, feed_ref, series)) = routes.nth(step.next_route) else {
                exhausted.push(step);
                continue;
            };
            step.next_route += 1;
            // A feed with the series in its URL needs a request for each series.
            let is_single = feed_ref.feed.url.contains("{series}");
            let task = tasks
                .entry((n, is_single.then_some(&series.key)))
                .or_insert_with(|| FeedTask {
                    feed_ref,
                    steps: Vec::new(),
                    validators: Validators::default(),
                });
            task.steps.push(step);
        }
        let mut by_source = TasksBySource::new();
        for mut task in tasks.into_values() {
            let source = task.feed_ref.source.id.as_str();
            let state = self.feeds.get(&task.feed_ref.name());
            if let Some(state) = state.filter(|_| !self.config.force) {
                let has_all =
                    |step: &Step| step.origin == source && state.accepted.contains(&step.id);
                if task.steps.iter().all(has_all) {
                    task.validators = state.validators.clone();
                }
            }
            by_source.entry(source).or_default().push(task);
        }
        (by_source, exhausted)
    }

    /// Fetches the feeds of a round: sources concurrently, the feeds of a source one after the other. Returns the
    /// steps that need another feed.
    async fn fetch_round(&mut self, by_source: TasksBySource<'a>) -> Result<Vec<Step>> {
        let all_tasks = by_source.values().flatten();
        let source_of = |task: &FeedTask<'a>| task.feed_ref.source.id.as_str();
        let mut pending: Vec<&str> = all_tasks.map(source_of).collect();
        let config = self.config;
        let clients = self.clients;
        let store = self.store;
        let sources = stream::iter(by_source.into_values()).map(|tasks| {
            stream::unfold(tasks, move |mut tasks| async move {
                let is_wanted = |task: &FeedTask<'a>| {
                    let ids = task.steps.iter().map(|step| &step.id);
                    config.wanted.contains_any(ids)
                };
                let next = tasks.iter().position(is_wanted).unwrap_or(0);
                let task = (next < tasks.len()).then(|| tasks.remove(next))?;
                Some((fetch_feed(config, store, clients, task).await, tasks))
            })
            .boxed()
        });
        let mut results = sources.flatten_unordered(MAX_SOURCES);
        let mut next = Vec::new();
        loop {
            let mut names = pending.clone();
            names.dedup();
            self.progress
                .start_step(&format!("waiting for {}", names.join(", ")));
            let Some(result) = results.next().await else {
                return Ok(next);
            };
            let (task, response) = result?;
            let source = &task.feed_ref.source.id;
            if let Some(index) = pending.iter().position(|name| name == source) {
                pending.remove(index);
            }
            next.extend(self.process_response(task, response)?);
        }
    }

    fn feed_state(&mut self, feed_ref: FeedRef<'_>) -> &mut FeedState {
        self.feeds.entry(feed_ref.name()).or_default()
    }

    /// Processes the response of a feed. Returns the steps that need another source.
    fn process_response(&mut self, task: FeedTask<'_>, response: FetchResult) -> Result<Vec<Step>> {
        let feed_ref = task.feed_ref;
        if response.is_err() {
            self.report.count_failure(&feed_ref.source.id);
        }
        let now = self.now();
        // A feed with one address for each series has several responses in a sync.
        let of_this_sync = self.started_at..=now;
        let state = self.feed_state(feed_ref);
        state
            .refused
            .take_if(|refused| !of_this_sync.contains(&refused.at));
        let mut next = Vec::new();
        match response {
            Ok(mut response) => {
                if state.validators != response.validators {
                    state.validators = response.validators.clone();
                    state.accepted.clear();
                }
                for step in task.steps {
                    next.extend(self.process_series(feed_ref, step, &mut response)?);
                }
            }
            Err(FeedError::Outage(error)) => {
                for step in task.steps {
                    // Stored rows of this source stay in an outage.
                    if step.origin == feed_ref.source.id && !step.is_covered {
                        self.report_step(step, Outcome::Failed(error.clone()));
                    } else {
                        next.push(step.with_error(&error));
                    }
                }
            }
            Err(FeedError::Unusable(error, head)) => {
                state.validators = Validators::default();
                state.refuse(now, &error, head);
                next.extend(task.steps.into_iter().map(|step| step.with_error(&error)));
            }
        }
        Ok(next)
    }

    /// Writes the figures of a series in a response when they are accepted. Returns the step when it needs another source.
    fn process_series(
        &mut self,
        feed_ref: FeedRef<'_>,
        mut step: Step,
        response: &mut FeedResponse,
    ) -> Result<Option<Step>> {
        let id = step.id.clone();
        let name = &feed_ref.source.name;
        let figures = response.figures.remove(&id);
        let rows = match figures.unwrap_or_else(|| Err("it has no such series".to_owned())) {
            Ok(rows) => rows,
            Err(problem) => {
                let why = format!("{name}: {id}: {problem}");
                return Ok(Some(self.refuse(feed_ref, step, why)));
            }
        };
        let is_full = response.is_full;
        let source = self.source(feed_ref, &id, response.bases.remove(&id))?;
        let accepted = self.accept(&step, &source, is_full, to_undated(&rows))?;
        if step.is_part(feed_ref) && !is_full {
            // Validators of a part do not stand for the whole, which is read next, even where the part was refused.
            self.feed_state(feed_ref).validators = Validators::default();
            self.config.wanted.settle(&id);
            step.next_route -= 1;
            step.newest_from = None;
            self.partly_read.push(step);
            return Ok(None);
        }
        let written = match accepted {
            Ok(written) => written,
            Err(refusal) => return Ok(Some(self.refuse_rows(feed_ref, step, refusal, &rows))),
        };
        let state = self.feed_state(feed_ref);
        state.unconfirmed.remove(&id);
        state.trusted.insert(id.clone());
        state.accepted.insert(id.clone());
        self.write_description(feed_ref, &step)?;
        self.record_read(&step, is_full);
        if !step.is_covered {
            self.report(id, Outcome::Written(written));
        }
        step.is_covered = true;
        // The next source may have newer figures.
        let today = day_of(self.now());
        let age = rows.last().map(|row| days_between(row.date, today));
        let is_old = (age.zip(feed_ref.feed.max_age_days)).is_some_and(|(age, max)| age > max);
        Ok(is_old.then_some(step))
    }

    /// Records for the operator why figures are refused. Returns the step for another source.
    fn refuse(&mut self, feed_ref: FeedRef<'_>, step: Step, why: String) -> Step {
        let error = Error::no_data(&step.id, why);
        let now = self.now();
        self.feed_state(feed_ref).refuse(now, &error, String::new());
        step.with_error(&error)
    }

    /// Records that the rows of a series were not accepted. Returns the step for another source.
    fn refuse_rows(
        &mut self,
        feed_ref: FeedRef<'_>,
        step: Step,
        refusal: Refusal,
        rows: &[Observation],
    ) -> Step {
        let name = &feed_ref.source.name;
        let why = format!("{name} is not accepted: {refusal}. The stored figures stay");
        if refusal != Refusal::Unconfirmed {
            return self.refuse(feed_ref, step, why);
        }
        let today = day_of(self.now());
        let unconfirmed = &mut self.feed_state(feed_ref).unconfirmed;
        let last = unconfirmed.get(&step.id).map(|(day, _)| *day);
        if last.is_none_or(|day| day < today) {
            let newest = rows.split_at(rows.len().saturating_sub(UNCONFIRMED_ROWS)).1;
            unconfirmed.insert(step.id.clone(), (today, newest.to_vec()));
        }
        let error = Error::no_data(&step.id, why);
        step.with_error(&error)
    }

    /// Returns the source of a feed, with the base that it states where the stored rows have another one.
    fn source(
        &self,
        feed_ref: FeedRef<'_>,
        id: &SeriesId,
        mut new_base: Option<String>,
    ) -> Result<Source> {
        let FeedRef { source, feed } = feed_ref;
        if new_base.is_some() {
            let bases: States<Vec<(Date, String)>> = state::read(self.store, BASES)?;
            let current = bases.get(id.as_str()).and_then(|changes| changes.last());
            new_base = new_base.filter(|base| current.is_none_or(|(_, unit)| unit != base));
        }
        let state = self.feeds.get(&feed_ref.name());
        let earlier = state
            .and_then(|state| state.unconfirmed.get(id))
            .filter(|(day, _)| *day < day_of(self.now()));
        let routes = self.config.sources.recipes.routes(id);
        let preferred = routes.take_while(|other| other.source.id != source.id);
        Ok(Source {
            preferred: preferred.map(|other| other.source.id.clone()).collect(),
            is_unproven: is_unproven(feed_ref, id, state),
            earlier_rows: earlier.map_or(Vec::new(), |(_, rows)| rows.clone()),
            is_accepted: self.config.is_accepted(id, &source.id),
            new_base,
            recomputes_history: feed.rewrites_history,
            frequency: (feed.series.iter().find(|recipe| recipe.id == *id))
                .and_then(|recipe| recipe.frequency),
            ..Source::new(&source.id, &source.name, SourceKind::Recipe)
        })
    }

    /// Writes the recipe's title of a series outside the catalogue.
    fn write_description(&self, feed_ref: FeedRef<'_>, step: &Step) -> Result<()> {
        let mut recipes = feed_ref.feed.series.iter().filter(|_| step.info.is_none());
        let recipe = recipes.find(|recipe| recipe.id == step.id);
        let Some((recipe, frequency)) = recipe.and_then(|r| Some((r, r.frequency?))) else {
            return Ok(());
        };
        let title = recipe.title.clone();
        let description = clean(Description {
            id: recipe.id.clone(),
            title: title.unwrap_or_else(|| recipe.id.to_string()),
            units: recipe.units.clone().unwrap_or_default(),
            frequency,
            seasonally_adjusted: false,
            source: feed_ref.source.name.clone(),
        });
        self.store.describe(&[description]).map(drop)
    }
}

/// Returns the error for a series whose sources all need a key that the operator does not have.
fn missing_key(recipes: &Recipes, id: &SeriesId) -> Error {
    let key = |route: FeedRef<'_>| {
        let key = route.source.key.as_ref()?;
        Some(format!("{} ({})", route.source.id, key.from))
    };
    let all: Vec<String> = recipes.routes(id).filter_map(key).collect();
    let keys = all.join(", ");
    let why = format!("it needs a key of your own, --source-key NAME=KEY, of one of: {keys}");
    Error::no_data(id, why)
}
