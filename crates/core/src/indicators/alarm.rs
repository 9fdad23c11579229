//! An alarm that rings and ends after several readings in a row, so that one odd week does neither.

use super::prose::joined;
use crate::model::{Date, Observation};

/// When an alarm rings and when it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlarmRule {
    /// Readings at or above it count for the alarm.
    pub on: f64,
    /// So many in a row begin it.
    pub on_after: usize,
    /// Readings below it count against the alarm.
    pub off: f64,
    /// So many in a row end it.
    pub off_after: usize,
}

/// An alarm on some day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alarm {
    /// Whether it rings.
    pub on: bool,
    /// Date of the reading that began or ended it last; `None` before the first alarm.
    pub since: Option<Date>,
}

impl Alarm {
    /// The state as a phrase, of weekly readings: "on since the week of 2020-03-28", "off".
    pub fn in_words(&self) -> String {
        let state = if self.on { "on" } else { "off" };
        let since = self.since.map(|week| format!(" since the week of {week}"));
        format!("{state}{}", since.unwrap_or_default())
    }
}

/// A time for which an alarm rang.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlarmPeriod {
    /// Date of the reading that began it.
    pub from: Date,
    /// Date of the reading that ended it; `None` while it rings.
    pub to: Option<Date>,
}

impl AlarmRule {
    /// The rule as a phrase; `readings` names what is counted.
    /// Shape: "on after 2 weeks in a row at 65 or more, off after 4 weeks in a row under 35".
    pub fn in_words(&self, readings: &str) -> String {
        let sides = [
            ("on", self.on_after, "at", self.on, " or more"),
            ("off", self.off_after, "under", self.off, ""),
        ];
        let side = |(word, after, where_to, level, end): (&str, usize, &str, f64, &str)| {
            let row = match after {
                ..=1 => String::new(),
                many => format!("after {many} {readings} in a row "),
            };
            format!("{word} {row}{where_to} {level}{end}")
        };
        joined(sides.map(side), ", ")
    }

    /// Every time for which it rang, ascending. A reading that is missing between two others breaks no run.
    pub fn spells(&self, readings: &[Observation]) -> Vec<AlarmPeriod> {
        let mut spells: Vec<AlarmPeriod> = Vec::new();
        let (mut for_it, mut against) = (0, 0);
        for o in readings {
            for_it = if o.value >= self.on { for_it + 1 } else { 0 };
            against = if o.value < self.off { against + 1 } else { 0 };
            match spells.last_mut().filter(|s| s.to.is_none()) {
                Some(rings) if against >= self.off_after => rings.to = Some(o.date),
                None if for_it >= self.on_after => spells.push(AlarmPeriod {
                    from: o.date,
                    to: None,
                }),
                _ => {}
            }
        }
        spells
    }

    /// The alarm after all these readings.
    pub fn state(&self, readings: &[Observation]) -> Alarm {
        let last = self.spells(readings).last().copied();
        Alarm {
            on: last.is_some_and(|s| s.to.is_none()),
            since: last.map(|s| s.to.unwrap_or(s.from)),
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
    fn a_rule_is_a_phrase() {
        assert_eq!(
            RULE.in_words("weeks"),
            "on after 2 weeks in a row at 65 or more, off after 4 weeks in a row under 35"
        );
        let at_once = AlarmRule {
            on: 0.5,
            on_after: 1,
            off: 0.5,
            off_after: 1,
        };
        assert_eq!(
            at_once.in_words("months"),
            "on at 0.5 or more, off under 0.5"
        );
    }

    #[test]
    fn an_alarm_needs_a_row_of_readings_to_ring_and_to_end() {
        let values = [
            70.0, 60.0, 65.0, 65.0, 34.0, 34.0, 34.0, 35.0, 20.0, 20.0, 20.0, 20.0, 99.0,
        ];
        let days = (1..).map(|day| date(2020, 1, day));
        let readings: Vec<_> = days
            .zip(values)
            .map(|(d, v)| Observation::new(d, v))
            .collect();
        let spell = |to| AlarmPeriod {
            from: date(2020, 1, 4),
            to,
        };
        assert_eq!(RULE.spells(&readings), [spell(Some(date(2020, 1, 12)))]);
        assert_eq!(RULE.spells(&readings[..11]), [spell(None)]);
        assert_eq!(RULE.spells(&readings[..3]), []);
        let state = |n: usize| {
            let alarm = RULE.state(&readings[..n]);
            (alarm.on, alarm.since.map(|d| d.day()), alarm.in_words())
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
