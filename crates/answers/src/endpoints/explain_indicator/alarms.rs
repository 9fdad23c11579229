//! When an alarm went on and off, and the recession that each time belongs to.

use crate::endpoints::prelude::*;
use econoscope_core::indicators::alarm::{AlarmPeriod, AlarmRule};
use econoscope_core::indicators::composite::Computation;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nber::recession_near;
use econoscope_core::indicators::{self, Indicator, sahm};
use econoscope_core::model::Observation;
use econoscope_core::model::calendar::Publication;

/// Times that the text lists, the newest.
const LISTED: usize = 12;

/// The Sahm rule as published, each month from what was known then, and the series it is else computed from.
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
    /// The alarm of an indicator up to the day of the answer; `None` of one without an alarm, or without figures.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(super) fn of(desk: &Desk, about: &Indicator, as_of: AsOf) -> Result<Option<Self>> {
        let day = desk.present(as_of);
        if about.id == sahm::SAHM.id {
            return of_sahm(desk, as_of, day);
        }
        let composite = indicators::composite(about.id);
        let Some((composite, rule)) = composite.and_then(|c| Some((c, c.alarm?))) else {
            return Ok(None);
        };
        let Computation::AsKnown { out_on, .. } = composite.computation else {
            return Ok(None);
        };
        let path = desk.as_known_up_to(composite, day)?;
        let basis = "each week as it was known when it came";
        Ok(Self::read((rule, "weeks"), basis, &path, day, out_on))
    }

    fn read(
        (rule, readings): (AlarmRule, &str),
        basis: &str,
        figures: &[Observation],
        day: Date,
        known: impl Fn(Date) -> Date,
    ) -> Option<Self> {
        figures.last()?;
        let periods = rule.spells(figures);
        let dates = |period: &AlarmPeriod| {
            let last = Month::of(period.to.unwrap_or(day));
            let month = |month: Month| month.first_day().strftime("%Y-%m").to_string();
            let recession = recession_near(Month::of(period.from), last, day);
            AlarmDates {
                on: period.from,
                on_known: known(period.from),
                off: period.to,
                off_known: period.to.map(&known),
                recession: recession.map(|(first, last)| match last {
                    Some(last) => format!("{} to {}", month(first), month(last)),
                    None => format!("since {}", month(first)),
                }),
            }
        };
        Some(Self {
            rule: rule.in_words(readings),
            basis: basis.to_owned(),
            on: periods.last().is_some_and(|period| period.to.is_none()),
            periods: periods.iter().rev().map(dates).collect(),
        })
    }

    /// The rule, the state and a row for each time.
    pub(super) fn in_prose(&self) -> String {
        let (rule, basis, times) = (&self.rule, &self.basis, self.periods.len());
        let state = if self.on { "on" } else { "off" };
        let listed = match times > LISTED {
            true => format!(", the newest {LISTED}"),
            false => String::new(),
        };
        let mut text = format!(
            "\nAlarm: {rule}; {state} now. It was on {times} times{listed}, {basis} (figure, day it came; NBER recession):"
        );
        for period in self.periods.iter().take(LISTED) {
            let off = match (period.off, period.off_known) {
                (Some(off), Some(known)) => format!("off {off} ({known})"),
                _ => "still on".to_owned(),
            };
            let recession = period.recession.as_deref().unwrap_or("none");
            let (on, known) = (period.on, period.on_known);
            text += &format!("\n- on {on} ({known}), {off}; {recession}");
        }
        text
    }
}

/// The Sahm rule's signals: as published, or else from the unemployment rates known on the day.
fn of_sahm(desk: &Desk, as_of: AsOf, day: Date) -> Result<Option<AlarmHistory>> {
    let set = desk.set([PUBLISHED, UNEMPLOYMENT], as_of)?;
    let Some(info) = Catalogue::embedded().get(UNEMPLOYMENT) else {
        return Ok(None);
    };
    let publication = Publication::of(info);
    let rule = (sahm::ALARM, "months");
    let known = |month| publication.day(month);
    Ok(match set.up_to(PUBLISHED, day) {
        [] => {
            let computed = sahm::history(set.up_to(UNEMPLOYMENT, day));
            let basis = "each month from the rates known on the day of the answer";
            AlarmHistory::read(rule, basis, &computed, day, known)
        }
        published => {
            let basis = "each month as it was known when it came";
            AlarmHistory::read(rule, basis, published, day, known)
        }
    })
}
