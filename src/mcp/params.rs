//! Checks the parameters of requests before the SDK reads them.
//!
//! The SDK takes a request whose parameters do not fit its method for one of an unknown method. Here the error names the
//! member. PHP writes an empty object as `[]`, so an empty list counts as one where an object is expected.

use super::jsonrpc::INVALID_PARAMS;
use super::message::InvalidMessage;
use super::protocol::Lifecycle;
use bytes::Bytes;
use econoscope_core::error::quote;
use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, GetPromptRequestParams, GetSkillRequestParams,
    InitializeRequestParams, JsonObject, PaginatedRequestParams,
    ReadResourceDirectoryRequestParams, ReadResourceRequestParams, SubscribeRequestParams,
    SubscriptionsListenRequestParams, UnsubscribeRequestParams,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::{Error, Path, Segment};

/// Maximum number of empty lists that are read as objects in one message.
const MAX_REPAIRS: usize = 16;

/// Checks parameters; the error has the path of the member.
type Check = fn(&Value) -> Result<(), Error<serde_json::Error>>;

/// The methods of this server with parameters.
const METHODS: [(&str, Check); 16] = [
    ("initialize", fits::<InitializeRequestParams>),
    ("server/discover", fits::<Discover>),
    ("completion/complete", fits::<CompleteRequestParams>),
    ("tools/call", fits::<CallToolRequestParams>),
    ("tools/list", fits::<PaginatedRequestParams>),
    ("prompts/get", fits::<GetPromptRequestParams>),
    ("prompts/list", fits::<PaginatedRequestParams>),
    ("resources/list", fits::<PaginatedRequestParams>),
    ("resources/templates/list", fits::<PaginatedRequestParams>),
    ("resources/read", fits::<ReadResourceRequestParams>),
    (
        "resources/directory/read",
        fits::<ReadResourceDirectoryRequestParams>,
    ),
    ("resources/subscribe", fits::<SubscribeRequestParams>),
    ("resources/unsubscribe", fits::<UnsubscribeRequestParams>),
    (
        "subscriptions/listen",
        fits::<SubscriptionsListenRequestParams>,
    ),
    ("skills/list", fits::<PaginatedRequestParams>),
    ("skills/get", fits::<GetSkillRequestParams>),
];

/// Methods of the revisions before 2026-07-28 alone.
const REMOVED_METHODS: [&str; 3] = ["initialize", "resources/subscribe", "resources/unsubscribe"];

/// The member that every method may have.
#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "_meta")]
    _meta: Option<JsonObject>,
}

/// The parameters of `server/discover`. The SDK refuses others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Discover {
    #[serde(rename = "_meta")]
    _meta: Option<JsonObject>,
}

fn fits<T: DeserializeOwned>(params: &Value) -> Result<(), Error<serde_json::Error>> {
    serde_path_to_error::deserialize::<_, Meta>(params)?;
    serde_path_to_error::deserialize::<_, T>(params).map(drop)
}

/// Checks the parameters of a message. Returns the message with objects in place of empty lists if it has such lists, and
/// `None` if it can stay as it is, or is no message.
///
/// # Errors
/// "Invalid params" that names the member.
pub(super) fn check(body: &[u8]) -> Result<Option<Bytes>, InvalidMessage> {
    let Ok(Value::Object(mut message)) = serde_json::from_slice(body) else {
        return Ok(None);
    };
    let fail = |why: String| Err(InvalidMessage::new(body, INVALID_PARAMS, why));
    let mut is_changed = false;
    let params = message.entry("params").or_insert(Value::Null);
    match params {
        Value::Object(_) => {}
        Value::Null => *params = Map::new().into(),
        Value::Array(list) if list.is_empty() => {
            *params = Map::new().into();
            is_changed = true;
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return fail("params must be an object".into());
        }
    }
    let mut params = params.take();
    let method = message.get("method").and_then(Value::as_str);
    // Requests of 2026-07-28 name their revision in `_meta`. It has no such methods, so the SDK answers them.
    let meta = params.get("_meta").filter(|meta| meta.is_object());
    let is_removed = method.is_some_and(|name| REMOVED_METHODS.contains(&name))
        && Lifecycle::of_meta(meta.cloned()) != Some(Lifecycle::Handshake);
    let check = METHODS
        .iter()
        .find(|(name, _)| Some(*name) == method && !is_removed);
    if let Some((_, check)) = check.filter(|_| message.contains_key("id")) {
        for repairs in 0.. {
            let Err(error) = check(&params) else { break };
            match find_mut(&mut params, error.path()) {
                Some(Value::Array(list)) if list.is_empty() && repairs < MAX_REPAIRS => {}
                _ => return fail(describe(&error)),
            }
            if let Some(list) = find_mut(&mut params, error.path()) {
                *list = Map::new().into();
            }
            is_changed = true;
        }
    }
    message.insert("params".to_owned(), params);
    // Cannot fail: all keys are strings.
    let repaired = is_changed.then(|| serde_json::to_vec(&message).unwrap_or_default());
    Ok(repaired.map(Bytes::from))
}

/// Returns the value at a path.
fn find_mut<'v>(value: &'v mut Value, path: &Path) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, segment| match segment {
        Segment::Map { key } => value.get_mut(key),
        Segment::Seq { index } => value.get_mut(*index),
        Segment::Enum { .. } | Segment::Unknown => None,
    })
}

/// Describes what is wrong with a member: "params.arguments must be an object".
fn describe(error: &Error<serde_json::Error>) -> String {
    let path = error.path().to_string();
    let member = match path.as_str() {
        "." => "params".to_owned(),
        path => format!("params.{}", quote(path)),
    };
    let problem = error.inner().to_string();
    let quoted = |start: &str| problem.strip_prefix(start)?.split('`').next();
    if let Some(missing) = quoted("missing field `") {
        return format!("{member}.{missing} is missing");
    }
    if let Some(unknown) = quoted("unknown field `") {
        return format!("{member} has an unknown member {}", quote(unknown));
    }
    match problem.rsplit_once("expected ") {
        Some((_, kind)) if kind == "a map" || kind.contains("struct ") => {
            format!("{member} must be an object")
        }
        Some((_, "a sequence")) => format!("{member} must be a list"),
        Some((_, kind)) => format!("{member} must be {kind}"),
        None => format!("{member} is not valid"),
    }
}
