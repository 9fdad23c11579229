//! What an endpoint is: a declaration, two types and a function. Everything else is printed from it.

use super::answer::{Answer, Reply};
use super::backend::Backend;
use super::decode::{self, Arguments};
use super::forward::Outbound;
use super::schema;
use crate::desk::Desk;
use crate::error::{Error, Result};
use crate::model::Date;
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// An endpoint's declaration: all that MCP, REST, OpenAPI, the README and the command line need to know.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Tool name: `get_regime`.
    pub tool: &'static str,
    /// Title for people: "Macro regime".
    pub title: &'static str,
    /// REST path; an argument in braces is part of the path.
    pub path: &'static str,
    /// One line for lists: README, llms.txt, OpenAPI summary.
    pub summary: &'static str,
    /// What a model reads before it chooses: when to use it, when not, units, freshness.
    pub description: &'static str,
    /// Seconds a client may keep the answer.
    pub max_age: u32,
    /// Whether a forwarding server may answer it from an upstream of the contract.
    pub in_contract: bool,
    /// Arguments of an example call that works on any data.
    pub example: &'static [(&'static str, &'static str)],
}

/// One endpoint. A file of its own holds Params, Output, SPEC, `local`, `text` and their tests.
pub trait Endpoint: Send + Sync + 'static {
    /// The declaration.
    const SPEC: Spec;
    /// Arguments that an assistant's call has unless it gives them: answers for a window, not for a program.
    const MCP_DEFAULTS: &'static [(&'static str, &'static str)] = &[];
    /// Arguments; field docs are what a model reads.
    type Params: DeserializeOwned + JsonSchema + Send + 'static;
    /// Answer; its fields are the contract's.
    type Output: Serialize + DeserializeOwned + JsonSchema + Send + 'static;

    /// Answers from the local desk.
    ///
    /// # Errors
    /// Any meaning of [`Error`]; the edge translates it.
    fn local(desk: &Desk, params: &Self::Params) -> Result<Self::Output>;

    /// Says the answer in prose that alone answers the question.
    fn text(output: &Self::Output, params: &Self::Params) -> String;

    /// What is sent to an upstream; overridden where arguments mean more here than in the contract.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for arguments that cannot be sent.
    fn outbound(checked: &Arguments, _today: Date) -> Result<Outbound> {
        Ok(Outbound {
            arguments: checked.clone(),
            slice: None,
        })
    }

    /// Makes the answer asked for out of an upstream's, which knows the contract's arguments alone.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for arguments that make no sense for this answer.
    fn received(output: Self::Output, _: &Self::Params, _today: Date) -> Result<Self::Output> {
        Ok(output)
    }

    /// Renders the answer; overridden where a faster writer exists.
    ///
    /// # Errors
    /// [`Error::Internal`] when the output cannot be serialised.
    fn render(output: &Self::Output, params: &Self::Params) -> Result<Answer> {
        let json =
            serde_json::to_vec(output).map_err(|e| Error::internal("rendering an answer", e))?;
        let max_age = Duration::from_secs(u64::from(Self::SPEC.max_age));
        Ok(Answer::new(
            Bytes::from(json),
            Self::text(output, params),
            max_age,
        ))
    }
}

type Call = for<'a> fn(
    &'a Backend,
    &'static Route,
    Arguments,
) -> Pin<Box<dyn Future<Output = Result<Reply>> + Send + 'a>>;

/// An endpoint as plain values and function pointers: a row of the table.
pub struct Route {
    /// The declaration.
    pub spec: Spec,
    mcp_defaults: &'static [(&'static str, &'static str)],
    input: fn() -> Map<String, Value>,
    output: fn() -> Map<String, Value>,
    call: Call,
    input_once: OnceLock<Arc<Map<String, Value>>>,
    output_once: OnceLock<Arc<Map<String, Value>>>,
}

impl Route {
    /// The row of an endpoint.
    pub const fn of<E: Endpoint>() -> Self {
        Self {
            spec: E::SPEC,
            mcp_defaults: E::MCP_DEFAULTS,
            input: schema::input::<E::Params>,
            output: schema::output::<E::Output>,
            call: |backend, route, arguments| Box::pin(backend.answer::<E>(route, arguments)),
            input_once: OnceLock::new(),
            output_once: OnceLock::new(),
        }
    }

    /// Schema of the arguments, built once.
    pub fn input_schema(&self) -> &Arc<Map<String, Value>> {
        self.input_once.get_or_init(|| Arc::new((self.input)()))
    }

    /// Schema of the answer, built once.
    pub fn output_schema(&self) -> &Arc<Map<String, Value>> {
        self.output_once.get_or_init(|| Arc::new((self.output)()))
    }

    /// An assistant's arguments, completed by what the endpoint prefers for its window.
    pub fn for_assistant(&self, mut arguments: Arguments) -> Arguments {
        for (name, value) in self.mcp_defaults {
            if arguments.get(*name).is_none_or(Value::is_null) {
                arguments.insert((*name).to_owned(), Value::from(*value));
            }
        }
        arguments
    }

    /// Checks the arguments and answers.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for arguments that do not fit, and whatever the endpoint says.
    pub async fn call(&'static self, backend: &Backend, arguments: Arguments) -> Result<Reply> {
        let checked = decode::check(self.input_schema(), arguments)?;
        (self.call)(backend, self, checked).await
    }

    /// Names of the arguments that are part of the path.
    pub fn path_arguments(&self) -> impl Iterator<Item = &'static str> {
        self.spec
            .path
            .split('/')
            .filter_map(|s| s.strip_prefix('{')?.strip_suffix('}'))
    }
}

impl std::fmt::Debug for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Route")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}
