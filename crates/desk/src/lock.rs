//! A desk locked to a past day: its clock stands still, and its store shows only what was known by then.

use crate::desk::Clock;
use crate::series::recessions_on;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators;
use econoscope_core::model::calendar::Publication;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Date, Frequency, SeriesId, VintageObservation, Vintages};
use econoscope_data::store::{
    Article, BatchWork, Description, Status, Store, WriteOutcome, WriteVintages,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::sync::Arc;

/// The day that a server answers from, whatever its clock and its store know besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lock {
    /// The day.
    pub day: Date,
    /// Whether figures are withheld whose day of publication is not on record, and composites whose constants were fitted on
    /// later figures.
    pub is_strict: bool,
}

impl Lock {
    /// Returns the time that its clock shows: noon of the day, UTC.
    pub fn time(self) -> Timestamp {
        let noon = self.day.at(12, 0, 0, 0).to_zoned(TimeZone::UTC);
        noon.map_or(Timestamp::UNIX_EPOCH, |noon| noon.timestamp())
    }

    pub(crate) fn clock(self) -> Clock {
        Arc::new(move || self.time())
    }

    pub(crate) fn store(self, inner: Arc<dyn Store>) -> Arc<dyn Store> {
        Arc::new(LockedStore { inner, lock: self })
    }
}

/// A store without what was not known on a day. It refuses writes.
struct LockedStore {
    inner: Arc<dyn Store>,
    lock: Lock,
}

impl LockedStore {
    /// Returns the first day on which a figure without a recorded day counts as known.
    fn publication(&self, id: &SeriesId) -> Result<Box<dyn Fn(Date) -> Date>> {
        if let Some(info) = Catalogue::embedded().get(id.as_str()) {
            let publication = Publication::new(info);
            return Ok(Box::new(move |date| publication.day(date)));
        }
        let description = self.inner.description(id)?;
        let frequency = description.map_or(Frequency::Monthly, |d| d.frequency);
        Ok(Box::new(move |date| shift(date, frequency.period())))
    }

    /// Returns the summary of a series as of the day; `None` for one without a figure by then.
    fn lock_status(&self, status: Status) -> Result<Option<Status>> {
        let Some(vintages) = self.read(&status.id)? else {
            return Ok(None);
        };
        let rows = vintages.rows();
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
            return Ok(None);
        };
        // An import may have come later. A source stays named, since its rights do.
        let is_source = |name: &str| !name.starts_with("bundled") && !name.starts_with("import");
        let mut earlier_origins = status.earlier_origins.clone();
        earlier_origins.retain(|earlier| earlier.1 <= last.date && is_source(&earlier.0));
        let origins = status.origins(Date::MIN, last.date);
        let newest = origins.last().map(|origin| origin.0);
        let origin = newest.filter(|name| is_source(name)).unwrap_or("bundled");
        Ok(Some(Status {
            rows: rows.len() as u64,
            checksum: status.checksum,
            first: first.date,
            last: last.date,
            fetched_at: self.lock.time(),
            origin: origin.to_owned(),
            earlier_origins,
            id: status.id,
        }))
    }

    fn refuse<T>(&self) -> Result<T> {
        let day = self.lock.day;
        Err(Error::store_without_cause(format!(
            "nothing is written while locked to {day}"
        )))
    }
}

impl Store for LockedStore {
    fn version(&self) -> Result<u64> {
        self.inner.version()
    }

    fn current_version(&self) -> Result<u64> {
        self.inner.current_version()
    }

    fn incarnation(&self) -> u64 {
        self.inner.incarnation()
    }

    /// A desk over it is locked by its settings.
    fn snapshot(&self) -> Result<Option<Arc<dyn Store>>> {
        self.inner.snapshot()
    }

    fn probe(&self) -> Result<()> {
        self.inner.probe()
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        // Composites are computed from what was known.
        if indicators::composite(id.as_str()).is_some() {
            return Ok(None);
        }
        let Some(vintages) = self.inner.read(id)? else {
            return Ok(None);
        };
        let Lock { day, is_strict } = self.lock;
        let rows: Vec<VintageObservation> = if id.as_str() == "USREC" {
            let known = recessions_on(&vintages.latest(), day);
            let undated = known.iter().map(|o| VintageObservation::new(o, None));
            undated.collect()
        } else {
            let publication = self.publication(id)?;
            let info = Catalogue::embedded().get(id.as_str());
            let is_forecast = info.is_some_and(|info| info.is_forecast());
            let is_known = |row: &&VintageObservation| {
                row.known_on(&publication) <= day
                    && (row.date <= day || is_forecast)
                    && (row.known_from.is_some() || !is_strict)
            };
            vintages.rows().iter().filter(is_known).copied().collect()
        };
        Ok((!rows.is_empty()).then(|| Vintages::new(rows)))
    }

    fn write_vintages(&self, _: WriteVintages<'_>) -> Result<WriteOutcome> {
        self.refuse()
    }

    fn write_batch(&self, _: BatchWork<'_>) -> Result<()> {
        self.refuse()
    }

    fn attribute(&self, _: &SeriesId, _: &str, _: Date, _: Date) -> Result<()> {
        self.refuse()
    }

    fn forget(&self, _: &SeriesId) -> Result<()> {
        self.refuse()
    }

    fn status(&self) -> Result<Vec<Status>> {
        let all = self.inner.status()?.into_iter();
        all.filter_map(|status| self.lock_status(status).transpose())
            .collect()
    }

    fn status_of(&self, id: &SeriesId) -> Result<Option<Status>> {
        match self.inner.status_of(id)? {
            Some(status) => self.lock_status(status),
            None => Ok(None),
        }
    }

    fn count(&self) -> Result<u64> {
        Ok(self.status()?.len() as u64)
    }

    fn describe(&self, _: &[Description]) -> Result<usize> {
        self.refuse()
    }

    fn description(&self, id: &SeriesId) -> Result<Option<Description>> {
        match self.status_of(id)? {
            Some(_) => self.inner.description(id),
            None => Ok(None),
        }
    }

    fn find_descriptions(&self, words: &[String], limit: usize) -> Result<Vec<Description>> {
        let found = self.inner.find_descriptions(words, usize::MAX >> 1)?;
        let mut kept = Vec::new();
        for description in found {
            if kept.len() < limit && self.status_of(&description.id)?.is_some() {
                kept.push(description);
            }
        }
        Ok(kept)
    }

    fn replace_computed(&self, _: WriteVintages<'_>) -> Result<()> {
        self.refuse()
    }

    fn write_articles(&self, _: &[Article]) -> Result<usize> {
        self.refuse()
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        self.inner.articles(until.min(self.lock.time()), limit)
    }

    /// Notes are about syncs, which came later.
    fn note(&self, _: &str) -> Result<Option<String>> {
        Ok(None)
    }

    fn set_note(&self, _: &str, _: &str) -> Result<()> {
        self.refuse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDesk;
    use crate::{Desk, Settings};
    use econoscope_core::model::{AsOf, Observation};
    use jiff::civil::date;

    /// Opens a desk over a stored value of May 2015, locked to a day of 2015.
    fn desk(month: i8, day: i8, is_strict: bool, known_from: Option<Date>) -> Desk {
        let rows = [Observation::new(date(2015, 5, 1), 5.5)];
        let lock = Some(Lock {
            day: date(2015, month, day),
            is_strict,
        });
        let settings = Settings {
            lock,
            ..Settings::default()
        };
        TestDesk::empty()
            .settings(settings)
            .on("2026-11-22")
            .series("UNRATE", "fred", &rows, known_from)
            .open()
    }

    #[test]
    fn locked_desk_has_no_later_figure_and_no_later_clock() -> Result<()> {
        let known = Some(date(2015, 6, 5));
        for (month, day, is_strict, known_from, is_held) in [
            (6, 5, true, known, true),
            (6, 4, false, known, false),
            (6, 30, false, None, true),
            (6, 30, true, None, false),
            (4, 30, false, None, false),
        ] {
            let desk = desk(month, day, is_strict, known_from);
            let info = desk.resolve("series", "UNRATE")?;
            let series = desk.series(&info, AsOf::Latest)?;
            assert_eq!(series.is_some(), is_held, "{month}-{day} {is_strict}");
            assert_eq!(desk.store().count()?, u64::from(is_held));
            assert_eq!(desk.today(), date(2015, month, day));
            let error = desk.store().set_note("n", "1").unwrap_err();
            assert!(error.operator_message().contains("locked"), "{error:?}");
        }
        Ok(())
    }

    #[test]
    fn strict_lock_withholds_composites() {
        for is_strict in [false, true] {
            let desk = desk(6, 30, is_strict, None);
            let info = desk.resolve("series", "CRPI").unwrap();
            assert_eq!(desk.check_permitted(&info).is_err(), is_strict);
        }
    }
}
