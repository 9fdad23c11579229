//! One asker for many machines: what another one holds, or one call for all of them.

use super::cache::Entry;
use super::core::{Answered, Core, Hold, Question};
use super::failure::Failure;
use super::shared::SharedState;
use econoscope_core::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// How often is looked for an answer that another machine asks for, and how long at most.
const LOOK_AGAIN: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// When to come back where the database is away.
const NO_LEDGER_REST: Duration = Duration::from_secs(10);

impl Core {
    /// What another machine holds, or one call for all of them: whoever claims the question asks it, the others wait
    /// for the answer, and ask themselves when there is none.
    pub(super) async fn answer_for_all(
        self: &Arc<Self>,
        question: &Question,
        mut held: Option<Arc<Entry>>,
        shared: &Arc<SharedState>,
    ) -> std::result::Result<Answered, Failure> {
        let unasked = |error: Error| {
            let cause = &error as &dyn std::error::Error;
            tracing::error!(cause, "what machines share of an upstream cannot be used");
            let what = "was not asked, for its calls cannot be counted now";
            let failure = Failure::no_answer(what, NO_LEDGER_REST);
            self.set_back(Hold::Key(question.key.clone()), NO_LEDGER_REST, &failure);
            failure
        };
        let end = tokio::time::Instant::now() + LONGEST_WAIT;
        loop {
            if let Some(failure) = self.barred(&question.key, question.purpose, &self.clock.now()) {
                return Err(failure);
            }
            // Claimed first, so that nobody's answer comes between the look and the call.
            let is_ours = shared.claim(&question.key).await.map_err(unasked)?;
            let now = self.clock.now();
            let kept = shared.kept(&question.request, &question.key, now).await;
            let kept = kept.map_err(unasked)?;
            if !kept.is_empty() {
                let this = Arc::clone(self);
                let saving = move || {
                    for kept in &kept {
                        let series = kept.series.as_deref();
                        this.cache.save(&kept.key, &kept.entry, series);
                    }
                };
                tokio::task::spawn_blocking(saving)
                    .await
                    .unwrap_or_default();
            }
            let found = self.held_here(question, held.clone()).await;
            if is_ours {
                let done = match found {
                    (Some(entry), true) => Ok(Answered::held(entry)),
                    (newer, _) => self.call(question, newer.or(held)).await,
                };
                self.release(question, done.as_ref().ok(), shared);
                return done;
            }
            match found {
                (Some(entry), true) => return Ok(Answered::held(entry)),
                (newer, _) => held = newer.or(held),
            }
            if tokio::time::Instant::now() > end {
                let what = "is being asked by another machine and has not answered yet";
                return Err(Failure::no_answer(what, NO_LEDGER_REST));
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Shares what came of a question, behind the caller's back, and lets others ask it.
    fn release(
        self: &Arc<Self>,
        question: &Question,
        answered: Option<&Answered>,
        shared: &Arc<SharedState>,
    ) {
        let fetched = answered.filter(|answered| answered.is_fetched);
        let entry = fetched.map(|answered| Arc::clone(&answered.entry));
        let (question, shared, now) = (question.clone(), Arc::clone(shared), self.clock.now());
        self.tasks.spawn(async move {
            let series = question.request.series_key().ok();
            let done = shared.conclude(&question.key, series, entry, now).await;
            if let Err(error) = done {
                tracing::warn!(%error, "an answer could not be shared with other machines");
            }
        });
    }
}
