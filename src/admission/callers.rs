//! Who may call, by the names in a request: under which host, and from a page of which origin. Judged here and nowhere
//! else, before any handler, for every path.
//!
//! A listener on loopback serves its own machine, private and restricted figures included, and any page in a browser of
//! that machine can send it requests. There, as on `/mcp` everywhere, the host must be one of the server's own names,
//! for a name that was bound to 127.0.0.1 by somebody else is not (DNS rebinding), and a page must be of an allowed
//! origin. A request under the host of a public `--base-url` came through the operator's proxy: it is public.

use super::names::{Allowed, HostOrOrigin, is_loopback};
use crate::mcp::jsonrpc;
use crate::rest::{problem, set};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::Response;
use econoscope_core::error::quote;
use std::sync::Arc;

/// Where MCP is spoken.
pub(crate) const MCP: &str = "/mcp";

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
/// Who may put an answer into a page.
pub(crate) const RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// Names that mean this machine to everybody on it.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The names under which a server may be called, and the origins whose pages may do so.
#[derive(Debug, Clone)]
pub struct Callers {
    hosts: Vec<Allowed>,
    origins: Vec<Allowed>,
    /// The host of the operator's public address.
    public: Option<Allowed>,
}

impl Callers {
    /// Reads the lists; loopback is always a name of the server. An entry that cannot be read allows nothing and is
    /// logged.
    pub fn new(hosts: &[String], origins: &[String], base_url: &str) -> Self {
        let loopback = LOOPBACK.map(String::from);
        Self {
            hosts: loopback
                .iter()
                .chain(hosts)
                .filter_map(|e| Allowed::host(e))
                .collect(),
            origins: origins.iter().filter_map(|e| Allowed::origin(e)).collect(),
            public: public_host(base_url).and_then(|host| Allowed::host(&host)),
        }
    }

    /// Whether a request may be answered; `is_local` says that it came to a listener on loopback.
    ///
    /// # Errors
    /// [`Refusal`] for a request that does not say where it wants to go, or may not go there.
    pub(crate) fn admit<B>(
        &self,
        request: &Request<B>,
        is_local: bool,
    ) -> Result<AllowedRequest, Refusal> {
        let is_mcp = is_mcp(request);
        let host = host(request)?;
        let is_public = !is_local
            || host.is_some_and(|host| self.public.as_ref().is_some_and(|own| own.admits(host)));
        if is_public && !is_mcp {
            return Ok(AllowedRequest::Anyone);
        }
        let host = host.ok_or_else(missing)?;
        if !self.hosts.iter().any(|allowed| allowed.admits(host)) {
            return Err(foreign_host(host));
        }
        let origin = self.origin(request)?;
        Ok(AllowedRequest::HostOrOrigin { origin, is_mcp })
    }

    /// The origin of the page that asks, if it is a page and may.
    fn origin<B>(&self, request: &Request<B>) -> Result<Option<HeaderValue>, Refusal> {
        let headers = request.headers();
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else {
            if is_foreign_part(request) {
                return Err(foreign_part());
            }
            return Ok(None);
        };
        let page = origin.to_str().ok().and_then(HostOrOrigin::origin);
        let is_allowed =
            page.is_some_and(|page| self.origins.iter().any(|allowed| allowed.admits(page)));
        if !is_allowed || origins.next().is_some() {
            return Err(foreign_origin(origin));
        }
        Ok(Some(origin.clone()))
    }
}

/// The host of a base address, when it is one for others than this machine.
fn public_host(base_url: &str) -> Option<String> {
    let base = url::Url::parse(base_url).ok()?;
    let host = base.host_str().filter(|host| !is_loopback(host));
    host.map(str::to_owned)
}

/// Whether a base address is one for others than this machine.
pub(crate) fn is_public(base_url: &str) -> bool {
    public_host(base_url).is_some()
}

/// The host a request names: in its address, which goes before the header (RFC 9112, 3.2.2), or in `Host`. Only HTTP/1.0
/// may leave it out.
fn host<B>(request: &Request<B>) -> Result<Option<HostOrOrigin<'_>>, Refusal> {
    let mut headers = request.headers().get_all(header::HOST).iter();
    let header = headers.next().map(|value| value.to_str());
    if headers.next().is_some() {
        return Err(bad("The Host header came more than once."));
    }
    let text = match (request.uri().authority(), header) {
        (Some(authority), _) => authority.as_str(),
        (None, Some(header)) => header.unwrap_or_default(),
        (None, None) if request.version() <= Version::HTTP_10 => return Ok(None),
        (None, None) => return Err(missing()),
    };
    let host = HostOrOrigin::host(text);
    let wrong = || bad("The Host header is not a host name with or without a port.");
    host.map(Some).ok_or_else(wrong)
}

/// Whether a browser asks for a part of somebody else's page, a picture or a script for example, for which it names no
/// origin. A page of ours that is opened by a link elsewhere is none: who linked to it cannot read it.
fn is_foreign_part<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    let is = |name: HeaderName, value: &str| headers.get(name).is_some_and(|v| v == value);
    let is_opened = || {
        matches!(*request.method(), Method::GET | Method::HEAD)
            && is(FETCH_MODE, "navigate")
            && is(FETCH_DEST, "document")
    };
    is(FETCH_SITE, "cross-site") && !is_opened()
}

/// Whether a request is for MCP, where refusals are told in its words.
pub(crate) fn is_mcp<B>(request: &Request<B>) -> bool {
    request.uri().path() == MCP
}

fn bad(why: &str) -> Refusal {
    Refusal(StatusCode::BAD_REQUEST, why.to_owned())
}

fn missing() -> Refusal {
    bad("The request does not say which host it wants; send a Host header.")
}

fn foreign_host(host: HostOrOrigin<'_>) -> Refusal {
    let name = quote(host.name);
    let why = format!(
        "This server is not called {name}. If it is meant to be, start it with --allowed-host {name}, or with \
         --base-url when that is its public address."
    );
    Refusal(StatusCode::FORBIDDEN, why)
}

fn foreign_origin(origin: &HeaderValue) -> Refusal {
    let origin = quote(&String::from_utf8_lossy(origin.as_bytes()));
    let why = format!(
        "Pages of {origin} may not call this server. If they are meant to, start it with --allowed-origin and that \
         origin."
    );
    Refusal(StatusCode::FORBIDDEN, why)
}

fn foreign_part() -> Refusal {
    let why = "Pages of other sites may not show parts of this server, which serves its own machine. A server that is \
        meant for everybody is started with a public --base-url.";
    Refusal(StatusCode::FORBIDDEN, why.to_owned())
}

/// A request that is let in.
#[derive(Debug)]
pub(crate) enum AllowedRequest {
    /// Whoever asks may read the answer.
    Anyone,
    /// Programs may, and pages of an allowed origin.
    HostOrOrigin {
        /// The origin of the page that asks.
        origin: Option<HeaderValue>,
        is_mcp: bool,
    },
}

impl AllowedRequest {
    /// Writes onto the answer who may read it.
    pub(crate) fn mark(self, response: &mut Response) {
        let Self::HostOrOrigin { origin, is_mcp } = self else {
            return;
        };
        if is_mcp && origin.is_none() {
            return;
        }
        let headers = response.headers_mut();
        headers.append(header::VARY, HeaderValue::from_static("origin"));
        if !is_mcp {
            headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-site"));
            headers.remove(header::ACCESS_CONTROL_ALLOW_ORIGIN);
        }
        if let Some(origin) = origin {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        }
    }
}

/// Why a request is not let in.
#[derive(Debug)]
pub(crate) struct Refusal(StatusCode, String);

impl Refusal {
    /// As an answer, in MCP's words or in our own.
    pub(crate) fn into_response(self, is_mcp: bool) -> Response {
        let Self(status, why) = self;
        let mut response = if is_mcp {
            rejected(status, jsonrpc::INVALID_REQUEST, &why)
        } else {
            let code = match status {
                StatusCode::FORBIDDEN => "not_permitted",
                _ => "invalid_request",
            };
            problem(status, code, &why)
        };
        set(&mut response, header::CACHE_CONTROL, "no-store");
        response
    }
}

/// A refusal of the transport, as JSON-RPC.
pub(crate) fn rejected(status: StatusCode, code: i32, why: &str) -> Response {
    let error = jsonrpc::error(None, code, why, None);
    let mut response = jsonrpc::response(status, error);
    if status != StatusCode::BAD_REQUEST {
        // The rest of the body is not read, so the connection has no further use.
        set(&mut response, header::CONNECTION, "close");
    }
    response
}

/// The same around a router of its own.
pub(crate) async fn guard(
    State((callers, is_local)): State<(Arc<Callers>, bool)>,
    request: Request,
    next: Next,
) -> Response {
    let admitted = match callers.admit(&request, is_local) {
        Ok(admitted) => admitted,
        Err(refusal) => return refusal.into_response(is_mcp(&request)),
    };
    let mut response = next.run(request).await;
    admitted.mark(&mut response);
    response
}

#[cfg(test)]
mod tests;
