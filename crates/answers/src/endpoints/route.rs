//! A row of the table: an endpoint as plain values and function pointers.

use super::answer::{Answer, Reply};
use super::backend::{self, Backend};
use super::decode::{self, Arguments};
use super::endpoint::{Endpoint, Spec};
use super::{days, forward, schema, structure};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::Date;
use econoscope_data::desk::Desk;
use econoscope_data::upstream::Request;
use serde_json::{Map, Value};
use std::sync::{Arc, LazyLock};

/// An endpoint as plain values and function pointers: a row of the table.
#[derive(Debug)]
pub struct Route {
    /// The declaration.
    pub spec: Spec,
    mcp_defaults: &'static [(&'static str, &'static str)],
    input: LazyLock<Arc<Map<String, Value>>>,
    output: LazyLock<Arc<Map<String, Value>>>,
    structure: LazyLock<Map<String, Value>>,
    /// Answers from the desk.
    pub(super) local: fn(&Desk, &Arguments) -> Result<Answer>,
    /// The question for an upstream, and what comes of its body.
    pub(super) request: fn(&Arguments, Date) -> Result<Request>,
    pub(super) received: fn(&[u8], &Arguments, Date) -> Result<Answer>,
}

impl Route {
    /// The row of an endpoint.
    pub const fn of<E: Endpoint>() -> Self {
        Self {
            spec: E::SPEC,
            mcp_defaults: E::MCP_DEFAULTS,
            input: LazyLock::new(|| Arc::new(schema::input::<E>())),
            output: LazyLock::new(|| Arc::new(schema::output::<E::Output>())),
            structure: LazyLock::new(|| match (E::IS_COMPACT, schema::output::<E::Output>()) {
                (true, answer) => structure::schema(&answer),
                (false, answer) => answer,
            }),
            local: backend::local::<E>,
            request: forward::request::<E>,
            received: forward::render::<E>,
        }
    }

    /// Schema of the arguments, built once.
    pub fn input_schema(&self) -> &Arc<Map<String, Value>> {
        &self.input
    }

    /// Schema of the answer, built once.
    pub fn output_schema(&self) -> &Arc<Map<String, Value>> {
        &self.output
    }

    /// Schema of the structure of a tool's result, built once.
    pub fn structure_schema(&self) -> &Map<String, Value> {
        &self.structure
    }

    /// Schema of the arguments as an assistant gives them: what is put in for it stands in `default`.
    ///
    /// Google's client library refuses a schema with `additionalProperties`. The arguments are checked against the whole
    /// schema, which refuses unknown ones.
    pub fn assistant_schema(&self) -> Map<String, Value> {
        let mut schema = Map::clone(self.input_schema());
        schema.remove("additionalProperties");
        let Some(Value::Object(properties)) = schema.get_mut("properties") else {
            return schema;
        };
        for (name, value) in self.mcp_defaults {
            if let Some(Value::Object(property)) = properties.get_mut(*name) {
                property.insert("default".into(), Value::from(*value));
            }
        }
        schema
    }

    /// An assistant's arguments without what says nothing, completed by what the endpoint prefers for its window.
    pub fn for_assistant(&self, mut arguments: Arguments) -> Arguments {
        arguments.retain(|name, value| !decode::is_unsaid(self.input_schema(), name, value));
        for (name, value) in self.mcp_defaults {
            if !arguments.contains_key(*name) {
                arguments.insert((*name).to_owned(), Value::from(*value));
            }
        }
        arguments
    }

    /// The arguments in words, in the order of their declaration.
    pub fn arguments(&self) -> impl Iterator<Item = Argument> {
        self.properties().map(|(name, property)| Argument {
            name: name.clone(),
            allowed: match days::NAMES.contains(&name.as_str()) {
                true => days::FORMS.to_owned(),
                false => decode::allowed(property),
            },
            meaning: property
                .get("description")
                .map_or_else(String::new, decode::shown),
            is_required: decode::is_required(&self.input, name),
            default: property.get("default").map(decode::shown),
        })
    }

    /// The arguments as their schema describes them.
    pub(super) fn properties(&self) -> impl Iterator<Item = (&String, &Value)> {
        let properties = self.input.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten()
    }

    /// Whether there is an argument of that name.
    pub fn takes(&self, name: &str) -> bool {
        self.properties().any(|(known, _)| known == name)
    }

    /// Checks the arguments and answers.
    ///
    /// # Errors
    /// [`econoscope_core::Error::InvalidParam`] for arguments that do not fit, and whatever the endpoint says.
    pub async fn call(&'static self, backend: &Backend, arguments: Arguments) -> Result<Reply> {
        let checked = decode::check(self.input_schema(), arguments)?;
        backend.answer(self, checked).await
    }

    /// Answers the tool of that name for arguments in pairs.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Internal`] for a name that is not in the table, and those of [`Self::call`].
    pub async fn ask(backend: &Backend, tool: &str, given: &[(&str, &str)]) -> Result<Reply> {
        let route = Self::find(tool);
        let route = route.ok_or_else(|| Error::internal("looking up an endpoint", tool))?;
        let given = given.iter();
        let given = given.map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
        route.call(backend, given.collect()).await
    }

    /// A call that works, as a REST address below the base: the example's arguments in the path or the query.
    pub fn example_path(&self) -> String {
        let mut path = self.spec.path.to_owned();
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in self.spec.example {
            let hole = format!("{{{name}}}");
            if path.contains(&hole) {
                let value = url::form_urlencoded::byte_serialize(value.as_bytes());
                path = path.replace(&hole, &value.collect::<String>());
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

/// An argument of an endpoint in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Name as it is written before the `=`.
    pub name: String,
    /// What it may be, with an example where the schema has one: "a whole number from 1 to 50".
    pub allowed: String,
    /// What it means.
    pub meaning: String,
    /// Whether no call goes without it.
    pub is_required: bool,
    /// What is taken where it is left out and the schema says so.
    pub default: Option<String>,
}
