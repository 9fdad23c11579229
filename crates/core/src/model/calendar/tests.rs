use super::*;
use crate::catalogue::Catalogue;
use jiff::civil::date;
use std::collections::{BTreeMap, BTreeSet};

fn release(id: &str) -> &'static Release {
    releases().iter().find(|r| r.id == id).unwrap()
}

/// Days on which releases came; data/calendar/README.md says on what evidence.
fn past() -> BTreeMap<&'static str, Vec<Date>> {
    let mut past: BTreeMap<_, Vec<Date>> = BTreeMap::new();
    for line in include_str!("../../../data/calendar/past.csv")
        .lines()
        .skip(1)
    {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(
            ["two copies", "one copy", "memory"].contains(&cells[2]),
            "{line}"
        );
        past.entry(cells[0])
            .or_default()
            .push(cells[1].parse().unwrap());
    }
    past
}

/// Business days from one day to another.
fn business_days(from: Date, to: Date) -> i64 {
    let days = |a: Date, b: Date| {
        let days = (1..)
            .map(|n: i64| shift(a, n.days()))
            .take_while(|d| *d <= b);
        i64::try_from(days.filter(|d| release::is_business_day(*d)).count()).unwrap()
    };
    if from <= to {
        days(from, to)
    } else {
        -days(to, from)
    }
}

#[test]
fn every_series_of_a_release_is_known_and_comes_with_one_only() {
    assert!(releases().len() >= 17);
    let (mut ids, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for r in releases() {
        assert!(ids.insert(&r.id), "{} twice", r.id);
        assert!(!r.headline.is_empty() || r.revises.is_some(), "{}", r.id);
        for id in r.headline.iter().chain(&r.series) {
            assert!(seen.insert(id), "{id} comes with two releases");
            let info = Catalogue::embedded()
                .get(id)
                .unwrap_or_else(|| panic!("{id}"));
            let is_first = r.headline.contains(id);
            assert!(!is_first || info.frequency == r.frequency, "{id}");
        }
    }
}

#[test]
fn releases_came_by_their_rules_or_within_the_days_around_them() {
    for (id, days) in past() {
        let release = release(id);
        let (mut exact, mut early, mut late) = (0, 0, 0);
        for &day in &days {
            let (from, to) = (shift(day, (-10).days()), shift(day, 10.days()));
            let near = release.due(from, to);
            let due = near
                .min_by_key(|due| business_days(due.day, day).abs())
                .unwrap();
            let off = business_days(due.day, day);
            exact += usize::from(off == 0);
            (early, late) = (early.max(-off), late.max(off));
            assert!(
                (due.earliest..=due.latest).contains(&day),
                "{id}: {day}, {due:?}"
            );
        }
        println!(
            "{id}: {exact} of {}, {early} early, {late} late",
            days.len()
        );
        // What is given as the span around a day is what happened, not more and not less.
        assert_eq!((release.early, release.late), (early, late), "{id}");
        assert!(
            5 * exact >= 2 * days.len(),
            "{id}: {exact} of {}",
            days.len()
        );
    }
}

/// The month in which the vintages have each period first.
fn first_prints(series: &str) -> BTreeMap<Date, Date> {
    let path = format!(
        "{}/../../data/vintages/{series}.csv",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    let mut first: BTreeMap<Date, Date> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let month: Date = format!("{}-01", &cells[2][..7]).parse().unwrap();
        first.entry(cells[0].parse().unwrap()).or_insert(month);
    }
    first
}

#[test]
fn past_days_lie_in_the_month_in_which_the_vintages_have_their_figures_first() {
    // Months between; vintages of GDP are of the middle of a month. And days that can be checked so.
    for (id, series, back, later, checked) in [
        ("employment", "PAYEMS", 1, 0, 34),
        ("cpi", "CPIAUCSL", 1, 0, 63),
        ("production", "INDPRO", 1, 0, 21),
        ("housing", "PERMIT", 1, 0, 21),
        ("retail", "RETAILx", 1, 0, 21),
        ("income", "PCEPI", 1, 0, 21),
        ("gdp", "GDPC1", 3, 1, 7),
    ] {
        let (first, past) = (first_prints(series), past());
        let months = |day: &Date| {
            let period = shift(day.first_of_month(), (-back).months());
            Some((
                shift(day.first_of_month(), later.months()),
                *first.get(&period)?,
            ))
        };
        let months: Vec<(Date, Date)> = past[id].iter().filter_map(months).collect();
        assert_eq!(months.len(), checked, "{id}");
        assert!(
            months.iter().all(|(day, known)| day == known),
            "{id}: {months:?}"
        );
    }
}

#[test]
fn figures_come_in_the_month_in_which_the_vintages_have_them_first() {
    // Outside shutdowns: the month of a first print in data/vintages is the month of the rule's day.
    // The last column: how many in a hundred at least; vintages of GDP are of the middle of a month.
    for (release_id, series, least) in [
        ("employment", "PAYEMS", 100),
        ("employment", "UNRATE", 100),
        ("cpi", "CPIAUCSL", 100),
        ("production", "INDPRO", 100),
        ("housing", "HOUST", 97),
        ("housing", "PERMIT", 97),
        ("income", "PCEPI", 96),
        ("gdp", "GDPC1", 85),
    ] {
        let first = first_prints(series);
        let begin = date(2010, 1, 1);
        let release = release(release_id);
        let (mut same, mut all) = (0, 0);
        for due in release.due(begin, date(2025, 9, 30)) {
            let known = *first.get(&due.period).unwrap_or_else(|| panic!("{due:?}"));
            let came =
                (due.earliest.first_of_month()..=due.latest.first_of_month()).contains(&known);
            (same, all) = (same + usize::from(came), all + 1);
        }
        assert!(
            all >= 60 && same * 100 >= all * least,
            "{series}: {same} of {all}"
        );
    }
}

#[test]
fn a_period_follows_from_the_day() {
    let one = |id: &str, from: Date, to: Date| {
        let due: Vec<Due> = release(id).due(from, to).collect();
        assert_eq!(due.len(), 1, "{id}");
        (due[0].day, due[0].period)
    };
    let (from, to) = (date(2026, 11, 22), date(2026, 12, 31));
    assert_eq!(
        one("employment", from, to),
        (date(2026, 12, 4), date(2026, 11, 1))
    );
    assert_eq!(
        one("jolts", from, to),
        (date(2026, 12, 1), date(2026, 10, 1))
    );
    assert_eq!(
        one("cpi", from, to),
        (date(2026, 12, 10), date(2026, 11, 1))
    );
    assert_eq!(
        one("gdp-2", from, to),
        (date(2026, 11, 25), date(2026, 7, 1))
    );
    assert_eq!(
        one("gdp-3", from, to),
        (date(2026, 12, 31), date(2026, 7, 1))
    );
    let new_year = (date(2027, 1, 1), date(2027, 1, 31));
    assert_eq!(
        one("gdp", new_year.0, new_year.1),
        (date(2027, 1, 28), date(2026, 10, 1))
    );
    assert_eq!(
        one("employment", new_year.0, new_year.1).0,
        date(2027, 1, 8)
    );
}

#[test]
fn holidays_move_weekly_releases_each_its_way() {
    let thanksgiving = (date(2026, 11, 23), date(2026, 11, 29));
    let one = |id: &str| {
        let due: Vec<Due> = release(id).due(thanksgiving.0, thanksgiving.1).collect();
        assert_eq!(due.len(), 1, "{id}");
        (due[0].day, due[0].period)
    };
    assert_eq!(one("claims"), (date(2026, 11, 25), date(2026, 11, 21)));
    assert_eq!(one("h41"), (date(2026, 11, 27), date(2026, 11, 25)));
    assert_eq!(one("nfci"), (date(2026, 11, 25), date(2026, 11, 20)));
    let labor_day = |id| {
        release(id)
            .due(date(2026, 9, 7), date(2026, 9, 11))
            .map(|d| d.day)
    };
    assert!(labor_day("gasoline").eq([date(2026, 9, 9)]));
    assert!(labor_day("nfci").eq([date(2026, 9, 10)]));
}

#[test]
fn any_window_holds_the_days_in_it_and_no_others() {
    let due = |from, to| {
        releases()
            .iter()
            .flat_map(|r| r.due(from, to))
            .collect::<Vec<Due>>()
    };
    let whole = due(date(2024, 1, 1), date(2027, 12, 31));
    assert!(
        whole.iter().all(|d| release::is_business_day(d.day)),
        "none on a day off"
    );
    for days in (0..1_400).step_by(23) {
        let from = shift(date(2024, 1, 1), i64::from(days).days());
        let to = shift(from, 13.days());
        let inside = whole.iter().filter(|d| (from..=to).contains(&d.day));
        let inside: Vec<Due> = inside.copied().collect();
        assert_eq!(due(from, to), inside, "{from}");
    }
}
