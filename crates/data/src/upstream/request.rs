//! Requests to the upstream: a path below its base and query pairs.
//!
//! Path segments come from callers. They are limited to the characters of identifiers and encoded one by one, so no
//! name can leave the base path, change the host or add a second request.

use econoscope_core::error::{Error, Result};
use std::time::Duration;
use url::Url;

/// Checks that a body follows the documented contract. The error names the field that does not.
pub type Check = fn(&[u8]) -> Result<()>;

/// Who needs a response, which decides the pool that pays for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A key that most callers share (regime, summary, signals): refreshed at a steady pace.
    Shared,
    /// A key of one caller (a series, a search): fetched when it is requested.
    Interactive,
}

/// One request to the upstream.
#[derive(Debug, Clone)]
pub struct Request {
    /// Path below the base, one identifier or fixed word each.
    pub segments: Vec<String>,
    /// Query pairs, in the order in which they are sent.
    pub query: Vec<(String, String)>,
    /// What the last segment names, for messages: `ticker`, `series`, `page`.
    pub what: &'static str,
    /// Who needs it.
    pub kind: Kind,
    /// How long past its lifetime a response may be returned as stale.
    pub max_stale: Duration,
    /// Runs on each new body before it is stored; a body that fails does not replace an older response.
    pub check: Option<Check>,
}

impl Request {
    /// Returns a shared request that allows a day of staleness; change the fields that differ.
    pub fn new(segments: &[&str], query: &[(&str, &str)]) -> Self {
        Self {
            segments: segments.iter().map(|&s| s.to_owned()).collect(),
            query: query
                .iter()
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            what: "page",
            kind: Kind::Shared,
            max_stale: Duration::from_secs(24 * 3600),
            check: None,
        }
    }

    /// Returns the key of the response in every cache.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for a segment that is no identifier, or a value with control characters.
    pub(super) fn key(&self) -> Result<Key> {
        // The format, JSON, in case there is ever another one: keys are stored on disk.
        let mut key = Key::from("j");
        for segment in &self.segments {
            let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"-_.~^=+".contains(&b);
            let is_short = (1..=64).contains(&segment.len());
            let has_letter = segment.bytes().any(|b| b != b'.');
            if !is_short || !has_letter || !segment.bytes().all(is_allowed) {
                let problem = "is no identifier";
                let allowed = "1 to 64 letters, digits and - _ . ~ ^ = +, such as DGS10";
                return Err(Error::invalid(self.what, segment, problem, allowed));
            }
            key.push('/');
            key.push_str(segment);
        }
        for (name, value) in &self.query {
            if name.chars().chain(value.chars()).any(char::is_control) {
                let problem = "contains control characters";
                return Err(Error::invalid(name, value, problem, "printable text"));
            }
            // Names and values contain no control characters, so these separate them unambiguously.
            key.push('\u{1}');
            key.push_str(name);
            key.push('\u{2}');
            key.push_str(value);
        }
        Ok(key)
    }

    /// Returns the URL below `base`. `.` and `..` segments are removed and slashes encoded, so it cannot leave the
    /// base.
    pub(super) fn url(&self, base: &Url) -> Url {
        let mut url = base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(&self.segments);
        }
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        url
    }
}

/// Identifies a response: format, path and query.
pub(super) type Key = String;

/// Checks the base address of an upstream.
///
/// # Errors
/// [`Error::InvalidParam`] when it is not plain http(s), or has credentials, a query or a fragment.
pub(super) fn check_base(base: &Url) -> Result<()> {
    let problem = if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
        "is not an http or https address"
    } else if !base.username().is_empty() || base.password().is_some() {
        "contains credentials, which the upstream does not use"
    } else if base.query().is_some() || base.fragment().is_some() {
        "contains a query or a fragment"
    } else {
        return Ok(());
    };
    // The address may contain a secret and is not repeated.
    Err(Error::invalid(
        "upstream",
        "",
        problem,
        "a base address such as https://example.org",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Url {
        Url::parse("https://example.org/econ/").unwrap()
    }

    #[test]
    fn invalid_segments_are_refused() {
        for invalid in [
            "",
            ".",
            "..",
            "...",
            "../x",
            "%2e%2e",
            "..%2f",
            "a/b",
            "a\\b",
            "//evil",
            "@evil",
            "a@b",
            "a:b",
            "a?b",
            "a#b",
            "a\r\nHost: evil",
            "a\0",
            "a b",
            "․․",
            "．．",
            "a\u{202e}b",
            "Ünïcode",
        ] {
            let mut request = Request::new(&["api", "public", invalid], &[]);
            request.what = "ticker";
            let error = request.key().unwrap_err();
            assert_eq!(error.code(), "invalid_param", "{invalid:?}");
        }
        let long = "A".repeat(65);
        assert!(Request::new(&[&long], &[]).key().is_err());
    }

    #[test]
    fn even_unchecked_segments_cannot_leave_the_base() {
        for invalid in [
            "..", "%2e%2e", "/evil", "//evil", "\\\\evil", "@evil", "?a#b", "\r\n", "．．",
        ] {
            let url = Request::new(&["api", invalid], &[]).url(&base());
            assert_eq!(url.host_str(), Some("example.org"), "{invalid:?}");
            assert!(url.path().starts_with("/econ/api"), "{invalid:?} -> {url}");
            assert!(
                url.path_segments().unwrap().count() <= 3,
                "{invalid:?} -> {url}"
            );
        }
    }

    #[test]
    fn urls_are_built_below_the_base() {
        let request = Request::new(
            &["api", "public", "^GSPC"],
            &[("q", "a&b=c d"), ("limit", "3")],
        );
        assert_eq!(
            request.url(&base()).as_str(),
            "https://example.org/econ/api/public/^GSPC?q=a%26b%3Dc+d&limit=3"
        );
        let bare = Url::parse("http://127.0.0.1:9").unwrap();
        assert_eq!(
            Request::new(&["x"], &[]).url(&bare).as_str(),
            "http://127.0.0.1:9/x"
        );
    }

    #[test]
    fn different_requests_have_different_keys() {
        let key = |query: &[(&str, &str)]| Request::new(&["a"], query).key().unwrap();
        assert_ne!(key(&[("q", "x"), ("y", "z")]), key(&[("q", "xy=z")]));
        assert_ne!(key(&[("q", "")]), key(&[]));
        assert!(Request::new(&["a"], &[("q", "x\u{1}y")]).key().is_err());
    }

    #[test]
    fn base_with_credentials_is_refused_without_repeating_them() {
        for bad in [
            "ftp://x",
            "https://u:canary@x",
            "https://x/?k=canary",
            "https://x/#canary",
            "data:canary",
        ] {
            let text = check_base(&Url::parse(bad).unwrap())
                .unwrap_err()
                .to_string();
            assert!(!text.contains("canary"), "{text}");
        }
        check_base(&base()).unwrap();
    }
}
