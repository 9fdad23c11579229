//! Figures at single days: the one on or before each, with a word where that is of another day or none speaks for it.

use super::arguments::{DateSelection, SelectedDay};
use super::digest::shown_percent;
use crate::endpoints::days::trading_days;
use crate::endpoints::lateness::late_or_ended;
use crate::endpoints::measured::FigureKind;
use crate::endpoints::prelude::*;
use econoscope_core::indicators::statistics::mean;
use econoscope_core::model::series_info::without_noise;
use econoscope_core::model::{Frequency, Observation, Series};

/// The figure at a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    #[serde(rename = "changeUnit")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
pub(super) fn points(
    series: &Series,
    measured: &FigureKind,
    asked: &DateSelection,
) -> Vec<PointInTime> {
    let mut against: Option<f64> = None;
    let mut event = None;
    let point = |(day, horizon): &SelectedDay| {
        let trading = horizon.as_deref().and_then(trading_days).zip(event);
        let (found, note) = match trading {
            Some((days, event)) => later(series, measured.frequency, event, days),
            None => figure(series, measured.frequency, *day, asked.newest),
        };
        let value = found.map(|o| measured.told(o.value));
        // An event stands alone; a day of a list follows the one before.
        let both = value.zip(against.filter(|_| horizon.is_some() || !asked.is_events));
        let change = both.map(|(now, before)| without_noise(now - before));
        let amounts = both.filter(|(now, before)| measured.is_amount() && now.min(*before) > 0.0);
        if horizon.is_none() {
            against = value.or(against.filter(|_| !asked.is_events));
            event = Some(*day);
        }
        let of_figure = trading.and(found).map(|o| o.date);
        PointInTime {
            asked: of_figure.unwrap_or(*day),
            horizon: horizon.clone(),
            date: found.map(|o| o.date),
            value,
            change,
            change_unit: change.map(|_| measured.change_unit.clone()),
            change_bp: change.and_then(|change| measured.basis_points(change)),
            change_pct: amounts.map(|(now, before)| shown_percent(100.0 * (now / before - 1.0))),
            note,
        }
    };
    asked.days.iter().map(point).collect()
}

/// The mean change over a horizon of several events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeanChange {
    /// How long after the events.
    pub horizon: String,
    /// Events with a figure at both ends.
    pub events: usize,
    /// Mean of the changes, in `changeUnit`.
    pub change: f64,
    /// Events after which it had risen.
    pub rises: usize,
    /// Unit of the change.
    #[serde(rename = "changeUnit")]
    pub change_unit: String,
    /// Mean of the changes in percent, where each has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_pct: Option<f64>,
}

/// The mean of each horizon, in their order; none for a single event.
pub(super) fn means(points: &[PointInTime]) -> Vec<MeanChange> {
    let mut horizons: Vec<&String> = Vec::new();
    for horizon in points.iter().filter_map(|p| p.horizon.as_ref()) {
        if !horizons.contains(&horizon) {
            horizons.push(horizon);
        }
    }
    if points.iter().filter(|p| p.horizon.is_none()).count() < 2 {
        return Vec::new();
    }
    let of = |horizon: &String| {
        let of = points
            .iter()
            .filter(|p| p.horizon.as_ref() == Some(horizon));
        let moved: Vec<&PointInTime> = of.filter(|p| p.change.is_some()).collect();
        let changes: Vec<f64> = moved.iter().filter_map(|p| p.change).collect();
        let percents: Option<Vec<f64>> = moved.iter().map(|p| p.change_pct).collect();
        Some(MeanChange {
            horizon: horizon.clone(),
            events: changes.len(),
            change: without_noise(mean(&changes)?),
            rises: changes.iter().filter(|c| **c > 0.0).count(),
            change_unit: moved.first()?.change_unit.clone()?,
            change_pct: percents.and_then(|p| mean(&p)).map(shown_percent),
        })
    };
    horizons.into_iter().filter_map(of).collect()
}

impl MeanChange {
    /// "Mean of 8 events, +3m: +0.31 points (+31 bp), higher after 6".
    pub(super) fn line(&self, measured: &FigureKind) -> String {
        let change = measured.change(self.change, self.change_pct);
        let (events, horizon, rises) = (self.events, &self.horizon, self.rises);
        format!("Mean of {events} events, +{horizon}: {change}, higher after {rises}")
    }
}

/// The figure so many trading days after the one that speaks for an event, and why there is none.
fn later(
    series: &Series,
    frequency: Frequency,
    event: Date,
    days: u16,
) -> (Option<Observation>, Option<String>) {
    let rows = &series.observations;
    let at = rows.partition_point(|row| row.date <= event);
    let found = at.checked_sub(1);
    let found = found.and_then(|at| rows.get(at + usize::from(days)));
    let why = || match rows.last().filter(|_| at > 0) {
        Some(last) => format!(
            "no figure yet; the newest is of {}",
            frequency.label(last.date)
        ),
        None => "no figure at the event".to_owned(),
    };
    (found.copied(), found.is_none().then(why))
}

/// The figure that speaks for a day, and why it is of another one or none is; `newest` is the last day of which anything
/// can be known.
fn figure(
    series: &Series,
    frequency: Frequency,
    day: Date,
    newest: Date,
) -> (Option<Observation>, Option<String>) {
    let rows = &series.observations;
    let (Some(found), Some(last)) = (series.last_on_or_before(day), rows.last()) else {
        let begins = |first: &Observation| format!("begins {}", frequency.when(first.date));
        let why = rows.first().map_or("no figure".to_owned(), begins);
        return (None, Some(why));
    };
    let is_last = last.date == found.date;
    if !series.is_stale(found.date, day) {
        let note = another_day(frequency, (found.date, is_last), day);
        return (Some(found), note);
    }
    let label = frequency.label(found.date);
    // Of a day that is past, a figure should be there.
    let late = late_or_ended(series, last.date, day).filter(|_| is_last && day <= newest);
    let why = match (is_last, late) {
        (true, Some(late)) => format!("no figure, {late}; the newest is of {label}"),
        (true, None) => format!("no figure yet; the newest is of {label}"),
        (false, _) => format!("no figure; the one before is of {label}"),
    };
    (None, Some(why))
}

/// That the figure, which may be the last one there is, is of another day or period than asked for.
fn another_day(
    frequency: Frequency,
    (found, is_last): (Date, bool),
    asked: Date,
) -> Option<String> {
    let weekday = |day: Date| day.strftime("%A");
    let said = match frequency {
        _ if found == asked => return None,
        Frequency::Daily => {
            let why = match asked.weekday().to_monday_one_offset() > 5 {
                true => "",
                false if is_last => ", no figure yet",
                false => ", no figure",
            };
            format!("{}{why}; {}'s", weekday(asked), weekday(found))
        }
        Frequency::Weekly | Frequency::Biweekly => format!("{}; newest week", weekday(asked)),
        Frequency::Monthly | Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual => {
            if frequency.period_number(found) == frequency.period_number(asked) {
                return None;
            }
            let why = match is_last {
                true => "not out yet",
                false => "never published",
            };
            let missing = frequency.label(frequency.stamp(asked));
            format!("{missing}: {why}; {}'s", frequency.label(found))
        }
    };
    Some(said)
}

impl PointInTime {
    /// "+3m, 2022-07-01: 2.88 on 2022-07-01, change +0.49 points (+49 bp)".
    pub(super) fn line(&self, measured: &FigureKind) -> String {
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
