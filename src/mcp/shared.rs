//! What the transports share: the backend, the lists, and who the server is.

use super::protocol::Signature;
use super::{prompts, resources, skills, subscriptions, tools};
use crate::endpoints::Backend;
use rmcp::model::{Prompt, Resource, ResourceTemplate, ServerConfig, Skill, Tool};
use std::sync::{Arc, OnceLock};

/// What the transports share.
pub(super) struct Shared {
    pub(super) backend: Arc<Backend>,
    pub(super) lists: OnceLock<Lists>,
    /// What the server is and can do.
    pub(super) info: ServerConfig,
    /// Who it is, as that stands in a result's `_meta`.
    pub(super) signature: Signature,
    pub(super) pulse: Arc<subscriptions::Pulse>,
}

/// What is listed, each in its order.
pub(super) struct Lists {
    pub(super) tools: Vec<Tool>,
    pub(super) resources: Vec<Resource>,
    pub(super) templates: Vec<ResourceTemplate>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) skills: Vec<Skill>,
}

impl Shared {
    /// The lists, made when the first of them is asked for: a call needs none of them.
    pub(super) fn lists(&self) -> &Lists {
        self.lists.get_or_init(|| Lists {
            tools: tools::all(),
            resources: resources::list(),
            templates: resources::templates(),
            prompts: prompts::all(),
            skills: skills::all(),
        })
    }
}
