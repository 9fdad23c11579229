//! Series as known on a day, cached until their rows change.

use crate::desk::{Desk, SeriesVersion};
use crate::names::IMPORTED;
use crate::scores::Scores;
use crate::texts::remarks;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Absence, Error, Result};
use econoscope_core::format;
use econoscope_core::indicators;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nber;
use econoscope_core::indicators::revisions::{ErrorBar, Revisions};
use econoscope_core::model::calendar::Publication;
use econoscope_core::model::{
    AsOf, Date, Observation, Series, SeriesId, SeriesInfo, SeriesSet, Vintages, units,
};
use econoscope_data::store::Status;
use std::sync::Arc;

impl Desk {
    /// Returns a series as known at `as_of`, from the store or computed by its identity; `None` where there is neither.
    /// Shape: up to the reference day; observations dated after today are projections and are left out, but for official
    /// forecasts, of which they are the point.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn series(&self, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<Option<Arc<Series>>> {
        if info.category == IMPORTED {
            self.check_vintages(&info.id, as_of)?;
            if let Some(fetched) = self.memory.get(&info.id) {
                return Ok(to_series(info, fetched.rows.clone()));
            }
        }
        let key = (self.series_version(&info.id)?, info.id.clone(), as_of);
        self.series
            .get_or_insert_with(key, || match self.read_series(info, as_of)? {
                None => self.compute_identity(info, as_of),
                series => Ok(series),
            })
    }

    /// Refuses a past day for a series that a question brought: its figures of then are not known.
    ///
    /// # Errors
    /// [`Error::NoData`], and [`Error::Store`] when the store cannot be read.
    pub(super) fn check_vintages(&self, id: &SeriesId, as_of: AsOf) -> Result<()> {
        match as_of {
            AsOf::Day(day) if day < self.today() && self.is_on_demand(id)? => Err(no_vintages(id)),
            AsOf::Day(_) | AsOf::Latest => Ok(()),
        }
    }

    /// Whether a question brought a series that is held.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn is_on_demand(&self, id: &SeriesId) -> Result<bool> {
        Ok(self.memory.get(id).is_some() || self.store_summary()?.kept.contains_key(id))
    }

    /// Says of a series that a question brought from where it came, when, and how long it is kept; `None` of any other.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn describe_demand(&self, id: &SeriesId) -> Result<Option<String>> {
        let summary = self.store_summary()?;
        let kept = summary.kept.get(id);
        let (Some(status), true) = (self.series_status(id)?, self.is_on_demand(id)?) else {
            return Ok(None);
        };
        let source = self.settings().recipes().source(&status.origin);
        let name = source.map_or(status.origin.as_str(), |source| &source.name);
        let at = status.fetched_at.strftime("%Y-%m-%d %H:%M UTC");
        let rest = match kept {
            Some(kept) => format!(
                "{}; kept until {} unless asked for again",
                kept.address,
                kept.until()
            ),
            None => "for your own use; held in memory for 15 minutes and not stored".to_owned(),
        };
        Ok(Some(format!(
            "{id} was fetched for a question from {name} at {at}, {rest}"
        )))
    }

    /// Returns a value that changes whenever the series does.
    pub(super) fn series_version(&self, id: &SeriesId) -> Result<SeriesVersion> {
        let is_fetched = |s: &Status| {
            indicators::composite(s.id.as_str()).is_none() && !s.origin.starts_with("computed")
        };
        Ok(match self.series_status(id)?.filter(is_fetched) {
            Some(status) => SeriesVersion::Rows {
                incarnation: self.store.incarnation(),
                rows: status.rows,
                checksum: status.checksum,
                bases: (self.store_summary()?.bases.get(id.as_str())).map_or(0, Vec::len),
                next_announced: match Catalogue::embedded().get(id.as_str()) {
                    Some(info) => self.next_announced(info, status.last, AsOf::Latest)?,
                    None => None,
                },
                today: self.today(),
            },
            None => SeriesVersion::All(self.state()?),
        })
    }

    fn read_series(&self, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<Option<Arc<Series>>> {
        if let Some(composite) = indicators::composite(info.id.as_str())
            && !self.is_stored(composite, as_of)?
        {
            return self.compute_composite(composite, info, as_of);
        }
        let described = match as_of {
            AsOf::Latest => self.info_with_base(info, self.today())?,
            AsOf::Day(day) => self.info_on(info, day)?,
        };
        let rows = self.rows_on(info, as_of)?;
        let series = rows.and_then(|rows| to_series(&described, rows));
        let last = series.as_ref().and_then(|s| s.observations.last());
        let next_announced = match last {
            Some(last) => self.next_announced(info, last.date, as_of)?,
            None => None,
        };
        Ok(series.map(|series| {
            Arc::new(Series {
                next_announced,
                ..Arc::unwrap_or_clone(series)
            })
        }))
    }

    /// Returns the day that the agency announced for the figure after the one dated `last`, as known at `as_of`.
    fn next_announced(&self, info: &SeriesInfo, last: Date, as_of: AsOf) -> Result<Option<Date>> {
        let next = self.store_summary()?.announced.next_day(info, last);
        let is_known = |read: Date| !matches!(as_of, AsOf::Day(day) if read > day);
        Ok(next.filter(|next| is_known(next.read)).map(|next| next.day))
    }

    /// Returns a series' description with the units in which it was published on a day.
    fn info_on(&self, info: &Arc<SeriesInfo>, day: Date) -> Result<Arc<SeriesInfo>> {
        let vintages = self.cached_vintages(&info.id)?;
        let changed = vintages.and_then(|v| v.last_change_by(day));
        let units = changed.and_then(|day| units::units_on(info.id.as_str(), day));
        Ok(match units {
            None => self.info_with_base(info, day)?,
            Some(units) => Arc::new(SeriesInfo {
                units_short: units.to_owned(),
                ..SeriesInfo::clone(info)
            }),
        })
    }

    /// Returns a series' description with the unit of its base on a day, if a sync has recorded a change of base.
    pub(super) fn info_with_base(
        &self,
        info: &Arc<SeriesInfo>,
        day: Date,
    ) -> Result<Arc<SeriesInfo>> {
        let summary = self.store_summary()?;
        let Some(bases) = summary.bases.get(info.id.as_str()) else {
            return Ok(Arc::clone(info));
        };
        // `info` may be the description of another day.
        let original = Catalogue::embedded().get(info.id.as_str());
        Ok(match bases.iter().rev().find(|(since, _)| *since <= day) {
            None => Arc::clone(original.unwrap_or(info)),
            Some((_, units)) => Arc::new(SeriesInfo {
                units: units.clone(),
                ..SeriesInfo::clone(info)
            }),
        })
    }

    /// Returns the rows known on a day, without those of later dates. The vintages behind the latest ones are not cached.
    ///
    /// # Errors
    /// [`Error::Store`].
    fn rows_on(&self, info: &SeriesInfo, as_of: AsOf) -> Result<Option<Vec<Observation>>> {
        let publication = Publication::new(info);
        let known = |v: Arc<Vintages>, day| match info.id.as_str() {
            "USREC" => recessions_on(&v.latest(), day),
            _ => v.as_of(day, |date| publication.day(date)),
        };
        let mut rows = match as_of {
            AsOf::Latest => self.store.read(&info.id)?.map(|v| v.latest()),
            AsOf::Day(day) => self.cached_vintages(&info.id)?.map(|v| known(v, day)),
        };
        let end = self.reading_day(as_of);
        if let Some(rows) = rows.as_mut().filter(|_| !info.is_forecast()) {
            rows.truncate(rows.partition_point(|o| o.date <= end));
        }
        Ok(rows)
    }

    /// Returns the named series as known on a day, without caching them: for computations over many days.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn series_set_on<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        day: Date,
    ) -> Result<SeriesSet> {
        let mut set = SeriesSet::default();
        for id in ids {
            if let Some(info) = Catalogue::embedded().get(id)
                && let Some(rows) = self.rows_on(info, AsOf::Day(day))?
                && let Some(series) = to_series(info, rows)
            {
                set.insert(series);
            }
        }
        Ok(set)
    }

    /// Returns all vintages of a series, cached until its rows change.
    pub(super) fn cached_vintages(&self, id: &SeriesId) -> Result<Option<Arc<Vintages>>> {
        let key = (self.series_version(id)?, id.clone());
        self.vintages
            .get_or_insert_with(key, || Ok(self.store.read(id)?.map(Arc::new)))
    }

    /// Returns the revisions of a series; `None` when the store has no rows.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn revisions(&self, info: &SeriesInfo) -> Result<Option<Arc<Revisions>>> {
        self.check_vintages(&info.id, AsOf::Day(Date::MIN))?;
        let key = (self.series_version(&info.id)?, info.id.clone());
        self.revisions.get_or_insert_with(key, || {
            let vintages = self.cached_vintages(&info.id)?;
            Ok(vintages.map(|vintages| Arc::new(Revisions::from_vintages(info, &vintages))))
        })
    }

    /// Returns the revisions of a series and the error bar of its newest first print as known at `as_of`; `None` where the
    /// figure at `date` is not the newest or has been revised, and for a series whose bars failed their validation.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn error_bar(
        &self,
        info: &Arc<SeriesInfo>,
        date: Date,
        as_of: AsOf,
    ) -> Result<Option<(Arc<Revisions>, ErrorBar)>> {
        if !Scores::embedded().has_error_bar(info.id.as_str()) {
            return Ok(None);
        }
        let day = self.reading_day(as_of);
        let series = self.series(info, as_of)?;
        let newest = series.and_then(|series| Some(series.observations.last()?.date));
        let known = self.period_vintages(info, date)?.into_iter();
        let is_first = newest == Some(date) && known.filter(|(known, _)| *known <= day).count() < 2;
        let revisions = self.revisions(info)?.filter(|_| is_first);
        Ok(revisions.and_then(|revisions| {
            let bar = revisions.error_bar(day)?;
            Some((revisions, bar))
        }))
    }

    /// Returns the recorded values of a period, each with the day from which it was known, ascending. `None` is a
    /// withdrawal. Empty when no day is recorded.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn period_vintages(
        &self,
        info: &SeriesInfo,
        period: Date,
    ) -> Result<Vec<(Date, Option<f64>)>> {
        let vintages = self.cached_vintages(&info.id)?;
        let rows = vintages.iter().flat_map(|v| v.rows());
        let of_period = rows.filter(|row| row.date == period);
        let known = of_period.filter_map(|row| Some((row.known_from?, row.value)));
        // Leading withdrawals record that the period was not published yet.
        Ok(known.skip_while(|(_, value)| value.is_none()).collect())
    }

    /// Returns the value of a period that was held before the first of [`Self::period_vintages`], without a recorded day.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn loaded_value(&self, info: &SeriesInfo, period: Date) -> Result<Option<f64>> {
        let vintages = self.cached_vintages(&info.id)?;
        let mut rows = vintages.iter().flat_map(|v| v.rows());
        let loaded = rows.find(|row| row.date == period && row.known_from.is_none());
        Ok(loaded.and_then(|row| row.value))
    }

    /// Returns the day from which the latest value of a period was known, and whether it is estimated by the publication
    /// lag because none is recorded.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn known_since(&self, info: &SeriesInfo, period: Date) -> Result<(Date, bool)> {
        let vintages = self.period_vintages(info, period)?;
        let recorded = vintages.last().map(|(day, _)| *day);
        let estimated = || info.publication_day(period).min(self.today());
        Ok((recorded.unwrap_or_else(estimated), recorded.is_none()))
    }

    /// Returns the named series as known at `as_of`, without those that have no values or may not be redistributed.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn series_set<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        as_of: AsOf,
    ) -> Result<SeriesSet> {
        let catalogue = Catalogue::embedded();
        let mut set = SeriesSet::default();
        for id in ids {
            // A composite has its own substitutes for a series that is not stored.
            let Some(info) = catalogue.get(id) else {
                continue;
            };
            if self.identity_of(&info.id)?.is_some() {
                continue;
            }
            if let Some(series) = self.series(info, as_of)? {
                if self.is_permitted(info)? {
                    set.insert(series);
                } else {
                    set.withhold(&info.id, Absence::NotPermitted);
                }
            } else if as_of != AsOf::Latest {
                set.withhold(&info.id, Absence::NotKnownThen);
            }
        }
        Ok(set)
    }

    /// Returns a series that must have values.
    ///
    /// # Errors
    /// [`Error::NoData`] with the reason; [`Error::NotPermitted`].
    pub fn series_or_reason(&self, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<Arc<Series>> {
        self.check_permitted(info)?;
        self.series(info, as_of)?
            .ok_or_else(|| self.no_data_error(info, as_of))
    }

    /// Builds the error for a series without values, with the reason and the remedy.
    pub fn no_data_error(&self, info: &SeriesInfo, as_of: AsOf) -> Error {
        let (reason, absence) = match as_of {
            AsOf::Day(day) => {
                let reason = format!("nothing of it was known on {}", format::day(day));
                (reason, Absence::NotKnownThen)
            }
            AsOf::Latest if info.is_composite() => {
                let (reading, default) = match indicators::composite(info.id.as_str()) {
                    Some(composite) => {
                        let reading = self.reading(composite, as_of);
                        (reading, "its inputs are not held here")
                    }
                    None => (self.narrative(as_of), "no day of it has been stored yet"),
                };
                let told = reading.ok().and_then(|r| r.reason.clone());
                let reason = told.unwrap_or_else(|| default.to_owned());
                (reason, Absence::NotAvailable)
            }
            AsOf::Latest => self.describe_absence(info),
        };
        Error::NoData {
            what: if info.is_untrusted {
                // An untrusted title must not appear in an error.
                self.display_id(&info.id)
            } else {
                format!("{} ({})", self.display_id(&info.id), info.title)
            },
            reason,
            absence,
        }
    }

    /// Describes why a series is not stored, which series is nearest to it, and what an operator can do.
    fn describe_absence(&self, info: &SeriesInfo) -> (String, Absence) {
        let (mut reason, absence) = match remarks::end_of(info.id.as_str()) {
            Some(end) => (end, Absence::Ended),
            None => ("it is not loaded".to_owned(), Absence::NotLoaded),
        };
        // A store that cannot be read has failed before.
        if let Some(sibling) = self.sibling(info).ok().flatten() {
            reason += &format!("; {sibling}");
        }
        // Without a base address the caller is the operator.
        if self.settings().base_url.is_none() && !info.is_untrusted {
            let mut routes = self.settings().recipes().routes(&info.id);
            let is_computed = indicators::identities::sync_inputs(&info.id).is_some();
            if is_computed || routes.next().is_some() {
                reason += "; `econoscope sync` brings it";
            } else if info.is_on_fred() {
                reason += "; only FRED carries it: `econoscope sync` brings it, and with --fred every sync";
            }
        }
        (reason, absence)
    }
}

/// Builds the error for a past day of a series that a question brought.
pub fn no_vintages(id: &SeriesId) -> Error {
    let reason =
        format!("no vintages of {id} are known here; without as_of it shows today's figures");
    Error::no_data(id, reason)
}

/// Returns the recession indicator as of a day: each past month has the last state that was announced by then.
pub(crate) fn recessions_on(rows: &[Observation], day: Date) -> Vec<Observation> {
    let past = rows.iter().filter(|o| o.date.last_of_month() < day);
    past.map(|o| {
        let is_recession = nber::is_recession_as_known(Month::from_date(o.date), day);
        Observation::new(o.date, f64::from(u8::from(is_recession)))
    })
    .collect()
}

/// Builds a series; `None` without rows.
pub(super) fn to_series(info: &Arc<SeriesInfo>, rows: Vec<Observation>) -> Option<Arc<Series>> {
    (!rows.is_empty()).then(|| Arc::new(Series::new(Arc::clone(info), rows)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDesk;
    use crate::{Audience, Settings};
    use econoscope_core::recipe::Recipes;
    use econoscope_data::ingest::BASES;
    use jiff::civil::date;

    /// Opens a desk over one stored value of 2026-09-01, known from 2026-10-01.
    fn desk(id: &str, origin: &str, settings: Settings) -> Desk {
        let rows = [Observation::new(date(2026, 9, 1), 97.4)];
        TestDesk::empty()
            .settings(settings)
            .on("2026-11-22")
            .series(id, origin, &rows, Some(date(2026, 10, 1)))
            .open()
    }

    #[test]
    fn units_follow_a_recorded_change_of_base() -> Result<()> {
        let desk = desk("INDPRO", "fed_board", Settings::default());
        let units = |as_of| {
            let info = desk.resolve("series", "INDPRO")?;
            let series = desk.series(&info, as_of)?.unwrap();
            Ok::<_, Error>((info.units.clone(), series.info.units.clone()))
        };
        let [old, new] = ["Index 2017=100", "Index 2022=100"].map(String::from);
        assert_eq!(units(AsOf::Latest)?, (old.clone(), old.clone()));
        let note = r#"{"INDPRO":[["2026-11-22","Index 2022=100"]]}"#;
        desk.store().set_note(BASES, note)?;
        assert_eq!(units(AsOf::Latest)?, (new.clone(), new.clone()));
        assert_eq!(units(AsOf::Day(date(2026, 10, 20)))?, (new, old));
        Ok(())
    }

    #[test]
    fn restricted_origin_is_served_only_to_those_who_may() {
        let recipe = r#"
            [source]
            id = "town"
            name = "Our Town"
            rights = "personal"
            terms = ""
            cite = "Our Town"
            hosts = ["data.example.org"]
            [[feed]]
            id = "rain"
            url = "https://data.example.org/rain.csv"
            format = "csv"
            header = ["day", "mm"]
            date = { field = "day", formats = ["%d.%m.%Y"] }
            series = [{ id = "TOWNRAIN", field = "mm", title = "Rain", units = "Millimetres", frequency = "D" }]
        "#;
        let files = [("town.toml".to_owned(), recipe.to_owned())];
        let recipes = Recipes::with_operator_recipes(&files).unwrap();
        let check = |audience| {
            let settings = Settings {
                audience,
                own_recipes: Some(Arc::clone(&recipes)),
                ..Settings::default()
            };
            let desk = desk("TOWNRAIN", "town", settings);
            desk.check_permitted(&desk.resolve("series", "TOWNRAIN").unwrap())
        };
        assert!(check(Audience::Own).is_ok());
        let refusal = check(Audience::Public).unwrap_err().to_string();
        assert!(refusal.contains("Our Town"), "{refusal}");
    }
}
