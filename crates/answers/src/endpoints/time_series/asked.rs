//! What is asked of a series in time: a range of days, or single days.

use super::arguments::Params;
use crate::endpoints::days::{self, newest, parse_span, range, trading_days};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date};
use jiff::ToSpan;

/// Most events and horizons in an answer.
const MOST: usize = 130;

/// Horizons of an event that names none, as the schema says.
const HORIZONS: [&str; 4] = ["1m", "3m", "6m", "12m"];

/// A range of days, or single days in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DateSelection {
    /// First day.
    pub(super) start: Date,
    /// Last day.
    pub(super) end: Date,
    /// The single days asked for, in their order; none of a range.
    pub(super) days: Vec<SelectedDay>,
    /// Whether they are events and their horizons.
    pub(super) is_events: bool,
    /// The newest day of which anything can be known.
    pub(super) newest: Date,
}

/// A day whose figure is asked for, and how long after the event it is, where it is a horizon of one.
pub(super) type SelectedDay = (Date, Option<String>);

impl DateSelection {
    /// Reads the arguments.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for what is no day or length of time, and for a range beside single days.
    pub(super) fn of(params: &Params, as_of: AsOf, today: Date) -> Result<Self> {
        let base = (newest(as_of, today), today);
        let single = match (&params.dates, &params.after) {
            (Some(_), Some(after)) => return Err(beside("after", after, "dates")),
            (Some(dates), None) => Some(("dates", each_day(dates, base)?)),
            (None, Some(event)) => Some(("after", after(event, params.horizons.as_deref(), base)?)),
            (None, None) => None,
        };
        if let (Some(horizons), None) = (&params.horizons, &params.after) {
            let allowed = "after=2022-04-01 with horizons=3m,12m";
            let problem = "has no meaning without after";
            let horizons = horizons.join(",");
            return Err(Error::invalid("horizons", &horizons, problem, allowed));
        }
        let Some((name, days)) = single else {
            let given = (params.start.as_deref(), params.end.as_deref());
            let (start, end) = range(given, as_of, today)?;
            // A range that is a single day asks for its figure.
            let only = (start == end).then_some((start, None));
            let days = only.into_iter().collect();
            return Ok(Self {
                start,
                end,
                days,
                is_events: false,
                newest: base.0,
            });
        };
        for (field, text) in [("start", &params.start), ("end", &params.end)] {
            if let Some(text) = text {
                return Err(beside(field, text, name));
            }
        }
        let each = || days.iter().map(|(day, _)| *day);
        Ok(Self {
            start: each().min().unwrap_or(base.0),
            end: each().max().unwrap_or(base.0),
            days,
            is_events: params.after.is_some(),
            newest: base.0,
        })
    }
}

fn each_day(dates: &[String], base: (Date, Date)) -> Result<Vec<SelectedDay>> {
    let day = |text: &String| Ok((days::read("dates", text, base)?, None));
    let dates = days::rejoined(dates.iter().map(String::as_str));
    dates.iter().map(day).collect()
}

/// Each event, then its horizons.
fn after(text: &str, horizons: Option<&[String]>, base: (Date, Date)) -> Result<Vec<SelectedDay>> {
    let usual = HORIZONS.map(str::to_owned);
    let horizons = horizons.unwrap_or(&usual);
    let events = days::events("after", text, base)?;
    let count = events.len() * (horizons.len() + 1);
    if count > MOST {
        let problem = format!("asks for {count} figures");
        let allowed = format!("events times horizons, at most {MOST} figures together");
        return Err(Error::invalid("after", text, &problem, &allowed));
    }
    let mut all = Vec::with_capacity(count);
    for event in events {
        all.push((event, None));
        for text in horizons {
            // Which day a trading day is, the series says; until then it is about as many weeks of five days.
            let trading = trading_days(text).and_then(|n| Some((n, i64::try_from(n).ok()?)));
            all.push(match trading {
                Some((n, days)) => (
                    shift(event, (days * 7 / 5 + 1).days()),
                    Some(format!("{n}td")),
                ),
                None => {
                    let day = shift(event, parse_span("horizons", text)?);
                    (day, Some(text.trim().to_ascii_lowercase()))
                }
            });
        }
    }
    Ok(all)
}

fn beside(field: &str, text: &str, other: &str) -> Error {
    let problem = format!("cannot stand beside {other}");
    let allowed = "a range (start, end), or dates, or after with horizons";
    Error::invalid(field, text, &problem, allowed)
}
