//! The local backend: facts as of a day, out of the store and the indicators.
//!
//! A [`Desk`] answers from its store; while that is empty it answers from the bundled history. Everything
//! it reads or computes is kept once per [`State`] of the data and shared.

pub mod articles;
mod basis;
pub mod composites;
pub mod evidence;
mod facts;
mod folder;
pub mod glossary;
pub mod holdings;
pub mod library;
pub mod narrative;
pub mod scenarios;
pub mod series_search;

pub use holdings::{DataDate, Holdings};

use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::indicators::Reading;
use crate::indicators::regime;
use crate::model::resolve::{DEFAULT_PREFIX, Resolver};
use crate::model::{AsOf, Attribution, Date, Series, SeriesId, SeriesInfo};
use crate::store::bundled::Bundle;
use crate::store::{Description, Store};
use jiff::Timestamp;
use std::sync::{Arc, Mutex, OnceLock};

/// Where the present comes from; tests give a fixed one.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// How the desk names itself and what it may pass on.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Service name in the credit line.
    pub service: String,
    /// Base address in links and credit lines, without a final slash.
    pub base_url: String,
    /// Prefix of composite identifiers in answers: `SERVICE_`.
    pub prefix: String,
    /// Whether series whose rights are `fetch_only` are passed on.
    pub serve_restricted: bool,
    /// An operator's scenarios; they stand before embedded ones of the same slug.
    pub scenarios: Vec<scenarios::Scenario>,
    /// An operator's articles.
    pub articles: Vec<articles::Text>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            service: "Econoscope".into(),
            base_url: "http://127.0.0.1:8080".into(),
            prefix: DEFAULT_PREFIX.into(),
            serve_restricted: true,
            scenarios: Vec::new(),
            articles: Vec::new(),
        }
    }
}

/// State of the data an answer was made from; a new one makes every cached answer old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    version: u64,
    today: Date,
}

/// What a series in memory was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stamp {
    /// A series of a source, of which a store only ever gets more rows; it is as it was while they are as many.
    Rows(u64, Date),
    /// Anything else rests on the whole of the data.
    All(State),
}

/// Rows of series that are kept in memory: 64 MiB.
const MOST_CACHED_ROWS: u64 = 4 << 20;
/// An entry counts as so many rows at least, for what it takes without any.
const LEAST_ROWS: usize = 16;

/// The regime month by month, and what it is at the reference day.
#[derive(Debug)]
pub struct RegimePath {
    /// Every month that can be classified, ascending.
    pub months: Vec<regime::State>,
    /// The answer at the reference day.
    pub now: regime::Outlook,
}

/// Computes afresh what rests on the store.
///
/// That is composites, base rates of scenarios, evidence of asset views and the index of texts. To be called
/// after each import or sync; while the bundled history speaks there is nothing to do.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<()> {
    composites::refresh(desk)?;
    scenarios::refresh(desk)?;
    evidence::refresh(desk)?;
    narrative::refresh(desk)
}

/// The local backend.
pub struct Desk {
    store: Arc<dyn Store>,
    bundle: OnceLock<Bundle>,
    settings: Settings,
    now: Now,
    holdings: Mutex<Option<Arc<Holdings>>>,
    series: Cache<(Stamp, SeriesId, AsOf), Option<Arc<Series>>>,
    readings: Cache<(State, &'static str, AsOf), Arc<Reading>>,
    regimes: Cache<(State, AsOf), Arc<RegimePath>>,
    recorded: Cache<(State, SeriesId, Date), Option<bool>>,
    library: Cache<State, Arc<library::Index>>,
}

impl Desk {
    /// A desk over a store, with the bundled history behind it while the store is empty.
    pub fn open(store: Arc<dyn Store>, settings: Settings, now: Now) -> Self {
        Self {
            store,
            bundle: OnceLock::new(),
            settings,
            now,
            holdings: Mutex::new(None),
            series: Cache::weighed(MOST_CACHED_ROWS, |_, series| {
                let rows = series.as_ref().map_or(0, |s| s.observations.len());
                rows.max(LEAST_ROWS) as u64
            }),
            readings: Cache::new(256),
            regimes: Cache::new(32),
            recorded: Cache::new(4_096),
            library: Cache::new(1),
        }
    }

    /// The bundled history, opened by the first who asks for it.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] when it is damaged, which a test rules out.
    fn bundle(&self) -> Result<&Bundle> {
        match self.bundle.get() {
            Some(bundle) => Ok(bundle),
            None => {
                let opened = Bundle::open()?;
                Ok(self.bundle.get_or_init(|| opened))
            }
        }
    }

    /// The present by the system's clock.
    pub fn system_clock() -> Now {
        Arc::new(Timestamp::now)
    }

    /// The store behind the desk.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// How the desk names itself.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The present instant.
    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// The present day, UTC.
    pub fn today(&self) -> Date {
        self.now().to_zoned(jiff::tz::TimeZone::UTC).date()
    }

    /// The state of the data now.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn state(&self) -> Result<State> {
        Ok(State {
            version: self.store.version()?,
            today: self.today(),
        })
    }

    /// The credit line that every answer carries.
    pub fn attribution(&self) -> Attribution {
        Attribution {
            text: format!("Data by {}", self.settings.service),
            url: self.settings.base_url.clone(),
        }
    }

    /// The series a name means; composites answer to the configured prefix, to `SERVICE_` and to their bare name.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::Ambiguous`] or [`Error::InvalidParam`].
    pub fn resolve(&self, kind: &'static str, name: &str) -> Result<Arc<SeriesInfo>> {
        let resolver = Resolver::embedded();
        let trimmed = name.trim();
        let plain = trimmed
            .get(..self.settings.prefix.len())
            .filter(|head| !head.is_empty() && head.eq_ignore_ascii_case(&self.settings.prefix))
            .and_then(|head| trimmed.get(head.len()..))
            .and_then(|bare| {
                resolver
                    .catalogue()
                    .get(&format!("{DEFAULT_PREFIX}{}", bare.to_ascii_uppercase()))
            });
        if let Some(info) = plain {
            return Ok(Arc::clone(info));
        }
        if let Some(info) = resolver.find(name) {
            return Ok(info);
        }
        if let Ok(id) = SeriesId::new(name)
            && self.held(&id)?.is_some()
        {
            return self.guessed(&id);
        }
        Err(resolver.explain(kind, name))
    }

    /// The identifier as it is shown: composites carry the configured prefix.
    pub fn shown_id(&self, id: &SeriesId) -> String {
        match id.as_str().strip_prefix(DEFAULT_PREFIX) {
            Some(bare) => format!("{}{bare}", self.settings.prefix),
            None => id.to_string(),
        }
    }

    /// Refuses a series whose figures may not be passed on.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] with what the operator can do.
    pub fn permit(&self, info: &SeriesInfo) -> Result<()> {
        if info.rights == crate::model::Rights::FetchOnly && !self.settings.serve_restricted {
            return Err(Error::NotPermitted {
                what: format!("{} ({})", info.id, info.title),
                reason: format!(
                    "{} holds the rights and does not allow redistribution; an operator with a licence can \
                     start the server with --serve-restricted",
                    info.source
                ),
            });
        }
        Ok(())
    }

    /// Why a figure made of these series may not be shown; `None` when it may.
    pub fn barred(&self, series: &[&str]) -> Option<Error> {
        series
            .iter()
            .filter_map(|id| crate::model::Catalogue::embedded().get(id))
            .find_map(|info| self.permit(info).err())
    }

    /// Description of a series that the catalogue does not know: as the store has it, or else from its rows.
    fn guessed(&self, id: &SeriesId) -> Result<Arc<SeriesInfo>> {
        if let Some(description) = self.store.description(id)? {
            return Ok(Arc::new(series_search::described(description)));
        }
        let rows = self.store.read(id)?.map(|v| v.latest()).unwrap_or_default();
        let frequency = holdings::guess_frequency(&rows);
        Ok(Arc::new(series_search::described(Description {
            id: id.clone(),
            title: id.to_string(),
            units: String::new(),
            frequency,
            seasonally_adjusted: false,
            source: String::new(),
        })))
    }
}
