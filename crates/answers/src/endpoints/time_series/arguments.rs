//! Arguments of `get_time_series`, and the range or the single days that they select.

use crate::conditions::EvaluationContext;
use crate::conditions::formulas::NamedSeries;
use crate::dates::{EventScope, parse_span, range, trading_days};
use crate::prelude::*;
use crate::route::codes::{AggregationCode, FrequencyCode, UnitsCode};
use econoscope_core::indicators::resample::Aggregation;

/// Most figures of events and their horizons in an answer.
const MAX_FIGURES: usize = 130;

/// Horizons of an event without any, as in the schema.
const DEFAULT_HORIZONS: [&str; 4] = ["1m", "3m", "6m", "12m"];

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Identifier or name: DGS10, "10y", CPIAUCSL, SERVICE_CRPI.
    #[serde(rename = "seriesId")]
    #[schemars(example = &"DGS10", length(min = 1, max = 80))]
    pub(super) series_id: String,
    /// A day, month, quarter or year, or back from the end: 6m, 5y, ytd, max. Equal to end: that one period.
    #[schemars(extend("default" = "365d"))]
    pub(super) start: Option<String>,
    /// Until when; now unless given.
    pub(super) end: Option<String>,
    /// The value on or before each of these days.
    #[schemars(example = &["2023-03-11"], length(min = 1, max = 40), inner(length(max = 30)))]
    pub(super) dates: Option<Vec<String>>,
    /// Days of events, or FOMC 2022, recessions, first rate cuts, T10Y2Y < 0 (in months if it crosses often): the value then and at each
    /// horizon, and means.
    #[schemars(length(max = 400))]
    pub(super) after: Option<String>,
    /// From `after` on; d: calendar days, td: trading days: 250td.
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
    /// Coarser; wew: weeks to Wednesday.
    pub(super) frequency: Option<FrequencyCode>,
    /// Unless given: sum of flows, last of daily figures and stocks, else mean.
    pub(super) aggregation: Option<AggregationCode>,
    /// FRED's: pc1 is % from a year earlier, pch from the period before.
    #[schemars(extend("default" = "lin"))]
    pub(super) units: Option<UnitsCode>,
    /// Counted over all rows: >= 0.5, T10Y2Y < 0, > yoy(CPILFESL).
    #[schemars(length(min = 1, max = 200))]
    pub(super) condition: Option<String>,
    /// As known on: Q4 2008. Up to 5, a column each: 2008-12-31, latest.
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
    /// The requested units; by default as published.
    pub(super) fn units(&self) -> Units {
        self.units.map_or(Units::Level, |code| code.value)
    }

    /// Whether other units or another frequency are requested.
    pub(super) fn is_transformed(&self) -> bool {
        self.units.is_some() || self.frequency.is_some()
    }

    /// The requested aggregation, else the usual one for a series.
    pub(super) fn aggregation(&self, info: &SeriesInfo) -> Aggregation {
        let aggregation = self.aggregation.map(|code| code.value);
        aggregation.unwrap_or_else(|| Aggregation::default_for(info))
    }

    /// Names a column as FRED does, so that a file of changes is not read as one of levels: `CPILFESL_PC1`,
    /// `GDPC1_20081031`.
    pub(super) fn column(&self, id: &str) -> String {
        let units = self.units.filter(|code| code.value != Units::Level);
        let parts = [units.map(|code| code.code), self.as_of.as_deref()];
        let mut column = id.to_owned();
        for part in parts.into_iter().flatten() {
            let word = part.chars().filter(char::is_ascii_alphanumeric);
            column.push('_');
            column.extend(word.map(|c| c.to_ascii_uppercase()));
        }
        column
    }

    /// What a condition on a series is evaluated in; `named` has the series that it names.
    pub(super) fn evaluation_context(
        &self,
        info: &SeriesInfo,
        named: NamedSeries,
        range: DateRange,
    ) -> EvaluationContext {
        EvaluationContext {
            series: named,
            aggregation: self.aggregation(info),
            frequency: self.frequency.map(|code| code.value.frequency),
            range,
        }
    }

    /// The effective detail: every row by default, and the rows of a CSV for a summary as CSV.
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
    /// The single days in the order of the request; empty for a range.
    pub(super) days: Vec<SelectedDay>,
    /// Whether the days are events and their horizons.
    pub(super) is_events: bool,
    /// The newest day that the answer may speak of.
    pub(super) newest: Date,
}

/// A day, and its horizon where it follows an event: "3m".
pub(super) type SelectedDay = (Date, Option<String>);

impl DateSelection {
    /// First and last day.
    pub(super) fn range(&self) -> DateRange {
        DateRange::new(self.start, self.end)
    }

    /// Returns the first day of an answer, given the first figure of a series: of a range that of its first figure, and of an
    /// open one without any the end.
    pub(super) fn first_day(&self, first: Option<&Observation>) -> Date {
        let is_open = self.range().is_open();
        let given = if is_open { self.end } else { self.start };
        let first = first.filter(|_| self.days.is_empty());
        let start = first.map_or(given, |first| self.start.max(first.date));
        if start <= self.end { start } else { given }
    }

    /// Returns the rows of a series in the range.
    pub(super) fn rows<'a>(&self, series: &'a Series) -> &'a [Observation] {
        series.between(self.start, self.end)
    }

    /// Reads the arguments.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for what is no day or length of time, and for a range beside single days; those of a condition
    /// among the events.
    pub(super) fn new(
        params: &Params,
        as_of: AsOf,
        today: Date,
        desk: Option<&Desk>,
    ) -> Result<Self> {
        let newest = newest(as_of, today);
        let frequency = params.frequency.map(|code| code.value.frequency);
        let scope = EventScope {
            desk,
            as_of,
            frequency,
            today,
        };
        let horizons = params.horizons.as_deref();
        let (name, mut days) = match (&params.dates, &params.after) {
            (Some(_), Some(after)) => return Err(conflict("after", after, "dates")),
            (Some(dates), None) => ("dates", parse_dates(dates, newest, today)?),
            (None, Some(after)) => ("after", parse_events(after, horizons, scope)?),
            (None, None) => ("", Vec::new()),
        };
        if let (Some(horizons), None) = (horizons, &params.after) {
            let text = horizons.join(",");
            let problem = "has no meaning without after";
            let allowed = "after=2022-04-01 with horizons=3m,12m";
            return Err(Error::invalid("horizons", &text, problem, allowed));
        }
        let all = days.iter().map(|(day, _)| *day);
        let ends = all.clone().min().zip(all.max());
        let start = params.start.as_deref();
        let end = params.end.as_deref();
        let DateRange { start, end } = match (ends, start, end) {
            (None, start, end) => range(start, end, as_of, today)?,
            (Some(_), Some(start), _) => return Err(conflict("start", start, name)),
            (Some(_), None, Some(end)) => return Err(conflict("end", end, name)),
            (Some((first, last)), None, None) => DateRange::new(first, last),
        };
        // A range of a single day asks for its figure.
        if days.is_empty() && start == end {
            days.push((start, None));
        }
        Ok(Self {
            start,
            end,
            days,
            is_events: params.after.is_some(),
            newest,
        })
    }
}

fn parse_dates(texts: &[String], newest: Date, today: Date) -> Result<Vec<SelectedDay>> {
    let whole = dates::join_split_dates(texts.iter().map(String::as_str));
    let day = |text: &String| Ok((dates::read("dates", text, newest, today)?, None));
    whole.iter().map(day).collect()
}

/// Returns each event, followed by its horizons.
fn parse_events(
    text: &str,
    horizons: Option<&[String]>,
    scope: EventScope,
) -> Result<Vec<SelectedDay>> {
    let default = || DEFAULT_HORIZONS.map(String::from).into();
    let horizons: Vec<String> = horizons.map_or_else(default, <[String]>::to_vec);
    let events = dates::event_days("after", text, scope)?;
    let count = events.len() * (horizons.len() + 1);
    if count > MAX_FIGURES {
        let problem = format!("is {} events, {count} figures", events.len());
        let allowed = format!(
            "events times horizons, at most {MAX_FIGURES} figures together: fewer horizons, or frequency=m for fewer crossings"
        );
        return Err(Error::invalid("after", text, &problem, &allowed));
    }
    let mut selected = Vec::with_capacity(count);
    for event in events {
        selected.push((event, None));
        for text in &horizons {
            let horizon = text.trim().to_ascii_lowercase();
            selected.push(match trading_days(text) {
                // An estimate in weeks of five days: the rows of the series give the exact day.
                Some(n) => {
                    let length = i64::from(n) * 7 / 5 + 1;
                    (shift(event, length.days()), Some(format!("{n}td")))
                }
                None => (shift(event, parse_span("horizons", text)?), Some(horizon)),
            });
        }
    }
    Ok(selected)
}

fn conflict(field: &str, text: &str, other: &str) -> Error {
    let problem = format!("cannot stand beside {other}");
    let allowed = "a range (start, end), or dates, or after with horizons";
    Error::invalid(field, text, &problem, allowed)
}
