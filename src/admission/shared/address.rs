//! Where the counts lie that many machines share.

use std::convert::Infallible;
use std::fmt;
use url::Url;

/// Address of a Redis or Valkey server, as `redis://user:password@host:6379/0` or `rediss://` with TLS. Prints without
/// name and password, whatever it is.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisAddress(String);

impl RedisAddress {
    /// Takes what was given for an address, right or not: the reader of the command line repeats what it refuses, and
    /// a password must not be repeated. [`Self::check`] is for afterwards.
    ///
    /// # Errors
    /// None.
    pub fn given(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.trim().to_owned()))
    }

    /// Whether it is an address of a server and a database.
    ///
    /// # Errors
    /// What is wrong with it; the text itself is not repeated.
    pub fn check(&self) -> Result<(), &'static str> {
        const WANTED: &str =
            "is no address of Redis; write redis://host:6379/0, or rediss:// for TLS";
        let url = Url::parse(&self.0).map_err(|_| WANTED)?;
        let is_ours = matches!(url.scheme(), "redis" | "rediss") && url.has_host();
        let is_plain = url.query().is_none() && url.fragment().is_none();
        // Its own reader knows the rest: numbers of databases, percent signs in passwords.
        let is_read = redis::Client::open(self.0.as_str()).is_ok();
        (is_ours && is_plain && is_read).then_some(()).ok_or(WANTED)
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(url) = Url::parse(&self.0) else {
            return f.write_str("(no address)");
        };
        let (host, port) = (
            url.host_str().unwrap_or_default(),
            url.port().unwrap_or(6379),
        );
        write!(f, "{}://{host}:{port}{}", url.scheme(), url.path())
    }
}

impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisAddress({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_without_its_secrets() {
        let given = RedisAddress::given("redis://me:s3cret@cache.example/2").unwrap();
        assert_eq!(given.to_string(), "redis://cache.example:6379/2");
        assert!(!format!("{given:?}").contains("s3cret"));
        for text in [
            "redis://10.0.0.1",
            "rediss://:p%40ss@[::1]:6380/0",
            "redis://u:p@h:1/15",
        ] {
            assert_eq!(RedisAddress::given(text).unwrap().check(), Ok(()), "{text}");
        }
        for text in [
            "",
            "s3cret",
            "http://h/0",
            "redis:///0",
            "redis://h/s3cret",
            "redis://h/0?x=s3cret",
        ] {
            let given = RedisAddress::given(text).unwrap();
            let told = given.check().unwrap_err();
            assert!(!told.contains("s3cret"), "{text}");
        }
    }
}
