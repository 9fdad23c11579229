//! Alerts: what feeds, calendars, resources and webhooks say of the crossings of a condition.
//!
//! The identifier of a crossing is made of the condition and the day of the figure that crossed, so that it is the same
//! after every sync that does not move that day.

use crate::site::{digest, encoded};
use econoscope_answers::endpoints::condition::{Crossing, Crossings, crossings};
use econoscope_core::error::Result;
use econoscope_core::format::period;
use econoscope_core::model::{AsOf, Date, untrusted};
use econoscope_data::desk::Desk;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Most crossings that are told of at once: the newest.
pub(crate) const MAX_ALERTS: usize = 50;
/// Crossings in a resource.
const SHOWN: usize = 10;
/// Most characters of a source's name.
const MAX_SOURCE: usize = 200;

/// A crossing of a condition.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Alert {
    pub(crate) id: String,
    pub(crate) condition: String,
    /// Date of the figure that crossed.
    pub(crate) date: Date,
    direction: String,
    met: bool,
    pub(crate) title: String,
    pub(crate) description: String,
    /// The chart around the day.
    pub(crate) page: String,
}

impl Alert {
    pub(crate) fn new(desk: &Desk, found: &Crossings, crossing: &Crossing) -> Self {
        let (condition, date) = (&found.condition, crossing.date);
        let since = period(date, found.frequency);
        let (says, meets) = match crossing.met {
            true => ("met", "meets"),
            false => ("no longer met", "no longer meets"),
        };
        let names: Vec<String> = found
            .series
            .iter()
            .map(|info| desk.shown_id(&info.id))
            .collect();
        let end = desk.today();
        let view = match names.as_slice() {
            [only] => format!(
                "/series/{}?start={}&end={end}",
                encoded(only),
                date.first_of_year()
            ),
            many => format!("/compare?series={}", encoded(&many.join(","))),
        };
        Self {
            id: id(condition, &date.to_string()),
            condition: condition.clone(),
            date,
            direction: crossing.direction.clone(),
            met: crossing.met,
            title: format!("{condition}: {says} since {since}"),
            description: format!(
                "The {} figure for {since} {meets} the condition {condition}. Figures as last revised. {}",
                found.frequency.word(),
                sources(found)
            ),
            page: desk
                .settings()
                .address(&view, &format!("alert/{}", encoded(condition))),
        }
    }

    /// The same with the figures behind it: what was compared, whose figures they are, and since when they were known.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub(crate) fn details(&self, desk: &Desk, found: &Crossings) -> Result<Value> {
        let end = found.frequency.period_end(self.date);
        let (mut known, mut series) = (None, Vec::new());
        for info in &found.series {
            let rows = desk.series(info, AsOf::Latest)?;
            let newest = rows.and_then(|rows| Some(rows.between(Date::MIN, end).last()?.date));
            if let Some(date) = newest {
                known = known.max(Some(desk.known_since(info, date)?));
            }
            let cited = desk.cited([info.id.as_str()], newest.map(|date| (date, date)))?;
            let notices = cited.into_iter().map(|cited| cited.notice);
            let notices = notices.filter(|notice| !notice.is_empty());
            series.push(json!({
                "id": desk.shown_id(&info.id),
                "source": untrusted::name(&info.source, MAX_SOURCE),
                "rights": info.rights.word(),
                "notices": notices.collect::<Vec<_>>(),
            }));
        }
        let (known_on, is_estimated) = known.unzip();
        Ok(json!({
            "id": self.id,
            "condition": self.condition,
            "date": self.date,
            "direction": self.direction,
            "met": self.met,
            "title": self.title,
            "description": self.description,
            "page": self.page,
            "frequency": found.frequency.word(),
            "values": found.compared(self.date),
            "series": series,
            "knownOn": known_on,
            "knownOnEstimated": is_estimated,
            "attribution": desk.attribution(),
        }))
    }
}

/// What a condition says now and its last crossings, the newest with its figures, as JSON.
///
/// # Errors
/// What the condition's evaluation says.
pub(crate) fn resource(desk: &Desk, condition: &str) -> Result<String> {
    let found = crossings(desk, condition)?;
    let newest = found.all.iter().rev().take(SHOWN);
    let mut alerts = newest.map(|crossing| Alert::new(desk, &found, crossing));
    let last = alerts.next().map(|alert| alert.details(desk, &found));
    Ok(json!({
        "condition": found.condition,
        "met": found.met,
        "since": found.all.last().map(|crossing| crossing.date),
        "judgedUntil": found.range.map(|(_, last)| last),
        "frequency": found.frequency.word(),
        "values": found.range.map(|(_, last)| found.compared(last)),
        "crossings": found.all.len(),
        "lastCrossing": last.transpose()?,
        "earlierCrossings": alerts.collect::<Vec<_>>(),
    })
    .to_string())
}

/// Who measures what the condition is about.
pub(crate) fn sources(found: &Crossings) -> String {
    let names = found
        .series
        .iter()
        .map(|info| untrusted::name(&info.source, MAX_SOURCE));
    let mut seen = BTreeSet::new();
    let names: Vec<String> = names.filter(|name| seen.insert(name.clone())).collect();
    format!("Source: {}.", names.join(", "))
}

/// An identifier that is the same as long as condition and day are.
pub(crate) fn id(condition: &str, what: &str) -> String {
    let plain: String = condition.chars().filter(|c| !c.is_whitespace()).collect();
    let short = digest(&plain.to_ascii_uppercase());
    format!("urn:econoscope:alert:{short}:{what}")
}
