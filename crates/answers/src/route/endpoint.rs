//! An endpoint: a declaration, two types and a function. Everything else is generated from it.

use crate::render::answer::Answer;
use crate::route::decode::Arguments;
use econoscope_core::error::Result;
use econoscope_core::model::Date;
use econoscope_desk::Desk;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// An endpoint's declaration, for MCP, REST, OpenAPI, the README and the command line: an entry of `data/endpoints.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Tool name: `get_regime`.
    #[serde(skip)]
    pub tool: &'static str,
    /// Title for people: "Macro regime".
    pub title: &'static str,
    /// REST path; an argument in braces is part of the path.
    pub path: &'static str,
    /// One line for lists: README, llms.txt, OpenAPI summary.
    pub summary: &'static str,
    /// Description for models: when to use the tool and when not, units, freshness.
    pub description: String,
    /// Seconds for which a client may cache the answer.
    pub max_age: u32,
    /// Whether a forwarding server asks an upstream of the contract.
    pub in_contract: bool,
    /// Whether the sitemap lists the path: only one that answers without arguments.
    pub in_sitemap: bool,
    /// Arguments of an example call that works on any data.
    pub example: Vec<(&'static str, &'static str)>,
    /// The arguments that the contract has, for an upstream.
    #[serde(default)]
    pub(crate) contract: Vec<&'static str>,
    /// Defaults for an assistant's call, whose window is small.
    #[serde(default)]
    pub(crate) assistant_defaults: Vec<(&'static str, &'static str)>,
    /// Fields that text and structure of a tool's result leave out, as dotted paths through lists, by
    /// [`Endpoint::form`]; none for a form without an entry.
    #[serde(default)]
    pub(crate) omitted: BTreeMap<&'static str, Vec<&'static str>>,
}

impl Spec {
    /// Reads the declarations of all tools.
    fn read_all() -> std::result::Result<BTreeMap<&'static str, Self>, toml::de::Error> {
        let mut specs: BTreeMap<&str, Self> =
            toml::from_str(include_str!("../../data/endpoints.toml"))?;
        for (&tool, spec) in &mut specs {
            spec.tool = tool;
        }
        Ok(specs)
    }

    /// Returns the declaration of a tool; an empty one for a tool that is not declared, which a test rules out.
    pub(crate) fn of(tool: &str) -> &'static Self {
        static SPECS: LazyLock<BTreeMap<&str, Spec>> =
            LazyLock::new(|| Spec::read_all().unwrap_or_default());
        static UNDECLARED: LazyLock<Spec> = LazyLock::new(Spec::default);
        SPECS.get(tool).unwrap_or(&UNDECLARED)
    }
}

/// An endpoint, implemented by its arguments: their field docs are descriptions for models. Each has a file with Params,
/// Output, TOOL, `local`, `text` and tests.
pub trait Endpoint: DeserializeOwned + JsonSchema + Send + 'static {
    /// The tool's name, by which `data/endpoints.toml` declares the endpoint.
    const TOOL: &'static str;
    /// Whether a tool's structure is the compact form of the answer; false where hosts expect the answer's own shape.
    const IS_COMPACT: bool = true;
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

    /// Returns the form of the answer to these arguments, for which the declaration says what is left out.
    fn form(&self) -> &'static str {
        "always"
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
        Answer::new(
            output,
            Self::text(output, params),
            Spec::of(Self::TOOL).max_age,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENDPOINTS;

    #[test]
    fn every_declaration_is_of_an_endpoint_and_reads() {
        let specs = Spec::read_all().unwrap();
        let mut tools: Vec<&str> = ENDPOINTS.iter().map(|route| route.spec.tool).collect();
        tools.sort_unstable();
        assert_eq!(specs.keys().copied().collect::<Vec<_>>(), tools);
        for spec in specs.values() {
            assert!(
                !spec.title.is_empty() && !spec.summary.is_empty(),
                "{}",
                spec.tool
            );
            assert!(spec.path.starts_with("/api/public/"), "{}", spec.tool);
            assert!(spec.max_age > 0, "{}", spec.tool);
        }
    }
}
