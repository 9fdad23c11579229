use super::*;
use crate::model::calendar::AnnouncedDays;
use crate::recipe::Recipes;
use jiff::civil::{date, time};

fn calendar(name: &str) -> &'static CalendarRecipe {
    let mut calendars = Recipes::embedded().calendars();
    let is_it =
        |(source, c): &(&SourceFacts, &CalendarRecipe)| format!("{}/{}", source.id, c.id) == name;
    calendars.find(is_it).unwrap_or_else(|| panic!("{name}")).1
}
use crate::recipe::SourceFacts;

#[test]
fn every_calendar_reads_its_samples() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sources/samples");
    let mut count = 0;
    for (source, calendar) in Recipes::embedded().calendars() {
        let name = format!("{}/{}", source.id, calendar.id);
        assert!(!calendar.samples.is_empty(), "{name} has no sample");
        for sample in &calendar.samples {
            let text = sample["body"].as_str().unwrap();
            let is_file = !text.contains(['{', '<']);
            let body = if is_file {
                std::fs::read(folder.join(text)).unwrap()
            } else {
                text.as_bytes().to_vec()
            };
            let rows = calendar
                .read(&body)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(
                rows.len().to_string(),
                sample["rows"].to_string(),
                "{name}: {rows:?}"
            );
            assert!(sample["origin"].is_str());
            let Some(expected) = sample.get("expect").and_then(|e| e.as_str()) else {
                continue;
            };
            let read = date(2026, 9, 28);
            let days =
                AnnouncedDays::from_rows(&name, &rows, read, &AnnouncedDays::default()).unwrap();
            let (release, day) = expected.split_once(' ').unwrap();
            let mut found = days.of(release).map(|announced| announced.day.to_string());
            assert!(found.any(|found| found == day), "{name}: {days:?}");
            count += 1;
        }
    }
    assert!(count >= 6, "{count}");
}

#[test]
fn times_are_those_of_new_york() {
    let row = |name: &str, body: &str| calendar(name).read(body.as_bytes()).unwrap().remove(0);
    let bea = |instant: &str| {
        row(
            "bea/release_dates",
            &format!(r#"{{"Gross Domestic Product": {{"release_dates": ["{instant}"]}}}}"#),
        )
    };
    assert_eq!(bea("2026-10-29T12:30:00+00:00").at, Some(time(8, 30, 0, 0)));
    assert_eq!(bea("2026-11-25T13:30:00+00:00").at, Some(time(8, 30, 0, 0)));
    let late = bea("2026-11-26T02:00:00+00:00");
    assert_eq!(
        (late.day, late.at),
        (date(2026, 11, 25), Some(time(21, 0, 0, 0)))
    );
    let treasury = row(
        "treasury/release_days",
        r#"[{"datasetId":"x","date":"2027-01-05","time":"00:00"}]"#,
    );
    assert_eq!(
        (treasury.day, treasury.at),
        (date(2027, 1, 4), Some(time(19, 0, 0, 0)))
    );
    let census = include_str!("../../../data/sources/samples/census/calendar_listview.html");
    let retail = row("census/listview", census);
    assert_eq!(
        (retail.day, retail.at),
        (date(2026, 1, 14), Some(time(8, 30, 0, 0)))
    );
    assert_eq!(retail.period, Some(date(2025, 11, 1)));
    assert_eq!(row("census/listview", &census.to_uppercase()), retail);
    let board = |days: &str, at: &str| {
        let body = format!(
            r#"{{"events":[{{"title":"FOMC Meeting","month":"2026-10","days":"{days}","time":"{at}"}}]}}"#
        );
        calendar("fed_board/events").read(body.as_bytes()).unwrap()
    };
    assert_eq!(board("27-28", "2:00 p.m.")[0].day, date(2026, 10, 28));
    assert_eq!(board("28", "2:00 p.m.")[0].at, Some(time(14, 0, 0, 0)));
    assert_eq!(board("28", "")[0].at, None);
    assert_eq!(board("1, 8, 15", "").len(), 3);
}

#[test]
fn unusable_calendars_are_refused_and_none_takes_long() {
    let start = std::time::Instant::now();
    let large = |part: &str| part.repeat((4 << 20) / part.len());
    for (name, body) in [
        ("bea/release_dates", "<html>maintenance</html>".to_owned()),
        ("bea/release_dates", "{}".to_owned()),
        (
            "bea/release_dates",
            r#"{"GDP": {"release_dates": ["soon", "later"]}}"#.to_owned(),
        ),
        ("bea/release_dates", "[".repeat(1 << 20)),
        (
            "census/listview",
            "<html><body>Service Unavailable</body></html>".to_owned(),
        ),
        ("census/listview", large("<tr>")),
        ("census/listview", large("<tr><td")),
        ("census/listview", large("<td><tr>")),
        ("census/listview", large("&amp;")),
        ("fed_board/g17_dates", large("<")),
        ("fed_board/g17_dates", large("> 99-May-2026 ")),
        ("fed_board/events", r#"{"events": {"a": 1}}"#.to_owned()),
        ("fred/releases", r#"{"error_code": 400}"#.to_owned()),
        ("treasury/release_days", large("[") + "x"),
    ] {
        let read = calendar(name).read(body.as_bytes());
        assert!(read.is_err(), "{name}: {:?}", read.map(|rows| rows.len()));
    }
    assert!(
        calendar("fed_board/g17_dates")
            .read(large("<b>1-May-2026 ").as_bytes())
            .unwrap()
            .len()
            <= MAX_ROWS
    );
    assert!(
        calendar("fed_board/events")
            .read(&vec![b' '; MAX_CALENDAR_BYTES + 1])
            .unwrap_err()
            .contains("4 MiB")
    );
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}
