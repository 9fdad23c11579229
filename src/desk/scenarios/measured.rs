//! Base rates measured from the store, kept as a note with the state of the data they were measured at.

use super::{Scenario, embedded};
use crate::desk::Desk;
use crate::error::{Error, Result};
use crate::indicators::base_rates::{Condition, Event, base_rate};
use crate::model::{AsOf, Date};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The note under which the measured base rates are kept.
pub const BASE_RATES: &str = "base_rates";

/// A measured base rate, with the question it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Hits per starting month.
    pub share: f64,
    /// 90 % interval on windows without overlap.
    pub interval: [f64; 2],
    /// Starting months followed by the event.
    pub hits: usize,
    /// Starting months.
    pub starts: usize,
    /// First and last starting month.
    pub span: (Date, Date),
    event: Event,
    condition: Option<Condition>,
    since: i16,
    /// Rows of the series when it was measured: as long as they are as many, the rate is the same.
    #[serde(default)]
    rows: u64,
}

/// What the note holds.
#[derive(Serialize, Deserialize)]
struct Note {
    /// Version of the store's data when they were measured.
    version: u64,
    rates: BTreeMap<String, Rate>,
}

impl Rate {
    /// "measured: 88 of 492 months from 1976-06 to 2025-08, T10Y2Y".
    pub fn basis(&self) -> String {
        let month = |d: Date| d.strftime("%Y-%m").to_string();
        format!(
            "measured from the store: {} of {} starting months from {} to {}, {}",
            self.hits,
            self.starts,
            month(self.span.0),
            month(self.span.1),
            self.event.series
        )
    }

    fn answers(&self, scenario: &Scenario) -> bool {
        scenario.event.as_ref() == Some(&self.event)
            && scenario.condition == self.condition
            && scenario.since == Some(self.since)
    }
}

impl Scenario {
    /// Why the documented base rate stands.
    pub fn documented(&self) -> String {
        match (&self.event, self.since) {
            (Some(event), Some(since)) => format!(
                "documented figure; the store has no {} since {since}",
                event.series
            ),
            _ => "documented figure".into(),
        }
    }
}

/// Measures every base rate for which the store reaches back far enough, and keeps what changed.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<()> {
    if desk.holdings()?.bundled {
        return Ok(());
    }
    let version = desk.store().version()?;
    let mut rates = BTreeMap::new();
    let before = noted(desk)?.map(|n| n.rates).unwrap_or_default();
    for scenario in desk.scenarios()? {
        let was = before.get(&scenario.slug);
        if let Some(rate) = measure(desk, scenario, was)? {
            rates.insert(scenario.slug.clone(), rate);
        }
    }
    if rates == before {
        return Ok(());
    }
    let note = serde_json::to_string(&Note { version, rates })
        .map_err(|e| Error::internal("keeping base rates", e))?;
    desk.store().set_note(BASE_RATES, &note)
}

/// The rate as measured before, where nothing it rests on has changed; else measured now.
fn measure(desk: &Desk, scenario: &Scenario, was: Option<&Rate>) -> Result<Option<Rate>> {
    let (Some(event), Some(since)) = (&scenario.event, scenario.since) else {
        return Ok(None);
    };
    // A series nobody knows is no reason to fail a sync: the documented figure stands and says so.
    let Ok(info) = desk.resolve("series", &event.series) else {
        return Ok(None);
    };
    // A projection becomes a figure without a new row, and a composite may be computed anew.
    let rows = match desk.holdings()?.get(&info.id) {
        Some(held) if held.last <= desk.today() && !info.is_composite() => held.rows,
        _ => 0,
    };
    if let Some(was) = was.filter(|w| rows > 0 && w.rows == rows && w.answers(scenario)) {
        return Ok(Some(was.clone()));
    }
    let Some(series) = desk.series(&info, AsOf::Latest)? else {
        return Ok(None);
    };
    let condition = scenario.condition.as_ref();
    let found = base_rate(&series.observations, event, condition, since);
    Ok(found.map(|r| Rate {
        share: r.share,
        interval: [r.interval.0, r.interval.1],
        hits: r.hits,
        starts: r.starts,
        span: r.span,
        event: event.clone(),
        condition: condition.cloned(),
        since,
        rows,
    }))
}

/// The note, unless there is none or an older program left one that is no longer understood.
fn noted(desk: &Desk) -> Result<Option<Note>> {
    let note = desk.store().note(BASE_RATES)?;
    Ok(note.and_then(|text| serde_json::from_str(&text).ok()))
}

impl Desk {
    /// Every scenario, by slug; an operator's own stands in the place of an embedded one.
    ///
    /// # Errors
    /// [`Error::BadFile`] for an embedded definition that cannot be read, which a test rules out.
    pub fn scenarios(&self) -> Result<Vec<&Scenario>> {
        let mut by_slug: BTreeMap<&str, &Scenario> = BTreeMap::new();
        for scenario in embedded()?.iter().chain(&self.settings().scenarios) {
            by_slug.insert(&scenario.slug, scenario);
        }
        Ok(by_slug.into_values().collect())
    }

    /// Measured base rates by slug; scenarios whose definition has changed since are left out.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn base_rates(&self) -> Result<BTreeMap<String, Rate>> {
        let mut rates = noted(self)?.map(|n| n.rates).unwrap_or_default();
        let scenarios = self.scenarios()?;
        rates.retain(|slug, rate| scenarios.iter().any(|s| s.slug == *slug && rate.answers(s)));
        Ok(rates)
    }
}
