//! Alerts: crossings of a condition, as feeds, calendars and resources report them.

use crate::site::{digest, encode_segment};
use econoscope_answers::conditions::{Crossing, Crossings, crossings};
use econoscope_core::error::Result;
use econoscope_core::format::period;
use econoscope_core::model::{AsOf, Date, SeriesInfo, untrusted};
use econoscope_desk::Desk;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most alerts of one feed, the newest.
pub(crate) const MAX_ALERTS: usize = 50;
/// Most crossings in a resource, the newest.
const RESOURCE_CROSSINGS: usize = 10;
/// Most characters of a source's name.
const MAX_SOURCE: usize = 200;

/// A crossing of a condition.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Alert {
    pub(crate) id: String,
    pub(crate) condition: String,
    /// Date of the figure that crossed.
    date: Date,
    /// Day from which that figure was first known, and whether it is estimated from the usual lag.
    pub(crate) known_on: Date,
    known_on_estimated: bool,
    direction: String,
    met: bool,
    pub(crate) title: String,
    pub(crate) description: String,
    /// The chart around the day.
    pub(crate) page: String,
}

impl Alert {
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(crate) fn new(desk: &Desk, crossings: &Crossings, crossing: &Crossing) -> Result<Self> {
        let known = known_on(desk, crossings, crossing.date)?;
        let condition = &crossings.condition;
        let date = crossing.date;
        let since = period(date, crossings.frequency);
        let negation = if crossing.met { "" } else { "no longer " };
        let series = crossings.series.iter();
        let ids: Vec<String> = series.map(|info| desk.display_id(&info.id)).collect();
        let page = match ids.as_slice() {
            [id] => {
                let id = encode_segment(id);
                let start = date.first_of_year();
                let end = desk.today();
                format!("/series/{id}?start={start}&end={end}")
            }
            ids => format!("/compare?series={}", encode_segment(&ids.join(","))),
        };
        let campaign = format!("alert/{}", encode_segment(condition));
        let frequency = crossings.frequency.word();
        let sources = sources(crossings);
        Ok(Self {
            id: id(condition, &date.to_string()),
            condition: condition.clone(),
            date,
            known_on: known.day,
            known_on_estimated: known.is_estimated,
            direction: crossing.direction.clone(),
            met: crossing.met,
            title: format!("{condition}: {negation}met since {since}"),
            description: format!(
                "The {frequency} figure for {since} {negation}meets the condition {condition}. Known from {}. Figures as last revised. {sources}",
                known.day
            ),
            page: desk.settings().address(&page, &campaign),
        })
    }

    /// Returns the alert as JSON, with the compared values, their sources and the day from which they were known.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(crate) fn details(&self, desk: &Desk, crossings: &Crossings) -> Result<Value> {
        let end = crossings.frequency.period_end(self.date);
        let mut series = Vec::new();
        for info in &crossings.series {
            let newest = newest_figure(desk, info, end)?;
            let cited = desk.citations([info.id.as_str()], newest.map(|date| (date, date)))?;
            let notices = cited
                .into_iter()
                .map(|cited| cited.notice)
                .filter(|notice| !notice.is_empty());
            series.push(json!({
                "id": desk.display_id(&info.id),
                "source": untrusted::clean_name(&info.source, MAX_SOURCE),
                "rights": info.rights.word(),
                "notices": notices.collect::<Vec<_>>(),
            }));
        }
        let details = json!({
            "frequency": crossings.frequency.word(),
            "values": crossings.compared_values(self.date),
            "series": series,
            "attribution": desk.attribution(),
        });
        let mut alert = json!(self);
        if let (Value::Object(alert), Value::Object(details)) = (&mut alert, details) {
            alert.extend(details);
        }
        Ok(alert)
    }
}

/// Renders the state of a condition and its newest crossings as JSON, the last crossing with its details.
///
/// # Errors
/// Those of [`crossings`].
pub(crate) fn resource(desk: &Desk, condition: &str) -> Result<String> {
    let crossings = crossings(desk, condition)?;
    let newest = crossings.crossings.iter().rev().take(RESOURCE_CROSSINGS);
    let all = newest.map(|crossing| Alert::new(desk, &crossings, crossing));
    let mut alerts = all.collect::<Result<Vec<Alert>>>()?.into_iter();
    let last = alerts.next().map(|alert| alert.details(desk, &crossings));
    Ok(json!({
        "condition": crossings.condition,
        "met": crossings.met,
        "since": crossings.crossings.last().map(|crossing| crossing.date),
        "judgedUntil": crossings.range.map(|(_, last)| last),
        "frequency": crossings.frequency.word(),
        "values": crossings.range.map(|(_, last)| crossings.compared_values(last)),
        "crossings": crossings.crossings.len(),
        "lastCrossing": last.transpose()?,
        "earlierCrossings": alerts.collect::<Vec<_>>(),
    })
    .to_string())
}

/// The day from which figures were known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct KnownOn {
    day: Date,
    is_estimated: bool,
}

/// Returns the date of a series' newest figure up to a day.
fn newest_figure(desk: &Desk, info: &Arc<SeriesInfo>, end: Date) -> Result<Option<Date>> {
    let rows = desk.series(info, AsOf::Latest)?;
    Ok(rows.and_then(|rows| Some(rows.between(Date::MIN, end).last()?.date)))
}

/// Returns the day on which the last of the figures of a crossing was first published.
fn known_on(desk: &Desk, crossings: &Crossings, date: Date) -> Result<KnownOn> {
    let end = crossings.frequency.period_end(date);
    let mut known = KnownOn {
        day: date,
        is_estimated: true,
    };
    for info in &crossings.series {
        let Some(newest) = newest_figure(desk, info, end)? else {
            continue;
        };
        let vintages = desk.period_vintages(info, newest)?;
        let first = vintages.first().map(|(day, _)| *day);
        let estimated = info.publication_day(newest).min(desk.today());
        known = known.max(KnownOn {
            day: first.unwrap_or(estimated),
            is_estimated: first.is_none(),
        });
    }
    Ok(known)
}

/// Lists the sources of the series in a condition: "Source: BLS."
pub(crate) fn sources(crossings: &Crossings) -> String {
    let series = crossings.series.iter();
    let names = series.map(|info| untrusted::clean_name(&info.source, MAX_SOURCE));
    let mut seen = BTreeSet::new();
    let distinct: Vec<String> = names.filter(|name| seen.insert(name.clone())).collect();
    format!("Source: {}.", distinct.join(", "))
}

/// Returns the identifier of an alert, from the condition and the day of the crossing. A sync that does not move that
/// day leaves it as it is. `what` is the day, or the name of another entry of the feed.
pub(crate) fn id(condition: &str, what: &str) -> String {
    let normalised: String = condition.chars().filter(|c| !c.is_whitespace()).collect();
    let digest = digest(&normalised.to_ascii_uppercase());
    format!("urn:econoscope:alert:{digest}:{what}")
}
