//! `get_time_series`: the history of one series, as rows, as a summary or as CSV.

use super::answer::{Answer, Csv};
use super::endpoint::{Endpoint, Spec};
use super::provenance::{Provenance, parse_as_of, parse_day};
use crate::desk::Desk;
use crate::error::{Error, Result};
use crate::model::frequency::shift;
use crate::model::{AsOf, Date, Observation};
use bytes::Bytes;
use jiff::ToSpan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::time::Duration;

/// Declaration and functions.
pub struct GetTimeSeries;

/// Most rows in one answer (API.md, limits).
pub const MOST_ROWS: usize = 5_000;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Identifier or name: DGS10, "10y", CPIAUCSL, SERVICE_CRPI.
    #[serde(rename = "seriesId")]
    #[schemars(example = &"DGS10", length(min = 1, max = 80))]
    series_id: String,
    /// First day, YYYY-MM-DD, or 6m, 5y, ytd, max. Default: 365 days before the end.
    #[schemars(example = &"2026-01-01", length(max = 10))]
    start: Option<String>,
    /// Last day, YYYY-MM-DD. Default: newest.
    #[schemars(example = &"2026-08-20", length(max = 10))]
    end: Option<String>,
    /// json, or csv for text with a header.
    #[serde(default)]
    format: Format,
    /// What was known on this day, YYYY-MM-DD. Default: now.
    #[schemars(example = &"2020-03-01", length(max = 10))]
    as_of: Option<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Json,
    Csv,
}

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
    /// State of knowledge.
    #[serde(flatten)]
    #[schemars(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for GetTimeSeries {
    const SPEC: Spec = Spec {
        tool: "get_time_series",
        title: "Time series",
        path: "/api/public/data/{seriesId}",
        summary: "History of one of 400+ series as JSON or CSV, with start and end",
        description: "Use this when asked for the history, trend, chart or past values of one series over years \
            or months (yields, rates, inflation, CPI, unemployment, GDP, composites such as SERVICE_CRPI), or for \
            data to download as CSV. Default: the last 365 days, at most 5,000 rows. Names such as \"10y\" work. \
            Do not use it for the latest value: use get_metric.",
        max_age: 1_800,
        in_contract: true,
        example: &[("seriesId", "UNRATE"), ("start", "2025-01-01")],
    };
    type Params = Params;
    type Output = Output;

    fn local(desk: &Desk, params: &Params) -> Result<Output> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let info = desk.resolve("series", &params.series_id)?;
        let series = desk.series_or_reason(&info, as_of)?;
        let (start, end) = range(desk, params, as_of)?;
        let rows = series.between(start, end);
        let cut = rows.len().saturating_sub(MOST_ROWS);
        let data: Vec<Row> = rows.iter().skip(cut).map(row).collect();
        let credit = desk.attribution();
        Ok(Output {
            series_id: desk.shown_id(&info.id),
            display_name: info.title.clone(),
            unit: info.units_short.clone(),
            start,
            end,
            row_count: data.len(),
            truncated: cut > 0,
            data,
            attribution: Credit {
                text: format!("{}; source: {}", credit.text, info.source),
                url: credit.url,
                terms: "Free for non-commercial, educational and research use with attribution."
                    .into(),
            },
            frequency: Some(info.frequency.word().into()),
            source: Some(info.source.clone()),
            provenance: Provenance::of(desk, as_of)?,
        })
    }

    fn text(output: &Output, params: &Params) -> String {
        if params.format == Format::Csv {
            return csv(output);
        }
        summary(output)
    }

    fn render(output: &Output, params: &Params) -> Result<Answer> {
        let json =
            serde_json::to_vec(output).map_err(|e| Error::internal("rendering a series", e))?;
        let max_age = Duration::from_secs(u64::from(Self::SPEC.max_age));
        let mut answer = Answer::new(Bytes::from(json), Self::text(output, params), max_age);
        if params.format == Format::Csv {
            answer.csv = Some(Csv {
                body: Bytes::from(csv(output)),
                file_name: format!("{}.csv", output.series_id),
            });
        }
        Ok(answer)
    }
}

fn row(o: &Observation) -> Row {
    Row {
        date: o.date,
        value: o.value,
    }
}

/// The days asked for: explicit, relative to the end, or the last 365 days.
fn range(desk: &Desk, params: &Params, as_of: AsOf) -> Result<(Date, Date)> {
    let newest = match as_of {
        AsOf::Day(day) => day,
        AsOf::Latest => desk.today(),
    };
    let end = match params.end.as_deref() {
        Some(text) => parse_day("end", text)?,
        None => newest,
    };
    let start = match params.start.as_deref() {
        Some(text) => relative(text, end).map_or_else(|| parse_day("start", text), Ok)?,
        None => shift(end, (-365).days()),
    };
    if start > end {
        let allowed = format!("a day on or before end ({end})");
        return Err(Error::invalid(
            "start",
            &start.to_string(),
            "is after end",
            &allowed,
        ));
    }
    if start > desk.today() {
        let allowed = format!("a day up to {}", desk.today());
        return Err(Error::invalid(
            "start",
            &start.to_string(),
            "lies in the future",
            &allowed,
        ));
    }
    Ok((start, end))
}

/// `5y`, `6m`, `30d`, `ytd` and `max`, counted back from `end`.
fn relative(text: &str, end: Date) -> Option<Date> {
    let text = text.trim().to_ascii_lowercase();
    match text.as_str() {
        "max" => return Some(jiff::civil::date(1700, 1, 1)),
        "ytd" => return Some(end.first_of_year()),
        _ => {}
    }
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let n: i64 = number.parse().ok().filter(|n| (1..=400_000).contains(n))?;
    let back = match unit {
        "d" => (-n).days(),
        "m" if n <= 4_000 => (-n).months(),
        "y" if n <= 320 => (-n).years(),
        _ => return None,
    };
    Some(shift(end, back))
}

/// `observation_date,<ID>` and a row per observation, LF.
fn csv(output: &Output) -> String {
    let mut text = format!("observation_date,{}\n", output.series_id);
    for row in &output.data {
        let _ = writeln!(text, "{},{}", row.date, row.value);
    }
    text
}

/// First, last, extremes and at most sixty rows: enough to answer, small enough to read.
fn summary(output: &Output) -> String {
    let mut text = headline(output);
    if output.truncated {
        text.push_str(" Older rows were cut at 5,000; narrow the range to get them.");
    }
    let step = output.data.len().div_ceil(60).max(1);
    let newest = output.data.len().saturating_sub(1);
    text.push_str("\ndate,value");
    let shown = output
        .data
        .iter()
        .enumerate()
        .filter(|(i, _)| (newest - i).is_multiple_of(step));
    for (_, row) in shown {
        let _ = write!(text, "\n{},{}", row.date, row.value);
    }
    if step > 1 {
        let _ = write!(
            text,
            "\n(every {step}th row shown; all are in the structured result)"
        );
    }
    let credit = &output.attribution;
    let _ = write!(
        text,
        "\n{} {}: {}",
        output.provenance.sentence(),
        credit.text,
        credit.url
    );
    text
}

fn headline(output: &Output) -> String {
    let name = format!("{} ({})", output.display_name, output.series_id);
    let (Some(first), Some(last)) = (output.data.first(), output.data.last()) else {
        return format!(
            "{name}: no observation from {} to {}.",
            output.start, output.end
        );
    };
    let by_value = |a: &&Row, b: &&Row| a.value.total_cmp(&b.value);
    let least = output.data.iter().min_by(by_value).unwrap_or(last);
    let most = output.data.iter().max_by(by_value).unwrap_or(last);
    let frequency = output
        .frequency
        .as_deref()
        .unwrap_or("frequency not stated");
    format!(
        "{name}, {}, {frequency}: {} rows from {} to {}. Latest {} on {}; first {} on {}; lowest {} on {}; highest {} on {}.",
        output.unit,
        output.row_count,
        first.date,
        last.date,
        last.value,
        last.date,
        first.value,
        first.date,
        least.value,
        least.date,
        most.value,
        most.date,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn relative_ranges_count_back_from_the_end() {
        let end = date(2026, 8, 20);
        assert_eq!(relative("5y", end), Some(date(2021, 8, 20)));
        assert_eq!(relative("6M", end), Some(date(2026, 2, 20)));
        assert_eq!(relative("ytd", end), Some(date(2026, 1, 1)));
        assert_eq!(relative("", end), None);
        assert_eq!(relative("2026-01-01", end), None);
        assert_eq!(relative("999999999y", end), None);
    }
}
