//! `what_changed`: surprises of releases, the regime, and moves of composites and key figures since an earlier day.
//!
//! Each side is what was known on its day. A move counts from the revised value of the earlier figure, so that it
//! contains no revision and no change of base year. Moves are ranked by their size in standard deviations of the moves
//! of the same figure over the same span in the last twenty years.

mod moves;
mod surprises;

pub use moves::Change;
pub use surprises::Surprise;

use super::regime::title_case;
use super::release_calendar::{self, ReleaseEvent};
use crate::prelude::*;
use econoscope_core::format::{self, amount_in_words};
use econoscope_core::indicators::expectation::FORMULAS;
use econoscope_core::indicators::{established, prose, regime};
use econoscope_core::model::calendar::{Meeting, meetings};
use moves::{KEY_FIGURES, Move};

/// Most moves in full; the rest are listed by identifier.
const MAX_CHANGES: usize = 12;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Day, month, quarter or year, or 7d, 30d, 6m, ytd.
    #[serde(default = "a_month")]
    #[schemars(length(min = 1))]
    since: String,
    /// As known on: 2008-12-31, Q4 2008.
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

impl Regimes {
    /// Describes both: "the regime has stayed Reflation (80 % confidence, now 75 %)."
    fn describe(&self) -> String {
        let share =
            |share: Option<f64>| share.map_or("unknown".to_owned(), |share| format!("{share} %"));
        let [then, now] = [&self.then, &self.now].map(|name| title_case(name));
        let [share_then, share_now] = [self.confidence_then, self.confidence].map(share);
        if then == now {
            format!("the regime has stayed {now} ({share_then} confidence, now {share_now}).")
        } else {
            format!("the regime went from {then} ({share_then} confidence) to {now} ({share_now}).")
        }
    }
}

/// An FOMC decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Day.
    pub date: Date,
    /// Kind of meeting.
    pub name: String,
    /// The target range.
    pub outcome: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// Day of comparison.
    pub since: Date,
    /// The five greatest surprises of first prints since then, with what was expected; the greatest first.
    pub surprises: Vec<Surprise>,
    /// Decisions of the FOMC since then, from the target range.
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
    /// Provenance.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for Params {
    const TOOL: &'static str = "what_changed";
    type Output = Changes;

    fn local(desk: &Desk, params: &Self) -> Result<Changes> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let ids = KEY_FIGURES
            .iter()
            .map(|(id, _)| *id)
            .chain(established().map(|c| c.indicator.id))
            .chain(regime::INPUTS.iter().copied())
            .chain(FORMULAS.iter().flat_map(|f| f.inputs.iter().copied()));
        let day = desk.reference_day(ids.clone(), as_of)?.as_of;
        let since = parse_since(&params.since, day, desk.today())?;
        let mut provenance = Provenance::new(desk, as_of, ids.clone())?;
        provenance.note_basis(desk, "since", since, ids)?;
        let composites =
            established().map(|c| (c.indicator.id, moves::composite_move(desk, c, as_of, since)));
        let key_figures = KEY_FIGURES
            .iter()
            .map(|&(id, kind)| (id, moves::key_figure_move(desk, id, kind, as_of, since)));
        let mut changes = Vec::new();
        let mut unchanged = Vec::new();
        let mut absent = Vec::new();
        for (id, outcome) in composites.chain(key_figures) {
            match outcome? {
                Move::Change(change, size) => changes.push((id, change, size)),
                Move::NoNewFigure => unchanged.push(id.to_owned()),
                Move::Absent => absent.push(id),
            }
        }
        if !absent.is_empty() {
            let why = "no figure on one of the two days";
            provenance.note("absent", format!("{why}: {}", absent.join(", ")));
        }
        changes.sort_by(|(.., a), (.., b)| b.total_cmp(a));
        let smaller = changes.split_off(MAX_CHANGES.min(changes.len()));
        let now = desk.regimes(as_of)?;
        let then = desk.regimes(AsOf::Day(since))?;
        let decisions = decisions(desk, since, as_of)?;
        provenance.note("decisions", why_missing(desk, since, as_of, &decisions));
        Ok(Changes {
            since,
            surprises: surprises::surprises_since(desk, since, as_of)?,
            decisions,
            regime: Regimes {
                now: now.now.regime.name().into(),
                confidence: now.now.confidence,
                then: then.now.regime.name().into(),
                confidence_then: then.now.confidence,
            },
            changes: changes.into_iter().map(|(_, change, _)| change).collect(),
            smaller: smaller.iter().map(|(id, ..)| (*id).to_owned()).collect(),
            unchanged,
            attribution: desk.attribution(),
            provenance,
        })
    }

    fn text(a: &Changes, _: &Self) -> String {
        let mut text = format!("Since {} {}", format::day(a.since), a.regime.describe());
        let decisions = a.decisions.iter();
        text.extend(decisions.map(|d| format!("\n{} on {}: {}.", d.name, d.date, d.outcome)));
        text += &surprises::render(&a.surprises);
        let moves = a.changes.iter().map(format_change);
        let head = "\nMoves, most unusual first (now, then, in standard deviations):";
        text += &enclosed(head, &join(moves, ""), "");
        let smaller = ("moved less", &a.smaller);
        let counts = [smaller, ("have no newer figure", &a.unchanged)].into_iter();
        let some = counts.filter(|(_, others)| !others.is_empty());
        let told = some.map(|(what, others)| format!("{} others {what}", others.len()));
        text += &enclosed("\n", &join(told, ", "), ".");
        text + &a
            .provenance
            .render_closing_without(&["since"], &a.attribution)
    }
}

fn decisions(desk: &Desk, since: Date, as_of: AsOf) -> Result<Vec<Decision>> {
    let day = dates::newest(as_of, desk.today());
    let first = shift(since, 1.day());
    let events = release_calendar::events(desk, DateRange::new(first, day), as_of)?;
    let decision = |event: ReleaseEvent| {
        Some(Decision {
            date: event.date,
            name: event.name,
            outcome: event.outcome?,
        })
    };
    Ok(events.into_iter().filter_map(decision).collect())
}

/// Says why decisions after `since` are missing: nothing was decided, or the target range is not held; empty if none is.
fn why_missing(desk: &Desk, since: Date, as_of: AsOf, decisions: &[Decision]) -> String {
    let day = dates::newest(as_of, desk.today());
    let is_past = |m: &&Meeting| m.has_decision() && m.day > since && m.day <= day;
    let is_missing = |m: &&Meeting| decisions.iter().all(|decision| decision.date != m.day);
    let missing = meetings().iter().filter(is_past).filter(is_missing);
    let days = prose::format_list(&missing.map(|m| format::day(m.day)).collect::<Vec<_>>());
    if !days.is_empty() {
        format!("decisions of the FOMC on {days} are not loaded")
    } else if decisions.is_empty() {
        let day = format::day(since);
        format!("no meeting of the FOMC has decided since {day}")
    } else {
        String::new()
    }
}

/// Formats a move as a line: "- 10-Year Treasury (DGS10): 4.1 %, 2026-08-20; 3.85, 2026-07-20 (+1.2)".
fn format_change(c: &Change) -> String {
    let unusual = match c.unusual {
        Some(u) => format_signed(u, 1),
        None => "history too short".to_owned(),
    };
    let then = match c.then_revised {
        Some(revised) => format!("{revised} (then {})", c.then),
        None => c.then.to_string(),
    };
    let unit = spell_out_unit(&c.unit);
    // The figures of a month or a quarter are known by it.
    let info = Catalogue::embedded().get(&c.id);
    let period = |date: Date| match info.map(|info| info.frequency) {
        Some(frequency) if frequency >= Frequency::Monthly => frequency.label(date),
        _ => date.to_string(),
    };
    format!(
        "\n- {} ({}): {}, {}; {then}, {} ({unusual})",
        c.name,
        c.id,
        amount_in_words(c.now, &unit),
        period(c.date),
        period(c.date_then)
    )
}

/// Parses the day to compare with: a day, or a span back from `day`, the day of the data.
///
/// # Errors
/// [`Error::InvalidParam`] for a text that is no date, or a day that is not before `day`.
pub(super) fn parse_since(text: &str, day: Date, today: Date) -> Result<Date> {
    let since = dates::read("since", text, day, today)?;
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
        assert_eq!(parse_since("7d", day, day).ok(), Some(date(2026, 8, 14)));
        assert_eq!(parse_since("ytd", day, day).ok(), Some(date(2026, 1, 1)));
        assert_eq!(
            parse_since("2026-03-01", day, day).ok(),
            Some(date(2026, 3, 1))
        );
        let late = parse_since("2026-08-21", day, day).unwrap_err().to_string();
        assert!(
            late.contains("leaves no time") && late.contains("before 2026-08-21"),
            "{late}"
        );
        assert!(
            parse_since("soon", day, day)
                .unwrap_err()
                .to_string()
                .contains("2008-12-31")
        );
    }
}
