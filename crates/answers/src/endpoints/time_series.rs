//! `get_time_series`: the history of one series, as figures over it, as a few rows, as all of them, or as CSV.
//!
//! The contract's answer has every row; a model's window wants few. Over MCP `detail` is `summary` unless it
//! is given, over REST it is `full`, and both are the same endpoint with the same schema.

mod answer;
mod arguments;
mod asked;
mod conditions;
mod digest;
mod forwarded;
mod points;
mod rows;
mod shape;
mod transformed;
mod vintages;
mod words;

pub use answer::{Credit, Reduction, TimeSeriesAnswer};
pub use arguments::Params;
pub use digest::{Digest, ExtremeRow, RangeMove};
pub use points::{MeanChange, PointInTime};
pub use shape::recessions;
pub use vintages::{VintageRow, VintageState, Vintages};

use super::answer::{Answer, Csv};
use super::days;
use super::decode::{self, Arguments};
use super::endpoint::{Endpoint, Kept, Spec};
use super::foreign::UntrustedFields;
use super::lateness::note_late;
use super::measured::FigureKind;
use super::provenance::Provenance;
use super::route::Route;
use arguments::Format;
use asked::DateSelection;
use bytes::Bytes;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::{AsOf, Date, SeriesInfo};
use econoscope_data::desk::Desk;
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
        match whole(desk, params, as_of, &asked)? {
            (answer, Some(measured)) => {
                let base = desk.settings().base_url.as_deref();
                shape::shaped(answer, params, measured, base)
            }
            (answer, None) => Ok(answer),
        }
    }

    fn outbound(checked: &Arguments, today: Date) -> Result<Arguments> {
        forwarded::outbound(checked, today)
    }

    fn received(answer: TimeSeriesAnswer, params: &Self, today: Date) -> Result<TimeSeriesAnswer> {
        forwarded::received(answer, params, today)
    }

    fn text(answer: &TimeSeriesAnswer, params: &Self) -> String {
        match params.format {
            Format::Csv => {
                let rows = words::csv(answer);
                rows + &words::rest(answer) + &answer.provenance.missing()
            }
            // An assistant's host shows a model the text alone or the structure alone: both have the same rows.
            Format::Json => words::prose(answer, params.detail.is_none()),
        }
    }

    fn render(answer: &TimeSeriesAnswer, params: &Self) -> Result<Answer> {
        let text = Self::text(answer, params);
        let mut rendered = Answer::new(answer, text, Self::SPEC.max_age)?;
        rendered.png.clone_from(&answer.picture);
        rendered.csv = (params.format == Format::Csv).then(|| Csv {
            body: Bytes::from(words::csv(answer)),
            file_name: format!("{}.csv", answer.series_id),
            notes: match answer.truncated {
                true => format!(
                    "only the newest 5,000 rows; older ones with end={}. {}",
                    answer.start,
                    answer.provenance.missing()
                ),
                false => answer.provenance.missing(),
            },
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
    Ok(whole(desk, &params, as_of, &asked)?.0)
}

/// An answer with all its rows, and what they are; nothing of that where nothing is held.
fn whole(
    desk: &Desk,
    params: &Params,
    as_of: AsOf,
    asked: &DateSelection,
) -> Result<(TimeSeriesAnswer, Option<FigureKind>)> {
    let meaning = desk.meaning("series", &params.series_id)?;
    let info = Arc::clone(&meaning.info);
    let condition = conditions::read(desk, params, as_of, &info)?;
    let read = condition.iter().flat_map(|(_, known)| known.ids());
    let read = std::iter::once(info.id.as_str()).chain(read);
    let mut provenance = Provenance::of(desk, as_of, read)?;
    provenance.read_as(desk, &meaning, as_of)?;
    provenance.remark(desk, &info)?;
    let mut answer = without_rows(desk, &info, (asked.start, asked.end), provenance);
    match desk.series_or_reason(&info, as_of) {
        Ok(series) => {
            let (series, how) = desk.as_known_each_month(series, as_of)?;
            answer.provenance.note("history", how.unwrap_or_default());
            answer.provenance.note_alarm(desk, &info, as_of)?;
            let measured = transformed::transformed(&mut answer, &series, params, asked)?;
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
            if let Some((condition, known)) = &condition {
                let days = (asked.start, asked.end);
                conditions::judge(&mut answer, (condition, known), &info, params, days)?;
            }
            Ok((answer, Some(measured)))
        }
        // Known, and nothing held: as with a metric, that is an answer, with the reason.
        Err(reason @ Error::NoData { .. }) => {
            answer.provenance.note("data", reason.to_string());
            Ok((answer, None))
        }
        Err(error) => Err(error),
    }
}

/// An answer about a series before it has rows.
fn without_rows(
    desk: &Desk,
    info: &SeriesInfo,
    (start, end): (Date, Date),
    provenance: Provenance,
) -> TimeSeriesAnswer {
    let credit = desk.attribution();
    let untrusted = UntrustedFields::of(info, &["displayName", "source"]);
    let source = untrusted.told("source", &info.source);
    TimeSeriesAnswer {
        series_id: desk.shown_id(&info.id),
        display_name: info.title.clone(),
        unit: info.units_short.clone(),
        start,
        end,
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
    }
}

#[cfg(test)]
mod tests;
