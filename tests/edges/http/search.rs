//! Tests of the search form, and of unknown paths: a page for browsers, JSON for programs.

use super::support::{get, get_with, router};
use axum::http::StatusCode;

const BROWSER: [(&str, &str); 1] = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];

#[tokio::test]
async fn every_page_has_a_search_form() {
    let router = router();
    for path in ["/", "/series", "/series/UNRATE", "/glossary", "/search"] {
        let page = get(&router, path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        let form = "role=\"search\" aria-label=\"Site\" method=\"get\" action=\"/search\"";
        assert!(page.text().contains(form), "{path}");
        let policy = page.header("content-security-policy");
        assert!(policy.contains("form-action 'self'"), "{path}: {policy}");
    }
}

#[tokio::test]
async fn a_question_about_recessions_finds_our_probability_first() {
    let router = router();
    let page = get(&router, "/search?q=is+a+recession+coming").await;
    assert_eq!(page.status, StatusCode::OK);
    let (_, answer) = page.text().split_once("class=\"answer\"").unwrap();
    let first = answer.split("href=\"").nth(1).unwrap();
    assert!(first.starts_with("/series/SERVICE_CRPI\""), "{first}");
    assert!(answer.contains("class=\"figure\""), "{answer}");
}

#[tokio::test]
async fn a_series_name_finds_its_latest_figure_first() {
    let page = get(&router(), "/search?q=unemployment+rate").await;
    let (_, answer) = page.text().split_once("class=\"answer\"").unwrap();
    assert!(answer.contains("href=\"/series/UNRATE\""), "{answer}");
    let (_, figure) = answer.split_once("class=\"figure\">").unwrap();
    let (figure, _) = figure.split_once("</p>").unwrap();
    let (value, unit) = figure.split_once(" <small>").unwrap();
    assert!(value.parse::<f64>().is_ok(), "{figure}");
    assert!(unit.starts_with("%, ") && unit.contains(" 202"), "{figure}");
}

#[tokio::test]
async fn not_found_is_html_for_browsers_and_json_for_programs() {
    let router = router();
    for (path, link) in [
        ("/calender", "href=\"/calendar\""),
        ("/data/unemployment", "href=\"/series/UNRATE\""),
        ("/series/unemploiment-nope", "role=\"search\""),
    ] {
        let page = get_with(&router, path, &BROWSER).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{path}");
        assert!(
            page.header("content-type").starts_with("text/html"),
            "{path}"
        );
        assert!(page.text().contains(link), "{path}: {}", page.text());
        let json = [("accept", "application/json")];
        let answer = get_with(&router, path, &json).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(answer.json()["error"].is_string(), "{path}");
    }
    for path in ["/api/nothing", "/mcp/nothing", "/.well-known/nothing"] {
        let answer = get_with(&router, path, &BROWSER).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(answer.header("content-type"), "application/json", "{path}");
    }
}
