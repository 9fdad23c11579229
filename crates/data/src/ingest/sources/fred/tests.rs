mod requests;
mod secrecy;

use super::*;
use crate::ingest::fetch::Response;
use crate::ingest::key::ApiKey;
use crate::ingest::testing::{CANARY, csv, json, page, serve_bytes, sources_at};
use crate::store::Description;
use econoscope_core::error::Result;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Frequency, SeriesId, VintageObservation};
use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;
use serde_json::{Value, json as object};
use std::time::Duration;
use url::Url;
use wiremock::matchers::{header_regex, method, path, query_param, query_param_is_missing};
use wiremock::{Mock, MockServer, ResponseTemplate};

const GOOD: &str = "observation_date,DGS10\n2026-07-29,4.67\n2026-07-30,4.68\n";

fn id() -> SeriesId {
    SeriesId::new("DGS10").unwrap()
}

/// A client of a mock server.
struct Client(Fred);

impl Client {
    fn new(address: &str, key: bool) -> Self {
        Self(Fred::open(&sources_at(address, key)).unwrap())
    }

    async fn figures(&self, from: Option<Date>) -> Result<Vec<VintageObservation>> {
        self.0.figures(&id(), from).await
    }

    async fn vintages(&self) -> Result<Vec<VintageObservation>> {
        self.0.vintages(&id()).await
    }

    async fn describe(&self) -> Result<Option<Description>> {
        self.0.describe(&id()).await
    }
}

fn client_of(server: &MockServer, key: bool) -> Client {
    Client::new(&server.uri(), key)
}

async fn server_with(response: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .respond_with(response)
        .mount(&server)
        .await;
    server
}

/// Serves the responses in order, and repeats the last one.
async fn server_with_sequence(responses: Vec<ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    let last = responses.len() - 1;
    for (i, response) in responses.into_iter().enumerate() {
        let mock = Mock::given(method("GET")).respond_with(response);
        if i == last {
            mock.mount(&server).await
        } else {
            mock.up_to_n_times(1).mount(&server).await
        }
    }
    server
}

async fn request_count(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

async fn fetch(server: &MockServer, key: bool) -> Result<Vec<VintageObservation>> {
    client_of(server, key).figures(None).await
}

fn pairs(observations: &[VintageObservation]) -> Vec<(String, f64)> {
    observations
        .iter()
        .map(|o| (o.date.to_string(), o.value.unwrap()))
        .collect()
}

#[tokio::test]
async fn download_is_requested_with_contact_and_parsed() {
    let server = MockServer::start().await;
    Mock::given(path("/graph/fredgraph.csv"))
        .and(query_param("id", "DGS10"))
        .and(query_param("cosd", "2026-07-01"))
        .and(query_param_is_missing("api_key"))
        .and(header_regex(
            "user-agent",
            r"^econoscope/\d+\.\d+\.\d+ \(ops@example\.org\)$",
        ))
        .respond_with(csv(
            "observation_date,DGS10\n2026-07-03,\n2026-07-29,4.67\n2026-08-01,1\n",
        ))
        .expect(1)
        .mount(&server)
        .await;
    let rows = client_of(&server, false)
        .figures(Some(date(2026, 7, 1)))
        .await
        .unwrap();
    assert_eq!(
        pairs(&rows),
        vec![("2026-07-29".into(), 4.67), ("2026-08-01".into(), 1.0)]
    );
}

#[tokio::test]
async fn old_header_with_dots_for_missing_values_is_parsed() {
    let server = server_with(csv("DATE,DGS10\n2026-07-28,.\n2026-07-29,4.67\n")).await;
    assert_eq!(
        pairs(&fetch(&server, false).await.unwrap()),
        vec![("2026-07-29".into(), 4.67)]
    );
}

#[tokio::test]
async fn unknown_series_fails_with_no_data() {
    let refusal =
        object!({"error_code": 400, "error_message": "Bad Request.  The series does not exist."});
    for (server, key) in [
        (server_with(page(404)).await, false),
        (server_with(json(400, &refusal)).await, true),
    ] {
        let error = fetch(&server, key).await.unwrap_err();
        assert_eq!(error.code(), "no_data");
        assert!(
            error
                .to_string()
                .contains("FRED does not carry it any more"),
            "{error}"
        );
        assert_eq!(
            request_count(&server).await,
            1,
            "asking again would not help"
        );
    }
}

#[tokio::test]
async fn error_describes_a_response_without_figures() {
    let zip = ResponseTemplate::new(200).set_body_raw(b"PK\x03\x04".to_vec(), "application/zip");
    let bare_page = ResponseTemplate::new(200).set_body_raw(b"\n <html>".to_vec(), "text/csv");
    for (response, key, text) in [
        (page(200), false, "a web page instead of figures (HTTP 200)"),
        (page(403), false, "a web page instead of figures (HTTP 403)"),
        (bare_page, false, "a web page"),
        (page(200), true, "a web page"),
        (zip, false, "ZIP"),
        (csv(""), false, "the file is empty"),
        (
            csv("observation_date,DGS2\n2026-07-29,4\n"),
            false,
            "it is of DGS2",
        ),
        (
            csv("observation_date,DGS10,DGS2\n2026-07-29,4,4\n"),
            false,
            "more than one series",
        ),
        (
            csv("observation_date,DGS10\n2026-07-29,4x\n"),
            false,
            "line 2: \"4x\" is not a number",
        ),
        (
            csv("observation_date,DGS10\n2026-07-29,4\n2026-07"),
            false,
            "columns where the first line has 2",
        ),
        (json(200, &object!({"count": 1})), true, "missing field"),
        (json(418, &object!({})), true, "HTTP 418"),
        (
            json(
                400,
                &object!({"error_code": 400, "error_message": format!("Bad {CANARY}")}),
            ),
            true,
            "\"Bad (key)\"",
        ),
    ] {
        let server = server_with(response).await;
        let error = fetch(&server, key).await.unwrap_err();
        assert_eq!(error.code(), "unavailable", "{text}");
        assert!(error.to_string().contains(text), "{text}: {error}");
        assert_eq!(request_count(&server).await, 1, "{text}");
    }
}

#[tokio::test]
async fn transient_failures_are_retried() {
    let busy = || ResponseTemplate::new(429).insert_header("retry-after", "0");
    for first in [
        ResponseTemplate::new(500),
        ResponseTemplate::new(503),
        busy(),
    ] {
        let server = server_with_sequence(vec![first, csv(GOOD)]).await;
        assert_eq!(fetch(&server, false).await.unwrap().len(), 2);
        assert_eq!(request_count(&server).await, 2);
    }
    let server = server_with(ResponseTemplate::new(500)).await;
    let error = fetch(&server, false).await.unwrap_err();
    assert!(
        error.to_string().contains("out of order (HTTP 500)"),
        "{error}"
    );
    assert_eq!(request_count(&server).await, 4);
}

#[tokio::test]
async fn long_retry_after_fails_without_waiting() {
    let server = server_with(ResponseTemplate::new(429).insert_header("retry-after", "3600")).await;
    let error = fetch(&server, false).await.unwrap_err();
    assert_eq!(error.code(), "rate_limited");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
    assert_eq!(request_count(&server).await, 1);
}

#[tokio::test]
async fn truncated_body_is_an_error() {
    let cut = serve_bytes(b"HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\ncontent-length: 500\r\n\r\nobservation_date,DGS10\n2026-07-29,4.67\n", 1).await;
    let error = Client::new(&cut, false).figures(None).await.unwrap_err();
    assert!(
        error.to_string().contains("broke off in the middle"),
        "{error}"
    );
}

#[tokio::test]
async fn silent_and_endless_responses_time_out() {
    let slow = server_with(csv(GOOD).set_delay(Duration::from_secs(30))).await;
    let error = fetch(&slow, false).await.unwrap_err();
    assert!(
        error.to_string().contains("did not answer in time"),
        "{error}"
    );
    let flood = serve_bytes(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n\r\nobservation_date,DGS10\n",
        200,
    )
    .await;
    let error = Client::new(&flood, false).figures(None).await.unwrap_err();
    assert!(error.to_string().contains("larger than 64 MiB"), "{error}");
    let closed = Client::new("http://127.0.0.1:1", false);
    let error = closed.figures(None).await.unwrap_err();
    assert!(error.to_string().contains("cannot be reached"), "{error}");
}

#[tokio::test]
async fn redirect_to_another_host_is_not_followed() {
    let other = server_with(csv(GOOD)).await;
    let away = ResponseTemplate::new(302).insert_header("location", other.uri().as_str());
    let server = server_with(away).await;
    let error = fetch(&server, true).await.unwrap_err();
    assert!(error.to_string().contains("HTTP 302"), "{error}");
    assert_eq!(request_count(&other).await, 0);
    let home = server_with_sequence(vec![
        ResponseTemplate::new(301).insert_header("location", "/moved"),
        csv(GOOD),
    ])
    .await;
    assert_eq!(fetch(&home, false).await.unwrap().len(), 2);
}

fn item(realtime: &str, date: &str, value: &str) -> Value {
    span(realtime, "9999-12-31", date, value)
}

/// A figure that the series contained from one day to another.
fn span(start: &str, end: &str, date: &str, value: &str) -> Value {
    object!({"realtime_start": start, "realtime_end": end, "date": date, "value": value})
}

fn listing(count: usize, observations: &[Value]) -> Value {
    vintages_from("2026-08-20", count, observations)
}

fn vintages_from(start: &str, count: usize, observations: &[Value]) -> Value {
    object!({
        "realtime_start": start, "realtime_end": "2026-08-20", "units": "lin", "output_type": 1,
        "file_type": "json", "sort_order": "asc", "count": count, "offset": 0, "limit": 100_000,
        "observations": observations,
    })
}

fn vintage_dates(days: &[impl serde::Serialize]) -> Value {
    object!({"realtime_start": "1776-07-04", "count": days.len(), "vintage_dates": days})
}

fn unregistered() -> Value {
    let text = "Bad Request.  The value for variable api_key is not registered.";
    object!({"error_code": 400, "error_message": text})
}

#[tokio::test]
async fn identifier_cannot_change_the_url() {
    let base = Url::parse("https://fred.example/sub/").unwrap();
    let url = api::url_with(
        &base,
        &["graph", "fredgraph.csv"],
        &[("id", "A&b=c#d"), ("x", "é")],
    )
    .unwrap();
    assert_eq!(
        url.as_str(),
        "https://fred.example/sub/graph/fredgraph.csv?id=A%26b%3Dc%23d&x=%C3%A9"
    );
}

static API: std::sync::LazyLock<Fred> = std::sync::LazyLock::new(|| {
    let key = ApiKey::from(CANARY);
    let settings = SourceSettings {
        key: Some(key),
        ..SourceSettings::default()
    };
    Fred::open(&settings).unwrap()
});

proptest! {
    #[test]
    fn hostile_json_never_panics(body in prop::collection::vec(any::<u8>(), 0..200), status in 200u16..600) {
        let response = Response::new(status, "application/json", &body);
        drop(API.parse::<api::Page<api::ObservationRow>>(&id(), API.key.as_ref().unwrap(), &response));
        drop(parse_download(&id(), &response));
    }

    #[test]
    fn hostile_fields_never_give_a_value_that_is_not_finite(
        date in "2026-07-(0[1-9]|[12][0-9])|\\PC{0,12}",
        value in "[1-9]e[0-9]{1,4}|[-+.0-9eEinfaN]{0,12}",
    ) {
        let body = listing(1, &[item("2026-01-01", &date, &value)]).to_string();
        let response = Response::new(200, "application/json", body.as_bytes());
        let page: api::Page<api::ObservationRow> = API.parse(&id(), API.key.as_ref().unwrap(), &response).unwrap();
        let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
        let is_date = date.starts_with("2026-07-");
        match page.rows[0].parse() {
            Ok(row) => prop_assert_eq!((is_date, row.value), (true, number)),
            Err(problem) => prop_assert!(!is_date || number.is_none(), "{problem}"),
        }
    }

    #[test]
    fn hostile_downloads_never_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = [b"observation_date,DGS10\n".as_slice(), &body].concat();
        let rows = parse_download(&id(), &Response::new(200, "text/csv", &text)).unwrap_or_default();
        prop_assert!(rows.is_sorted_by(|a, b| a.date < b.date));
        prop_assert!(rows.iter().all(|o| o.value.is_some_and(f64::is_finite)));
    }
}
