//! What may be asked of the upstream: a path below its base and query pairs, nothing else.
//!
//! Path segments come from callers. They are held to the few characters identifiers have and encoded one
//! by one, so no name can leave the base path, change the host or smuggle a second request.

use econoscope_core::error::{Error, Result};
use std::time::Duration;
use url::Url;

/// Proves that a body is what the contract promises; its error names the field that is not.
pub type Check = fn(&[u8]) -> Result<()>;

/// Who needs an answer, which decides the part of the allowance it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A key that most callers share (regime, summary, signals): kept up to date at a steady pace.
    Shared,
    /// A key of one caller (a series, a search): paid for when it is first asked for.
    Interactive,
}

/// One question for the upstream.
#[derive(Debug, Clone)]
pub struct Request {
    /// Path below the base, one identifier or fixed word each.
    pub segments: Vec<String>,
    /// Query pairs, in the order they are sent.
    pub query: Vec<(String, String)>,
    /// What the last segment names, for messages: `ticker`, `series`, `page`.
    pub what: &'static str,
    /// Who needs it.
    pub kind: Kind,
    /// How long past its freshness an answer is still worth giving, marked as stale.
    pub max_stale: Duration,
    /// Run on each new body before it is kept; a body that fails does not displace an older answer.
    pub check: Option<Check>,
}

impl Request {
    /// A shared JSON question that bears a day of staleness; change the fields that differ.
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

    /// What identifies the answer in every cache.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for a segment that is no identifier or a value with control characters.
    pub(super) fn key(&self) -> Result<Key> {
        let mut key = Key::with_capacity(96);
        // The form of the answer, should there be another one some day: the keys are on disk.
        key.push('j');
        for segment in &self.segments {
            self.allow_segment(segment)?;
            key.push('/');
            key.push_str(segment);
        }
        for (name, value) in &self.query {
            if name.chars().chain(value.chars()).any(char::is_control) {
                let problem = "holds control characters";
                return Err(Error::invalid(name, value, problem, "printable text"));
            }
            // Control characters cannot occur inside, so they separate without doubt.
            key.push('\u{1}');
            key.push_str(name);
            key.push('\u{2}');
            key.push_str(value);
        }
        Ok(key)
    }

    fn allow_segment(&self, segment: &str) -> Result<()> {
        let identifier = |b: u8| b.is_ascii_alphanumeric() || b"-_.~^=+".contains(&b);
        let is_short = (1..=64).contains(&segment.len());
        if is_short && segment.bytes().all(identifier) && segment.bytes().any(|b| b != b'.') {
            return Ok(());
        }
        let allowed = "1 to 64 letters, digits and - _ . ~ ^ = +, such as DGS10";
        Err(Error::invalid(
            self.what,
            segment,
            "is no identifier",
            allowed,
        ))
    }

    /// The address under `base`. Segments that are `.` or `..` are left out, and what separates them is encoded: none leads out.
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

/// Identity of an answer: form, path and query.
pub(super) type Key = String;

/// A base address that requests may be built on.
///
/// # Errors
/// [`Error::InvalidParam`] when it is not plain http(s), or carries credentials, a query or a fragment.
pub(super) fn check_base(base: &Url) -> Result<()> {
    let problem = if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
        "is not an http or https address"
    } else if !base.username().is_empty() || base.password().is_some() {
        "carries credentials, which the upstream does not use"
    } else if base.query().is_some() || base.fragment().is_some() {
        "carries a query or a fragment"
    } else {
        return Ok(());
    };
    // Never echoed: it may hold a secret.
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
    fn segments_that_are_no_identifiers_are_refused() {
        for evil in [
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
            let mut request = Request::new(&["api", "public", evil], &[]);
            request.what = "ticker";
            let error = request.key().unwrap_err();
            assert_eq!(error.code(), "invalid_param", "{evil:?}");
        }
        let long = "A".repeat(65);
        assert!(Request::new(&[&long], &[]).key().is_err());
    }

    #[test]
    fn even_unchecked_segments_cannot_leave_the_base() {
        for evil in [
            "..", "%2e%2e", "/evil", "//evil", "\\\\evil", "@evil", "?a#b", "\r\n", "．．",
        ] {
            let url = Request::new(&["api", evil], &[]).url(&base());
            assert_eq!(url.host_str(), Some("example.org"), "{evil:?}");
            assert!(url.path().starts_with("/econ/api"), "{evil:?} -> {url}");
            assert!(
                url.path_segments().unwrap().count() <= 3,
                "{evil:?} -> {url}"
            );
        }
    }

    #[test]
    fn addresses_are_built_below_the_base() {
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
    fn keys_tell_questions_apart() {
        let key = |query: &[(&str, &str)]| Request::new(&["a"], query).key().unwrap();
        assert_ne!(key(&[("q", "x"), ("y", "z")]), key(&[("q", "xy=z")]));
        assert_ne!(key(&[("q", "")]), key(&[]));
        assert!(Request::new(&["a"], &[("q", "x\u{1}y")]).key().is_err());
    }

    #[test]
    fn a_base_with_credentials_is_refused_without_repeating_them() {
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
