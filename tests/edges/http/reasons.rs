//! Every reason that an answer or a page prints is a fact of the store: "not loaded", "begins", "never published", "late".

use super::support::{Reply, get, public_router, send, tool_call};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::model::{Date, SeriesId, VintageObservation};
use econoscope_data::store::{Sqlite, Store, WriteVintages};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const NOW: &str = "2026-11-28T12:00:00Z";

/// Ten series, three of them with a peculiarity: VIXCLS may not be passed on, PAYEMS has a gap that is not the agency's, CPIAUCSL
/// begins late.
fn ten_series() -> Arc<Sqlite> {
    let bundle = Sqlite::bundled().unwrap();
    let store = Sqlite::in_memory().unwrap();
    for name in [
        "UNRATE", "DGS10", "DGS2", "PAYEMS", "CPIAUCSL", "CPILFESL", "INDPRO", "PERMIT",
        "FEDFUNDS", "T10Y2Y",
    ] {
        let id = SeriesId::new(name).unwrap();
        let keep = |row: &&VintageObservation| match name {
            "PAYEMS" => row.date.to_string() != "2020-03-01",
            "CPIAUCSL" => row.date.year() >= 1990,
            _ => true,
        };
        let stored = bundle.read(&id).unwrap().unwrap();
        let rows: Vec<VintageObservation> = stored.rows().iter().filter(keep).copied().collect();
        write(&store, &id, &rows);
    }
    let day = |day: i8| VintageObservation {
        date: jiff::civil::date(2026, 11, day),
        known_from: None,
        value: Some(17.0),
    };
    write(
        &store,
        &SeriesId::new("VIXCLS").unwrap(),
        &[day(24), day(25)],
    );
    Arc::new(store)
}

fn write(store: &Sqlite, id: &SeriesId, rows: &[VintageObservation]) {
    let write = WriteVintages::new(id, rows, NOW.parse().unwrap(), "test");
    store.write_vintages(write).unwrap();
}

/// Addresses of every endpoint and page, and calls that give reasons.
fn addresses() -> Vec<String> {
    let declared: Value = serde_json::from_str(include_str!("../../addresses.json")).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut all: Vec<String> = declared["endpoints"]
        .as_array()
        .unwrap()
        .iter()
        .map(text)
        .collect();
    let pages = declared["pages"].as_array().unwrap().iter();
    all.extend(pages.map(|page| text(&page["sample"])));
    all.push("/api/public/scenarios?limit=100".to_owned());
    for id in [
        "UNRATE",
        "DGS10",
        "VIXCLS",
        "PAYEMS",
        "CPIAUCSL",
        "NFCI",
        "T10Y2Y",
        "WALCL",
        "EBP",
        "SERVICE_CRPI",
        "SERVICE_RNOW",
        "SERVICE_CNLI",
        "SERVICE_CMSI",
        "SERVICE_CRAI",
        "SERVICE_NVI",
    ] {
        all.push(format!("/api/public/metrics/{id}"));
        all.push(format!("/api/public/metrics/{id}?as_of=1985-06-30"));
        all.push(format!("/api/public/data/{id}?start=2019-01-01"));
        all.push(format!(
            "/api/public/data/{id}?dates=1930-01-01,2020-03-15,2025-10-15"
        ));
        all.push(format!("/api/public/revisions/{id}"));
        all.push(format!("/series/{id}"));
        all.push(format!("/series/{id}?as_of=1985-06-30"));
    }
    for id in ["CRPI", "RNOW", "CNLI", "CMSI", "CRAI", "regime"] {
        all.push(format!("/api/public/explain/{id}"));
        all.push(format!("/api/public/explain/{id}?as_of=1985-06-30"));
    }
    for path in [
        "macro-summary",
        "regime",
        "signals",
        "what-changed",
        "calendar",
    ] {
        all.push(format!("/api/public/{path}?as_of=1985-06-30"));
    }
    all
}

/// What the store has: the facts that reasons are checked against.
struct Facts<'a> {
    store: &'a Sqlite,
    today: Date,
    wrong: BTreeSet<String>,
    checked: usize,
}

impl Facts<'_> {
    fn first_day(&self, id: &str) -> Option<Date> {
        let stored = self.store.read(&SeriesId::new(id).ok()?).unwrap()?;
        stored.latest().first().map(|row| row.date)
    }

    fn check(&mut self, holds: bool, address: &str, reason: &str) {
        self.checked += 1;
        if !holds {
            self.wrong.insert(format!("{address}: {reason}"));
        }
    }

    fn check_text(&mut self, address: &str, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let known = |word: &&&str| {
            let name = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            Catalogue::embedded().get(name).is_some()
        };
        let clean = |word: &str| {
            let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
            word.trim_matches(is_end).to_owned()
        };
        for n in 0..words.len() {
            let rest = words[n..].join(" ");
            let reason = words[n.saturating_sub(12)..(n + 8).min(words.len())].join(" ");
            if let Some(year) = rest.strip_prefix("is not loaded back to ") {
                let year: i16 = year[..4].parse().unwrap();
                let id = clean(words[n - 1]);
                let first = self.first_day(&id);
                self.check(first.is_none_or(|day| day.year() > year), address, &reason);
            } else if rest.starts_with("is not loaded") {
                let before = words[n.saturating_sub(12)..n].iter().rev();
                if let Some(id) = before.clone().find(known) {
                    let id = clean(id);
                    self.check(self.first_day(&id).is_none(), address, &reason);
                }
            } else if let Some(ids) = rest.strip_prefix("not loaded: ") {
                for id in ids
                    .split(", ")
                    .map_while(|id| id.split([';', '.', '"', '<']).next())
                {
                    if Catalogue::embedded().get(id).is_none() {
                        break;
                    }
                    self.check(self.first_day(id).is_none(), address, &reason);
                }
            } else if rest.starts_with("never published") {
                let nearby = words[n.saturating_sub(8)..n].join(" ");
                self.check(nearby.contains("October 2025"), address, &reason);
            } else if let Some(day) = rest.strip_prefix("due by ") {
                let day = day.split(' ').take(3).collect::<Vec<_>>().join(" ");
                let Ok(day) = Date::strptime("%d %B %Y", clean(&day)) else {
                    continue;
                };
                self.check(day <= self.today, address, &reason);
            }
        }
    }

    /// Checks what an answer says of single fields: no release that is still to come lies in the past, and nothing is late since a
    /// day that is still to come.
    fn check_fields(&mut self, address: &str, value: &Value) {
        let day = |value: &Value| value.as_str().and_then(|text| text.parse::<Date>().ok());
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    if name == "nextRelease" && !address.contains("as_of") {
                        let next = day(field).or_else(|| day(&field["date"]));
                        let holds = next.is_none_or(|next| next >= self.today);
                        self.check(holds, address, &format!("nextRelease {field}"));
                    }
                    if let ("late", Value::Object(late)) = (name.as_str(), field) {
                        for (of, since) in late {
                            let holds = day(since).is_some_and(|day| day <= self.today);
                            self.check(holds, address, &format!("{of} is late since {since}"));
                        }
                    }
                    self.check_fields(address, field);
                }
            }
            Value::Array(items) => items
                .iter()
                .for_each(|item| self.check_fields(address, item)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Removes the tags of a page, and its scripts.
fn visible(page: &str) -> String {
    let mut text = String::new();
    for part in page.split('<') {
        let (tag, rest) = part.split_once('>').unwrap_or(("", part));
        if !tag.starts_with("script") && !tag.starts_with("style") {
            text.push(' ');
            text.push_str(rest);
        }
    }
    text
}

#[tokio::test]
async fn every_reason_is_a_fact_of_the_store() {
    let now: Timestamp = NOW.parse().unwrap();
    let bundled = Arc::new(Sqlite::bundled().unwrap());
    let empty = Arc::new(Sqlite::in_memory().unwrap());
    let mut wrong = BTreeSet::new();
    for (name, store) in [("bundle", bundled), ("ten", ten_series()), ("empty", empty)] {
        let router = public_router(Arc::clone(&store), Arc::new(move || now));
        let mut facts = Facts {
            store: &store,
            today: jiff::civil::date(2026, 11, 28),
            wrong: BTreeSet::new(),
            checked: 0,
        };
        for address in addresses() {
            let reply = get(&router, &address).await;
            let address = format!("{name} {address}");
            let Ok(text) = std::str::from_utf8(&reply.body) else {
                continue;
            };
            if let Ok(json) = serde_json::from_str::<Value>(text) {
                facts.check_fields(&address, &json);
            }
            facts.check_text(&address, &visible(text));
        }
        assert!(facts.checked > 20, "{name}: {} reasons", facts.checked);
        wrong.extend(facts.wrong);
    }
    let all: Vec<&str> = wrong.iter().map(String::as_str).collect();
    assert!(all.is_empty(), "{} reasons:\n{}", all.len(), all.join("\n"));
}

/// Lateness is said once in an answer, as a sentence after the reference day.
#[tokio::test]
async fn lateness_is_one_sentence() {
    let now: Timestamp = NOW.parse().unwrap();
    let router = public_router(Arc::new(Sqlite::bundled().unwrap()), Arc::new(move || now));
    let text = |reply: Reply| reply.json()["result"]["content"][0]["text"].to_string();
    let metric = send(
        &router,
        tool_call("get_metric", &json!({"ticker": "UNRATE"}), &[]),
    )
    .await;
    let metric = text(metric);
    let sentence = "As of 2 October 2026, 57 days old. A newer figure was due by 20 November 2026 but is not loaded.";
    assert!(metric.contains(sentence), "{metric}");
    for (tool, arguments) in [
        ("get_metric", json!({"ticker": "UNRATE"})),
        ("get_time_series", json!({"seriesId": "DGS10"})),
        ("get_macro_summary", json!({})),
        ("get_signals", json!({})),
        ("get_regime", json!({})),
    ] {
        let answer = text(send(&router, tool_call(tool, &arguments, &[])).await);
        let says = [
            "due by",
            "were due",
            ", late",
            "should be there",
            "late since",
        ];
        let count: usize = says.iter().map(|words| answer.matches(words).count()).sum();
        assert_eq!(count, 1, "{tool}: {answer}");
    }
}

#[tokio::test]
async fn base_rates_of_the_bundle_are_measured() {
    let now: Timestamp = NOW.parse().unwrap();
    let router = public_router(Arc::new(Sqlite::bundled().unwrap()), Arc::new(move || now));
    let list = get(&router, "/api/public/scenarios?limit=100").await.json();
    let mut measured = 0;
    for scenario in list["scenarios"].as_array().unwrap() {
        let basis = scenario["baseRateBasis"].as_str().unwrap();
        measured += usize::from(!basis.starts_with("reference study"));
        assert!(!basis.contains("UNRATE is not loaded"), "{basis}");
    }
    assert!(measured >= 12, "{measured} measured");
}
