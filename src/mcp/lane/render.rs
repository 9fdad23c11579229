//! A result as bytes: member by member what the library would write, with the endpoint's JSON put in as it is.

use super::super::{Shared, tools};
use super::Era;
use crate::endpoints::{Arguments, Route};
use bytes::Bytes;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};

/// A rendered result.
pub(super) struct Made {
    /// `"result":{…}}`.
    pub(super) bytes: Bytes,
    /// Whether the next caller may have the same; failures pass.
    pub(super) may_be_kept: bool,
}

/// Calls an endpoint and renders what comes of it.
pub(super) async fn result(
    shared: &Shared,
    route: &'static Route,
    arguments: Arguments,
    era: Era,
) -> Option<Made> {
    let asked = arguments.clone();
    match route
        .call(&shared.backend, route.for_assistant(arguments))
        .await
    {
        // What was forwarded says how old it is, which is another text every second.
        Ok(reply) if reply.upstream.is_some() => None,
        Ok(reply) => {
            let content = tools::content(&reply, &asked, reply.text.to_string());
            Some(Made {
                bytes: success(&content, &reply.json, era, shared)?,
                may_be_kept: true,
            })
        }
        Err(error) => {
            crate::error::log(&error, route.spec.tool);
            Some(Made {
                bytes: failure(tools::failure(&error), era, shared)?,
                may_be_kept: false,
            })
        }
    }
}

fn success(content: &[ContentBlock], json: &[u8], era: Era, shared: &Shared) -> Option<Bytes> {
    let content = serde_json::to_vec(content).ok()?;
    let signature = &shared.signature_text;
    let mut out = Vec::with_capacity(content.len() + json.len() + signature.len() + 160);
    out.extend_from_slice(b"\"result\":{");
    if era == Era::Modern {
        out.extend_from_slice(b"\"resultType\":\"complete\",");
    }
    out.extend_from_slice(b"\"content\":");
    out.extend_from_slice(&content);
    out.extend_from_slice(b",\"structuredContent\":");
    out.extend_from_slice(json);
    out.extend_from_slice(b",\"isError\":false");
    if era == Era::Modern {
        out.extend_from_slice(b",\"_meta\":{\"");
        out.extend_from_slice(super::super::SIGNATURE.as_bytes());
        out.extend_from_slice(b"\":");
        out.extend_from_slice(signature.as_bytes());
        out.push(b'}');
    }
    out.extend_from_slice(b"}}");
    Some(Bytes::from(out))
}

fn failure(mut result: CallToolResult, era: Era, shared: &Shared) -> Option<Bytes> {
    match era {
        Era::Legacy => result.result_type = None,
        Era::Modern => {
            let meta = result.meta.get_or_insert_with(MetaObject::default);
            let name = super::super::SIGNATURE.to_owned();
            meta.insert(name, shared.signature.clone());
        }
    }
    let mut out = b"\"result\":".to_vec();
    serde_json::to_writer(&mut out, &result).ok()?;
    out.push(b'}');
    Some(Bytes::from(out))
}
