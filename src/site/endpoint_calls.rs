//! Endpoint calls of pages. Pages call endpoints as other clients do, so they also work on a server that forwards.

use super::document::MAX_AGE;
use super::prelude::*;
use crate::admission::{Admission, Policy};
use econoscope_answers::{Arguments, Backend, Reply, Route};
use econoscope_data::pool::Caller;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// A call of an endpoint.
pub(super) struct EndpointCall {
    tool: &'static str,
    arguments: Arguments,
}

/// The answers to the calls of a page, in the order of the calls.
pub(super) struct Answers {
    replies: std::vec::IntoIter<Result<Reply>>,
    /// Whether the figures are those of an upstream.
    pub(super) is_forwarded: bool,
}

impl EndpointCall {
    /// Creates a call without the arguments whose value is empty.
    pub(super) fn new<'a>(
        tool: &'static str,
        arguments: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let arguments = endpoint_arguments(arguments);
        Self { tool, arguments }
    }

    /// Whether an upstream answers it.
    #[cfg(test)]
    pub(super) fn is_in_contract(&self) -> bool {
        Route::find(self.tool).is_some_and(|route| route.spec.in_contract)
    }

    async fn send(self, backend: &Backend, admission: &Admission, caller: Caller) -> Result<Reply> {
        let route = Route::of_tool(self.tool)?;
        let call = route.call(backend, self.arguments);
        if backend.is_local(&route.spec) {
            return call.await;
        }
        // A forwarded call is charged as over REST.
        let policy = Policy::of_path(route.spec.path);
        admission.charge_for(caller, policy, call).await
    }
}

impl Answers {
    /// Sends calls one after the other. The first is for the subject of the page: when it fails, no other is sent.
    ///
    /// # Errors
    /// [`Error::Busy`] when any call is refused for lack of capacity, since an incomplete page must not be cached.
    pub(super) async fn fetch(
        calls: Vec<EndpointCall>,
        backend: &Backend,
        admission: &Admission,
        caller: Caller,
    ) -> Result<Self> {
        let mut replies = Vec::with_capacity(calls.len());
        for call in calls {
            let reply = call.send(backend, admission, caller).await;
            if let Err(error @ Error::Busy) = reply {
                return Err(error);
            }
            let is_without_subject = replies.is_empty() && reply.is_err();
            replies.push(reply);
            if is_without_subject {
                break;
            }
        }
        Ok(Self {
            replies: replies.into_iter(),
            is_forwarded: backend.upstream().is_some(),
        })
    }

    /// How long the page may be kept: as long as each of its answers, and no longer than a page.
    pub(super) fn max_age(&self) -> Option<Duration> {
        let replies = self.replies.as_slice().iter().flatten();
        let mut ages = replies.map(Reply::max_age);
        ages.try_fold(MAX_AGE, |all, one| Some(all.min(one?)))
    }

    /// Takes the next answer.
    ///
    /// # Errors
    /// The error of the endpoint, or [`Error::Internal`] when no answer is left or it has another type.
    pub(super) fn read<T: DeserializeOwned>(&mut self) -> Result<T> {
        let next = self.replies.next();
        let reply = next.ok_or_else(|| {
            Error::internal("reading the answers of a page", "no answer is left")
        })??;
        serde_json::from_slice(&reply.json)
            .map_err(|e| Error::internal("parsing the answer of an endpoint", e))
    }
}
