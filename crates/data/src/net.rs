//! HTTP client functions that every outgoing client shares: client setup, error messages, headers and bodies.

use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};
use std::error::Error;
use std::time::Duration;

/// `User-Agent` of every request.
pub const USER_AGENT: &str = concat!("econoscope/", env!("CARGO_PKG_VERSION"));

/// From this size on a body gets room for the largest at once.
const LARGE_BODY: usize = 4 << 20;

/// Installs ring as the process's TLS crypto provider.
pub fn install_tls_provider() {
    let result = rustls::crypto::ring::default_provider().install_default();
    // An error says that a provider is already installed; only this function installs one.
    result.unwrap_or_default();
}

/// Returns a client builder with TLS, our `User-Agent` and no referrer.
pub fn client_builder() -> reqwest::ClientBuilder {
    install_tls_provider();
    reqwest::Client::builder()
        .user_agent(USER_AGENT)
        .referer(false)
}

/// Reads a body; `None` when it is larger than `max` bytes.
///
/// # Errors
/// When the connection breaks.
pub async fn read_body(
    mut response: reqwest::Response,
    max: usize,
) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > max {
            return Ok(None);
        }
        if body.len() + chunk.len() > LARGE_BODY {
            // A vector that grows is copied, with both copies in memory. Room that is not used takes none.
            body.reserve_exact(max - body.len());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

/// Describes a network error, as a predicate that follows the name of the host.
pub fn describe_error(error: &reqwest::Error) -> &'static str {
    // The libraries below reqwest name these causes only in their messages.
    let mentions = |text: &str| {
        causes(error)
            .skip(1)
            .any(|cause| cause.to_string().contains(text))
    };
    if error.is_timeout() {
        "did not answer in time"
    } else if error.is_connect() && mentions("certificate") {
        "answers with a certificate that this machine does not trust: a proxy in between, an old list of roots or a wrong clock"
    } else if error.is_connect() {
        "cannot be reached"
    } else if error.is_decode() && mentions("gzip header") {
        "sent an answer that is not compressed as it says"
    } else {
        "broke off in the middle of its answer"
    }
}

/// Returns an error and its causes, outermost first.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |cause| (*cause).source())
}

/// Returns the value of a header that occurs exactly once.
pub fn single_value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?.trim();
    values.next().is_none().then_some(value)
}

/// Parses whole seconds (delta-seconds of RFC 9110). A number that overflows is the longest duration.
pub fn parse_seconds(text: &str) -> Option<Duration> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().map_or(Duration::MAX, Duration::from_secs))
}

/// Parses a date in any of the three forms of RFC 9110. A wrong weekday is ignored.
pub fn parse_http_date(text: &str) -> Option<Timestamp> {
    let imf_fixdate = rfc2822::DateTimeParser::new()
        .relaxed_weekday(true)
        .parse_timestamp(text)
        .ok();
    let obsolete = || {
        ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]
            .iter()
            .find_map(|form| civil::DateTime::strptime(form, text).ok())
            .and_then(|date| date.to_zoned(TimeZone::UTC).ok())
            .map(|zoned| zoned.timestamp())
    };
    imf_fixdate.or_else(obsolete)
}

/// Returns the time until the next midnight in a time zone; `None` at the end of the calendar.
pub fn until_midnight(now: Timestamp, zone: TimeZone) -> Option<Duration> {
    let tomorrow = now
        .to_zoned(zone)
        .tomorrow()
        .and_then(|day| day.start_of_day());
    Duration::try_from(tomorrow.ok()?.timestamp().duration_since(now)).ok()
}

/// Returns a response's `Date`, by the server's clock; `now` when the header is missing.
pub fn response_date(headers: &HeaderMap, now: Timestamp) -> Timestamp {
    (single_value(headers, &DATE).and_then(parse_http_date)).unwrap_or(now)
}

/// Returns the wait that `Retry-After` asks for, in seconds or as a date: at most a day, an hour for an invalid or past
/// value, `None` without the header.
///
/// A date is compared with the response's own `Date`, because clocks differ; `now` replaces a missing one.
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    const DAY: Duration = Duration::from_secs(24 * 3600);
    const HOUR: Duration = Duration::from_secs(3600);
    let text = (headers.get(RETRY_AFTER)?.to_str().unwrap_or_default()).trim();
    let sent = response_date(headers, now);
    let until = |date: Timestamp| Duration::try_from(date.duration_since(sent)).ok();
    let wait = parse_seconds(text).or_else(|| parse_http_date(text).and_then(until));
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
    fn retry_after_accepts_every_form() {
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
            let parsed = retry_after(&headers(&[(RETRY_AFTER, text)]), now);
            assert_eq!(parsed, Some(Duration::from_secs(wait)), "{text}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
        // Our own clock is a year behind, or a year ahead.
        for day in ["Sun, 21 Nov 2027", "Fri, 21 Nov 2025"] {
            let [date, until] = ["12:00", "12:01"].map(|time| format!("{day} {time}:00 GMT"));
            let parsed = retry_after(&headers(&[(DATE, &date), (RETRY_AFTER, &until)]), now);
            assert_eq!(parsed, Some(Duration::from_secs(60)), "{day}");
        }
    }
}
