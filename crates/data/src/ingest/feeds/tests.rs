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

async fn read(store: &Arc<dyn Store>, feeds: &[Feed], at: Timestamp) -> Vec<FeedReport> {
    let settings = SourceSettings {
        pace: Some(PaceSettings { tries: 1, ..QUICK }),
        ..SourceSettings::default()
    };
    read_feeds(store, feeds, &settings, at, &CancellationToken::new())
        .await
        .unwrap()
}

#[test]
fn the_embedded_list_is_sound_and_a_bad_list_names_its_line() {
    let list = Feed::embedded().unwrap();
    assert!(list.len() >= 10);
    assert!(list.iter().all(|f| f.url.scheme() == "https"));
    let said = Feed::list("x.csv", "name,url,tags\nA,ftp://a.b,\n")
        .unwrap_err()
        .to_string();
    assert_eq!(said, "x.csv line 2: ftp://a.b is no http(s) address");
}

#[tokio::test]
async fn entries_are_cleaned_tagged_and_kept_once() {
    let server = MockServer::start().await;
    for (at, body) in [("rss", RSS), ("atom", ATOM)] {
        let answer = ResponseTemplate::new(200).set_body_raw(body, "application/xml");
        Mock::given(path(at))
            .respond_with(answer)
            .mount(&server)
            .await;
    }
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    let reports = read(&store, &feeds(&server, &["rss", "atom"]), now()).await;
    let added: Vec<_> = reports
        .iter()
        .map(|r| *r.outcome.as_ref().unwrap())
        .collect();
    assert_eq!(
        added,
        [Some(2), Some(0)],
        "one link in two feeds is one article"
    );
    let kept = store.articles(now(), 10).unwrap();
    let titles: Vec<&str> = kept.iter().map(|a| a.title.as_str()).collect();
    assert_eq!(titles, ["Ahead", "Inflation again"]);
    assert_eq!(kept[0].published_at, now(), "no article of the future");
    let mut only = feeds(&server, &["rss"]);
    only[0].url.set_query(Some("again"));
    read(&store, &only, now()).await;
    let kept = store.articles(now(), 10).unwrap();
    let first = kept
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
async fn a_broken_feed_does_not_stop_the_rest() {
    let server = MockServer::start().await;
    let page = ResponseTemplate::new(200).set_body_raw("<html><p>Hello", "text/html");
    Mock::given(path("page"))
        .respond_with(page)
        .mount(&server)
        .await;
    let answer = ResponseTemplate::new(200).set_body_raw(RSS, "application/xml");
    Mock::given(path("rss"))
        .respond_with(answer)
        .mount(&server)
        .await;
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    let reports = read(&store, &feeds(&server, &["page", "missing", "rss"]), now()).await;
    let said: Vec<String> = reports
        .iter()
        .map(|r| {
            r.outcome
                .as_ref()
                .map_or_else(ToString::to_string, |n| format!("{n:?}"))
        })
        .collect();
    assert!(
        said[0].starts_with("page: the answer is no feed"),
        "{said:?}"
    );
    assert_eq!(said[1], "missing: HTTP 404 instead of a feed.");
    assert_eq!(said[2], "Some(2)");
}

#[tokio::test]
async fn a_feed_rests_and_is_then_asked_whether_it_has_changed() {
    let server = MockServer::start().await;
    Mock::given(path("rss"))
        .and(header("if-none-match", "\"v1\""))
        .respond_with(ResponseTemplate::new(304))
        .expect(2)
        .with_priority(1)
        .mount(&server)
        .await;
    let answer = ResponseTemplate::new(200)
        .insert_header("etag", "\"v1\"")
        .set_body_raw(RSS, "application/xml");
    Mock::given(path("rss"))
        .respond_with(answer)
        .expect(1)
        .mount(&server)
        .await;
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    let rss = feeds(&server, &["rss"]);
    // At last the clock is set back by a year: a look of the "future" is no reason to rest.
    let year = 365 * 24 * 3_600;
    for (later, want) in [(0, Some(2)), (600, None), (3_600, None), (-year, None)] {
        let at = now() + jiff::SignedDuration::from_secs(later);
        let reports = read(&store, &rss, at).await;
        assert_eq!(*reports[0].outcome.as_ref().unwrap(), want, "{later}");
    }
}

#[test]
fn every_row_of_the_topics_is_read() {
    let text = include_str!("../../../data/topics.csv");
    assert_eq!(entries::TOPICS.len(), text.lines().count() - 1);
    assert!(
        entries::TOPICS
            .iter()
            .all(|[topic, words]| !topic.is_empty() && !words.is_empty())
    );
}
