//! Base rates of scenarios, measured from the store and cached per state of the data.

use crate::desk::Desk;
use crate::texts::scenarios::{Scenario, embedded};
use econoscope_core::error::Result;
use econoscope_core::indicators::base_rates::{
    BaseRate, Event, Outcomes, ScenarioStatus, Transform,
};
use econoscope_core::model::{AsOf, Date, Series};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Base rates by the slug of the scenario.
pub type BaseRates = BTreeMap<String, ScenarioRate>;

/// The base rate of a scenario, measured or else documented.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioRate {
    /// Share of past months followed by the event, 0 to 1.
    pub share: f64,
    /// Its 90 % interval, low then high; `None` where none is documented.
    pub interval: Option<[f64; 2]>,
    /// Whether it was measured.
    pub is_measured: bool,
    /// The source: "88 of 492 months from 1976-06 to 2025-08, T10Y2Y", or why it is the documented one.
    pub basis: String,
}

impl Scenario {
    /// Describes the event.
    pub fn describe_rule(&self) -> Option<String> {
        self.event.as_ref().map(Event::describe)
    }

    /// Describes the starting months that count.
    pub fn describe_condition(&self) -> Option<String> {
        let event = self.event.as_ref()?;
        Some(match &self.condition {
            Some(condition) => format!("months with {}", condition.describe(&event.series)),
            None => "every month".to_owned(),
        })
    }
}

impl Desk {
    /// Returns all scenarios, ordered by slug. An operator's scenario replaces an embedded one of the same slug.
    pub fn scenarios(&self) -> Vec<&Scenario> {
        let all = embedded().iter().chain(&self.settings().scenarios);
        // A reference study may be later than the day of a lock.
        let known = all.filter(|s| self.settings().lock.is_none() || s.event.is_some());
        let by_slug: BTreeMap<&str, &Scenario> = known.map(|s| (s.slug.as_str(), s)).collect();
        by_slug.into_values().collect()
    }

    /// Returns the base rate of every scenario, measured where the store has enough history.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn base_rates(&self) -> Result<Arc<BaseRates>> {
        self.base_rates.get_or_insert_with(self.state()?, || {
            let mut rates = BaseRates::new();
            for scenario in self.scenarios() {
                rates.insert(scenario.slug.clone(), self.scenario_rate(scenario)?);
            }
            Ok(Arc::new(rates))
        })
    }

    /// Returns the series of a scenario's event and the event's current state; `None` without an event or stored values.
    ///
    /// # Errors
    /// [`econoscope_core::Error::NotPermitted`] when the series may not be redistributed;
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn event_state(
        &self,
        scenario: &Scenario,
    ) -> Result<Option<(Arc<Series>, ScenarioStatus)>> {
        let Some(event) = &scenario.event else {
            return Ok(None);
        };
        let info = self.resolve("series", &event.series)?;
        self.check_permitted(&info)?;
        let condition = scenario.condition.as_ref();
        let since = scenario.since.unwrap_or(i16::MIN);
        let series = self.series(&info, AsOf::Latest)?;
        Ok(series.and_then(|series| {
            let outcomes = Outcomes::new(&series.observations, event, condition, since)?;
            let status = outcomes.status()?;
            Some((series, status))
        }))
    }

    fn scenario_rate(&self, scenario: &Scenario) -> Result<ScenarioRate> {
        let month = |day: Date| day.strftime("%Y-%m").to_string();
        let measured = self.measure_base_rate(scenario)?;
        Ok(match (&measured, &scenario.event) {
            (Ok(rate), Some(event)) => ScenarioRate {
                share: rate.share,
                interval: Some(rate.interval.into()),
                is_measured: true,
                basis: format!(
                    "{} of {} months from {} to {}, {}",
                    rate.hits,
                    rate.starts,
                    month(rate.span.0),
                    month(rate.span.1),
                    event.series
                ),
            },
            _ => ScenarioRate {
                share: scenario.base_rate,
                interval: scenario.base_rate_interval,
                is_measured: false,
                basis: format!("reference study{}", measured.err().unwrap_or_default()),
            },
        })
    }

    /// Measures a base rate, or returns the reason why it cannot be; empty for a scenario that no series decides.
    fn measure_base_rate(
        &self,
        scenario: &Scenario,
    ) -> Result<std::result::Result<BaseRate, String>> {
        let (Some(event), Some(since)) = (&scenario.event, scenario.since) else {
            return Ok(Err(String::new()));
        };
        let id = &event.series;
        let Ok(info) = self.resolve("series", id) else {
            return Ok(Err(format!("; {id} is no series of the catalogue")));
        };
        let series = self.series(&info, AsOf::Latest)?;
        let rows = series.as_ref().map_or(&[][..], |s| &s.observations);
        // A change over a year needs the year before.
        let first = since - i16::from(event.transform == Transform::YoyPct);
        let is_long = rows.first().is_some_and(|row| row.date.year() <= first);
        let outcomes = Outcomes::new(rows, event, scenario.condition.as_ref(), since);
        let rate = outcomes.and_then(|outcomes| outcomes.base_rate());
        Ok(rate.ok_or_else(|| {
            if is_long {
                format!("; no month of {id} since {since} meets the condition")
            } else {
                format!("; {id} is not loaded back to {first}")
            }
        }))
    }
}
