//! From arguments to an answer: the row of an endpoint, its schemas, and the backend that answers it.

pub mod backend;
pub(crate) mod codes;
pub mod decode;
mod demand;
pub mod endpoint;
pub mod forward;
pub(crate) mod reader;
pub mod schema;

use crate::render::answer::{Answer, Reply};
use crate::render::structure::{self, Fields};
use crate::{ENDPOINTS, dates};
use backend::Backend;
use decode::Arguments;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::Date;
use econoscope_data::upstream::Request;
use econoscope_desk::Desk;
use endpoint::{Endpoint, Spec};
use serde_json::Value;
use std::sync::{Arc, LazyLock};
use url::Url;

/// An endpoint as values and function pointers, without its types.
#[derive(Debug)]
pub struct Route {
    /// The declaration.
    pub spec: LazyLock<&'static Spec>,
    /// The schema of the arguments.
    pub input_schema: LazyLock<Arc<Fields>>,
    /// The schema of the answer.
    pub output_schema: LazyLock<Arc<Fields>>,
    /// The schema of the structure of a tool's result.
    pub structure_schema: LazyLock<Fields>,
    /// The schema by which an upstream's answer is read.
    pub(crate) received_schema: LazyLock<Fields>,
    /// Answers from the desk.
    pub(crate) local: fn(&Desk, &Arguments) -> Result<Answer>,
    /// Builds the request for an upstream.
    pub(crate) request: fn(&Arguments, Date) -> Result<Request>,
    /// Renders the body of the response of the upstream at an address.
    pub(crate) received: fn(&[u8], &Url, &Arguments, Date) -> Result<Answer>,
}

impl Route {
    /// Returns the row of the endpoint `E`.
    pub const fn new<E: Endpoint>() -> Self {
        Self {
            spec: LazyLock::new(|| Spec::of(E::TOOL)),
            input_schema: LazyLock::new(|| Arc::new(schema::input::<E>())),
            output_schema: LazyLock::new(|| Arc::new(schema::output::<E::Output>())),
            structure_schema: LazyLock::new(|| {
                match (E::IS_COMPACT, schema::output::<E::Output>()) {
                    (true, answer) => structure::schema(&answer),
                    (false, answer) => answer,
                }
            }),
            received_schema: LazyLock::new(schema::received::<E::Output>),
            local: backend::local::<E>,
            request: forward::build_request::<E>,
            received: forward::render_received::<E>,
        }
    }

    /// Returns the endpoint of a tool name.
    pub fn find(tool: &str) -> Option<&'static Self> {
        ENDPOINTS.iter().find(|r| r.spec.tool == tool)
    }

    /// Returns the endpoint of a tool of the table.
    ///
    /// # Errors
    /// [`Error::Internal`] for a name that is not in the table.
    pub fn of_tool(tool: &str) -> Result<&'static Self> {
        Self::find(tool).ok_or_else(|| Error::internal("looking up an endpoint", tool))
    }

    /// Returns the schema of the arguments for assistants, with the defaults of [`Self::with_assistant_defaults`].
    ///
    /// `additionalProperties` is left out: Google's client library refuses it. Unknown arguments are refused all the
    /// same, by the whole schema.
    pub fn assistant_schema(&self) -> Fields {
        let mut schema = Fields::clone(&self.input_schema);
        schema.remove("additionalProperties");
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        if let Some(properties) = properties {
            for (name, value) in &self.spec.assistant_defaults {
                if let Some(Value::Object(property)) = properties.get_mut(*name) {
                    property.insert("default".into(), Value::from(*value));
                }
            }
        }
        schema
    }

    /// Removes the empty arguments of an assistant and those that its host adds, and adds the endpoint's defaults for
    /// assistants.
    pub fn with_assistant_defaults(&self, mut arguments: Arguments) -> Arguments {
        arguments.retain(|name, value| {
            !decode::is_from_host(name) && !decode::is_omitted(&self.input_schema, name, value)
        });
        for (name, value) in &self.spec.assistant_defaults {
            let argument = arguments.entry(*name);
            argument.or_insert_with(|| Value::from(*value));
        }
        arguments
    }

    /// The arguments for people, in the order of their declaration.
    pub fn arguments(&self) -> impl Iterator<Item = Argument> {
        self.properties().map(|(name, property)| Argument {
            name: name.clone(),
            allowed: if dates::NAMES.contains(&name.as_str()) {
                dates::FORMS.to_owned()
            } else {
                decode::describe_allowed(property)
            },
            meaning: property
                .get("description")
                .map_or_else(String::new, decode::format_value),
            is_required: decode::is_required(&self.input_schema, name),
            default: property.get("default").map(decode::format_value),
        })
    }

    /// The schemas of the arguments, by name.
    pub(crate) fn properties(&self) -> impl Iterator<Item = (&String, &Value)> {
        let properties = self.input_schema.get("properties");
        properties.and_then(Value::as_object).into_iter().flatten()
    }

    /// Whether there is an argument of that name.
    pub fn has_argument(&self, name: &str) -> bool {
        self.properties().any(|(argument, _)| argument == name)
    }

    /// Checks the arguments and answers.
    ///
    /// # Errors
    /// [`econoscope_core::Error::InvalidParam`] for arguments that do not fit the schema, and the errors of the endpoint.
    pub async fn call(&'static self, backend: &Backend, arguments: Arguments) -> Result<Reply> {
        let checked = decode::check(&self.input_schema, arguments)?;
        backend.answer(self, checked).await
    }

    /// Calls the endpoint with the name `tool`.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Internal`] for a name that is not in the table, and those of [`Self::call`].
    pub async fn call_tool(
        backend: &Backend,
        tool: &str,
        arguments: &[(&str, &str)],
    ) -> Result<Reply> {
        let argument = |(name, value): &(&str, &str)| ((*name).to_owned(), Value::from(*value));
        let values = arguments.iter().map(argument).collect();
        Self::of_tool(tool)?.call(backend, values).await
    }

    /// Returns the REST path of a call that works, with the example's arguments in the path or the query.
    pub fn example_path(&self) -> String {
        let mut path = self.spec.path.to_owned();
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in &self.spec.example {
            let placeholder = format!("{{{name}}}");
            if path.contains(&placeholder) {
                let value = url::form_urlencoded::byte_serialize(value.as_bytes());
                path = path.replace(&placeholder, &value.collect::<String>());
            } else {
                query.append_pair(name, value);
            }
        }
        match query.finish() {
            query if query.is_empty() => path,
            query => format!("{path}?{query}"),
        }
    }

    /// The names of the arguments in the path.
    pub fn path_arguments(&self) -> impl Iterator<Item = &'static str> {
        let parts = self.spec.path.split('/');
        parts.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
}

/// An argument of an endpoint, described for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Name.
    pub name: String,
    /// Allowed values, with an example if the schema has one: "a whole number from 1 to 50".
    pub allowed: String,
    /// Description in the schema.
    pub meaning: String,
    /// Whether every call needs it.
    pub is_required: bool,
    /// Default of the schema.
    pub default: Option<String>,
}
