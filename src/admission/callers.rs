//! Checks the host and the origin of every request, for every path and before any handler.
//!
//! A listener on loopback serves its own machine, with private and restricted figures, and any page in a browser of that
//! machine can send it requests. There, and on `/mcp` everywhere, the host must be one of the server's own names, which
//! prevents DNS rebinding, and a page must have an allowed origin. A request for the host of a public `--base-url` passes
//! through the operator's proxy and is public.

use super::limits::PROBES;
use super::names::{Origin, is_loopback};
use crate::mcp::jsonrpc;
use crate::rest::{problem, set};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::Response;
use econoscope_core::error::quote;
use econoscope_desk::Audience;
use rmcp::model::RequestId;
use std::sync::Arc;

/// The path of MCP.
pub(crate) const MCP_PATH: &str = "/mcp";

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
/// States whose pages may embed a response.
pub(crate) const RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// Whether a reverse proxy, a tunnel or a CDN adds a header of this name, in lower case. A header named after an address tells
/// that of a client (`x-real-ip`, `cf-connecting-ipv6`, `x-azure-clientip`).
fn is_of_proxy(name: &str) -> bool {
    let starts = ["x-forwarded", "x-original-", "x-envoy-external-"];
    matches!(
        name,
        "forwarded" | "via" | "cf-ray" | "cf-visitor" | "cdn-loop"
    ) || ["-ip", "-ipv6", "clientip"]
        .iter()
        .any(|end| name.ends_with(end))
        || starts.iter().any(|start| name.starts_with(start))
}

/// Returns what shows that a proxy passed a request on: a header, or HTTP/1.0, which proxies speak by default.
pub(super) fn sign_of_proxy<B>(request: &Request<B>) -> Option<&str> {
    let mut names = request.headers().keys().map(HeaderName::as_str);
    let is_old = request.version() <= Version::HTTP_10;
    names
        .find(|name| is_of_proxy(name))
        .or(is_old.then_some("HTTP/1.0"))
}

/// Names of this machine on itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The hosts under which a server may be called, and the origins whose pages may call it.
#[derive(Debug, Clone)]
pub struct AccessRules {
    hosts: Vec<Origin>,
    origins: Vec<Origin>,
    /// The host of the operator's public address.
    public: Option<Origin>,
    /// Whom the server answers: anyone, unless it is set.
    pub(crate) audience: Audience,
}

impl AccessRules {
    /// Parses the lists; loopback is always a name of the server. An invalid entry is logged and ignored.
    pub fn new(hosts: &[String], origins: &[String], base_url: &str) -> Self {
        let hosts = LOOPBACK.into_iter().chain(hosts.iter().map(String::as_str));
        Self {
            hosts: hosts.filter_map(Origin::allowed_host).collect(),
            origins: origins.iter().filter_map(|e| Origin::allowed(e)).collect(),
            public: public_host(base_url).and_then(|host| Origin::allowed_host(&host)),
            audience: Audience::Public,
        }
    }

    /// Checks that a server of its own machine gets a request from a program there, not through a proxy. Probes pass, since
    /// supervisors send them by HTTP/1.0 and they show no figures.
    ///
    /// # Errors
    /// [`AccessDenied`] that names the settings of a public server.
    pub(crate) fn check_direct<B>(&self, request: &Request<B>) -> Result<(), AccessDenied> {
        if self.audience == Audience::Public || PROBES.contains(&request.uri().path()) {
            return Ok(());
        }
        sign_of_proxy(request).map_or(Ok(()), |sign| {
            Err(forbidden(format!(
                "This server answers its own machine alone, and this request came through a proxy ({sign}). To serve \
                 others behind a proxy, start it with --base-url and the public address, and with --trusted-proxy and the \
                 address of the proxy, such as 127.0.0.1/32."
            )))
        })
    }

    /// Checks host and origin of a request. `is_local` means that its listener is on loopback.
    ///
    /// # Errors
    /// [`AccessDenied`] for a host or origin that is invalid or not allowed.
    pub(crate) fn check<B>(
        &self,
        request: &Request<B>,
        is_local: bool,
    ) -> Result<Access, AccessDenied> {
        let is_mcp = is_mcp(request);
        let named_host = host(request)?;
        let is_public = !is_local
            || (named_host.as_ref().zip(self.public.as_ref()))
                .is_some_and(|(host, own)| own.allows(host));
        if is_public && !is_mcp {
            return Ok(Access::Public);
        }
        let host = named_host.ok_or_else(missing_host)?;
        if !self.hosts.iter().any(|allowed| allowed.allows(&host)) {
            let name = quote(&host.name);
            return Err(forbidden(format!(
                "{name} is not an allowed host of this server. To allow it, start the server with --allowed-host {name}, or \
                 with --base-url if it is the public address."
            )));
        }
        let origin = self.check_origin(request)?;
        Ok(Access::Restricted { origin, is_mcp })
    }

    /// Returns the origin of the calling page, if it is a page and its origin is allowed.
    fn check_origin<B>(&self, request: &Request<B>) -> Result<Option<HeaderValue>, AccessDenied> {
        let headers = request.headers();
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else {
            let why = "Pages of other sites may not embed parts of this server, which serves only its own machine. To serve \
                the public, start it with a public --base-url.";
            return if is_foreign_subresource(request) {
                Err(forbidden(why.to_owned()))
            } else {
                Ok(None)
            };
        };
        let page = origin.to_str().ok().and_then(Origin::parse);
        let is_allowed =
            page.is_some_and(|page| self.origins.iter().any(|allowed| allowed.allows(&page)));
        if !is_allowed || origins.next().is_some() {
            let origin = quote(&String::from_utf8_lossy(origin.as_bytes()));
            return Err(forbidden(format!(
                "Pages of {origin} may not call this server. To allow them, start the server with --allowed-origin and \
                 that origin."
            )));
        }
        Ok(Some(origin.clone()))
    }
}

/// Returns the host of a base address, unless it is this machine.
fn public_host(base_url: &str) -> Option<String> {
    let base = url::Url::parse(base_url).ok()?;
    let host = base.host_str().filter(|host| !is_loopback(host));
    host.map(str::to_owned)
}

/// Whether a base address is reachable from other machines.
pub(crate) fn is_public_url(base_url: &str) -> bool {
    public_host(base_url).is_some()
}

/// Returns the host of a request: that of its address, which has precedence (RFC 9112, 3.2.2), or of `Host`. Only HTTP/1.0
/// may omit it.
fn host<B>(request: &Request<B>) -> Result<Option<Origin>, AccessDenied> {
    let mut headers = request.headers().get_all(header::HOST).iter();
    let header = headers.next().map(|value| value.to_str());
    if headers.next().is_some() {
        return Err(bad("The request has more than one Host header."));
    }
    let text = match (request.uri().authority(), header) {
        (Some(authority), _) => authority.as_str(),
        (None, Some(header)) => header.unwrap_or_default(),
        (None, None) if request.version() <= Version::HTTP_10 => return Ok(None),
        (None, None) => return Err(missing_host()),
    };
    let host = Origin::host(text);
    let invalid = || bad("The Host header is not a host name with an optional port.");
    host.map(Some).ok_or_else(invalid)
}

/// Whether a browser requests a subresource of another site's page, such as an image or a script, for which it sends no
/// origin. Following a link from another site does not count, since that site cannot read the page.
fn is_foreign_subresource<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    let is = |name: HeaderName, value: &str| headers.get(name).is_some_and(|v| v == value);
    let is_navigation = || {
        matches!(*request.method(), Method::GET | Method::HEAD)
            && is(FETCH_MODE, "navigate")
            && is(FETCH_DEST, "document")
    };
    is(FETCH_SITE, "cross-site") && !is_navigation()
}

/// Whether a request is for MCP. Some clients add a slash, and few repeat a POST after a redirect.
pub(crate) fn is_mcp<B>(request: &Request<B>) -> bool {
    let path = request.uri().path();
    path.strip_suffix('/').unwrap_or(path) == MCP_PATH
}

fn bad(why: &str) -> AccessDenied {
    AccessDenied(StatusCode::BAD_REQUEST, why.to_owned())
}

fn missing_host() -> AccessDenied {
    bad("The request has no host; send a Host header.")
}

fn forbidden(why: String) -> AccessDenied {
    AccessDenied(StatusCode::FORBIDDEN, why)
}

/// Who may read the response to a request.
#[derive(Debug)]
pub(crate) enum Access {
    /// Everyone.
    Public,
    /// Programs, and pages of an allowed origin.
    Restricted {
        /// The origin of the calling page.
        origin: Option<HeaderValue>,
        is_mcp: bool,
    },
}

impl Access {
    /// Sets the headers that restrict in browsers who may read the response.
    pub(crate) fn set_headers(self, response: &mut Response) {
        let Self::Restricted { origin, is_mcp } = self else {
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

/// Why a request is denied: HTTP status and explanation.
#[derive(Debug)]
pub(crate) struct AccessDenied(StatusCode, String);

impl AccessDenied {
    /// Converts it into a response, in JSON-RPC for MCP.
    pub(crate) fn into_response(self, is_mcp: bool) -> Response {
        let Self(status, why) = self;
        let mut response = if is_mcp {
            jsonrpc_rejection(status, jsonrpc::INVALID_REQUEST, &why, None)
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

/// Builds the response of the MCP transport to a request that it rejects.
pub(crate) fn jsonrpc_rejection(
    status: StatusCode,
    code: i32,
    why: &str,
    id: Option<&RequestId>,
) -> Response {
    let error = jsonrpc::error(id, code, why, None);
    let mut response = jsonrpc::response(status, error);
    if status != StatusCode::BAD_REQUEST {
        // The body is not read to its end, so the connection cannot be reused.
        set(&mut response, header::CONNECTION, "close");
    }
    response
}

/// Middleware that checks host and origin.
pub(crate) async fn guard(
    State((rules, is_local)): State<(Arc<AccessRules>, bool)>,
    request: Request,
    next: Next,
) -> Response {
    let access = match rules.check(&request, is_local) {
        Ok(access) => access,
        Err(denied) => return denied.into_response(is_mcp(&request)),
    };
    let mut response = next.run(request).await;
    access.set_headers(&mut response);
    response
}

#[cfg(test)]
mod tests;
