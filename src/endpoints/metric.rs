//! `get_metric`: the latest value of one series, with its changes and what they mean.

use super::endpoint::{Endpoint, Spec};
use super::provenance::{Provenance, parse_as_of};
use crate::desk::Desk;
use crate::error::Result;
use crate::indicators::statistics;
use crate::indicators::transform::{self, Changes};
use crate::indicators::{narrative_velocity, prose};
use crate::model::frequency::shift;
use crate::model::release;
use crate::model::{AsOf, Attribution, Date, Frequency, Observation, Series, SeriesInfo};
use jiff::ToSpan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Declaration and functions.
pub struct GetMetric;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Identifier or name: DGS10, "10y", "unemployment", CRPI.
    #[schemars(example = &"DGS10", length(min = 1, max = 80))]
    ticker: String,
    /// What was known on this day, YYYY-MM-DD. Default: now.
    #[schemars(example = &"2020-03-01", length(max = 10))]
    as_of: Option<String>,
}

/// Change of the value, in its own unit (percent units: percentage points).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeSet {
    /// Against 7 days before the value's date; null for monthly and slower series.
    #[serde(rename = "7d")]
    pub week: Option<f64>,
    /// Against 30 days before the value's date; monthly series: against the month before.
    #[serde(rename = "30d")]
    pub month: Option<f64>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// Identifier.
    pub ticker: String,
    /// Full name.
    pub display_name: String,
    /// Subject.
    pub category: String,
    /// Unit.
    pub unit: String,
    /// Latest value.
    pub value: Option<f64>,
    /// Day or first day of the period the value is about.
    pub date: Option<Date>,
    /// Changes.
    pub changes: ChangeSet,
    /// What the value means.
    pub interpretation: Option<String>,
    /// Credit line.
    pub attribution: Attribution,
    /// How often it is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<String>,
    /// Who measures it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether it is older than its usual lag, one period and some slack: a newer one should be out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale: Option<bool>,
    /// When the next figure is due by the usual pattern, on a business day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_release: Option<Date>,
    /// State of knowledge.
    #[serde(flatten)]
    #[schemars(flatten)]
    pub provenance: Provenance,
}

impl Endpoint for GetMetric {
    const SPEC: Spec = Spec {
        tool: "get_metric",
        title: "Macro metric",
        path: "/api/public/metrics/{ticker}",
        summary: "Latest value of one metric with 7- and 30-day changes and interpretation",
        description: "Use this when asked for the current level of one figure or metric now (10-year yield, \
            unemployment, CPI, VIX, mortgage rate, claims, recession probability): latest value, unit, date, \
            change over 7 and 30 days, meaning. \"10y\" works as well. Do not use it for the past: use \
            get_time_series. Monthly data appear weeks after their month; an old date is normal.",
        max_age: 300,
        in_contract: true,
        example: &[("ticker", "DGS10")],
    };
    type Params = Params;
    type Output = Output;

    fn local(desk: &Desk, params: &Params) -> Result<Output> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let info = desk.resolve("ticker", &params.ticker)?;
        desk.permit(&info)?;
        read(desk, &info, as_of)
    }

    fn text(output: &Output, _: &Params) -> String {
        describe(output)
    }
}

/// A metric in prose.
pub(super) fn describe(output: &Output) -> String {
    let p = &output.provenance;
    let mut text = match (output.value, output.date) {
        (Some(value), Some(date)) => {
            let frequency = output.frequency.as_deref().unwrap_or("");
            format!(
                "{} ({}): {} on {date} ({frequency}).",
                output.display_name,
                output.ticker,
                unit_value(value, &output.unit)
            )
        }
        _ => format!("{} ({}): no value.", output.display_name, output.ticker),
    };
    if let Some(meaning) = &output.interpretation {
        text.push(' ');
        text.push_str(meaning);
    }
    for part in [p.missing(), p.sentence()] {
        if !part.is_empty() {
            text.push(' ');
            text.push_str(&part);
        }
    }
    let source = output.source.as_deref().unwrap_or("not stated");
    format!(
        "{text}\nSource: {source}. {}: {}",
        output.attribution.text, output.attribution.url
    )
}

/// A metric as known at `as_of`.
///
/// # Errors
/// [`crate::Error::Store`] when the store cannot be read.
pub fn read(desk: &Desk, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<Output> {
    let day = desk.data_date(as_of)?;
    let mut provenance = Provenance::at(&day);
    provenance.rests_on(desk, as_of, [info.id.as_str()])?;
    let series = desk.series(info, as_of)?;
    let texts = (info.id.as_str() == narrative_velocity::ID)
        .then(|| desk.narrative(as_of))
        .transpose()?;
    let last = match &texts {
        Some(r) => r.value.map(|v| Observation::new(r.date, v)),
        None => series.as_ref().and_then(|s| s.last_on_or_before(day.as_of)),
    };
    let changes = series
        .as_ref()
        .map_or(Changes::default(), |s| transform::changes(s, day.as_of));
    if last.is_none() {
        provenance.note("value", desk.no_data(info, as_of).to_string());
    }
    let stale = last
        .zip(series.as_ref())
        .map(|(o, s)| s.is_stale(o.date, day.as_of));
    let interpretation = match (&series, last) {
        _ if texts.is_some() => texts.as_deref().map(narrative_velocity::interpret),
        (Some(series), Some(last)) => interpret(desk, series, last, &changes, as_of)?,
        _ => None,
    };
    let next_release = last
        .filter(|_| !info.is_composite())
        .map(|o| due(desk, info, o.date, &mut provenance));
    Ok(Output {
        ticker: desk.shown_id(&info.id),
        display_name: info.title.clone(),
        category: info.category.clone(),
        unit: info.units_short.clone(),
        value: last.map(|o| info.round(o.value)),
        date: last.map(|o| o.date),
        changes: ChangeSet {
            week: changes.week,
            month: changes.month,
        },
        interpretation,
        attribution: desk.attribution(),
        frequency: Some(info.frequency.word().into()),
        source: Some(info.source.clone()),
        stale,
        next_release,
        provenance,
    })
}

/// The day the following figure is due, with a note on how that is known and whether it has passed.
fn due(desk: &Desk, info: &SeriesInfo, last: Date, provenance: &mut Provenance) -> Date {
    let due = release::next(info, last);
    let passed = if due < desk.today() {
        "; passed, so a newer figure may be out"
    } else {
        ""
    };
    let pattern = release::pattern(info, last);
    provenance.note(
        "nextRelease",
        format!("{pattern}; typical, not the agency's calendar{passed}"),
    );
    due
}

/// A composite speaks for itself; any other series is placed in its own history.
fn interpret(
    desk: &Desk,
    series: &Series,
    last: Observation,
    changes: &Changes,
    as_of: AsOf,
) -> Result<Option<String>> {
    if let Some(composite) = crate::indicators::composite(series.info.id.as_str()) {
        let reading = desk.reading(composite, as_of)?;
        return Ok(Some((composite.interpret)(&reading)));
    }
    let decimals = usize::from(series.info.decimals);
    let values: Vec<f64> = series
        .between(shift(last.date, (-10).years()), last.date)
        .iter()
        .map(|o| o.value)
        .collect();
    let mut parts = Vec::new();
    if let Some(month) = changes.month {
        let over = if series.frequency() == Frequency::Monthly {
            "a month"
        } else {
            "30 days"
        };
        parts.push(format!("{} over {over}", prose::signed(month, decimals)));
    }
    parts.extend(from_a_year_earlier(series, last));
    if let (Some(rank), true) = (
        statistics::percentile_rank(&values, last.value),
        values.len() >= 24,
    ) {
        parts.push(format!("higher than {rank:.0} % of the last ten years"));
    }
    Ok((!parts.is_empty()).then(|| format!("{}.", prose::capitalised(&parts.join("; ")))))
}

/// The change over a year: points for what is itself a percentage, whose percent change would be taken for
/// points, and percent for everything else.
fn from_a_year_earlier(series: &Series, last: Observation) -> Option<String> {
    if matches!(series.info.units_short.as_str(), "%" | "pp") {
        let points = last.value - transform::year_earlier(series, last.date)?;
        let decimals = usize::from(series.info.decimals);
        return Some(format!(
            "{} points from a year earlier",
            prose::signed(points, decimals)
        ));
    }
    let percent = transform::year_on_year(series, last.date)?;
    Some(format!(
        "{} % from a year earlier",
        prose::signed(percent, 1)
    ))
}

/// A value with its unit, as a person writes it.
pub fn unit_value(value: f64, unit: &str) -> String {
    match unit {
        "" => value.to_string(),
        "%" => format!("{value} %"),
        unit => format!("{value} {unit}"),
    }
}
