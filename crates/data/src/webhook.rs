//! Webhooks: signed messages to an address that the operator configures, by the Standard Webhooks specification
//! (<https://www.standardwebhooks.com>).
//!
//! A name can resolve to another address after it was configured. Each connection therefore checks the resolved
//! address: one inside the operator's network is refused unless its host is allowed.

use crate::net;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use econoscope_core::clock;
use econoscope_core::error::{Error, Result};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::StatusCode;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use sha2::Sha256;
use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for one attempt. The body of the response is not read.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Sizes of a signing key that the specification allows, in bytes.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// The key that signs messages. Prints as `Secret(hidden)`.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Decodes a secret and accepts any text, because the command line parser prints a value that it refuses. Check it
    /// with [`Self::is_valid`].
    pub fn from_text(text: &str) -> Self {
        let encoded = text.trim().strip_prefix("whsec_");
        let key = encoded.and_then(|encoded| STANDARD.decode(encoded).ok());
        Self(key.unwrap_or_default())
    }

    /// Whether it is `whsec_` and 24 to 64 bytes in base64.
    pub fn is_valid(&self) -> bool {
        KEY_BYTES.contains(&self.0.len())
    }

    /// Returns the signature of a message: HMAC-SHA256 over identifier, time and body.
    fn sign(&self, id: &str, time: &str, body: &[u8]) -> String {
        // HMAC accepts keys of any length, so the error cannot occur.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0)
            .unwrap_or_else(|_| Hmac::new(&Default::default()));
        for part in [id.as_bytes(), b".", time.as_bytes(), b".", body] {
            mac.update(part);
        }
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

/// A receiver of messages.
#[derive(Debug, Clone)]
pub struct Receiver {
    /// The operator's name for it. The URL itself may be a secret and is never logged.
    pub name: String,
    /// Where messages are posted.
    pub url: Url,
    /// Signs the messages.
    pub secret: Secret,
    /// Conditions whose crossings are sent.
    pub conditions: Vec<String>,
}

/// The result of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The receiver has the message.
    Acknowledged,
    /// The receiver wants no more messages.
    Gone,
    /// Why the receiver does not have the message, and its `Retry-After`.
    Failed(String, Option<Duration>),
}

/// Sends messages.
#[derive(Debug)]
pub struct Sender {
    client: reqwest::Client,
    allowed_hosts: Arc<BTreeSet<String>>,
}

impl Sender {
    /// Creates a sender. The `allowed` hosts may have any address and may use plain HTTP.
    ///
    /// # Errors
    /// [`Error::Internal`] when TLS cannot be set up.
    pub fn new(allowed: impl IntoIterator<Item = String>) -> Result<Self> {
        let allowed = allowed.into_iter().map(|host| normalize_host(&host));
        let allowed_hosts = Arc::new(allowed.collect());
        let client = net::client_builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(ATTEMPT_TIMEOUT)
            .redirect(Policy::none())
            // A proxy would connect to addresses that are not checked.
            .no_proxy()
            // Each message connects anew, so that each address is checked.
            .pool_max_idle_per_host(0)
            .dns_resolver(Arc::new(CheckedResolver(Arc::clone(&allowed_hosts))))
            .build()
            .map_err(|e| Error::internal("setting up TLS", e))?;
        Ok(Self {
            client,
            allowed_hosts,
        })
    }

    /// Returns why a URL may not be called, as a predicate that follows it. Resolved addresses are checked when the
    /// message is sent.
    pub fn problem(&self, url: &Url) -> Option<&'static str> {
        let Some(host) = url.host() else {
            return Some("has no host");
        };
        let name = normalize_host(&host.to_string());
        if self.allowed_hosts.contains(&name) {
            return (!matches!(url.scheme(), "http" | "https")).then_some("is not http or https");
        }
        if url.scheme() != "https" {
            return Some("is not https");
        }
        // reqwest does not resolve a literal address.
        let is_public = match host {
            Host::Ipv4(ip) => is_public(ip.into()),
            Host::Ipv6(ip) => is_public(ip.into()),
            Host::Domain(_) => true,
        };
        (!is_public).then_some(PRIVATE_ADDRESS)
    }

    /// Sends a message once. `id` is the same in every attempt.
    pub async fn post(&self, to: &Receiver, id: &str, body: &str) -> Delivery {
        if let Some(problem) = self.problem(&to.url) {
            return Delivery::Failed(problem.to_owned(), None);
        }
        let now = clock::wall_time();
        let time = now.as_second().to_string();
        let signature = to.secret.sign(id, &time, body.as_bytes());
        let request = self
            .client
            .post(to.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", time)
            .header("webhook-signature", signature);
        match request.body(body.to_owned()).send().await {
            Ok(response) => match response.status() {
                status if status.is_success() => Delivery::Acknowledged,
                StatusCode::GONE => Delivery::Gone,
                status => Delivery::Failed(
                    format!("answers {}", status.as_u16()),
                    net::retry_after(response.headers(), now),
                ),
            },
            Err(error) if net::causes(&error).any(|cause| cause.is::<NoPublicAddress>()) => {
                Delivery::Failed(PRIVATE_ADDRESS.to_owned(), None)
            }
            Err(error) => Delivery::Failed(net::describe_error(&error).to_owned(), None),
        }
    }
}

const PRIVATE_ADDRESS: &str = "is inside this network and not named by --webhook-allow-host";

/// Lowercases a host and removes the brackets of IPv6, for comparison.
fn normalize_host(host: &str) -> String {
    host.trim_matches(['[', ']']).to_ascii_lowercase()
}

/// A name has no public address.
#[derive(Debug, thiserror::Error)]
#[error("{PRIVATE_ADDRESS}")]
struct NoPublicAddress;

/// A resolver that returns private addresses only for allowed hosts.
#[derive(Debug)]
struct CheckedResolver(Arc<BTreeSet<String>>);

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let is_allowed = self.0.contains(&normalize_host(name.as_str()));
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0))
                .await?
                .filter(|address| is_allowed || is_public(address.ip()))
                .collect();
            if addresses.is_empty() {
                Err(NoPublicAddress.into())
            } else {
                Ok(Box::new(addresses.into_iter()) as Addrs)
            }
        })
    }
}

/// Azure's platform address: a public number, but answered by the machine's own host.
const AZURE: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// Whether an address is on the public internet, by IANA's special-purpose address registries.
fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => match ip.octets() {
            [0 | 10 | 127 | 224.., ..] | [169, 254, ..] | [192, 168, ..] => false,
            [100, b, ..] => b & 0xc0 != 64,
            [172, b, ..] => b & 0xf0 != 16,
            [192, 0, 0 | 2, _] | [192, 88, 99, _] => false,
            [198, 18 | 19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => false,
            _ => ip != AZURE,
        },
        // Only 2000::/3 is public, without 2001::/23, 2001:db8::/32, 2002::/16 and 3fff::/20.
        IpAddr::V6(ip) => match ip.segments() {
            [0x2001, b, ..] => b >= 0x200 && b != 0xdb8,
            [0x2002, ..] => false,
            [0x3fff, b, ..] => b >= 0x1000,
            [a, ..] => a & 0xe000 == 0x2000,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use wiremock::matchers::{header, method};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    const BODY: &str = r#"{"test": 2432232314}"#;
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn receiver(url: &str) -> Receiver {
        Receiver {
            name: "desk".into(),
            url: url.parse().unwrap(),
            secret: Secret::from_text(SECRET),
            conditions: Vec::new(),
        }
    }

    async fn post(allowed: &[&str], url: &str) -> Delivery {
        let sender = Sender::new(allowed.iter().map(|host| (*host).to_owned())).unwrap();
        sender.post(&receiver(url), ID, BODY).await
    }

    #[test]
    fn signature_matches_the_test_vector() {
        // The vector of the specification's own libraries.
        let secret = receiver("https://example.org").secret;
        let signature = secret.sign(ID, "1614265330", BODY.as_bytes());
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secret_is_hidden_and_invalid_secrets_are_rejected() {
        let secret = Secret::from_text(SECRET);
        assert!(secret.is_valid());
        assert_eq!(format!("{secret:?}"), "Secret(hidden)");
        for wrong in ["", "whsec_", "whsec_c2hvcnQ=", "whsec_\u{e9}", &SECRET[6..]] {
            assert!(!Secret::from_text(wrong).is_valid(), "{wrong}");
        }
    }

    #[test]
    fn special_addresses_are_not_public() {
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::7f00:1",
            "64:ff9b::7f00:1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "ff02::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in [
            "1.1.1.1",
            "9.9.9.9",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.1.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "2a00::1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[tokio::test]
    async fn private_addresses_are_refused_in_every_spelling() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        listener.set_nonblocking(true).unwrap();
        for host in [
            "127.0.0.1",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            // Names that resolve to private addresses.
            "localhost",
            "LOCALHOST",
        ] {
            let delivery = post(&["127.0.0.2"], &format!("https://{host}:{port}/")).await;
            assert_eq!(
                delivery,
                Delivery::Failed(PRIVATE_ADDRESS.into(), None),
                "{host}"
            );
        }
        let plain = post(&[], &format!("http://127.0.0.1:{port}/")).await;
        assert_eq!(plain, Delivery::Failed("is not https".into(), None));
        assert!(listener.accept().is_err(), "nobody connected");
        drop(listener);
        // A name is allowed, not every name with the same address.
        for host in ["127.0.0.1", "localhost"] {
            let delivery = post(&[host], &format!("http://{host}:{port}/")).await;
            assert_ne!(
                delivery,
                Delivery::Failed(PRIVATE_ADDRESS.into(), None),
                "{host}"
            );
        }
    }

    #[tokio::test]
    async fn status_codes_follow_the_specification() {
        let server = MockServer::start().await;
        let redirect = ResponseTemplate::new(302).insert_header("location", "/there");
        for (template, expected) in [
            (ResponseTemplate::new(204), Delivery::Acknowledged),
            (ResponseTemplate::new(410), Delivery::Gone),
            (redirect, Delivery::Failed("answers 302".into(), None)),
            (
                ResponseTemplate::new(503).insert_header("retry-after", "7"),
                Delivery::Failed("answers 503".into(), Some(Duration::from_secs(7))),
            ),
        ] {
            let sends = Mock::given(method("POST")).and(header("webhook-id", ID));
            let _mock = sends
                .respond_with(template)
                .expect(1)
                .mount_as_scoped(&server)
                .await;
            assert_eq!(post(&["127.0.0.1"], &server.uri()).await, expected);
        }
        // A redirect was not followed.
        let requests = server.received_requests().await.unwrap();
        assert!(requests.iter().all(|request| request.url.path() == "/"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn endless_body_counts_as_acknowledged() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let endless = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut buffer = [0; 4096];
            assert!(stream.read(&mut buffer).unwrap() > 0);
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            // Ends when the sender closes the connection without reading on.
            while stream.write_all(&[b'x'; 4096]).is_ok() {}
        });
        assert_eq!(post(&["127.0.0.1"], &url).await, Delivery::Acknowledged);
        endless.join().unwrap();
    }
}
