//! Tests of the release calendar as a page and as an iCalendar feed.

use super::support::{BASE, get, router};
use axum::http::StatusCode;
use std::collections::BTreeSet;

/// Unfolds lines as RFC 5545, 3.1 has it.
fn unfold(text: &str) -> Vec<String> {
    let whole = text.replace("\r\n ", "");
    whole.split("\r\n").map(str::to_owned).collect()
}

fn values<'a>(lines: &'a [String], name: &str) -> Vec<&'a str> {
    let named = lines.iter().filter_map(|line| line.strip_prefix(name));
    named.filter_map(|rest| rest.strip_prefix(':')).collect()
}

#[tokio::test]
async fn calendar_programs_can_subscribe_to_the_calendar() {
    let router = router();
    let reply = get(&router, "/calendar.ics").await;
    assert_eq!(reply.status, StatusCode::OK);
    assert_eq!(reply.header("content-type"), "text/calendar; charset=utf-8");
    let text = reply.text();
    assert!(text.starts_with("BEGIN:VCALENDAR\r\n") && text.ends_with("END:VCALENDAR\r\n"));
    assert!(
        !text.replace("\r\n", "").contains(['\r', '\n']),
        "every line ends with CR LF"
    );
    assert!(
        text.split("\r\n").all(|line| line.len() <= 75),
        "lines are folded"
    );
    let lines = unfold(text);
    assert_eq!(values(&lines, "VERSION"), ["2.0"]);
    assert_eq!(values(&lines, "PRODID").len(), 1);
    assert_eq!(values(&lines, "REFRESH-INTERVAL;VALUE=DURATION"), ["PT6H"]);
    let uids = values(&lines, "UID");
    let events = lines.iter().filter(|line| *line == "BEGIN:VEVENT").count();
    assert!(events > 60, "{events}");
    assert_eq!(
        uids.iter().collect::<BTreeSet<_>>().len(),
        events,
        "each entry has one of its own"
    );
    for name in [
        "DTSTAMP",
        "DTSTART",
        "DURATION",
        "SUMMARY",
        "DESCRIPTION",
        "URL",
    ] {
        assert_eq!(values(&lines, name).len(), events, "{name}");
    }
    // Days by rule are tentative; those of the FOMC are announced.
    let status = values(&lines, "STATUS").into_iter().zip(&uids);
    for (status, uid) in status {
        let expected = if uid.starts_with("fomc") {
            "CONFIRMED"
        } else {
            "TENTATIVE"
        };
        assert_eq!(status, expected, "{uid}");
    }
    assert!(uids.iter().any(|uid| uid.starts_with("fomc-")), "{uids:?}");
    assert!(
        values(&lines, "URL")
            .iter()
            .all(|url| *url == format!("{BASE}/calendar"))
    );
    let is_instant = |value: &&str| value.len() == 16 && value.ends_with('Z');
    assert!(values(&lines, "DTSTART").iter().all(is_instant));
    // The feed has the same bytes all day, so that programs need not load it again.
    assert_eq!(get(&router, "/calendar.ics").await.text(), text);
}

#[tokio::test]
async fn part_of_the_calendar_can_be_subscribed_to() {
    let router = router();
    let whole = unfold(get(&router, "/calendar.ics").await.text());
    let part = unfold(get(&router, "/calendar.ics?series=employment").await.text());
    let whole = values(&whole, "UID");
    let part = values(&part, "UID");
    assert!((3..=4).contains(&part.len()), "{part:?}");
    assert!(
        part.iter()
            .all(|uid| uid.starts_with("employment-") && whole.contains(uid))
    );
    let refused = get(&router, "/calendar.ics?agency=ECB").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.text().contains("BLS"), "{}", refused.text());
}

#[tokio::test]
async fn the_calendar_page_marks_expected_days_and_links_series() {
    let router = router();
    let page = get(&router, "/calendar").await;
    assert_eq!(page.status, StatusCode::OK);
    let text = page.text();
    for part in [
        "expected from its usual pattern",
        ", expected</span>",
        "Employment report",
        "href=\"/series/PAYEMS\"",
        "/calendar.ics",
        "not better than",
        "FOMC",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("<script>"), "it needs none of its own");
    let one = get(&router, "/calendar?agency=BEA").await;
    assert!(one.text().contains("GDP") && !one.text().contains("Employment report"));
}
