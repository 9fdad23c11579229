//! Rows, digests and single days against plain definitions over whole numbers: with gaps, ties, zeros and any range.

use super::*;
use econoscope_core::indicators::window::RankCounts;
use proptest::prelude::*;

/// Figures in tenths of the months since January 2000, some missing.
type Months = Vec<Option<i32>>;

fn month(i: usize) -> Date {
    shift(date(2000, 1, 1), i64::try_from(i).unwrap().months())
}

fn tenths(n: i32) -> f64 {
    f64::from(n) / 10.0
}

fn unemployment(months: &Months) -> Arc<Series> {
    let info = Catalogue::embedded().get("UNRATE").unwrap().clone();
    let rows = months
        .iter()
        .enumerate()
        .filter_map(|(i, v)| Some(Observation::new(month(i), tenths((*v)?))));
    Arc::new(Series::new(info, rows.collect()))
}

fn answer_for(months: &Months, arguments: Value) -> TimeSeriesAnswer {
    let params = params(arguments);
    let selection = DateSelection::new(&params, AsOf::Latest, date(2010, 1, 1), None).unwrap();
    let empty = output(Vec::new());
    let answer = empty.with_rows(&unemployment(months), &params, &selection);
    shape::fit_rows(answer.unwrap(), &params, None).unwrap()
}

/// The change of each month over `lag` months where both figures exist.
fn changes(months: &Months, lag: usize) -> Vec<(Date, i32)> {
    let changes = (lag..months.len()).filter_map(|i| {
        let now = months[i]?;
        let before = months[i - lag]?;
        Some((month(i), now - before))
    });
    changes.collect()
}

fn some_months() -> impl Strategy<Value = Months> {
    prop::collection::vec(prop::option::weighted(0.85, -30..60i32), 2..60)
}

proptest! {
    #[test]
    fn changes_and_ranks_match_whole_numbers(months in some_months(), from in 0usize..40) {
        for (units, lag) in [("chg", 1), ("ch1", 12)] {
            let arguments = json!({"seriesId": "UNRATE", "units": units, "detail": "points",
                "max_points": 400, "start": month(from).to_string()});
            let mut expected = changes(&months, lag);
            expected.retain(|(day, _)| *day >= month(from));
            let answer = answer_for(&months, arguments);
            let rows: Vec<Observation> = expected.iter().map(|&(date, n)| Observation { date, value: tenths(n) }).collect();
            prop_assert_eq!(&answer.data, &rows);
            let Some((_, last)) = expected.last() else {
                prop_assert_eq!(answer.summary, None);
                continue;
            };
            let d = answer.summary.unwrap();
            let all = expected.len();
            let percent = |count| RankCounts { below: count, equal: all - count, above: 0 }.percent(count);
            let share = |is: &dyn Fn(i32) -> bool| percent(expected.iter().filter(|(_, n)| is(*n)).count());
            prop_assert!((d.below_pct - share(&|n| n < *last)).abs() <= 0.0501);
            prop_assert!((d.equal_pct - share(&|n| n == *last)).abs() <= 0.0501);
            prop_assert!((d.above_pct - share(&|n| n > *last)).abs() <= 0.0501);
            prop_assert_eq!(d.change, tenths(last - expected[0].1));
            prop_assert_eq!(d.change_pct, None);
            let lowest = expected.iter().map(|(_, n)| *n).min().unwrap();
            let ties: Vec<Date> = expected.iter().filter(|(_, n)| *n == lowest).map(|(d, _)| *d).collect();
            prop_assert_eq!((d.min.value, d.min.date, d.min.ties), (tenths(lowest), ties[0], (ties.len() > 1).then_some(ties.len())));
        }
    }

    #[test]
    fn day_has_the_figure_of_its_month_or_an_earlier(months in some_months(), offsets in prop::collection::vec(0i64..2_000, 1..20)) {
        let days: Vec<Date> = offsets.into_iter().map(|n| shift(date(2000, 1, 1), n.days())).collect();
        let arguments: Vec<String> = days.iter().map(Date::to_string).collect();
        let answer = answer_for(&months, json!({"seriesId": "UNRATE", "detail": "summary", "dates": arguments}));
        prop_assert_eq!(answer.points.len(), days.len());
        for (point, day) in answer.points.iter().zip(&days) {
            let index = (i64::from(day.year()) - 2000) * 12 + i64::from(day.month()) - 1;
            let last = usize::try_from(index).unwrap().min(months.len() - 1);
            let newest = (0..=last).rev().find(|i| months[*i].is_some());
            // The lag, a month and the slack carry a figure no further than the second month after its own.
            let actual = point.value.zip(point.date);
            let expected = newest.map(|i| (tenths(months[i].unwrap()), month(i)));
            prop_assert!(actual.is_none() || actual == expected, "{:?} {:?}", actual, expected);
            if expected.is_some_and(|(_, date)| date.first_of_month() == day.first_of_month()) {
                prop_assert_eq!(actual, expected);
                prop_assert_eq!(&point.note, &None);
            } else {
                prop_assert!(point.note.is_some(), "{:?}", point);
            }
        }
    }

    #[test]
    fn every_missing_month_is_counted(months in some_months()) {
        let answer = answer_for(&months, json!({"seriesId": "UNRATE", "detail": "points", "start": "max"}));
        let present: Vec<usize> = (0..months.len()).filter(|i| months[*i].is_some()).collect();
        let between = present.first().zip(present.last()).map_or(0, |(a, b)| b - a + 1);
        let absent = between.saturating_sub(present.len());
        let note = answer.provenance.notes.get("absent");
        prop_assert_eq!(note.is_some(), absent > 0);
        if absent > 3 {
            let rest = format!("{} more", absent - 3);
            prop_assert!(note.unwrap().contains(&rest));
        }
    }

    #[test]
    fn quarter_is_the_mean_of_its_months(months in some_months()) {
        let arguments = json!({"seriesId": "UNRATE", "frequency": "q", "start": "max", "max_points": 400});
        let answer = answer_for(&months, arguments);
        let quarters: Vec<(Date, f64, bool)> = months.chunks(3).enumerate().filter_map(|(q, months)| {
            let present: Vec<i32> = months.iter().flatten().copied().collect();
            let count = i32::try_from(present.len()).ok().filter(|n| *n > 0)?;
            Some((month(3 * q), tenths(present.iter().sum()) / f64::from(count), present.len() < 3))
        }).collect();
        prop_assert_eq!(answer.data.len(), quarters.len());
        for (row, (day, mean, _)) in answer.data.iter().zip(&quarters) {
            prop_assert_eq!(row.date, *day);
            prop_assert!((row.value - mean).abs() < 1e-9);
        }
        let notes = &answer.provenance.notes;
        let is_noted = notes.contains_key("short") || notes.contains_key("partial");
        prop_assert_eq!(is_noted, quarters.iter().any(|(_, _, short)| *short));
    }
}

#[test]
fn single_days_exclude_a_range() {
    for (arguments, field) in [
        (
            json!({"seriesId": "X", "dates": ["2020-01-01"], "start": "5y"}),
            "start",
        ),
        (
            json!({"seriesId": "X", "after": "2020-01-01", "end": "2021-01-01"}),
            "end",
        ),
        (
            json!({"seriesId": "X", "after": "2020-01-01", "dates": ["2021-01-01"]}),
            "after",
        ),
        (json!({"seriesId": "X", "horizons": ["3m"]}), "horizons"),
        (
            json!({"seriesId": "X", "after": "2020-01-01", "horizons": ["soon"]}),
            "horizons",
        ),
        (json!({"seriesId": "X", "dates": ["soon"]}), "dates"),
    ] {
        let selection = DateSelection::new(
            &params(arguments.clone()),
            AsOf::Latest,
            date(2026, 1, 1),
            None,
        );
        let error = selection.unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{field}=")),
            "{arguments}: {error}"
        );
    }
}

#[test]
fn list_of_days_is_read_in_every_form() {
    for days in [
        json!(["2020-01-01", "2021-01-01"]),
        json!("2020-01-01,2021-01-01"),
    ] {
        let params = params(json!({"seriesId": "X", "dates": days}));
        let selection = DateSelection::new(&params, AsOf::Latest, date(2026, 1, 1), None).unwrap();
        assert_eq!(
            (selection.start, selection.end),
            (date(2020, 1, 1), date(2021, 1, 1))
        );
    }
}
