//! What is asked of a series in time: a range of days, or single days.

use super::arguments::Params;
use crate::endpoints::days::{self, newest, parse_span, range};
use crate::error::{Error, Result};
use crate::model::frequency::shift;
use crate::model::{AsOf, Date};

/// Horizons of an event that names none, as the schema says.
const HORIZONS: [&str; 4] = ["1m", "3m", "6m", "12m"];

/// A range of days, or single days in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    /// First day.
    pub(super) start: Date,
    /// Last day.
    pub(super) end: Date,
    /// The single days asked for, in their order; none of a range.
    pub(super) days: Vec<AskedDay>,
}

/// A day whose figure is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskedDay {
    /// The day.
    pub(super) day: Date,
    /// How long after the event, where there is one.
    pub(super) horizon: Option<String>,
}

impl Asked {
    /// Whether the days are an event and what came after.
    pub(super) fn is_event(&self) -> bool {
        self.days.iter().any(|d| d.horizon.is_some())
    }

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
            return Self::range(params, as_of, today);
        };
        for (field, text) in [("start", &params.start), ("end", &params.end)] {
            if let Some(text) = text {
                return Err(beside(field, text, name));
            }
        }
        let each = || days.iter().map(|d| d.day);
        let (start, end) = (each().min(), each().max());
        Ok(Self {
            start: start.unwrap_or(base.0),
            end: end.unwrap_or(base.0),
            days,
        })
    }

    /// A range; one that is a single day asks for its figure.
    fn range(params: &Params, as_of: AsOf, today: Date) -> Result<Self> {
        let given = (params.start.as_deref(), params.end.as_deref());
        let (start, end) = range(given, as_of, today)?;
        let only = (start == end).then_some(AskedDay {
            day: start,
            horizon: None,
        });
        Ok(Self {
            start,
            end,
            days: only.into_iter().collect(),
        })
    }
}

fn each_day(dates: &[String], base: (Date, Date)) -> Result<Vec<AskedDay>> {
    let day = |text: &String| {
        Ok(AskedDay {
            day: days::read("dates", text, base)?,
            horizon: None,
        })
    };
    let dates = days::rejoined(dates.iter().map(String::as_str));
    dates.iter().map(day).collect()
}

/// The event, then each horizon.
fn after(event: &str, horizons: Option<&[String]>, base: (Date, Date)) -> Result<Vec<AskedDay>> {
    let event = days::read("after", event, base)?;
    let usual = HORIZONS.map(str::to_owned);
    let mut days = vec![AskedDay {
        day: event,
        horizon: None,
    }];
    for horizon in horizons.unwrap_or(&usual) {
        days.push(AskedDay {
            day: shift(event, parse_span("horizons", horizon)?),
            horizon: Some(horizon.trim().to_ascii_lowercase()),
        });
    }
    Ok(days)
}

fn beside(field: &str, text: &str, other: &str) -> Error {
    let problem = format!("cannot stand beside {other}");
    let allowed = "a range (start, end), or dates, or after with horizons";
    Error::invalid(field, text, &problem, allowed)
}
