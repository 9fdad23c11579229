//! Fetches the series from FRED that no recipe has, and computes series from formulas.

use super::{SERIES, SyncRun};
use crate::ingest::accept::{self, Source, SourceKind, is_revised};
use crate::ingest::plan::Step;
use crate::ingest::report::Outcome;
use crate::ingest::state;
use crate::store::WriteOutcome;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::identities;
use econoscope_core::model::{Observation, Series, VintageObservation};
use std::collections::HashMap;
use std::sync::Arc;

/// Series between two writes of the states; each write invalidates the caches of a running server.
const STATES_INTERVAL: usize = 25;
/// What a sync that asks FRED says.
const TERMS: &str = "FRED is asked for series that no other source has, for your own use: its terms allow viewing and \
    downloading and forbid storing for others. --no-fred excludes it; syncs in the background ask it only with --fred.";
/// FRED's name as the origin of rows.
const FRED: &str = "fred";

impl SyncRun<'_> {
    /// Fetches series from FRED that no other source had.
    pub(super) async fn fetch_from_fred(&mut self, steps: Vec<Step>) -> Result<()> {
        if self.clients.offline().is_none() && steps.iter().any(|step| step.is_on_fred) {
            self.progress.print(TERMS);
        }
        for step in steps {
            let outcome = self.fetch_series_from_fred(&step).await;
            // A covered series is reported already; FRED only had to add the newest figures.
            if !step.is_covered {
                self.report_step(step, outcome);
            }
            if self.report.series.len().is_multiple_of(STATES_INTERVAL) {
                state::write(&self.states, self.store, SERIES)?;
            }
        }
        Ok(())
    }

    async fn fetch_series_from_fred(&mut self, step: &Step) -> Outcome {
        if !step.is_on_fred {
            let why = "no source has it, and FRED is not asked";
            return Outcome::Skipped(Error::unavailable(why, None));
        }
        if let Some(error) = self.clients.offline() {
            return Outcome::Failed(error);
        }
        if let Some(error) = &self.fred_breaker.open {
            return Outcome::Skipped(error.clone());
        }
        self.progress.start_step(step.id.as_str());
        match self.update_from_fred(step).await {
            Ok(written) => {
                self.fred_breaker.record(None);
                if let Err(error) = self.describe_from_fred(step).await {
                    let why = error.operator_message();
                    let series = &step.id;
                    tracing::warn!(%series, error = why, "the title of a series was not fetched; its figures were");
                }
                Outcome::Written(written)
            }
            Err(error) => {
                self.fred_breaker.record(Some(&error));
                // A refused key or a full disk fails for every series.
                if matches!(error, Error::InvalidParam { .. } | Error::Store { .. }) {
                    self.fred_breaker.open = Some(error.clone());
                }
                self.report.count_failure(FRED);
                Outcome::Failed(error)
            }
        }
    }

    /// Fetches a series from FRED and writes the accepted rows.
    async fn update_from_fred(&mut self, step: &Step) -> Result<WriteOutcome> {
        let id = &step.id;
        let mut from = step.from.filter(|_| !step.wants_vintages);
        let mut rows = if step.wants_vintages {
            self.fred.vintages(id).await?
        } else {
            self.fred.figures(id, from).await?
        };
        // A revision at the start of the window may reach further back, such as that of a new base year.
        if from.is_some() {
            let figure = |row: &VintageObservation| Some(Observation::new(row.date, row.value?));
            let oldest = rows.first().and_then(figure);
            if is_revised(&state::stored_rows(self.store, id)?, oldest) {
                from = None;
                rows = self.fred.figures(id, None).await?;
            }
        }
        let routes = self.config.sources.recipes.routes(id);
        let source = if step.wants_vintages {
            Source::new("fred vintages", "FRED", SourceKind::Fred)
        } else {
            Source {
                preferred: routes.map(|route| route.source.id.clone()).collect(),
                is_covered: step.is_covered,
                is_accepted: self.config.is_accepted(id, FRED),
                ..Source::new(FRED, "FRED", SourceKind::Fred)
            }
        };
        let accepted = self.accept(step, &source, from.is_none(), rows)?;
        let written = accepted.map_err(|refusal| {
            let why = format!("FRED's answer is not accepted: {refusal}. The stored figures stay");
            Error::no_data(id, why)
        })?;
        self.record_read(step, from.is_none());
        Ok(written)
    }

    /// Fetches the title of a series outside the catalogue, once.
    async fn describe_from_fred(&self, step: &Step) -> Result<()> {
        if step.info.is_none()
            && self.store.description(&step.id)?.is_none()
            && let Some(description) = self.fred.describe(&step.id).await?
        {
            self.store.describe(&[description])?;
        }
        Ok(())
    }

    /// Computes series from stored ones. Returns those that lack an input or differ from the stored rows.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read or written.
    pub(super) fn compute(&mut self, steps: Vec<Step>) -> Result<Vec<Step>> {
        // Formulas alone would make old figures look as if they had been read.
        if self.report.why_nothing_came().is_some() {
            return Ok(Vec::new());
        }
        let source = Source::new("formula", "the formula", SourceKind::Formula);
        let mut remaining = Vec::new();
        for step in steps {
            let inputs = identities::sync_inputs(&step.id).filter(|_| !step.wants_vintages);
            let (Some(inputs), Some(info)) = (inputs, &step.info) else {
                remaining.push(step);
                continue;
            };
            let mut series = HashMap::new();
            for id in inputs {
                let input = Catalogue::embedded()
                    .get(id)
                    .ok_or_else(|| Error::internal("an identity's input", id))?;
                let rows = state::stored_rows(self.store, &input.id)?;
                series.insert(id, Arc::new(Series::new(Arc::clone(input), rows)));
            }
            let computed = identities::compute(info, &series)?;
            let stored = state::stored_rows(self.store, &step.id)?;
            // Without new inputs there is nothing to write, not even a time.
            if !stored.is_empty() && stored == computed {
                continue;
            }
            let rows = accept::to_undated(&computed);
            match self.accept(&step, &source, stored.is_empty(), rows)? {
                Ok(written) => {
                    self.record_read(&step, true);
                    self.report(step.id, Outcome::Computed(written));
                }
                Err(_) => remaining.push(step),
            }
        }
        Ok(remaining)
    }
}
