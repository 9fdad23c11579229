//! FRED for what no recipe brings, and identities over other series.

use super::{Run, SERIES};
use crate::desk::identities;
use crate::ingest::accept::{Kind, Source, is_revised};
use crate::ingest::plan::Step;
use crate::ingest::report::Outcome;
use crate::ingest::state::{self, blocking};
use crate::store::WriteOutcome;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::{Known, Observation, Series};
use std::collections::HashMap;
use std::sync::Arc;

/// The states are noted after so many series: a note per series would shake every cache of a running server.
const NOTE_EVERY: usize = 25;
/// FRED's name as the origin of rows.
const FRED: &str = "fred";

impl Run<'_> {
    /// Asks FRED for what no other source brought.
    pub(super) async fn ask_fred(&mut self, steps: Vec<Step>) -> Result<()> {
        if self.clients.offline().is_none() && steps.iter().any(|step| step.on_fred) {
            self.show_terms().await?;
        }
        for step in steps {
            let outcome = self.ask_one(&step).await;
            // What a source before brought is reported already; FRED only had to add the newest figures.
            if !step.is_covered {
                self.conclude(step, outcome);
            }
            if self.report.series.len().is_multiple_of(NOTE_EVERY) {
                state::write(&self.states, &self.store, SERIES).await?;
            }
        }
        Ok(())
    }

    /// Shows once, before the first request, on what terms FRED is asked.
    async fn show_terms(&mut self) -> Result<()> {
        const SHOWN: &str = "fred_terms_told";
        let shown = blocking(&self.store, |store| store.note(SHOWN)).await?;
        if shown.is_none() {
            self.progress.tell(
                "What no other source brings is asked of FRED, for your own use: its terms allow viewing and \
                 downloading and forbid storing for others. --no-fred leaves it out.",
            );
            let now = self.now().to_string();
            blocking(&self.store, move |store| store.set_note(SHOWN, &now)).await?;
        }
        Ok(())
    }

    async fn ask_one(&mut self, step: &Step) -> Outcome {
        if !step.on_fred {
            let why = "no source brought it, and FRED is not asked";
            return Outcome::NotAsked(why.to_owned());
        }
        if let Some(error) = self.clients.offline() {
            return Outcome::Failed(error);
        }
        if let Some(error) = &self.fred_breaker.open {
            return Outcome::NotAsked(error.for_operator());
        }
        self.progress.step(step.id.as_str());
        match self.bring(step).await {
            Ok(written) => {
                self.fred_breaker.note(None);
                if let Err(error) = self.describe_from_fred(step).await {
                    let error = error.for_operator();
                    tracing::warn!(series = %step.id, error, "its title did not come; its figures did");
                }
                Outcome::Written(written)
            }
            Err(error) => {
                self.fred_breaker.note(Some(&error));
                // The key, or the disk: nothing further can succeed.
                if matches!(error, Error::InvalidParam { .. } | Error::Store { .. }) {
                    self.fred_breaker.open = Some(error.clone());
                }
                self.report.failed(FRED);
                Outcome::Failed(error)
            }
        }
    }

    /// Asks for a series and writes what is accepted.
    async fn bring(&mut self, step: &Step) -> Result<WriteOutcome> {
        let id = &step.id;
        let mut from = step.from.filter(|_| !step.vintages);
        let mut rows = match step.vintages {
            true => self.fred.vintages(id).await?,
            false => self.fred.figures(id, from).await?,
        };
        // A new base year changes all figures: then the window was too short.
        if from.is_some() {
            let oldest = rows.first();
            let oldest = oldest.and_then(|row| Some(Observation::new(row.date, row.value?)));
            if is_revised(&state::latest(&self.store, id).await?, oldest) {
                from = None;
                rows = self.fred.figures(id, None).await?;
            }
        }
        let routes = self.config.sources.recipes.routes(id);
        let source = match step.vintages {
            true => Source::new("fred vintages", Kind::Fred),
            false => Source {
                earlier: routes.map(|at| at.source.id.clone()).collect(),
                is_covered: step.is_covered,
                is_accepted: self.config.accepts(id, FRED),
                ..Source::new(FRED, Kind::Fred)
            },
        };
        let source = (&source, "FRED");
        match self.accept(step, source, from.is_none(), rows).await? {
            Ok(written) => {
                self.note_read(step, from.is_none());
                Ok(written)
            }
            Err(refusal) => {
                let why = format!("FRED's answer is not accepted: {refusal}. What is held stays");
                Err(Error::no_data(id, why))
            }
        }
    }

    /// Asks once for the title of a series that the catalogue does not know.
    async fn describe_from_fred(&self, step: &Step) -> Result<()> {
        if step.info.is_some() {
            return Ok(());
        }
        let id = step.id.clone();
        let known = blocking(&self.store, move |store| store.description(&id)).await?;
        if known.is_none()
            && let Some(description) = self.fred.describe(&step.id).await?
        {
            blocking(&self.store, move |store| store.describe(&[description])).await?;
        }
        Ok(())
    }

    /// Computes series from others of the store; gives back those that lack an input or differ from what is held.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read or written.
    pub(super) async fn compute(&mut self, steps: Vec<Step>) -> Result<Vec<Step>> {
        let mut left = Vec::new();
        for step in steps {
            let inputs = identities::synced_from(&step.id).filter(|_| !step.vintages);
            let (Some(inputs), Some(info)) = (inputs, &step.info) else {
                left.push(step);
                continue;
            };
            let mut known = HashMap::new();
            for id in inputs {
                let input = Catalogue::embedded().get(id);
                let input = input.ok_or_else(|| Error::internal("an identity's input", id))?;
                let rows = state::latest(&self.store, &input.id).await?;
                known.insert(id, Arc::new(Series::new(Arc::clone(input), rows)));
            }
            let source = Source::new("formula", Kind::Formula);
            let rows = identities::figures(info, &known)?;
            let rows: Vec<Known> = rows.iter().map(|row| Known::new(row, None)).collect();
            let is_first = state::latest(&self.store, &step.id).await?.is_empty();
            let source = (&source, "the formula");
            match self.accept(&step, source, is_first, rows).await? {
                Ok(written) => {
                    self.note_read(&step, true);
                    self.close(step.id, Outcome::Written(written));
                }
                Err(_) => left.push(step),
            }
        }
        Ok(left)
    }
}
