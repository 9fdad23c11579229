use super::*;
use crate::ingest::testing::QUICK;
use crate::store::Sqlite;
use wiremock::matchers::{header, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const RSS: &str = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>t</title>
<item><title>Inflation &lt;b&gt;cools&lt;/b&gt; &amp; holds</title><link>/news/1?utm_source=x</link>
<description>&lt;p&gt;The&nbsp;CPI rose.&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;</description>
<pubDate>Thu, 19 Nov 2026 13:30:00 GMT</pubDate></item>
<item><title>Ahead</title><link>/news/2</link><pubDate>Thu, 19 Nov 2027 13:30:00 GMT</pubDate></item>
<item><title>Elsewhere</title><link>https://evil.example/x</link><pubDate>Thu, 19 Nov 2026 13:30:00 GMT</pubDate></item>
<item><title>No date</title><link>/news/3</link></item>
</channel></rss>"#;

const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><id>f</id>
<updated>2026-11-20T00:00:00Z</updated><entry><title>Inflation again</title><id>e</id>
<link href="/news/1"/><updated>2026-11-20T00:00:00Z</updated></entry></feed>"#;

fn now() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn feeds(server: &MockServer, paths: &[&str]) -> Vec<Feed> {
    let feed = |p: &&str| Feed {
        name: (*p).to_owned(),
        url: format!("{}/{p}", server.uri()).parse().unwrap(),
        tags: vec!["policy".into()],
    };
    paths.iter().map(feed).collect()
}

async fn read(store: &Sqlite, feeds: &[Feed], at: Timestamp) -> Vec<Result<Option<usize>>> {
    let settings = SourceSettings {
        pace: Some(PaceSettings { tries: 1, ..QUICK }),
        ..SourceSettings::default()
    };
    read_feeds(store, feeds, &settings, at, &CancellationToken::new())
        .await
        .unwrap()
}

#[test]
fn embedded_list_is_valid_and_errors_name_their_line() {
    let list = Feed::embedded().unwrap();
    assert!(list.len() >= 10);
    assert!(list.iter().all(|f| f.url.scheme() == "https"));
    let message = Feed::parse_list("x.csv", "name,url,tags\nA,ftp://a.b,\n")
        .unwrap_err()
        .to_string();
    assert_eq!(message, "x.csv line 2: ftp://a.b is no http(s) address");
}

#[tokio::test]
async fn entries_are_sanitised_tagged_and_stored_once() {
    let server = MockServer::start().await;
    for (at, body) in [("rss", RSS), ("atom", ATOM)] {
        let response = ResponseTemplate::new(200).set_body_raw(body, "application/xml");
        Mock::given(path(at))
            .respond_with(response)
            .mount(&server)
            .await;
    }
    let store = Sqlite::in_memory().unwrap();
    let results = read(&store, &feeds(&server, &["rss", "atom"]), now()).await;
    let added: Vec<_> = results.iter().map(|r| *r.as_ref().unwrap()).collect();
    assert_eq!(
        added,
        [Some(2), Some(0)],
        "one link in two feeds is one article"
    );
    let articles = store.articles(now(), 10).unwrap();
    let titles: Vec<&str> = articles.iter().map(|a| a.title.as_str()).collect();
    assert_eq!(titles, ["Ahead", "Inflation again"]);
    assert_eq!(articles[0].published_at, now(), "no article of the future");
    let mut only = feeds(&server, &["rss"]);
    only[0].url.set_query(Some("again"));
    read(&store, &only, now()).await;
    let articles = store.articles(now(), 10).unwrap();
    let first = articles
        .iter()
        .find(|a| a.title.starts_with("Inflation"))
        .unwrap();
    assert_eq!(first.title, "Inflation cools & holds");
    assert_eq!(first.summary.as_deref(), Some("The CPI rose."));
    assert_eq!(first.tags, ["policy", "inflation"]);
    assert!(
        first.slug.starts_with("inflation-cools-holds-"),
        "{}",
        first.slug
    );
}

#[tokio::test]
async fn broken_feed_does_not_stop_the_others() {
    let server = MockServer::start().await;
    let page = ResponseTemplate::new(200).set_body_raw("<html><p>Hello", "text/html");
    Mock::given(path("page"))
        .respond_with(page)
        .mount(&server)
        .await;
    let response = ResponseTemplate::new(200).set_body_raw(RSS, "application/xml");
    Mock::given(path("rss"))
        .respond_with(response)
        .mount(&server)
        .await;
    let store = Sqlite::in_memory().unwrap();
    let results = read(&store, &feeds(&server, &["page", "missing", "rss"]), now()).await;
    let messages: Vec<String> = results
        .iter()
        .map(|r| {
            r.as_ref()
                .map_or_else(ToString::to_string, |n| format!("{n:?}"))
        })
        .collect();
    assert!(
        messages[0].starts_with("page: the answer is no feed"),
        "{messages:?}"
    );
    assert_eq!(messages[1], "missing: HTTP 404 instead of a feed.");
    assert_eq!(messages[2], "Some(2)");
}

#[tokio::test]
async fn second_request_waits_and_is_conditional() {
    let server = MockServer::start().await;
    Mock::given(path("rss"))
        .and(header("if-none-match", "\"v1\""))
        .respond_with(ResponseTemplate::new(304))
        .expect(2)
        .with_priority(1)
        .mount(&server)
        .await;
    let response = ResponseTemplate::new(200)
        .insert_header("etag", "\"v1\"")
        .set_body_raw(RSS, "application/xml");
    Mock::given(path("rss"))
        .respond_with(response)
        .expect(1)
        .mount(&server)
        .await;
    let store = Sqlite::in_memory().unwrap();
    let rss = feeds(&server, &["rss"]);
    // At last the clock is set back by a year: the read in the "future" is ignored.
    let year = 365 * 24 * 3_600;
    for (later, expected) in [(0, Some(2)), (600, None), (3_600, None), (-year, None)] {
        let at = now() + jiff::SignedDuration::from_secs(later);
        let results = read(&store, &rss, at).await;
        assert_eq!(*results[0].as_ref().unwrap(), expected, "{later}");
    }
}

#[test]
fn every_topic_is_parsed() {
    let text = include_str!("../../../data/topics.csv");
    assert_eq!(entries::TOPICS.len(), text.lines().count() - 1);
    assert!(
        entries::TOPICS
            .iter()
            .all(|[topic, words]| !topic.is_empty() && !words.is_empty())
    );
}
