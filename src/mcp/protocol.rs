//! What the protocol asks of every method: how long lists hold, for whom is answered, and who signs.

use econoscope_data::pool::Caller;
use rmcp::model::{Implementation, MetaObject, ProtocolVersion};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

/// How long a client may keep lists and discovery: they change only with the program.
pub(super) const LIST_TTL_MS: u64 = 3_600_000;

/// Under which name the server stands in a result's `_meta`.
const SIGNATURE: &str = "io.modelcontextprotocol/serverInfo";

/// Who the server is, as that stands in a result's `_meta`.
pub(super) struct Signature {
    identity: Value,
    end: String,
}

impl Signature {
    pub(super) fn of(identity: &Implementation) -> Self {
        let identity = json!(identity);
        let meta = json!({ SIGNATURE: identity });
        Self {
            end: format!(r#","isError":false,"_meta":{meta}}}"#),
            identity,
        }
    }

    /// Puts the server's name in a result's `_meta`, which 2026-07-28 asks of every result.
    pub(super) fn sign(&self, meta: &mut Option<MetaObject>) {
        meta.get_or_insert_default()
            .insert(SIGNATURE.to_owned(), self.identity.clone());
    }

    /// The end of a successful result that has this signature, as JSON.
    pub(super) fn end(&self) -> &str {
        &self.end
    }
}

/// Whether the request speaks 2026-07-28 or later.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|v| v.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// For whom a request is answered: as the transport noted it, since the library runs a task for each.
pub(super) fn caller(extensions: &rmcp::model::Extensions) -> Caller {
    let parts = extensions.get::<http::request::Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get().copied());
    caller.unwrap_or(Caller::OWN)
}
