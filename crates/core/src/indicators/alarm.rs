//! An alarm that begins and ends only after several readings in a row, so that a single odd week does neither.

use crate::model::{Date, Observation};
use serde::Deserialize;

/// Thresholds at which an alarm begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlarmRule {
    /// Readings at or above it count for the alarm.
    pub on: f64,
    /// Number of readings in a row that begin it.
    pub on_after: usize,
    /// Readings below it count against the alarm.
    pub off: f64,
    /// Number of readings in a row that end it.
    pub off_after: usize,
}

/// The state of an alarm on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alarm {
    /// Whether it is on.
    pub on: bool,
    /// Date of the reading that last began or ended it; `None` before the first alarm.
    pub since: Option<Date>,
}

impl Alarm {
    /// Describes the state of an alarm on weekly readings: "on since the week of 2020-03-28", "off".
    pub fn describe(&self) -> String {
        let state = if self.on { "on" } else { "off" };
        let since = self.since.map(|week| format!(" since the week of {week}"));
        format!("{state}{}", since.unwrap_or_default())
    }
}

/// A period in which an alarm was on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlarmPeriod {
    /// Date of the reading that began it.
    pub from: Date,
    /// Date of the reading that ended it; `None` while it is on.
    pub to: Option<Date>,
}

impl AlarmRule {
    /// Describes the rule; `readings` names what is counted.
    /// Shape: "on after 2 weeks in a row at 65 or more, off after 4 weeks in a row under 35".
    pub fn describe(&self, readings: &str) -> String {
        let streak = |length: usize| match length {
            ..=1 => String::new(),
            _ => format!("after {length} {readings} in a row "),
        };
        let on_after = streak(self.on_after);
        let off_after = streak(self.off_after);
        let on = self.on;
        let off = self.off;
        format!("on {on_after}at {on} or more, off {off_after}under {off}")
    }

    /// Returns every period in which the alarm was on, ascending. A missing reading does not break a run.
    pub fn periods(&self, readings: &[Observation]) -> Vec<AlarmPeriod> {
        let mut periods: Vec<AlarmPeriod> = Vec::new();
        let next = |length: usize, counts: bool| if counts { length + 1 } else { 0 };
        let mut readings_on = 0;
        let mut readings_off = 0;
        for o in readings {
            readings_on = next(readings_on, o.value >= self.on);
            readings_off = next(readings_off, o.value < self.off);
            match periods.last_mut().filter(|p| p.to.is_none()) {
                Some(period) if readings_off >= self.off_after => period.to = Some(o.date),
                None if readings_on >= self.on_after => periods.push(AlarmPeriod {
                    from: o.date,
                    to: None,
                }),
                _ => {}
            }
        }
        periods
    }

    /// Returns the state of the alarm after all these readings.
    pub fn state(&self, readings: &[Observation]) -> Alarm {
        let last = self.periods(readings).last().copied();
        Alarm {
            on: last.is_some_and(|p| p.to.is_none()),
            since: last.map(|p| p.to.unwrap_or(p.from)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    const RULE: AlarmRule = AlarmRule {
        on: 65.0,
        on_after: 2,
        off: 35.0,
        off_after: 4,
    };

    #[test]
    fn rule_is_described_as_a_phrase() {
        assert_eq!(
            RULE.describe("weeks"),
            "on after 2 weeks in a row at 65 or more, off after 4 weeks in a row under 35"
        );
        let at_once = AlarmRule {
            on: 0.5,
            on_after: 1,
            off: 0.5,
            off_after: 1,
        };
        assert_eq!(
            at_once.describe("months"),
            "on at 0.5 or more, off under 0.5"
        );
    }

    #[test]
    fn alarm_needs_several_readings_to_begin_and_end() {
        let values = [
            70.0, 60.0, 65.0, 65.0, 34.0, 34.0, 34.0, 35.0, 20.0, 20.0, 20.0, 20.0, 99.0,
        ];
        let days = (1..).map(|day| date(2020, 1, day));
        let readings: Vec<_> = days
            .zip(values)
            .map(|(d, v)| Observation::new(d, v))
            .collect();
        let period = |to| AlarmPeriod {
            from: date(2020, 1, 4),
            to,
        };
        assert_eq!(RULE.periods(&readings), [period(Some(date(2020, 1, 12)))]);
        assert_eq!(RULE.periods(&readings[..11]), [period(None)]);
        assert_eq!(RULE.periods(&readings[..3]), []);
        let state = |n: usize| {
            let alarm = RULE.state(&readings[..n]);
            (alarm.on, alarm.since.map(|d| d.day()), alarm.describe())
        };
        assert_eq!(
            [state(3), state(11), state(13)],
            [
                (false, None, "off".to_owned()),
                (true, Some(4), "on since the week of 2020-01-04".to_owned()),
                (
                    false,
                    Some(12),
                    "off since the week of 2020-01-12".to_owned()
                )
            ]
        );
    }
}
