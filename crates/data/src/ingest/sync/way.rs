//! What is remembered of each feed, what the sources said of a series, and small questions on its way between them.

use crate::ingest::fetch::Validators;
use crate::ingest::looks;
use crate::ingest::plan::Step;
use crate::store::Store;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::{Observation, SeriesId};
use econoscope_core::recipe::{Figures, Recipes};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Note of the store: how each feed fared.
pub(crate) const FEEDS: &str = "sync_feeds";

/// How a feed fared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FeedLook {
    pub(super) validators: Validators,
    /// Series whose figures were seen to agree.
    pub(super) trusted: BTreeSet<SeriesId>,
    /// The last answer, when it was refused.
    pub refused: Option<Refused>,
}

impl FeedLook {
    /// An answer is no good: next time it is asked for anew.
    pub(super) fn refuse(&mut self, at: Timestamp, why: String, head: String) {
        self.told(at, why, head);
        self.validators = Validators::default();
    }

    /// What was wrong with an answer, for the operator.
    pub(super) fn told(&mut self, at: Timestamp, why: String, head: String) {
        self.refused = Some(Refused { at, why, head });
    }
}

/// An answer that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// When.
    pub at: Timestamp,
    /// Why.
    pub why: String,
    /// Its beginning.
    pub head: String,
}

/// An answer, and what is remembered of who gave it.
pub(super) struct Brought<'l> {
    pub(super) figures: Figures,
    pub(super) look: &'l mut FeedLook,
    /// Whether everything was asked for.
    pub(super) full: bool,
}

/// All that was said, as one error: the first source's reason first. `None` when nobody was asked.
/// `offline` is why no source can be reached.
pub(super) fn all_said(said: Vec<Error>, offline: Option<&Error>) -> Option<Error> {
    let mut reasons: Vec<String> = said.iter().map(Error::for_operator).collect();
    reasons.dedup();
    let is_offline = offline.is_some_and(|why| reasons.last() == Some(&why.for_operator()));
    match (said.last()?, reasons.as_slice()) {
        // One reason, or one that holds the others.
        (last, rest) if is_offline || rest.len() == 1 => Some(last.clone()),
        (last, _) => Some(Error::Unavailable {
            what: reasons.join(" Then: "),
            retry_after: last.retry_after(),
            source: None,
        }),
    }
}

/// Whether the oldest figure that came for a series is itself revised: then older ones may be too.
pub(super) async fn reaches_further(
    store: &Arc<dyn Store>,
    steps: &[Step],
    figures: &Figures,
) -> Result<bool> {
    for step in steps {
        let Some(Ok(rows)) = figures.get(&step.id) else {
            continue;
        };
        if is_revised(store, &step.id, rows.first().copied()).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether what is held of a date has another value.
pub(super) async fn is_revised(
    store: &Arc<dyn Store>,
    id: &SeriesId,
    came: Option<Observation>,
) -> Result<bool> {
    let Some(oldest) = came else {
        return Ok(false);
    };
    let held = looks::latest(store, id).await?;
    let same = held.iter().find(|o| o.date == oldest.date);
    Ok(same.is_some_and(|o| o.value != oldest.value))
}

pub(super) fn no_source(recipes: &Recipes, id: &SeriesId) -> Error {
    let keys = recipes.routes(id).filter_map(|at| {
        let key = at.source.key.as_ref()?;
        Some(format!("{} ({})", at.source.id, key.from))
    });
    let keys = keys.collect::<Vec<_>>().join(", ");
    let why = format!("it needs a key of your own, --source-key NAME=KEY, of one of: {keys}");
    Error::no_data(id, why)
}
