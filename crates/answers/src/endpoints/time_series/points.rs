//! Figures at single days: the newest on or before each, with a note where it is of another day or absent.

use super::arguments::{DateSelection, SelectedDay};
use super::digest::round_percent;
use crate::dates::trading_days;
use crate::prelude::*;
use econoscope_core::indicators::statistics::{mean, quantile};
use econoscope_desk::texts::remarks;

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
    /// Value minus that at the event or at the previous `asked`, in `changeUnit`.
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

/// Returns the figures at the selected days, each with its change from the event or from the day before it in the list.
pub(super) fn points(
    series: &Series,
    kind: &FigureKind,
    selection: &DateSelection,
) -> Vec<PointInTime> {
    let mut base: Option<f64> = None;
    let mut event = None;
    let point = |(day, horizon): &SelectedDay| {
        let trading = horizon.as_deref().and_then(trading_days).zip(event);
        let (row, note) = match trading {
            Some((days, event)) => figure_after(series, kind.frequency, event, days),
            None => figure_at(series, kind.frequency, *day, selection.newest),
        };
        let value = row.map(|o| kind.round(o.value));
        // An event has no change; a day of a list has the one from the day before.
        let both = value.zip(base.filter(|_| horizon.is_some() || !selection.is_events));
        let change = both.map(|(now, before)| remove_rounding_error(now - before));
        let amounts = both.filter(|(now, before)| kind.is_amount() && now.min(*before) > 0.0);
        if horizon.is_none() {
            base = value.or(base.filter(|_| !selection.is_events));
            event = Some(*day);
        }
        let trading_day = trading.and(row).map(|o| o.date);
        PointInTime {
            asked: trading_day.unwrap_or(*day),
            horizon: horizon.clone(),
            date: row.map(|o| o.date),
            value,
            change,
            change_unit: change.map(|_| kind.change_unit.clone()),
            change_bp: change.and_then(|change| kind.basis_points(change)),
            change_pct: amounts.map(|(now, before)| round_percent(100.0 * (now / before - 1.0))),
            note,
        }
    };
    selection.days.iter().map(point).collect()
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
    /// Their median.
    pub median: f64,
    /// Events after which it had risen.
    pub rises: usize,
    /// Unit of the change.
    #[serde(rename = "changeUnit")]
    pub change_unit: String,
    /// Mean of the changes in percent, where each has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_pct: Option<f64>,
}

/// Returns the mean of each horizon, in their order; empty for a single event.
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
    let mean_change = |horizon: &String| {
        let own = |p: &&PointInTime| p.horizon.as_ref() == Some(horizon) && p.change.is_some();
        let after: Vec<&PointInTime> = points.iter().filter(own).collect();
        let mut changes: Vec<f64> = after.iter().filter_map(|p| p.change).collect();
        changes.sort_by(f64::total_cmp);
        // The percentages of the points are rounded.
        let percent = |p: &&PointInTime| {
            let (now, change) = p.change_pct.and(p.value.zip(p.change))?;
            Some(100.0 * (now / (now - change) - 1.0))
        };
        let percents: Option<Vec<f64>> = after.iter().map(percent).collect();
        Some(MeanChange {
            horizon: horizon.clone(),
            events: changes.len(),
            change: remove_rounding_error(mean(&changes)?),
            median: remove_rounding_error(quantile(&changes, 50)?),
            rises: changes.iter().filter(|c| **c > 0.0).count(),
            change_unit: after.first()?.change_unit.clone()?,
            change_pct: percents.and_then(|p| mean(&p)).map(round_percent),
        })
    };
    horizons.into_iter().filter_map(mean_change).collect()
}

impl MeanChange {
    /// "Mean of 8 events, +3m: +0.31 points, higher after 6".
    pub(super) fn describe(&self, kind: &FigureKind) -> String {
        let change = kind.format_change(self.change, self.change_pct);
        let events = self.events;
        let horizon = &self.horizon;
        let rises = self.rises;
        let median = format_signed(self.median, 2);
        format!(
            "Mean of {events} events, +{horizon}: {change} (median {median}), higher after {rises}"
        )
    }
}

/// A figure, and a note where it is of another day or absent.
type NotedFigure = (Option<Observation>, Option<String>);

/// Returns the figure `days` trading days after the one at an event, or the reason why there is none.
fn figure_after(series: &Series, frequency: Frequency, event: Date, days: u16) -> NotedFigure {
    let rows = &series.observations;
    let start = rows.partition_point(|row| row.date <= event);
    let (Some(start), Some(last)) = (start.checked_sub(1), rows.last()) else {
        return (None, Some("no figure at the event".to_owned()));
    };
    let row = rows.get(start + usize::from(days)).copied();
    let label = frequency.label(last.date);
    let reason = || format!("no figure yet; the newest is of {label}");
    (row, row.is_none().then(reason))
}

/// Returns the figure for a day, and why it is of another day or absent; `newest` is the newest day that the answer may
/// speak of.
fn figure_at(series: &Series, frequency: Frequency, day: Date, newest: Date) -> NotedFigure {
    let rows = &series.observations;
    let (Some(row), Some(last)) = (series.last_on_or_before(day), rows.last()) else {
        let begins =
            |first: &Observation| format!("begins {}", frequency.period_phrase(first.date));
        let reason = rows.first().map_or("no figure".to_owned(), begins);
        return (None, Some(reason));
    };
    let is_last = last.date == row.date;
    let timeliness = series.timeliness(row.date, day);
    if timeliness == Timeliness::Current {
        let note = describe_other_day(series, frequency, row.date, is_last, day);
        return (Some(row), note);
    }
    let label = frequency.label(row.date);
    // Who asks for today wants the newest there is.
    if is_last && day == newest {
        return (Some(row), Some(format!("the newest, of {label}")));
    }
    let reason = if !is_last {
        format!("no figure; the one before is of {label}")
    } else if day <= newest {
        format!("no figure, {timeliness}; the newest is of {label}")
    } else {
        // For a future day there is no figure to be late.
        format!("no figure yet; the newest is of {label}")
    };
    (None, Some(reason))
}

/// Describes a figure of another day or period than the selected one: "Saturday; Friday's". `is_last` tells whether it is
/// the newest of the series.
fn describe_other_day(
    series: &Series,
    frequency: Frequency,
    date: Date,
    is_last: bool,
    day: Date,
) -> Option<String> {
    let period = |day| frequency.period_number(day);
    if date == day || frequency >= Frequency::Monthly && period(date) == period(day) {
        return None;
    }
    let weekday = |day: Date| day.strftime("%A");
    Some(match frequency {
        Frequency::Daily => {
            let reason = if day.weekday().to_monday_one_offset() > 5 {
                ""
            } else if is_last {
                ", no figure yet"
            } else {
                ", no figure"
            };
            format!("{}{reason}; {}'s", weekday(day), weekday(date))
        }
        Frequency::Weekly | Frequency::Biweekly => format!("{}; newest week", weekday(day)),
        Frequency::Monthly | Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual => {
            let missing = frequency.period_date(day);
            let reason = if is_last {
                "not out yet"
            } else if remarks::was_never_published(series.info.id.as_str(), missing) {
                "never published"
            } else {
                "no figure here"
            };
            let missing = frequency.label(missing);
            format!("{missing}: {reason}; {}'s", frequency.label(date))
        }
    })
}

/// So many events are told as a table of changes, fewer point by point.
const MIN_EVENTS_IN_TABLE: usize = 5;

/// Renders a line for each point, or a row for each of many events: what it was then, and its change over each horizon.
pub(super) fn render(points: &[PointInTime], kind: &FigureKind) -> String {
    let events: Vec<&[PointInTime]> = points.chunk_by(|_, next| next.horizon.is_some()).collect();
    let horizons = points.iter().filter_map(|point| point.horizon.as_ref());
    let is_table = events.len() >= MIN_EVENTS_IN_TABLE && events.iter().all(|e| e.len() > 1);
    if !is_table {
        let lines = points
            .iter()
            .map(|point| format!("\n{}", point.describe(kind)));
        return lines.collect();
    }
    let each = points.len() / events.len() - 1;
    let heads = horizons.take(each).map(|horizon| format!(",+{horizon}"));
    let unit = if kind.is_amount() {
        "%"
    } else {
        &kind.change_unit
    };
    let mut text = format!(
        "\nChanges after each event in {unit}:\nevent,then{}",
        join(heads, "")
    );
    for event in events {
        let cells = event.iter().map(|point| point.cell(kind));
        text += &format!("\n{}", join(cells, ","));
    }
    text
}

impl PointInTime {
    /// Formats the event with its figure, or the change after one, as cells; a note where there is none.
    fn cell(&self, kind: &FigureKind) -> String {
        let note = || table_cell(self.note.as_deref().unwrap_or_default());
        if self.horizon.is_none() {
            let then = self.value.map_or_else(note, |value| kind.format(value));
            return format!("{},{then}", self.asked);
        }
        let percent = self.change_pct.filter(|_| kind.is_amount());
        match (self.change, percent) {
            (_, Some(percent)) => format_signed(percent, 1),
            (Some(change), None) => {
                format_signed(change, usize::try_from(kind.decimals).unwrap_or(2))
            }
            (None, None) => "–".to_owned(),
        }
    }

    /// "+3m, 2022-07-01: 2.88 on 2022-07-01, change +0.49 points".
    pub(super) fn describe(&self, kind: &FigureKind) -> String {
        let horizon = enclosed_value("+", self.horizon.as_ref(), ", ");
        let mut text = format!("{horizon}{}: ", self.asked);
        if let (Some(value), Some(date)) = (self.value, self.date) {
            text += &kind.format(value);
            if date != self.asked || kind.frequency > Frequency::Weekly {
                text += &format!(" {}", kind.frequency.period_phrase(date));
            }
        }
        if let Some(note) = &self.note {
            text += &match self.value {
                Some(_) => format!(" ({note})"),
                None => note.clone(),
            };
        }
        let change = self.change.map(|c| kind.format_change(c, self.change_pct));
        text.extend(change.map(|change| format!(", change {change}")));
        text
    }
}
