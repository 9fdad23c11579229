//! What a page asks of the endpoint table, like every other client; so it also works in front of an upstream.

use crate::admission::{Admission, Policy};
use econoscope_answers::endpoints::{Arguments, Backend, Reply, Route};
use econoscope_core::error::{Error, Result};
use econoscope_data::pool::Caller;
use serde::de::DeserializeOwned;

/// A call of an endpoint.
pub(super) struct Question {
    tool: &'static str,
    arguments: Arguments,
}

/// The answers to some questions, in their order.
pub(super) struct Answers {
    answers: std::vec::IntoIter<Result<Reply>>,
    /// Whether figures are those of an upstream.
    pub(super) is_forwarded: bool,
}

impl Question {
    /// Arguments without a value are left out.
    pub(super) fn new(tool: &'static str, arguments: &[(&str, &str)]) -> Self {
        let given = arguments.iter().filter(|(_, value)| !value.is_empty());
        Self {
            tool,
            arguments: given.map(|(n, v)| ((*n).to_owned(), (*v).into())).collect(),
        }
    }

    async fn ask(self, backend: &Backend, admission: &Admission, caller: Caller) -> Result<Reply> {
        let route = Route::find(self.tool)
            .ok_or_else(|| Error::internal("looking up an endpoint", self.tool))?;
        let call = route.call(backend, self.arguments);
        if backend.is_local(&route.spec) {
            return call.await;
        }
        // What an upstream is asked for costs what it costs over REST.
        let policy = Policy::of_path(route.spec.path);
        admission.paid(caller, policy, call).await
    }
}

impl Answers {
    /// Asks one question after the other. The first is what a page is about: without its answer no other is asked.
    ///
    /// # Errors
    /// [`Error::Busy`]: a page is not made of half its answers because there is much to do.
    pub(super) async fn to(
        questions: Vec<Question>,
        backend: &Backend,
        admission: &Admission,
        caller: Caller,
    ) -> Result<Self> {
        let mut answers = Vec::with_capacity(questions.len());
        for question in questions {
            let answer = question.ask(backend, admission, caller).await;
            if let Err(error @ Error::Busy { .. }) = answer {
                return Err(error);
            }
            let is_about_nothing = answers.is_empty() && answer.is_err();
            answers.push(answer);
            if is_about_nothing {
                break;
            }
        }
        Ok(Self {
            answers: answers.into_iter(),
            is_forwarded: backend.upstream().is_some(),
        })
    }

    /// The next answer.
    ///
    /// # Errors
    /// What the endpoint said.
    pub(super) fn read<T: DeserializeOwned>(&mut self) -> Result<T> {
        let next = self.answers.next();
        let reply = next.ok_or_else(|| Error::internal("reading answers", "none is left"))??;
        serde_json::from_slice(&reply.json)
            .map_err(|e| Error::internal("reading an answer back", e))
    }
}
