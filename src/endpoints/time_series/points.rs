//! Figures at single days: the one on or before each, with a word where that is of another day or none speaks for it.

use super::asked::{Asked, AskedDay};
use super::digest::shown_percent;
use crate::endpoints::measured::Measured;
use crate::model::series_info::without_noise;
use crate::model::{Date, Frequency, Observation, Series};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The figure at a day.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PointInTime {
    /// The day asked for.
    pub asked: Date,
    /// How long after the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<String>,
    /// Date of the figure: the newest on or before the day.
    pub date: Option<Date>,
    /// The figure; null with a note.
    pub value: Option<f64>,
    /// Less the figure at the event, or at the day asked for before, in `changeUnit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
    /// Unit of the change.
    #[serde(
        rename = "changeUnit",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub change_unit: Option<String>,
    /// The same in basis points, of percentages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_bp: Option<f64>,
    /// The same in percent, where that means something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_pct: Option<f64>,
    /// Why the figure is of another day, or none: "Saturday; Friday's".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The figures at the days asked for, each with its change from the event or from the day before it in the list.
pub(super) fn points(series: &Series, measured: &Measured, asked: &Asked) -> Vec<PointInTime> {
    let mut against: Option<f64> = None;
    let mut points = Vec::new();
    for day in &asked.days {
        let mut point = point(series, measured.frequency, day);
        point.value = point.value.map(|v| measured.told(v));
        if let (Some(now), Some(before)) = (point.value, against) {
            let change = without_noise(now - before);
            point.change = Some(change);
            point.change_unit = Some(measured.change_unit.clone());
            point.change_bp = measured.basis_points(change);
            let is_amount = measured.is_amount() && before > 0.0 && now > 0.0;
            point.change_pct = is_amount.then(|| shown_percent(100.0 * (now / before - 1.0)));
        }
        let is_event = asked.is_event() && day.horizon.is_none();
        if is_event || !asked.is_event() {
            against = point.value.or(against);
        }
        points.push(point);
    }
    points
}

fn point(series: &Series, frequency: Frequency, asked: &AskedDay) -> PointInTime {
    let mut point = PointInTime {
        asked: asked.day,
        horizon: asked.horizon.clone(),
        ..PointInTime::default()
    };
    let Some(found) = series.last_on_or_before(asked.day) else {
        let begin = series.observations.first();
        point.note = Some(match begin {
            Some(first) => format!("begins {}", frequency.when(first.date)),
            None => "no figure".into(),
        });
        return point;
    };
    if series.is_stale(found.date, asked.day) {
        point.note = Some(absent(series, frequency, found));
        return point;
    }
    point.date = Some(found.date);
    point.value = Some(found.value);
    point.note = another_day(series, frequency, found.date, asked.day);
    point
}

/// Why nothing speaks for a day: the newest figure before it is too old.
fn absent(series: &Series, frequency: Frequency, found: Observation) -> String {
    let is_last = series.observations.last().map(|o| o.date) == Some(found.date);
    let label = frequency.label(found.date);
    match is_last {
        true => format!("no figure yet; the newest is of {label}"),
        false => format!("no figure; the one before is of {label}"),
    }
}

/// That the figure is of another day or period than asked for.
fn another_day(series: &Series, frequency: Frequency, found: Date, asked: Date) -> Option<String> {
    let is_last = series.observations.last().map(|o| o.date) == Some(found);
    let weekday = |day: Date| day.strftime("%A").to_string();
    match frequency {
        Frequency::Daily if found == asked => None,
        Frequency::Daily => {
            let is_weekend = asked.weekday().to_monday_one_offset() > 5;
            let why = match (is_weekend, is_last) {
                (true, _) => weekday(asked),
                (false, true) => format!("{}, no figure yet", weekday(asked)),
                (false, false) => format!("{}, no figure", weekday(asked)),
            };
            Some(format!("{why}; {}'s", weekday(found)))
        }
        Frequency::Weekly | Frequency::Biweekly => {
            (found != asked).then(|| format!("{}; newest week", weekday(asked)))
        }
        Frequency::Monthly | Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual => {
            let is_same = frequency.period_number(found) == frequency.period_number(asked);
            let missing = frequency.label(frequency.stamp(asked));
            let why = if is_last {
                "not out yet"
            } else {
                "never published"
            };
            (!is_same).then(|| format!("{missing}: {why}; {}'s", frequency.label(found)))
        }
    }
}

impl PointInTime {
    /// "+3m, 2022-07-01: 2.88 on 2022-07-01, change +0.49 points (+49 bp)".
    pub(super) fn line(&self, measured: &Measured) -> String {
        let horizon = self.horizon.as_ref().map(|h| format!("+{h}, "));
        let mut text = format!("{}{}: ", horizon.unwrap_or_default(), self.asked);
        if let (Some(value), Some(date)) = (self.value, self.date) {
            text += &measured.figure(value);
            if date != self.asked || measured.frequency > Frequency::Weekly {
                text += &format!(" {}", measured.frequency.when(date));
            }
        }
        if let Some(note) = &self.note {
            text += &match self.value {
                Some(_) => format!(" ({note})"),
                None => note.clone(),
            };
        }
        let change = self.change.map(|c| measured.change(c, self.change_pct));
        text.extend(change.map(|change| format!(", change {change}")));
        text
    }
}
