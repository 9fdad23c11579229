//! Which browser origins may talk to `/mcp`: the list the operator gave, matched exactly.

use axum::http::Uri;

/// Allowed origins: `https://app.example.com:443`, `http://localhost:*`; a port left out means the scheme's own.
#[derive(Debug, Clone, Default)]
pub struct Origins(Vec<Pattern>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    scheme: String,
    host: String,
    /// `None` = any.
    port: Option<u16>,
}

impl Origins {
    /// Reads the list; an entry that is no origin allows nothing and is logged.
    pub fn new(entries: &[String]) -> Self {
        let read = |entry: &String| {
            let (text, any) = match entry.trim().strip_suffix(":*") {
                Some(text) => (text, true),
                None => (entry.trim(), false),
            };
            let found = parts(text).map(|(scheme, host, port)| Pattern {
                scheme,
                host,
                port: if any { None } else { port },
            });
            if found.is_none() {
                tracing::warn!(entry, "not an origin; write https://app.example.com:443");
            }
            found
        };
        Self(entries.iter().filter_map(read).collect())
    }

    /// Whether a browser page of that origin may call.
    pub fn allow(&self, origin: &str) -> bool {
        let Some((scheme, host, port)) = parts(origin.trim()) else {
            return false;
        };
        self.0.iter().any(|pattern| {
            pattern.scheme == scheme
                && pattern.host == host
                && (pattern.port.is_none() || pattern.port == port)
        })
    }
}

/// Scheme, host and port of an origin and of nothing longer.
fn parts(text: &str) -> Option<(String, String, Option<u16>)> {
    let uri: Uri = text.parse().ok()?;
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let authority = uri.authority()?;
    if authority.as_str().contains('@') || uri.path().len() > 1 || uri.query().is_some() {
        return None;
    }
    let port = authority.port_u16().or(match scheme.as_str() {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    });
    Some((scheme, authority.host().to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_origin_is_allowed() {
        let entries = [
            "http://localhost:*",
            "https://app.example.com",
            "http://[::1]:*",
            "nonsense",
        ];
        let origins = Origins::new(&entries.map(String::from));
        for (origin, allowed) in [
            ("http://localhost", true),
            ("http://localhost:3000", true),
            ("https://localhost:3000", false),
            ("https://app.example.com", true),
            ("https://app.example.com:443", true),
            ("https://APP.example.com", true),
            ("https://app.example.com:444", false),
            ("http://[::1]:8080", true),
            ("https://app.example.com.evil.example", false),
            ("https://evil@app.example.com", false),
            ("http://localhost.evil.example", false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(origins.allow(origin), allowed, "{origin}");
        }
    }
}
