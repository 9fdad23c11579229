//! Every page, widget and picture with what makes it, and how they are served.

use super::asked::{CHART, METRIC, PageRequest, SERIES};
use super::document::Document;
use super::questions::{Answers, Question};
use super::search::{self, Hit};
use super::{
    alerts, articles, assets, calendar, catalogue, cite, compare, embed, fault, figures, glossary,
    home, methods,
};
use super::{oembed, pictures, regime, release, rights, scenarios, series, widget};
use crate::admission::{Admission, Policy};
use crate::rest;
use axum::Router;
use axum::extract::{Extension, RawPathParams, RawQuery, State};
use axum::http::{HeaderMap, Method, Uri, header};
use axum::response::Response;
use axum::routing::get;
use econoscope_answers::endpoints::Backend;
use econoscope_core::cache::Cache;
use econoscope_core::error::{Error, Result};
use econoscope_data::desk::{Desk, State as DataState};
use econoscope_data::pool::{Caller, Pool, SingleFlight};
use std::sync::Arc;

/// Something to look at.
struct Page {
    path: &'static str,
    /// Arguments that it knows.
    known: &'static [&'static str],
    /// What it asks of the endpoint table.
    questions: fn(&PageRequest) -> Vec<Question>,
    /// Whether it reads the desk itself unless answers are forwarded: then it shows what the API says.
    is_local: bool,
    /// Whether its figures are those held here even where the API forwards: then it is refused.
    is_of_desk: bool,
    make: fn(&Desk, &PageRequest, Answers) -> Result<Document>,
}

impl Page {
    const fn new(
        path: &'static str,
        make: fn(&Desk, &PageRequest, Answers) -> Result<Document>,
        known: &'static [&'static str],
    ) -> Self {
        Self {
            path,
            known,
            questions: |_| Vec::new(),
            is_local: false,
            is_of_desk: false,
            make,
        }
    }

    const fn of_desk(self) -> Self {
        Self {
            is_of_desk: true,
            ..self
        }
    }

    const fn asking(self, questions: fn(&PageRequest) -> Vec<Question>) -> Self {
        Self { questions, ..self }
    }

    const fn asking_upstream(self, questions: fn(&PageRequest) -> Vec<Question>) -> Self {
        Self {
            questions,
            is_local: true,
            ..self
        }
    }

    /// What is shown instead when it fails: pages are for people, others for frames and programs.
    /// `hits` is what a search found instead.
    fn fault(
        &self,
        desk: &Desk,
        asked: &PageRequest,
        error: &Error,
        hits: Vec<Hit>,
    ) -> Result<Document> {
        match self.path.split('/').nth(1) {
            Some("widget") => widget::refusal(desk, asked, error),
            Some("suggest" | "oembed" | "alerts.atom" | "alerts.ics") => Ok(oembed::refusal(error)),
            Some("cite") if asked.given("format") == "json" => Ok(oembed::refusal(error)),
            Some(_) | None => fault::page(desk, asked, error, hits),
        }
    }
}

/// An address that leads nowhere.
static NOWHERE: Page = Page::new("", fault::nowhere, &[]);

/// Why a page of figures held here is refused where the API answers with those of an upstream.
const ELSEWHERE: &str = "this server passes on the figures of another service, and this page would show figures that the \
    server holds itself, which may differ. The page of a single series shows those of that service; an operator who \
    starts the server without --upstream gets all pages";

/// What programs ask for: they get errors as JSON.
const FOR_PROGRAMS: [&str; 5] = ["/api", "/mcp", "/.well-known", "/health", "/ready"];

static PAGES: [Page; 37] = [
    Page::new("/", home::page, &["as_of"]).asking(home::questions),
    Page::new("/search", search::page, &["q"]),
    Page::new("/series", catalogue::page, &[]),
    Page::new(SERIES, series::page, &series::ARGUMENTS).asking_upstream(series::questions),
    Page::new("/cite/{name}", cite::page, &cite::ARGUMENTS).of_desk(),
    Page::new("/compare", compare::page, compare::ARGUMENTS).of_desk(),
    Page::new("/regime", regime::page, &["as_of"]).asking(regime::questions),
    Page::new("/calendar", calendar::page, &calendar::ARGUMENTS),
    Page::new(
        "/calendar.ics",
        calendar::subscription,
        &calendar::ARGUMENTS,
    ),
    Page::new("/embed", embed::page, &embed::ARGUMENTS),
    Page::new("/suggest", search::suggestions, &["q"]).asking(search::suggested),
    Page::new("/oembed", oembed::page, &oembed::ARGUMENTS),
    Page::new("/methods", methods::page, &[]).asking(methods::questions),
    Page::new("/rights", rights::page, &[]),
    Page::new("/glossary", glossary::index, &["q"]),
    Page::new("/glossary/{name}", glossary::term, &[]),
    Page::new("/scenarios", scenarios::index, &[]).of_desk(),
    Page::new("/scenarios/{name}", scenarios::scenario, &[]).of_desk(),
    Page::new("/widget/scenario/{name}", scenarios::widget, &["theme"]).of_desk(),
    Page::new("/release/{name}", release::page, &[]),
    Page::new("/widget/release/{name}", release::widget, &["theme"]),
    Page::new("/alerts.atom", alerts::feed, &alerts::ARGUMENTS).of_desk(),
    Page::new("/alerts.ics", alerts::calendar, &alerts::ARGUMENTS).of_desk(),
    Page::new("/articles", articles::index, &[]),
    Page::new("/articles/{name}", articles::article, &[]),
    Page::new(CHART, pictures::page, &PICTURE).asking_upstream(pictures::questions),
    Page::new("/chart/compare.png", pictures::comparison, compare::PICTURE).of_desk(),
    Page::new("/chart/compare.svg", pictures::comparison, compare::PICTURE).of_desk(),
    Page::new("/chart/regime.png", pictures::regime, &CARD_PICTURE)
        .asking(figures::regime_questions),
    Page::new("/chart/regime.svg", pictures::regime, &CARD_PICTURE)
        .asking(figures::regime_questions),
    Page::new("/chart/release/{name}", release::picture, &CARD_PICTURE),
    Page::new("/chart/scenario/{name}", scenarios::picture, &CARD_PICTURE).of_desk(),
    Page::new("/favicon.ico", pictures::icon, &[]),
    Page::new("/widget/regime", figures::regime, &["theme"]).asking(figures::regime_questions),
    Page::new("/widget/recession", figures::recession, &["theme"])
        .asking(figures::recession_questions),
    Page::new(METRIC, figures::metric, &figures::ARGUMENTS).asking(figures::metric_questions),
    Page::new("/widget/chart", figures::several, compare::WIDGET).of_desk(),
];

/// What a picture of one series is told.
const PICTURE: [&str; 8] = [
    "start",
    "end",
    "units",
    "frequency",
    "as_of",
    "theme",
    "width",
    "height",
];
/// What other pictures are told.
const CARD_PICTURE: [&str; 3] = ["theme", "width", "height"];

/// Bytes of documents kept in memory.
const KEPT_BYTES: u64 = 16 << 20;

/// What a document depends on: the state of the data, and what was asked for.
type Key = (DataState, String);

/// Documents, rendered once.
#[derive(Debug)]
struct Kept {
    documents: Arc<Cache<Key, Arc<Document>>>,
    underway: SingleFlight<Key, Arc<Document>>,
}

impl Kept {
    /// An empty place.
    fn new() -> Self {
        let weigh = |(_, key): &Key, of: &Arc<Document>| key.len() as u64 + of.weight();
        Self {
            documents: Arc::new(Cache::weighed(KEPT_BYTES, weigh)),
            underway: SingleFlight::default(),
        }
    }

    /// The document of a key, when it is there and not too old.
    fn held(&self, key: &Key) -> Option<Arc<Document>> {
        // Figures of an upstream change without a new state of our own data.
        self.documents.get(key).filter(|found| found.is_current())
    }

    /// Makes the document of a key in the pool, once for all who wait for it. What fails to be made is not kept.
    ///
    /// # Errors
    /// Whatever making it says, and [`Error::Busy`].
    async fn make(
        &self,
        pool: &Pool,
        key: Key,
        make: impl FnOnce() -> Result<Document> + Send + 'static,
    ) -> Result<Arc<Document>> {
        let (documents, name) = (Arc::clone(&self.documents), key.clone());
        let work = move || {
            let document = Arc::new(make()?);
            documents.insert(name, Arc::clone(&document));
            Ok(document)
        };
        let held = || self.held(&key);
        self.underway.run(pool, key.clone(), held, work).await
    }
}

/// What pages are made with.
#[derive(Clone)]
struct Site {
    backend: Arc<Backend>,
    admission: Arc<Admission>,
    kept: Arc<Kept>,
}

/// The pages as routes, and the answer to every address that no route has.
pub(crate) fn routes(backend: &Arc<Backend>, admission: &Arc<Admission>) -> Router {
    let site = Site {
        backend: Arc::clone(backend),
        admission: Arc::clone(admission),
        kept: Arc::new(Kept::new()),
    };
    let router = PAGES.iter().fold(Router::new(), |router, page| {
        let handler = move |State(site): State<Site>,
                            Extension(caller): Extension<Caller>,
                            names: RawPathParams,
                            RawQuery(query): RawQuery,
                            headers: HeaderMap| async move {
            let name = names.iter().next().map_or("", |(_, value)| value);
            let wanted = (page.path, page.known);
            let asked = PageRequest::read(site.backend.desk(), wanted, name, query.as_deref());
            site.serve(page, Arc::new(asked), caller, &headers).await
        };
        router.route(page.path, get(handler))
    });
    let nowhere = async |State(site): State<Site>, method: Method, uri: Uri, headers: HeaderMap| {
        let is_read = matches!(method, Method::GET | Method::HEAD);
        let mut prefixes = FOR_PROGRAMS.iter();
        let is_for_programs = prefixes.any(|prefix| uri.path().starts_with(prefix));
        if !is_read || is_for_programs || !accepts(&headers, "text/html") {
            return rest::not_found(uri).await;
        }
        let name = percent_encoding::percent_decode_str(uri.path()).decode_utf8_lossy();
        let asked = PageRequest::read(site.backend.desk(), ("", &[]), &name, None);
        site.serve(&NOWHERE, Arc::new(asked), Caller::current(), &headers)
            .await
    };
    let router = router.fallback(nowhere);
    router.with_state(site).merge(assets::routes(backend))
}

/// Whether a client names a media type among those that it takes.
fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let mut given = headers.get_all(header::ACCEPT).iter();
    given.any(|value| value.to_str().is_ok_and(|text| text.contains(kind)))
}

impl Site {
    async fn serve(
        &self,
        page: &'static Page,
        asked: Arc<PageRequest>,
        caller: Caller,
        headers: &HeaderMap,
    ) -> Response {
        let document = match self.document(page, &asked, caller).await {
            Ok(document) => Ok(document),
            Err(error)
                if accepts(headers, "application/json") && !accepts(headers, "text/html") =>
            {
                Err(error)
            }
            Err(error) => self.fault(page, &asked, error).await,
        };
        let response = match document {
            Ok(document) => document.respond(headers, self.backend.pool()).await,
            Err(error) => Err(error),
        };
        response.unwrap_or_else(|error| rest::respond(&error, page.path, None))
    }

    /// What is shown instead of a page that cannot be made.
    async fn fault(
        &self,
        page: &'static Page,
        asked: &PageRequest,
        error: Error,
    ) -> Result<Arc<Document>> {
        econoscope_core::error::log(&error, page.path);
        let desk = self.backend.desk();
        let hits = match matches!(error, Error::Unknown { .. }) {
            true => {
                let (desk, error) = (Arc::clone(desk), error.clone());
                let search = move || Ok(fault::hits(&desk, &error));
                self.backend.pool().run(search).await?
            }
            false => Vec::new(),
        };
        let fault = page.fault(desk, asked, &error, hits)?;
        Ok(Arc::new(fault.failed(&error)))
    }

    /// The document as it is held, or made and paid for.
    async fn document(
        &self,
        page: &'static Page,
        asked: &Arc<PageRequest>,
        caller: Caller,
    ) -> Result<Arc<Document>> {
        let backend = &*self.backend;
        if page.is_of_desk && backend.upstream().is_some() {
            return Err(Error::NotPermitted {
                what: "this page".to_owned(),
                reason: ELSEWHERE.to_owned(),
            });
        }
        let key = (backend.desk().state()?, asked.key());
        if let Some(held) = self.kept.held(&key) {
            return Ok(held);
        }
        let questions = match page.is_local && backend.upstream().is_none() {
            true => Vec::new(),
            false => (page.questions)(asked),
        };
        let is_forwarded = backend.upstream().is_some() && !questions.is_empty();
        let make = async {
            let answers = Answers::to(questions, backend, &self.admission, caller).await?;
            let (desk, asked) = (Arc::clone(backend.desk()), Arc::clone(asked));
            let make = move || (page.make)(&desk, &asked, answers);
            self.kept.make(backend.pool(), key, make).await
        };
        match is_forwarded {
            // Each answer of an upstream is paid for as it is asked.
            true => make.await,
            false => self.admission.paid(caller, Policy::Pages, make).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_data::desk::Settings;

    #[test]
    fn long_addresses_are_kept_within_the_same_bound() -> Result<()> {
        let kept = Kept::new();
        let store = Arc::new(econoscope_data::store::Sqlite::in_memory().unwrap());
        let desk = Desk::open(store, Settings::default(), Desk::system_clock());
        for n in 0..4_000 {
            let key = (desk.state()?, format!("{n}{}", "x".repeat(8_000)));
            let picture = Document::picture("image/svg+xml", vec![b'x'; 100]);
            kept.documents.insert(key, Arc::new(picture));
        }
        let held = (0..4_000)
            .filter(|n| {
                kept.held(&(desk.state().unwrap(), format!("{n}{}", "x".repeat(8_000))))
                    .is_some()
            })
            .count();
        assert!(held > 100 && held * 8_000 < 16 << 20, "{held}");
        Ok(())
    }
}
