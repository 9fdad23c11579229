//! What an endpoint is: a declaration, two types and a function. Everything else is printed from it.

use super::answer::Answer;
use super::decode::Arguments;
use super::provenance::Provenance;
use econoscope_core::error::Result;
use econoscope_core::model::Date;
use econoscope_data::desk::Desk;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

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

/// Where an answer keeps its provenance; `None` of one that has none.
pub type Kept<T> = Option<fn(&mut T) -> &mut Provenance>;

/// One endpoint, as the arguments it takes: field docs are what a model reads. A file of its own holds Params, Output,
/// SPEC, `local`, `text` and their tests.
pub trait Endpoint: DeserializeOwned + JsonSchema + Send + 'static {
    /// The declaration.
    const SPEC: Spec;
    /// Arguments that an assistant's call has unless it gives them: answers for a window, not for a program.
    const MCP_DEFAULTS: &'static [(&'static str, &'static str)] = &[];
    /// Where an answer says what its arguments were taken for; every endpoint with dates has it.
    const PROVENANCE: Kept<Self::Output> = None;
    /// Whether a tool's structure is the compact form of the answer; false where hosts expect the answer's own shape.
    const IS_COMPACT: bool = true;
    /// Answer; its fields are the contract's.
    type Output: Serialize + DeserializeOwned + JsonSchema + Send + 'static;

    /// Answers from the local desk.
    ///
    /// # Errors
    /// Any meaning of [`econoscope_core::Error`]; the edge translates it.
    fn local(desk: &Desk, params: &Self) -> Result<Self::Output>;

    /// Says the answer in prose that alone answers the question; its JSON for hosts that read that.
    fn text(output: &Self::Output, _: &Self) -> String {
        serde_json::to_string(output).unwrap_or_default()
    }

    /// Fields that the text leaves out, by dotted paths through lists: a tool's structure leaves them out, too.
    fn omitted(&self) -> &'static [&'static str] {
        &[]
    }

    /// Arguments of the path and the query that an upstream is sent; overridden where they mean more here than in the
    /// contract.
    ///
    /// # Errors
    /// [`econoscope_core::Error::InvalidParam`] for arguments that cannot be sent.
    fn outbound(checked: &Arguments, _today: Date) -> Result<Arguments> {
        Ok(checked.clone())
    }

    /// Makes the answer asked for out of an upstream's, which knows the contract's arguments alone.
    ///
    /// # Errors
    /// [`econoscope_core::Error::InvalidParam`] for arguments that make no sense for this answer.
    fn received(output: Self::Output, _: &Self, _today: Date) -> Result<Self::Output> {
        Ok(output)
    }

    /// Renders the answer; overridden where it is more than its JSON and its prose.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Internal`] when the output cannot be serialised.
    fn render(output: &Self::Output, params: &Self) -> Result<Answer> {
        Answer::new(output, Self::text(output, params), Self::SPEC.max_age)
    }
}
