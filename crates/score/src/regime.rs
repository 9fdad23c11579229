//! The regime's label on a day against what the same month was called when its figures were complete, and finally.

mod lessons;
mod revised;
mod seen;

use crate::{rate, share};
use econoscope_core::error::Result;
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nowcast::{self, Nowcast};
use econoscope_core::indicators::regime::{self, Errors, PUBLISHED, Regime, RegimeMonth};
use econoscope_core::indicators::statistics::{Said, average, brier};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date};
use econoscope_data::desk::Desk;
use econoscope_data::desk::scores::ScoreTable;
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
    came: MonthLabels,
}

/// What a month was called when its figures were first complete, and last.
type MonthLabels = [Seen; 2];

pub(super) fn tables(desk: &Desk) -> Result<Vec<ScoreTable>> {
    let months = &desk.regimes(AsOf::Latest)?.months;
    let last: BTreeMap<Date, Seen> = months.iter().map(|s| (s.month, seen(s))).collect();
    let ends = ends(desk)?;
    let came = came(&ends, &last);
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
        let cases = cases(desk, day, &lessons, &came)?;
        let all: Vec<&Case> = cases.iter().collect();
        let late: Vec<&Case> = cases.iter().filter(|c| c.month > LAST_LEARNT).collect();
        wrong.row(row(name, &all, |c| c.now));
        wrong.row(row(&format!("{name}, from 2020"), &late, |c| c.now));
        let shipped = format!("{name}, bridges as they ship");
        wrong.row(row(&shipped, &all, |c| c.shipped));
        let published = |c: &Case| Some((c.published, c.came[1]));
        confidence.row(judged(name, "published", &cases, PUBLISHED, published));
        let now = |c: &Case| Some((c.now?, c.came[1]));
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
    let until = Month::of(desk.regime_day(AsOf::Latest)?);
    let ends = revised::SINCE.until(until);
    ends.map(|end| {
        let day = end.last_day();
        let mut months = regime::history(&known(desk, day)?, day);
        months.drain(..months.len().saturating_sub(NEWEST));
        Ok((end, months))
    })
    .collect()
}

/// Each month that is still called something: its label and scores in the state of the month's end when all its figures
/// were first there, and the last ones.
fn came(
    ends: &[(Month, Vec<RegimeMonth>)],
    last: &BTreeMap<Date, Seen>,
) -> BTreeMap<Date, MonthLabels> {
    let mut came = BTreeMap::new();
    let whole = |s: &&RegimeMonth| s.growth_parts.len() == regime::GROWTH_INPUTS;
    for state in ends
        .iter()
        .flat_map(|(_, months)| months.iter().rev().filter(whole))
    {
        if let Some(last) = last.get(&state.month) {
            came.entry(state.month).or_insert([seen(state), *last]);
        }
    }
    came
}

/// Every scored month as of a day of it, or of its end.
fn cases(
    desk: &Desk,
    day: Option<i64>,
    lessons: &Lessons,
    came: &BTreeMap<Date, MonthLabels>,
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
                .find(|o| econoscope_core::indicators::recession_now::thursday(o.date) <= day)
        });
        let came = newest.and_then(|o| came.get(&Month::of(o.date).plus(1).first_day()));
        if let (Some(came), Some(published)) = (came, regime::at(&set, day).state) {
            cases.push(Case {
                month,
                published: seen(&published),
                now: of_nowcast(nowcast::with(&set, (day, day), lessons.until(day))),
                shipped: of_nowcast(nowcast::at(&set, day, day)),
                came: *came,
            });
        }
    }
    Ok(cases)
}

fn row(name: &str, cases: &[&Case], now: fn(&Case) -> Option<Seen>) -> [String; 6] {
    let beside = |said: &dyn Fn(&Case) -> Seen| -> Vec<(Seen, MonthLabels)> {
        cases.iter().map(|c| (said(c), c.came)).collect()
    };
    let said = [
        beside(&|c| c.published),
        beside(&|c| now(c).unwrap_or(c.published)),
    ];
    let [published, now] = said.each_ref().map(|all| {
        let first = rate(all.iter().map(|(said, [first, _])| said.0 != first.0));
        let last = rate(all.iter().map(|(said, [_, last])| said.0 != last.0));
        format!("{first}, {last}")
    });
    let error = |score: fn(&Seen) -> f64| {
        let roots = said.each_ref().map(|all| {
            let gap = |(said, [first, _]): &(Seen, MonthLabels)| score(said) - score(first);
            let squares = all.iter().map(|pair| gap(pair).powi(2));
            share(average(squares).map(f64::sqrt))
        });
        roots.join(", ")
    };
    let (growth, inflation) = (error(|s| s.1), error(|s| s.2));
    let months = cases.len().to_string();
    [name.to_owned(), months, published, now, growth, inflation]
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
        let mut each = Regime::QUADRANTS.into_iter().zip(shares);
        each.find(|(r, _)| *r == label).map_or(0.0, |(_, p)| p)
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
