//! `get_release_calendar`: coming releases and FOMC meetings, what to expect of their figures, and how much first
//! prints are usually revised.

mod answer;
mod figures;
mod meetings;
mod render;

pub use answer::{ANNOUNCED, EXPECTED};
pub use answer::{
    CalendarAnswer, ExpectedPrint, LastPrint, ReleaseEvent, ScheduledFigure, UsualRevision,
};
pub(super) use figures::scheduled_figure;
pub use figures::surprises;
pub(super) use meetings::events;
pub use render::describe_content;
pub(super) use render::format_value;

use super::revisions::label;
use crate::prelude::*;
use econoscope_core::indicators::expectation::Formula;
use econoscope_core::model::calendar::{
    self, AnnouncedDays, Meeting, Release, ScheduledRelease, ZONE,
};
use econoscope_core::model::release;

/// Length of the window by default, in days.
const DEFAULT_DAYS: i64 = 14;
/// Days in which every monthly release comes once.
const MONTHLY_DAYS: i64 = 45;
/// Days in which every quarterly release comes once.
const QUARTERLY_DAYS: i64 = 100;
/// A window starts at most so many days before and after the reference day.
const MAX_OFFSET: (i64, i64) = (31, 366);

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
    /// BLS, BEA, Census, Fed, DOL, EIA, Treasury.
    #[schemars(length(max = 40))]
    agency: Option<String>,
    /// As known on a day: 2008-12-31, Q4 2008.
    pub as_of: Option<String>,
}

impl Params {
    /// Returns the day of the answer: that of `as_of`, or a first day so far back that its calendar is one of the past.
    fn reference(&self, desk: &Desk) -> Result<AsOf> {
        let today = desk.today();
        let (before, _) = MAX_OFFSET;
        let start = self.start.as_deref().filter(|_| self.as_of.is_none());
        let first = start.and_then(|text| dates::read("start", text, today, today).ok());
        match first.filter(|day| *day < shift(today, (-before).days())) {
            Some(day) => Ok(AsOf::Day(day)),
            None => parse_as_of(desk, self.as_of.as_deref()),
        }
    }

    /// Arguments for `days` days from today, of all releases or of one series or agency.
    pub fn new(days: u8, series: Option<&str>, agency: Option<&str>) -> Self {
        Self {
            days: Some(days),
            series: series.map(str::to_owned),
            agency: agency.map(str::to_owned),
            ..Self::default()
        }
    }
}

impl Endpoint for Params {
    const TOOL: &'static str = "get_release_calendar";
    type Output = CalendarAnswer;

    fn form(&self) -> &'static str {
        if self.series.is_none() {
            "all"
        } else {
            "series"
        }
    }

    fn local(desk: &Desk, params: &Self) -> Result<CalendarAnswer> {
        let as_of = params.reference(desk)?;
        let selection = ReleaseSelection::new(desk, params)?;
        let has_fomc = selection.has_fomc;
        let day = newest(as_of, desk.today());
        let days = desk.announced_days(as_of)?;
        let Window { range, due } = selection.window(params, day, desk.today(), &days)?;
        let released = due.iter().map(|due| release_event(desk, due, as_of));
        let mut events = released.collect::<Result<Vec<ReleaseEvent>>>()?;
        if has_fomc {
            events.extend(meetings::events(desk, range, as_of)?);
            events.sort_by(|a, b| (a.date, &a.time).cmp(&(b.date, &b.time)));
        }
        let figures = figures::figures(desk, &due, as_of)?;
        let printed = figures.iter().map(|f| f.series_id.as_str());
        let formulas = printed.clone().filter_map(Formula::for_series);
        let inputs = formulas.flat_map(|formula| &formula.inputs);
        let target = meetings::TARGET_RANGE.iter().filter(|_| has_fomc);
        let ids = printed.chain(inputs.copied()).chain(target.copied());
        let mut provenance = Provenance::new(desk, as_of, ids)?;
        add_notes(&mut provenance, &due, has_fomc);
        Ok(CalendarAnswer {
            from: range.start,
            to: range.end,
            zone: ZONE.to_owned(),
            events,
            figures,
            attribution: desk.attribution(),
            provenance,
        })
    }

    fn text(answer: &CalendarAnswer, params: &Self) -> String {
        render::render(answer, params.series.is_some())
    }
}

/// Notes how reliable the days are.
fn add_notes(provenance: &mut Provenance, due: &[ScheduledRelease], has_fomc: bool) {
    if due.iter().any(|due| due.announced.is_none()) {
        provenance.note(
            "basis",
            "days that follow rules are expected, not announced; a government shutdown, which no rule foresees, moves or \
             cancels releases, as from October 2025 on",
        );
    }
    if let Some(Meeting { day, .. }) = calendar::meetings().last().filter(|_| has_fomc) {
        let known = format!("days of the FOMC are announced to {day}");
        provenance.note("fomc", known + "; minutes from 2023 on by rule");
    }
    let disruption = due.iter().find_map(|due| release::disruption(due.day));
    if let Some(range) = disruption {
        let why = "by what is known today agencies did not keep their rules";
        let text = format!("{why} from {} to {}", range.start, range.end);
        provenance.note("disrupted", text);
    }
}

/// The releases that a request is about.
struct ReleaseSelection {
    releases: Vec<&'static Release>,
    /// Whether meetings of the FOMC are among them.
    has_fomc: bool,
}

/// Days, and the releases due in them.
struct Window {
    range: DateRange,
    due: Vec<ScheduledRelease>,
}

impl ReleaseSelection {
    /// Selects releases by agency and by series or name.
    fn new(desk: &Desk, params: &Params) -> Result<Self> {
        let mut releases: Vec<&Release> = calendar::releases().iter().collect();
        let mut has_fomc = true;
        if let Some(agency) = &params.agency {
            releases.retain(|release| release.is_of(agency));
            let fomc = meetings::AGENCY.to_ascii_lowercase();
            has_fomc = fomc.contains(&agency.trim().to_ascii_lowercase());
            if (releases.is_empty() && !has_fomc) || agency.trim().is_empty() {
                let allowed =
                    "BLS, BEA, Census, Fed, DOL, EIA, Treasury or a part of an agency's name";
                let problem = "publishes nothing here";
                return Err(Error::invalid("agency", agency, problem, allowed));
            }
        }
        let Some(name) = params.series.as_deref().map(str::trim) else {
            return Ok(Self { releases, has_fomc });
        };
        if calendar::is_meeting_name(name) {
            return Ok(Self {
                releases: Vec::new(),
                has_fomc: true,
            });
        }
        if releases.iter().any(|release| release.has_name(name)) {
            releases.retain(|release| release.has_name(name));
            return Ok(Self {
                releases,
                has_fomc: false,
            });
        }
        let info = desk.resolve("series", name)?;
        let id = info.id.as_str();
        releases.retain(|release| release.prints(id) || release.revises(id));
        let has_fomc = meetings::TARGET_RANGE.contains(&id);
        if releases.is_empty() && !has_fomc {
            let listed = calendar::releases().iter().map(|r| r.id.as_str());
            let ids = join(listed.chain(["fomc"]), ", ");
            let others = "get_metric tells when other series are due";
            let allowed = format!("a series of one of these releases: {ids}; {others}");
            let problem = "comes with no release of this calendar";
            return Err(Error::invalid("series", name, problem, &allowed));
        }
        Ok(Self { releases, has_fomc })
    }

    /// Returns the requested window. One without a length lasts until the next release of the series, or until the next
    /// meeting.
    fn window(
        &self,
        params: &Params,
        day: Date,
        today: Date,
        announced: &AnnouncedDays,
    ) -> Result<Window> {
        let start = match &params.start {
            None => day,
            Some(text) => dates::read("start", text, day, today)?,
        };
        let (before, after) = MAX_OFFSET;
        let first = shift(day, (-before).days());
        let last = shift(day, after.days());
        if !(first..=last).contains(&start) {
            let allowed = format!("a day from {first} to {last}; for another one as_of={start}");
            let text = start.to_string();
            return Err(Error::invalid("start", &text, "is too far away", &allowed));
        }
        let default = params.series.is_none().then_some(DEFAULT_DAYS);
        if let Some(days) = params.days.map(i64::from).or(default) {
            return Ok(self.due(start, days, announced));
        }
        let month = self.due(start, MONTHLY_DAYS, announced);
        // Meetings are up to eight weeks apart.
        if month.due.is_empty() || self.has_fomc {
            return Ok(self.due(start, QUARTERLY_DAYS, announced));
        }
        Ok(month)
    }

    /// Returns the releases of so many days.
    fn due(&self, start: Date, days: i64, announced: &AnnouncedDays) -> Window {
        let end = shift(start, (days - 1).days());
        let releases = self.releases.iter();
        let mut due: Vec<ScheduledRelease> = releases
            .flat_map(|r| announced.scheduled(r, start, end))
            .collect();
        due.sort_by_key(|due| (due.day, due.at()));
        Window {
            range: DateRange::new(start, end),
            due,
        }
    }
}

/// Builds the event of a release. Up to the reference day, it says whether the figures are stored.
fn release_event(desk: &Desk, due: &ScheduledRelease, as_of: AsOf) -> Result<ReleaseEvent> {
    let day = newest(as_of, desk.today());
    let release = due.release;
    let is_stored = |id: &String| -> Result<bool> {
        let series = desk.series(&desk.resolve("series", id)?, as_of)?;
        Ok(series.is_some_and(|s| s.observations.last().is_some_and(|o| o.date >= due.period)))
    };
    let headline = release.headline.first().filter(|_| due.day <= day);
    let known = due.announced;
    let announced = known.map(|day| format!("announced by the agency, read on {}", day.read));
    let basis = known.map_or(EXPECTED, |_| ANNOUNCED);
    Ok(ReleaseEvent {
        release: release.id.clone(),
        name: release.name.clone(),
        agency: release.agency.clone(),
        date: due.day,
        time: due.at().strftime("%H:%M").to_string(),
        period: label(due.period, release.frequency),
        between: (due.earliest < due.latest).then_some([due.earliest, due.latest]),
        basis: basis.to_owned(),
        rule: announced.unwrap_or_else(|| release.words.clone()),
        series: release.headline.clone(),
        held: headline.map(is_stored).transpose()?,
        outcome: None,
    })
}

#[cfg(test)]
mod tests;
