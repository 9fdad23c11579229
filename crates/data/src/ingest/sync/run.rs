//! One sync under way: the steps, what they did so far, and when to stop asking a source.

use super::place;
use super::report::{MISSED, Outcome, SyncReport};
use super::way::{FEEDS, FeedLook, is_revised};
use crate::desk::holdings::LAST_SYNC;
use crate::ingest::ask::Asker;
use crate::ingest::looks::{self, Looks, blocking};
use crate::ingest::news::day_of;
use crate::ingest::plan::{Look, Step, SyncConfig};
use crate::ingest::progress::Progress;
use crate::ingest::sources::Fred;
use crate::store::{Store, Written};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Observation, SeriesId};
use econoscope_core::recipe::FeedRef;
use jiff::{Timestamp, ToSpan};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Note of the store: when each series was looked at.
pub(super) const LOOKS: &str = "sync_looks";
/// A source that fails this often in a row is left alone.
const MAX_STRIKES: u32 = 3;
/// A source that asks for a longer pause than this is not asked again in the same sync.
const LONG_PAUSE: Duration = Duration::from_secs(60);
/// The looks are noted after so many series: a note per series would shake every cache of a running server.
const NOTE_EVERY: usize = 25;

pub(super) struct Run<'a> {
    pub(super) store: Arc<dyn Store>,
    pub(super) config: &'a SyncConfig,
    fred: Asked,
    pub(super) looks: Looks<Look>,
    pub(super) progress: &'a mut Progress,
    pub(super) report: SyncReport,
    /// Reasons that were told for one series and hold for others.
    told: BTreeSet<String>,
    /// Who asks the feeds of recipes.
    pub(super) asker: Asker<'a>,
    pub(super) feeds: Looks<FeedLook>,
    /// What feeds brought that nobody could confirm yet.
    pub(super) unconfirmed: Vec<(String, SeriesId, Vec<Observation>)>,
}

/// FRED's name as the origin of rows.
const FRED: &str = "fred";

/// FRED, and how it fares.
struct Asked {
    source: Fred,
    strikes: u32,
    /// Why it is not asked any more.
    stop: Option<String>,
}

impl Asked {
    /// Counts a failure that other series would meet as well.
    fn strike(&mut self, error: &Error) {
        // The key, or the disk: nothing further can succeed.
        let hopeless = matches!(error, Error::InvalidParam { .. } | Error::Store { .. });
        let rate_limited = matches!(error, Error::RateLimited { .. });
        let long_pause = rate_limited && error.retry_after() > Some(LONG_PAUSE);
        self.strikes = if error.retryable() {
            self.strikes + 1
        } else {
            0
        };
        if hopeless || long_pause {
            self.stop = Some(error.for_operator());
        } else if self.strikes >= MAX_STRIKES {
            self.stop = Some(format!(
                "{MAX_STRIKES} series in a row failed; the last: {error}"
            ));
        }
    }
}

impl<'a> Run<'a> {
    pub(super) async fn new(
        store: Arc<dyn Store>,
        config: &'a SyncConfig,
        looks: Looks<Look>,
        progress: &'a mut Progress,
    ) -> Result<Self> {
        Ok(Self {
            asker: Asker::new(&config.sources),
            feeds: looks::read(&store, FEEDS).await?,
            unconfirmed: Vec::new(),
            store,
            config,
            fred: Asked {
                source: Fred::open(&config.sources)?,
                strikes: 0,
                stop: None,
            },
            looks,
            progress,
            report: SyncReport::default(),
            told: BTreeSet::new(),
        })
    }

    /// Asks FRED for what no other source brought.
    pub(super) async fn ask_fred(&mut self, steps: Vec<Step>) -> Result<()> {
        if self.asker.offline().is_none() && steps.iter().any(|step| step.on_fred) {
            self.tell_terms().await?;
        }
        for step in steps {
            let outcome = self.ask_one(&step).await;
            // What a first source brought is told already; FRED only had to add the newest figures.
            if !step.covered {
                self.conclude(step, outcome);
            }
            if self.report.series.len().is_multiple_of(NOTE_EVERY) {
                looks::keep(&self.looks, &self.store, LOOKS).await?;
            }
        }
        Ok(())
    }

    /// Says once, before the first request, on what terms FRED is asked.
    async fn tell_terms(&mut self) -> Result<()> {
        const TOLD: &str = "fred_terms_told";
        if blocking(&self.store, |store| store.note(TOLD))
            .await?
            .is_none()
        {
            self.progress.tell(
                "What no other source brings is asked of FRED, for your own use: its terms allow viewing and \
                 downloading and forbid storing for others. --no-fred leaves it out.",
            );
            let now = self.now().to_string();
            blocking(&self.store, move |store| store.set_note(TOLD, &now)).await?;
        }
        Ok(())
    }

    /// Notes when everything was read, and tells the end.
    ///
    /// # Errors
    /// [`Error::Store`] when it cannot be noted.
    pub(super) async fn finish(self) -> Result<SyncReport> {
        looks::keep(&self.looks, &self.store, LOOKS).await?;
        let mut report = self.report;
        report.offline = self.asker.offline().is_some();
        let missed = serde_json::to_string(&report.reasons());
        let missed = missed.map_err(|e| Error::internal("noting what was missed", e))?;
        blocking(&self.store, move |store| store.set_note(MISSED, &missed)).await?;
        // A sync of a part, or one that mostly failed, does not make the store of today.
        let whole = self.config.only.is_none() && !report.cancelled;
        if whole && (report.missed() == 0 || report.read() > report.missed()) {
            let now = format!("{:.0}", (self.config.clock)());
            blocking(&self.store, move |store| store.set_note(LAST_SYNC, &now)).await?;
        }
        self.progress.finish(&report.summary());
        Ok(report)
    }

    /// What time it is.
    pub(super) fn now(&self) -> Timestamp {
        (self.config.clock)()
    }

    /// A series was read, in `full` or not.
    pub(super) fn looked(&mut self, step: &Step, at: Timestamp, full: bool) {
        let look = step.looked(at, full);
        self.looks.insert(step.id.to_string(), look);
    }

    /// Puts what became of a step into the report, with what other sources said before.
    pub(super) fn conclude(&mut self, step: Step, outcome: Outcome) {
        let outcome = outcome.after(step.said, self.asker.offline().as_ref());
        self.close(step.id, outcome);
    }

    /// Puts what became of a series into the report.
    pub(super) fn close(&mut self, id: SeriesId, outcome: Outcome) {
        let is_new = match &outcome {
            Outcome::Failed(error) => self.told.insert(error.for_operator()),
            Outcome::NotAsked(why) => self.told.insert(why.clone()),
            // Without a network only what is computed of others' figures is written; the summary counts it.
            Outcome::Written(_) | Outcome::Fresh(_) => self.asker.offline().is_none(),
        };
        match is_new {
            true => self.progress.done(id.as_str(), outcome.shown()),
            false => self.progress.pass(),
        }
        self.report.series.push((id, outcome));
    }

    async fn ask_one(&mut self, step: &Step) -> Outcome {
        if !step.on_fred {
            let why = "no source brought it, and FRED is not asked";
            return Outcome::NotAsked(why.to_owned());
        }
        if let Some(error) = self.asker.offline() {
            return Outcome::Failed(error);
        }
        if let Some(why) = &self.fred.stop {
            return Outcome::NotAsked(why.clone());
        }
        self.progress.step(step.id.as_str());
        let now = self.now();
        let recipes = &self.config.sources.recipes;
        let is_first = |at: FeedRef<'_>| at.source.id == step.origin;
        let behind = step.covered || recipes.routes(&step.id).any(is_first);
        match bring(&self.store, &self.fred.source, step, (now, behind)).await {
            Ok((written, full)) => {
                self.fred.strikes = 0;
                self.looked(step, now, full);
                if let Err(error) = describe(&self.store, &self.fred.source, step).await {
                    let error = error.for_operator();
                    tracing::warn!(series = %step.id, error, "its title did not come; its figures did");
                }
                Outcome::Written(written)
            }
            Err(error) => {
                self.fred.strike(&error);
                self.report.failed(FRED);
                Outcome::Failed(error)
            }
        }
    }
}

/// Asks for a series and writes what came; whether everything was asked for.
async fn bring(
    store: &Arc<dyn Store>,
    fred: &Fred,
    step: &Step,
    (now, behind): (Timestamp, bool),
) -> Result<(Written, bool)> {
    let mut from = step.from.filter(|_| !step.vintages);
    let mut rows = match step.vintages {
        true => fred.vintages(&step.id).await?,
        false => fred.figures(&step.id, from).await?,
    };
    // A new base year changes all figures: then the window was too short.
    let oldest = rows.first();
    let oldest = oldest.and_then(|row| Some(Observation::new(row.date, row.value?)));
    if from.is_some() && is_revised(store, &step.id, oldest).await? {
        from = None;
        rows = fred.figures(&step.id, None).await?;
    }
    // What is dated later than tomorrow is a projection.
    let tomorrow = shift(day_of(now), 1.day());
    rows.retain(|row| row.date <= tomorrow);
    let full = from.is_none();
    if full && rows.is_empty() {
        return Err(Error::no_data(&step.id, place::NO_FIGURE));
    }
    let step = step.clone();
    let written = blocking(store, move |store| {
        let held = store.read(&step.id)?.unwrap_or_default().latest();
        if behind && !step.vintages {
            place::behind(&step, &held, &mut rows)?;
            if rows.is_empty() {
                return Ok(Written::default());
            }
        }
        let hint = "; if the source is right, import its file";
        let origin = if step.vintages { "fred vintages" } else { FRED };
        place::write(store, &step, (origin, hint), (&held, &rows), (true, now))
    });
    Ok((written.await?, full))
}

/// Asks once what a series is called that the catalogue does not know.
async fn describe(store: &Arc<dyn Store>, fred: &Fred, step: &Step) -> Result<()> {
    if step.info.is_some() {
        return Ok(());
    }
    let id = step.id.clone();
    let known = blocking(store, move |store| store.description(&id)).await?;
    if known.is_none()
        && let Some(told) = fred.describe(&step.id).await?
    {
        blocking(store, move |store| store.describe(&[told])).await?;
    }
    Ok(())
}
