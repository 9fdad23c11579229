//! Plans a sync from the catalogue, the stored series and their fetch states. Pure.
//!
//! A series is due at its next release, and from then on at intervals until the figure is there.

use super::calendars;
use super::sources::SourceSettings;
use super::state::{FeedState, SeriesState, States};
use super::wanted::Wanted;
use super::write::day_of;
use crate::store::Status;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Error;
use econoscope_core::indicators::identities;
use econoscope_core::model::calendar::{AnnouncedDays, eastern};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Frequency, SeriesId, SeriesInfo, release};
use econoscope_core::recipe::{Feed, FeedRef, FormatEvidence, Release, Request, SeriesRecipe};
use jiff::civil::{Time, time};
use jiff::{Span, Timestamp, ToSpan};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// A series is read in full again after this time, however far back its revisions usually go.
const FULL_READ_HOURS: i32 = 30 * 24;
/// Longest time between two reads, whether a figure is due or not, because revisions come at any time.
const MAX_FRESH_HOURS: i32 = 7 * 24;
/// Assumed hour of a release without a known one: that of the first releases of a business day.
const MORNING: Time = time(8, 30, 0, 0);

/// The series of the first questions, whose newest figures a sync fetches before all others: yields, the funds rate,
/// prices, employment, claims, financial conditions, the balance sheet and volatility.
const HEADLINES: &str = "DGS10 DGS2 DGS3MO DGS30 GS10 GS2 EFFR DFF FEDFUNDS CPIAUCSL CPIAUCNS CPILFESL UNRATE PAYEMS ICSA \
    NFCI WALCL WTREGEN RRPONTSYD TB3MS INDPRO DTWEXBGS VIXCLS";

/// A series that is due. It goes from source to source and collects their errors.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) id: SeriesId,
    /// Its entry in the catalogue; `None` for a series that was requested by name.
    pub(super) info: Option<Arc<SeriesInfo>>,
    /// Whether it is fetched from FRED when no recipe has it.
    pub(super) is_on_fred: bool,
    /// Newest stored date.
    pub(super) last: Option<Date>,
    /// First date to request; `None` = all.
    pub(super) from: Option<Date>,
    /// When it was last read.
    pub(super) state: Option<SeriesState>,
    /// Whether to read its vintages.
    pub(super) wants_vintages: bool,
    /// Origin of its newest stored rows; empty when there are none.
    pub(super) origin: String,
    /// Index of the next recipe to ask.
    pub(super) next_route: usize,
    /// First date of the newest figures, which are fetched before the whole series; `None` when they are not.
    pub(super) newest_from: Option<Date>,
    /// Whether a source had rows in this sync, even old ones.
    pub(super) is_covered: bool,
    /// Errors of the sources that were asked, in order.
    pub(super) errors: Vec<Error>,
}

impl Step {
    /// Adds the error of a source.
    pub(super) fn with_error(mut self, error: &Error) -> Self {
        self.errors.push(error.clone());
        self
    }

    /// Returns the first date to request from a feed: a window only from the source of the stored rows; `None` = all.
    pub(super) fn first_date(&self, feed_ref: FeedRef<'_>) -> Option<Date> {
        let own = self.from.filter(|_| self.origin == feed_ref.source.id);
        own.or(self.newest_from.filter(|_| feed_ref.feed.has_range()))
    }

    /// Whether a feed is asked for the newest figures before the whole series.
    pub(super) fn is_part(&self, feed_ref: FeedRef<'_>) -> bool {
        let first = self.first_date(feed_ref);
        first.is_some() && (self.from.is_none() || self.origin != feed_ref.source.id)
    }

    /// Returns the state after a read, which was full or not.
    pub(super) fn state_after_read(&self, at: Timestamp, is_full: bool) -> SeriesState {
        let last_full = self.state.filter(|_| !is_full);
        SeriesState {
            read_at: at,
            fully_read_at: last_full.map_or(at, |state| state.fully_read_at),
            has_vintages: self.wants_vintages || self.state.is_some_and(|state| state.has_vintages),
        }
    }
}

/// Which series are read and which are not.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Due series, in the catalogue's order.
    pub(super) steps: Vec<Step>,
    /// Due series that are fetched first.
    pub(super) first: Vec<Step>,
    /// Series that were read recently, each with the time until which it is fresh.
    pub(super) fresh: Vec<(SeriesId, Timestamp)>,
    /// Series that were requested by name, but have no source.
    pub(super) refused: Vec<(SeriesId, Error)>,
}

/// The settings of a sync; by default it reads the whole catalogue, today.
#[derive(Debug, Clone, Default)]
pub struct SyncConfig {
    /// How sources are asked.
    pub sources: SourceSettings,
    /// The only series to read; `None` = the catalogue.
    pub only: Option<Vec<SeriesId>>,
    /// Also read fresh series.
    pub force: bool,
    /// Also read vintages (needs a key). Vintages of daily series, which are hardly revised, are read only for series
    /// in `only`.
    pub vintages: bool,
    /// Series and sources that the operator accepts without confirmation.
    pub accept: Vec<String>,
    /// Series that callers wait for.
    pub wanted: Arc<Wanted>,
    /// Dry run: report the planned requests, and send none.
    pub dry_run: bool,
    /// The clock; `None` = that of this machine.
    pub clock: Option<fn() -> Timestamp>,
}

impl SyncConfig {
    pub(super) fn now(&self) -> Timestamp {
        self.clock.unwrap_or(econoscope_core::clock::wall_time)()
    }

    /// Returns the series to consider: those of `only`, or the catalogue and the series that only recipes know.
    pub(super) fn series(&self) -> Vec<SeriesId> {
        if let Some(only) = &self.only {
            return only.clone();
        }
        let catalogue = Catalogue::embedded();
        let mut all: Vec<SeriesId> = catalogue.iter().map(|info| info.id.clone()).collect();
        for series in self.sources.recipes.feeds().flat_map(|f| &f.feed.series) {
            if catalogue.get(series.id.as_str()).is_none() && !all.contains(&series.id) {
                all.push(series.id.clone());
            }
        }
        all
    }

    /// Whether the operator accepts a source for a series without confirmation.
    pub(super) fn is_accepted(&self, id: &SeriesId, source: &str) -> bool {
        self.accept
            .iter()
            .any(|name| name.eq_ignore_ascii_case(id.as_str()) || name.eq_ignore_ascii_case(source))
    }
}

impl Plan {
    /// Describes the plan, one line per feed or series: the requests to each host, and what is skipped and why. The first
    /// line has their number if every source answers, each with one page and the newest figures.
    pub(super) fn describe(
        &self,
        config: &SyncConfig,
        states: &States<FeedState>,
        now: Timestamp,
    ) -> Vec<String> {
        const FRED: &str = "fred: one request a series";
        let settings = &config.sources;
        let mut feeds = StepsByFeed::new();
        let mut others: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for step in self.first.iter().chain(&self.steps) {
            let mut routes = (settings.recipes.routes(&step.id))
                .filter(|route| !step.wants_vintages && settings.is_open(route.source));
            let is_accepted = routes.any(|route| {
                let (_, steps) = feeds.entry(route.name()).or_insert((route, Vec::new()));
                steps.push(step);
                // Figures that nothing confirms wait for another day, and the next source is asked.
                !step.origin.is_empty()
                    || config.is_accepted(&step.id, &route.source.id)
                    || !is_unproven(route, &step.id, states.get(&route.name()))
            });
            if is_accepted {
                continue;
            }
            let what = if identities::sync_inputs(&step.id).is_some() && !step.wants_vintages {
                "computed here"
            } else if step.is_on_fred {
                FRED
            } else {
                "not before another source or day confirms it, or needs a key of your own"
            };
            others.entry(what).or_default().push(step.id.as_str());
        }
        let (feed_lines, feed_requests) = describe_requests(&feeds, day_of(now));
        let is_whole = config.only.is_none();
        let calendars: Vec<String> = (calendars::open_calendars(settings).filter(|_| is_whole))
            .map(|(source, calendar)| {
                let name = format!("{}/{}", source.id, calendar.id);
                format!("{name}: 1 request, for release days, once a day")
            })
            .collect();
        let count = feed_requests + calendars.len() + others.get(FRED).map_or(0, Vec::len);
        let mut lines = vec![format!(
            "{count} requests; more for further pages, and where a source fails or is late and the next one is asked"
        )];
        lines.extend(feed_lines);
        lines.extend(calendars);
        for (what, ids) in others {
            lines.push(format!("{what}: {} series: {}", ids.len(), ids.join(" ")));
        }
        for (id, until) in &self.fresh {
            let line = format!("{id}: not before {until:.0}, when its next figure is due");
            lines.push(line);
        }
        for (id, error) in &self.refused {
            lines.push(format!("{id}: {error}"));
        }
        lines
    }
}

/// Whether the recipe of a series was never tested against a response, and no figure has confirmed it.
pub(super) fn is_unproven(
    FeedRef { feed, .. }: FeedRef<'_>,
    id: &SeriesId,
    state: Option<&FeedState>,
) -> bool {
    let mut series = feed.series.iter().filter(|series| series.id == *id);
    series.any(|series| series.format_evidence(feed) == FormatEvidence::Memory)
        && !state.is_some_and(|state| state.trusted.contains(id))
}

/// The steps that ask each feed, by the feed's name.
type StepsByFeed<'a> = BTreeMap<String, (FeedRef<'a>, Vec<&'a Step>)>;

/// The requests of some steps to a feed, as the sync sends them.
fn requests(feed_ref: FeedRef<'_>, steps: &[&Step], today: Date) -> Vec<Request> {
    let feed = feed_ref.feed;
    // A feed with the series in its URL takes the first date of each.
    let size = if feed.url.contains("{series}") {
        1
    } else {
        steps.len()
    };
    let of_group = |group: &[&Step]| {
        let is_due = |series: &&SeriesRecipe| group.iter().any(|step| step.id == series.id);
        let series: Vec<&SeriesRecipe> = feed.series.iter().filter(is_due).collect();
        let from = group.iter().map(|step| step.first_date(feed_ref)).min();
        feed.requests(&series, from.flatten(), today)
    };
    steps.chunks(size.max(1)).flat_map(of_group).collect()
}

/// The requests of feeds, one line per feed, and their number. Feeds of the same URL share a response.
fn describe_requests(feeds: &StepsByFeed<'_>, today: Date) -> (Vec<String>, usize) {
    let mut lines = Vec::new();
    let mut count = 0;
    let mut names_by_url: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, (feed_ref, steps)) in feeds {
        let requests = requests(*feed_ref, steps, today);
        let url = requests.first().and_then(|r| url::Url::parse(&r.url).ok());
        let host = (url.as_ref().and_then(url::Url::host_str)).unwrap_or_default();
        let pace = feed_ref.source.pace_ms;
        let ids: Vec<&str> = steps.iter().map(|step| step.id.as_str()).collect();
        let first = *names_by_url.entry(&feed_ref.feed.url).or_insert(name);
        let is_shared = first != name && !feed_ref.feed.url.contains("{series}");
        let what = match requests.len() {
            _ if is_shared => format!("the answer of {first}"),
            0 | 1 => format!("1 request to {host}"),
            n => format!("at most {n} requests to {host}, {pace} ms apart"),
        };
        if !is_shared {
            count += requests.len();
        }
        lines.push(format!("{name}: {what}, for {}", ids.join(" ")));
    }
    (lines, count)
}

/// Plans which series of the `config` are read at `now`.
pub(super) fn plan(
    stored: &[Status],
    states: &States<SeriesState>,
    announced: &AnnouncedDays,
    config: &SyncConfig,
    now: Timestamp,
) -> Plan {
    let status_by_id: HashMap<&SeriesId, &Status> = stored.iter().map(|s| (&s.id, s)).collect();
    let recipes = &config.sources.recipes;
    let mut plan = Plan::default();
    for id in config.series() {
        let info = Catalogue::embedded().get(id.as_str());
        let first_route = recipes.routes(&id).next();
        let not_on_fred = why_not_on_fred(&id, info.map(AsRef::as_ref), config.sources.no_fred);
        let is_on_fred = not_on_fred.is_none();
        let has_source = first_route.is_some() || identities::sync_inputs(&id).is_some();
        if let (Some(error), false) = (not_on_fred, has_source) {
            if config.only.is_some() {
                plan.refused.push((id, error));
            }
            continue;
        }
        let release = first_route.and_then(|route| route.feed.release);
        let frequency = info.map(|info| info.frequency);
        let status = status_by_id.get(&id);
        let state = (states.get(id.as_str()).copied()).filter(|_| status.is_some());
        let wants_vintages = config.vintages
            && is_on_fred
            && (frequency != Some(Frequency::Daily) || config.only.is_some())
            && (config.force || !state.is_some_and(|state| state.has_vintages));
        let last = status.map(|status| status.last);
        // A read in the future was dated by a wrong clock, and would count as fresh until then.
        let until = (state.filter(|state| state.read_at <= now)).map(|state| {
            let due = |(info, last)| match announced.next_day(info, last) {
                Some(next) => new_york_time(next.day, next.at.unwrap_or(MORNING)),
                None => next_release(info, last, release),
            };
            let next = info.map(AsRef::as_ref).zip(last);
            fresh_until(state.read_at, frequency, next.map(due))
        });
        match until.filter(|until| *until > now && !config.force && !wants_vintages) {
            Some(until) => plan.fresh.push((id, until)),
            None => plan.steps.push(Step {
                from: first_date(state, last, frequency, now),
                last,
                info: info.cloned(),
                is_on_fred,
                state,
                wants_vintages,
                origin: status.map_or_else(String::new, |status| status.origin.clone()),
                next_route: 0,
                newest_from: None,
                is_covered: false,
                errors: Vec::new(),
                id,
            }),
        }
    }
    split_first(&mut plan, &config.sources, now);
    plan
}

/// Moves the series that are fetched first to their list: the headlines, and what is in a file with one of them. Of a
/// headline whose requests depend on the range, the newest figures come first.
fn split_first(plan: &mut Plan, settings: &SourceSettings, now: Timestamp) {
    let feed_of = |step: &Step| {
        let mut feeds = settings.recipes.feeds();
        let has_series = |feed: &Feed| feed.series.iter().any(|series| series.id == step.id);
        let route = feeds.find(|route| settings.is_open(route.source) && has_series(route.feed));
        route.map(|route| route.feed)
    };
    let is_headline = |step: &Step| HEADLINES.split(' ').any(|id| step.id.as_str() == id);
    let is_file = |feed: &&Feed| !feed.has_range() && !feed.url.contains("{series}");
    let headlines = plan.steps.iter().filter(|step| is_headline(step));
    let feeds = headlines.filter_map(feed_of).filter(is_file);
    let files: BTreeSet<&str> = feeds.map(|feed| feed.url.as_str()).collect();
    for mut step in std::mem::take(&mut plan.steps) {
        let feed = feed_of(&step).filter(|_| !step.wants_vintages);
        if !feed.is_some_and(|feed| is_headline(&step) || files.contains(feed.url.as_str())) {
            plan.steps.push(step);
            continue;
        }
        if let (Some(last), Some(info), Some(true)) =
            (step.last, &step.info, feed.map(Feed::has_range))
        {
            step.newest_from = Some(window_start(last, info.frequency, now));
        }
        plan.first.push(step);
    }
}

/// Returns why a series is not fetched from FRED; `None` when it is. FRED has 800,000 series, so a series outside the
/// catalogue may be among them.
fn why_not_on_fred(id: &SeriesId, info: Option<&SeriesInfo>, no_fred: bool) -> Option<Error> {
    let reason = match info {
        Some(info) if info.is_composite() => {
            "it is computed here from other series and not fetched"
        }
        Some(info) if !info.is_on_fred() => "FRED does not carry it; import it from a file",
        None if id.as_str().contains(':') => {
            "it has no form of a source: see docs/SOURCES.md#any-series"
        }
        _ if no_fred => {
            "only FRED carries it, which is asked by `econoscope sync`, and with --fred by every sync"
        }
        _ => return None,
    };
    Some(Error::no_data(id, reason))
}

/// Returns how far back revisions usually reach.
fn revision_window(frequency: Frequency) -> Span {
    match frequency {
        Frequency::Daily => 45.days(),
        Frequency::Weekly | Frequency::Biweekly => 120.days(),
        Frequency::Monthly => 5.years(),
        Frequency::Quarterly | Frequency::Semiannual => 10.years(),
        Frequency::Annual => 20.years(),
    }
}

/// Returns the first date to request; `None` = all.
fn first_date(
    state: Option<SeriesState>,
    last: Option<Date>,
    frequency: Option<Frequency>,
    now: Timestamp,
) -> Option<Date> {
    let recent = state.filter(|state| add_hours(state.fully_read_at, FULL_READ_HOURS) > now)?;
    // A read far in the future was dated by a wrong clock.
    if recent.read_at > add_hours(now, 24) {
        return None;
    }
    Some(window_start(last?, frequency?, now))
}

/// Returns the first date that a revision usually reaches, after a newest stored date.
fn window_start(last: Date, frequency: Frequency, now: Timestamp) -> Date {
    shift(last.min(day_of(now)), -revision_window(frequency))
}

/// Returns the time until which no new figure is due, if the next one is `due` at a time.
fn fresh_until(
    read_at: Timestamp,
    frequency: Option<Frequency>,
    due: Option<Timestamp>,
) -> Timestamp {
    match due.filter(|due| read_at < *due) {
        Some(due) => due.min(add_hours(read_at, MAX_FRESH_HOURS)),
        None => add_hours(read_at, retry_hours(frequency)),
    }
}

/// Returns when the figure after `last` is released. `pattern` is the recipe's release pattern.
fn next_release(info: &SeriesInfo, last: Date, pattern: Option<Release>) -> Timestamp {
    let mut day = match pattern.and_then(|pattern| pattern.after_business_days) {
        // The next figure is of the next business day, and comes `days` business days later.
        Some(days) => (0..=days).fold(last, |day, _| release::business_day_after(day)),
        None => release::next_release_day(info, last),
    };
    if let Some(weekday) = pattern.and_then(|pattern| pattern.weekday) {
        while day.weekday() != weekday {
            day = shift(day, 1.day());
        }
    }
    new_york_time(day, pattern.map_or(MORNING, |pattern| pattern.at))
}

fn new_york_time(day: Date, at: Time) -> Timestamp {
    let zoned = day.to_datetime(at).to_zoned(eastern());
    zoned.map_or(Timestamp::MAX, |zoned| zoned.timestamp())
}

/// Returns the hours between two reads for an overdue figure.
fn retry_hours(frequency: Option<Frequency>) -> i32 {
    match frequency {
        Some(Frequency::Daily) | None => 4,
        Some(Frequency::Weekly | Frequency::Biweekly) => 6,
        Some(Frequency::Monthly) => 12,
        Some(Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual) => 20,
    }
}

fn add_hours(at: Timestamp, hours: i32) -> Timestamp {
    at.checked_add(hours.hours()).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
