//! Fetches the feeds of recipes: paced by source, over its own hosts only. A failure is an outage, which passes, or a
//! useless answer, which does not.

use super::fetch::{Fetch, Response, Validators};
use super::key::ApiKey;
use super::pace::PaceSettings;
use super::plan::new_york;
use super::sources::SourceSettings;
use super::write::day_of;
use crate::net;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::Date;
use econoscope_core::recipe::{
    Bases, FeedRef, Figures, Format, Reader, Request, SeriesRecipe, SourceFacts, is_spent,
};
use jiff::Timestamp;
use parking_lot::Mutex;
use reqwest::header::HeaderValue;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// A source that fails this often in a row is left alone.
const MAX_FAILURES: u32 = 3;
/// A source that asks for a longer pause than this is not asked again in the same sync.
const LONG_PAUSE: Duration = Duration::from_secs(60);
/// So many sources in a row that cannot be reached, before any was, mean that it is our network.
const MIN_UNREACHED: usize = 3;
/// Pages after which an answer is taken to be endless.
const MAX_PAGES: usize = 200;
/// What is kept of a refused answer.
const KEPT_BYTES: usize = 4096;

/// The answer of a feed.
#[derive(Debug)]
pub(super) enum FeedAnswer {
    /// Figures, bases of indexes that were not expected, and how to ask whether all that has changed.
    Figures(Figures, Bases, Validators),
    /// The last answer still holds.
    Unchanged,
}

/// Why there is no answer.
#[derive(Debug, Clone)]
pub(super) enum FeedError {
    /// The source cannot be reached now, or asks for a pause.
    Outage(Error),
    /// It answered something else than it should: an address that is gone, a page, another shape; with its beginning.
    Useless(Error, String),
}

/// Some series of a feed from a day on.
#[derive(Debug, Clone, Copy)]
pub(super) struct FeedRequest<'a> {
    pub(super) at: FeedRef<'a>,
    pub(super) lines: &'a [&'a SeriesRecipe],
    /// First date; `None` = all.
    pub(super) from: Option<Date>,
    pub(super) now: Timestamp,
}

/// The clients of a run, one for each source that was asked; each takes one question at a time.
#[derive(Debug)]
pub(super) struct Clients<'a> {
    settings: &'a SourceSettings,
    sources: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<Client<'a>>>>>,
    reach: Mutex<Reach>,
}

/// Whether there is a network.
#[derive(Debug)]
enum Reach {
    /// Nobody answered yet: the sources that could not be reached, and why.
    Unknown(BTreeMap<String, Error>),
    /// Somebody answered, if with a refusal.
    Online,
    /// None of the first few sources could be reached.
    Offline(Error),
}

/// The way to one source.
#[derive(Debug)]
struct Client<'a> {
    settings: &'a SourceSettings,
    fetch: Fetch,
    key: Option<ApiKey>,
    /// Where it lies instead of at its own address.
    home: Option<Url>,
    breaker: Breaker,
    /// The newest answer of an address that several feeds read, until another such address is asked: to which address
    /// it was the answer, and what was known before.
    kept: Option<(String, Validators, Arc<Response>)>,
    /// How the newest answer begins, without a key.
    newest: String,
}

/// Stops asking a source that fails again and again.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    failures: u32,
    /// Why the source is not asked any more.
    pub(super) open: Option<Error>,
}

impl Breaker {
    /// Counts what came of a request; an error that other requests would not meet counts as an answer.
    pub(super) fn note(&mut self, error: Option<&Error>) {
        let Some(error) = error.filter(|error| error.retryable()) else {
            self.failures = 0;
            return;
        };
        self.failures += 1;
        if self.failures >= MAX_FAILURES || error.retry_after() > Some(LONG_PAUSE) {
            self.open = Some(error.clone());
        }
    }
}

fn no_network<'n>(tried: impl Iterator<Item = &'n String>) -> Error {
    let tried: Vec<&str> = tried.map(String::as_str).collect();
    Error::Unavailable {
        what: format!(
            "No source can be reached: {} were tried. Check the network, the name server and a proxy's address, \
             then sync again; what is held is answered meanwhile.",
            tried.join(", ")
        ),
        retry_after: None,
        source: None,
    }
}

/// Whether nobody answered, as opposed to somebody who said that he cannot.
fn is_unreached(error: &Error) -> bool {
    let Error::Unavailable {
        source: Some(cause),
        ..
    } = error
    else {
        return false;
    };
    let cause = cause.downcast_ref::<reqwest::Error>();
    cause.is_some_and(|cause| cause.is_connect() || cause.is_timeout())
}

impl<'a> Clients<'a> {
    pub(super) fn new(settings: &'a SourceSettings) -> Self {
        Self {
            settings,
            sources: Mutex::default(),
            reach: Mutex::new(Reach::Unknown(BTreeMap::new())),
        }
    }

    /// Why nobody is asked any more: none of the first few sources could be reached.
    pub(super) fn offline(&self) -> Option<Error> {
        match &*self.reach.lock() {
            Reach::Offline(error) => Some(error.clone()),
            Reach::Unknown(_) | Reach::Online => None,
        }
    }

    fn note_reach(&self, name: &str, came: &std::result::Result<FeedAnswer, FeedError>) {
        let mut reach = self.reach.lock();
        match (&mut *reach, came) {
            (Reach::Unknown(tried), Err(FeedError::Outage(error))) if is_unreached(error) => {
                tried.insert(name.to_owned(), error.clone());
                if tried.len() == MIN_UNREACHED {
                    let error = no_network(tried.keys());
                    *reach = Reach::Offline(error);
                }
            }
            (Reach::Offline(_), Err(FeedError::Outage(error))) if is_unreached(error) => {}
            _ => *reach = Reach::Online,
        }
    }

    /// Asks one feed. A source that failed three times in a row, or asked for a long pause, is not asked again.
    ///
    /// # Errors
    /// [`Error::Internal`] when TLS cannot be set up.
    pub(super) async fn fetch(
        &self,
        request: FeedRequest<'_>,
        known: &Validators,
    ) -> Result<std::result::Result<FeedAnswer, FeedError>> {
        let source = request.at.source;
        // Whether it is the source or our network is seen when another has been asked.
        let unreached = match &*self.reach.lock() {
            Reach::Unknown(tried) => tried.get(&source.name).cloned(),
            Reach::Online => None,
            Reach::Offline(error) => Some(error.clone()),
        };
        let client = self.client(source)?;
        let mut client = client.lock().await;
        if let Some(error) = unreached.or_else(|| client.breaker.open.clone()) {
            return Ok(Err(FeedError::Outage(error)));
        }
        let answer = client.read(request, known).await;
        client.breaker.note(match &answer {
            Err(FeedError::Outage(error)) => Some(error),
            Ok(_) | Err(FeedError::Useless(..)) => None,
        });
        self.note_reach(&source.name, &answer);
        Ok(answer)
    }

    /// How the newest answer of a source begins, without its key; empty when there was none.
    ///
    /// # Errors
    /// [`Error::Internal`] when TLS cannot be set up.
    pub(super) async fn newest(&self, source: &SourceFacts) -> Result<String> {
        Ok(self.client(source)?.lock().await.newest.clone())
    }

    fn client(&self, source: &SourceFacts) -> Result<Arc<tokio::sync::Mutex<Client<'a>>>> {
        let mut sources = self.sources.lock();
        if let Some(client) = sources.get(&source.id) {
            return Ok(Arc::clone(client));
        }
        let client = Client::new(self.settings, source)?;
        let client = Arc::new(tokio::sync::Mutex::new(client));
        sources.insert(source.id.clone(), Arc::clone(&client));
        Ok(client)
    }
}

impl<'a> Client<'a> {
    fn new(settings: &'a SourceSettings, source: &SourceFacts) -> Result<Self> {
        let pace = PaceSettings {
            interval: Duration::from_millis(source.pace_ms),
            ..PaceSettings::DOWNLOADS
        };
        Ok(Self {
            settings,
            fetch: settings.fetch(&source.id, &source.name, pace, &source.hosts)?,
            key: settings.keys.get(&source.id).cloned(),
            home: settings.addresses.get(&source.id).cloned(),
            breaker: Breaker::default(),
            kept: None,
            newest: String::new(),
        })
    }

    /// The answer to a question, asked once for all feeds of its address where it `is_shared`.
    async fn answer(
        &mut self,
        at: FeedRef<'_>,
        ask: &Request,
        known: &Validators,
        is_shared: bool,
    ) -> std::result::Result<Arc<Response>, FeedError> {
        // What came whole stands for this sync, and "unchanged" for whoever knew as much.
        if let Some((address, knew, answer)) = &self.kept
            && *address == ask.url
            && (answer.status == 200 || knew == known)
        {
            return Ok(Arc::clone(answer));
        }
        let answer = Arc::new(self.send(at, ask, known).await?);
        if is_shared && ask.post.is_none() {
            self.kept = Some((ask.url.clone(), known.clone(), Arc::clone(&answer)));
        }
        Ok(answer)
    }

    /// Asks one feed.
    async fn read(
        &mut self,
        request: FeedRequest<'_>,
        known: &Validators,
    ) -> std::result::Result<FeedAnswer, FeedError> {
        let feed = request.at.feed;
        let feeds = self.settings.recipes.feeds();
        let is_shared = feeds.filter(|at| at.feed.url == feed.url).count() > 1;
        let today = day_of(request.now);
        let mut reader = Reader::new(feed, request.lines);
        let mut asks = feed.requests(request.lines, request.from, today);
        // Of a single question that has a single page it can be asked whether the answer has changed.
        let is_single = asks.len() == 1;
        let none = Validators::default();
        let mut validators = none.clone();
        asks.reverse();
        let mut page = 1;
        while let Some(ask) = asks.pop() {
            let known = if is_single && page == 1 { known } else { &none };
            let answer = self.answer(request.at, &ask, known, is_shared).await?;
            self.newest = self.beginning(&answer);
            if answer.status == 304 {
                return Ok(FeedAnswer::Unchanged);
            }
            if feed.format == Format::Bls && is_spent(&answer.body) {
                return Err(FeedError::Outage(spent(self.fetch.name(), request.now)));
            }
            let taken = match problem(feed.format, &answer) {
                Some(problem) => Err(problem),
                None => reader.take(&answer.body, &ask),
            };
            let taken = taken.and_then(|rows| match rows {
                Some(_) if page >= MAX_PAGES => Err("it has too many pages".to_owned()),
                rows => Ok(rows),
            });
            let further = taken.map_err(|problem| self.refused(&request, &problem, &answer))?;
            if let Some(rows) = further {
                page += 1;
                asks.push(feed.page(request.from, today, page, rows));
            }
            if is_single && page == 1 {
                validators = answer.validators.clone();
            }
        }
        let bases = reader.bases().clone();
        let figures = reader.finish(today).map_err(|problem| {
            let error = self.fetch.unusable(&request.at.name(), &problem);
            FeedError::Useless(error, String::new())
        })?;
        Ok(FeedAnswer::Figures(figures, bases, validators))
    }

    fn refused(&self, request: &FeedRequest<'_>, problem: &str, answer: &Response) -> FeedError {
        let error = self
            .fetch
            .unusable(&request.at.name(), &self.clean(problem));
        FeedError::Useless(error, self.beginning(answer))
    }

    fn clean(&self, text: &str) -> String {
        let key = self.key.as_ref();
        key.map_or_else(|| text.to_owned(), |key| key.scrub(text))
    }

    fn beginning(&self, answer: &Response) -> String {
        let head = answer.body.get(..KEPT_BYTES).unwrap_or(&answer.body);
        self.clean(&String::from_utf8_lossy(head))
    }

    async fn send(
        &self,
        at: FeedRef<'_>,
        ask: &Request,
        known: &Validators,
    ) -> std::result::Result<Response, FeedError> {
        let (mut address, mut post) = (ask.url.clone(), ask.post.clone());
        if at.feed.format == Format::Bls
            && let Some(key) = &self.key
        {
            address = address.replace("/v1/", "/v2/");
            post = post.map(|body| with_key(&body, key));
        }
        let outage = |problem: String| {
            FeedError::Outage(Error::internal("the address of a source", problem))
        };
        let mut url = Url::parse(&address).map_err(|e| outage(e.to_string()))?;
        if let Some(home) = &self.home {
            url = moved(&url, home);
        }
        let (query, header) = match (&at.source.key, &self.key) {
            (Some(place), Some(key)) if at.feed.format != Format::Bls => {
                let header = place.header.as_ref().map(|name| (name, &place.prefix, key));
                (place.query.as_ref().map(|name| (name, key)), header)
            }
            _ => (None, None),
        };
        if let Some((name, key)) = query {
            url.query_pairs_mut().append_pair(name, key.expose());
        }
        let mut request = match post {
            Some(body) => self.fetch.post(url, body),
            None => self.fetch.get(url, "*/*"),
        };
        if let Some((name, prefix, key)) = header {
            let value = HeaderValue::from_str(&format!("{prefix}{}", key.expose()));
            let mut value = value.map_err(|_| outage("the key is no header text".to_owned()))?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        let sent = self.fetch.send(known.condition(request), |_| false).await;
        sent.map_err(FeedError::Outage)
    }
}

/// The same path and query at another place. Not joined: a path that begins with two slashes would name another host.
fn moved(url: &Url, home: &Url) -> Url {
    let mut own = home.clone();
    own.set_path(url.path());
    own.set_query(url.query());
    own
}

/// What is wrong with an answer before it is read; XML is what some were asked for.
fn problem(format: Format, answer: &Response) -> Option<String> {
    let is_xml = format == Format::Claims && answer.status == 200;
    answer.problem().filter(|_| !is_xml)
}

fn with_key(body: &str, key: &ApiKey) -> String {
    let Ok(mut body) = serde_json::from_str::<serde_json::Map<_, _>>(body) else {
        return body.to_owned();
    };
    body.insert("registrationkey".to_owned(), key.expose().into());
    serde_json::Value::Object(body).to_string()
}

/// The day's questions are used up: the source rests until the next day in New York.
fn spent(name: &str, now: Timestamp) -> Error {
    const DAY: Duration = Duration::from_secs(86_400);
    Error::RateLimited {
        what: format!(
            "{name} answers no more questions today; a free key of its own allows twenty times as many."
        ),
        retry_after: net::until_midnight(now, new_york()).unwrap_or(DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_place_keeps_its_credentials_and_its_host() {
        let home = Url::parse("https://user:pass@mirror.example:8443/base?x=1").unwrap();
        let url = Url::parse("https://agency.example//evil.example/a%20b?y=2").unwrap();
        assert_eq!(
            moved(&url, &home).as_str(),
            "https://user:pass@mirror.example:8443//evil.example/a%20b?y=2"
        );
    }
}
