//! Tests of hosts and origins.

use super::*;

fn rules() -> AccessRules {
    let origins = [
        "http://localhost:*",
        "https://app.example.com",
        "https://other.example:8443/",
        "http://[::1]:*",
        "nonsense",
        "https://*.example",
        "http://port.example:80:*",
    ];
    let hosts = ["macro.lan", "[2001:db8::1]:8080", "not a host"];
    AccessRules::new(
        &hosts.map(String::from),
        &origins.map(String::from),
        "https://macro.example.org",
    )
}

/// Checks a request to a listener on loopback.
fn check_local(address: &str, headers: &[(&str, &str)]) -> Result<Access, StatusCode> {
    check(address, headers, Version::HTTP_11, true)
}

fn check(
    address: &str,
    headers: &[(&str, &str)],
    version: Version,
    is_local: bool,
) -> Result<Access, StatusCode> {
    let mut builder = Request::get(address).version(version);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    let request = builder.body(()).unwrap();
    let access = rules().check(&request, is_local);
    access.map_err(|AccessDenied(status, _)| status)
}

#[test]
fn only_exact_origins_are_allowed() {
    for (origin, is_allowed) in [
        ("http://localhost", true),
        ("http://localhost:3000", true),
        ("https://localhost:3000", false),
        ("https://app.example.com", true),
        ("https://app.example.com:443", true),
        ("https://APP.example.com", true),
        ("https://app.example.com:444", false),
        ("https://other.example:8443", true),
        ("https://other.example", false),
        ("http://[::1]:8080", true),
        ("https://app.example.com.evil.example", false),
        ("https://app.example.com:443.evil.example", false),
        ("https://app.example.com:443evil.example", false),
        ("https://app.example.com:0443", false),
        ("https://app.example.com:", false),
        ("https://app.example.com:+443", false),
        ("https://app.example.com:65979", false),
        ("https://app.example.com/", false),
        ("https://app.example.com/x", false),
        ("https://app.example.com?x", false),
        ("https://app.example.com#x", false),
        ("https://app.example.com,https://evil.example", false),
        ("https://app.example.com https://evil.example", false),
        ("https://app.example.com\\.evil.example", false),
        ("https://evil@app.example.com", false),
        ("http://localhost.evil.example", false),
        ("http://[::1].evil.example", false),
        ("http://[::1", false),
        ("https://x.example", false),
        ("http://port.example", false),
        ("app.example.com", false),
        ("null", false),
        ("", false),
    ] {
        let access = check_local("/", &[("host", "localhost"), ("origin", origin)]);
        let expected = if is_allowed {
            Ok(())
        } else {
            Err(StatusCode::FORBIDDEN)
        };
        assert_eq!(access.map(drop), expected, "{origin}");
    }
    let two = [
        ("host", "localhost"),
        ("origin", "http://localhost"),
        ("origin", "https://evil.example"),
    ];
    assert_eq!(check_local("/", &two).unwrap_err(), StatusCode::FORBIDDEN);
}

#[test]
fn loopback_answers_only_own_host_names() {
    for (host, status) in [
        ("localhost", 200),
        ("LocalHost:8080", 200),
        ("127.0.0.1:1", 200),
        ("[::1]", 200),
        ("[::1]:80", 200),
        ("macro.lan", 200),
        ("macro.example.org:8443", 200),
        ("[2001:db8::1]:8080", 200),
        ("[2001:db8::1]", 403),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example:8080", 403),
        ("localhost.", 403),
        ("::1", 400),
        ("localhost:", 400),
        ("localhost:080", 400),
        ("localhost:99999", 400),
        ("localhost:+1", 400),
        ("evil@localhost", 400),
        ("local host", 400),
        ("localhost,evil.example", 403),
        ("localhost/evil.example", 400),
        ("[::1]x", 400),
        ("", 400),
    ] {
        let access = check_local("/api/public/regime", &[("host", host)]);
        let actual = access.map_or_else(|status| status.as_u16(), |_| 200);
        assert_eq!(actual, status, "{host:?}");
    }
}

#[test]
fn exactly_one_host_is_required_after_http_1_0() {
    let one = Version::HTTP_11;
    let own = [("host", "localhost:8080")];
    let twice = [("host", "localhost"), ("host", "localhost")];
    for is_local in [true, false] {
        for (address, headers, version, is_valid) in [
            ("/", &own[..], one, true),
            ("http://localhost:8080/", &own, one, true),
            ("http://LOCALHOST:8080/", &own, Version::HTTP_2, true),
            ("http://localhost:8080/", &[], Version::HTTP_2, true),
            ("http://localhost/", &[("host", "localhost:80")], one, true),
            ("/", &[], one, false),
            ("/", &[], Version::HTTP_2, false),
            ("/", &[], Version::HTTP_10, !is_local),
            ("/", &twice, one, false),
            ("http://localhost:81/", &own, one, true),
            ("http://evil@localhost:8080/", &own, one, false),
        ] {
            let access = check(address, headers, version, is_local);
            if is_valid {
                assert!(
                    access.is_ok(),
                    "{address} {headers:?} {version:?}: {access:?}"
                );
            } else {
                assert_eq!(
                    access.unwrap_err(),
                    StatusCode::BAD_REQUEST,
                    "{address} {headers:?}"
                );
            }
        }
    }
    for header in ["evil.example", "localhost"] {
        let foreign = check_local("http://evil.example/", &[("host", header)]);
        assert_eq!(foreign.unwrap_err(), StatusCode::FORBIDDEN, "{header}");
    }
}

#[test]
fn loopback_lets_foreign_pages_link_but_not_embed() {
    for (site, mode, dest, is_allowed) in [
        ("none", "navigate", "document", true),
        ("same-origin", "cors", "empty", true),
        ("same-site", "no-cors", "image", true),
        ("cross-site", "navigate", "document", true),
        ("cross-site", "navigate", "iframe", false),
        ("cross-site", "navigate", "object", false),
        ("cross-site", "no-cors", "image", false),
        ("cross-site", "no-cors", "script", false),
        ("cross-site", "no-cors", "document", false),
        ("cross-site", "cors", "empty", false),
    ] {
        let headers = [
            ("host", "127.0.0.1:8080"),
            ("sec-fetch-site", site),
            ("sec-fetch-mode", mode),
            ("sec-fetch-dest", dest),
        ];
        let access = check_local("/chart/DFF.png", &headers);
        assert_eq!(access.is_ok(), is_allowed, "{site} {mode} {dest}");
        let public = check("/chart/DFF.png", &headers, Version::HTTP_11, false);
        assert!(matches!(public, Ok(Access::Public)), "{site} {mode} {dest}");
    }
}

#[test]
fn public_paths_accept_any_origin_except_mcp() {
    let page = |host| [("host", host), ("origin", "https://evil.example")];
    // Behind the operator's proxy, and on a listener that others reach.
    let proxied = check_local("/widget/regime", &page("macro.example.org"));
    assert!(matches!(proxied, Ok(Access::Public)));
    for host in ["macro.example.org", "203.0.113.9", "any_container:8080"] {
        let access = check("/api/public/regime", &page(host), Version::HTTP_11, false);
        assert!(matches!(access, Ok(Access::Public)), "{host}");
    }
    for (host, is_local) in [
        ("macro.lan", true),
        ("macro.lan", false),
        ("localhost", false),
    ] {
        let access = check("/mcp", &page(host), Version::HTTP_11, is_local);
        assert_eq!(access.unwrap_err(), StatusCode::FORBIDDEN, "{host}");
    }
    let unknown = check("/mcp", &[("host", "evil.example")], Version::HTTP_11, false);
    assert_eq!(unknown.unwrap_err(), StatusCode::FORBIDDEN);
}

#[test]
fn a_loopback_base_url_is_not_public() {
    for (base, expected) in [
        ("https://macro.example.org/econ", true),
        ("http://192.168.1.5:8080", true),
        ("http://localhost:8080", false),
        ("http://macro.localhost", false),
        ("http://127.0.0.2:8080", false),
        ("http://[::1]:8080", false),
        ("no address", false),
    ] {
        assert_eq!(is_public_url(base), expected, "{base}");
    }
}

proptest::proptest! {
    #[test]
    fn any_host_and_origin_parses_without_a_panic(text in "\\PC{0,40}") {
        Origin::host(&text);
        Origin::parse(&text);
        Origin::allowed_host(&text);
        Origin::allowed(&text);
    }
}

/// Whether a server answers a request over a version of HTTP with one header more.
fn is_direct(audience: Audience, path: &str, version: Version, name: Option<&str>) -> bool {
    let mut builder = Request::get(path).version(version);
    if let Some(name) = name {
        builder = builder.header(name, "203.0.113.9");
    }
    let request = builder.body(()).unwrap();
    let rules = AccessRules {
        audience,
        ..rules()
    };
    rules.check_direct(&request).is_ok()
}

/// Headers of proxies, and two that no proxy has yet.
const PROXY_HEADERS: [&str; 28] = [
    "Forwarded",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Forwarded-Port",
    "X-Forwarded-Server",
    "X-Forwarded-Prefix",
    "X-Forwarded",
    "Via",
    "X-Real-IP",
    "CF-Connecting-IP",
    "CF-Connecting-IPv6",
    "CF-Ray",
    "CDN-Loop",
    "True-Client-IP",
    "Client-IP",
    "X-Client-IP",
    "X-Cluster-Client-IP",
    "X-Original-Forwarded-For",
    "X-Original-Host",
    "X-Envoy-External-Address",
    "X-Azure-ClientIP",
    "Fastly-Client-IP",
    "Fly-Client-IP",
    "DO-Connecting-IP",
    "X-Forwarded-Anything-New",
    "X-Original-Anything-New",
    "X-Anything-New-IP",
];

#[test]
fn any_sign_of_a_proxy_is_refused_by_a_server_of_its_own_machine() {
    for path in ["/", "/mcp", "/api/public/regime"] {
        let is_direct = |audience, version, name| is_direct(audience, path, version, name);
        for name in PROXY_HEADERS.map(Some) {
            assert!(
                !is_direct(Audience::Own, Version::HTTP_11, name),
                "{name:?}"
            );
            assert!(
                is_direct(Audience::Public, Version::HTTP_11, name),
                "{name:?}"
            );
        }
        assert!(!is_direct(Audience::Own, Version::HTTP_10, None));
        assert!(is_direct(Audience::Public, Version::HTTP_10, None));
        for name in [
            None,
            Some("user-agent"),
            Some("traceparent"),
            Some("x-request-id"),
            Some("x-zip"),
        ] {
            assert!(is_direct(Audience::Own, Version::HTTP_11, name), "{name:?}");
        }
    }
    for probe in ["/health", "/ready"] {
        assert!(is_direct(
            Audience::Own,
            probe,
            Version::HTTP_10,
            Some("via")
        ));
    }
}
