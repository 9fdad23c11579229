//! Every unit, frequency, window and condition against its definition written plainly, row by row, on gaps, ties,
//! zeros, cut ranges and odd stamps.

use super::*;
use crate::catalogue::Catalogue;
use crate::indicators::condition::streaks;
use crate::indicators::resample::{Aggregation, aggregate};
use crate::indicators::statistics::count;
use crate::indicators::transform::Units;
use crate::model::frequency::{Periods, days_between, shift};
use crate::model::{Date, Frequency, Observation, Series};
use jiff::ToSpan;
use jiff::civil::{Weekday, date};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

type Rows = Vec<(Date, f64)>;

/// Values of one decimal, so that many are equal and some are zero.
fn any_value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (1..60i32).prop_map(|n| f64::from(n) / 10.0),
        1 => (-20..=0i32).prop_map(|n| f64::from(n) / 10.0),
        1 => Just(0.0),
    ]
}

/// A series of some frequency with periods left out; weeks that move by a day, quarters by their middle month.
fn any_series() -> impl Strategy<Value = Arc<Series>> {
    let ids = vec![
        "DGS10",
        "ICSA",
        "UNRATE",
        "GDP",
        "TERMCBCCALLNS",
        "SIPOVGINIUSA",
    ]
    .into_iter()
    .filter(|id| Catalogue::embedded().get(id).is_some());
    let steps = prop::collection::vec((1..14i64, any_value()), 1..160);
    (
        prop::sample::select(ids.collect::<Vec<_>>()),
        steps,
        0..400i64,
    )
        .prop_map(|(id, steps, first)| {
            let info = Catalogue::embedded().get(id).unwrap().clone();
            let mut day = shift(date(1999, 1, 1), first.days());
            let mut rows: Vec<Observation> = Vec::new();
            for (step, value) in steps {
                let gap = if step > 11 { step - 10 } else { 1 };
                day = match info.frequency {
                    Frequency::Daily => shift(day, step.min(13).days()),
                    Frequency::Weekly => shift(
                        day,
                        (7 * gap + (step == 3) as i64 - (step == 4) as i64).days(),
                    ),
                    Frequency::Monthly => shift(day.first_of_month(), gap.months()),
                    Frequency::Quarterly => {
                        let middle = if id == "GDP" { 0 } else { 1 };
                        shift(
                            Frequency::Quarterly.period_date(day),
                            (3 * gap + middle).months(),
                        )
                    }
                    Frequency::Biweekly | Frequency::Semiannual | Frequency::Annual => {
                        shift(day.first_of_year(), gap.years())
                    }
                };
                rows.push(Observation::new(day, value));
            }
            Arc::new(Series::new(info, rows))
        })
}

fn plain(series: &Series) -> Rows {
    series
        .observations
        .iter()
        .map(|o| (o.date, o.value))
        .collect()
}

fn on(rows: &Rows, day: Date) -> Option<f64> {
    rows.iter().find(|(date, _)| *date == day).map(|(_, v)| *v)
}

/// The figure a number of days, weeks, months, quarters or years before a date, as docs/METHODS.md defines it.
fn before(series: &Series, day: Date, periods: i64, year: bool) -> Option<f64> {
    let rows = plain(series);
    let months = |n: i64| on(&rows, shift(day, (-n).months()));
    let near = |days: i64| {
        let around = [0, -1, 1].map(|by| shift(day, (by - days).days()));
        around.into_iter().find_map(|day| on(&rows, day))
    };
    let newest = |day: Date| {
        let (actual, value) = rows.iter().rev().find(|(date, _)| *date <= day)?;
        let most = series.info.publication_lag_days + 1 + 7;
        (days_between(*actual, day) <= most).then_some(*value)
    };
    match (series.frequency(), year) {
        (Frequency::Daily, false) => newest(shift(day, (-periods).days())),
        (Frequency::Daily, true) => newest(shift(day, (-1).years())),
        (Frequency::Weekly, false) => near(7 * periods),
        (Frequency::Weekly, true) => near(364),
        (Frequency::Monthly, false) => months(periods),
        (Frequency::Quarterly, false) => months(3 * periods),
        (_, _) => months(12),
    }
}

fn transform(series: &Series, units: Units) -> Rows {
    let years = match series.frequency() {
        Frequency::Daily => 260.0,
        Frequency::Weekly => 52.0,
        Frequency::Biweekly => 26.0,
        Frequency::Monthly => 12.0,
        Frequency::Quarterly => 4.0,
        Frequency::Semiannual => 2.0,
        Frequency::Annual => 1.0,
    };
    let growth = |now: f64, earlier: f64| (earlier > 0.0).then(|| 100.0 * (now / earlier - 1.0));
    let logs =
        |now: f64, earlier: f64| (now > 0.0 && earlier > 0.0).then(|| now.ln() - earlier.ln());
    let rows = plain(series).into_iter();
    let value = |(day, now): (Date, f64)| {
        let last = before(series, day, 1, false);
        let year = before(series, day, 1, true);
        let value = match units {
            Units::Level => Some(now),
            Units::Change => last.map(|earlier| now - earlier),
            Units::ChangeYear => year.map(|earlier| now - earlier),
            Units::Percent => growth(now, last?),
            Units::PercentYear => growth(now, year?),
            Units::PercentAnnualised => {
                logs(now, last?).map(|_| 100.0 * ((now / last.unwrap_or(1.0)).powf(years) - 1.0))
            }
            Units::LogChange => logs(now, last?).map(|l| 100.0 * l),
            Units::LogChangeAnnualised => logs(now, last?).map(|l| 100.0 * years * l),
            Units::Log => (now > 0.0).then(|| now.ln()),
        };
        value.filter(|v| v.is_finite()).map(|v| (day, v))
    };
    rows.filter_map(value).collect()
}

/// The next such day of the week, or the day itself.
fn ends(day: Date, weekday: Weekday) -> Date {
    let ahead = (0..7).map(|n: i64| shift(day, n.days()));
    ahead.into_iter().find(|d| d.weekday() == weekday).unwrap()
}

/// The first day of the period of a day; of a week the Friday that ends it.
fn period(to: Frequency, day: Date) -> Date {
    match to {
        Frequency::Daily => day,
        Frequency::Weekly => ends(day, Weekday::Friday),
        // Of two weeks the second; 2026-11-27 ends one.
        Frequency::Biweekly => {
            let friday = ends(day, Weekday::Friday);
            let odd = days_between(date(2026, 11, 27), friday).rem_euclid(14) != 0;
            if odd { shift(friday, 7.days()) } else { friday }
        }
        Frequency::Monthly => date(day.year(), day.month(), 1),
        Frequency::Quarterly => date(
            day.year(),
            [1, 4, 7, 10][usize::try_from((day.month() - 1) / 3).unwrap()],
            1,
        ),
        Frequency::Semiannual => date(day.year(), if day.month() < 7 { 1 } else { 7 }, 1),
        Frequency::Annual => date(day.year(), 1, 1),
    }
}

fn aggregate_plainly(rows: &Rows, to: Frequency, how: Aggregation) -> Rows {
    let mut periods: BTreeMap<Date, Vec<f64>> = BTreeMap::new();
    for (day, value) in rows {
        periods.entry(period(to, *day)).or_default().push(*value);
    }
    let one = |values: &Vec<f64>| match how {
        Aggregation::Sum => values.iter().sum(),
        Aggregation::Average => values.iter().sum::<f64>() / count(values.len()),
        Aggregation::EndOfPeriod => values[values.len() - 1],
    };
    periods
        .iter()
        .map(|(day, values)| (*day, one(values)))
        .collect()
}

/// Whether a number of periods up to a position follow each other without a gap.
fn is_consecutive(series: &Series, position: usize, periods: usize) -> bool {
    let rows = &series.observations;
    position + 1 >= periods
        && rows[position + 1 - periods..=position]
            .windows(2)
            .all(|pair| {
                let days = days_between(pair[0].date, pair[1].date);
                match series.frequency() {
                    Frequency::Daily => days <= 10,
                    Frequency::Weekly => (4..=10).contains(&days),
                    Frequency::Monthly => shift(pair[0].date, 1.months()) == pair[1].date,
                    Frequency::Quarterly => shift(pair[0].date, 3.months()) == pair[1].date,
                    Frequency::Biweekly | Frequency::Semiannual | Frequency::Annual => {
                        shift(pair[0].date, 1.years()) == pair[1].date
                    }
                }
            })
}

fn evaluate_formula(series: &Arc<Series>, text: &str, start: Date) -> Series {
    let lookup = |_: &str| Some(Arc::clone(series));
    let scope = Scope {
        series: &lookup,
        subject: Some(Column::new(Arc::clone(series))),
        start,
        aggregation: Aggregation::EndOfPeriod,
        frequency: None,
    };
    (*evaluate(&parse(text).unwrap(), scope).unwrap().series).clone()
}

/// Equal dates, and values equal but for the rounding to 1e-9 and the noise of large powers.
fn assert_close(actual: &[Observation], plain: &Rows) -> Result<(), TestCaseError> {
    let dates: Vec<Date> = actual.iter().map(|o| o.date).collect();
    prop_assert_eq!(&dates, &plain.iter().map(|(d, _)| *d).collect::<Vec<_>>());
    for (o, (day, value)) in actual.iter().zip(plain) {
        let off = (o.value - value).abs();
        prop_assert!(
            off <= 1e-8 + 1e-8 * value.abs(),
            "{} {} {}",
            day,
            o.value,
            value
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn transforms_match_their_definitions(series in any_series()) {
        for (code, units) in Units::ALL {
            let plain = transform(&series, units);
            assert_close(&units.apply(&series), &plain)?;
            let formula = evaluate_formula(&series, &format!("{code}(X)"), Date::MIN);
            assert_close(&formula.observations, &plain)?;
        }
    }

    #[test]
    fn aggregations_match_their_definitions(series in any_series()) {
        for to in Frequency::ALL.into_iter().filter(|to| *to > series.frequency()) {
            for how in [Aggregation::Average, Aggregation::Sum, Aggregation::EndOfPeriod] {
                let actual = aggregate(&series, to, how).unwrap();
                assert_close(&actual, &aggregate_plainly(&plain(&series), to, how))?;
            }
        }
        for week_ends in [Weekday::Monday, Weekday::Wednesday, Weekday::Saturday, Weekday::Sunday] {
            if series.frequency() != Frequency::Daily {
                break;
            }
            let to = Periods { frequency: Frequency::Weekly, week_ends };
            let actual = aggregate(&series, to, Aggregation::Sum).unwrap();
            let mut weeks: BTreeMap<Date, f64> = BTreeMap::new();
            for (day, value) in plain(&series) {
                *weeks.entry(ends(day, week_ends)).or_default() += value;
            }
            assert_close(&actual, &weeks.into_iter().collect())?;
        }
        // Odd stamps: each under the first day of its own period.
        let own = series.frequency();
        if own >= Frequency::Monthly {
            let moved = convert(&series, own, Aggregation::Average, None).unwrap();
            assert_close(&moved.observations, &aggregate_plainly(&plain(&series), own, Aggregation::EndOfPeriod))?;
        }
    }

    #[test]
    fn windows_match_their_definitions(series in any_series(), n in 1usize..6) {
        let rows = plain(&series);
        let at = |position: usize| (position + 1).checked_sub(n).map(|from| &rows[from..=position]);
        let whole = (0..rows.len()).filter(|position| is_consecutive(&series, *position, n));
        let means: Rows = whole
            .filter_map(|i| at(i).map(|rows_| (rows[i].0, rows_.iter().map(|(_, v)| v).sum::<f64>() / count(n))))
            .collect();
        assert_close(&evaluate_formula(&series, &format!("ma(X, {n})"), Date::MIN).observations, &means)?;
        if series.frequency() == Frequency::Daily {
            let whole = (n..rows.len()).filter(|position| is_consecutive(&series, *position, n + 1));
            let lags: Rows = whole.map(|i| (rows[i].0, rows[i - n].1)).collect();
            assert_close(&evaluate_formula(&series, &format!("lag(X, {n})"), Date::MIN).observations, &lags)?;
        }
        if series.frequency() > Frequency::Weekly {
            let periods = i64::try_from(n).unwrap();
            let span = match series.frequency() { Frequency::Monthly => 1, Frequency::Quarterly => 3, Frequency::Daily | Frequency::Weekly | Frequency::Biweekly | Frequency::Semiannual | Frequency::Annual => 12 };
            let earlier = |day: Date| on(&rows, shift(day, (-span * periods).months()));
            let power = 12.0 / (count(usize::try_from(span).unwrap()) * count(n));
            let annual: Rows = rows.iter().filter_map(|(day, now)| {
                let earlier = earlier(*day).filter(|earlier| *earlier > 0.0 && *now > 0.0)?;
                Some((*day, 100.0 * ((now / earlier).powf(power) - 1.0)))
            }).collect();
            assert_close(&evaluate_formula(&series, &format!("ann(X, {n})"), Date::MIN).observations, &annual)?;
        }
    }

    #[test]
    fn condition_counts_match_a_plain_loop(
        series in any_series(), level in any_value(), from in 0i64..4_000, length in 0i64..4_000,
    ) {
        let start = shift(date(1999, 1, 1), from.days());
        let end = shift(start, length.days());
        let inside = |rows: Rows| -> Rows { rows.into_iter().filter(|(d, _)| (start..=end).contains(d)).collect() };
        let counts = |text: &str| {
            let actual = evaluate_formula(&series, text, start);
            let rows = actual.between(start, end);
            let runs = streaks(rows, series.frequency());
            let met: usize = runs.iter().map(|run| run.length).sum();
            (rows.len(), met, runs.first().map(|run| run.start), runs.last().map(|run| run.end))
        };
        let rows = inside(plain(&series));
        type Test = fn(f64, f64) -> bool;
        let tests: [(&str, Test); 6] = [
            (">", |a, b| a > b), ("<", |a, b| a < b), (">=", |a, b| a >= b),
            ("<=", |a, b| a <= b), ("=", |a, b| a == b), ("!=", |a, b| a != b),
        ];
        for (sign, test) in tests {
            let met: Vec<Date> = rows.iter().filter(|(_, v)| test(*v, level)).map(|(d, _)| *d).collect();
            let actual = counts(&format!("{sign} {level}"));
            let want = (rows.len(), met.len(), met.first().copied(), met.last().copied());
            prop_assert_eq!(actual, want, "{} {}", sign, level);
            let none = counts(&format!("not X {sign} {level}"));
            prop_assert_eq!(none.1, rows.len() - met.len());
        }
        // Changes of one decimal: their ties with one decimal count.
        let changes = inside(transform(&series, Units::Change));
        let tenths = |v: f64| (v * 10.0).round();
        let met = changes.iter().filter(|(_, v)| tenths(*v) >= tenths(level)).count();
        let actual = counts(&format!("chg(X) >= {level} and X > -100"));
        prop_assert_eq!((actual.0, actual.1), (changes.len(), met));
    }
}
