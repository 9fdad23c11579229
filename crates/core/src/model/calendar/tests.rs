use super::*;
use crate::catalogue::Catalogue;
use crate::model::table;
use jiff::civil::date;
use std::collections::{BTreeMap, BTreeSet};

fn release(id: &str) -> &'static Release {
    releases().iter().find(|r| r.id == id).unwrap()
}

/// Every row of data/calendar/days.csv; data/calendar/README.md says on what evidence.
fn recorded() -> Vec<(&'static str, Date, Date)> {
    let rows = table::rows(include_str!("../../../data/calendar/days.csv"));
    rows.map(|(line, row)| {
        let [release, period, day, grade] = row.unwrap();
        let grades = "page,page; doubtful,file names,two listings,two listings; a copy,two copies,one copy,memory";
        let evidence = grade.replace(", ", "; ");
        assert!(grades.split(',').any(|known| known == evidence), "{line}: {evidence}");
        (release, period.parse().unwrap(), day.parse().unwrap())
    })
    .collect()
}

/// Days on which releases came since the rules were written down, shutdowns apart.
fn past() -> BTreeMap<&'static str, Vec<Date>> {
    let mut past: BTreeMap<_, Vec<Date>> = BTreeMap::new();
    let since = date(2020, 8, 1);
    for (id, period, day) in recorded() {
        let due = release(id).scheduled_for(period).map(|due| due.day);
        let is_normal = |day| release::disruption(day).is_none();
        if day >= since && is_normal(day) && due.is_none_or(is_normal) {
            past.entry(id).or_default().push(day);
        }
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
fn every_series_of_a_release_is_in_the_catalogue_and_unique() {
    assert!(releases().len() >= 17);
    let mut ids = BTreeSet::new();
    let mut series = BTreeSet::new();
    for r in releases() {
        assert!(ids.insert(&r.id), "{} twice", r.id);
        assert!(!r.headline.is_empty() || r.revises.is_some(), "{}", r.id);
        for id in r.headline.iter().chain(&r.series) {
            assert!(series.insert(id), "{id} comes with two releases");
            let info = Catalogue::embedded()
                .get(id)
                .unwrap_or_else(|| panic!("{id}"));
            let is_first = r.headline.contains(id);
            assert!(!is_first || info.frequency == r.frequency, "{id}");
        }
    }
}

/// How often a rule was right, out of how many days, and how far releases came from its day.
#[derive(Debug, Default, PartialEq)]
struct Fit {
    exact: usize,
    days: usize,
    early: i64,
    late: i64,
}

/// The row of docs/RELEASES.md that a release counts to.
const ROWS: [(&str, &str); 12] = [
    ("claims", "claims"),
    ("employment", "employment"),
    ("jolts", "JOLTS"),
    ("cpi", "CPI"),
    ("ppi", "PPI"),
    ("retail", "retail sales"),
    ("production", "industrial production"),
    ("housing", "housing starts, permits"),
    ("gdp", "GDP, three estimates"),
    ("gdp-2", "GDP, three estimates"),
    ("gdp-3", "GDP, three estimates"),
    ("income", "personal income, PCE"),
];

#[test]
fn past_releases_fit_their_rules() {
    let mut table: BTreeMap<&str, Fit> = BTreeMap::new();
    for (id, days) in past() {
        let release = release(id);
        let mut exact = 0;
        let mut early = 0;
        let mut late = 0;
        for &day in &days {
            let from = shift(day, (-10).days());
            let to = shift(day, 10.days());
            let near = release.scheduled(from, to);
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
        let row = ROWS.iter().find(|row| row.0 == id).unwrap().1;
        let fit = table.entry(row).or_default();
        fit.exact += exact;
        fit.days += days.len();
        (fit.early, fit.late) = (fit.early.max(early), fit.late.max(late));
        // The span around a day is exactly that of the past releases.
        assert_eq!(
            (release.max_days_early, release.max_days_late),
            (early, late),
            "{id}"
        );
        assert!(
            5 * exact >= 2 * days.len(),
            "{id}: {exact} of {}",
            days.len()
        );
    }
    let page = include_str!("../../../../../docs/RELEASES.md");
    for (row, fit) in table {
        let line = page
            .lines()
            .find(|line| line.starts_with(&format!("| {row} |")));
        let cells: Vec<&str> = line
            .unwrap_or_else(|| panic!("{row}"))
            .split(" | ")
            .collect();
        let right = format!("{} of {}", fit.exact, fit.days);
        let counts = cells[2].split(" (").next().unwrap().trim_end_matches(" m");
        assert_eq!(counts, right, "{row}");
        assert_eq!(cells[3], format!("{}, {} |", fit.early, fit.late), "{row}");
    }
}

fn known_by(id: &str, period: Date) -> Date {
    Catalogue::embedded()
        .get(id)
        .unwrap()
        .publication_day(period)
}

#[test]
fn figures_are_known_from_their_recorded_or_latest_day() {
    for (id, period, day) in [
        ("CPIAUCSL", date(2015, 1, 1), date(2015, 2, 26)),
        ("CPILFESL", date(2015, 2, 1), date(2015, 3, 24)),
        ("CPIAUCNS", date(2025, 9, 1), date(2025, 10, 24)),
        ("MEDCPIM158SFRBCLE", date(2015, 1, 1), date(2015, 2, 26)),
        ("UNRATE", date(1995, 12, 1), date(1996, 1, 19)),
        ("UNRATE", date(2013, 9, 1), date(2013, 10, 22)),
        ("U6RATE", date(2025, 9, 1), date(2025, 11, 20)),
        // Payrolls of October came with those of November.
        ("PAYEMS", date(2025, 10, 1), date(2025, 12, 16)),
        ("SAHMREALTIME", date(2025, 9, 1), date(2025, 11, 20)),
        ("RSAFS", date(2025, 9, 1), date(2025, 11, 25)),
        ("PCEPILFE", date(2025, 9, 1), date(2025, 12, 5)),
        ("GDP", date(2025, 7, 1), date(2025, 12, 23)),
        ("GDPC1", date(2018, 10, 1), date(2019, 2, 28)),
        ("GDPC1", date(2025, 10, 1), date(2026, 2, 20)),
        ("GDP", date(2008, 10, 1), date(2009, 1, 30)),
        // Nobody knows the day: the end of the disruption.
        ("RSAFS", date(2025, 11, 1), date(2026, 2, 28)),
        ("BOPGSTB", date(2025, 9, 1), date(2026, 2, 28)),
        ("BOPGSTB", date(2018, 11, 1), date(2019, 4, 30)),
        // As announced by the NBER.
        ("USREC", date(2007, 12, 1), date(2007, 12, 31)),
        ("USREC", date(2008, 1, 1), date(2008, 12, 1)),
        ("USREC", date(2009, 7, 1), date(2010, 9, 20)),
        ("USREC", date(2021, 9, 1), date(2021, 9, 30)),
        ("DTWEXBGS", date(2026, 8, 12), date(2026, 8, 17)),
        ("DTWEXBGS", date(2026, 9, 4), date(2026, 9, 8)),
        ("WALCL", date(2026, 11, 25), date(2026, 11, 27)),
    ] {
        assert_eq!(known_by(id, period), day, "{id} {period}");
    }
    // Without a recorded day, the estimate is not before the actual day.
    for (id, period, day) in [
        ("INDPRO", date(2009, 1, 1), date(2009, 2, 18)),
        ("PERMIT", date(2008, 12, 1), date(2009, 1, 22)),
        ("CPIAUCSL", date(2003, 1, 1), date(2003, 2, 21)),
        ("AMTMNO", date(2024, 6, 1), date(2024, 8, 2)),
    ] {
        let known = known_by(id, period);
        assert!(
            known >= day && known <= shift(day, 14.days()),
            "{id} {known}"
        );
    }
}

#[test]
fn figures_are_known_from_the_recorded_day_of_their_release() {
    let rows = recorded();
    assert!(rows.len() > 2_200);
    for (id, period, day) in rows {
        let release = release(id);
        assert!(day > period, "{id} {period}");
        for series in &release.headline {
            assert_eq!(known_by(series, period), day, "{series} {period}");
        }
        for series in release.series.iter().chain(&release.derived_series) {
            let info = Catalogue::embedded().get(series).unwrap();
            // Continued claims are those of the week before.
            let is_later = ["CCSA", "CCNSA", "IURSA"].contains(&series.as_str());
            if info.frequency == release.frequency && !is_later {
                assert_eq!(info.publication_day(period), day, "{series} {period}");
            }
        }
    }
}

#[test]
fn later_periods_are_never_known_earlier() {
    for info in Catalogue::embedded().iter() {
        let mut period = info.frequency.period_date(date(1959, 3, 4));
        let mut before = Date::MIN;
        while period < date(2027, 6, 1) {
            let day = info.publication_day(period);
            assert!(day >= before, "{} {period}: {day} after {before}", info.id);
            (period, before) = (shift(period, info.frequency.period()), day);
        }
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
fn recorded_days_are_in_the_month_of_the_first_vintage() {
    let mut told = 0;
    // Vintages of GDP are of the middle of a month.
    for (id, series, taken, checked) in [
        ("employment", "PAYEMS", 31, 700),
        ("employment", "UNRATE", 31, 700),
        ("cpi", "CPIAUCSL", 31, 300),
        ("production", "INDPRO", 31, 21),
        ("housing", "PERMIT", 31, 21),
        ("retail", "RETAILx", 31, 21),
        ("income", "PCEPI", 31, 21),
        ("gdp", "GDPC1", 15, 115),
    ] {
        let first = first_prints(series);
        let begins = *first.values().min().unwrap();
        let dated = recorded().into_iter().filter_map(|(release, period, day)| {
            let later = i64::from(day.day() > taken);
            let month = shift(day.first_of_month(), later.months());
            // Figures of the first vintage were published before it.
            (release == id && month > begins).then_some((period, month, *first.get(&period)?))
        });
        let months: Vec<(Date, Date, Date)> = dated.collect();
        assert!(months.len() >= checked, "{id}: {}", months.len());
        // The vintages have the consumer prices of December 1995 in January; the shutdown held them up until 1 February.
        // The vintage of GDP of February 2019 waited for the figure that the next shutdown held up.
        let exceptions = [("cpi", date(1995, 12, 1)), ("gdp", date(2018, 10, 1))];
        let is_exception = |period| exceptions.contains(&(id, period));
        let differ =
            |&&(period, day, first): &&(Date, Date, Date)| day != first && !is_exception(period);
        let differ: Vec<_> = months.iter().filter(differ).collect();
        assert!(differ.is_empty(), "{series}: {differ:?}");
        told += months.len() * usize::from(series != "UNRATE");
    }
    let text = format!(
        "{told} of the {} lie where the vintages can tell",
        recorded().len()
    );
    let page = include_str!("../../../../../docs/RELEASES.md");
    assert!(page.contains(&text), "{text}");
}

#[test]
fn scheduled_days_are_in_the_month_of_the_first_vintage() {
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
        ("gdp", "GDPC1", 96),
    ] {
        let first = first_prints(series);
        let start = date(2010, 1, 1);
        let release = release(release_id);
        let mut same = 0;
        let mut all = 0;
        for due in release.scheduled(start, date(2025, 9, 30)) {
            let month = *first.get(&due.period).unwrap_or_else(|| panic!("{due:?}"));
            let later = i64::from(series == "GDPC1").months();
            let [earliest, latest] =
                [due.earliest, due.latest].map(|day| shift(day.first_of_month(), later));
            let is_in_span = (earliest..=latest).contains(&month);
            (same, all) = (same + usize::from(is_in_span), all + 1);
        }
        assert!(
            all >= 60 && same * 100 >= all * least,
            "{series}: {same} of {all}"
        );
    }
}

#[test]
fn scheduled_releases_have_their_periods() {
    let one = |id: &str, from: Date, to: Date| {
        let due: Vec<ScheduledRelease> = release(id).scheduled(from, to).collect();
        assert_eq!(due.len(), 1, "{id}");
        (due[0].day, due[0].period)
    };
    let from = date(2026, 11, 22);
    let to = date(2026, 12, 31);
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
fn holidays_move_weekly_releases() {
    let thanksgiving = (date(2026, 11, 23), date(2026, 11, 29));
    let one = |id: &str| {
        let due: Vec<ScheduledRelease> = release(id)
            .scheduled(thanksgiving.0, thanksgiving.1)
            .collect();
        assert_eq!(due.len(), 1, "{id}");
        (due[0].day, due[0].period)
    };
    assert_eq!(one("claims"), (date(2026, 11, 25), date(2026, 11, 21)));
    assert_eq!(one("h41"), (date(2026, 11, 27), date(2026, 11, 25)));
    assert_eq!(one("nfci"), (date(2026, 11, 25), date(2026, 11, 20)));
    let labor_day = |id| {
        release(id)
            .scheduled(date(2026, 9, 7), date(2026, 9, 11))
            .map(|d| d.day)
    };
    assert!(labor_day("gasoline").eq([date(2026, 9, 9)]));
    assert!(labor_day("nfci").eq([date(2026, 9, 10)]));
}

#[test]
fn any_window_has_exactly_the_releases_in_it() {
    let due = |from, to| {
        releases()
            .iter()
            .flat_map(|r| r.scheduled(from, to))
            .collect::<Vec<ScheduledRelease>>()
    };
    let whole = due(date(2024, 1, 1), date(2027, 12, 31));
    assert!(
        whole.iter().all(|d| release::is_business_day(d.day)),
        "none on a day off"
    );
    for days in (0..1_400).step_by(23) {
        let from = shift(date(2024, 1, 1), i64::from(days).days());
        let to = shift(from, 13.days());
        let inside: Vec<ScheduledRelease> = whole
            .iter()
            .filter(|d| (from..=to).contains(&d.day))
            .copied()
            .collect();
        assert_eq!(due(from, to), inside, "{from}");
    }
}
