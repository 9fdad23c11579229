//! One sync under way: the steps, what they did so far, and when to stop asking a source.

use super::super::board;
use super::super::fred::Fred;
use super::super::news::{self, News, day_of};
use super::super::plan::{Look, Looks, Source, Step};
use super::super::progress::Progress;
use super::super::titles;
use super::{LAST_SYNC, LOOKS, Outcome, SeriesReport, SyncConfig, SyncReport, blocking, shown};
use crate::error::{Error, Result};
use crate::model::observation::known_by;
use crate::model::{Date, Known, Observation, SeriesId, SeriesInfo, untrusted};
use crate::store::{Description, Store, Write, Written};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// A source that fails this often in a row is left alone.
const STRIKES: u32 = 3;
/// A source that asks for a longer pause than this is not asked again in the same sync.
const LONG_PAUSE: Duration = Duration::from_secs(60);
/// The looks are noted after so many series: a note per series would shake every cache of a running server.
const NOTE_EVERY: usize = 25;

pub(super) struct Run<'a> {
    store: Arc<dyn Store>,
    config: &'a SyncConfig,
    fred: Fred,
    looks: Looks,
    pub(super) on: &'a mut (dyn FnMut(Progress) + Send),
    pub(super) report: SyncReport,
    strikes: u32,
    /// Why FRED is not asked any more.
    stop: Option<String>,
}

/// What came of one series: figures, or every vintage of them.
enum Came {
    Figures {
        observations: Vec<Observation>,
        full: bool,
    },
    Vintages(Vec<Known>),
}

impl<'a> Run<'a> {
    pub(super) fn new(
        store: Arc<dyn Store>,
        config: &'a SyncConfig,
        fred: Fred,
        looks: Looks,
        on: &'a mut (dyn FnMut(Progress) + Send),
    ) -> Self {
        Self {
            store,
            config,
            fred,
            looks,
            on,
            report: SyncReport::default(),
            strikes: 0,
            stop: None,
        }
    }

    /// Takes every step; ends early only from outside.
    pub(super) async fn all(&mut self, steps: Vec<Step>) {
        let (fred, board): (Vec<Step>, Vec<Step>) =
            steps.into_iter().partition(|s| s.source == Source::Fred);
        for step in fred {
            let outcome = match &self.stop {
                Some(why) => Outcome::NotAsked { why: why.clone() },
                None => self.one(&step).await,
            };
            self.close(step.id, outcome);
            if self.report.series.len().is_multiple_of(NOTE_EVERY)
                && let Err(error) = self.note_looks().await
            {
                self.stop = Some(error.to_string());
            }
        }
        if !board.is_empty() {
            self.premium(board).await;
        }
    }

    /// Notes when everything was read, and tells the end.
    pub(super) async fn finish(self) -> Result<SyncReport> {
        self.note_looks().await?;
        let report = &self.report;
        // A sync of a part, or one that mostly failed, does not make the store of today.
        let whole = self.config.only.is_none() && !report.cancelled;
        if whole && (report.missed() == 0 || report.read() > report.missed()) {
            let now = format!("{:.0}", (self.config.clock)());
            blocking(&self.store, move |store| store.set_note(LAST_SYNC, &now)).await?;
        }
        (self.on)(Progress::Finished {
            summary: self.report.summary(),
        });
        Ok(self.report)
    }

    /// Puts what became of a series into the report.
    pub(super) fn close(&mut self, id: SeriesId, outcome: Outcome) {
        (self.on)(Progress::Done {
            name: id.to_string(),
            result: shown(&outcome),
        });
        self.report.series.push(SeriesReport { id, outcome });
    }

    async fn note_looks(&self) -> Result<()> {
        let text = self.looks.text();
        blocking(&self.store, move |store| store.set_note(LOOKS, &text)).await
    }

    async fn one(&mut self, step: &Step) -> Outcome {
        (self.on)(Progress::Step {
            name: step.id.to_string(),
        });
        let now = (self.config.clock)();
        let result = match self.ask(step, day_of(now)).await {
            Ok(came) => self.write(step, came, now, "fred").await,
            Err(error) => Err(error),
        };
        if result.is_ok()
            && let Err(error) = self.describe(step).await
        {
            tracing::warn!(series = %step.id, %error, "its title did not come; its figures did");
        }
        match result {
            Ok(outcome) => {
                self.strikes = 0;
                outcome
            }
            Err(error) => {
                self.strike(&error);
                Outcome::Failed(error)
            }
        }
    }

    /// Asks once what a series is called that the catalogue does not know; that takes a key.
    async fn describe(&self, step: &Step) -> Result<()> {
        if step.info.is_some() || !self.fred.has_key() {
            return Ok(());
        }
        let id = step.id.clone();
        let known = blocking(&self.store, move |store| store.description(&id));
        if known.await?.is_some() {
            return Ok(());
        }
        let told = self.fred.metadata(&step.id).await?;
        // Other frequencies (every two weeks, twice a year) are told from the figures, as without a title.
        let Some(frequency) = told.frequency() else {
            return Ok(());
        };
        let description = Description {
            id: step.id.clone(),
            title: untrusted::line(&told.title, 300),
            units: untrusted::line(&told.units, 120),
            frequency,
            seasonally_adjusted: titles::is_adjusted(&told.seasonal_adjustment_short),
            source: "FRED".to_owned(),
        };
        blocking(&self.store, move |store| store.describe(&[description])).await?;
        Ok(())
    }

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
            self.stop = Some(error.to_string());
        } else if self.strikes >= STRIKES {
            self.stop = Some(format!(
                "{STRIKES} series in a row failed; the last: {error}"
            ));
        }
    }

    async fn ask(&self, step: &Step, today: Date) -> Result<Came> {
        if step.vintages {
            let rows = self.fred.vintages(&step.id, today).await?;
            return Ok(Came::Vintages(rows));
        }
        if step.from.is_some() {
            let observations = self.fred.observations(&step.id, step.from, today).await?;
            if !self.reaches_further(&step.id, &observations).await? {
                return Ok(Came::Figures {
                    observations,
                    full: false,
                });
            }
        }
        Ok(Came::Figures {
            observations: self.fred.observations(&step.id, None, today).await?,
            full: true,
        })
    }

    /// Whether the oldest figure that came is itself revised: then older ones may be too (a new base
    /// year changes them all), and the window was too short.
    async fn reaches_further(&self, id: &SeriesId, came: &[Observation]) -> Result<bool> {
        let Some(oldest) = came.first().copied() else {
            return Ok(false);
        };
        let id = id.clone();
        blocking(&self.store, move |store| {
            let held = store.read(&id)?.unwrap_or_default();
            let rows = held.rows();
            let upto = rows.partition_point(|r| r.date <= oldest.date);
            let newest = rows.get(..upto).and_then(<[Known]>::last);
            Ok(newest.is_some_and(|r| r.date == oldest.date && r.value != oldest.value))
        })
        .await
    }

    async fn write(
        &mut self,
        step: &Step,
        came: Came,
        now: Timestamp,
        origin: &'static str,
    ) -> Result<Outcome> {
        let before = self.looks.get(&step.id);
        let (rows, full, vintages) = match &came {
            Came::Figures { observations, full } => (observations.len(), *full, false),
            Came::Vintages(rows) => (rows.len(), true, true),
        };
        if full && rows == 0 {
            return Err(Error::NoData {
                what: step.id.to_string(),
                reason: "its source answered without a single figure".to_owned(),
            });
        }
        let step = step.clone();
        let id = step.id.clone();
        let written = blocking(&self.store, move |store| match came {
            Came::Figures { observations, .. } => news::write(
                store,
                &News {
                    id: &step.id,
                    info: step.info.as_deref(),
                    observations: &observations,
                    last_look: step.last_look,
                    now,
                    origin,
                },
            ),
            Came::Vintages(rows) => write_vintages(store, &step, &rows, now),
        })
        .await?;
        let look = Look {
            at: now,
            full: before.filter(|_| !full).map_or(now, |look| look.full),
            vintages: vintages || before.is_some_and(|look| look.vintages),
        };
        self.looks.note(&id, look);
        Ok(Outcome::Written { rows, written })
    }

    /// The Board's file brings several series at once.
    async fn premium(&mut self, steps: Vec<Step>) {
        let now = (self.config.clock)();
        let contact = self.config.fred.contact.as_deref();
        let mut came = board::excess_bond_premium(&self.config.board, contact).await;
        for step in steps {
            let figures = match &mut came {
                Ok(premium) => take(premium, &step.id),
                Err(error) => Err(Error::Unavailable {
                    what: error.to_string(),
                    retry_after: error.retry_after(),
                    source: None,
                }),
            };
            let outcome = match figures {
                Ok(observations) => {
                    let came = Came::Figures {
                        observations,
                        full: true,
                    };
                    let written = self.write(&step, came, now, "fed board").await;
                    written.unwrap_or_else(Outcome::Failed)
                }
                Err(error) => Outcome::Failed(error),
            };
            self.close(step.id, outcome);
        }
    }
}

fn take(premium: &mut board::Premium, id: &SeriesId) -> Result<Vec<Observation>> {
    let at = premium.iter().position(|(held, _)| held == id);
    at.map(|i| premium.swap_remove(i).1)
        .ok_or_else(|| Error::NoData {
            what: id.to_string(),
            reason: "the Federal Reserve Board's file has no such column".to_owned(),
        })
}

/// Writes the vintages in order of publication. What stood in the first one and should have been public
/// before is left undated when the series is new, so that its day is estimated.
fn write_vintages(
    store: &dyn Store,
    step: &Step,
    rows: &[Known],
    now: Timestamp,
) -> Result<Written> {
    let first = rows.first().and_then(|row| row.known_from);
    let is_new = store.read(&step.id)?.is_none();
    let dated = |row: &Known| match (first, step.info.as_deref()) {
        (Some(first), Some(info)) if is_new && row.known_from == Some(first) => {
            Some(first).filter(|day| !was_older(row.date, info, *day))
        }
        _ => row.known_from,
    };
    let mut sum = Written::default();
    for day in rows.chunk_by(|a, b| a.known_from == b.known_from) {
        let (undated, dated): (Vec<&Known>, Vec<&Known>) =
            day.iter().partition(|row| dated(row).is_none());
        for (part, known_from) in [
            (undated, None),
            (dated, day.first().and_then(|row| row.known_from)),
        ] {
            if part.is_empty() {
                continue;
            }
            let observations: Vec<Observation> = part
                .iter()
                .map(|row| Observation::new(row.date, row.value))
                .collect();
            let written = store.write(Write {
                id: &step.id,
                observations: &observations,
                known_from,
                fetched_at: now,
                origin: "fred vintages",
            })?;
            sum.added += written.added;
            sum.revised += written.revised;
        }
    }
    Ok(sum)
}

fn was_older(date: Date, info: &SeriesInfo, archive_begins: Date) -> bool {
    known_by(date, info.frequency, info.publication_lag_days) < archive_begins
}
