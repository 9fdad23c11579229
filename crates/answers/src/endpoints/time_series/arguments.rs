//! What may be asked of a series: the contract's range and format, and what suits a model's window; a range of days or
//! single days.

use crate::endpoints::codes::{Code, How, Period};
use crate::endpoints::days::{self, newest, parse_span, range, trading_days};
use crate::endpoints::prelude::*;
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::frequency::shift;
use jiff::ToSpan;

/// Most events and horizons in an answer.
const MOST: usize = 130;

/// Horizons of an event that names none, as the schema says.
const HORIZONS: [&str; 4] = ["1m", "3m", "6m", "12m"];

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Identifier or name: DGS10, "10y", CPIAUCSL, SERVICE_CRPI.
    #[serde(rename = "seriesId")]
    #[schemars(example = &"DGS10", length(min = 1, max = 80))]
    pub(super) series_id: String,
    /// Since when: a day, month, quarter or year, or back from the end: 6m, 5y, ytd, max. Equal to end: that one period.
    #[schemars(extend("default" = "365d"))]
    pub(super) start: Option<String>,
    /// Until when; now unless given.
    pub(super) end: Option<String>,
    /// In place of a range: the value on or before each of these days.
    #[schemars(example = &["2023-03-11"], length(min = 1, max = 40), inner(length(max = 30)))]
    pub(super) dates: Option<Vec<String>>,
    /// In place of a range: days of events, or FOMC 2022, NBER peaks: the value then and at each horizon, and the means.
    #[schemars(length(max = 400))]
    pub(super) after: Option<String>,
    /// Time from `after` on; d are calendar days, td trading days: 250td.
    #[schemars(extend("default" = ["1m", "3m", "6m", "12m"]), length(min = 1, max = 12), inner(length(max = 20)))]
    pub(super) horizons: Option<Vec<String>>,
    /// csv: text with a header.
    #[serde(default)]
    pub(super) format: Format,
    /// summary: figures over all rows, and the rows if 60 or fewer, else up to 31; points: rows alike; csv: up to 750; full: all.
    pub(super) detail: Option<Detail>,
    /// Most rows, the last of each week, month or year.
    #[schemars(range(min = 1, max = 400))]
    pub(super) max_points: Option<u16>,
    /// Coarser frequency; wew: weeks that end on Wednesday.
    pub(super) frequency: Option<Period>,
    /// How figures become coarser; unless given by kind: sum of flows, last of daily figures and stocks, else mean.
    pub(super) aggregation: Option<How>,
    /// FRED's: pc1 is % from a year earlier, pch from the period before.
    #[schemars(extend("default" = "lin"))]
    pub(super) units: Option<Code>,
    /// Counted over all rows: >= 0.5, T10Y2Y < 0, > yoy(CPILFESL).
    #[schemars(length(min = 1, max = 200))]
    pub(super) condition: Option<String>,
    /// As known on this day, month, quarter or year: 2008-12-31, Q4 2008. Up to 5, a column each: 2008-12-31, latest.
    pub(super) as_of: Option<String>,
    /// Adds a picture of all rows (MCP).
    #[serde(default)]
    pub(super) chart: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    #[default]
    Json,
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Detail {
    Summary,
    Points,
    Csv,
    Full,
}

impl Params {
    /// The units asked for; as published unless given.
    pub(super) fn units(&self) -> Units {
        self.units.map_or(Units::Level, |code| code.meaning)
    }

    /// What is given: every row unless something shorter is asked for. A summary as CSV has the rows of a CSV.
    pub(super) fn detail(&self) -> Detail {
        match (self.detail, self.format) {
            (None, _) => Detail::Full,
            (Some(Detail::Summary), Format::Csv) => Detail::Csv,
            (Some(detail), _) => detail,
        }
    }
}

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
        let (name, mut days) = match (&params.dates, &params.after) {
            (Some(_), Some(after)) => return Err(beside("after", after, "dates")),
            (Some(dates), None) => ("dates", each_day(dates, base)?),
            (None, Some(event)) => ("after", after(event, params.horizons.as_deref(), base)?),
            (None, None) => ("", Vec::new()),
        };
        if let (Some(horizons), None) = (&params.horizons, &params.after) {
            let allowed = "after=2022-04-01 with horizons=3m,12m";
            let problem = "has no meaning without after";
            let horizons = horizons.join(",");
            return Err(Error::invalid("horizons", &horizons, problem, allowed));
        }
        let each = || days.iter().map(|(day, _)| *day);
        let (start, end) = match (each().min().zip(each().max()), &params.start, &params.end) {
            (None, start, end) => range((start.as_deref(), end.as_deref()), as_of, today)?,
            (Some(_), Some(start), _) => return Err(beside("start", start, name)),
            (Some(_), None, Some(end)) => return Err(beside("end", end, name)),
            (Some(ends), None, None) => ends,
        };
        // A range that is a single day asks for its figure.
        if days.is_empty() && start == end {
            days.push((start, None));
        }
        Ok(Self {
            start,
            end,
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
            let trading = trading_days(text).map(|n| (n * 7 / 5 + 1, format!("{n}td")));
            let (length, horizon) = match trading {
                Some((days, told)) => (i64::from(days).days(), told),
                None => (
                    parse_span("horizons", text)?,
                    text.trim().to_ascii_lowercase(),
                ),
            };
            all.push((shift(event, length), Some(horizon)));
        }
    }
    Ok(all)
}

fn beside(field: &str, text: &str, other: &str) -> Error {
    let problem = format!("cannot stand beside {other}");
    let allowed = "a range (start, end), or dates, or after with horizons";
    Error::invalid(field, text, &problem, allowed)
}
