//! `get_time_series`: the history of one series as a digest, some rows, all rows, or CSV.
//!
//! The contract's answer has every row; a model's window has room for few. `detail` defaults to `summary` over MCP and to
//! `full` over REST; endpoint and schema are the same.

mod answer;
mod arguments;
mod digest;
mod forwarded;
mod points;
mod shape;
mod transform;
mod vintages;

pub use answer::{Credit, Reduction, TimeSeriesAnswer};
pub use arguments::Params;
pub use digest::{Digest, ExtremeRow, RangeMove};
pub use points::{MeanChange, PointInTime};
pub use shape::{line, plot, recessions};
pub use vintages::{VintageRow, VintageState, Vintages};

use crate::conditions::Condition;
use crate::conditions::formulas::NamedSeries;
use crate::prelude::*;
use crate::render::answer::{Answer, Csv};
use crate::route::decode::{self, Arguments};
use arguments::{DateSelection, Format};
use econoscope_desk::texts::doubts::Doubt;

/// Years ahead of which official forecasts speak, at most.
const FORECAST_YEARS: i64 = 10;

impl Endpoint for Params {
    const TOOL: &'static str = "get_time_series";
    type Output = TimeSeriesAnswer;

    fn form(&self) -> &'static str {
        let is_several = self.as_of.as_deref().is_some_and(dates::is_several);
        if self.after.is_none() && self.dates.is_none() && !is_several {
            "rows"
        } else {
            "points"
        }
    }

    fn local(desk: &Desk, params: &Self) -> Result<TimeSeriesAnswer> {
        let days = vintages::parse_as_of_days(desk, params.as_of.as_deref())?;
        if params.as_of.as_deref().is_some_and(dates::is_several) {
            return vintages::answer(desk, params, &days);
        }
        let as_of = days.first().copied().unwrap_or(AsOf::Latest);
        let selection = select(desk, params, as_of)?;
        let answer = all_rows(desk, params, as_of, &selection)?;
        shape::fit_rows(answer, params, desk.settings().base_url.as_deref())
    }

    fn upstream_arguments(checked: &Arguments, today: Date) -> Result<Arguments> {
        forwarded::upstream_arguments(checked, today)
    }

    fn from_upstream(
        answer: TimeSeriesAnswer,
        params: &Self,
        today: Date,
    ) -> Result<TimeSeriesAnswer> {
        forwarded::received(answer, params, today)
    }

    fn text(answer: &TimeSeriesAnswer, params: &Self) -> String {
        // Hosts show a model the text alone or the structure alone, so both have the same rows.
        answer.render_text(params.detail.is_none())
    }

    fn render(answer: &TimeSeriesAnswer, params: &Self) -> Result<Answer> {
        let csv = (params.format == Format::Csv).then(|| answer.csv());
        let gaps = answer.provenance.describe_gaps();
        let text = match &csv {
            Some(csv) => format!("{csv}{}{gaps}", answer.describe_reduction()),
            None => Self::text(answer, params),
        };
        let mut rendered = Answer::new(answer, text, Spec::of(Self::TOOL).max_age)?;
        rendered.png.clone_from(&answer.picture);
        let truncation = if answer.truncated {
            let start = answer.start;
            format!("only the newest 5,000 rows; older ones with end={start}. ")
        } else {
            String::new()
        };
        rendered.csv = csv.map(|csv| Csv {
            body: csv.into(),
            file_name: format!("{}.csv", answer.column()),
            notes: truncation + &gaps,
        });
        Ok(rendered)
    }
}

/// Answers with every row of the range, even above the cap of the endpoint, for charts.
///
/// # Errors
/// Those of the endpoint.
pub fn read_all_rows(desk: &Desk, arguments: Arguments) -> Result<TimeSeriesAnswer> {
    let params: Params = decode::params_of(arguments)?;
    let days = vintages::parse_as_of_days(desk, params.as_of.as_deref())?;
    let as_of = days.last().copied().unwrap_or(AsOf::Latest);
    let selection = select(desk, &params, as_of)?;
    all_rows(desk, &params, as_of, &selection)
}

/// Reads the days that are asked for; those of an official forecast may be years ahead.
fn select(desk: &Desk, params: &Params, as_of: AsOf) -> Result<DateSelection> {
    let select_until = |last| DateSelection::new(params, as_of, last, Some(desk));
    let is_forecast = || {
        let meant = desk.resolve("series", &params.series_id);
        meant.is_ok_and(|info| info.is_forecast())
    };
    let is_open = params.end.is_none() && params.dates.is_none();
    match select_until(desk.today()) {
        Err(_) if is_forecast() => select_until(shift(desk.today(), FORECAST_YEARS.years())),
        Ok(selection) if is_open && is_forecast() => {
            let end = shift(newest(as_of, desk.today()), FORECAST_YEARS.years());
            Ok(DateSelection {
                end,
                newest: end,
                ..selection
            })
        }
        selected => selected,
    }
}

/// Answers with all selected rows; for a series without data, with the reason.
fn all_rows(
    desk: &Desk,
    params: &Params,
    as_of: AsOf,
    selection: &DateSelection,
) -> Result<TimeSeriesAnswer> {
    let resolution = desk.resolution_in("series", &params.series_id, selection.range(), as_of)?;
    let info = &resolution.info;
    let condition = condition_over_range(params)?
        .map(|text| read_condition(desk, text, info, as_of, selection.range()))
        .transpose()?;
    let compared = condition.iter().flat_map(|(_, series)| series.ids());
    let ids = std::iter::once(info.id.as_str()).chain(compared);
    let mut provenance = Provenance::new(desk, as_of, ids)?;
    provenance.note_resolution(desk, &resolution, as_of)?;
    provenance.note_remark(desk, info)?;
    provenance.note_estimates(info.id.as_str(), selection.start, selection.end);
    let untrusted = UntrustedFields::for_series(info, &["displayName", "source"]);
    let mut answer = TimeSeriesAnswer {
        series_id: desk.display_id(&info.id),
        column: params.column(&desk.display_id(&info.id)),
        display_name: info.title.clone(),
        unit: info.units_short.clone(),
        start: selection.first_day(None),
        end: selection.end,
        attribution: Credit::new(
            desk.attribution(),
            &untrusted.format_field("source", &info.source),
        ),
        frequency: Some(info.frequency.word().into()),
        source: Some(info.source.clone()),
        untrusted,
        provenance,
        ..TimeSeriesAnswer::default()
    };
    let series = match desk.series_or_reason(info, as_of) {
        Ok(series) => series,
        Err(reason @ Error::NoData { .. }) => {
            answer.provenance.note_missing("data", &reason);
            return Ok(answer);
        }
        Err(error) => return Err(error),
    };
    let (series, basis) = desk.real_time_series(series, as_of)?;
    answer.provenance.note("history", basis.unwrap_or_default());
    answer.provenance.note_alarm(desk, info, as_of)?;
    answer = answer.with_rows(&series, params, selection)?;
    note_doubts(&mut answer, info, params, desk.reading_day(as_of));
    if let (Units::PercentYear, Some(last)) = (params.units(), answer.data.last())
        && let Some(rate) = desk.published_rate_remark(info.id.as_str(), last.date, as_of)?
    {
        answer.provenance.note("headline", rate);
    }
    answer.provenance.sources =
        desk.citations([info.id.as_str()], Some((answer.start, answer.end)))?;
    let present = desk.reading_day(as_of);
    if selection.end >= present {
        answer
            .provenance
            .note_timeliness("latest", &series, present);
    }
    let Some((condition, named)) = condition else {
        return Ok(answer);
    };
    let context = params.evaluation_context(info, named, selection.range());
    answer.with_condition(&condition, &context, info)
}

/// Notes the doubt about the last figure, or about the newest in doubt of those that were asked for.
fn note_doubts(answer: &mut TimeSeriesAnswer, info: &SeriesInfo, params: &Params, day: Date) {
    let id = info.id.as_str();
    let is_doubted = |row: &&Observation| Doubt::find(id, row.date, day).is_some();
    let mut rows = answer.data.iter().rev();
    let doubted = match params.dates {
        Some(_) => rows.find(is_doubted),
        None => rows.next(),
    };
    if let Some(row) = doubted {
        answer.provenance.note_doubt(id, row.date, day);
    }
}

/// Returns the condition. Beside single days it is refused: it would be counted over them alone.
fn condition_over_range(params: &Params) -> Result<Option<&str>> {
    let condition = params.condition.as_deref();
    let is_sampled = params.after.is_some() || params.dates.is_some();
    if let Some(text) = condition.filter(|_| is_sampled) {
        let problem = "counts every figure of a range, not those of single days or after events";
        let allowed = "a condition with start and end; its longest runs are listed with their first and last days";
        return Err(Error::invalid("condition", text, problem, allowed));
    }
    Ok(condition)
}

/// Parses a condition on a series, and fetches the series that it names.
fn read_condition(
    desk: &Desk,
    text: &str,
    info: &SeriesInfo,
    as_of: AsOf,
    range: DateRange,
) -> Result<(Condition, NamedSeries)> {
    let is_subject = |name: &str| {
        let resolution = desk.resolution_in("series", name, range, as_of);
        resolution.is_ok_and(|resolution| resolution.info.id == info.id)
    };
    let condition = Condition::parse(text)?.with_subject(&is_subject);
    let series = NamedSeries::fetch(desk, as_of, range, [&condition.tree])?;
    Ok((condition, series))
}

#[cfg(test)]
mod tests;
