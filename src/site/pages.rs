//! The table of pages, widgets and pictures, and the handler that serves them from a cache.

use super::page_request::{CHART_PATH, METRIC_PATH, SERIES_PATH};
use super::prelude::*;
use super::{alerts, articles, assets, calendar, catalogue, cite, compare, embed, error_page};
use super::{
    glossary, home, methods, oembed, pictures, regime, release, rights, scenarios, search, series,
};
use super::{view, why, widget_frame, widgets};
use crate::admission::{Admission, Policy, Price};
use crate::rest;
use Listing::{Items, Navigation, Sitemap, Unlisted};
use Source::{Endpoints, Forwarded, Local, LocalOnly};
use axum::Router;
use axum::extract::{Extension, RawPathParams, RawQuery, State};
use axum::http::{HeaderMap, Method, Uri, header};
use axum::response::Response;
use axum::routing::get;
use econoscope_answers::endpoints::fetch::FetchedDocument;
use econoscope_answers::{Backend, Route};
use econoscope_core::cache::Cache;
use econoscope_data::pool::{Caller, Pool, SingleFlight};
use econoscope_desk::State as DataState;
use serde_json::{Value, json};

/// A page, widget or picture.
struct Page {
    path: &'static str,
    render: Render,
    source: Source,
    /// Groups of names of the query arguments that it reads.
    arguments: &'static [&'static [&'static str]],
    listing: Listing,
    /// An address that works over the bundled history: the path with example values. `{base}` stands for the base address.
    sample: &'static str,
}

/// Where a page is listed.
#[derive(Clone, Copy)]
enum Listing {
    /// In the navigation under this name, and in the sitemap.
    Navigation(&'static str),
    /// In the sitemap.
    Sitemap,
    /// In the sitemap with each item in the binary, of which it has the names.
    Items(fn() -> Vec<&'static str>),
    /// Nowhere: a picture, a file for programs, or a page of endless variety.
    Unlisted,
}

type Render = fn(&Desk, &PageRequest, Answers) -> Result<Document>;
/// Returns the calls for a request, where the flag is set those of a server that forwards.
type Calls = fn(&PageRequest, bool) -> Vec<EndpointCall>;

/// Where a page takes its figures from.
#[derive(Clone, Copy)]
enum Source {
    /// The desk, on every server.
    Local,
    /// The desk. A server that forwards refuses the page, since its figures may differ from those of the upstream.
    LocalOnly,
    /// Endpoints.
    Endpoints(Calls),
    /// The desk, or endpoints on a server that forwards.
    Forwarded(Calls),
}

/// Declares a page: all fields in their order.
macro_rules! page {
    ($path:expr, $render:expr, $source:expr, $arguments:expr, $listing:expr, $sample:expr) => {
        Page {
            path: $path,
            render: $render,
            source: $source,
            arguments: $arguments,
            listing: $listing,
            sample: $sample,
        }
    };
}

impl Page {
    /// Returns the calls of endpoints for a request.
    fn calls(&self, request: &PageRequest, is_forwarding: bool) -> Vec<EndpointCall> {
        match self.source {
            Endpoints(calls) => calls(request, is_forwarding),
            Forwarded(calls) if is_forwarding => calls(request, true),
            Local | LocalOnly | Forwarded(_) => Vec::new(),
        }
    }
}

/// The page of every address without a route.
static NOT_FOUND: Page = page!("", error_page::not_found, Local, &[], Unlisted, "");

/// Why a page of local figures is refused on a server that forwards.
const FORWARDING: &str = "this server forwards requests to another service, and this page would show figures from its own \
    store, which may differ. The page of a single series shows the figures of that service; an operator who starts the \
    server without --upstream gets all pages";

/// Prefixes of addresses for programs, which get errors as JSON.
const PROGRAM_PREFIXES: [&str; 5] = ["/api", "/mcp", "/.well-known", "/health", "/ready"];

/// Every page, those of the navigation in its order.
#[rustfmt::skip]
static PAGES: [Page; 41] = [
    page!("/", home::page, Endpoints(home::calls), &[&["as_of"]], Sitemap, "/"),
    page!("/search", search::page, Local, &[&["q"]], Unlisted, "/search?q=yield+curve"),
    page!("/series", catalogue::page, Local, &[], Navigation("Series"), "/series"),
    page!(SERIES_PATH, series::page, Forwarded(series::calls), &[&view::ARGUMENTS, &["revised"]], Items(series::names), "/series/UNRATE"),
    page!("/cite/{name}", cite::page, LocalOnly, &[&cite::ARGUMENTS, &view::ARGUMENTS], Unlisted, "/cite/UNRATE"),
    page!("/compare", compare::page, LocalOnly, &[&compare::ARGUMENTS], Navigation("Compare"), "/compare?series=DGS10,DGS2"),
    page!("/compare.csv", compare::csv, LocalOnly, &[&compare::ARGUMENTS], Unlisted, "/compare.csv?series=DGS10,DGS2"),
    page!("/regime", regime::page, Endpoints(regime::calls), &[&["as_of"]], Navigation("Regime"), "/regime"),
    page!("/why/{name}", why::page, LocalOnly, &[&why::ARGUMENTS], Items(why::names), "/why/CPIAUCSL"),
    page!("/calendar", calendar::page, LocalOnly, &[&calendar::ARGUMENTS], Navigation("Calendar"), "/calendar"),
    page!("/calendar.ics", calendar::subscription, Local, &[&calendar::ARGUMENTS], Sitemap, "/calendar.ics"),
    page!("/embed", embed::page, Local, &embed::ARGUMENTS, Sitemap, "/embed"),
    page!("/suggest", search::suggestions, Endpoints(search::suggestion_calls), &[&["q"]], Unlisted, "/suggest?q=core+inflation"),
    page!("/oembed", oembed::page, Local, &[&oembed::ARGUMENTS], Unlisted, "/oembed?url={base}/series/UNRATE"),
    page!("/scenarios", scenarios::index, LocalOnly, &[], Navigation("Scenarios"), "/scenarios"),
    page!("/scenarios/{name}", scenarios::scenario, LocalOnly, &[], Items(scenarios::names), "/scenarios/sahm-trigger"),
    page!("/widget/scenario/{name}", scenarios::widget, LocalOnly, &[&["theme"]], Unlisted, "/widget/scenario/sahm-trigger"),
    page!("/release/{name}", release::page, LocalOnly, &[], Unlisted, "/release/employment"),
    page!("/widget/release/{name}", release::widget, LocalOnly, &[&["theme"]], Unlisted, "/widget/release/PAYEMS"),
    page!("/alerts", alerts::page, LocalOnly, &[&alerts::ARGUMENTS], Sitemap, "/alerts?condition=UNRATE%20%3E%204.5"),
    page!("/alerts.atom", alerts::feed, LocalOnly, &[&["condition"]], Unlisted, "/alerts.atom?condition=UNRATE%20%3E%204.5"),
    page!("/alerts.ics", alerts::calendar, LocalOnly, &[&["condition"]], Unlisted, "/alerts.ics?condition=UNRATE%20%3E%204.5"),
    page!("/articles", articles::index, Local, &[], Navigation("Articles"), "/articles"),
    page!("/articles/{name}", articles::article, Local, &[], Items(articles::names), "/articles/regime"),
    page!("/glossary", glossary::index, Local, &[&["q"]], Navigation("Glossary"), "/glossary"),
    page!("/glossary/{name}", glossary::term, Local, &[], Items(glossary::names), "/glossary/yield-curve"),
    page!("/methods", methods::page, Endpoints(methods::calls), &[], Navigation("Methods"), "/methods"),
    page!("/rights", rights::page, Local, &[], Sitemap, "/rights"),
    page!(CHART_PATH, pictures::series, Forwarded(pictures::calls), &[&view::ARGUMENTS, &pictures::ARGUMENTS], Unlisted, "/chart/DGS10.png"),
    page!("/chart/compare.png", pictures::comparison, LocalOnly, &[&compare::ARGUMENTS, &pictures::ARGUMENTS], Unlisted, "/chart/compare.png?series=DGS10,DGS2"),
    page!("/chart/compare.svg", pictures::comparison, LocalOnly, &[&compare::ARGUMENTS, &pictures::ARGUMENTS], Unlisted, "/chart/compare.svg?series=DGS10,DGS2"),
    page!("/chart/regime.png", pictures::regime, Endpoints(widgets::regime_calls), &[&pictures::ARGUMENTS], Unlisted, "/chart/regime.png"),
    page!("/chart/regime.svg", pictures::regime, Endpoints(widgets::regime_calls), &[&pictures::ARGUMENTS], Unlisted, "/chart/regime.svg"),
    page!("/chart/release/{name}", release::picture, LocalOnly, &[&pictures::ARGUMENTS], Unlisted, "/chart/release/PAYEMS.svg"),
    page!("/chart/why/{name}", why::picture, LocalOnly, &[&why::ARGUMENTS, &pictures::ARGUMENTS], Unlisted, "/chart/why/UNRATE.svg"),
    page!("/chart/scenario/{name}", scenarios::picture, LocalOnly, &[&pictures::ARGUMENTS], Unlisted, "/chart/scenario/sahm-trigger.svg"),
    page!("/favicon.ico", pictures::icon, Local, &[], Unlisted, "/favicon.ico"),
    page!("/widget/regime", widgets::regime, Endpoints(widgets::regime_calls), &[&["theme"]], Sitemap, "/widget/regime"),
    page!("/widget/recession", widgets::recession, Endpoints(widgets::recession_calls), &[&["theme"]], Sitemap, "/widget/recession"),
    page!(METRIC_PATH, widgets::metric, Endpoints(widgets::metric_calls), &[&widgets::ARGUMENTS], Unlisted, "/widget/metric/DGS10"),
    page!("/widget/chart", widgets::comparison, LocalOnly, &[&compare::ARGUMENTS, &["theme"]], Unlisted, "/widget/chart?series=DGS10,DGS2"),
];

/// Returns path and name of the pages in the navigation.
pub(super) fn navigation() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGES.iter().filter_map(|page| match page.listing {
        Navigation(name) => Some((page.path, name)),
        Sitemap | Items(_) | Unlisted => None,
    })
}

/// Returns the paths of all pages in the sitemap.
pub(crate) fn sitemap_paths() -> impl Iterator<Item = String> {
    PAGES.iter().flat_map(|page| match page.listing {
        Navigation(_) | Sitemap => vec![page.path.to_owned()],
        Items(names) => {
            let path = |name| page.path.replace("{name}", name);
            names().into_iter().map(path).collect()
        }
        Unlisted => Vec::new(),
    })
}

/// Describes each page for programs that visit all of them: path, sample, listing and arguments.
pub(crate) fn describe_pages() -> Vec<Value> {
    let describe = |page: &Page| {
        let listing = match page.listing {
            Navigation(_) => "navigation",
            Sitemap => "sitemap",
            Items(_) => "items",
            Unlisted => "unlisted",
        };
        json!({
            "path": page.path,
            "sample": page.sample,
            "listing": listing,
            "arguments": page.arguments.concat(),
        })
    };
    PAGES.iter().map(describe).collect()
}

/// Maximum bytes of cached documents.
const CACHE_BYTES: u64 = 16 << 20;

/// What a document depends on: the state of the data, and [`PageRequest::cache_key`].
type Key = (DataState, String);

/// Rendered documents.
#[derive(Debug)]
struct DocumentCache {
    documents: Cache<Key, Arc<Document>>,
    in_flight: SingleFlight<Key, Arc<Document>>,
}

impl DocumentCache {
    fn new() -> Self {
        let weigh = |(_, key): &Key, document: &Arc<Document>| key.len() as u64 + document.weight();
        Self {
            documents: Cache::with_max_weight(CACHE_BYTES, weigh),
            in_flight: SingleFlight::default(),
        }
    }

    /// Returns a document that is cached and not too old: figures of an upstream change within one state of the data.
    fn get(&self, key: &Key) -> Option<Arc<Document>> {
        let cached = self.documents.get(key);
        cached.filter(|document| document.is_current())
    }

    /// Renders a document in the pool, once for all callers that wait for it, and caches it. Errors are not cached.
    ///
    /// # Errors
    /// The error of `render`, and [`Error::Busy`].
    async fn get_or_render(
        self: &Arc<Self>,
        pool: &Pool,
        key: Key,
        render: impl FnOnce() -> Result<Document> + Send + 'static,
    ) -> Result<Arc<Document>> {
        let cache = Arc::clone(self);
        let new_key = key.clone();
        let work = move || {
            let document = Arc::new(render()?);
            cache.documents.insert(new_key, Arc::clone(&document));
            Ok(document)
        };
        let cached = || self.get(&key);
        self.in_flight.run(pool, key.clone(), cached, work).await
    }
}

/// The state of the routes.
#[derive(Clone)]
struct Site {
    backend: Arc<Backend>,
    admission: Arc<Admission>,
    cache: Arc<DocumentCache>,
}

/// Returns the routes of all pages, with a fallback for every address that has no route.
pub(crate) fn routes(backend: &Arc<Backend>, admission: &Arc<Admission>) -> Router {
    let site = Site {
        backend: Arc::clone(backend),
        admission: Arc::clone(admission),
        cache: Arc::new(DocumentCache::new()),
    };
    let pages = PAGES.iter().fold(Router::new(), |router, page| {
        let handler = move |State(site): State<Site>,
                            Extension(caller): Extension<Caller>,
                            names: RawPathParams,
                            RawQuery(query): RawQuery,
                            headers: HeaderMap| async move {
            let name = names.iter().next().map_or("", |(_, value)| value);
            let desk = site.backend.desk();
            let text = query.as_deref();
            let request = PageRequest::parse(desk, page.path, page.arguments, name, text);
            site.serve(page, request, caller, &headers).await
        };
        router.route(page.path, get(handler))
    });
    let not_found =
        async |State(site): State<Site>, method: Method, uri: Uri, headers: HeaderMap| {
            let is_read = matches!(method, Method::GET | Method::HEAD);
            let mut prefixes = PROGRAM_PREFIXES.iter();
            let is_for_programs = prefixes.any(|prefix| uri.path().starts_with(prefix));
            if !is_read || is_for_programs || !accepts(&headers, "text/html") {
                return rest::not_found(uri).await;
            }
            let path = percent_encoding::percent_decode_str(uri.path()).decode_utf8_lossy();
            let request = PageRequest::parse(site.backend.desk(), "", &[], &path, None);
            site.serve(&NOT_FOUND, request, Caller::current(), &headers)
                .await
        };
    pages
        .fallback(not_found)
        .with_state(site)
        .merge(assets::routes(backend))
}

/// Returns the identifier of the document of the tool `fetch` that a page shows.
fn document_id(page: &Page, request: &PageRequest) -> Option<String> {
    let kind = match page.path {
        SERIES_PATH => "series",
        "/glossary/{name}" => "term",
        "/scenarios/{name}" => "scenario",
        "/articles/{name}" => "article",
        _ => return None,
    };
    Some(format!("{kind}:{}", request.name))
}

/// Returns whether the `Accept` header names a media type.
fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let mut values = headers.get_all(header::ACCEPT).iter();
    values.any(|value| value.to_str().is_ok_and(|text| text.contains(media_type)))
}

impl Site {
    async fn serve(
        &self,
        page: &'static Page,
        request: PageRequest,
        caller: Caller,
        headers: &HeaderMap,
    ) -> Response {
        let request = Arc::new(request);
        let is_for_people = accepts(headers, "text/html");
        let wants_json = accepts(headers, "application/json") && !is_for_people;
        let markdown = document_id(page, &request);
        let wanted = markdown
            .as_deref()
            .filter(|_| accepts(headers, "text/markdown") && !is_for_people);
        let document = match wanted {
            Some(id) => self.markdown(id, caller).await.map(Arc::new),
            None => self.document(page, &request, caller).await,
        };
        let document = match document {
            Err(error) if !wants_json => self.error_document(page, &request, error).await,
            document => document,
        };
        let answer = match document {
            Ok(document) => document.respond(headers, self.backend.pool()).await,
            Err(error) => Err(error),
        };
        let mut response = answer.unwrap_or_else(|error| rest::respond(&error, page.path, None));
        if markdown.is_some() {
            rest::set(&mut response, header::VARY, "accept, accept-encoding");
        }
        response
    }

    /// Returns a document of the tool `fetch` as Markdown, charged as a page.
    async fn markdown(&self, id: &str, caller: Caller) -> Result<Document> {
        let price = Price {
            policy: Policy::Pages,
            units: 1,
        };
        let arguments = [("id", id)];
        let fetch = Route::call_tool(&self.backend, "fetch", &arguments);
        let reply = self.admission.charge_for(caller, price, fetch).await?;
        let fetched: FetchedDocument = serde_json::from_slice(&reply.json)
            .map_err(|e| Error::internal("reading a document", e))?;
        let text = format!("# {}\n\n{}\n", fetched.title, fetched.text);
        Ok(Document::data("text/markdown; charset=utf-8", text))
    }

    /// Renders the document of a request that failed: as HTML for people, as a widget for frames, as JSON for programs.
    async fn error_document(
        &self,
        page: &'static Page,
        request: &PageRequest,
        error: Error,
    ) -> Result<Arc<Document>> {
        econoscope_core::error::log(&error, page.path);
        let desk = self.backend.desk();
        let mut hits = Vec::new();
        if matches!(error, Error::Unknown { .. }) {
            let search_desk = Arc::clone(desk);
            let unknown = error.clone();
            let search = move || Ok(error_page::search_hits(&search_desk, &unknown));
            hits = self.backend.pool().run(search).await?;
        }
        let is_json = request.form_value("format") == "json";
        let document = match page.path.split('/').nth(1).unwrap_or_default() {
            "widget" => widget_frame::render_error(desk, request, &error)?,
            "cite" if !is_json => error_page::render(desk, request, &error, hits)?,
            "cite" | "suggest" | "oembed" | "compare.csv" | "alerts.atom" | "alerts.ics" => {
                oembed::render_error(&error)
            }
            _ => error_page::render(desk, request, &error, hits)?,
        };
        Ok(Arc::new(document.with_error(&error)))
    }

    /// Returns the cached document, or charges the caller and renders it.
    async fn document(
        &self,
        page: &'static Page,
        request: &Arc<PageRequest>,
        caller: Caller,
    ) -> Result<Arc<Document>> {
        let backend = &*self.backend;
        let is_forwarding = backend.upstream().is_some();
        if is_forwarding && matches!(page.source, LocalOnly) {
            let what = "this page".to_owned();
            let reason = FORWARDING.to_owned();
            return Err(Error::NotPermitted { what, reason });
        }
        let key = (backend.desk().state()?, request.cache_key());
        if let Some(cached) = self.cache.get(&key) {
            return Ok(cached);
        }
        let calls = page.calls(request, is_forwarding);
        let price = Price {
            policy: Policy::Pages,
            units: pictures::price(request),
        };
        let is_charged_per_call = is_forwarding && !calls.is_empty();
        let render = async {
            let answers = Answers::fetch(calls, backend, &self.admission, caller).await?;
            let desk = Arc::clone(backend.desk());
            let request = Arc::clone(request);
            let max_age = answers.max_age();
            let render = move || {
                let document = (page.render)(&desk, &request, answers)?;
                Ok(document.with_max_age(max_age))
            };
            self.cache.get_or_render(backend.pool(), key, render).await
        };
        if is_charged_per_call {
            render.await
        } else {
            self.admission.charge_for(caller, price, render).await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_desk::testing::TestDesk;

    #[test]
    fn every_page_has_one_sample_of_its_path() {
        for (n, page) in PAGES.iter().enumerate() {
            let path = page.path;
            let sample = page.sample.split('?').next().unwrap_or_default();
            let (head, tail) = path.split_once("{name}").unwrap_or((path, ""));
            let value = sample
                .strip_prefix(head)
                .and_then(|rest| rest.strip_suffix(tail));
            let fits = value.is_some_and(|value| value.is_empty() != path.contains('{'));
            assert!(fits, "{sample} is no address of {path}");
            let mut others = PAGES.iter().take(n);
            assert!(
                others.all(|p| p.path != path && p.sample != page.sample),
                "{path} twice"
            );
        }
    }

    /// An upstream allows 100 calls a day.
    #[test]
    fn forwarded_pages_cost_three_calls_and_widgets_one() {
        let desk = TestDesk::empty().open();
        for page in &PAGES {
            for query in ["", "units=pc1", "range=5y", "start=5y&end=2020-01-01"] {
                let request =
                    PageRequest::parse(&desk, page.path, page.arguments, "UNRATE", Some(query));
                let calls = page.calls(&request, true);
                let paid = calls.iter().filter(|call| call.is_in_contract()).count();
                let most = if page.path.starts_with("/widget/") {
                    1
                } else {
                    3
                };
                assert!(paid <= most, "{} {query}: {paid} calls", page.path);
            }
        }
    }

    #[test]
    fn cache_bound_counts_the_bytes_of_long_addresses() -> Result<()> {
        let cache = DocumentCache::new();
        let desk = TestDesk::empty().open();
        let state = desk.state()?;
        let key = |n: usize| (state, format!("{n}{}", "x".repeat(8_000)));
        for n in 0..4_000 {
            let picture = Document::picture("image/svg+xml", vec![b'x'; 100]);
            cache.documents.insert(key(n), Arc::new(picture));
        }
        let cached = (0..4_000).filter(|n| cache.get(&key(*n)).is_some()).count();
        assert!(cached > 100 && cached * 8_000 < 16 << 20, "{cached}");
        Ok(())
    }
}
