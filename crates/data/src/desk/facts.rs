//! Series as known on a day, kept while they are as they were read.

use super::local::{Desk, Stamp};
use super::remarks;
use crate::store::Status;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators;
use econoscope_core::indicators::revisions::Revisions;
use econoscope_core::model::calendar::Publication;
use econoscope_core::model::{
    AsOf, Date, Observation, Series, SeriesId, SeriesInfo, SeriesSet, Vintages, units,
};
use std::sync::Arc;

impl Desk {
    /// A series as known at `as_of`, as it is held, or else as its identity makes it of others; `None` where there is
    /// neither.
    /// Shape: up to the reference day; observations dated after today are projections and are left out.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn series(&self, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<Option<Arc<Series>>> {
        let key = (self.stamp(&info.id)?, info.id.clone(), as_of);
        self.series.or_make(key, || match self.read(info, as_of)? {
            None => self.by_identity(info, as_of),
            found => Ok(found),
        })
    }

    /// What tells whether a series is still as it was read.
    pub(super) fn stamp(&self, id: &SeriesId) -> Result<Stamp> {
        let of_a_source = |s: &Status| indicators::composite(s.id.as_str()).is_none();
        Ok(match self.held(id)?.filter(of_a_source) {
            Some(held) if !held.origin.starts_with("computed") => Stamp::Rows {
                incarnation: self.store.incarnation(),
                rows: held.rows,
                bases: (self.holdings()?.bases.get(id.as_str())).map_or(0, Vec::len),
                today: self.today(),
            },
            _ => Stamp::All(self.state()?),
        })
    }

    fn read(&self, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<Option<Arc<Series>>> {
        if let Some(composite) = indicators::composite(info.id.as_str())
            && !self.is_stored(composite, as_of)?
        {
            return self.computed(composite, info, as_of);
        }
        Ok(match as_of {
            AsOf::Latest => {
                let today = self.today();
                let info = self.on_its_base(info, today)?;
                self.store.read(&info.id)?.and_then(|v| {
                    let mut rows = v.latest();
                    rows.truncate(rows.partition_point(|o| o.date <= today));
                    held(&info, rows)
                })
            }
            AsOf::Day(day) => {
                let info = self.described_on(info, day)?;
                let rows = self.known_on(&info, day)?;
                rows.and_then(|rows| held(&info, rows))
            }
        })
    }

    /// A series' description with the units in which it was published on a day.
    fn described_on(&self, info: &Arc<SeriesInfo>, day: Date) -> Result<Arc<SeriesInfo>> {
        let held = self.kept_vintages(&info.id)?;
        let newest = held.and_then(|v| v.changed_by(day));
        let units = newest.and_then(|day| units::published(info.id.as_str(), day));
        Ok(match units {
            None => self.on_its_base(info, day)?,
            Some(units) => Arc::new(SeriesInfo {
                units_short: units.to_owned(),
                ..SeriesInfo::clone(info)
            }),
        })
    }

    /// A series' description with the unit that a sync has noted up to a day, where its base has changed.
    pub(super) fn on_its_base(&self, info: &Arc<SeriesInfo>, day: Date) -> Result<Arc<SeriesInfo>> {
        let holdings = self.holdings()?;
        let Some(of) = holdings.bases.get(info.id.as_str()) else {
            return Ok(Arc::clone(info));
        };
        // The description that was given may be that of another day.
        let first = Catalogue::embedded().get(info.id.as_str());
        Ok(match of.iter().rev().find(|(since, _)| *since <= day) {
            None => Arc::clone(first.unwrap_or(info)),
            Some((_, units)) => Arc::new(SeriesInfo {
                units: units.clone(),
                ..SeriesInfo::clone(info)
            }),
        })
    }

    /// What was known of a series on a day; `None` when nothing is held of it.
    fn known_on(&self, info: &SeriesInfo, day: Date) -> Result<Option<Vec<Observation>>> {
        let end = day.min(self.today());
        Ok(self.kept_vintages(&info.id)?.map(|v| {
            let publication = Publication::of(info);
            let mut rows = v.as_of(day, |date| publication.day(date));
            rows.truncate(rows.partition_point(|o| o.date <= end));
            rows
        }))
    }

    /// The named series as known on one of many days, which are read and not kept.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn set_on<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        day: Date,
    ) -> Result<SeriesSet> {
        let mut set = SeriesSet::default();
        for id in ids {
            if let Some(info) = Catalogue::embedded().get(id)
                && let Some(rows) = self.known_on(info, day)?
                && let Some(series) = held(info, rows)
            {
                set.insert(series);
            }
        }
        Ok(set)
    }

    /// Every value ever seen of a series, read once while they are as they were.
    pub(super) fn kept_vintages(&self, id: &SeriesId) -> Result<Option<Arc<Vintages>>> {
        let key = (self.stamp(id)?, id.clone());
        self.vintages
            .or_make(key, || Ok(self.store.read(id)?.map(Arc::new)))
    }

    /// The record of a series' revisions; `None` when nothing is held of it.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn revisions(&self, info: &SeriesInfo) -> Result<Option<Arc<Revisions>>> {
        let key = (self.stamp(&info.id)?, info.id.clone());
        self.revisions.or_make(key, || {
            let vintages = self.kept_vintages(&info.id)?;
            Ok(vintages.map(|vintages| Arc::new(Revisions::of(info, &vintages))))
        })
    }

    /// Every value on record of a period, each with the day from which it was known, ascending; `None` of a day on which
    /// it was withdrawn after it was out. Empty where no day is on record.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn states(&self, info: &SeriesInfo, period: Date) -> Result<Vec<(Date, Option<f64>)>> {
        let vintages = self.kept_vintages(&info.id)?;
        let rows = vintages.as_deref().map_or(&[][..], |v| v.rows());
        let begins = rows.partition_point(|row| row.date < period);
        let own = rows
            .iter()
            .skip(begins)
            .take_while(|row| row.date == period);
        let states = own.filter_map(|row| Some((row.known_from?, row.value)));
        // The record begins by saying that a later period was not out yet.
        let states = states.skip_while(|(_, value)| value.is_none());
        Ok(states.collect())
    }

    /// The day from which the present value of a period was known, and whether that is estimated by the publication lag
    /// because no day is on record.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn known_since(&self, info: &SeriesInfo, period: Date) -> Result<(Date, bool)> {
        let recorded = self.states(info, period)?.last().map(|(day, _)| *day);
        let estimated = || info.known_by(period).min(self.today());
        Ok((recorded.unwrap_or_else(estimated), recorded.is_none()))
    }

    /// The named series as known at `as_of`; those that hold nothing or may not be passed on are absent.
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
            // A composite chooses itself what stands in for a series that is not held.
            if let Some(info) = catalogue.get(id)
                && self.made_by(&info.id)?.is_none()
                && self.may_enter(info)?
                && let Some(series) = self.series(info, as_of)?
            {
                set.insert(series);
            }
        }
        Ok(set)
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
                let (reading, unsaid) = match indicators::composite(info.id.as_str()) {
                    Some(composite) => {
                        let reading = self.reading(composite, as_of);
                        (reading, "its inputs are not held here")
                    }
                    None => (self.narrative(as_of), "no day of it has been stored yet"),
                };
                let reason = reading.ok().and_then(|r| r.reason.clone());
                reason.unwrap_or_else(|| unsaid.to_owned())
            }
            AsOf::Latest => self.not_held(info),
        };
        Error::NoData {
            what: match info.by_others {
                // A title by others has no place in an error of ours.
                true => self.shown_id(&info.id),
                false => format!("{} ({})", self.shown_id(&info.id), info.title),
            },
            reason,
        }
    }

    /// Why nothing is held of a series, what comes nearest to it, and, for an operator, what would bring it.
    fn not_held(&self, info: &SeriesInfo) -> String {
        let ended = remarks::always(info.id.as_str()).filter(|text| text.starts_with("ended"));
        let mut reason = ended.unwrap_or_else(|| "it is not loaded".into());
        // A store that cannot be read has been told of before.
        if let Some(sibling) = self.sibling(info).ok().flatten() {
            reason += &format!("; {sibling}");
        }
        // Where nothing is listened on, who asks is who operates.
        if self.settings().base_url.is_none() && info.is_on_fred() && !info.by_others {
            reason += "; `econoscope sync` brings it";
        }
        reason
    }
}

/// Rows under their description; nothing where there are none.
pub(super) fn held(info: &Arc<SeriesInfo>, rows: Vec<Observation>) -> Option<Arc<Series>> {
    (!rows.is_empty()).then(|| Arc::new(Series::new(Arc::clone(info), rows)))
}
