//! `compare_series`: up to eight series or formulas side by side, on one calendar, with what sets them apart.

mod answer;
mod columns;
mod table;

pub use answer::{ComparedColumn, Comparison, ConditionMeans, Correlation};

use super::coarser;
use super::codes::{Code, How, Period};
use super::condition::{Condition, Setting};
use super::days::{self, newest, parse_as_of};
use super::formulas::{self, NamedSeries};
use crate::endpoints::prelude::*;
use econoscope_core::indicators::expression::{self, Expr};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::frequency::Periods;
use econoscope_core::model::{Frequency, Series};
use std::collections::BTreeMap;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Series, names or formulas: DGS10-DGS2, ann(CPILFESL,3), GFDEBTN/GDP*100, real(AHETPI,"2026-07").
    #[schemars(example = &["yoy(CPILFESL)", "FEDFUNDS"], length(min = 1, max = 8))]
    series: Vec<String>,
    /// Since when: a day, month, quarter or year, or 5y, max.
    #[schemars(extend("default" = "10y"))]
    start: Option<String>,
    /// Until when.
    end: Option<String>,
    /// Counted over the range: T10Y2Y < 0; >= 0.5 is about every column.
    #[schemars(length(min = 1, max = 200))]
    condition: Option<String>,
    /// FRED's transformation of every column.
    #[schemars(extend("default" = "lin"))]
    units: Option<Code>,
    /// FRED's; wew: weeks to Wednesday. The lowest of the series unless given.
    frequency: Option<Period>,
    /// How finer figures become coarser; unless given the last of what is held (money, credit, debt), else the mean.
    aggregation: Option<How>,
    /// Adds the correlation of each pair of columns.
    #[serde(default)]
    correlations: bool,
    /// Rows shown; more than 400 are for charts.
    #[schemars(range(min = 2, max = 2000))]
    max_points: Option<usize>,
    /// As known on this day, month, quarter or year: 2008-12-31, Q4 2008.
    as_of: Option<String>,
}

impl Params {
    /// The transformation of every column.
    fn units(&self) -> Units {
        self.units.map_or(Units::Level, |code| code.meaning)
    }

    /// Whether weeks end on the day asked for, and not as those of a weekly column do.
    fn has_own_weeks(&self) -> bool {
        self.frequency.is_some_and(|f| f.word.starts_with("we"))
    }
}

/// What is asked, read.
struct Query<'a> {
    params: &'a Params,
    /// A formula for each column.
    trees: Vec<Expr>,
    /// What is to be counted.
    condition: Option<Condition>,
    setting: Setting,
}

impl Endpoint for Params {
    const SPEC: Spec = Spec {
        tool: "compare_series",
        title: "Compare series, correlation, spread",
        path: "/api/public/compare",
        summary: "Up to 8 series or formulas aligned on dates, with statistics, on request correlations",
        description: "Use this when asked how series compare or move together (claims and unemployment), or for a \
            correlation, spread, ratio, difference (earnings minus inflation), real value or growth: aligns up \
            to 8 series or formulas (+ - * / ^, comparisons, and, or, not, yoy, mom, chg, ann, cagr, ma, lag, \
            index, real, gap, log, abs) and gives latest, mean, range, z-score, percentile, counts and runs of \
            a condition; correlations with correlations=true. Do not use it for one series: use \
            get_time_series.",
        max_age: 1_800,
        in_contract: false,
        example: &[
            ("series", "yoy(CPILFESL),FEDFUNDS"),
            ("start", "2015-01-01"),
        ],
    };
    const PROVENANCE: Kept<Comparison> = Some(|answer| &mut answer.provenance);
    type Output = Comparison;

    fn local(desk: &Desk, params: &Self) -> Result<Comparison> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let days = range(params, as_of, desk.today())?;
        let trees = params.series.iter();
        let trees = trees.map(|text| formulas::tree(columns::FIELD, text));
        let trees = trees.collect::<Result<Vec<_>>>()?;
        let condition = params.condition.as_deref().map(Condition::read);
        let condition = condition.transpose()?;
        let named = trees.iter().chain(condition.iter().map(|c| &c.tree));
        let known = NamedSeries::read(desk, as_of, named)?;
        let frequency = params.frequency.map(|asked| asked.meaning.frequency);
        let how = params.aggregation.map(|how| how.meaning);
        let how = how.unwrap_or_else(|| known.usual_aggregation(frequency));
        let asked = Query {
            params,
            trees,
            condition,
            setting: Setting {
                known,
                how,
                frequency,
                days,
            },
        };
        let found = columns::columns(&asked)?;
        let known = &asked.setting.known;
        let mut provenance = Provenance::of(desk, as_of, known.ids())?;
        known.tell(desk, &mut provenance)?;
        let series = || found.columns.iter().map(|c| &*c.column.series);
        let periods = match params.frequency {
            Some(asked) => asked.meaning,
            None => expression::coarsest(series()).into(),
        };
        let to = periods.frequency;
        if series().any(|s| s.frequency() < to) {
            note_coarser(&mut provenance, how, to);
        }
        note_remarks(&mut provenance, known.all(), periods, days);
        if found.without_base > 0 {
            let dates = found.without_base;
            let text = format!(
                "absent on {dates} dates of the range, where its second side is not above zero"
            );
            provenance.note("gap", text);
        }
        let mut answer = Comparison {
            frequency: to.word().into(),
            start: days.0,
            end: days.1,
            attribution: desk.attribution(),
            provenance,
            ..Comparison::default()
        };
        let missing = table::fill(&mut answer, found, &asked, periods)?;
        if let (true, Some((_, why))) = (answer.columns.is_empty(), missing.first()) {
            return Err(why.clone());
        }
        for (name, why) in missing {
            answer.provenance.note(&name, why.to_string());
        }
        Ok(answer)
    }

    fn text(answer: &Comparison, _: &Self) -> String {
        answer.in_prose()
    }
}

/// First and last day; the ten years before the last when no first is given. What is to come is no part of a comparison.
fn range(params: &Params, as_of: AsOf, today: Date) -> Result<(Date, Date)> {
    let newest = newest(as_of, today);
    let end = params.end.as_deref().unwrap_or("max");
    let end = days::read("end", end, (newest, today))?.min(newest);
    let start = params.start.as_deref().unwrap_or("10y");
    let start = days::read("start", start, (end, today))?;
    if start > end {
        let (start, allowed) = (start.to_string(), format!("a day up to end ({end})"));
        let problem = "is after end";
        return Err(Error::invalid("start", &start, problem, &allowed));
    }
    Ok((start, end))
}

/// Notes how finer series became as coarse as the others.
fn note_coarser(provenance: &mut Provenance, how: Aggregation, to: Frequency) {
    let word = match how {
        Aggregation::Average => "averages",
        Aggregation::Sum => "sums",
        Aggregation::EndOfPeriod => "last values",
    };
    let note = format!("finer series are {word} of their {to} periods");
    provenance.note("frequency", note);
}

/// Notes which periods are short, cut by the range or not over, each with the series it is so of.
fn note_remarks<'a>(
    provenance: &mut Provenance,
    series: impl Iterator<Item = &'a Series>,
    to: Periods,
    days: (Date, Date),
) {
    let mut said: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    for one in series.filter(|s| s.frequency() < to.frequency) {
        for remark in coarser::remarks(one, to, days) {
            let of = said.entry(remark).or_default();
            if !of.contains(&one.info.id.as_str()) {
                of.push(one.info.id.as_str());
            }
        }
    }
    for ((field, note), of) in said {
        provenance.add(field, &format!("{}: {note}", of.join(", ")));
    }
}

#[cfg(test)]
mod tests;
