//! Series and computed figures as known on a day, kept once per state of the data.

use super::composites;
use super::{Desk, RegimePath, Stamp, State};
use crate::error::{Error, Result};
use crate::indicators::regime;
use crate::indicators::{Composite, Reading};
use crate::model::{AsOf, Catalogue, Series, SeriesId, SeriesInfo, SeriesSet, Vintages};
use crate::store::Status;
use std::sync::Arc;

impl Desk {
    /// A series as known at `as_of`; `None` when nothing is held of it.
    /// Shape: up to the reference day; observations dated after today are projections and are left out.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn series(&self, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<Option<Arc<Series>>> {
        let state = self.state()?;
        let key = (self.stamp(&info.id, state)?, info.id.clone(), as_of);
        if let Some(found) = self.series.get(&key) {
            return Ok(found);
        }
        let found = self.read(info, as_of, state)?;
        self.series.insert(key, found.clone());
        Ok(found)
    }

    /// What tells whether a series is still as it was read.
    fn stamp(&self, id: &SeriesId, state: State) -> Result<Stamp> {
        let of_a_source = |s: &Status| crate::indicators::composite(s.id.as_str()).is_none();
        Ok(match self.held(id)?.filter(of_a_source) {
            Some(held) if !held.origin.starts_with("computed") => {
                Stamp::Rows(held.rows, state.today)
            }
            _ => Stamp::All(state),
        })
    }

    fn read(
        &self,
        info: &Arc<SeriesInfo>,
        as_of: AsOf,
        state: State,
    ) -> Result<Option<Arc<Series>>> {
        if let Some(composite) = crate::indicators::composite(info.id.as_str())
            && (as_of != AsOf::Latest || self.vintages(&info.id)?.is_none())
        {
            let rows = composites::history(self, composite, as_of)?;
            return Ok((!rows.is_empty()).then(|| Arc::new(Series::new(Arc::clone(info), rows))));
        }
        let Some(vintages) = self.vintages(&info.id)? else {
            return Ok(None);
        };
        let mut rows = match as_of {
            AsOf::Latest => vintages.latest(),
            AsOf::Day(day) => vintages.as_of(day, info.frequency, info.publication_lag_days),
        };
        let end = match as_of {
            AsOf::Latest => state.today,
            AsOf::Day(day) => day.min(state.today),
        };
        rows.truncate(rows.partition_point(|o| o.date <= end));
        Ok((!rows.is_empty()).then(|| Arc::new(Series::new(Arc::clone(info), rows))))
    }

    /// Every value ever seen of a series, from the store or, while that is empty, the bundled history.
    ///
    /// # Errors
    /// [`Error::Store`] when the rows cannot be read.
    pub fn vintages(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        if self.holdings()?.bundled {
            self.bundle()?.read(id)
        } else {
            self.store.read(id)
        }
    }

    /// The named series as known at `as_of`; those that hold nothing are absent.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn set<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        as_of: AsOf,
    ) -> Result<SeriesSet> {
        let catalogue = Catalogue::embedded();
        let mut set = SeriesSet::default();
        for id in ids {
            if let Some(info) = catalogue.get(id)
                && let Some(series) = self.series(info, as_of)?
            {
                set.insert(series);
            }
        }
        Ok(set)
    }

    /// A composite at the reference day, with its inputs.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn reading(&self, composite: &'static Composite, as_of: AsOf) -> Result<Arc<Reading>> {
        let key = (self.state()?, composite.id, as_of);
        if let Some(found) = self.readings.get(&key) {
            return Ok(found);
        }
        let set = self.set(composite.inputs.iter().copied(), as_of)?;
        let reading = Arc::new((composite.reading)(&set, self.data_date(as_of)?.as_of));
        self.readings.insert(key, Arc::clone(&reading));
        Ok(reading)
    }

    /// The regime of every month up to the reference day, and the answer for that day.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn regimes(&self, as_of: AsOf) -> Result<Arc<RegimePath>> {
        let key = (self.state()?, as_of);
        if let Some(found) = self.regimes.get(&key) {
            return Ok(found);
        }
        let set = self.set(regime::INPUTS.iter().copied(), as_of)?;
        let day = self.data_date(as_of)?.as_of;
        let months = regime::history(&set, day);
        let now = regime::outlook(months.clone(), &set, day);
        let path = Arc::new(RegimePath { months, now });
        self.regimes.insert(key, Arc::clone(&path));
        Ok(path)
    }

    /// A series that must hold something.
    ///
    /// # Errors
    /// [`Error::NoData`] saying what would bring it.
    pub fn series_or_reason(&self, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<Arc<Series>> {
        self.permit(info)?;
        self.series(info, as_of)?
            .ok_or_else(|| self.no_data(info, as_of))
    }

    /// Why a known series holds nothing, and what would bring it.
    pub fn no_data(&self, info: &SeriesInfo, as_of: AsOf) -> Error {
        let reason = match as_of {
            AsOf::Day(day) => format!("nothing of it was known on {day}"),
            AsOf::Latest if info.is_composite() => {
                match crate::indicators::composite(info.id.as_str()) {
                    Some(composite) => self
                        .reading(composite, as_of)
                        .ok()
                        .and_then(|r| r.reason.clone())
                        .unwrap_or_else(|| {
                            "its inputs are not in the store; run `econoscope sync`".into()
                        }),
                    None => self
                        .narrative(as_of)
                        .ok()
                        .and_then(|r| r.reason.clone())
                        .unwrap_or_else(|| "no day of it has been stored yet".into()),
                }
            }
            AsOf::Latest => {
                "it is known but not in the store; run `econoscope sync` or import it".into()
            }
        };
        Error::NoData {
            what: format!("{} ({})", self.shown_id(&info.id), info.title),
            reason,
        }
    }
}
