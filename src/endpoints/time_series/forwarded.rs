//! A series from an upstream: the contract knows its range alone; thinning, units, frequency and CSV are
//! made here from its rows.

use super::{Output, Params, range, transformed};
use crate::endpoints::decode::Arguments;
use crate::endpoints::endpoint::Outbound;
use crate::endpoints::provenance::parse_day;
use crate::error::Result;
use crate::indicators::resample::Aggregation;
use crate::indicators::transform::Units;
use crate::model::frequency::shift;
use crate::model::{AsOf, Catalogue, Date, Rights, Series, SeriesId, SeriesInfo};
use crate::upstream::Slice;
use jiff::ToSpan;
use serde_json::Value;
use std::sync::Arc;

/// Arguments that only we know.
const OURS: [&str; 7] = [
    "format",
    "detail",
    "max_points",
    "frequency",
    "aggregation",
    "units",
    "chart",
];

/// What is sent: the range as days, wide enough for what is to be made of it.
///
/// # Errors
/// [`crate::Error::InvalidParam`] for days that are none.
pub(super) fn outbound(checked: &Arguments, today: Date) -> Result<Outbound> {
    let text = |name: &str| checked.get(name).and_then(Value::as_str);
    let as_of = text("as_of").map_or(Ok(AsOf::Latest), |d| parse_day("as_of", d).map(AsOf::Day))?;
    let (mut start, end) = range::range((text("start"), text("end")), as_of, today)?;
    let mut arguments = checked.clone();
    if arguments.contains_key("units") || arguments.contains_key("frequency") {
        // A change from a year earlier and a first whole period need rows before the range.
        start = shift(start, (-2).years());
        arguments.insert("start".into(), Value::from(start.to_string()));
    }
    for name in OURS {
        arguments.remove(name);
    }
    for (name, day) in [("start", start), ("end", end)] {
        if arguments.contains_key(name) {
            arguments.insert(name.into(), Value::from(day.to_string()));
        }
    }
    Ok(Outbound {
        arguments,
        slice: Some(Slice { start, end }),
    })
}

/// The answer asked for, out of the upstream's rows.
///
/// # Errors
/// [`crate::Error::InvalidParam`] for a frequency finer than the series' own.
pub(super) fn received(output: Output, params: &Params, today: Date) -> Result<Output> {
    let info = describe(&output)?;
    let decimals = i32::from(info.decimals) + 2;
    let base = output.attribution.url.clone();
    if params.units.is_none() && params.frequency.is_none() {
        let output = output.pictured(params, info.decimals)?;
        return Ok(if params.detail() == super::Detail::Full {
            output
        } else {
            output.shaped(params, decimals, &base)
        });
    }
    let as_of = params
        .as_of
        .as_deref()
        .map_or(Ok(AsOf::Latest), |d| parse_day("as_of", d).map(AsOf::Day))?;
    let days = range::range(
        (params.start.as_deref(), params.end.as_deref()),
        as_of,
        today,
    )?;
    let digits = info.decimals;
    let series = Arc::new(Series::new(Arc::new(info), output.observations()));
    let units = params.units.map_or(Units::Level, Units::from);
    let how = params.aggregation.map(Aggregation::from);
    let found = transformed::transformed(&series, params.frequency, how, units)?;
    let made = Output {
        unit: found.unit.clone(),
        start: days.0,
        end: days.1,
        data: found.rows(days),
        frequency: Some(found.series.frequency().word().into()),
        ..output
    };
    Ok(made
        .pictured(params, digits)?
        .shaped(params, decimals, &base))
}

/// What is known of an upstream's series: our catalogue's word, or its own.
fn describe(output: &Output) -> Result<SeriesInfo> {
    if let Some(info) = Catalogue::embedded().get(&output.series_id) {
        return Ok((**info).clone());
    }
    Ok(SeriesInfo {
        id: SeriesId::new(&output.series_id)?,
        title: output.display_name.clone(),
        units: output.unit.clone(),
        units_short: output.unit.clone(),
        frequency: output.measured(),
        seasonally_adjusted: false,
        category: "upstream".into(),
        source: output.source.clone().unwrap_or_default(),
        publication_lag_days: 30,
        metric: false,
        rights: Rights::Ok,
        decimals: 4,
    })
}
