//! The regime's label on a day against what the same month was called when its figures were complete, and finally.

mod lessons;
mod revised;
mod seen;

use super::table::{ScoreTable, average, rate, share};
use crate::desk::local::Desk;
use crate::error::Result;
use crate::indicators::months::Month;
use crate::indicators::nowcast::{self, Nowcast};
use crate::indicators::regime::{self, Errors, PUBLISHED, Regime, RegimeMonth};
use crate::indicators::statistics::{Said, brier};
use crate::model::frequency::shift;
use crate::model::{AsOf, Date};
use jiff::ToSpan;
use lessons::{LAST_LEARNT, Lessons};
use seen::{Seen, known, seen};
use std::collections::BTreeMap;

const SCORED: std::ops::RangeInclusive<Month> = Month::new(1985, 1)..=Month::new(2026, 1);

/// Months kept of what was known at a month's end.
const NEWEST: usize = 12;

fn of_nowcast(found: std::result::Result<Nowcast, String>) -> Option<Seen> {
    found.ok().map(|n| seen(&n.state))
}

/// What was said on a day of a month and what the same month was called later.
struct Case {
    month: Month,
    published: Seen,
    /// With the bridges that could be had on the day.
    now: Option<Seen>,
    /// With those that ship.
    shipped: Option<Seen>,
    complete: Seen,
    last: Seen,
}

pub(super) fn tables(desk: &Desk) -> Result<Vec<ScoreTable>> {
    let months = &desk.regimes(AsOf::Latest)?.months;
    let last: BTreeMap<Date, Seen> = months.iter().map(|s| (s.month, seen(s))).collect();
    let ends = ends(desk)?;
    let complete = complete(&ends);
    let lessons = Lessons::of(desk)?;
    let mut wrong = ScoreTable::new(
        "regime",
        "share of months whose label was another, and root mean square errors of growth and inflation, months of 1985-01 to \
         2026-01 as of three days; against the first complete reading of the month of the newest claims, and the last; \
         bridges estimated anew at each month, of first prints from 1970 to 2019",
        &[
            "as of",
            "months",
            "published: first, last",
            "nowcast: first, last",
            "G published, nowcast",
            "I published, nowcast",
        ],
    );
    let mut confidence = ScoreTable::new(
        "regime",
        "confidence said, share of labels that were right (against the last reading), Brier score of the two together",
        &[
            "as of",
            "state",
            "said",
            "right",
            "Brier",
            "Brier with the errors of .35 that stood here before",
        ],
    );
    for (name, day) in [("5th", Some(5)), ("15th", Some(15)), ("month end", None)] {
        let cases = cases(desk, day, &lessons, &complete, &last)?;
        let all: Vec<&Case> = cases.iter().collect();
        let late: Vec<&Case> = cases.iter().filter(|c| c.month > LAST_LEARNT).collect();
        wrong.row(row(name, &all, |c| c.now));
        wrong.row(row(&format!("{name}, from 2020"), &late, |c| c.now));
        let shipped = format!("{name}, bridges as they ship");
        wrong.row(row(&shipped, &all, |c| c.shipped));
        let published = |c: &Case| Some((c.published, c.last));
        confidence.row(judged(name, "published", &cases, PUBLISHED, published));
        let now = |c: &Case| Some((c.now?, c.last));
        confidence.row(judged(name, "nowcast", &cases, nowcast::ERRORS, now));
    }
    Ok(vec![
        wrong,
        confidence,
        revised::labels(desk, &ends, &last)?,
        revised::detection(&ends),
    ])
}

/// The newest months of the regime as known at each month's end.
fn ends(desk: &Desk) -> Result<Vec<(Month, Vec<RegimeMonth>)>> {
    let until = Month::of(desk.data_date(AsOf::Latest)?.as_of);
    let ends = revised::SINCE.until(until);
    ends.map(|end| {
        let day = end.last_day();
        let mut months = regime::history(&known(desk, day)?, day);
        months.drain(..months.len().saturating_sub(NEWEST));
        Ok((end, months))
    })
    .collect()
}

/// Each month when all its figures were first there: its label and scores in the state of that month's end.
fn complete(ends: &[(Month, Vec<RegimeMonth>)]) -> BTreeMap<Date, Seen> {
    let mut complete = BTreeMap::new();
    let whole = |s: &&RegimeMonth| s.growth_parts.len() == regime::GROWTH_INPUTS;
    for (_, months) in ends {
        for state in months.iter().rev().filter(whole) {
            complete.entry(state.month).or_insert_with(|| seen(state));
        }
    }
    complete
}

/// Every scored month as of a day of it, or of its end.
fn cases(
    desk: &Desk,
    day: Option<i64>,
    lessons: &Lessons,
    complete: &BTreeMap<Date, Seen>,
    last: &BTreeMap<Date, Seen>,
) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for month in SCORED.start().until(*SCORED.end()) {
        let day = day.map_or(month.last_day(), |d| {
            shift(month.first_day(), (d - 1).days())
        });
        let set = known(desk, day)?;
        // The newest week of claims tells which month it is about.
        let newest = set.get("ICSA").and_then(|s| {
            s.observations
                .iter()
                .rev()
                .find(|o| crate::indicators::recession_now::thursday(o.date) <= day)
        });
        let of = newest.map(|o| Month::of(o.date).plus(1).first_day());
        let found = of.and_then(|of| Some((*complete.get(&of)?, *last.get(&of)?)));
        let published = regime::at(&set, day).state;
        if let Some(((complete, last), published)) = found.zip(published) {
            cases.push(Case {
                month,
                published: seen(&published),
                now: of_nowcast(nowcast::with(&set, (day, day), lessons.until(day))),
                shipped: of_nowcast(nowcast::at(&set, day, day)),
                complete,
                last,
            });
        }
    }
    Ok(cases)
}

fn row(name: &str, cases: &[&Case], of: fn(&Case) -> Option<Seen>) -> [String; 6] {
    let now = |c: &Case| of(c).unwrap_or(c.published);
    let wrong = |said: &dyn Fn(&Case) -> Seen, came: fn(&Case) -> Seen| {
        rate(cases.iter().map(|c| said(c).0 != came(c).0))
    };
    let both = |said: &dyn Fn(&Case) -> Seen| {
        format!(
            "{}, {}",
            wrong(said, |c| c.complete),
            wrong(said, |c| c.last)
        )
    };
    let error = |score: fn(&Seen) -> f64| {
        let root = |said: &dyn Fn(&Case) -> Seen| {
            let squares = cases
                .iter()
                .map(|c| (score(&said(c)) - score(&c.complete)).powi(2));
            share(average(squares).map(f64::sqrt))
        };
        format!("{}, {}", root(&|c| c.published), root(&now))
    };
    [
        name.to_owned(),
        cases.len().to_string(),
        both(&|c| c.published),
        both(&now),
        error(|s| s.1),
        error(|s| s.2),
    ]
}

/// What a label was given and how often it was right.
fn judged(
    name: &str,
    state: &str,
    cases: &[Case],
    errors: Errors,
    pair: impl Fn(&Case) -> Option<(Seen, Seen)>,
) -> [String; 6] {
    let given = |(label, growth, inflation): Seen, errors: Errors| {
        let shares = regime::probabilities(growth, inflation, errors);
        let own = Regime::QUADRANTS.into_iter().zip(shares);
        own.filter(|(r, _)| *r == label)
            .map(|(_, p)| p)
            .sum::<f64>()
    };
    let said = |errors: Errors| -> Vec<Said> {
        let pairs = cases.iter().filter_map(&pair);
        pairs
            .map(|(said, came)| (given(said, errors), said.0 == came.0))
            .collect()
    };
    let own = said(errors);
    let wide = said(Errors {
        growth: 0.35,
        inflation: 0.35,
    });
    [
        name.to_owned(),
        state.to_owned(),
        share(average(own.iter().map(|s| s.0))),
        rate(own.iter().map(|s| s.1)),
        share(brier(&own)),
        share(brier(&wide)),
    ]
}
