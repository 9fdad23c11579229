//! The metrics as a page.

use super::metrics::{Metrics, RouteStats, SyncCounts};
use super::shared::Shared;
use crate::admission::Admission;
use crate::rest;
use askama::Template;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::clock;
use econoscope_core::error::Error;
use econoscope_core::model::Date;
use econoscope_core::model::frequency::days_between;
use econoscope_data::desk::Holdings;
use econoscope_data::pool::Counts;
use econoscope_data::store::ReplicaStatus;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The page a scraper reads.
#[derive(Template)]
#[template(path = "metrics.txt")]
struct Page<'a> {
    metrics: &'a Metrics,
    admission: &'a Admission,
    /// Copied, so that requests need not wait until the page is written.
    routes: BTreeMap<String, RouteStats>,
    synced: SyncCounts,
    ready: bool,
    resident: Option<u64>,
    computed: Counts,
    ages: BTreeMap<&'static str, Age>,
    projections: usize,
    /// None while the store cannot be read, which `/ready` tells.
    held: Option<Arc<Holdings>>,
    /// How the copy stands to its database; None where the store is a file of its own.
    following: Option<ReplicaStatus>,
    now: Timestamp,
}

/// Answers a scraper.
pub(super) async fn page(State(shared): State<Shared>) -> Response {
    let metrics = &shared.metrics;
    let desk = shared.backend.desk();
    let holdings = desk.holdings().ok();
    let ages = holdings.as_ref().map(|held| ages(held, desk.today()));
    let (ages, projections) = ages.unwrap_or_default();
    let page = Page {
        metrics,
        admission: &shared.admission,
        routes: metrics.routes.lock().clone(),
        synced: metrics.synced.lock().clone(),
        ready: shared.ready.load(Ordering::Relaxed),
        resident: resident_bytes(),
        computed: shared.backend.pool().counts(),
        ages,
        projections,
        held: holdings,
        following: desk.store().replica(),
        now: clock::wall(),
    };
    match page.render() {
        Ok(text) => {
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            ([(header::CONTENT_TYPE, kind)], text).into_response()
        }
        Err(error) => rest::respond(&Error::internal("writing metrics", error), "metrics", None),
    }
}

/// Memory of this process as the kernel counts it; none where there is no such file.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1_024)
}

/// Series of one frequency.
#[derive(Debug, Default, PartialEq, Eq)]
struct Age {
    /// Days from the end of the newest figure's period to today, of each series; ascending.
    days: Vec<i64>,
    /// Series whose next figure should be there by now.
    late: usize,
}

impl Age {
    fn series(&self) -> usize {
        self.days.len()
    }

    fn youngest(&self) -> i64 {
        seconds(self.days.first())
    }

    fn median(&self) -> i64 {
        seconds(self.days.get(self.days.len() / 2))
    }
}

fn seconds(days: Option<&i64>) -> i64 {
    days.copied().unwrap_or_default() * 86_400
}

/// The ages of the catalogue's series by frequency, composites aside, and how many series are projections.
fn ages(held: &Holdings, today: Date) -> (BTreeMap<&'static str, Age>, usize) {
    let catalogue = Catalogue::embedded();
    let mut ages: BTreeMap<&'static str, Age> = BTreeMap::new();
    let mut projections = 0;
    for status in held.iter() {
        let Some(info) = catalogue.get(status.id.as_str()) else {
            continue;
        };
        let (frequency, last) = (info.frequency, status.last);
        if info.is_composite() {
            continue;
        }
        if last > today {
            projections += 1;
            continue;
        }
        let age = ages.entry(frequency.word()).or_default();
        age.days
            .push(days_between(frequency.period_end(last), today).max(0));
        age.late += usize::from(info.late_since(last, today).is_some());
    }
    for age in ages.values_mut() {
        age.days.sort_unstable();
    }
    (ages, projections)
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::model::{Observation, SeriesId};
    use econoscope_data::desk::{Desk, Settings};
    use econoscope_data::store::{Sqlite, Store, Write};
    use jiff::civil::date;
    use std::sync::Arc;

    #[test]
    fn figures_are_as_old_as_the_end_of_their_period_and_projections_have_no_age() {
        let store = Sqlite::in_memory().unwrap();
        for (id, last) in [
            ("DGS10", date(2026, 1, 8)),
            ("DGS2", date(2025, 12, 1)),
            ("UNRATE", date(2025, 12, 1)),
            ("GDPPOT", date(2036, 10, 1)),
        ] {
            let write = Write {
                id: &SeriesId::new(id).unwrap(),
                observations: &[Observation::new(last, 4.0)],
                known_from: None,
                fetched_at: "2026-01-10T00:00:00Z".parse().unwrap(),
                origin: "import",
            };
            store.write(write).unwrap();
        }
        let now = || "2026-01-10T12:00:00Z".parse().unwrap();
        let desk = Desk::open(Arc::new(store), Settings::default(), Arc::new(now));
        let (ages, projections) = ages(&desk.holdings().unwrap(), desk.today());
        let daily = &ages["daily"];
        assert_eq!(
            (daily.series(), daily.late),
            (2, 1),
            "DGS2 is forty days old"
        );
        assert_eq!(daily.youngest(), 2 * 86_400);
        assert_eq!(daily.median(), 40 * 86_400);
        assert_eq!(
            ages["monthly"].youngest(),
            10 * 86_400,
            "from the month's end"
        );
        assert_eq!((ages["monthly"].late, projections), (0, 1));
    }
}
