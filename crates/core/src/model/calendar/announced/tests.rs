use super::*;
use crate::catalogue::Catalogue;
use crate::model::calendar::releases;
use crate::recipe::Recipes;
use jiff::ToSpan;
use jiff::civil::{date, time};
use std::collections::BTreeSet;
use std::fmt::Write;

fn release(id: &str) -> &'static Release {
    releases().iter().find(|r| r.id == id).unwrap()
}

fn read(calendar: &str, body: &str) -> AnnouncedDays {
    let (_, recipe) = Recipes::embedded()
        .calendars()
        .find(|(source, c)| format!("{}/{}", source.id, c.id) == calendar)
        .unwrap();
    let rows = recipe.read(body.as_bytes()).unwrap();
    let read_on = date(2026, 1, 2);
    AnnouncedDays::from_rows(calendar, &rows, read_on, &AnnouncedDays::default()).unwrap()
}

fn days(of: &AnnouncedDays, id: &str) -> Vec<(Date, Date)> {
    let days = of.0.get(id).into_iter().flatten();
    days.map(|(period, announced)| (*period, announced.day))
        .collect()
}

/// The business day so many business days from one.
fn moved(day: Date, by: i64) -> Date {
    let step = by.signum();
    (0..by.abs()).fold(day, |day, _| {
        let mut next = add_days(day, step);
        while !crate::model::release::is_business_day(next) {
            next = add_days(next, step);
        }
        next
    })
}

#[test]
fn every_release_has_a_name_in_a_calendar_that_exists() {
    let text = include_str!("../../../../data/calendar/announced.csv");
    let calendars: BTreeSet<String> = Recipes::embedded()
        .calendars()
        .map(|(source, c)| format!("{}/{}", source.id, c.id))
        .collect();
    assert_eq!(NAMES.len(), text.lines().count() - 1);
    let mut mapped = BTreeSet::new();
    for (line, row) in table::rows(text) {
        let [release, calendar, _name, period, evidence] = row.unwrap();
        assert!(calendars.contains(calendar), "{line}: {calendar}");
        assert!(
            ["rule", "given", "day"].contains(&period) && !evidence.is_empty(),
            "{line}"
        );
        mapped.insert(release.to_owned());
    }
    for release in releases() {
        assert!(
            mapped.remove(&release.id),
            "{} is in no calendar",
            release.id
        );
    }
    assert_eq!(Vec::from_iter(mapped), ["fomc", "fomc-minutes"]);
    assert_eq!(NAMES.len(), text.lines().count() - 1);
}

/// BEA's file in full size: 38 releases with their days of two years, each day twice, moved by up to three business days.
#[test]
fn full_calendar_of_bea_gives_each_estimate_its_quarter() {
    let mut expected = Vec::new();
    let mut gdp = Vec::new();
    for (n, due) in ["gdp", "gdp-2", "gdp-3"].iter().flat_map(|id| {
        release(id)
            .scheduled(date(2026, 1, 1), date(2027, 12, 31))
            .enumerate()
    }) {
        let day = moved(due.day, [0, -2, 3, 1, -3, 2][n % 6]);
        expected.push((due.release.id.clone(), due.period, day));
        gdp.push(day);
    }
    gdp.sort();
    let mut body = "{".to_owned();
    for n in 0..36 {
        write!(
            body,
            r#""Statistic {n} by State": {{"release_dates": ["2026-03-{:02}T13:30:00+00:00"]}},"#,
            n % 28 + 1
        )
        .unwrap();
    }
    let instants = gdp.iter().flat_map(|day| {
        [
            format!("\"{day}T13:30:00+00:00\""),
            format!("\"{day}T13:30:00+00:00\""),
        ]
    });
    let list = instants.collect::<Vec<_>>().join(",");
    write!(body, r#""Gross Domestic Product": {{"release_dates": [{list}], "to_be_rescheduled": []}}, "file_last_updated": "2026-01-02T08:00:42.402013"}}"#).unwrap();
    let announced = read("bea/release_dates", &body);
    for (id, period, day) in &expected {
        assert!(
            days(&announced, id).contains(&(*period, *day)),
            "{id} {period} {day}"
        );
    }
    assert_eq!(expected.len(), 24);
    assert_eq!(announced.count_from(date(2026, 1, 1)), 24, "each day once");
}

/// The Census Bureau's page in full size: 190 rows of 16 indicators.
#[test]
fn full_calendar_of_the_census_gives_periods_even_after_a_shutdown() {
    let mut body = "<html><table><TR><th>Indicator</th></TR>".to_owned();
    let mut rows = 0;
    for indicator in 0..16_i8 {
        let name = match indicator {
            0 => "Advance Monthly Sales for Retail and Food Services",
            1 => "New Residential Construction",
            n => [
                "Wholesale",
                "Durable Goods &amp; Orders",
                "Construction Spending",
            ][usize::try_from(n % 3).unwrap()],
        };
        for month in 1..=12_i8 {
            // Two months late, as after the shutdown of 2025.
            let day = date(2026, month, 14 + indicator % 3);
            let period = shift(day.first_of_month(), (-3).months());
            write!(
                body,
                "<tr height=\"20\"><td><a href=\"/x\">{name}</a></td><td>x</td><td>8:30 AM</td><td>x</td>\n<td class=\"hiden\">A{}0830</td><td class=\"hiden\">A{}</td></tr>",
                day.strftime("%Y%m%d"),
                period.strftime("%Y%m"),
            ).unwrap();
            rows += 1;
        }
    }
    assert_eq!(rows, 192);
    let announced = read("census/listview", &body);
    assert_eq!(days(&announced, "retail").len(), 12);
    assert_eq!(
        days(&announced, "retail")[2],
        (date(2025, 12, 1), date(2026, 3, 14))
    );
    assert_eq!(
        days(&announced, "housing")[0],
        (date(2025, 10, 1), date(2026, 1, 15))
    );
}

/// A page of FRED in full size, with every release of a year and as many unknown ones.
#[test]
fn full_calendar_of_fred_has_every_release() {
    let text = include_str!("../../../../data/calendar/announced.csv");
    let mut rows = Vec::new();
    for (_, row) in table::rows(text) {
        let [id, calendar, name, _, _] = row.unwrap();
        if calendar == "fred/releases" {
            let due = release(id).scheduled(date(2026, 1, 5), date(2026, 12, 20));
            rows.extend(due.map(|due| {
                format!(
                    r#"{{"release_id": 1, "release_name": "{name}", "date": "{}"}}"#,
                    due.day
                )
            }));
            rows.push(format!(
                r#"{{"release_id": 2, "release_name": "Other {name}", "date": "2026-05-05"}}"#
            ));
        }
    }
    assert!(rows.len() > 300, "{}", rows.len());
    let announced = read(
        "fred/releases",
        &format!(r#"{{"release_dates": [{}]}}"#, rows.join(",")),
    );
    for release in releases() {
        let by_rule: Vec<(Date, Date)> = release
            .scheduled(date(2026, 1, 5), date(2026, 12, 20))
            .map(|due| (due.period, due.day))
            .collect();
        assert_eq!(days(&announced, &release.id), by_rule, "{}", release.id);
    }
}

#[test]
fn announced_day_replaces_the_rule_in_both_directions() {
    let body = |day: &str| {
        format!(
            r#"{{"Personal Income and Outlays": {{"release_dates": ["{day}T13:30:00+00:00"]}}}}"#
        )
    };
    let income = release("income");
    let by_rule = income.scheduled_for(date(2026, 10, 1)).unwrap().day;
    let announced = read("bea/release_dates", &body("2026-12-03"));
    let all = AnnouncedDays::join(&[("bea/release_dates".to_owned(), announced)].into());
    let due = all.scheduled(income, by_rule, date(2026, 12, 10));
    let [one] = due.as_slice() else {
        panic!("{due:?}")
    };
    assert_eq!(
        (one.day, one.period, one.at()),
        (date(2026, 12, 3), date(2026, 10, 1), time(8, 30, 0, 0))
    );
    assert_eq!(one.announced.unwrap().read, date(2026, 1, 2));
    assert!(
        all.scheduled(income, by_rule, by_rule).is_empty(),
        "the day by rule is gone"
    );
    let info = Catalogue::embedded().get("PCEPI").unwrap();
    assert_eq!(
        all.next_day(info, date(2026, 9, 1)).unwrap().day,
        date(2026, 12, 3)
    );
    assert_eq!(all.next_day(info, date(2026, 8, 1)), None);
    assert_eq!(
        all.known_on(date(2026, 1, 1))
            .next_day(info, date(2026, 9, 1)),
        None
    );
}

#[test]
fn announcement_keeps_the_day_of_its_first_read_until_it_changes() {
    let row = |day| CalendarRow {
        name: "Gross domestic  PRODUCT".to_owned(),
        day,
        at: None,
        period: None,
    };
    let read = |rows: &[CalendarRow], on, before: &AnnouncedDays| {
        AnnouncedDays::from_rows("bea/release_dates", rows, on, before)
    };
    let first = read(
        &[row(date(2026, 10, 29))],
        date(2026, 9, 1),
        &AnnouncedDays::default(),
    )
    .unwrap();
    let again = read(&[row(date(2026, 10, 29))], date(2026, 9, 2), &first).unwrap();
    assert_eq!(again, first);
    let moved = read(&[row(date(2026, 10, 30))], date(2026, 9, 3), &again).unwrap();
    assert_eq!(moved.of("gdp").next().unwrap().read, date(2026, 9, 3));
    let other = CalendarRow {
        name: "Other".to_owned(),
        ..row(date(2026, 10, 29))
    };
    assert!(read(&[other], date(2026, 9, 1), &first).is_err());
}

#[test]
fn own_calendar_of_an_agency_is_preferred() {
    let day = |day| AnnouncedDay {
        day,
        at: None,
        read: date(2026, 1, 2),
    };
    let of = |d| AnnouncedDays([("gdp".to_owned(), [(date(2026, 7, 1), day(d))].into())].into());
    let calendars = [
        ("bea/release_dates".to_owned(), of(date(2026, 10, 29))),
        ("fred/releases".to_owned(), of(date(2026, 10, 28))),
    ];
    let all = AnnouncedDays::join(&calendars.into());
    assert_eq!(days(&all, "gdp"), [(date(2026, 7, 1), date(2026, 10, 29))]);
}
