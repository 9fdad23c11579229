//! Base rates of scenarios, measured from the store and cached per state of the data.

use crate::desk::Desk;
use crate::texts::scenarios::{Scenario, embedded};
use econoscope_core::error::Result;
use econoscope_core::indicators::base_rates::{
    BaseRate, Event, ScenarioStatus, base_rate, scenario_status,
};
use econoscope_core::model::{AsOf, Date, Series};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Measured base rates by the slug of the scenario.
pub type BaseRates = BTreeMap<String, BaseRate>;

impl Scenario {
    /// Describes the event.
    pub fn describe_rule(&self) -> Option<String> {
        self.event.as_ref().map(Event::describe)
    }

    /// Describes the starting months that count.
    pub fn describe_condition(&self) -> Option<String> {
        let event = self.event.as_ref()?;
        let condition = self.condition.as_ref();
        Some(condition.map_or_else(
            || "every month".to_owned(),
            |condition| format!("months with {}", condition.describe(&event.series)),
        ))
    }

    /// Returns the 90 % interval of the base rate, measured or else documented.
    pub fn interval(&self, measured: Option<&BaseRate>) -> Option<[f64; 2]> {
        let measured = measured.map(|rate| rate.interval.into());
        measured.or(self.base_rate_interval)
    }

    /// Describes the source of the base rate: "measured from the store: 88 of 492 starting months from 1976-06 to
    /// 2025-08, T10Y2Y", or why it is the documented one.
    pub fn describe_basis(&self, measured: Option<&BaseRate>) -> String {
        let month = |d: Date| d.strftime("%Y-%m").to_string();
        match (measured, &self.event, self.since) {
            (Some(rate), Some(event), _) => format!(
                "measured from the store: {} of {} starting months from {} to {}, {}",
                rate.hits,
                rate.starts,
                month(rate.span.0),
                month(rate.span.1),
                event.series
            ),
            (None, Some(event), Some(since)) => {
                let series = &event.series;
                format!("reference study; {series} is not loaded back to {since}")
            }
            _ => "reference study".into(),
        }
    }
}

impl Desk {
    /// Returns all scenarios, ordered by slug. An operator's scenario replaces an embedded one of the same slug.
    pub fn scenarios(&self) -> Vec<&Scenario> {
        let all = embedded().iter().chain(&self.settings().scenarios);
        let by_slug: BTreeMap<&str, &Scenario> = all.map(|s| (s.slug.as_str(), s)).collect();
        by_slug.into_values().collect()
    }

    /// Returns the base rates of the scenarios for which the store has enough history.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn base_rates(&self) -> Result<Arc<BaseRates>> {
        self.base_rates.get_or_insert_with(self.state()?, || {
            let mut rates = BaseRates::new();
            for scenario in self.scenarios() {
                if let Some(rate) = self.measure_base_rate(scenario)? {
                    rates.insert(scenario.slug.clone(), rate);
                }
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
            let status = scenario_status(&series.observations, event, condition, since)?;
            Some((series, status))
        }))
    }

    fn measure_base_rate(&self, scenario: &Scenario) -> Result<Option<BaseRate>> {
        let (Some(event), Some(since), false) = (
            &scenario.event,
            scenario.since,
            self.store_summary()?.is_bundled,
        ) else {
            return Ok(None);
        };
        // With an unknown series the documented base rate is used.
        let Ok(info) = self.resolve("series", &event.series) else {
            return Ok(None);
        };
        let series = self.series(&info, AsOf::Latest)?;
        let condition = scenario.condition.as_ref();
        Ok(series.and_then(|s| base_rate(&s.observations, event, condition, since)))
    }
}
