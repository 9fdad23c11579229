//! The history of an alarm, and the recession of each time it was on.

use crate::prelude::*;
use econoscope_core::indicators::alarm::{AlarmPeriod, AlarmRule};
use econoscope_core::indicators::composite::Computation;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nber::recession_near;
use econoscope_core::indicators::{self, Indicator, sahm};
use econoscope_core::model::calendar::Publication;

/// Times in the text, the newest.
const MAX_LISTED: usize = 12;

/// The Sahm rule as published, each month from what was known then, and the series that it is computed from.
const PUBLISHED: &str = "SAHMREALTIME";
const UNEMPLOYMENT: &str = "UNRATE";

/// A time for which an alarm was on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AlarmDates {
    /// Week or month whose figure began it.
    pub on: Date,
    /// Day on which that figure came.
    pub on_known: Date,
    /// Week or month whose figure ended it; null while it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off: Option<Date>,
    /// Day on which that figure came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_known: Option<Date>,
    /// Months of the NBER recession within eight months of it, as far as it was announced; null without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recession: Option<String>,
}

/// An alarm with all its times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AlarmHistory {
    /// When it goes on and off.
    pub rule: String,
    /// Whose figures it is read from.
    pub basis: String,
    /// Whether it is on.
    pub on: bool,
    /// Every time it was on, the newest first.
    pub periods: Vec<AlarmDates>,
}

impl AlarmHistory {
    /// Returns the alarm of an indicator up to the day of the answer; `None` without an alarm or figures.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(super) fn new(desk: &Desk, indicator: &Indicator, as_of: AsOf) -> Result<Option<Self>> {
        let Some(rule) = indicator.definition().alarm else {
            return Ok(None);
        };
        if indicator.id == sahm::SAHM.id {
            return sahm_history(desk, as_of, rule);
        }
        let day = desk.reading_day(as_of);
        let Some(composite) = indicators::composite(indicator.id) else {
            return Ok(None);
        };
        let Computation::RealTime { release_day, .. } = composite.computation else {
            return Ok(None);
        };
        let path = desk.real_time_history(composite, day)?;
        let basis = "each week as it was known when it came";
        Ok(Self::apply((rule, "weeks"), basis, &path, day, release_day))
    }

    /// Applies a rule to figures; `known_on` gives the day on which a figure was published. `None` without figures.
    fn apply(
        (rule, unit): (AlarmRule, &str),
        basis: &str,
        figures: &[Observation],
        day: Date,
        known_on: impl Fn(Date) -> Date,
    ) -> Option<Self> {
        figures.last()?;
        let periods = rule.periods(figures);
        let dates = |period: &AlarmPeriod| {
            let last = Month::from_date(period.to.unwrap_or(day));
            let month = |month: Month| month.first_day().strftime("%Y-%m").to_string();
            let recession = recession_near(Month::from_date(period.from), last, day);
            AlarmDates {
                on: period.from,
                on_known: known_on(period.from),
                off: period.to,
                off_known: period.to.map(&known_on),
                recession: recession.map(|(first, last)| match last {
                    Some(last) => format!("{} to {}", month(first), month(last)),
                    None => format!("since {}", month(first)),
                }),
            }
        };
        Some(Self {
            rule: rule.describe(unit),
            basis: basis.to_owned(),
            on: periods.last().is_some_and(|period| period.to.is_none()),
            periods: periods.iter().rev().map(dates).collect(),
        })
    }

    /// Describes rule and state, then each of the newest times in a row.
    pub(super) fn describe(&self) -> String {
        let state = if self.on { "on" } else { "off" };
        let mut text = format!(
            "\nAlarm: {}; {state} now. It was on {} times, {}:\non,known,off,known,NBER recession",
            self.rule,
            self.periods.len(),
            self.basis
        );
        for period in self.periods.iter().take(MAX_LISTED) {
            let recession = period.recession.as_deref().unwrap_or("none");
            text += &format!(
                "\n{},{},{},{},{recession}",
                period.on,
                period.on_known,
                cell(period.off),
                cell(period.off_known)
            );
        }
        let more = self.periods.len().saturating_sub(MAX_LISTED);
        if more > 0 {
            text += &format!("\n({more} earlier ones are in the structure)");
        }
        text
    }
}

/// Returns the Sahm rule's alarm: as published, else from the unemployment rates known on the day.
fn sahm_history(desk: &Desk, as_of: AsOf, rule: AlarmRule) -> Result<Option<AlarmHistory>> {
    let day = desk.reading_day(as_of);
    let set = desk.series_set([PUBLISHED, UNEMPLOYMENT], as_of)?;
    let Some(info) = Catalogue::embedded().get(UNEMPLOYMENT) else {
        return Ok(None);
    };
    let publication = Publication::new(info);
    let computed;
    let (figures, basis) = match set.up_to(PUBLISHED, day) {
        [] => {
            computed = sahm::history(set.up_to(UNEMPLOYMENT, day));
            let basis = "each month from the rates known on the day of the answer";
            (computed.as_slice(), basis)
        }
        published => (published, "each month as it was known when it came"),
    };
    let known_on = |month| publication.day(month);
    Ok(AlarmHistory::apply(
        (rule, "months"),
        basis,
        figures,
        day,
        known_on,
    ))
}
