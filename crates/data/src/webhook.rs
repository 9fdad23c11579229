//! Webhooks: a signed message to an address that the operator names, by the Standard Webhooks specification
//! (<https://www.standardwebhooks.com>).
//!
//! A name can be made to resolve to any address after it was configured. So the address that is connected to is checked,
//! each time: one inside the operator's network is refused unless its host is named as allowed.

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
use std::convert::Infallible;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// Time to connect.
const CONNECT: Duration = Duration::from_secs(5);
/// Time for one attempt. The body of the response is not read.
const ATTEMPT: Duration = Duration::from_secs(10);
/// Sizes of a signing key that the specification allows, in bytes.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// The key that signs messages. Prints as `Secret(hidden)`.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Takes any text: the reader of the command line repeats what it refuses, and a secret must not be repeated.
    /// [`Self::is_valid`] is for afterwards.
    ///
    /// # Errors
    /// None.
    pub fn given(text: &str) -> std::result::Result<Self, Infallible> {
        let encoded = text.trim().strip_prefix("whsec_");
        let key = encoded.and_then(|encoded| STANDARD.decode(encoded).ok());
        Ok(Self(key.unwrap_or_default()))
    }

    /// Whether it is `whsec_` and 24 to 64 bytes in base64.
    pub fn is_valid(&self) -> bool {
        KEY_BYTES.contains(&self.0.len())
    }

    /// The signature of a message: HMAC-SHA256 over identifier, time and body.
    fn sign(&self, id: &str, time: &str, body: &[u8]) -> String {
        // HMAC takes keys of any length; the empty key stands in for an error that cannot come.
        let mac = Hmac::<Sha256>::new_from_slice(&self.0);
        let mut mac = mac.unwrap_or_else(|_| Hmac::new(&Default::default()));
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

/// Who is told, of what.
#[derive(Debug, Clone)]
pub struct Receiver {
    /// The operator's name for it. The address itself may be a secret and is never logged.
    pub name: String,
    /// Where messages go.
    pub url: Url,
    /// Signs them.
    pub secret: Secret,
    /// Conditions whose crossings it is told of.
    pub conditions: Vec<String>,
}

/// What came of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// The receiver has the message.
    Acknowledged,
    /// The receiver wants no more messages.
    Gone,
    /// Why it does not have the message, and how long it asks to be left alone.
    Failed(String, Option<Duration>),
}

/// Sends messages.
#[derive(Debug)]
pub struct Sender {
    client: reqwest::Client,
    allowed: Arc<BTreeSet<String>>,
}

impl Sender {
    /// A sender that may call these hosts wherever they are, also by plain HTTP.
    ///
    /// # Errors
    /// [`Error::Internal`] when TLS cannot be set up.
    pub fn new(allowed: impl IntoIterator<Item = String>) -> Result<Self> {
        let allowed = allowed.into_iter().map(|host| bare(&host));
        let allowed = Arc::new(allowed.collect());
        let client = net::client()
            .connect_timeout(CONNECT)
            .timeout(ATTEMPT)
            .redirect(Policy::none())
            // A proxy would connect to addresses that are not checked.
            .no_proxy()
            // Each message connects anew, so that each address is checked.
            .pool_max_idle_per_host(0)
            .dns_resolver(Arc::new(Guard(Arc::clone(&allowed))))
            .build();
        let client = client.map_err(|e| Error::internal("setting up TLS", e))?;
        Ok(Self { client, allowed })
    }

    /// Why an address may not be called, as words that follow it. What a name resolves to is checked later.
    pub fn problem(&self, url: &Url) -> Option<&'static str> {
        let Some(host) = url.host() else {
            return Some("has no host");
        };
        if self.allowed.contains(&bare(&host.to_string())) {
            return (!matches!(url.scheme(), "http" | "https")).then_some("is not http or https");
        }
        // The library does not resolve an address that is written out.
        let literal = match host {
            Host::Ipv4(ip) => Some(IpAddr::V4(ip)),
            Host::Ipv6(ip) => Some(IpAddr::V6(ip)),
            Host::Domain(_) => None,
        };
        match literal {
            _ if url.scheme() != "https" => Some("is not https"),
            Some(ip) if !is_outside(ip) => Some(INSIDE),
            Some(_) | None => None,
        }
    }

    /// Sends a message once. The identifier is the same in every attempt.
    pub async fn post(&self, to: &Receiver, id: &str, body: &str) -> Delivery {
        if let Some(problem) = self.problem(&to.url) {
            return Delivery::Failed(problem.to_owned(), None);
        }
        let now = clock::wall();
        let time = now.as_second().to_string();
        let signature = to.secret.sign(id, &time, body.as_bytes());
        let request = self.client.post(to.url.clone());
        let request = request
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
            Err(error) if net::is_caused_by::<Inside>(&error) => {
                Delivery::Failed(INSIDE.to_owned(), None)
            }
            Err(error) => Delivery::Failed(net::problem(&error).to_owned(), None),
        }
    }
}

const INSIDE: &str = "is inside this network and not named by --webhook-allow-host";

/// A host as it is compared: in small letters, IPv6 without brackets.
fn bare(host: &str) -> String {
    host.trim_matches(['[', ']']).to_ascii_lowercase()
}

/// A name that has no address outside.
#[derive(Debug, thiserror::Error)]
#[error("{INSIDE}")]
struct Inside;

/// Resolves a name to those of its addresses that may be connected to.
#[derive(Debug)]
struct Guard(Arc<BTreeSet<String>>);

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let is_allowed = self.0.contains(&bare(name.as_str()));
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found = found.filter(|address| is_allowed || is_outside(address.ip()));
            let found: Vec<SocketAddr> = found.collect();
            match found.is_empty() {
                true => Err(Inside.into()),
                false => Ok(Box::new(found.into_iter()) as Addrs),
            }
        })
    }
}

/// Azure's platform address: public by its number, answered by the machine's own host.
const AZURE: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// Whether an address is one of the internet, by IANA's registries of special addresses.
fn is_outside(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            let is_special = match ip.octets() {
                [0 | 10 | 127 | 224.., ..] | [169, 254, ..] | [192, 168, ..] => true,
                [100, b, ..] => b & 0xc0 == 64,
                [172, b, ..] => b & 0xf0 == 16,
                [192, 0, 0 | 2, _] | [192, 88, 99, _] => true,
                [198, 18 | 19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => true,
                _ => ip == AZURE,
            };
            !is_special
        }
        // Of IPv6 only 2000::/3 is the internet; in it 2001::/23, 2001:db8::/32, 2002::/16 and 3fff::/20 are special.
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
            secret: Secret::given(SECRET).unwrap(),
            conditions: Vec::new(),
        }
    }

    async fn sent(allowed: &[&str], url: &str) -> Delivery {
        let sender = Sender::new(allowed.iter().map(|host| (*host).to_owned())).unwrap();
        sender.post(&receiver(url), ID, BODY).await
    }

    #[test]
    fn the_signature_is_that_of_the_specification() {
        // The vector of the specification's own libraries.
        let signed = receiver("https://example.org").secret;
        let signed = signed.sign(ID, "1614265330", BODY.as_bytes());
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_shows_itself_to_nobody_and_a_wrong_one_is_not_used() {
        let secret = Secret::given(SECRET).unwrap();
        assert!(secret.is_valid());
        assert_eq!(format!("{secret:?}"), "Secret(hidden)");
        for wrong in ["", "whsec_", "whsec_c2hvcnQ=", "whsec_\u{e9}", &SECRET[6..]] {
            assert!(!Secret::given(wrong).unwrap().is_valid(), "{wrong}");
        }
    }

    #[test]
    fn only_addresses_of_the_internet_are_outside() {
        for inside in [
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
            assert!(!is_outside(inside.parse().unwrap()), "{inside}");
        }
        for outside in [
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
            assert!(is_outside(outside.parse().unwrap()), "{outside}");
        }
    }

    #[tokio::test]
    async fn nobody_inside_is_called_however_their_address_is_written() {
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
            // Names that resolve inside.
            "localhost",
            "LOCALHOST",
        ] {
            let said = sent(&["127.0.0.2"], &format!("https://{host}:{port}/")).await;
            assert_eq!(said, Delivery::Failed(INSIDE.into(), None), "{host}");
        }
        let plain = sent(&[], &format!("http://127.0.0.1:{port}/")).await;
        assert_eq!(plain, Delivery::Failed("is not https".into(), None));
        assert!(listener.accept().is_err(), "nobody connected");
        drop(listener);
        // The name is what is allowed, not all it shares an address with.
        for host in ["127.0.0.1", "localhost"] {
            let said = sent(&[host], &format!("http://{host}:{port}/")).await;
            assert_ne!(said, Delivery::Failed(INSIDE.into(), None), "{host}");
        }
    }

    #[tokio::test]
    async fn each_answer_means_what_the_specification_says() {
        let server = MockServer::start().await;
        let redirect = ResponseTemplate::new(302).insert_header("location", "/there");
        for (template, means) in [
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
            assert_eq!(sent(&["127.0.0.1"], &server.uri()).await, means);
        }
        // A redirect was not followed.
        let asked = server.received_requests().await.unwrap();
        assert!(asked.iter().all(|request| request.url.path() == "/"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_endless_answer_is_an_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let endless = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 4096];
            assert!(stream.read(&mut asked).unwrap() > 0);
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            // Ends when the sender closes the connection without reading on.
            while stream.write_all(&[b'x'; 4096]).is_ok() {}
        });
        assert_eq!(sent(&["127.0.0.1"], &url).await, Delivery::Acknowledged);
        endless.join().unwrap();
    }
}
