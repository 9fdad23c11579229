//! Fetches the feeds of recipes, each source at its own pace and over its own hosts only.
//!
//! A failed fetch is an outage, which passes, or an unusable response, which does not.

use super::daily::DailyRequests;
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
use url::Url;

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
#[derive(Debug)]
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

/// The result of fetching a feed; `None` when its last response is still valid.
pub(super) type FetchResult = std::result::Result<Option<FeedResponse>, FeedError>;

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
    by_source: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<Client>>>>,
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
struct Client {
    fetch: HttpClient,
    key: Option<ApiKey>,
    daily: DailyRequests,
    for_questions: bool,
    /// An address that replaces the source's own.
    home: Option<Url>,
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

    fn record_reachability(&self, source: &str, result: &FetchResult) {
        let mut network = self.network.lock();
        match (&mut *network, result) {
            (NetworkState::Unknown(unreachable), Err(FeedError::Outage(error)))
                if is_unreachable(error) =>
            {
                unreachable.insert(source.to_owned(), error.clone());
                if unreachable.len() == MIN_UNREACHABLE {
                    let sources: Vec<&str> = unreachable.keys().map(String::as_str).collect();
                    *network = NetworkState::Offline(unavailable(format!(
                        "No source can be reached: {} were tried. Check the network, the name server and a proxy's \
                         address, then sync again; answers come from the stored figures meanwhile.",
                        sources.join(", ")
                    )));
                }
            }
            (NetworkState::Offline(_), Err(FeedError::Outage(error))) if is_unreachable(error) => {}
            _ => *network = NetworkState::Online,
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
        let source = request.feed_ref.source;
        // A second request to an unreachable source waits until another source shows whether the network is to blame.
        let unreachable = match &*self.network.lock() {
            NetworkState::Unknown(unreachable) => unreachable.get(&source.name).cloned(),
            NetworkState::Online => None,
            NetworkState::Offline(error) => Some(error.clone()),
        };
        let shared = self.client(source)?;
        let mut client = shared.lock().await;
        if let Some(error) = unreachable.or_else(|| client.breaker.open.clone()) {
            return Ok(Err(FeedError::Outage(error)));
        }
        let url = &request.feed_ref.feed.url;
        let feeds = self.settings.recipes.feeds();
        let is_shared = feeds.filter(|other| other.feed.url == *url).count() > 1;
        // Files of tens of megabytes come one at a time, so that memory stays small.
        let is_large = matches!(
            request.feed_ref.feed.format,
            Format::BeaFlat | Format::BoardZip
        );
        let _permit = if is_large {
            Some(self.large_file.lock().await)
        } else {
            None
        };
        let result = client.fetch(request, validators, is_shared).await;
        client.breaker.record(match &result {
            Err(FeedError::Outage(error)) => Some(error),
            Ok(_) | Err(FeedError::Unusable(..)) => None,
        });
        self.record_reachability(&source.name, &result);
        Ok(result)
    }

    fn client(&self, source: &SourceFacts) -> Result<Arc<tokio::sync::Mutex<Client>>> {
        let mut clients = self.by_source.lock();
        if let Some(client) = clients.get(&source.id) {
            return Ok(Arc::clone(client));
        }
        let client = Arc::new(Client::new(self.settings, source)?.into());
        clients.insert(source.id.clone(), Arc::clone(&client));
        Ok(client)
    }
}

impl Client {
    fn new(settings: &SourceSettings, source: &SourceFacts) -> Result<Self> {
        let pace = PaceSettings {
            interval: Duration::from_millis(source.pace_ms),
            ..PaceSettings::DOWNLOADS
        };
        Ok(Self {
            fetch: HttpClient::new(settings, &source.id, &source.name, pace, &source.hosts)?,
            key: settings.keys.get(&source.id).cloned(),
            daily: settings.daily.clone(),
            for_questions: settings.for_questions,
            home: settings.addresses.get(&source.id).cloned(),
            breaker: Breaker::default(),
            shared_responses: Vec::new(),
        })
    }

    /// Sends a request, and while there is nothing at its address, those of its alternatives.
    async fn send_to_first(
        &mut self,
        feed_ref: FeedRef<'_>,
        request: &Request,
        validators: &Validators,
        is_shared: bool,
    ) -> std::result::Result<Arc<Response>, FeedError> {
        let mut response = (self.send_shared(feed_ref, request, validators, is_shared)).await?;
        for url in &request.alternatives {
            if !response.is_gone() {
                break;
            }
            let alternative = Request {
                url: url.clone(),
                keyed_url: None,
                ..request.clone()
            };
            response = (self.send_shared(feed_ref, &alternative, validators, is_shared)).await?;
        }
        Ok(response)
    }

    /// Sends a request, or returns the response that another feed of the same address received in this sync.
    async fn send_shared(
        &mut self,
        feed_ref: FeedRef<'_>,
        request: &Request,
        validators: &Validators,
        is_shared: bool,
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
        if is_shared && request.post.is_none() {
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

    /// Fetches a feed with all its pages. `is_shared` says whether other feeds have the same address.
    async fn fetch(
        &mut self,
        request: FeedRequest<'_>,
        validators: &Validators,
        is_shared: bool,
    ) -> FetchResult {
        let feed = request.feed_ref.feed;
        let today = day_of(request.now);
        let mut reader = Reader::new(feed, request.series);
        let mut pending = feed.requests(request.series, request.from, today);
        self.pay(request.feed_ref, pending.len())
            .map_err(FeedError::Outage)?;
        // Only a single request with a single page can be conditional.
        let is_single = pending.len() == 1;
        let no_validators = Validators::default();
        pending.reverse();
        let mut page = 1;
        let mut new_validators = no_validators.clone();
        let mut excerpt = String::new();
        while let Some(page_request) = pending.pop() {
            let sent = if is_single && page == 1 {
                validators
            } else {
                &no_validators
            };
            let response =
                (self.send_to_first(request.feed_ref, &page_request, sent, is_shared)).await?;
            let head = response.body.get(..EXCERPT_BYTES);
            excerpt = self.without_key(&String::from_utf8_lossy(head.unwrap_or(&response.body)));
            if response.status == 304 {
                return Ok(None);
            }
            let quota = feed.quota.as_ref();
            if let Some(quota) = quota.filter(|quota| quota.is_exhausted(&response.body)) {
                let error = quota_error(&request.feed_ref.source.name, quota, request.now);
                return Err(FeedError::Outage(error));
            }
            let unusable = |problem: String| self.unusable(&request, &problem, &excerpt);
            // XML looks like a web page.
            let is_xml = feed.format == Format::Xml && response.status == 200;
            if let Some(problem) = response.problem().filter(|_| !is_xml) {
                return Err(unusable(problem));
            }
            let next_offset = reader
                .read(&response.body, &page_request)
                .map_err(unusable)?;
            if let Some(offset) = next_offset {
                if page >= MAX_PAGES {
                    return Err(unusable("it has too many pages".to_owned()));
                }
                page += 1;
                pending.push(feed.page(request.from, today, page, offset));
            }
            if is_single && page == 1 {
                new_validators = response.validators.clone();
            }
        }
        let bases = reader.bases().clone();
        let figures = reader.finish(today);
        Ok(Some(FeedResponse {
            figures: figures.map_err(|problem| self.unusable(&request, &problem, &excerpt))?,
            bases,
            validators: new_validators,
            is_full: request.from.is_none(),
            excerpt,
        }))
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
        let paid = match self
            .daily
            .pay(&source.id, limits, count, self.for_questions)
        {
            Err(error) if !self.for_questions => {
                let error = error.operator_message();
                tracing::warn!(error, "the requests of a sync were not recorded");
                None
            }
            paid => paid?,
        };
        let Some(at) = paid else { return Ok(()) };
        let until = at.to_zoned(eastern()).strftime("%H:%M");
        let name = &source.name;
        let id = &source.id;
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
        let key = self.key.as_ref();
        key.map_or_else(|| text.to_owned(), |key| key.scrub(text))
    }

    async fn send(
        &self,
        feed_ref: FeedRef<'_>,
        request: &Request,
        validators: &Validators,
    ) -> std::result::Result<Response, FeedError> {
        let key = feed_ref.source.key.as_ref().zip(self.key.as_ref());
        let keyed_url = request.keyed_url.as_ref().filter(|_| key.is_some());
        let outage = |problem: String| {
            FeedError::Outage(Error::internal("the address of a source", problem))
        };
        let address = keyed_url.unwrap_or(&request.url);
        let mut url = Url::parse(address).map_err(|e| outage(e.to_string()))?;
        if let Some(home) = &self.home {
            url = with_home(&url, home);
        }
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
            let mut value = HeaderValue::from_str(&format!("{}{}", place.prefix, key.expose()))
                .map_err(|_| outage("the key is no header text".to_owned()))?;
            value.set_sensitive(true);
            builder = builder.header(name, value);
        }
        let response = self.fetch.send(validators.apply(builder), |_| false).await;
        response.map_err(FeedError::Outage)
    }
}

/// Returns `home` with the path and query of `url`. [`Url::join`] would take a path that begins with two slashes as a
/// host.
pub(super) fn with_home(url: &Url, home: &Url) -> Url {
    let mut out = home.clone();
    out.set_path(url.path());
    out.set_query(url.query());
    out
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

/// The quota of a source is used up; it is asked again on the next day in New York.
fn quota_error(source: &str, quota: &Quota, now: Timestamp) -> Error {
    const DAY: Duration = Duration::from_secs(86_400);
    Error::RateLimited {
        what: format!("{source} answers no more questions today; {}.", quota.hint),
        retry_after: net::until_midnight(now, eastern()).unwrap_or(DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_address_keeps_its_credentials_and_host() {
        let home = Url::parse("https://user:pass@mirror.example:8443/base?x=1").unwrap();
        let url = Url::parse("https://agency.example//evil.example/a%20b?y=2").unwrap();
        assert_eq!(
            with_home(&url, &home).as_str(),
            "https://user:pass@mirror.example:8443//evil.example/a%20b?y=2"
        );
    }
}
