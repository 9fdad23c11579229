//! Composites and the regime as known at the time, month by month, and as revised.
//!
//! A path begins with the first month with a stored vintage of an input; before it both are the same. It has at most some
//! 800 months, each computed from what was known at its end, and is cached per state of the data. A server computes it
//! ahead.

use crate::desk::Desk;
use crate::reference::methods;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::{self, Composite, Indicator, Reading, regime};
use econoscope_core::model::{AsOf, Date, Frequency, Observation, Series, SeriesSet};
use std::sync::Arc;

/// The values of an indicator at a date.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Date of the value.
    pub date: Date,
    /// The value; for the regime growth and inflation.
    pub scores: Vec<f64>,
    /// Band or regime.
    pub label: Option<&'static str>,
}

/// An indicator as known at the end of each month, ascending: for each date the first known value.
pub type RealTimePath = Vec<(Date, Figures)>;

impl Desk {
    /// Returns an indicator as known at the end of each month since the first vintage of an input; empty without vintages.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn real_time_path(&self, indicator: &'static Indicator) -> Result<Arc<RealTimePath>> {
        let key = (self.state()?, indicator.id);
        self.real_time_paths.get_or_insert_with(key, || {
            let inputs = inputs(indicator);
            let recorded = self.recorded_vintages(inputs.iter().copied())?;
            let days = recorded.iter().map(|r| r.vintages.first_recorded_day());
            let Some(first) = days.flatten().min() else {
                return Ok(Arc::default());
            };
            let last = self.reference_day(inputs.iter().copied(), AsOf::Latest)?;
            let months = Month::from_date(first).through(Month::from_date(last.as_of));
            let today = self.today();
            let mut path = RealTimePath::new();
            for day in months.map(Month::last_day).take_while(|day| *day <= today) {
                let set = self.series_set_on(inputs.iter().copied(), day)?;
                path.extend(figures(indicator, &set, day).map(|f| (day, f)));
            }
            path.dedup_by_key(|(_, figures)| figures.date);
            Ok(Arc::new(path))
        })
    }

    /// Computes and caches the real-time history of every indicator.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn compute_real_time_paths(&self) -> Result<()> {
        for indicator in methods() {
            match indicators::composite(indicator.id).filter(|c| c.is_real_time()) {
                Some(composite) => drop(self.real_time_history(composite, self.today())?),
                None => drop(self.real_time_path(indicator)?),
            }
        }
        Ok(())
    }

    /// Returns the values of an indicator at a date as last revised.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn last_revised(
        &self,
        indicator: &'static Indicator,
        date: Date,
    ) -> Result<Option<Figures>> {
        let Some(composite) = indicators::composite(indicator.id) else {
            let path = self.regimes(AsOf::Latest)?;
            let month = path.months.iter().find(|m| m.month == date);
            return Ok(month.map(regime_figures));
        };
        let series = match Catalogue::of_indicator(indicator) {
            Some(info) => self.series(info, AsOf::Latest)?,
            None => None,
        };
        let value = series.and_then(|series| series.value_on(date));
        Ok(value.map(|value| composite_figures(composite, date, value)))
    }

    /// Returns a monthly composite with each month since the first vintage as known at its end, and the newest as known on
    /// the day; any other series unchanged. Also describes how its past was known, if that differs from the rule for past
    /// days.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn real_time_series(
        &self,
        series: Arc<Series>,
        as_of: AsOf,
    ) -> Result<(Arc<Series>, Option<String>)> {
        let composite = indicators::composite(series.info.id.as_str());
        if let (Some(composite), Some(first)) = (composite, series.observations.first())
            && composite.is_real_time()
        {
            let note = format!(
                "from {} on each figure as it was known when it came",
                first.date
            );
            return Ok((series, Some(note)));
        }
        let composite = composite.filter(|_| series.frequency() == Frequency::Monthly);
        let (Some(composite), AsOf::Day(day)) = (composite, as_of) else {
            return Ok((series, None));
        };
        let path = self.real_time_path(&composite.indicator)?;
        let known: Vec<Observation> = path
            .iter()
            .take_while(|(month_end, _)| *month_end <= day)
            .filter_map(|(_, figures)| {
                let value = figures.scores.first().copied()?;
                Some(Observation::new(figures.date, value))
            })
            .collect();
        let (Some(first), Some(last), Some((start, _))) =
            (known.first(), known.last(), path.first())
        else {
            return Ok((series, None));
        };
        let before = series.observations.iter().filter(|o| o.date < first.date);
        let newest = series.observations.iter().filter(|o| o.date > last.date);
        let rows = before.chain(&known).chain(newest).copied().collect();
        let series = Series::new(Arc::clone(&series.info), rows);
        let note = format!(
            "from {start} on each month as it was known at its end, before from values as last revised"
        );
        Ok((Arc::new(series), Some(note)))
    }
}

/// Returns the inputs of an indicator.
fn inputs(indicator: &Indicator) -> Vec<&'static str> {
    match indicators::composite(indicator.id) {
        Some(composite) => composite.inputs(),
        None if indicator.id == regime::REGIME.id => regime::INPUTS.to_vec(),
        None => Vec::new(),
    }
}

fn figures(indicator: &Indicator, set: &SeriesSet, day: Date) -> Option<Figures> {
    if let Some(composite) = indicators::composite(indicator.id) {
        let Reading { date, value, .. } = composite.reading(set, day);
        return value.map(|value| composite_figures(composite, date, value));
    }
    let now = regime::compute(set, day);
    let state = now.state.as_ref().filter(|_| now.reason.is_none());
    state.map(regime_figures)
}

fn composite_figures(composite: &Composite, date: Date, value: f64) -> Figures {
    Figures {
        date,
        scores: vec![value],
        label: composite.band(value),
    }
}

fn regime_figures(month: &regime::RegimeMonth) -> Figures {
    Figures {
        date: month.month,
        scores: vec![month.growth, month.inflation],
        label: Some(month.regime.name()),
    }
}
