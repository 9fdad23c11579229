//! Fetches the feeds of recipes, each source at its own pace and over its own hosts only.
//!
//! A failed fetch is an outage, which passes, or an unusable response, which does not.

use super::fetch::{HttpClient, Response, Validators, unavailable};
use super::key::ApiKey;
use super::pace::PaceSettings;
use super::sources::SourceSettings;
use super::write::day_of;
use crate::net;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::Date;
use econoscope_core::model::calendar::eastern;
use econoscope_core::recipe::{
    Bases, FeedRef, Figures, Format, KeyPlace, Quota, Reader, Request, SeriesRecipe, SourceFacts,
};
use jiff::Timestamp;
use parking_lot::Mutex;
use reqwest::header::HeaderValue;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Most bytes of shared responses that are kept. A series that its first source lacks is read from one in a later round.
const MAX_SHARED_BYTES: usize = 16 << 20;
/// Failures in a row after which a source is no longer asked.
const MAX_FAILURES: u32 = 3;
/// A source that asks for a longer pause than this is not asked again in the same sync.
const LONG_PAUSE: Duration = Duration::from_secs(60);
/// Unreachable sources, before any was reached, that mean that there is no network.
const MIN_UNREACHABLE: usize = 3;
/// Pages after which a response is taken to be endless.
const MAX_PAGES: usize = 200;
/// Bytes that are kept of a refused response.
const EXCERPT_BYTES: usize = 4096;

/// The response of a feed, all pages together.
#[derive(Debug, Default)]
pub(super) struct FeedResponse {
    pub(super) figures: Figures,
    /// Stated bases of indexes that differ from the recipe's.
    pub(super) bases: Bases,
    /// Validators for a conditional request.
    pub(super) validators: Validators,
    /// Whether the whole series were requested.
    pub(super) is_full: bool,
    /// The first bytes of the last page, without a key.
    pub(super) excerpt: String,
}

/// Why a feed has no response that can be used.
#[derive(Debug, Clone)]
pub(super) enum FeedError {
    /// The source cannot be reached now, or asks for a pause.
    Outage(Error),
    /// The response is not what the recipe describes, such as a web page or another layout; with its first bytes.
    Unusable(Error, String),
}

/// The result of fetching a feed.
pub(super) type FetchResult = std::result::Result<FeedResponse, FeedError>;

/// A request for some series of a feed.
#[derive(Debug, Clone, Copy)]
pub(super) struct FeedRequest<'a> {
    pub(super) feed_ref: FeedRef<'a>,
    pub(super) series: &'a [&'a SeriesRecipe],
    /// First date; `None` = all.
    pub(super) from: Option<Date>,
    pub(super) now: Timestamp,
}

/// The clients of a sync, one for each source asked so far. A client sends one request at a time.
#[derive(Debug)]
pub(super) struct Clients<'a> {
    settings: &'a SourceSettings,
    by_source: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<Client<'a>>>>>,
    network: Mutex<NetworkState>,
    /// Locked while a large file is fetched and read.
    large_file: tokio::sync::Mutex<()>,
}

/// Whether there is a network.
#[derive(Debug)]
enum NetworkState {
    /// No source has answered yet; holds those that could not be reached, and why.
    Unknown(BTreeMap<String, Error>),
    /// A source answered, even if with an error.
    Online,
    /// None of the first [`MIN_UNREACHABLE`] sources could be reached.
    Offline(Error),
}

/// A client of one source.
#[derive(Debug)]
struct Client<'a> {
    fetch: HttpClient,
    settings: &'a SourceSettings,
    key: Option<&'a ApiKey>,
    breaker: Breaker,
    /// Responses of addresses that several feeds read, the newest last, of [`MAX_SHARED_BYTES`] at most.
    shared_responses: Vec<SharedResponse>,
}

/// The response of an address that several feeds read.
#[derive(Debug)]
struct SharedResponse {
    url: String,
    /// The validators that were sent.
    sent: Validators,
    response: Arc<Response>,
}

/// Circuit breaker: stops requests to a source that fails repeatedly.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    failures: u32,
    /// Why no more requests are sent.
    pub(super) open: Option<Error>,
}

impl Breaker {
    /// Counts the result of a request. An error that other requests would not meet counts as a success.
    pub(super) fn record(&mut self, error: Option<&Error>) {
        let Some(error) = error.filter(|error| error.is_retryable()) else {
            self.failures = 0;
            return;
        };
        self.failures += 1;
        if self.failures >= MAX_FAILURES || error.retry_after() > Some(LONG_PAUSE) {
            self.open = Some(error.clone());
        }
    }
}

/// Whether no host answered, which differs from a host that answers with an error.
fn is_unreachable(error: &Error) -> bool {
    let has_no_response = |e: &reqwest::Error| e.is_connect() || e.is_timeout();
    matches!(
        error,
        Error::Unavailable { source: Some(cause), .. }
            if cause.downcast_ref().is_some_and(has_no_response)
    )
}

impl<'a> Clients<'a> {
    pub(super) fn new(settings: &'a SourceSettings) -> Self {
        Self {
            settings,
            by_source: Mutex::default(),
            network: Mutex::new(NetworkState::Unknown(BTreeMap::new())),
            large_file: tokio::sync::Mutex::default(),
        }
    }

    /// Returns why no source is asked any more: none of the first few could be reached.
    pub(super) fn offline(&self) -> Option<Error> {
        match &*self.network.lock() {
            NetworkState::Offline(error) => Some(error.clone()),
            NetworkState::Unknown(_) | NetworkState::Online => None,
        }
    }

    fn record_reachability(&self, source: &str, outage: Option<&Error>) {
        let mut network = self.network.lock();
        let unreachable = outage.filter(|error| is_unreachable(error));
        match (&mut *network, unreachable) {
            (NetworkState::Unknown(sources), Some(error)) => {
                sources.insert(source.to_owned(), error.clone());
                if sources.len() == MIN_UNREACHABLE {
                    let names: Vec<&str> = sources.keys().map(String::as_str).collect();
                    *network = NetworkState::Offline(unavailable(format!(
                        "No source can be reached: {} were tried. Check the network, the name server and a proxy's \
                         address, then sync again; answers come from the stored figures meanwhile.",
                        names.join(", ")
                    )));
                }
            }
            (NetworkState::Offline(_), Some(_)) => {}
            (NetworkState::Online, _) | (_, None) => *network = NetworkState::Online,
        }
    }

    /// Fetches a feed. A source that failed three times in a row, or asked for a long pause, is not asked again.
    ///
    /// # Errors
    /// [`Error::Internal`] when TLS cannot be set up.
    pub(super) async fn fetch(
        &self,
        request: FeedRequest<'_>,
        validators: &Validators,
    ) -> Result<FetchResult> {
        let FeedRef { source, feed } = request.feed_ref;
        // A second request to an unreachable source waits until another source shows whether the network is to blame.
        let skipped = match &*self.network.lock() {
            NetworkState::Unknown(sources) => sources.get(&source.name).cloned(),
            NetworkState::Online => None,
            NetworkState::Offline(error) => Some(error.clone()),
        };
        let shared = self.client(source)?;
        let mut client = shared.lock().await;
        if let Some(error) = skipped.or_else(|| client.breaker.open.clone()) {
            return Ok(Err(FeedError::Outage(error)));
        }
        // Files of tens of megabytes come one at a time, so that memory stays small.
        let is_large = matches!(feed.format, Format::BeaFlat | Format::BoardZip);
        let _turn = if is_large {
            Some(self.large_file.lock().await)
        } else {
            None
        };
        let result = client.fetch(request, validators).await;
        let outage = match &result {
            Err(FeedError::Outage(error)) => Some(error),
            Ok(_) | Err(FeedError::Unusable(..)) => None,
        };
        client.breaker.record(outage);
        self.record_reachability(&source.name, outage);
        Ok(result)
    }

    fn client(&self, source: &SourceFacts) -> Result<Arc<tokio::sync::Mutex<Client<'a>>>> {
        let mut clients = self.by_source.lock();
        if let Some(client) = clients.get(&source.id) {
            return Ok(Arc::clone(client));
        }
        let settings = self.settings;
        let pace = PaceSettings {
            interval: Duration::from_millis(source.pace_ms),
            ..PaceSettings::DOWNLOADS
        };
        let client = Client {
            fetch: HttpClient::new(settings, &source.id, &source.name, pace, &source.hosts)?,
            settings,
            key: settings.keys.get(&source.id),
            breaker: Breaker::default(),
            shared_responses: Vec::new(),
        };
        let shared = Arc::new(client.into());
        clients.insert(source.id.clone(), Arc::clone(&shared));
        Ok(shared)
    }
}

impl Client<'_> {
    /// Sends a request, or returns the response that another feed of the same address received in this sync.
    async fn send_shared(
        &mut self,
        feed_ref: FeedRef<'_>,
        request: &Request,
        validators: &Validators,
    ) -> std::result::Result<Arc<Response>, FeedError> {
        // A 304 is valid only for a feed with the same validators.
        let is_valid = |shared: &&SharedResponse| {
            let is_valid = shared.response.status == 200 || shared.sent == *validators;
            shared.url == request.url && is_valid
        };
        if let Some(shared) = self.shared_responses.iter().find(is_valid) {
            return Ok(Arc::clone(&shared.response));
        }
        let response = Arc::new(self.send(feed_ref, request, validators).await?);
        let feeds = self.settings.recipes.feeds();
        let mut readers = feeds.filter(|other| other.feed.url == feed_ref.feed.url);
        if readers.nth(1).is_some() && request.post.is_none() {
            self.shared_responses.push(SharedResponse {
                url: request.url.clone(),
                sent: validators.clone(),
                response: Arc::clone(&response),
            });
            let sizes = self.shared_responses.iter().map(|s| s.response.body.len());
            if sizes.sum::<usize>() > MAX_SHARED_BYTES {
                self.shared_responses
                    .drain(..self.shared_responses.len() - 1);
            }
        }
        Ok(response)
    }

    /// Fetches a feed with all its pages. A feed that has not changed since its `validators` has no figures.
    async fn fetch(&mut self, request: FeedRequest<'_>, validators: &Validators) -> FetchResult {
        let feed = request.feed_ref.feed;
        let today = day_of(request.now);
        let mut reader = Reader::new(feed, request.series);
        let mut pending = feed.requests(request.series, request.from, today);
        self.pay(request.feed_ref, pending.len())
            .map_err(FeedError::Outage)?;
        // Only a single request with a single page can be conditional.
        let is_single = pending.len() == 1;
        pending.reverse();
        let mut page = 1;
        let mut response = FeedResponse {
            is_full: request.from.is_none(),
            ..FeedResponse::default()
        };
        while let Some(page_request) = pending.pop() {
            let is_conditional = is_single && page == 1;
            let no_validators = Validators::default();
            let sent = if is_conditional {
                validators
            } else {
                &no_validators
            };
            let answer = (self.send_shared(request.feed_ref, &page_request, sent)).await?;
            if let (true, [url, others @ ..]) = (answer.is_gone(), &*page_request.alternatives) {
                pending.push(Request {
                    url: url.clone(),
                    keyed_url: None,
                    alternatives: others.to_vec(),
                    ..page_request
                });
                continue;
            }
            let head = answer.body.get(..EXCERPT_BYTES).unwrap_or(&answer.body);
            let excerpt = self.without_key(&String::from_utf8_lossy(head));
            response.excerpt.clone_from(&excerpt);
            if answer.status == 304 {
                let none = |series: &&SeriesRecipe| (series.id.clone(), Ok(Vec::new()));
                response.figures = request.series.iter().map(none).collect();
                response.validators = validators.clone();
                response.is_full = false;
                return Ok(response);
            }
            self.check(&request, &answer, &excerpt)?;
            let unusable = |problem: String| self.unusable(&request, &problem, &excerpt);
            let next_offset = reader.read(&answer.body, &page_request).map_err(unusable)?;
            if let Some(offset) = next_offset {
                if page >= MAX_PAGES {
                    return Err(unusable("it has too many pages".to_owned()));
                }
                page += 1;
                pending.push(feed.page(request.from, today, page, offset));
            } else if is_conditional {
                response.validators = answer.validators.clone();
            }
        }
        response.bases = reader.bases().clone();
        response.figures = (reader.finish(today))
            .map_err(|problem| self.unusable(&request, &problem, &response.excerpt))?;
        Ok(response)
    }

    /// Checks that a response holds what was asked for. A source whose quota is used up is asked again on the next day in New
    /// York.
    fn check(
        &self,
        request: &FeedRequest<'_>,
        response: &Response,
        excerpt: &str,
    ) -> std::result::Result<(), FeedError> {
        const DAY: Duration = Duration::from_secs(86_400);
        let FeedRef { source, feed } = request.feed_ref;
        let is_exhausted = |quota: &&Quota| quota.is_exhausted(&response.body);
        if let Some(Quota { hint, .. }) = feed.quota.as_ref().filter(is_exhausted) {
            return Err(FeedError::Outage(Error::RateLimited {
                what: format!("{} answers no more questions today; {hint}.", source.name),
                retry_after: net::until_midnight(request.now, eastern()).unwrap_or(DAY),
            }));
        }
        // XML looks like a web page.
        let is_xml = feed.format == Format::Xml && response.status == 200;
        let problem = response.problem().filter(|_| !is_xml);
        problem.map_or(Ok(()), |problem| {
            Err(self.unusable(request, &problem, excerpt))
        })
    }

    /// Records requests to a source that limits them a day.
    fn pay(&self, FeedRef { source, feed }: FeedRef<'_>, count: usize) -> Result<()> {
        let Some(quota) = &feed.quota else {
            return Ok(());
        };
        let limits = if self.key.is_some() {
            quota.keyed_daily
        } else {
            quota.daily
        };
        let Some(limits) = limits else { return Ok(()) };
        let [all, questions] = limits;
        let daily = &self.settings.daily;
        let is_question = self.settings.for_questions;
        let paid = match daily.pay(&source.id, limits, count, is_question) {
            Err(error) if !is_question => {
                let error = error.operator_message();
                tracing::warn!(error, "the requests of a sync were not recorded");
                None
            }
            paid => paid?,
        };
        let Some(at) = paid else { return Ok(()) };
        let until = at.to_zoned(eastern()).strftime("%H:%M");
        let SourceFacts { id, name, .. } = source;
        let remedy = quota
            .keyed_daily
            .filter(|_| self.key.is_none())
            .map_or_else(String::new, |[keyed, _]| {
                format!("; a free key allows {keyed} (--source-key {id}=KEY)")
            });
        Err(Error::RateLimited {
            what: format!(
                "{name} takes {all} requests a day from this address, {questions} of them for questions, and they are used up \
                 until {until} New York{remedy}."
            ),
            retry_after: Duration::try_from(at.duration_since(econoscope_core::clock::wall_time()))
                .unwrap_or_default(),
        })
    }

    fn unusable(&self, request: &FeedRequest<'_>, problem: &str, excerpt: &str) -> FeedError {
        let feed = request.feed_ref.name();
        let error = self.fetch.unusable(&feed, &self.without_key(problem));
        FeedError::Unusable(error, excerpt.to_owned())
    }

    fn without_key(&self, text: &str) -> String {
        self.key
            .map_or_else(|| text.to_owned(), |key| key.scrub(text))
    }

    async fn send(
        &self,
        feed_ref: FeedRef<'_>,
        request: &Request,
        validators: &Validators,
    ) -> std::result::Result<Response, FeedError> {
        let key = feed_ref.source.key.as_ref().zip(self.key);
        let keyed_url = request.keyed_url.as_ref().filter(|_| key.is_some());
        let address = keyed_url.unwrap_or(&request.url);
        let mut url =
            (self.settings.url(&feed_ref.source.id, address)).map_err(FeedError::Outage)?;
        if let Some((place, key)) = key
            && let Some(name) = &place.query
        {
            url.query_pairs_mut().append_pair(name, key.expose());
        }
        let mut builder = match request.post.clone() {
            Some(body) => self.fetch.post(url, with_key(body, key)),
            None => self.fetch.get(url, "*/*"),
        };
        if let Some((place, key)) = key
            && let Some(name) = &place.header
        {
            let text = format!("{}{}", place.prefix, key.expose());
            let mut value = HeaderValue::from_str(&text)
                .map_err(|_| FeedError::Outage(Error::internal("a key", "is no header text")))?;
            value.set_sensitive(true);
            builder = builder.header(name, value);
        }
        let response = self.fetch.send(validators.apply(builder), |_| false).await;
        response.map_err(FeedError::Outage)
    }
}

/// Adds the key to a JSON body if that is its place.
fn with_key(body: String, key: Option<(&KeyPlace, &ApiKey)>) -> String {
    let name_and_key = key.and_then(|(place, key)| Some((place.body.as_ref()?, key)));
    let members = serde_json::from_str::<serde_json::Map<_, _>>(&body).ok();
    let Some(((name, key), mut members)) = name_and_key.zip(members) else {
        return body;
    };
    members.insert(name.clone(), key.expose().into());
    serde_json::Value::Object(members).to_string()
}
