//! A row of the table: an endpoint as plain values and function pointers.

use super::answer::Reply;
use super::backend::Backend;
use super::decode::{self, Arguments};
use super::endpoint::{Endpoint, Spec};
use super::schema;
use crate::error::Result;
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

type Call =
    for<'a> fn(&'a Backend, Arguments) -> Pin<Box<dyn Future<Output = Result<Reply>> + Send + 'a>>;

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
            call: |backend, arguments| Box::pin(backend.answer::<E>(arguments)),
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

    /// An assistant's arguments without what says nothing, completed by what the endpoint prefers for its window.
    pub fn for_assistant(&self, arguments: Arguments) -> Arguments {
        let mut arguments = decode::without_blanks(self.input_schema(), arguments);
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
    /// [`crate::Error::InvalidParam`] for arguments that do not fit, and whatever the endpoint says.
    pub async fn call(&'static self, backend: &Backend, arguments: Arguments) -> Result<Reply> {
        let checked = decode::check(self.input_schema(), arguments)?;
        (self.call)(backend, checked).await
    }

    /// A call that works, as a REST address below the base: the example's arguments in the path or the query.
    pub fn example_path(&self) -> String {
        let mut path = self.spec.path.to_owned();
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in self.spec.example {
            let hole = format!("{{{name}}}");
            if path.contains(&hole) {
                let value: String =
                    url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
                path = path.replace(&hole, &value);
            } else {
                query.append_pair(name, value);
            }
        }
        match query.finish() {
            query if query.is_empty() => path,
            query => format!("{path}?{query}"),
        }
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
