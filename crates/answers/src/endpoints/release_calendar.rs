//! `get_release_calendar`: what comes when, what it can be expected to say, and how far to trust its first print.

mod answer;
mod figures;
mod meetings;
mod words;

pub use answer::{
    CalendarAnswer, ExpectedPrint, LastPrint, ReleaseEvent, ScheduledFigure, UsualRevision,
};
pub(super) use figures::figure;
pub(super) use meetings::decided;
pub use words::brings;
pub(super) use words::said;

use super::days::{self, newest, parse_as_of};
use super::revisions::label;
use crate::endpoints::prelude::*;
use econoscope_core::indicators::expectation::Formula;
use econoscope_core::model::calendar::{self, Due, Release, ZONE};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::release;
use jiff::ToSpan;

/// Days shown unless it is said how many.
const DAYS: i64 = 14;
/// Days in which every monthly release comes once, and every quarterly one.
const MONTHLY: i64 = 45;
const QUARTERLY: i64 = 100;
/// How far a window may begin from the day of knowledge, days before and after.
const REACH: (i64, i64) = (31, 366);

/// Arguments.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Params {
    /// 14 unless given; with series until its next release.
    #[schemars(range(min = 1, max = 120))]
    days: Option<u8>,
    /// First day; today unless given.
    start: Option<String>,
    /// Series or release: CPIAUCSL, cpi, fomc.
    #[schemars(length(max = 80))]
    series: Option<String>,
    /// BLS, BEA, Census, Fed, DOL, EIA.
    #[schemars(length(max = 40))]
    agency: Option<String>,
    /// As known on this day, month, quarter or year: 2008-12-31, Q4 2008.
    as_of: Option<String>,
}

impl Params {
    /// So many days from today on, of some releases alone.
    pub fn of(days: u8, series: Option<&str>, agency: Option<&str>) -> Self {
        Self {
            days: Some(days),
            series: series.map(str::to_owned),
            agency: agency.map(str::to_owned),
            ..Self::default()
        }
    }

    /// The same as known on a day; today unless given.
    #[must_use]
    pub fn as_known(mut self, as_of: Option<&str>) -> Self {
        self.as_of = as_of.map(str::to_owned);
        self
    }
}

impl Endpoint for Params {
    const SPEC: Spec = Spec {
        tool: "get_release_calendar",
        title: "Release calendar",
        path: "/api/public/calendar",
        summary: "What comes when, what it can be expected to say, and how much the last prints surprised",
        description: "Use this when asked when the next report comes out (jobs, CPI, GDP, claims), when the Fed (FOMC) \
            meets, what is due this week, what to expect, or how large a surprise was. Dates follow rules: \
            expected, not announced. Do not use it for values: use get_metric.",
        max_age: 300,
        in_contract: false,
        example: &[],
    };
    const PROVENANCE: Kept<CalendarAnswer> = Some(|answer| &mut answer.provenance);
    type Output = CalendarAnswer;

    fn omitted(&self) -> &'static [&'static str] {
        &[
            "events.release",
            "events.agency",
            "events.rule",
            "figures.release",
            "figures.formula",
            "figures.record",
        ]
    }

    fn local(desk: &Desk, params: &Self) -> Result<CalendarAnswer> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let (wanted, meet) = wanted(desk, params)?;
        let day = newest(as_of, desk.today());
        let ((from, to), due) = window(params, (day, desk.today()), (&wanted, meet))?;
        let events = due.iter().map(|due| event(desk, due, (as_of, day)));
        let mut events: Vec<ReleaseEvent> = events.collect::<Result<_>>()?;
        if meet {
            events.extend(meetings::events(desk, (from, to), (as_of, day))?);
            events.sort_by(|a, b| (a.date, &a.time).cmp(&(b.date, &b.time)));
        }
        let figures = figures::of(desk, &due, as_of)?;
        let ids = figures.iter().map(|f| f.series_id.as_str());
        let inputs = ids.clone().filter_map(Formula::of).flat_map(|f| &f.inputs);
        let target = meetings::TARGET.iter().filter(|_| meet).copied();
        let read = ids.chain(inputs.copied()).chain(target);
        let mut provenance = Provenance::of(desk, as_of, read)?;
        note(&mut provenance, &due, meet);
        Ok(CalendarAnswer {
            from,
            to,
            zone: ZONE.to_owned(),
            events,
            figures,
            attribution: desk.attribution(),
            provenance,
        })
    }

    fn text(answer: &CalendarAnswer, _: &Self) -> String {
        words::text(answer)
    }
}

/// What is not known of these days.
fn note(provenance: &mut Provenance, due: &[Due], meet: bool) {
    if !due.is_empty() {
        provenance.note(
            "basis",
            "days of figures follow rules and are expected, not announced; a shutdown of the government moves releases \
             or cancels them, as from October 2025 on, and no rule knows of one ahead",
        );
    }
    if let Some(last) = calendar::meetings().last().filter(|_| meet) {
        let last = last.day;
        let text = format!(
            "days of the FOMC are the announced ones, known to {last}; minutes from 2023 on by rule"
        );
        provenance.note("fomc", text);
    }
    let disrupted = due.iter().find_map(|due| release::disruption(due.day));
    if let Some((from, to)) = disrupted {
        let why = "by what is known today agencies did not keep their rules";
        provenance.note("disrupted", format!("{why} from {from} to {to}"));
    }
}

/// The releases asked for, and whether the meetings of the FOMC are.
fn wanted(desk: &Desk, params: &Params) -> Result<(Vec<&'static Release>, bool)> {
    let mut wanted: Vec<&Release> = calendar::releases().iter().collect();
    let mut meet = true;
    if let Some(agency) = &params.agency {
        wanted.retain(|release| release.is_of(agency));
        let named = meetings::AGENCY.to_ascii_lowercase();
        meet = named.contains(&agency.trim().to_ascii_lowercase());
        if (wanted.is_empty() && !meet) || agency.trim().is_empty() {
            let allowed = "BLS, BEA, Census, Fed, DOL, EIA or a part of an agency's name";
            let problem = "publishes nothing here";
            return Err(Error::invalid("agency", agency, problem, allowed));
        }
    }
    let Some(name) = params.series.as_deref().map(str::trim) else {
        return Ok((wanted, meet));
    };
    if calendar::is_meeting(name) {
        return Ok((Vec::new(), true));
    }
    if wanted.iter().any(|release| release.is_called(name)) {
        wanted.retain(|release| release.is_called(name));
        return Ok((wanted, false));
    }
    let info = desk.resolve("series", name)?;
    wanted.retain(|release| release.brings(info.id.as_str()) || release.revises(info.id.as_str()));
    let meet = meetings::TARGET.contains(&info.id.as_str());
    if wanted.is_empty() && !meet {
        let ids = calendar::releases().iter().map(|r| r.id.as_str());
        let ids = joined(ids.chain(["fomc"]), ", ");
        let others = "get_metric tells when other series are due";
        let allowed = format!("a series of one of these releases: {ids}; {others}");
        let problem = "comes with no release of this calendar";
        return Err(Error::invalid("series", name, problem, &allowed));
    }
    Ok((wanted, meet))
}

/// First and last day, and what is due on them.
fn window(
    params: &Params,
    (day, today): (Date, Date),
    (wanted, meet): (&[&'static Release], bool),
) -> Result<((Date, Date), Vec<Due>)> {
    let start = match &params.start {
        None => day,
        Some(text) => days::read("start", text, (day, today))?,
    };
    let (first, last) = (shift(day, (-REACH.0).days()), shift(day, REACH.1.days()));
    if !(first..=last).contains(&start) {
        let (start, allowed) = (start.to_string(), format!("a day from {first} to {last}"));
        return Err(Error::invalid("start", &start, "is too far away", &allowed));
    }
    let until = |days: i64| {
        let end = shift(start, (days - 1).days());
        let mut due: Vec<Due> = wanted.iter().flat_map(|r| r.due(start, end)).collect();
        due.sort_by_key(|due| (due.day, due.release.at));
        ((start, end), due)
    };
    let usual = params.series.is_none().then_some(DAYS);
    if let Some(days) = params.days.map(i64::from).or(usual) {
        return Ok(until(days));
    }
    let soon = until(MONTHLY);
    // Meetings are up to eight weeks apart.
    Ok(match soon.1.is_empty() || meet {
        true => until(QUARTERLY),
        false => soon,
    })
}

fn event(desk: &Desk, due: &Due, (as_of, today): (AsOf, Date)) -> Result<ReleaseEvent> {
    let release = due.release;
    let is_held = |id: &String| -> Result<bool> {
        let held = desk.series(&desk.resolve("series", id)?, as_of)?;
        Ok(held.is_some_and(|s| s.observations.last().is_some_and(|o| o.date >= due.period)))
    };
    let out = release.headline.first().filter(|_| due.day <= today);
    Ok(ReleaseEvent {
        release: release.id.clone(),
        name: release.name.clone(),
        agency: release.agency.clone(),
        date: due.day,
        time: release.at.strftime("%H:%M").to_string(),
        period: label(due.period, release.frequency),
        between: (due.earliest < due.latest).then_some([due.earliest, due.latest]),
        basis: "rule".to_owned(),
        rule: release.words.clone(),
        series: release.headline.clone(),
        held: out.map(is_held).transpose()?,
        outcome: None,
    })
}

#[cfg(test)]
mod tests;
