//! What of a series is shown: the arguments of the API, and the addresses that say the same.

use super::asked::Asked;
use super::charts;
use crate::chart::ChartSpec;
use crate::desk::Desk;
use crate::endpoints::compare_series::{Comparison, Params};
use crate::endpoints::time_series::{self, TimeSeriesAnswer};
use crate::endpoints::{Arguments, Endpoint, Route, decode};
use crate::error::{Error, Result};
use crate::model::frequency::shift;
use jiff::ToSpan;

/// Arguments that say what of a series is shown; they are those of the API.
pub(super) const ARGUMENTS: [&str; 5] = ["start", "end", "units", "frequency", "as_of"];

/// Ranges on offer, with their years; `max` is all there is.
pub(super) const RANGES: [(&str, i64); 5] =
    [("1y", 1), ("5y", 5), ("10y", 10), ("30y", 30), ("max", 0)];

/// Units on offer: the API's word, and what it says to a reader. `index` stands for a formula.
pub(super) const UNITS: [(&str, &str); 8] = [
    ("", "Level"),
    ("chg", "Change"),
    ("ch1", "Change from a year ago"),
    ("pch", "% change"),
    ("pc1", "% from a year ago"),
    ("pca", "% change, annualised"),
    ("log", "Logarithm"),
    (INDEX, "Index, first = 100"),
];

/// Index units: 100 at the first figure in view.
pub(super) const INDEX: &str = "index";

/// Rows of a comparison that a chart takes: more than most screens have columns.
pub(super) const ROWS: usize = 2_000;

/// What of a series is shown.
#[derive(Debug, Clone)]
pub(super) struct View {
    id: String,
    given: Vec<(&'static str, String)>,
}

/// Frequencies on offer, the finest first.
pub(super) const FREQUENCIES: [(&str, &str); 5] = [
    ("d", "Daily"),
    ("w", "Weekly"),
    ("m", "Monthly"),
    ("q", "Quarterly"),
    ("a", "Annual"),
];

impl View {
    /// A series as it was asked for; from `first` on where nothing says otherwise.
    pub(super) fn of(asked: &Asked, id: &str, first: &str) -> Self {
        let given = ARGUMENTS.iter().filter_map(|name| {
            let value = asked.argument(name).or((*name == "start").then_some(first));
            Some((*name, value?.to_owned()))
        });
        Self {
            id: id.to_owned(),
            given: given.collect(),
        }
    }

    /// The value of an argument, empty where there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        let found = self.given.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value)
    }

    /// Whether figures are shown as an index.
    pub(super) fn is_index(&self) -> bool {
        self.get("units") == INDEX
    }

    /// This view with another value of an argument, as the query of an address.
    pub(super) fn query(&self, name: &str, value: &str) -> String {
        let others = pairs(&self.given).filter(|(known, _)| *known != name);
        query(others.chain([(name, value)]))
    }

    /// Where the API has these figures.
    pub(super) fn source(&self, desk: &Desk) -> String {
        if !self.is_index() {
            let given = pairs(&self.given);
            return format!("/api/public/data/{}{}", self.id, query(given));
        }
        format!(
            "/api/public/compare{}",
            query(pairs(&self.as_formula(desk)))
        )
    }

    /// The arguments of `compare_series` for an index.
    fn as_formula(&self, desk: &Desk) -> Vec<(&'static str, String)> {
        let mut arguments = vec![("series", format!("index({})", self.id))];
        let kept = self.given.iter().filter(|(name, _)| *name != "units");
        arguments.extend(kept.map(|(name, value)| match *name {
            // A comparison counts back from no day.
            "start" => (*name, first_day(desk, value)),
            _ => (*name, value.clone()),
        }));
        arguments.push(("max_points", ROWS.to_string()));
        arguments
    }

    /// The figures as a chart, and the answer that they are from where it is one of `get_time_series`.
    ///
    /// # Errors
    /// What the endpoint says.
    pub(super) fn read(&self, desk: &Desk) -> Result<(ChartSpec, Option<TimeSeriesAnswer>)> {
        if self.is_index() {
            let answer = compared(desk, &self.as_formula(desk))?;
            return Ok((charts::compared(&answer, (1100, 420)), None));
        }
        let arguments = pairs(&self.given).chain([("seriesId", &*self.id)]);
        let answer = time_series::every_row(desk, collected(arguments))?;
        Ok((charts::plot(&answer, (1100, 420)), Some(answer)))
    }
}

/// Our own words as the options of a form, each with its label, the one that holds marked.
pub(super) fn options(all: impl AsRef<[(&'static str, &'static str)]>, now: &str) -> String {
    let option = |(word, label): &(&'static str, &'static str)| {
        let selected = if *word == now { " selected" } else { "" };
        format!("<option value=\"{word}\"{selected}>{label}</option>")
    };
    all.as_ref().iter().map(option).collect()
}

/// Arguments as they are asked for.
pub(super) fn pairs<'a>(
    arguments: &'a [(&'static str, String)],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    arguments.iter().map(|(name, value)| (*name, &**value))
}

/// Arguments with a value, as the query of an address.
pub(super) fn query<'a>(arguments: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in arguments.filter(|(_, value)| !value.is_empty()) {
        text.append_pair(name, value);
    }
    match text.finish() {
        text if text.is_empty() => text,
        text => format!("?{text}"),
    }
}

/// The first day of a range that counts back from today; any other text as it is.
pub(super) fn first_day(desk: &Desk, range: &str) -> String {
    let found = RANGES.iter().find(|(label, _)| *label == range);
    match found {
        Some((_, 0)) => "1700-01-01".to_owned(),
        Some((_, years)) => shift(desk.today(), (-*years).years()).to_string(),
        None => range.to_owned(),
    }
}

/// Arguments as an endpoint takes them; those without a value are left out.
fn collected<'a>(arguments: impl Iterator<Item = (&'a str, &'a str)>) -> Arguments {
    let given = arguments.filter(|(_, value)| !value.is_empty());
    given.map(|(n, v)| (n.to_owned(), v.into())).collect()
}

/// What `compare_series` answers to these arguments.
///
/// # Errors
/// What the endpoint says.
pub(super) fn compared(desk: &Desk, arguments: &[(&'static str, String)]) -> Result<Comparison> {
    let route = Route::find(Params::SPEC.tool);
    let route = route.ok_or_else(|| Error::internal("looking up an endpoint", "comparison"))?;
    let checked = decode::check(route.input_schema(), collected(pairs(arguments)))?;
    Params::local(desk, &decode::params(&checked)?)
}
