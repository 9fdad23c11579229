//! `compare_series`: up to eight series or formulas side by side, on one calendar, with what sets them apart.

mod output;
mod table;

pub use output::{Column, Output, Pair};

use super::codes::{Code, How, Period};
use super::endpoint::{Endpoint, Spec};
use super::provenance::{Provenance, parse_as_of, parse_day};
use crate::desk::Desk;
use crate::error::{Error, Result, quote};
use crate::indicators::expression::{self, Expr, Fault, Scope};
use crate::indicators::resample::Aggregation;
use crate::model::frequency::shift;
use crate::model::resolve::Resolver;
use crate::model::{AsOf, Date, Series};
use jiff::ToSpan;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Declaration and functions.
pub struct CompareSeries;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Series, names or formulas: DGS10-DGS2, yoy(CPIAUCSL), ma(ICSA,4), index(SPY).
    #[schemars(example = &["yoy(CPILFESL)", "FEDFUNDS"], length(min = 1, max = 8))]
    series: Vec<String>,
    /// First day, YYYY-MM-DD. Default: 10 years before the end.
    #[schemars(length(max = 10))]
    start: Option<String>,
    /// Last day.
    #[schemars(length(max = 10))]
    end: Option<String>,
    /// FRED's transformation of every column.
    #[serde(default)]
    units: Code,
    /// d, w, m, q or a; default: the lowest of the series.
    frequency: Option<Period>,
    /// How finer figures become coarser.
    #[serde(default = "averages")]
    aggregation: How,
    /// Rows shown.
    #[schemars(range(min = 2, max = 400))]
    max_points: Option<usize>,
    /// What was known on this day.
    #[schemars(length(max = 10))]
    as_of: Option<String>,
}

fn averages() -> How {
    How::Avg
}

/// Aggregated figures in a word.
fn plural(how: How) -> &'static str {
    match how {
        How::Avg => "averages",
        How::Sum => "sums",
        How::Eop => "last values",
    }
}

impl Endpoint for CompareSeries {
    const SPEC: Spec = Spec {
        tool: "compare_series",
        title: "Compare series",
        path: "/api/public/compare",
        summary: "Up to 8 series or formulas aligned on dates, with statistics and correlations",
        description: "Use this when asked how series compare, move together, or for a spread, ratio or growth rate: \
            aligns up to 8 series or formulas and gives latest, mean, range, z-score, percentile and correlations. \
            Do not use it for one series' history: use get_time_series.",
        max_age: 1_800,
        in_contract: false,
        example: &[
            ("series", "yoy(CPILFESL),FEDFUNDS"),
            ("start", "2015-01-01"),
        ],
    };
    type Params = Params;
    type Output = Output;

    fn local(desk: &Desk, params: &Params) -> Result<Output> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let (start, end) = range(desk, params, as_of)?;
        let how = Aggregation::from(params.aggregation);
        let word = plural(params.aggregation);
        let columns = params
            .series
            .iter()
            .map(|text| column(desk, text, as_of, (start, how)))
            .collect::<Result<Vec<_>>>()?;
        let to = match params.frequency {
            Some(f) => f.into(),
            None => expression::coarsest(columns.iter().map(|c| &c.series)),
        };
        let asked = table::Asked {
            to,
            how,
            units: params.units.into(),
            start,
            end,
            most: params.max_points,
        };
        let mut provenance = Provenance::of(desk, as_of)?;
        let finer = columns.iter().any(|c| c.series.frequency() < to);
        if finer {
            provenance.note(
                "frequency",
                format!("finer series are {word} of their {to} periods"),
            );
        }
        table::compare(&params.series, columns, &asked, provenance).map(|out| Output {
            attribution: desk.attribution(),
            ..out
        })
    }

    fn text(output: &Output, _: &Params) -> String {
        output.in_prose()
    }
}

/// One column: a name as a person writes it, or a formula.
fn column(
    desk: &Desk,
    text: &str,
    as_of: AsOf,
    (start, how): (Date, Aggregation),
) -> Result<expression::Column> {
    let tree = tree(text)?;
    let mut known: BTreeMap<String, Arc<Series>> = BTreeMap::new();
    for (name, _) in tree.names() {
        if !known.contains_key(name) {
            let info = desk.resolve("series", name)?;
            known.insert(name.to_owned(), desk.series_or_reason(&info, as_of)?);
        }
    }
    let scope = Scope {
        series: &|name| known.get(name).cloned(),
        start,
        how,
    };
    expression::evaluate(&tree, &scope).map_err(|fault| refused(text, &fault))
}

/// A plain name with spaces or hyphens ("core cpi", "10-year") is a name; all else is a formula.
fn tree(text: &str) -> Result<Expr> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '.' | '-');
    if text.chars().all(plain) && Resolver::embedded().find(text).is_some() {
        return Ok(Expr::Name {
            name: text.to_owned(),
            column: 1,
        });
    }
    expression::parse(text).map_err(|fault| refused(text, &fault))
}

fn refused(text: &str, fault: &Fault) -> Error {
    Error::InvalidParam {
        field: "series".into(),
        received: quote(text),
        problem: format!("column {}: {}", fault.column, fault.problem),
        allowed: fault.allowed.clone(),
    }
}

fn range(desk: &Desk, params: &Params, as_of: AsOf) -> Result<(Date, Date)> {
    let newest = match as_of {
        AsOf::Day(day) => day,
        AsOf::Latest => desk.today(),
    };
    let end = match params.end.as_deref() {
        Some(text) => parse_day("end", text)?.min(newest),
        None => newest,
    };
    let start = match params.start.as_deref() {
        Some(text) => parse_day("start", text)?,
        None => shift(end, (-10).years()),
    };
    if start >= end {
        let allowed = format!("a day before end ({end})");
        return Err(Error::invalid(
            "start",
            &start.to_string(),
            "is not before end",
            &allowed,
        ));
    }
    Ok((start, end))
}

#[cfg(test)]
mod tests;
