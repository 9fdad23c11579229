//! Tests of release cards, scenario dials and alert feeds: they agree with the API.

use super::cite::TestServer;
use super::support::{BASE, get, options, router_with, unlimited_router};
use axum::http::StatusCode;
use econoscope_core::model::{SeriesId, VintageObservation};
use econoscope_data::store::Store;
use jiff::ToSpan;
use jiff::civil::{Date, date};
use std::collections::BTreeSet;

/// Returns the first text between two marks; empty where there is none.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    all_between(text, from, to)
        .first()
        .copied()
        .unwrap_or_default()
}

/// Returns the texts between two marks.
fn all_between<'a>(text: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    let parts = text.split(from).skip(1);
    parts.map(|rest| rest.split(to).next().unwrap()).collect()
}

#[tokio::test]
async fn a_release_card_agrees_with_the_calendar() {
    let router = unlimited_router();
    let calendar = get(&router, "/api/public/calendar?series=PAYEMS&days=120")
        .await
        .json();
    let figures = calendar["figures"].as_array().unwrap();
    let figure = figures.iter().find(|f| f["seriesId"] == "PAYEMS").unwrap();
    let last = &figure["last"];
    let read = |value: f64| value.to_string().replace('-', "−");
    // The calendar counts in thousands.
    let signed = |value: &serde_json::Value| {
        let value = 1_000.0 * value.as_f64().unwrap();
        format!("{} people", econoscope_core::format::signed(value, 0))
    };
    let page = get(&router, "/release/PAYEMS").await;
    assert_eq!(page.status, StatusCode::OK);
    let values = all_between(page.text(), "<dd>", "</dd>");
    // The level leads; print, expectation and surprise follow.
    let cited = get(&router, "/cite/PAYEMS?format=json").await.json();
    assert_eq!(values[0], cited["text"]);
    assert_eq!(values[1], signed(&last["value"]));
    assert_eq!(values[2], signed(&last["expected"]["value"]));
    let surprise = signed(&last["surprise"]).replace(" people", " (");
    assert!(values[3].starts_with(&surprise), "{values:?}");
    let revisions = get(&router, "/api/public/revisions/PAYEMS").await.json();
    let first = all_between(page.text(), "<td class=\"n\">", "</td>");
    for (n, print) in revisions["first_prints"]
        .as_array()
        .unwrap()
        .iter()
        .take(6)
        .enumerate()
    {
        let row = [&print["first"], &print["now"]].map(|v| read(v.as_f64().unwrap()));
        assert_eq!(first[3 * n..3 * n + 2], row, "{print}");
    }
    assert!(page.text().contains("<svg"));
    let widget = get(&router, "/widget/release/PAYEMS").await;
    assert_eq!(widget.status, StatusCode::OK);
    assert!(
        widget
            .header("content-security-policy")
            .contains("frame-ancestors *")
    );
    let value = signed(&last["value"]).replace("people", "<small>people</small>");
    assert!(widget.text().contains(&value) && widget.text().contains("<svg"));
    // A release has a card for each of its figures.
    let whole = get(&router, "/release/employment").await;
    assert!(whole.text().matches("<section>").count() > 1);
    for path in ["/release/nonsense", "/widget/release/DGS10"] {
        assert!(get(&router, path).await.status.is_client_error(), "{path}");
    }
}

#[tokio::test]
async fn a_scenario_shows_its_distance_and_past_crossings() {
    let router = unlimited_router();
    let page = get(&router, "/scenarios/sahm-trigger").await;
    assert_eq!(page.status, StatusCode::OK);
    let now = get(&router, "/api/public/metrics/SAHMREALTIME")
        .await
        .json();
    let value = now["value"].as_f64().unwrap();
    let values = all_between(page.text(), "<dd>", "</dd>");
    assert!(
        values
            .iter()
            .any(|t| *t == format!("{:+.2} points to go", 0.5 - value)),
        "{values:?}"
    );
    assert!(
        page.text()
            .contains("<td><a href=\"/series/SAHMREALTIME?start=")
    );
    for month in ["July 2024", "April 2008", "June 2001"] {
        assert!(page.text().contains(month), "{month}");
    }
    assert!(
        page.text()
            .contains("/alerts.atom?condition=SAHMREALTIME%20%3E%3D%200%2E5")
    );
    let widget = get(&router, "/widget/scenario/sahm-trigger").await;
    assert_eq!(widget.status, StatusCode::OK);
    assert!(widget.text().contains("trigger 0.50 points") && widget.text().contains("<svg"));
    // The board has the nearest first, and says so in words; what is not known comes last.
    let board = get(&router, "/scenarios").await;
    let rows: Vec<&str> = board
        .text()
        .split("<tr><th scope=\"row\">")
        .skip(1)
        .collect();
    let moves = rows
        .iter()
        .map(|row| match between(row, "; about ", " usual") {
            "" if row.contains("<strong>Reached") => 0.0,
            "" if row.contains("less than two usual") => 1.0,
            "" => f64::INFINITY,
            number => number.replace(',', "").parse().unwrap(),
        });
    let moves: Vec<f64> = moves.collect();
    assert!(
        moves.is_sorted() && moves.iter().filter(|m| m.is_finite()).count() > 10,
        "{moves:?}"
    );
    let sahm = rows
        .iter()
        .find(|row| row.contains("/scenarios/sahm-trigger"))
        .unwrap();
    for part in [
        "points to go",
        "class=\"spark\"",
        "July 2024",
        "class=\"bar\"",
        "trigger 0.50",
    ] {
        assert!(sahm.contains(part), "{part}: {sahm}");
    }
    // Restricted series have neither distance nor chart in public.
    let public = router_with(options(), false);
    let page = get(&public, "/scenarios/vix-40").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("is not served here") && !page.text().contains("to go"));
    assert!(
        get(&public, "/widget/scenario/vix-40")
            .await
            .status
            .is_client_error()
    );
}

#[tokio::test]
async fn cards_and_dials_are_images_that_pages_reference() {
    let router = unlimited_router();
    for (page, picture, said) in [
        (
            "/release/PAYEMS",
            "/chart/release/PAYEMS",
            [
                "Printed ",
                "surprise ",
                "Source: Bureau of Labor Statistics",
                "/cite/PAYEMS",
            ],
        ),
        (
            "/scenarios/sahm-trigger",
            "/chart/scenario/sahm-trigger",
            [
                " to go. ",
                "trigger 0.50 points",
                "Source: Federal Reserve",
                "/cite/SAHMREALTIME",
            ],
        ),
    ] {
        let html = get(&router, page).await;
        let image = format!("<meta property=\"og:image\" content=\"{BASE}{picture}.png\">");
        assert!(html.text().contains(&image), "{page}");
        let drawn = get(&router, &format!("{picture}.svg?width=900&height=500")).await;
        assert_eq!(drawn.status, StatusCode::OK, "{picture}: {}", drawn.text());
        for part in said {
            assert!(drawn.text().contains(part), "{part}: {}", drawn.text());
        }
        assert!(drawn.text().contains("viewBox=\"0 0 900 500\""));
        assert!(!drawn.text().contains("var("), "colors are literal");
        let dark = get(&router, &format!("{picture}.svg?theme=dark")).await;
        assert!(dark.text().contains("#101318"));
        let raster = get(&router, &format!("{picture}.png")).await;
        assert_eq!(raster.header("content-type"), "image/png");
        let again = get(&unlimited_router(), &format!("{picture}.png")).await;
        assert_eq!(raster.body, again.body, "the same from another server");
        for wrong in [".gif", ".svg?width=9", ".svg?theme=pink"] {
            let refused = get(&router, &format!("{picture}{wrong}")).await;
            assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{picture}{wrong}");
        }
        let card = get(&router, &format!("/oembed?url={BASE}{page}"))
            .await
            .json();
        assert_eq!(card["thumbnail_url"], format!("{BASE}{picture}.png"));
        let widget = all_between(card["html"].as_str().unwrap(), "src=\"", "\"")[0];
        let widget = get(&router, widget.strip_prefix(BASE).unwrap()).await;
        assert_eq!(widget.status, StatusCode::OK);
    }
    let unknown = get(&router, "/chart/scenario/nonsense.svg").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn every_widget_is_offered_with_its_embed_code() {
    let router = unlimited_router();
    for show in ["", "regime", "recession", "release", "scenario"] {
        let page = get(&router, &format!("/embed?show={show}&theme=dark")).await;
        assert_eq!(page.status, StatusCode::OK);
        let frame = all_between(page.text(), "<iframe src=\"", "\"")[0].replace("&#38;", "&");
        assert!(frame.contains("theme=dark"), "{frame}");
        let widget = get(&router, &frame).await;
        assert_eq!(widget.status, StatusCode::OK, "{frame}: {}", widget.text());
    }
    let chosen = get(&router, "/embed?show=scenario&name=sahm-trigger").await;
    assert!(chosen.text().contains("/widget/scenario/sahm-trigger\""));
    assert!(
        chosen
            .text()
            .contains("<option value=\"sahm-trigger\" selected>")
    );
}

#[tokio::test]
async fn an_article_shows_the_latest_figures_of_its_series() {
    let page = get(&unlimited_router(), "/articles/sahm-rule-record").await;
    assert!(page.text().contains("Where it stands now") && page.text().contains("<svg"));
    assert!(page.text().contains("href=\"/cite/SAHMREALTIME\""));
}

#[tokio::test]
async fn an_alert_feed_has_one_entry_per_crossing() {
    let router = unlimited_router();
    let feed = get(&router, "/alerts.atom?condition=T10Y2Y%20%3C%200").await;
    assert_eq!(feed.status, StatusCode::OK, "{}", feed.text());
    assert_eq!(
        feed.header("content-type"),
        "application/atom+xml; charset=utf-8"
    );
    let text = feed.text();
    let entries = all_between(text, "<entry>", "</entry>");
    let ids: BTreeSet<&str> = entries
        .iter()
        .map(|e| all_between(e, "<id>", "</id>")[0])
        .collect();
    assert!(entries.len() > 20 && ids.len() == entries.len());
    let counted = "/api/public/data/T10Y2Y?start=max&condition=%3C%200&detail=summary";
    let counted = get(&router, counted).await.json();
    let crossing = &counted["condition"]["crossing"];
    let crossed: Date = crossing["date"].as_str().unwrap().parse().unwrap();
    let known: Vec<Date> = all_between(entries[0], "<updated>", "T00:00:00Z</updated>")
        .iter()
        .map(|day| day.parse().unwrap())
        .collect();
    assert!(
        matches!(known[..], [day] if day > crossed && day < crossed + 5.days()),
        "the figure of {crossed} was published a day or a weekend later: {known:?}"
    );
    assert_ne!(
        entries[0].contains("no longer met"),
        crossing["met"].as_bool().unwrap()
    );
    // Spaces do not change a condition.
    let same = get(&router, "/alerts.atom?condition=t10y2y%3C0").await;
    assert_eq!(
        all_between(same.text(), "<id>", "</id>"),
        all_between(text, "<id>", "</id>")
    );
    // Links lead to charts.
    let link = all_between(entries[0], "href=\"", "\"")[0].replace("&#38;", "&");
    assert_eq!(
        get(&router, link.strip_prefix(BASE).unwrap()).await.status,
        StatusCode::OK
    );
    let calendar = get(&router, "/alerts.ics?condition=T10Y2Y%20%3C%200").await;
    assert_eq!(
        calendar.header("content-type"),
        "text/calendar; charset=utf-8"
    );
    assert_eq!(
        calendar.text().matches("BEGIN:VEVENT").count(),
        entries.len()
    );
    for (condition, status) in [
        ("T10Y2Y", StatusCode::BAD_REQUEST),
        ("%3C%200", StatusCode::BAD_REQUEST),
        ("", StatusCode::BAD_REQUEST),
        ("NOPE%20%3C%200", StatusCode::NOT_FOUND),
    ] {
        let refused = get(&router, &format!("/alerts.atom?condition={condition}")).await;
        assert_eq!(refused.status, status, "{condition}");
    }
    let public = router_with(options(), false);
    let chart_status = get(&public, "/chart/VIXCLS.png").await.status;
    let refused = get(&public, "/alerts.atom?condition=VIXCLS%20%3E%2030").await;
    assert_eq!(refused.status, chart_status);
    assert!(!refused.text().contains("<entry>"));
}

#[tokio::test]
async fn alert_entries_are_stable_when_figures_arrive() {
    let server = TestServer::new();
    let id = SeriesId::new("UNRATE").unwrap();
    let values = [4.0, 4.2, 4.6, 4.7, 4.4, 4.5, 4.6, 4.3, 4.2, 4.9];
    let mut before: Vec<String> = Vec::new();
    for (n, value) in values.into_iter().enumerate() {
        let month = i8::try_from(n).unwrap() + 1;
        server.set_time(date(2025, month, 28), 9);
        let row = VintageObservation {
            date: date(2025, month, 1),
            known_from: None,
            value: Some(value),
        };
        server.write(&id, &[row]);
        assert!(server.store.read(&id).unwrap().is_some());
        let feed = get(&server.router, "/alerts.atom?condition=UNRATE%20%3E%204.5").await;
        assert_eq!(feed.status, StatusCode::OK);
        let mut ids: Vec<String> = all_between(feed.text(), "<id>", "</id>")[1..]
            .iter()
            .map(|id| (*id).to_owned())
            .collect();
        ids.reverse();
        let crossings = values[..=n]
            .windows(2)
            .filter(|w| (w[0] > 4.5) != (w[1] > 4.5))
            .count();
        assert_eq!(ids.len(), crossings, "after month {month}");
        assert_eq!(ids[..before.len()], before);
        before = ids;
    }
    assert_eq!(before.len(), 5);
}
