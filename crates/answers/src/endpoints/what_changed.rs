//! `what_changed`: surprises of releases, then regime, composites and key figures now against a day before, the most
//! unusual moves first.
//!
//! Both sides are what was known on their day; a move counts from what the earlier figure has been revised to, since
//! a difference between two states of knowledge would hold revisions, and other base years. A move is set against the moves of the same figure over the
//! same span in the last twenty years; the unit of comparison is their standard deviation.

mod moves;
mod surprises;

pub use moves::Change;
pub use surprises::Surprise;

use super::days::{self, parse_as_of};
use super::release_calendar::{self, ReleaseEvent};
use crate::endpoints::prelude::*;
use econoscope_core::indicators::expectation::FORMULAS;
use econoscope_core::indicators::{established, regime};
use econoscope_core::model::quantity::in_words;
use moves::{KEY, Outcome};

/// Moves given in full; smaller ones are named.
const SHOWN: usize = 12;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Day, month, quarter or year, or 7d, 30d, 6m, ytd.
    #[serde(default = "a_month")]
    #[schemars(length(min = 1))]
    since: String,
    /// As known on this day, month, quarter or year: 2008-12-31, Q4 2008.
    as_of: Option<String>,
}

fn a_month() -> String {
    "1m".to_owned()
}

/// The regime on both days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Regimes {
    /// Label now.
    pub now: String,
    /// Its probability, percent.
    pub confidence: Option<f64>,
    /// Label then, as known then.
    pub then: String,
    /// Its probability, percent.
    pub confidence_then: Option<f64>,
}

/// What the FOMC decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Day.
    pub date: Date,
    /// What kind of meeting.
    pub name: String,
    /// The target range.
    pub outcome: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// Day compared with.
    pub since: Date,
    /// Figures printed first since then, beside what could be expected of them; the greatest surprise first.
    pub surprises: Vec<Surprise>,
    /// Decisions of the FOMC since then, as the target range tells them.
    pub decisions: Vec<Decision>,
    /// Regimes.
    pub regime: Regimes,
    /// The most unusual first.
    pub changes: Vec<Change>,
    /// Smaller moves, by identifier.
    pub smaller: Vec<String>,
    /// No newer figure since.
    pub unchanged: Vec<String>,
    /// Credit line.
    pub attribution: Attribution,
    /// State of knowledge.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for Params {
    const SPEC: Spec = Spec {
        tool: "what_changed",
        title: "What changed",
        path: "/api/public/what-changed",
        summary: "Surprises of releases, regime, composites and key figures versus an earlier date, most unusual first",
        description: "Use this when asked what is new, what changed or what surprised across the board since a day, last \
            week or this month: surprises of data releases, regime, composites and headlines, ranked by how \
            unusual each is. Do not use it for one series: use get_time_series.",
        max_age: 300,
        in_contract: false,
        example: &[],
    };
    const PROVENANCE: Kept<Changes> = Some(|answer| &mut answer.provenance);
    type Output = Changes;

    fn local(desk: &Desk, params: &Self) -> Result<Changes> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let read = KEY.iter().map(|(id, _)| *id);
        let read = read.chain(established().map(|c| c.about.id));
        let read = read.chain(regime::INPUTS.iter().copied());
        let read = read.chain(FORMULAS.iter().flat_map(|f| f.inputs.iter().copied()));
        let day = desk.data_date(read.clone(), as_of)?.as_of;
        let since = since(&params.since, day, desk.today())?;
        let mut provenance = Provenance::of(desk, as_of, read.clone())?;
        provenance.note_past(desk, "since", since, read)?;
        let sides = (as_of, since);
        let composites = established().map(|c| (c.about.id, moves::of_composite(desk, c, sides)));
        let key = KEY.iter();
        let key = key.map(|(id, kind)| (*id, moves::of_key(desk, id, *kind, sides)));
        let (mut moved, mut unchanged, mut absent) = (Vec::new(), Vec::new(), Vec::new());
        for (id, outcome) in composites.chain(key) {
            match outcome? {
                Outcome::Moved(change, size) => moved.push((id, change, size)),
                Outcome::NoNewFigure => unchanged.push(id.to_owned()),
                Outcome::Absent => absent.push(id),
            }
        }
        if !absent.is_empty() {
            let why = "not loaded, too old, or not passed on, on one of the two days";
            provenance.note("absent", format!("{}: {why}", absent.join(", ")));
        }
        moved.sort_by(|(.., a), (.., b)| b.total_cmp(a));
        let smaller = moved.split_off(SHOWN.min(moved.len())).into_iter();
        let (now, then) = (desk.regimes(as_of)?, desk.regimes(AsOf::Day(since))?);
        Ok(Changes {
            since,
            surprises: surprises::since(desk, since, as_of)?,
            decisions: decisions(desk, since, as_of)?,
            regime: Regimes {
                now: now.now.regime.name().into(),
                confidence: now.now.confidence,
                then: then.now.regime.name().into(),
                confidence_then: then.now.confidence,
            },
            changes: moved.into_iter().map(|(_, change, _)| change).collect(),
            smaller: smaller.map(|(id, ..)| id.to_owned()).collect(),
            unchanged,
            attribution: desk.attribution(),
            provenance,
        })
    }

    fn text(a: &Changes, _: &Self) -> String {
        let sure = |c: Option<f64>| c.map_or(String::new(), |c| format!(" ({c} %)"));
        let (now, then) = (&a.regime.now, &a.regime.then);
        let (certain, certain_then) = (sure(a.regime.confidence), sure(a.regime.confidence_then));
        let surprises = surprises::in_prose(&a.surprises);
        let decisions = a.decisions.iter();
        let decisions = decisions.map(|d| format!("\n{} on {}: {}.", d.name, d.date, d.outcome));
        let decisions: String = decisions.collect();
        let mut text = format!(
            "Since {}:{surprises}{decisions}\nRegime {now}{certain}, then {then}{certain_then}.\nMoves, most unusual first (sd: standard \
             deviations of moves over the same span in 20 years):",
            a.since
        );
        text.extend(a.changes.iter().map(|c| format!("\n- {}", in_prose(c))));
        for (what, ids) in [
            ("Smaller moves", &a.smaller),
            ("No new figure", &a.unchanged),
        ] {
            if !ids.is_empty() {
                text += &format!("\n{what}: {}.", ids.join(", "));
            }
        }
        text + &a.provenance.closing(&a.attribution)
    }
}

fn decisions(desk: &Desk, since: Date, as_of: AsOf) -> Result<Vec<Decision>> {
    let known = (as_of, days::newest(as_of, desk.today()));
    let decided = release_calendar::decided(desk, since, known)?.into_iter();
    let decision = |e: ReleaseEvent| {
        Some(Decision {
            date: e.date,
            name: e.name,
            outcome: e.outcome?,
        })
    };
    Ok(decided.filter_map(decision).collect())
}

fn in_prose(c: &Change) -> String {
    let unusual = match c.unusual {
        Some(u) => format!("{} sd", signed(u, 1)),
        None => "history too short".to_owned(),
    };
    let (now, mut then) = (c.now, c.then.to_string());
    if let Some(revised) = c.then_revised {
        then = format!("{revised} (known then as {then})");
    }
    let change = format!("{} {}", signed(c.change, 2), in_words(&c.change_unit));
    let unit = in_words(&c.unit);
    format!(
        "{} ({}): {now} {unit} on {}, {change} from {then} on {} ({unusual})",
        c.name, c.id, c.date, c.date_then
    )
}

/// The day compared with: a day, or a span back from `day`.
pub(super) fn since(text: &str, day: Date, today: Date) -> Result<Date> {
    let since = days::read("since", text, (day, today))?;
    if since < day {
        return Ok(since);
    }
    let problem = "leaves no time for a change";
    let allowed = format!("a day before {day}, the day of the data, or 7d, 30d, ytd");
    Err(Error::invalid("since", text, problem, &allowed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn since_is_a_day_or_a_span_back_from_the_data() {
        let day = date(2026, 8, 21);
        assert_eq!(since("7d", day, day).ok(), Some(date(2026, 8, 14)));
        assert_eq!(since("ytd", day, day).ok(), Some(date(2026, 1, 1)));
        assert_eq!(since("2026-03-01", day, day).ok(), Some(date(2026, 3, 1)));
        let late = since("2026-08-21", day, day).unwrap_err().to_string();
        assert!(
            late.contains("leaves no time") && late.contains("before 2026-08-21"),
            "{late}"
        );
        assert!(
            since("soon", day, day)
                .unwrap_err()
                .to_string()
                .contains("2008-12-31")
        );
    }
}
