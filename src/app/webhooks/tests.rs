//! Tests of webhooks with a receiver that fails, hangs, goes away and comes back.

use super::*;
use crate::config::{Command, load};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use econoscope_core::model::{Observation, SeriesId};
use econoscope_data::store::{Sqlite, Write};
use hmac::{Hmac, KeyInit, Mac};
use jiff::civil::date;
use parking_lot::Mutex;
use serde_json::Value;
use sha2::Sha256;
use std::collections::BTreeMap;
use tokio::task::JoinHandle;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const KEY: &str = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

type Counts = Arc<Mutex<BTreeMap<&'static str, u32>>>;

/// A store and a receiver.
struct Fixture {
    store: Arc<dyn Store>,
    receiver: MockServer,
    counts: Counts,
}

/// One run of a server.
struct Run {
    stop: CancellationToken,
    sending: JoinHandle<()>,
}

impl Run {
    async fn end(self) {
        self.stop.cancel();
        self.sending.await.unwrap();
    }
}

impl Fixture {
    async fn new() -> Self {
        let fixture = Self {
            store: Arc::new(Sqlite::in_memory().unwrap()),
            receiver: MockServer::start().await,
            counts: Counts::default(),
        };
        fixture.write("DGS10", &[4.0, 5.5, 4.0]);
        fixture
    }

    /// Figures of the days of August 2026.
    fn write(&self, id: &str, values: &[f64]) {
        let days = date(2026, 8, 1).series(jiff::ToSpan::days(1));
        let observations = days.zip(values).map(|(day, v)| Observation::new(day, *v));
        let write = Write {
            id: &SeriesId::new(id).unwrap(),
            observations: &observations.collect::<Vec<_>>(),
            known_from: None,
            fetched_at: "2026-08-22T12:00:00Z".parse().unwrap(),
            origin: "test",
        };
        self.store.write(write).unwrap();
    }

    async fn respond_with(&self, template: ResponseTemplate) {
        self.receiver.reset().await;
        let mock = Mock::given(any()).respond_with(template);
        mock.mount(&self.receiver).await;
    }

    fn open(&self, condition: &str) -> Result<Option<Arc<Webhooks>>> {
        let flags = [
            "econoscope",
            "serve",
            "--webhook",
            &format!("desk={}/hook", self.receiver.uri()),
            "--webhook-condition",
            &format!("desk={condition}"),
            "--webhook-secret",
            &format!("desk=whsec_{KEY}"),
            "--webhook-allow-host=127.0.0.1",
        ];
        let config = load(flags.map(Into::into).to_vec()).unwrap();
        let Some(Command::Serve(serve)) = &config.command else {
            panic!("no settings of serve");
        };
        let counts = Arc::clone(&self.counts);
        let count = move |outcome| *counts.lock().entry(outcome).or_default() += 1;
        let home = Some("http://127.0.0.1:8080".into());
        let desk = open_desk(Arc::clone(&self.store), &config, home, true).unwrap();
        Webhooks::open(&config, serve, &desk, count)
    }

    /// Starts a server that retries without pauses.
    fn start(&self, condition: &str, attempts: usize) -> Run {
        let mut webhooks = self.open(condition).unwrap().unwrap();
        Arc::get_mut(&mut webhooks).unwrap().pauses = vec![Duration::ZERO; attempts - 1];
        let stop = CancellationToken::new();
        let synced = CancellationToken::new();
        synced.cancel();
        let sending = webhooks.run(Arc::clone(&self.store), synced, stop.clone());
        let sending = tokio::spawn(sending);
        Run { stop, sending }
    }

    /// Waits until an outcome was counted so many times.
    async fn wait_for_count(&self, outcome: &str, times: u32) {
        while self.count(outcome) < times {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn count(&self, outcome: &str) -> u32 {
        self.counts.lock().get(outcome).copied().unwrap_or_default()
    }

    /// Waits until the note of a condition is written.
    async fn wait_for_note(&self, condition: &str) {
        let webhooks = self.open(condition).unwrap().unwrap();
        let key = note_key(&webhooks.receivers[0], condition);
        while self.store.note(&key).unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn received(&self) -> Vec<Request> {
        self.receiver.received_requests().await.unwrap()
    }
}

fn header<'a>(request: &'a Request, name: &str) -> &'a str {
    request.headers[name].to_str().unwrap()
}

fn ids(requests: &[Request]) -> Vec<&str> {
    requests.iter().map(|r| header(r, "webhook-id")).collect()
}

const CONDITION: &str = "DGS10 > 5";

#[tokio::test]
async fn each_new_crossing_is_sent_once() {
    let fixture = Fixture::new().await;
    fixture.respond_with(ResponseTemplate::new(204)).await;
    let run = fixture.start(CONDITION, 1);
    fixture.wait_for_note(CONDITION).await;
    fixture.write("DGS10", &[4.0, 5.5, 4.0, 4.1, 5.2]);
    fixture.wait_for_count("acknowledged", 1).await;
    // New data without a crossing, another series, and a restart send nothing.
    fixture.write("DGS10", &[4.0, 5.5, 4.0, 4.1, 5.2, 5.3]);
    fixture.write("DGS2", &[9.0]);
    run.end().await;
    let run = fixture.start(CONDITION, 1);
    fixture.write("DGS10", &[4.0, 5.5, 4.0, 4.1, 5.2, 5.3, 4.9, 5.1]);
    fixture.wait_for_count("acknowledged", 3).await;
    run.end().await;
    let received = fixture.received().await;
    let dates: Vec<Value> = received
        .iter()
        .map(|r| r.body_json::<Value>().unwrap()["data"]["date"].clone())
        .collect();
    assert_eq!(dates, ["2026-08-05", "2026-08-07", "2026-08-08"]);
    let first: Value = received[0].body_json().unwrap();
    assert_eq!(first["type"], "condition.crossed");
    let data = &first["data"];
    assert_eq!(data["id"], header(&received[0], "webhook-id"));
    assert_eq!(data["condition"], CONDITION);
    assert_eq!(
        (&data["met"], &data["direction"]),
        (&true.into(), &"up".into())
    );
    assert_eq!(data["values"][0]["value"], 5.2);
    assert_eq!(data["values"][0]["unit"], "%");
    assert_eq!(data["series"][0]["rights"], "ok");
    assert!(!data["series"][0]["source"].as_str().unwrap().is_empty());
    assert!(data["knownOn"].as_str().unwrap() >= "2026-08-05");
    assert!(data["page"].as_str().unwrap().contains("/series/DGS10?"));
    for request in &received {
        let time = header(request, "webhook-timestamp");
        let mut mac = Hmac::<Sha256>::new_from_slice(&STANDARD.decode(KEY).unwrap()).unwrap();
        mac.update(format!("{}.{time}.", header(request, "webhook-id")).as_bytes());
        mac.update(&request.body);
        let signature = STANDARD.encode(mac.finalize().into_bytes());
        assert_eq!(
            header(request, "webhook-signature"),
            format!("v1,{signature}")
        );
    }
}

#[tokio::test]
async fn failed_message_is_sent_again_before_later_ones() {
    let fixture = Fixture::new().await;
    let run = fixture.start(CONDITION, 3);
    fixture.wait_for_note(CONDITION).await;
    let redirect = ResponseTemplate::new(307).insert_header("location", "/there");
    fixture.respond_with(redirect).await;
    fixture.write("DGS10", &[4.0, 5.5, 4.0, 5.1, 4.2]);
    fixture.wait_for_count("given_up", 1).await;
    run.end().await;
    let failed = fixture.received().await;
    assert_eq!(failed.len(), 3, "the second crossing waits for the first");
    assert!(
        failed.iter().all(|r| r.url.path() == "/hook"),
        "no redirect is followed"
    );
    fixture.respond_with(ResponseTemplate::new(200)).await;
    let run = fixture.start(CONDITION, 1);
    fixture.wait_for_count("acknowledged", 2).await;
    run.end().await;
    let received = fixture.received().await;
    assert_eq!(received.len(), 2);
    let mut failed_ids = ids(&failed);
    failed_ids.dedup();
    assert_eq!(failed_ids, ids(&received)[..1]);
}

#[tokio::test]
async fn unacknowledged_message_keeps_its_identifier_after_a_crash() {
    let fixture = Fixture::new().await;
    let run = fixture.start(CONDITION, 1);
    fixture.wait_for_note(CONDITION).await;
    fixture
        .respond_with(ResponseTemplate::new(200).set_delay(Duration::from_secs(600)))
        .await;
    fixture.write("DGS10", &[4.0, 5.5, 4.0, 5.1]);
    while fixture.received().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let lost = fixture.received().await;
    // Like a killed process, it does nothing more.
    run.sending.abort();
    assert!(run.sending.await.unwrap_err().is_cancelled());
    fixture.respond_with(ResponseTemplate::new(200)).await;
    let run = fixture.start(CONDITION, 1);
    fixture.wait_for_count("acknowledged", 1).await;
    run.end().await;
    assert_eq!(ids(&fixture.received().await), ids(&lost));
}

#[tokio::test]
async fn status_410_ends_the_messages_to_a_receiver() {
    let fixture = Fixture::new().await;
    let run = fixture.start(CONDITION, 5);
    fixture.wait_for_note(CONDITION).await;
    fixture.respond_with(ResponseTemplate::new(410)).await;
    fixture.write("DGS10", &[4.0, 5.5, 4.0, 5.1]);
    fixture.wait_for_count("gone", 1).await;
    // It ends by itself.
    run.sending.await.unwrap();
    assert_eq!(fixture.received().await.len(), 1);
}

#[tokio::test]
async fn restricted_series_and_invalid_conditions_fail_at_start() {
    let fixture = Fixture::new().await;
    fixture.write("VIXCLS", &[20.0, 40.0]);
    for (condition, message) in [
        ("VIXCLS > 30", "--serve-restricted"),
        ("DGS10", "compares nothing"),
        ("> 5", "names no series"),
        ("NOSUCH > 5", "Unknown"),
    ] {
        let error = fixture.open(condition).err().unwrap();
        let text = format!("{error:#}");
        assert!(text.contains("of desk") && text.contains(message), "{text}");
    }
    assert!(
        fixture.open("UNRATE > 5").is_ok(),
        "its figures may come later"
    );
}
