//! Asks the feeds of recipes: paced by source, over its own hosts only, and told apart into an outage, which passes, and
//! a refusal, which does not.

use super::due::new_york;
use super::fetch::{Fetch, Question, Response, Validators};
use super::key::ApiKey;
use super::pace::PaceSettings;
use super::progress::Progress;
use super::sources::SourceSettings;
use crate::net;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::Date;
use econoscope_core::recipe::{
    Ask, FeedRef, Figures, Format, Line, More, Reader, SourceFacts, is_spent,
};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// A source that fails this often in a row is left alone.
const MAX_STRIKES: u32 = 3;
/// So many sources in a row that cannot be reached, before any was, mean that it is our network.
const ALONE: usize = 3;
/// Pages after which an answer is taken to be endless.
const MAX_PAGES: usize = 200;
/// What is kept of a refused answer.
const KEPT_BYTES: usize = 4096;

/// What came.
#[derive(Debug)]
pub(super) enum Came {
    /// Figures, and how to ask whether they have changed.
    Figures(Figures, Validators),
    /// What came last time still holds.
    Same,
}

/// Why nothing came.
#[derive(Debug, Clone)]
pub(super) enum Miss {
    /// The source cannot be reached now, or asks for a pause.
    Outage(Error),
    /// It answered something else than it should: an address that is gone, a page, another shape; with its beginning.
    Refused(Error, String),
}

/// A wish for some series of a feed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish<'a> {
    pub(super) at: FeedRef<'a>,
    pub(super) lines: &'a [&'a Line],
    /// First date; `None` = all.
    pub(super) from: Option<Date>,
    pub(super) now: Timestamp,
}

/// Every source that was asked in this run.
#[derive(Debug)]
pub(super) struct Asker<'a> {
    settings: &'a SourceSettings,
    sources: BTreeMap<String, Asked>,
    /// Sources that could not be reached, and why, until one was.
    unreached: Option<BTreeMap<String, Error>>,
}

#[derive(Debug)]
struct Asked {
    fetch: Fetch,
    key: Option<ApiKey>,
    /// Where it lies instead of at its own address.
    home: Option<Url>,
    strikes: u32,
    stop: Option<Error>,
    /// The newest answer of an address that several feeds read, until another such address is asked: to which address
    /// it was the answer, and what was known before.
    kept: Option<(String, Validators, Arc<Response>)>,
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

impl<'a> Asker<'a> {
    pub(super) fn new(settings: &'a SourceSettings) -> Self {
        Self {
            settings,
            sources: BTreeMap::new(),
            unreached: Some(BTreeMap::new()),
        }
    }

    /// Why nobody is asked any more: none of the first few sources could be reached.
    pub(super) fn offline(&self) -> Option<Error> {
        let tried = self
            .unreached
            .as_ref()
            .filter(|tried| tried.len() >= ALONE)?;
        Some(Error::Unavailable {
            what: format!(
                "No source can be reached: {} were tried. Check the network, the name server and a proxy's address, \
                 then sync again; what is held is answered meanwhile.",
                tried.keys().cloned().collect::<Vec<_>>().join(", ")
            ),
            retry_after: None,
            source: None,
        })
    }

    fn note_reach(&mut self, name: &str, came: &std::result::Result<Came, Miss>) {
        match (&mut self.unreached, came) {
            (Some(tried), Err(Miss::Outage(error))) if is_unreached(error) => {
                tried.insert(name.to_owned(), error.clone());
            }
            // Whoever answers, even with a refusal, shows that there is a network.
            (reach, _) => *reach = None,
        }
    }

    /// Asks one feed. A source that failed three times in a row is not asked again.
    ///
    /// # Errors
    /// [`Error::Internal`] when TLS cannot be set up.
    pub(super) async fn ask(
        &mut self,
        wish: Wish<'_>,
        known: &Validators,
        progress: &mut Progress,
    ) -> Result<std::result::Result<Came, Miss>> {
        let id = &wish.at.source.id;
        if let Some(offline) = self.offline() {
            return Ok(Err(Miss::Outage(offline)));
        }
        // Whether it is the source or our network is seen when another has been asked.
        let tried = self.unreached.as_ref();
        if let Some(error) = tried.and_then(|tried| tried.get(&wish.at.source.name)) {
            return Ok(Err(Miss::Outage(error.clone())));
        }
        let asked = match self.sources.entry(id.clone()) {
            Entry::Occupied(asked) => asked.into_mut(),
            Entry::Vacant(place) => place.insert(Asked::open(self.settings, wish.at.source)?),
        };
        if let Some(stop) = &asked.stop {
            return Ok(Err(Miss::Outage(stop.clone())));
        }
        let feeds = self.settings.recipes.feeds();
        let is_shared = feeds.filter(|at| at.feed.url == wish.at.feed.url).count() > 1;
        let result = asked.read(wish, known, is_shared, progress).await;
        match &result {
            Err(Miss::Outage(error)) => {
                asked.strikes += 1;
                let pause = error.retry_after() > Some(Duration::from_secs(60));
                if pause || asked.strikes >= MAX_STRIKES {
                    asked.stop = Some(error.clone());
                }
            }
            Ok(_) | Err(Miss::Refused(..)) => asked.strikes = 0,
        }
        self.note_reach(&wish.at.source.name, &result);
        Ok(result)
    }
}

impl Asked {
    fn open(settings: &SourceSettings, source: &SourceFacts) -> Result<Self> {
        let pace = PaceSettings {
            interval: Duration::from_millis(source.pace_ms),
            ..PaceSettings::DOWNLOADS
        };
        Ok(Self {
            fetch: settings.fetch(&source.id, &source.name, pace, &source.hosts)?,
            key: settings.keys.get(&source.id).cloned(),
            home: settings.addresses.get(&source.id).cloned(),
            strikes: 0,
            stop: None,
            kept: None,
        })
    }

    /// The answer to a question, asked once for all feeds of its address where it `is_shared`.
    async fn answer(
        &mut self,
        at: FeedRef<'_>,
        ask: &Ask,
        known: &Validators,
        is_shared: bool,
    ) -> std::result::Result<Arc<Response>, Miss> {
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

    async fn read(
        &mut self,
        wish: Wish<'_>,
        known: &Validators,
        is_shared: bool,
        progress: &mut Progress,
    ) -> std::result::Result<Came, Miss> {
        let feed = wish.at.feed;
        let today = super::news::day_of(wish.now);
        let mut reader = Reader::new(feed, wish.lines);
        let mut asks = feed.asks(wish.lines, wish.from, today);
        let single = asks.len() == 1;
        // Of a single question that has a single page it can be asked whether the answer has changed.
        let mut known = known.clone();
        let mut validators = Validators::default();
        asks.reverse();
        let (mut page, mut done) = (1, 0);
        while let Some(ask) = asks.pop() {
            if !single || page > 1 {
                known = Validators::default();
            }
            let (name, total) = (wish.at.name(), done + 1 + asks.len());
            progress.part(&name, done, total);
            done += 1;
            let answer = self.answer(wish.at, &ask, &known, is_shared).await?;
            if answer.status == 304 {
                return Ok(Came::Same);
            }
            let refused = |problem: &str| self.refused(&wish, problem, &answer);
            if let Some(problem) = problem(feed.format, &answer) {
                return Err(refused(&problem));
            }
            if feed.format == Format::Bls && is_spent(&answer.body) {
                return Err(Miss::Outage(spent(self.fetch.name(), wish.now)));
            }
            match reader
                .take(&answer.body, &ask)
                .map_err(|problem| refused(&problem))?
            {
                More::End => {}
                More::Page { .. } if page >= MAX_PAGES => {
                    return Err(refused("it has too many pages"));
                }
                More::Page { rows } => {
                    page += 1;
                    asks.push(feed.page(wish.from, today, page, rows));
                }
            }
            validators = match single && page == 1 {
                true => answer.validators.clone(),
                false => Validators::default(),
            };
        }
        let figures = reader.finish(today);
        let figures = figures.map_err(|problem| {
            Miss::Refused(
                self.fetch.unusable(&wish.at.name(), &problem),
                String::new(),
            )
        })?;
        Ok(Came::Figures(figures, validators))
    }

    fn refused(&self, wish: &Wish<'_>, problem: &str, answer: &Response) -> Miss {
        let head = answer.body.get(..KEPT_BYTES).unwrap_or(&answer.body);
        let head = String::from_utf8_lossy(head).into_owned();
        let key = self.key.as_ref();
        let clean = |text: &str| key.map_or_else(|| text.to_owned(), |key| key.scrub(text));
        let error = self.fetch.unusable(&wish.at.name(), &clean(problem));
        Miss::Refused(error, clean(&head))
    }

    async fn send(
        &self,
        at: FeedRef<'_>,
        ask: &Ask,
        known: &Validators,
    ) -> std::result::Result<Response, Miss> {
        let (mut address, mut post) = (ask.url.clone(), ask.post.clone());
        let place = at.source.key.as_ref();
        if at.feed.format == Format::Bls
            && let Some(key) = &self.key
        {
            address = address.replace("/v1/", "/v2/");
            post = post.map(|body| with_key(&body, key));
        }
        let outage =
            |problem: String| Miss::Outage(Error::internal("the address of a source", problem));
        let mut url = Url::parse(&address).map_err(|e| outage(e.to_string()))?;
        if let Some(home) = &self.home {
            url = moved(&url, home);
        }
        let mut header = None;
        if let (Some(place), Some(key)) = (place, &self.key)
            && at.feed.format != Format::Bls
        {
            match (&place.query, &place.header) {
                (Some(name), _) => drop(url.query_pairs_mut().append_pair(name, key.expose())),
                (None, Some(name)) => {
                    header = Some((name.clone(), format!("{}{}", place.prefix, key.expose())))
                }
                (None, None) => {}
            }
        }
        let header = header.as_ref();
        let question = Question {
            known: Some(known),
            post: post.as_deref(),
            header: header.map(|(name, value)| (name.as_str(), value.as_str())),
            ..Question::get(&url, "*/*")
        };
        self.fetch.send(&question).await.map_err(Miss::Outage)
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
