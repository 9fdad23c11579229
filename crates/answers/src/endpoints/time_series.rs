//! `get_time_series`: the history of one series, as figures over it, as a few rows, as all of them, or as CSV.
//!
//! The contract's answer has every row; a model's window wants few. Over MCP `detail` is `summary` unless it
//! is given, over REST it is `full`, and both are the same endpoint with the same schema.

mod answer;
mod arguments;
mod digest;
mod forwarded;
mod points;
mod shape;
mod transformed;
mod vintages;

pub use answer::{Credit, Reduction, TimeSeriesAnswer};
pub use arguments::Params;
pub use digest::{Digest, ExtremeRow, RangeMove};
pub use points::{MeanChange, PointInTime};
pub use shape::{line, plot, recessions};
pub use vintages::{VintageRow, VintageState, Vintages};

use super::answer::{Answer, Csv};
use super::condition::Condition;
use super::days;
use super::decode::{self, Arguments};
use super::endpoint::{Endpoint, Kept, Spec};
use super::foreign::UntrustedFields;
use super::formulas::NamedSeries;
use super::lateness::note_late;
use super::route::Route;
use crate::endpoints::prelude::*;
use arguments::{DateSelection, Format};
use bytes::Bytes;
use econoscope_core::indicators::transform::Units;
use std::sync::Arc;

impl Endpoint for Params {
    const SPEC: Spec = Spec {
        tool: "get_time_series",
        title: "History of a series",
        path: "/api/public/data/{seriesId}",
        summary: "History of one of 400+ series: all rows as JSON or CSV, or figures over them",
        description: "Use this when asked for the history, trend, chart, plot or past values of one time series since a \
            date, over years or decades, or in a past month (federal funds or mortgage rate, 10-year, inflation, \
            CPI, unemployment, payrolls, GDP, VIX, recession composites): how it moved, highest and lowest, \
            greatest fall and rise, mean, rows; values at given dates or after an event; as known then and now; when it last was \
            above or below a level and for how long; or to download it as a CSV file. For the latest figure alone \
            get_metric is shorter.",
        max_age: 1_800,
        in_contract: true,
        example: &[("seriesId", "UNRATE"), ("start", "2025-01-01")],
    };
    const MCP_DEFAULTS: &'static [(&'static str, &'static str)] = &[("detail", "summary")];
    const PROVENANCE: Kept<TimeSeriesAnswer> = Some(|answer| &mut answer.provenance);
    type Output = TimeSeriesAnswer;

    fn omitted(&self) -> &'static [&'static str] {
        // Each row that was asked for stands in `points`, or in `vintages`.
        let several = self.as_of.as_deref().is_some_and(days::is_several);
        match self.after.is_none() && self.dates.is_none() && !several {
            true => &[],
            false => &["data", "rowCount", "truncated"],
        }
    }

    fn local(desk: &Desk, params: &Self) -> Result<TimeSeriesAnswer> {
        let known = vintages::days_of(desk, params.as_of.as_deref())?;
        if params.as_of.as_deref().is_some_and(days::is_several) {
            return vintages::answer(desk, params, &known);
        }
        let as_of = known.first().copied().unwrap_or(AsOf::Latest);
        let asked = DateSelection::of(params, as_of, desk.today())?;
        let answer = whole(desk, params, as_of, &asked)?;
        shape::shaped(answer, params, desk.settings().base_url.as_deref())
    }

    fn outbound(checked: &Arguments, today: Date) -> Result<Arguments> {
        forwarded::outbound(checked, today)
    }

    fn received(answer: TimeSeriesAnswer, params: &Self, today: Date) -> Result<TimeSeriesAnswer> {
        forwarded::received(answer, params, today)
    }

    fn text(answer: &TimeSeriesAnswer, params: &Self) -> String {
        match params.format {
            Format::Csv => answer.csv() + &answer.rest() + &answer.provenance.missing(),
            // An assistant's host shows a model the text alone or the structure alone: both have the same rows.
            Format::Json => answer.prose(params.detail.is_none()),
        }
    }

    fn render(answer: &TimeSeriesAnswer, params: &Self) -> Result<Answer> {
        let text = Self::text(answer, params);
        let mut rendered = Answer::new(answer, text, Self::SPEC.max_age)?;
        rendered.png.clone_from(&answer.picture);
        let cut = match answer.truncated {
            true => format!(
                "only the newest 5,000 rows; older ones with end={}. ",
                answer.start
            ),
            false => String::new(),
        };
        rendered.csv = (params.format == Format::Csv).then(|| Csv {
            body: Bytes::from(answer.csv()),
            file_name: format!("{}.csv", answer.series_id),
            notes: cut + &answer.provenance.missing(),
        });
        Ok(rendered)
    }
}

/// Every row that arguments ask for, beyond the most that an answer may have: a drawing shows them all.
///
/// # Errors
/// What the endpoint says to these arguments.
pub fn every_row(desk: &Desk, arguments: Arguments) -> Result<TimeSeriesAnswer> {
    let schema = Route::find(Params::SPEC.tool);
    let schema = schema.ok_or_else(|| Error::internal("looking up an endpoint", "time series"))?;
    let checked = decode::check(schema.input_schema(), arguments)?;
    let params: Params = decode::params(&checked)?;
    let known = vintages::days_of(desk, params.as_of.as_deref())?;
    let as_of = known.last().copied().unwrap_or(AsOf::Latest);
    let asked = DateSelection::of(&params, as_of, desk.today())?;
    whole(desk, &params, as_of, &asked)
}

/// A condition, of which a side that names the series is the one asked for as it is asked for; and the series it names
/// beside that.
fn condition_of(
    desk: &Desk,
    text: &str,
    as_of: AsOf,
    info: &SeriesInfo,
) -> Result<(Condition, NamedSeries)> {
    let is_own = |name: &str| {
        let found = desk.resolve("series", name);
        found.is_ok_and(|found| found.id == info.id)
    };
    let condition = Condition::read(text)?.about(&is_own);
    let known = NamedSeries::read(desk, as_of, [&condition.tree])?;
    Ok((condition, known))
}

/// An answer with all its rows; with the reason in place of them where nothing is held.
fn whole(
    desk: &Desk,
    params: &Params,
    as_of: AsOf,
    asked: &DateSelection,
) -> Result<TimeSeriesAnswer> {
    let meaning = desk.meaning("series", &params.series_id)?;
    let info = Arc::clone(&meaning.info);
    let condition = params.condition.as_deref();
    let condition = condition.map(|text| condition_of(desk, text, as_of, &info));
    let condition = condition.transpose()?;
    let read = condition.iter().flat_map(|(_, known)| known.ids());
    let read = std::iter::once(info.id.as_str()).chain(read);
    let mut provenance = Provenance::of(desk, as_of, read)?;
    provenance.read_as(desk, &meaning, as_of)?;
    provenance.remark(desk, &info)?;
    let credit = desk.attribution();
    let untrusted = UntrustedFields::of(&info, &["displayName", "source"]);
    let source = untrusted.told("source", &info.source);
    let mut answer = TimeSeriesAnswer {
        series_id: desk.shown_id(&info.id),
        display_name: info.title.clone(),
        unit: info.units_short.clone(),
        start: asked.start,
        end: asked.end,
        attribution: Credit {
            text: format!("{}; source: {source}", credit.text),
            url: credit.url,
            terms: "Free for non-commercial, educational and research use with attribution.".into(),
        },
        frequency: Some(info.frequency.word().into()),
        source: Some(info.source.clone()),
        untrusted,
        provenance,
        ..TimeSeriesAnswer::default()
    };
    let series = match desk.series_or_reason(&info, as_of) {
        Ok(series) => series,
        // Known, and nothing held: as with a metric, that is an answer, with the reason.
        Err(reason @ Error::NoData { .. }) => {
            answer.provenance.note("data", reason.to_string());
            return Ok(answer);
        }
        Err(error) => return Err(error),
    };
    let (series, how) = desk.as_known_each_month(series, as_of)?;
    answer.provenance.note("history", how.unwrap_or_default());
    answer.provenance.note_alarm(desk, &info, as_of)?;
    transformed::transformed(&mut answer, &series, params, asked)?;
    if let (Units::PercentYear, Some(last)) = (params.units(), answer.data.last())
        && let Some(rate) = desk.published_rate(info.id.as_str(), last.date, as_of)?
    {
        answer.provenance.note("headline", rate);
    }
    let days = (answer.start, answer.end);
    answer.provenance.sources = desk.cited([info.id.as_str()], Some(days))?;
    let present = desk.present(as_of);
    if asked.end >= present {
        note_late(&mut answer.provenance, "latest", &series, present);
    }
    if let Some(condition) = condition {
        let days = (asked.start, asked.end);
        transformed::judge(&mut answer, condition, &info, params, days)?;
    }
    Ok(answer)
}

#[cfg(test)]
mod tests;
