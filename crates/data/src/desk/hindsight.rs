//! Composites and the regime as they were known at the time, month by month, beside what the last revisions say of
//! the same dates.
//!
//! A path begins with the first month of which a vintage of an input is held; before it both are the same. It is
//! computed once per state of the data, ahead by a server and else when it is first asked for: at most some 800
//! months, each from what was known at its end.

use super::library::methods;
use super::local::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::{self, Composite, Indicator, Reading, regime};
use econoscope_core::model::{AsOf, Date, Frequency, Observation, Series, SeriesSet};
use std::sync::Arc;

/// The figures of an indicator at a date.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// What they are stamped with.
    pub date: Date,
    /// The value; of the regime growth and inflation.
    pub scores: Vec<f64>,
    /// Band or regime.
    pub label: Option<&'static str>,
}

/// An indicator as known at the end of each month, ascending; one for each date, the first that was known.
pub type Path = Vec<(Date, Figures)>;

impl Desk {
    /// What was known at the end of each month from the first vintage of an input on; empty without vintages.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn known_path(&self, about: &'static Indicator) -> Result<Arc<Path>> {
        self.paths.or_make((self.state()?, about.id), || {
            let mut path = Path::new();
            let recorded = self.recorded(inputs(about))?;
            let first = recorded.iter().filter_map(|r| r.vintages.recorded_from());
            if let Some(first) = first.min() {
                let last = Month::of(self.data_date(inputs(about), AsOf::Latest)?.as_of);
                let ends = Month::of(first).until(last).map(Month::last_day);
                let today = self.today();
                for day in ends.take_while(|day| *day <= today) {
                    let set = self.set_on(inputs(about), day)?;
                    path.extend(figures(about, &set, day).map(|f| (day, f)));
                }
                path.dedup_by_key(|(_, figures)| figures.date);
            }
            Ok(Arc::new(path))
        })
    }

    /// [`Self::known_path`] of every indicator, so that whoever asks finds it.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn known_paths(&self) -> Result<()> {
        for about in methods() {
            match indicators::composite(about.id).filter(|c| c.is_as_known()) {
                Some(composite) => drop(self.as_known_up_to(composite, self.today())?),
                None => drop(self.known_path(about)?),
            }
        }
        Ok(())
    }

    /// What the last revisions say of an indicator at a date.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn last_revised(&self, about: &'static Indicator, date: Date) -> Result<Option<Figures>> {
        let Some(composite) = indicators::composite(about.id) else {
            let path = self.regimes(AsOf::Latest)?;
            let found = path.months.binary_search_by_key(&date, |m| m.month).ok();
            return Ok(found.and_then(|i| path.months.get(i)).map(of_regime));
        };
        let held = match Catalogue::of(about) {
            Some(info) => self.series(info, AsOf::Latest)?,
            None => None,
        };
        let value = held.and_then(|series| series.at(date));
        Ok(value.map(|value| of_composite(composite, date, value)))
    }

    /// A monthly composite with each month as it was known at its end, the newest as known on the day, from the first
    /// month end with a vintage on. Any other series as it is. With it, how its past was known, where that is more than
    /// the rule for past days says.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn as_known_each_month(
        &self,
        series: Arc<Series>,
        as_of: AsOf,
    ) -> Result<(Arc<Series>, Option<String>)> {
        let composite = indicators::composite(series.info.id.as_str());
        if let (Some(composite), Some(first)) = (composite, series.observations.first())
            && composite.is_as_known()
        {
            let how = format!(
                "from {} on each figure as it was known when it came",
                first.date
            );
            return Ok((series, Some(how)));
        }
        let composite = composite.filter(|_| series.frequency() == Frequency::Monthly);
        let (Some(composite), AsOf::Day(day)) = (composite, as_of) else {
            return Ok((series, None));
        };
        let path = self.known_path(&composite.about)?;
        let then = path.iter().take_while(|(on, _)| *on <= day);
        let known = then.filter_map(|(_, figures)| {
            Some(Observation::new(
                figures.date,
                figures.scores.first().copied()?,
            ))
        });
        let known: Vec<Observation> = known.collect();
        let (Some(first), Some((on, _))) = (known.first().map(|o| o.date), path.first()) else {
            return Ok((series, None));
        };
        let last = known.last().map_or(first, |o| o.date);
        let before = series.observations.iter().filter(|o| o.date < first);
        let newest = series.observations.iter().filter(|o| o.date > last);
        let rows = before.chain(&known).chain(newest).copied().collect();
        let series = Series::new(Arc::clone(&series.info), rows);
        let how = format!(
            "from {on} on each month as it was known at its end, before from values as last revised"
        );
        Ok((Arc::new(series), Some(how)))
    }
}

/// Every series an indicator may read.
fn inputs(about: &Indicator) -> Vec<&'static str> {
    match indicators::composite(about.id) {
        Some(composite) => composite.inputs(),
        None if about.id == regime::REGIME.id => regime::INPUTS.to_vec(),
        None => Vec::new(),
    }
}

fn figures(about: &Indicator, set: &SeriesSet, day: Date) -> Option<Figures> {
    if let Some(composite) = indicators::composite(about.id) {
        let Reading { date, value, .. } = composite.reading(set, day);
        return value.map(|value| of_composite(composite, date, value));
    }
    let now = regime::at(set, day);
    let known = now.state.as_ref().filter(|_| now.reason.is_none());
    known.map(of_regime)
}

fn of_composite(composite: &Composite, date: Date, value: f64) -> Figures {
    Figures {
        date,
        scores: vec![value],
        label: composite.band(value),
    }
}

fn of_regime(month: &regime::RegimeMonth) -> Figures {
    Figures {
        date: month.month,
        scores: vec![month.growth, month.inflation],
        label: Some(month.regime.name()),
    }
}
