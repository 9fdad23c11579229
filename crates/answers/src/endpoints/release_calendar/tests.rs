use super::*;
use crate::endpoints::metric;
use econoscope_core::model::calendar::{AnnouncedDays, CalendarRow};
use econoscope_desk::Desk;
use econoscope_desk::testing::TestDesk;
use jiff::civil::date;

fn desk() -> Desk {
    TestDesk::bundled().on("2026-11-22").open()
}

fn as_of(day: &str) -> Params {
    Params {
        as_of: Some(day.to_owned()),
        ..Params::default()
    }
}

fn figure_of<'a>(answer: &'a CalendarAnswer, id: &str) -> &'a ScheduledFigure {
    answer.figures.iter().find(|f| f.series_id == id).unwrap()
}

#[test]
fn default_window_is_the_next_two_weeks() -> Result<()> {
    let answer = Params::local(&desk(), &Params::default())?;
    assert_eq!(
        (answer.from, answer.to),
        (date(2026, 11, 22), date(2026, 12, 5))
    );
    let days: Vec<(&str, Date, &str)> = answer
        .events
        .iter()
        .map(|e| (e.release.as_str(), e.date, e.period.as_str()))
        .collect();
    for expected in [
        ("claims", date(2026, 11, 25), "2026-11-21"),
        ("gdp-2", date(2026, 11, 25), "2026-Q3"),
        ("h41", date(2026, 11, 27), "2026-11-25"),
        ("income", date(2026, 11, 27), "2026-10"),
        ("jolts", date(2026, 12, 1), "2026-10"),
        ("employment", date(2026, 12, 4), "2026-11"),
    ] {
        assert!(days.contains(&expected), "{expected:?} in {days:?}");
    }
    assert!(answer.events.is_sorted_by_key(|e| (e.date, e.time.clone())));
    assert!(
        answer
            .events
            .iter()
            .all(|e| e.basis == "expected" && e.held.is_none())
    );
    // The bundle ends with the summer: there is no expectation for November, and it says why.
    let payrolls = figure_of(&answer, "PAYEMS");
    let text = Params::text(&answer, &Params::default());
    assert!(
        payrolls.last.is_some() && payrolls.usual_revision.is_some(),
        "{payrolls:?}"
    );
    assert!(
        text.contains("2026-12-04,08:30,Employment report,2026-11,PAYEMS UNRATE"),
        "{text}"
    );
    assert!(
        text.contains("days follow rules and may move unless announced"),
        "{text}"
    );
    assert!(!text.contains("a mechanical rule"), "{text}");
    let of_series = Params::new(40, Some("UNRATE"), None);
    let text = Params::text(&Params::local(&desk(), &of_series)?, &of_series);
    assert!(text.contains("not better than \"no change\""), "{text}");
    Ok(())
}

#[test]
fn past_day_has_its_expectations_and_last_prints() -> Result<()> {
    let desk = desk();
    // The day before the employment report of October 2008.
    let then = Params::local(&desk, &as_of("2008-11-06"))?;
    let payrolls = figure_of(&then, "PAYEMS");
    let jobless = figure_of(&then, "UNRATE");
    let next = payrolls.next.as_ref().unwrap();
    assert_eq!(
        (next.period.as_str(), next.value, next.sd),
        ("2008-10", -85.0, 115.0)
    );
    let next = jobless.next.as_ref().unwrap();
    assert_eq!((next.period.as_str(), next.value), ("2008-10", 0.145));
    assert!(next.notes.is_empty(), "{next:?}");
    // And the day after: -240 thousand, 155 less than expected.
    let after = Params::local(&desk, &as_of("2008-11-08"))?;
    assert!(after.events.iter().all(|e| e.release != "employment"));
    let all = Params {
        series: Some("employment".into()),
        ..as_of("2008-11-08")
    };
    let after = Params::local(&desk, &all)?;
    let last = figure_of(&after, "PAYEMS").last.as_ref().unwrap();
    assert_eq!(
        (last.period.as_str(), last.date),
        ("2008-10", date(2008, 11, 7))
    );
    assert!(last.recorded);
    assert_eq!(
        (last.value, last.surprise, last.deviations),
        (-240.0, Some(-155.0), Some(-1.4))
    );
    let last = figure_of(&after, "UNRATE").last.as_ref().unwrap();
    assert_eq!((last.value, last.deviations), (0.4, Some(1.7)));
    Ok(())
}

#[test]
fn pce_prices_are_expected_from_the_day_of_the_cpi() -> Result<()> {
    let desk = desk();
    let figure = |day: &str| -> Result<ScheduledFigure> {
        let params = Params {
            series: Some("PCEPI".into()),
            ..as_of(day)
        };
        let answer = Params::local(&desk, &params)?;
        let text = Params::text(&answer, &params);
        let figure = figure_of(&answer, "PCEPI").clone();
        let is_said = text.contains("a regression of the month's change on that of the CPI");
        assert_eq!(is_said, figure.next.is_some(), "{text}");
        Ok(figure)
    };
    // The CPI of August 2012 came on 14 September; PCE prices of the bundle count from the end of the month.
    let early = figure("2012-09-13")?;
    assert_eq!(early.next, None);
    let why = early.missing.unwrap();
    assert!(why.contains("CPI of August 2012"), "{why}");
    let next = figure("2012-09-14")?.next.unwrap();
    assert_eq!((next.period.as_str(), next.value), ("2012-08", 0.45));
    assert_eq!(figure("2012-09-27")?.next.unwrap(), next);
    let later = figure("2012-09-30")?;
    assert_eq!(later.next, None);
    let last = later.last.unwrap();
    assert_eq!(
        (last.period.as_str(), last.date),
        ("2012-08", date(2012, 9, 30))
    );
    assert_eq!((last.value, last.surprise), (0.433, Some(-0.017)));
    assert_eq!(last.expected.unwrap(), next);
    // The record covers later years, and says so.
    let record = later.record.unwrap();
    assert!(record.starts_with("Counted with later years: "), "{record}");
    Ok(())
}

#[test]
fn usual_revision_of_a_past_day_counts_earlier_revisions_only() -> Result<()> {
    let desk = desk();
    let usual = |day: Option<&str>| -> Result<UsualRevision> {
        let params = Params {
            series: Some("PAYEMS".into()),
            as_of: day.map(str::to_owned),
            ..Params::default()
        };
        let answer = Params::local(&desk, &params)?;
        Ok(figure_of(&answer, "PAYEMS").usual_revision.clone().unwrap())
    };
    let then = usual(Some("2009-01-15"))?;
    let now = usual(None)?;
    assert!(then.n > 500 && then.n < now.n, "{} {}", then.n, now.n);
    assert_eq!((now.n, now.months), (723, 12));
    assert!(
        (now.mean_abs - 66.0).abs() < 0.5 && (now.p90_abs - 142.0).abs() < 0.5,
        "{now:?}"
    );
    Ok(())
}

#[test]
fn series_and_agency_select_releases() -> Result<()> {
    let desk = desk();
    let ask = |series: Option<&str>, agency: Option<&str>| {
        let params = Params {
            series: series.map(str::to_owned),
            agency: agency.map(str::to_owned),
            ..Params::default()
        };
        let answer = Params::local(&desk, &params)?;
        let ids = answer.events.iter().map(|e| e.release.clone());
        Ok::<_, Error>(ids.collect::<std::collections::BTreeSet<String>>())
    };
    let assert_ids = |releases: std::collections::BTreeSet<String>, ids: &[&str]| {
        assert_eq!(releases.iter().map(String::as_str).collect::<Vec<_>>(), ids);
    };
    assert_ids(ask(Some("CPIAUCNS"), None)?, &["cpi"]);
    assert_ids(ask(Some("cpi"), None)?, &["cpi"]);
    assert_ids(ask(Some("unemployment rate"), None)?, &["employment"]);
    assert_ids(ask(Some("gdp"), None)?, &["gdp-2", "gdp-3"]);
    assert_ids(ask(Some("jobless claims"), None)?, &["claims"]);
    assert_ids(ask(None, Some("bea"))?, &["gdp-2", "income"]);
    let message = |r: Result<_>| r.unwrap_err().to_string();
    let unknown = message(ask(Some("DGS10"), None));
    assert!(
        unknown.contains("no release") && unknown.contains("get_metric"),
        "{unknown}"
    );
    assert!(message(ask(None, Some("ECB"))).contains("BLS"));
    assert!(message(ask(None, Some(" "))).contains("BLS"));
    Ok(())
}

#[test]
fn window_is_bounded_and_past_events_say_what_is_stored() -> Result<()> {
    let desk = desk();
    let far = Params {
        start: Some("2031-01-01".into()),
        ..Params::default()
    };
    let message = Params::local(&desk, &far).unwrap_err().to_string();
    assert!(
        message.contains("too far away") && message.contains("2026-10-22"),
        "{message}"
    );
    let past = Params {
        start: Some("30d".into()),
        days: Some(30),
        ..Params::default()
    };
    let answer = Params::local(&desk, &past)?;
    assert!(
        answer
            .events
            .iter()
            .filter(|e| e.basis == "expected" && !e.series.is_empty())
            .all(|e| e.held == Some(false))
    );
    // In the shutdown of 2025 no agency kept its days; the note goes by what is known today.
    let shut = Params::local(&desk, &as_of("2025-10-20"))?;
    let disruption = &shut.provenance.notes["disrupted"];
    assert!(
        disruption.contains("2025-10-01 to 2026-02-28"),
        "{disruption}"
    );
    Ok(())
}

#[test]
fn fomc_meetings_are_selected_by_their_names() -> Result<()> {
    let desk = desk();
    for name in ["fomc", "next Fed decision", "fed meeting", "DFEDTARU"] {
        let answer = Params::local(&desk, &Params::new(40, Some(name), None))?;
        let events: Vec<_> = answer
            .events
            .iter()
            .map(|e| (e.name.as_str(), e.date, e.time.as_str(), e.basis.as_str()))
            .collect();
        assert_eq!(
            events,
            [
                (
                    "FOMC decision and projections",
                    date(2026, 12, 9),
                    "14:00",
                    "announced"
                ),
                ("FOMC minutes", date(2026, 12, 30), "14:00", "announced"),
            ],
            "{name}"
        );
    }
    let text = Params::text(
        &Params::local(&desk, &Params::new(40, Some("fomc"), None))?,
        &Params::default(),
    );
    assert!(
        text.contains("2026-12-09,14:00,FOMC decision and projections,2026-12-08/2026-12-09"),
        "{text}"
    );
    // Meetings are the Board's, not the Bureau's.
    for (agency, meets) in [
        ("Fed", true),
        ("FOMC", false),
        ("BLS", false),
        ("Federal Open", true),
    ] {
        let answer = Params::local(&desk, &Params::new(40, None, Some(agency)));
        let has_fomc = answer.is_ok_and(|a| a.events.iter().any(|e| e.release == "fomc"));
        assert_eq!(has_fomc, meets, "{agency}");
    }
    Ok(())
}

#[test]
fn past_meeting_has_its_decision_once_it_was_known() -> Result<()> {
    let desk = desk();
    let params = |as_of: &str, start: &str| Params {
        start: Some(start.to_owned()),
        days: Some(20),
        series: Some("fomc".to_owned()),
        as_of: Some(as_of.to_owned()),
        ..Params::default()
    };
    let decisions = |as_of: &str, start: &str| -> Result<Vec<(Date, Option<String>)>> {
        let events = Params::local(&desk, &params(as_of, start))?.events;
        Ok(events
            .into_iter()
            .filter(|e| e.release == "fomc")
            .map(|e| (e.date, e.outcome))
            .collect())
    };
    let raised = Some("target range raised by 0.75 to 2.25-2.5 percent".to_owned());
    assert_eq!(
        decisions("2022-08-01", "2022-07-20")?,
        [(date(2022, 7, 27), raised)]
    );
    assert_eq!(
        decisions("2022-07-26", "2022-07-20")?,
        [(date(2022, 7, 27), None)]
    );
    // Nobody knew of the cut between the meetings, and the meeting after it was called off.
    let days = |as_of| {
        decisions(as_of, "2020-03-01")
            .map(|e| e.into_iter().map(|(day, _)| day).collect::<Vec<_>>())
    };
    assert_eq!(days("2020-03-02")?, [date(2020, 3, 18)]);
    let cut = date(2020, 3, 3);
    let second = date(2020, 3, 15);
    assert_eq!(days("2020-03-16")?, [cut, second]);
    Ok(())
}

/// A desk on a day whose store has rows of calendars that were read on 1 November 2026.
fn desk_with(day: &str, calendar: &str, rows: &[CalendarRow]) -> Desk {
    let none = AnnouncedDays::default();
    let days = AnnouncedDays::from_rows(calendar, rows, date(2026, 11, 1), &none).unwrap();
    let desk = TestDesk::bundled().on(day).open();
    let calendars = std::collections::BTreeMap::from([(calendar, days)]);
    let note = serde_json::to_string(&calendars).unwrap();
    desk.store()
        .set_note(econoscope_data::ingest::ANNOUNCED, &note)
        .unwrap();
    desk
}

fn row(name: &str, day: Date) -> CalendarRow {
    let at = Some(jiff::civil::time(10, 15, 0, 0));
    CalendarRow {
        name: name.to_owned(),
        day,
        at,
        period: None,
    }
}

#[test]
fn announced_days_beat_rules_and_rules_say_expected() -> Result<()> {
    let moved = row("Consumer Price Index", date(2026, 12, 15));
    let desk = desk_with("2026-11-22", "fred/releases", &[moved]);
    let params = Params {
        days: Some(40),
        ..Params::default()
    };
    let answer = Params::local(&desk, &params)?;
    let cpi: Vec<&ReleaseEvent> = answer
        .events
        .iter()
        .filter(|e| e.release == "cpi")
        .collect();
    let [event] = cpi.as_slice() else {
        panic!("{cpi:?}")
    };
    assert_eq!(
        (event.date, event.time.as_str()),
        (date(2026, 12, 15), "10:15")
    );
    assert_eq!((event.basis.as_str(), event.between), (ANNOUNCED, None));
    assert!(event.rule.contains("2026-11-01"), "{}", event.rule);
    let others = answer
        .events
        .iter()
        .filter(|e| e.release != "cpi" && !e.release.starts_with("fomc"));
    assert!(others.clone().count() > 10 && others.clone().all(|e| e.basis == EXPECTED));
    let text = Params::text(&answer, &params);
    assert!(
        text.contains(
            "2026-12-15,10:15,Consumer prices (CPI),2026-11,CPIAUCSL CPILFESL; announced"
        ),
        "{text}"
    );
    // What was read on 1 November was not known before.
    let before = Params {
        as_of: Some("2026-10-20".into()),
        start: Some("2026-11-21".into()),
        ..params
    };
    let then = Params::local(&desk, &before)?;
    let cpi = then.events.iter().find(|e| e.release == "cpi").unwrap();
    assert_eq!(
        (cpi.date, cpi.basis.as_str()),
        (date(2026, 12, 10), EXPECTED)
    );
    Ok(())
}

#[test]
fn meetings_beyond_the_bundled_schedule_come_from_the_board() -> Result<()> {
    let days = [date(2028, 1, 26), date(2027, 12, 8), date(2026, 12, 29)];
    let mut rows = days.map(|day| row("FOMC Meeting", day)).to_vec();
    rows[2].name = "FOMC Minutes".to_owned();
    let desk = desk_with("2027-11-22", "fed_board/events", &rows);
    let params = Params {
        series: Some("fomc".into()),
        days: Some(90),
        ..Params::default()
    };
    let answer = Params::local(&desk, &params)?;
    let decisions: Vec<Date> = answer
        .events
        .iter()
        .filter(|e| e.release == "fomc")
        .map(|e| e.date)
        .collect();
    assert_eq!(decisions, [date(2027, 12, 8), date(2028, 1, 26)]);
    let desk = desk_with("2026-12-15", "fed_board/events", &rows);
    let answer = Params::local(&desk, &params)?;
    let minutes = answer
        .events
        .iter()
        .find(|e| e.release == "fomc-minutes")
        .unwrap();
    assert_eq!(
        minutes.date,
        date(2026, 12, 29),
        "by rule it is 30 December"
    );
    Ok(())
}

#[test]
fn next_release_and_lateness_follow_the_announced_day() -> Result<()> {
    let ask = |desk: &Desk| -> Result<serde_json::Value> {
        let params: metric::Params = serde_json::from_str(r#"{"ticker": "PAYEMS"}"#).unwrap();
        Ok(serde_json::to_value(metric::Params::local(desk, &params)?).unwrap())
    };
    // The bundle ends with September; the report of October is announced for 13 November.
    let rows = [
        row("Employment Situation", date(2026, 11, 13)),
        row("Employment Situation", date(2026, 12, 8)),
    ];
    let on = |day| desk_with(day, "fred/releases", &rows);
    let before = ask(&on("2026-11-12"))?;
    assert_eq!(
        (&before["nextRelease"], &before["stale"]),
        (&"2026-11-13".into(), &false.into())
    );
    assert!(
        before["notes"]["nextRelease"]
            .as_str()
            .unwrap()
            .contains("announced by the Bureau of Labor Statistics"),
        "{before}"
    );
    let on_the_day = ask(&on("2026-11-13"))?;
    assert_eq!(
        (&on_the_day["nextRelease"], &on_the_day["stale"]),
        (&"2026-11-13".into(), &false.into())
    );
    let after = ask(&on("2026-11-14"))?;
    assert_eq!(
        (&after["nextRelease"], &after["late"]["value"]),
        (&"2026-12-08".into(), &"2026-11-14".into())
    );
    let by_rule = ask(&TestDesk::bundled().on("2026-11-14").open())?;
    assert_eq!(by_rule["stale"], false, "{by_rule}");
    assert!(
        by_rule["notes"]["nextRelease"]
            .as_str()
            .unwrap()
            .contains("expected, not announced")
    );
    // A delay that was announced is no lateness.
    let delayed = [row("Employment Situation", date(2026, 11, 17))];
    let desk = desk_with("2026-11-16", "fred/releases", &delayed);
    assert_eq!(ask(&desk)?["nextRelease"], "2026-11-17");
    Ok(())
}

#[test]
fn next_release_of_every_series_is_never_past() -> Result<()> {
    use econoscope_core::catalogue::Catalogue;
    let rows = [
        row("Consumer Price Index", date(2026, 11, 12)),
        row("Employment Situation", date(2026, 10, 30)),
        row(
            "Unemployment Insurance Weekly Claims Report",
            date(2026, 11, 19),
        ),
    ];
    let desk = desk_with("2026-11-28", "fred/releases", &rows);
    let mut count = 0;
    for info in Catalogue::embedded().iter() {
        let params: metric::Params =
            serde_json::from_value(serde_json::json!({"ticker": info.id.as_str()})).unwrap();
        let Ok(answer) = metric::Params::local(&desk, &params) else {
            continue;
        };
        let value = serde_json::to_value(answer).unwrap();
        if let Some(day) = value["nextRelease"].as_str() {
            assert!(
                day.parse::<Date>().unwrap() >= desk.today(),
                "{}: {day}",
                info.id
            );
            count += 1;
        }
    }
    assert!(count > 150, "{count}");
    Ok(())
}
