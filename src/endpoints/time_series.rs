//! `get_time_series`: the history of one series, as figures over it, as a few rows, as all of them, or as CSV.
//!
//! The contract's answer has every row; a model's window wants few. Over MCP `detail` is `summary` unless it
//! is given, over REST it is `full`, and both are the same endpoint with the same schema.

mod arguments;
mod digest;
mod forwarded;
mod picture;
mod range;
mod rows;
mod transformed;
mod words;

pub use arguments::Params;
pub use digest::{Digest, Reduction};
pub use picture::recessions;
pub(in crate::endpoints) use range::relative;

use super::answer::{Answer, Csv};
use super::decode::Arguments;
use super::endpoint::{Endpoint, Outbound, Spec};
use super::provenance::{Provenance, parse_as_of};
use crate::desk::Desk;
use crate::error::Result;
use crate::indicators::resample::Aggregation;
use crate::indicators::transform::Units;
use crate::model::{Date, SeriesInfo};
use arguments::{Detail, Format};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Declaration and functions.
pub struct GetTimeSeries;

/// Most rows in one answer (API.md, limits).
pub const MOST_ROWS: usize = 5_000;
/// Most rows as CSV within a model's window.
const MOST_CSV_ROWS: usize = 1_000;
/// Rows kept when a series is thinned and nothing else is asked for.
const POINTS: usize = 60;

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// First day of the period.
    pub date: Date,
    /// In the series' unit.
    pub value: f64,
}

/// Credit line and terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Credit {
    /// Credit line.
    pub text: String,
    /// Where it links to.
    pub url: String,
    /// Terms of use.
    pub terms: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// Identifier.
    pub series_id: String,
    /// Full name.
    pub display_name: String,
    /// Unit.
    pub unit: String,
    /// First day asked for.
    pub start: Date,
    /// Last day asked for.
    pub end: Date,
    /// Rows returned.
    pub row_count: usize,
    /// Whether the 5,000-row cap cut older rows off.
    pub truncated: bool,
    /// Ascending by date.
    pub data: Vec<Row>,
    /// Credit line and terms.
    pub attribution: Credit,
    /// How often it is measured: daily, weekly, monthly, quarterly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<String>,
    /// Who measures it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Figures over all rows of the range; absent with `detail=full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Digest>,
    /// How the rows were thinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<Reduction>,
    /// Where all rows are to be had as CSV.
    #[serde(rename = "all_rows", default, skip_serializing_if = "Option::is_none")]
    pub all_rows: Option<String>,
    /// All rows as a PNG picture, when one was asked for; never part of the JSON.
    #[serde(skip)]
    pub picture: Option<Bytes>,
    /// State of knowledge.
    #[serde(flatten)]
    #[schemars(flatten)]
    pub provenance: Provenance,
}

impl Output {
    /// Everything but the rows.
    fn without_rows(&self) -> Self {
        Self {
            series_id: self.series_id.clone(),
            display_name: self.display_name.clone(),
            unit: self.unit.clone(),
            data: Vec::new(),
            attribution: self.attribution.clone(),
            frequency: self.frequency.clone(),
            source: self.source.clone(),
            summary: self.summary.clone(),
            reduction: self.reduction.clone(),
            all_rows: self.all_rows.clone(),
            picture: None,
            provenance: self.provenance.clone(),
            ..*self
        }
    }

    /// Gives the rows as asked for: every one up to the cap, or a few with figures over all of them.
    fn shaped(mut self, params: &Params, decimals: i32, base: &str) -> Self {
        let all = std::mem::take(&mut self.data);
        let most = |usual| params.max_points.map_or(usual, usize::from);
        let (data, method) = match params.detail() {
            Detail::Full => {
                let cut = all.len().saturating_sub(MOST_ROWS);
                self.truncated = cut > 0;
                self.data = all.into_iter().skip(cut).collect();
                self.row_count = self.data.len();
                return self;
            }
            Detail::Summary | Detail::Points => digest::thin(&all, most(POINTS)),
            Detail::Csv => digest::thin(&all, most(MOST_CSV_ROWS)),
        };
        self.summary = digest::digest(&all, &self.unit, decimals);
        self.reduction = Some(Reduction {
            from_rows: all.len(),
            to_rows: data.len(),
            method,
        });
        self.row_count = data.len();
        self.all_rows = Some(self.link(params, base));
        self.data = data;
        self
    }

    /// The REST address of all rows as CSV.
    fn link(&self, params: &Params, base: &str) -> String {
        use std::fmt::Write;
        let mut url = format!(
            "{base}/api/public/data/{}?start={}&end={}&format=csv",
            self.series_id, self.start, self.end
        );
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = write!(url, "&{name}={}", value.to_lowercase());
            }
        };
        add("frequency", params.frequency.map(|f| format!("{f:?}")));
        add("aggregation", params.aggregation.map(|h| format!("{h:?}")));
        add("units", params.units.map(|u| format!("{u:?}")));
        add("as_of", params.as_of.clone());
        url
    }
}

impl Endpoint for GetTimeSeries {
    const SPEC: Spec = Spec {
        tool: "get_time_series",
        title: "Time series",
        path: "/api/public/data/{seriesId}",
        summary: "History of one of 400+ series: all rows as JSON or CSV, or figures over them",
        description: "Use this when asked for the history, trend, chart, plot or past values of one series over days or \
            years (yield, rates, CPI, unemployment, GDP, recession composites) or to download its data as CSV: \
            first, last, extremes, mean, percentile and thinned rows. Default: the last 365 days. Do not use it \
            for the latest figure: use get_metric.",
        max_age: 1_800,
        in_contract: true,
        example: &[("seriesId", "UNRATE"), ("start", "2025-01-01")],
    };
    const MCP_DEFAULTS: &'static [(&'static str, &'static str)] = &[("detail", "summary")];
    type Params = Params;
    type Output = Output;

    fn local(desk: &Desk, params: &Params) -> Result<Output> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let info = desk.resolve("series", &params.series_id)?;
        let series = desk.series_or_reason(&info, as_of)?;
        let days = (params.start.as_deref(), params.end.as_deref());
        let (start, end) = range::range(days, as_of, desk.today())?;
        let how = params.aggregation.map(Aggregation::from);
        let units = params.units.map_or(Units::Level, Units::from);
        let found = transformed::transformed(&series, params.frequency, how, units)?;
        let mut provenance = Provenance::of(desk, as_of)?;
        provenance.rests_on(desk, as_of, [info.id.as_str()])?;
        if found.is_partial {
            provenance.note("data", "the last period is not over");
        }
        let output = Output {
            unit: found.unit.clone(),
            data: found.rows((start, end)),
            frequency: Some(found.series.frequency().word().into()),
            ..blank(desk, &info, (start, end), provenance)
        };
        let decimals = i32::from(info.decimals) + 2;
        let output = output.pictured(params, info.decimals)?;
        Ok(output.shaped(params, decimals, &desk.settings().base_url))
    }

    fn outbound(checked: &Arguments, today: Date) -> Result<Outbound> {
        forwarded::outbound(checked, today)
    }

    fn received(output: Output, params: &Params, today: Date) -> Result<Output> {
        forwarded::received(output, params, today)
    }

    fn text(output: &Output, params: &Params) -> String {
        match (params.format, params.detail()) {
            (Format::Csv, _) => rows::csv(&output.series_id, &output.data),
            (Format::Json, Detail::Points | Detail::Csv) => words::points(output),
            (Format::Json, Detail::Summary | Detail::Full) => words::summary(output),
        }
    }

    fn render(output: &Output, params: &Params) -> Result<Answer> {
        let json = match params.detail() {
            // The rows stand in the text; twice would be twice the window.
            Detail::Csv => rows::json(&output.without_rows())?,
            Detail::Summary | Detail::Points | Detail::Full => rows::json(output)?,
        };
        let max_age = Duration::from_secs(u64::from(Self::SPEC.max_age));
        let mut answer = Answer::new(Bytes::from(json), Self::text(output, params), max_age);
        answer.png.clone_from(&output.picture);
        if params.format == Format::Csv {
            answer.csv = Some(Csv {
                body: Bytes::from(rows::csv(&output.series_id, &output.data)),
                file_name: format!("{}.csv", output.series_id),
            });
        }
        Ok(answer)
    }
}

/// An answer about a series without its rows.
fn blank(
    desk: &Desk,
    info: &SeriesInfo,
    (start, end): (Date, Date),
    provenance: Provenance,
) -> Output {
    let credit = desk.attribution();
    Output {
        series_id: desk.shown_id(&info.id),
        display_name: info.title.clone(),
        unit: String::new(),
        start,
        end,
        row_count: 0,
        truncated: false,
        data: Vec::new(),
        attribution: Credit {
            text: format!("{}; source: {}", credit.text, info.source),
            url: credit.url,
            terms: "Free for non-commercial, educational and research use with attribution.".into(),
        },
        frequency: None,
        source: Some(info.source.clone()),
        summary: None,
        reduction: None,
        all_rows: None,
        picture: None,
        provenance,
    }
}

#[cfg(test)]
mod tests;
