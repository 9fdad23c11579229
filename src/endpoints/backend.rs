//! The one seam: who answers. Edges hold a [`Backend`] and never know which kind.

use super::answer::Answer;
use super::decode::{self, Arguments};
use super::endpoint::{Endpoint, Route};
use crate::desk::Desk;
use crate::error::{Error, Result};
use moka::sync::Cache;
use serde_json::Value;
use std::sync::Arc;

/// Bytes of rendered answers kept in memory.
const CACHE_BYTES: u64 = 24 << 20;

/// Answers endpoints from the local desk.
pub struct Backend {
    desk: Arc<Desk>,
    rendered: Cache<Key, Arc<Answer>>,
}

/// An answer's identity: endpoint, canonical arguments, state of the data.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    tool: &'static str,
    arguments: Box<str>,
    state: crate::desk::State,
}

impl Backend {
    /// A backend that answers from local data.
    pub fn local(desk: Arc<Desk>) -> Self {
        let rendered = Cache::builder()
            .max_capacity(CACHE_BYTES)
            .weigher(|_, answer: &Arc<Answer>| u32::try_from(answer.weight()).unwrap_or(u32::MAX))
            .build();
        Self { desk, rendered }
    }

    /// The address in links, without a final slash.
    pub fn base_url(&self) -> &str {
        &self.desk.settings().base_url
    }

    /// The local desk.
    pub fn desk(&self) -> &Arc<Desk> {
        &self.desk
    }

    /// Answers one endpoint; rendered at most once per state of the data.
    pub(super) async fn answer<E: Endpoint>(
        &self,
        route: &'static Route,
        checked: Arguments,
    ) -> Result<Arc<Answer>> {
        let arguments = Value::Object(checked).to_string().into_boxed_str();
        let key = Key {
            tool: route.spec.tool,
            arguments,
            state: self.desk.state()?,
        };
        if let Some(answer) = self.rendered.get(&key) {
            return Ok(answer);
        }
        let desk = Arc::clone(&self.desk);
        let text = key.arguments.clone();
        let work = move || {
            let checked: Arguments = serde_json::from_str(&text)
                .map_err(|e| Error::internal("reading arguments back", e))?;
            let params = decode::params::<E::Params>(&checked)?;
            E::render(&E::local(&desk, &params)?, &params)
        };
        let answer = tokio::task::spawn_blocking(work)
            .await
            .map_err(|e| Error::internal("an endpoint failed", e))??;
        let answer = Arc::new(answer);
        self.rendered.insert(key, Arc::clone(&answer));
        Ok(answer)
    }
}
