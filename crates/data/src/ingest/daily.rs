//! The requests to sources that limit them a day, counted by the ledger of the upstream for all processes of this machine.

use crate::pool::Caller;
use crate::upstream::{Kind, Ledger, Purpose};
use econoscope_core::clock::SystemClock;
use econoscope_core::error::Result;
use jiff::Timestamp;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The requests of the last day, by source.
#[derive(Debug, Clone, Default)]
pub struct DailyRequests {
    /// Where they are recorded; `None` = in memory.
    file: Option<PathBuf>,
    ledgers: Arc<Mutex<BTreeMap<String, Arc<Ledger>>>>,
}

impl DailyRequests {
    /// Records requests in a file, which is opened with the first one.
    pub fn in_file(file: PathBuf) -> Self {
        Self {
            file: Some(file),
            ..Self::default()
        }
    }

    fn ledger(&self, name: String, limit: u32) -> Result<Arc<Ledger>> {
        let mut ledgers = self.ledgers.lock();
        if let Some(ledger) = ledgers.get(&name) {
            return Ok(Arc::clone(ledger));
        }
        let clock = Arc::new(SystemClock);
        let ledger = Arc::new(Ledger::open(self.file.as_deref(), &name, limit, clock)?);
        ledgers.insert(name, Arc::clone(&ledger));
        Ok(ledger)
    }

    /// Records the requests of a sync, which the source itself refuses, or of a question. Returns when a question may be
    /// asked again if it may not now. Blocks on the disk.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when they cannot be recorded; a question must then not be asked.
    pub(super) fn pay(
        &self,
        source: &str,
        [all, for_questions]: [u32; 2],
        count: usize,
        is_question: bool,
    ) -> Result<Option<Timestamp>> {
        let mut ledgers = vec![self.ledger(source.to_owned(), all)?];
        if is_question {
            ledgers.push(self.ledger(format!("{source} for questions"), for_questions)?);
            for ledger in &ledgers {
                let quota = ledger.quota()?;
                if (quota.remaining as usize) < count {
                    return Ok(Some(quota.resets_at));
                }
            }
        }
        for ledger in ledgers {
            for _ in 0..count {
                ledger.pay(Purpose::Miss(Kind::Shared), Caller::current())?;
            }
        }
        Ok(None)
    }
}
