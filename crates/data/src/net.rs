//! What both clients of the network share: how they present themselves, and how they read headers and bodies.

use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};
use std::error::Error as _;
use std::time::Duration;

/// Name and version, as every request carries them.
pub const AGENT: &str = concat!("econoscope/", env!("CARGO_PKG_VERSION"));

/// Makes ring what TLS computes with.
pub fn choose_tls() {
    // An error says that a provider is installed already: whoever was first chose the same one.
    let chosen = rustls::crypto::ring::default_provider().install_default();
    chosen.unwrap_or_default();
}

/// A client to be set up further: with TLS, our name, and no referrer.
pub fn client() -> reqwest::ClientBuilder {
    choose_tls();
    reqwest::Client::builder().user_agent(AGENT).referer(false)
}

/// The body, or `None` when it is larger than `max` bytes.
///
/// # Errors
/// When the connection breaks off.
pub async fn body(mut response: reqwest::Response, max: usize) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > max {
            return Ok(None);
        }
        body.extend_from_slice(&piece);
    }
    Ok(Some(body))
}

/// What went wrong on the way, to follow the name of who was asked.
pub fn problem(error: &reqwest::Error) -> &'static str {
    if error.is_timeout() {
        "did not answer in time"
    } else if error.is_connect() && is_about(error, "certificate") {
        "answers with a certificate that this machine does not trust: a proxy in between, an old list of roots or a wrong clock"
    } else if error.is_connect() {
        "cannot be reached"
    } else if error.is_decode() && is_about(error, "gzip header") {
        "sent an answer that is not compressed as it says"
    } else {
        "broke off in the middle of its answer"
    }
}

/// Whether a cause of an error names a thing; the libraries below tell it in words alone.
fn is_about(error: &reqwest::Error, thing: &str) -> bool {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes
        .map(ToString::to_string)
        .any(|said| said.contains(thing))
}

/// Whether a cause of an error is of this type.
pub fn is_caused_by<E: std::error::Error + 'static>(error: &reqwest::Error) -> bool {
    let mut causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.any(|cause| cause.is::<E>())
}

/// The value of a header that came exactly once.
pub fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?.trim();
    values.next().is_none().then_some(value)
}

/// Whole seconds; more digits than a number holds mean the longest time there is, anything else nothing.
pub fn seconds(text: &str) -> Option<Duration> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().map_or(Duration::MAX, Duration::from_secs))
}

/// A date in any of the three forms HTTP allows; a wrong weekday is no reason to refuse it.
pub fn http_date(text: &str) -> Option<Timestamp> {
    let modern = rfc2822::DateTimeParser::new()
        .relaxed_weekday(true)
        .parse_timestamp(text)
        .ok();
    let older = || {
        ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]
            .iter()
            .find_map(|form| civil::DateTime::strptime(form, text).ok())
            .and_then(|date| date.to_zoned(TimeZone::UTC).ok())
            .map(|zoned| zoned.timestamp())
    };
    modern.or_else(older)
}

/// How long until the next midnight in a time zone; `None` at the end of the calendar.
pub fn until_midnight(now: Timestamp, zone: TimeZone) -> Option<Duration> {
    let tomorrow = now
        .to_zoned(zone)
        .tomorrow()
        .and_then(|day| day.start_of_day());
    Duration::try_from(tomorrow.ok()?.timestamp().duration_since(now)).ok()
}

/// When an answer was made, by the clock of who made it; `now` if it does not say.
pub fn made(headers: &HeaderMap, now: Timestamp) -> Timestamp {
    single(headers, &DATE).and_then(http_date).unwrap_or(now)
}

/// How long to keep away, as `Retry-After` says: seconds or a date, at most a day. A value that is
/// neither, or lies in the past, means an hour; `None` when the header did not come.
///
/// A date is compared with when the answer was made, by the clock of who made it; `now` stands in for that.
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    const DAY: Duration = Duration::from_secs(24 * 3600);
    const HOUR: Duration = Duration::from_secs(3600);
    let value = headers.get(RETRY_AFTER)?;
    let text = value.to_str().unwrap_or_default().trim();
    let made = made(headers, now);
    let until = |date: Timestamp| Duration::try_from(date.duration_since(made)).ok();
    let wait = seconds(text).or_else(|| http_date(text).and_then(until));
    Some(wait.unwrap_or(HOUR).min(DAY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    name.clone(),
                    HeaderValue::from_bytes(value.as_bytes()).unwrap(),
                )
            })
            .collect()
    }

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        let now = "2026-11-21T12:00:00Z".parse().unwrap();
        let table = [
            ("120", 120),
            ("0", 0),
            (" 0 ", 0),
            ("Sat, 21 Nov 2026 12:05:00 GMT", 300),
            ("Mon, 21 Nov 2026 12:05:00 GMT", 300),
            ("Saturday, 21-Nov-26 12:05:00 GMT", 300),
            ("Sat, 21 Nov 2026 11:00:00 GMT", 3600),
            ("-5", 3600),
            ("soon", 3600),
            ("", 3600),
            ("1e3", 3600),
            ("\u{e9}", 3600),
            ("315360000", 24 * 3600),
            ("99999999999999999999999999", 24 * 3600),
            ("Sat, 21 Nov 2036 12:00:00 GMT", 24 * 3600),
        ];
        for (text, wait) in table {
            let read = retry_after(&headers(&[(RETRY_AFTER, text)]), now);
            assert_eq!(read, Some(Duration::from_secs(wait)), "{text}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
        // Our own clock stands a year behind, and one ahead.
        for day in ["Sun, 21 Nov 2027", "Fri, 21 Nov 2025"] {
            let [date, until] = ["12:00", "12:01"].map(|time| format!("{day} {time}:00 GMT"));
            let read = retry_after(&headers(&[(DATE, &date), (RETRY_AFTER, &until)]), now);
            assert_eq!(read, Some(Duration::from_secs(60)), "{day}");
        }
    }
}
