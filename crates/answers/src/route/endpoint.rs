//! An endpoint: a declaration, two types and a function. Everything else is generated from it.

use crate::render::answer::Answer;
use crate::route::decode::Arguments;
use econoscope_core::error::Result;
use econoscope_core::model::Date;
use econoscope_desk::Desk;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// An endpoint's declaration, for MCP, REST, OpenAPI, the README and the command line.
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
    /// Description for models: when to use the tool and when not, units, freshness.
    pub description: &'static str,
    /// Seconds for which a client may cache the answer.
    pub max_age: u32,
    /// Whether a forwarding server asks an upstream of the contract.
    pub in_contract: bool,
    /// Whether the sitemap lists the path: only one that answers without arguments.
    pub in_sitemap: bool,
    /// Arguments of an example call that works on any data.
    pub example: &'static [(&'static str, &'static str)],
}

/// An endpoint, implemented by its arguments: their field docs are descriptions for models. Each has a file with Params,
/// Output, SPEC, `local`, `text` and tests.
pub trait Endpoint: DeserializeOwned + JsonSchema + Send + 'static {
    /// The declaration.
    const SPEC: Spec;
    /// Defaults for an assistant's call, whose window is small.
    const MCP_DEFAULTS: &'static [(&'static str, &'static str)] = &[];
    /// Whether a tool's structure is the compact form of the answer; false where hosts expect the answer's own shape.
    const IS_COMPACT: bool = true;
    /// The arguments that the contract has, for an upstream.
    const CONTRACT: &'static [&'static str] = &[];
    /// The answer; its fields are the contract's.
    type Output: Serialize + DeserializeOwned + JsonSchema + Send + 'static;

    /// Answers from the local desk.
    ///
    /// # Errors
    /// Any [`econoscope_core::Error`].
    fn local(desk: &Desk, params: &Self) -> Result<Self::Output>;

    /// Renders the answer as prose that is complete without the structure; by default as JSON.
    fn text(output: &Self::Output, _: &Self) -> String {
        serde_json::to_string(output).unwrap_or_default()
    }

    /// Fields that text and structure of a tool's result leave out, as dotted paths through lists.
    fn omitted(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the arguments for an upstream. Overridden where an argument means more here than in the contract.
    ///
    /// # Errors
    /// [`econoscope_core::Error::InvalidParam`] for arguments that cannot be sent.
    fn upstream_arguments(checked: &Arguments, _today: Date) -> Result<Arguments> {
        Ok(checked.clone())
    }

    /// Turns an upstream's answer, which knows only the contract's arguments, into the requested one.
    ///
    /// # Errors
    /// [`econoscope_core::Error::InvalidParam`] for arguments that make no sense for this answer.
    fn from_upstream(output: Self::Output, _: &Self, _today: Date) -> Result<Self::Output> {
        Ok(output)
    }

    /// Renders the answer. Overridden where it is more than JSON and text.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Internal`] when the output cannot be serialized.
    fn render(output: &Self::Output, params: &Self) -> Result<Answer> {
        Answer::new(output, Self::text(output, params), Self::SPEC.max_age)
    }
}
