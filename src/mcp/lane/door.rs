//! The lane before the HTTP service: which requests it takes, and how an answer is sent.

use super::super::plain;
use super::{Call, Era, Lane};
use crate::cache::Cache;
use crate::rpc::Message;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderName, ORIGIN};
use http::{HeaderMap, HeaderValue, Method, Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use rmcp::model::ProtocolVersion;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio_util::sync::CancellationToken;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What most clients accept, and what those who accept less precisely are taken to mean.
const BOTH: &[u8] = b"application/json, text/event-stream";
const JSON: &str = "application/json";

/// Origins remembered.
const KEPT_ORIGINS: usize = 256;
/// Up to this length the id and the result are copied together; a longer result is sent as a second piece.
const COPIED: usize = 16 * 1024;

/// The lane before the HTTP service.
pub(in crate::mcp) struct Door {
    lane: Arc<Lane>,
    hosts: Vec<Host>,
    /// Origins that the library has let in.
    origins: Cache<Box<[u8]>, ()>,
    stop: CancellationToken,
}

/// A name under which the server may be called, in lower case, and the port if only one is right.
#[derive(Debug, PartialEq, Eq)]
struct Host {
    name: String,
    port: Option<u16>,
}

impl Door {
    /// `hosts` as the library has them.
    pub(in crate::mcp) fn new(lane: Arc<Lane>, hosts: &[String], stop: CancellationToken) -> Self {
        // An entry that is not plain is one the library looks at.
        let hosts = hosts.iter().filter_map(|h| Host::read(h)).collect();
        Self {
            lane,
            hosts,
            origins: Cache::new(KEPT_ORIGINS),
            stop,
        }
    }

    /// The answer to a call that is understood completely; `None` for whatever the library is to answer.
    pub(in crate::mcp) async fn answer(
        &self,
        request: &Request<Bytes>,
        message: &Message<'_>,
    ) -> Option<Response<plain::Body>> {
        if !self.may_take(request) {
            return None;
        }
        let call = Call::of(message, request.body())?;
        let era = era(&self.lane, request.headers(), &call)?;
        Some(respond(call.id, self.lane.result(&call, era).await?))
    }

    /// Whether a request may be answered from here, by all that is not in its body.
    fn may_take(&self, request: &Request<Bytes>) -> bool {
        let headers = request.headers();
        request.method() == Method::POST
            && !headers.contains_key(SESSION)
            && one(headers, &ACCEPT).is_some_and(|v| v.as_bytes() == BOTH)
            && one(headers, &CONTENT_TYPE).is_some_and(is_json)
            && self.is_called_rightly(request)
            && self.comes_rightly(headers)
            && !self.stop.is_cancelled()
    }

    /// Whether no page of a browser asks, or one that the library has let in before.
    fn comes_rightly(&self, headers: &HeaderMap) -> bool {
        !headers.contains_key(ORIGIN)
            || one(headers, &ORIGIN).is_some_and(|o| self.origins.contains_key(o.as_bytes()))
    }

    /// Remembers that the library has let a page of this origin in: its list does not change.
    pub(in crate::mcp) fn trust(&self, origin: &HeaderValue) {
        self.origins.insert(origin.as_bytes().into(), ());
    }

    fn is_called_rightly<B>(&self, request: &Request<B>) -> bool {
        let named = if request.headers().contains_key(HOST) {
            one(request.headers(), &HOST).and_then(|v| v.to_str().ok())
        } else {
            // HTTP/2 names the host in the address.
            request.uri().authority().map(|a| a.as_str())
        };
        let Some((name, port)) = named.and_then(split_host) else {
            return false;
        };
        self.hosts.iter().any(|host| {
            host.name.eq_ignore_ascii_case(name) && (host.port.is_none() || host.port == port)
        })
    }
}

impl Host {
    fn read(entry: &str) -> Option<Self> {
        // IPv6 stands in the list with or without brackets.
        if let Ok(address) = entry.trim().parse::<std::net::Ipv6Addr>() {
            let name = address.to_string();
            return Some(Self { name, port: None });
        }
        let (name, port) = split_host(entry.trim())?;
        Some(Self {
            name: name.to_ascii_lowercase(),
            port,
        })
    }
}

/// Name and port of a plain host; `None` for any other.
fn split_host(text: &str) -> Option<(&str, Option<u16>)> {
    let (name, rest, letters): (_, _, fn(u8) -> bool) = match text.strip_prefix('[') {
        Some(text) => {
            let (name, rest) = text.split_once(']')?;
            (name, rest, |b| b.is_ascii_hexdigit() || b == b':')
        }
        None => {
            let at = text.find(':').unwrap_or(text.len());
            let (name, rest) = text.split_at_checked(at)?;
            (name, rest, |b| {
                b.is_ascii_alphanumeric() || b == b'-' || b == b'.'
            })
        }
    };
    if name.is_empty() || !name.bytes().all(letters) {
        return None;
    }
    if rest.is_empty() {
        return Some((name, None));
    }
    let port = rest.strip_prefix(':')?;
    let is_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    Some((name, Some(port.parse().ok().filter(|_| is_port)?)))
}

/// The lifecycle of a call whose headers and `_meta` agree.
fn era(lane: &Lane, headers: &HeaderMap, call: &Call<'_>) -> Option<Era> {
    let version = match headers.contains_key(VERSION) {
        true => Some(one(headers, &VERSION)?.to_str().ok()?),
        false => None,
    };
    let newest = ProtocolVersion::V_2026_07_28;
    if version == Some(newest.as_str()) {
        let agrees = lane.headers_are_plain()
            && one(headers, &METHOD)?.as_bytes() == b"tools/call"
            && one(headers, &NAME)?.as_bytes() == call.route.spec.tool.as_bytes()
            && lane.meta(call.meta?) == Some(Era::Modern);
        return agrees.then_some(Era::Modern);
    }
    let is_known = version.is_none_or(|version| {
        ProtocolVersion::KNOWN_VERSIONS
            .iter()
            .any(|known| known.has_initialize() && known.as_str() == version)
    });
    let is_bare = call
        .meta
        .is_none_or(|meta| lane.meta(meta) == Some(Era::Legacy))
        && !headers.contains_key(METHOD)
        && !headers.contains_key(NAME);
    (is_known && is_bare).then_some(Era::Legacy)
}

/// The only value of a header; `None` when there is none, or more than one.
fn one<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

fn is_json(value: &HeaderValue) -> bool {
    if value.as_bytes() == JSON.as_bytes() {
        return true;
    }
    let essence = value.to_str().ok().and_then(|v| v.split(';').next());
    essence.is_some_and(|e| e.trim().eq_ignore_ascii_case(JSON))
}

/// The answer: the id before the result.
fn respond(id: &str, result: Bytes) -> Response<plain::Body> {
    let body = Pieces::new(id, result).boxed();
    let mut response = Response::new(body);
    let json = HeaderValue::from_static(JSON);
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// A body of one piece or two, whose length is known.
struct Pieces {
    first: Bytes,
    second: Bytes,
}

impl Pieces {
    fn new(id: &str, result: Bytes) -> Self {
        let copied = result.len() <= COPIED;
        let mut first = super::opening(id, if copied { result.len() } else { 0 });
        if copied {
            first.extend_from_slice(&result);
        }
        Self {
            first: Bytes::from(first),
            second: if copied { Bytes::new() } else { result },
        }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut next = std::mem::take(&mut self.first);
        if next.is_empty() {
            next = std::mem::take(&mut self.second);
        }
        Poll::Ready((!next.is_empty()).then(|| Ok(Frame::data(next))))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_empty() && self.second.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let length = self.first.len() + self.second.len();
        SizeHint::with_exact(u64::try_from(length).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_hosts_are_split() {
        for (text, split) in [
            ("localhost", Some(("localhost", None))),
            ("LocalHost:8080", Some(("LocalHost", Some(8080)))),
            ("[::1]:80", Some(("::1", Some(80)))),
            ("[::1]", Some(("::1", None))),
            ("::1", None),
            ("localhost:", None),
            ("localhost:99999", None),
            ("localhost:+1", None),
            ("user@localhost", None),
            ("local host", None),
            ("[::1]x", None),
            ("", None),
        ] {
            assert_eq!(split_host(text), split, "{text}");
        }
        assert_eq!(Host::read("::1").unwrap().name, "::1");
        assert_eq!(Host::read("Example.COM:443").unwrap().port, Some(443));
    }

    #[tokio::test]
    async fn a_body_is_the_same_in_one_piece_and_in_two() {
        for length in [10, COPIED, COPIED + 1] {
            let result = Bytes::from(vec![b'x'; length]);
            let body = Pieces::new("7", result);
            let said = body.size_hint().exact().unwrap();
            let bytes = body.collect().await.unwrap().to_bytes();
            assert_eq!(said, bytes.len() as u64);
            assert!(bytes.starts_with(br#"{"jsonrpc":"2.0","id":7,x"#));
            assert_eq!(bytes.len(), length + 24);
        }
    }
}
