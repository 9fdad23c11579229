//! Tests of what pages say besides a view: releases, comparisons, parts of gauges, pictures, citations, alerts, searches.

use super::support::{get, get_with, router, unlimited_router};
use axum::http::StatusCode;
use serde_json::Value;

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text.split_once(from).map_or("", |(_, rest)| rest);
    rest.split_once(to).map_or("", |(inner, _)| inner)
}

fn plain(html: &str) -> String {
    let parts = html
        .split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    parts.collect()
}

#[tokio::test]
async fn every_release_shows_its_level_and_a_chart_to_the_newest_figure() {
    let router = unlimited_router();
    for id in ["UNRATE", "PAYEMS", "CPIAUCSL", "GDPC1", "RSAFS", "ICSA"] {
        let page = get(&router, &format!("/release/{id}")).await;
        assert_eq!(page.status, StatusCode::OK, "{id}: {}", page.text());
        let html = page.text();
        let level = between(
            between(html, "<dl class=\"facts head\">", "</dl>"),
            "<dd>",
            "</dd>",
        );
        let cited = get(&router, &format!("/cite/{id}?format=json"))
            .await
            .json();
        assert_eq!(level, cited["text"], "{id}");
        let period = cited["period"].as_str().unwrap();
        let label = between(html, "<div class=\"plot wide\">", "font-family");
        assert!(
            label.contains(&format!("to {period}")),
            "{id}: {label} ends before {period}"
        );
        assert!(!html.contains(", log"), "{id}: a unit that nobody reads");
    }
}

#[tokio::test]
async fn a_comparison_is_a_csv_of_every_row_and_names_every_publisher() {
    let router = unlimited_router();
    let csv = get(&router, "/compare.csv?series=DGS10,DGS2&range=max").await;
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    let rows: Vec<&str> = csv.text().lines().collect();
    assert_eq!(rows[0], "observation_date,DGS10,DGS2");
    assert!(rows.len() > 15_000, "{} rows", rows.len());
    let newest = get(&router, "/cite/DGS10?format=json").await.json();
    let last = rows.last().unwrap().split(',').nth(1).unwrap();
    assert_eq!(last.parse::<f64>().ok(), newest["value"].as_f64());
    let refused = get(&router, "/compare.csv?series=NO_SUCH_THING").await;
    assert!(refused.status.is_client_error() && refused.json()["error"].is_string());
    let page = get(
        &router,
        "/compare?series=SP500,PAYEMS,T10Y3M,HOUST&range=max",
    )
    .await;
    let html = page.text();
    let gap = html.find("No data for SP500").unwrap();
    assert!(
        gap < html.find("<figure").unwrap(),
        "the reason follows the chart"
    );
    for publisher in [
        "Bureau of Labor Statistics",
        "Census Bureau",
        "Federal Reserve Bank of St. Louis",
    ] {
        let cited = between(html, "dated by the NBER. Source: ", "<");
        assert!(cited.contains(publisher), "{cited} without {publisher}");
    }
    assert!(!html.contains("1 January 1700"));
    let picture = get(&router, "/chart/compare.svg?series=T10Y3M,DGS10").await;
    let source = between(picture.text(), "Source: ", "<");
    assert!(
        source.contains("St. Louis") && source.contains("Treasury"),
        "{source}"
    );
}

#[tokio::test]
async fn the_parts_of_a_gauge_add_up_to_its_value() {
    let router = unlimited_router();
    let html = get(&router, "/regime").await;
    for id in ["CRPI", "CMSI"] {
        let explained = get(&router, &format!("/api/public/explain/{id}"))
            .await
            .json();
        let section = between(
            html.text(),
            &format!("<h3 id=\"SERVICE_{id}\">"),
            "</section>",
        );
        let rows = section.split("<tr>").skip(1);
        let points = rows.filter_map(|row| {
            let cell = between(row, "<td class=\"n\">", "</td>");
            cell.replace('−', "-")
                .trim_start_matches('+')
                .parse::<f64>()
                .ok()
        });
        let sum: f64 = points.sum();
        let value = explained["scores"][0]["value"].as_f64().unwrap();
        assert!((sum - value).abs() < 0.05, "{id}: {sum} for {value}");
        let page = get(&router, &format!("/series/SERVICE_{id}")).await;
        assert!(
            page.text().contains(&format!("href=\"/why/{id}\">Why ")),
            "{id}"
        );
    }
}

#[tokio::test]
async fn pictures_come_in_every_size_with_source_and_address() {
    let router = unlimited_router();
    for (width, height) in [
        (300, 120),
        (320, 180),
        (640, 640),
        (1_200, 630),
        (1_080, 1_080),
    ] {
        for id in ["UNRATE", "GDPC1", "DGS10"] {
            let path = format!("/chart/{id}.svg?width={width}&height={height}");
            let picture = get(&router, &path).await;
            assert_eq!(picture.status, StatusCode::OK, "{path}");
            let svg = picture.text();
            assert!(svg.contains(&format!("/cite/{id}")), "{path}: no address");
            assert!(
                svg.contains("Bureau of ") || svg.contains("Treasury"),
                "{path}: no source"
            );
            let size: f64 = between(svg, "font-size=\"", "\"").parse().unwrap();
            let expected = f64::from(width * height).sqrt() / 45.0;
            assert!(
                size >= 9.0 && (size - expected).abs() < expected.max(9.0),
                "{path}: {size}"
            );
            assert!(
                !svg.contains("var("),
                "{path}: a colour that only browsers know"
            );
        }
    }
    let empty = get(&router, "/chart/SP500.png").await;
    assert_eq!(empty.status, StatusCode::NOT_FOUND);
    let range = get(&router, "/chart/UNRATE.svg?start=1900-01-01&end=1901-01-01").await;
    assert_eq!(range.status, StatusCode::OK, "a range without figures");
}

#[tokio::test]
async fn a_citation_is_also_bibtex_and_ris() {
    let router = unlimited_router();
    for query in [
        "",
        "?as_of=2008-10-31",
        "?start=2001-01-01&end=2003-12-31&units=pc1",
    ] {
        let join = if query.is_empty() { '?' } else { '&' };
        let cite = async |format: &str| {
            get(&router, &format!("/cite/GDPC1{query}{join}format={format}")).await
        };
        let url = cite("json").await.json()["url"]
            .as_str()
            .unwrap()
            .to_owned();
        let bibtex = cite("bibtex").await;
        let text = bibtex.text();
        assert!(
            text.starts_with("@misc{GDPC1-") && text.contains(&url),
            "{text}"
        );
        assert_eq!(
            text.matches('{').count(),
            text.matches('}').count(),
            "{text}"
        );
        assert!(
            !text
                .replace("\\%", "")
                .split("url =")
                .next()
                .unwrap()
                .contains('%'),
            "{text}"
        );
        let ris = cite("ris").await;
        assert!(ris.text().starts_with("TY  - DATA\r\n") && ris.text().ends_with("ER  - \r\n"));
        assert!(ris.text().contains(&format!("UR  - {url}\r\n")));
    }
}

#[tokio::test]
async fn a_series_page_describes_its_dataset_and_is_markdown_on_request() {
    let router = unlimited_router();
    for id in ["UNRATE", "GDPC1", "SERVICE_CRPI"] {
        let page = get(&router, &format!("/series/{id}")).await;
        let dataset = between(
            page.text(),
            "<script type=\"application/ld+json\">",
            "</script>",
        );
        let dataset: Value = serde_json::from_str(dataset).unwrap();
        assert_eq!(
            (&dataset["@type"], &dataset["identifier"]),
            (&"Dataset".into(), &id.into())
        );
        assert!(dataset["description"].as_str().unwrap().len() >= 50);
    }
    for path in [
        "/series/UNRATE",
        "/glossary/yield-curve",
        "/scenarios/sahm-trigger",
        "/articles/regime",
    ] {
        let markdown = get_with(&router, path, &[("accept", "text/markdown")]).await;
        assert_eq!(
            markdown.header("content-type"),
            "text/markdown; charset=utf-8",
            "{path}"
        );
        assert!(
            markdown.text().starts_with("# ") && markdown.text().len() > 100,
            "{path}"
        );
        let page = get_with(&router, path, &[("accept", "text/html, text/markdown")]).await;
        assert!(
            page.header("content-type").starts_with("text/html"),
            "{path}"
        );
        assert!(page.header("vary").contains("accept"), "{path}");
    }
}

#[tokio::test]
async fn alerts_have_a_page_that_series_lead_to() {
    let router = unlimited_router();
    let page = get(&router, "/series/T10Y2Y").await;
    let link = between(page.text(), "href=\"/alerts?", "\"");
    let alerts = get(&router, &format!("/alerts?{link}")).await;
    assert_eq!(alerts.status, StatusCode::OK, "{link}");
    assert!(plain(alerts.text()).contains("rossed"), "{link}");
    for (condition, status) in [
        ("UNRATE > 4.5", 200),
        ("", 200),
        ("nonsense >> 1", 400),
        ("UNRATE >", 400),
    ] {
        let query: String = url::form_urlencoded::byte_serialize(condition.as_bytes()).collect();
        let reply = get(&router, &format!("/alerts?condition={query}")).await;
        assert_eq!(reply.status.as_u16(), status, "{condition}");
        let feeds = reply.text().contains("/alerts.atom?condition=");
        assert_eq!(feeds, status == 200 && !condition.is_empty(), "{condition}");
    }
    let release = get(&router, "/release/PAYEMS").await;
    let calendar = between(release.text(), "href=\"/calendar.ics?", "\"");
    let events = get(&router, &format!("/calendar.ics?{calendar}")).await;
    let count = events.text().matches("BEGIN:VEVENT").count();
    let all = get(&router, "/calendar.ics").await;
    assert!(
        count > 0 && count < all.text().matches("BEGIN:VEVENT").count() / 4,
        "{count} events"
    );
}

#[tokio::test]
async fn a_search_finds_pages_and_leads_with_figures() {
    let router = router();
    for (query, href) in [
        ("mcp", "/#connect"),
        ("connect claude", "/#connect"),
        ("how do i connect cursor", "/#connect"),
        ("download csv", "/#api"),
        ("alerts", "/alerts"),
        ("embed", "/embed"),
        ("licence", "/rights"),
    ] {
        let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let page = get(&router, &format!("/search?q={query}")).await;
        let pages = between(page.text(), "aria-label=\"Pages of this site\">", "</ul>");
        assert!(
            pages.contains(&format!("href=\"{href}\"")),
            "{query}: {pages}"
        );
    }
    for query in ["rent", "S%26P+500", "house+prices", "SP500", "vix", "gold"] {
        let page = get(&router, &format!("/search?q={query}")).await;
        let html = page.text();
        if html.contains("<div class=\"answer\">") {
            let lead = between(html, "<div class=\"answer\">", "</div>");
            assert!(
                lead.contains("class=\"figure\""),
                "{query} leads without a figure: {lead}"
            );
        }
        let found = html.rsplit("<ul class=\"list found\">").next().unwrap();
        let marks: Vec<bool> = found
            .split("<li>")
            .skip(1)
            .map(|hit| hit.contains("no figures here"))
            .collect();
        assert!(marks.is_sorted(), "{query}: {marks:?}");
    }
}

#[tokio::test]
async fn the_start_page_leads_with_the_economy_and_the_assistant() {
    let router = router();
    let home = get(&router, "/").await;
    let html = home.text();
    let first = between(html, "<div class=\"first\">", "<dl class=\"heads\">");
    let sentence = between(first, "<p class=\"lede\">", "</p>");
    let rate = get(&router, "/cite/UNRATE?format=json").await.json();
    assert!(
        sentence.starts_with(&format!("Unemployment {}", rate["text"].as_str().unwrap())),
        "{sentence}"
    );
    assert!(
        sentence.matches('%').count() >= 4 && sentence.len() < 220,
        "{sentence}"
    );
    assert!(
        first.contains("claude mcp add --transport http econoscope"),
        "{first}"
    );
    // A monthly average of a later month stands beside a daily figure.
    let metric = get(&router, "/api/public/metrics/DGS10").await.json();
    let mean = &metric["newerMean"];
    assert_eq!(mean.is_null(), !html.contains("on average in"), "{mean}");
}

#[tokio::test]
async fn a_release_shows_twelve_surprises_that_are_print_less_expectation() {
    let router = unlimited_router();
    for (name, figures) in [("employment", 2), ("cpi", 2), ("claims", 1)] {
        let page = get(&router, &format!("/release/{name}")).await;
        let html = page.text();
        let columns = ["class=\"held\"", "class=\"pale\""].map(|class| html.matches(class).count());
        assert_eq!(columns.iter().sum::<usize>(), 12 * figures, "{name}");
        assert_eq!(html.matches("class=\"band\"").count(), figures, "{name}");
        let mut rows = 0;
        for table in html.split("aria-label=\"Surprises of ").skip(1) {
            for row in table
                .split("</table>")
                .next()
                .unwrap()
                .split("<tr>")
                .skip(2)
            {
                let cells = row.split("class=\"n\">").skip(1);
                let number = |cell: &str| number_in(cell.split([' ', '<']).next().unwrap());
                let values: Vec<f64> = cells.map(number).collect();
                let [print, expected, surprise] = values[..] else {
                    panic!("{row}");
                };
                // Each is rounded by itself.
                let tolerance = if print.abs() > 1_000.0 {
                    1_100.0
                } else {
                    0.0151
                };
                assert!((print - expected - surprise).abs() < tolerance, "{row}");
                rows += 1;
            }
        }
        assert_eq!(rows, 12 * figures, "{name}");
        assert!(html.contains(&format!("download=\"{name}.ics\"")), "{name}");
    }
}

/// Returns the number that a cell of a table begins with.
fn number_in(cell: &str) -> f64 {
    let digits = cell.chars().filter(|c| c.is_ascii_digit() || *c == '.');
    let size: f64 = digits.collect::<String>().parse().unwrap();
    if cell.contains('−') { -size } else { size }
}

#[tokio::test]
async fn bars_of_a_waterfall_add_up_on_every_page_and_lead_to_series() {
    let router = unlimited_router();
    let mut seen = 0;
    for query in [
        "CRPI",
        "CRPI?as_of=2008-10-31&since=1y",
        "RNOW",
        "CNLI",
        "CMSI",
        "SAHM",
        "regime",
        "CPIAUCSL",
        "CPIAUCSL?date=2022-06&since=3m",
        "CPILFESL?date=2021-05&since=1m",
        "PCEPI",
        "PAYEMS?date=2020-04",
        "PAYEMS?date=2022-06&since=1y",
        "UNRATE",
        "A191RL1Q225SBEA",
    ] {
        let page = get(&router, &format!("/why/{query}")).await;
        assert_eq!(page.status, StatusCode::OK, "{query}");
        let table = between(page.text(), "<table class=\"parts\">", "</table>");
        let mut sum = 0.0;
        for row in table.split("<tr").skip(2) {
            let cell = between(row, "<td class=\"n\">", "</td>");
            let name = between(row, "scope=\"row\">", "</th>");
            if row.starts_with(" class=\"total\"") && name != "Base" {
                // At the two decimals, or persons, that are shown.
                assert!(
                    (sum - number_in(cell)).abs() < 1e-6,
                    "{query}: {sum}, {cell}"
                );
                (sum, seen) = (0.0, seen + 1);
                continue;
            }
            sum += number_in(cell);
            let links = page.text().matches("<a href=\"/series/").count();
            assert!(links > 2, "{query}");
        }
        let id = query.split('?').next().unwrap();
        let path = format!("{id}.svg{}", query.strip_prefix(id).unwrap());
        let picture = get(&router, &format!("/chart/why/{path}")).await;
        assert_eq!(picture.status, StatusCode::OK, "{path}");
        assert!(
            picture.text().contains(&format!("/why/{id}")),
            "{path}: no address"
        );
        assert!(picture.text().contains("Source: "), "{path}: no source");
        assert!(
            !picture.text().contains("var("),
            "{path}: colours of a page"
        );
    }
    assert_eq!(seen, 16);
    for (path, status) in [
        ("/why/CPIAUCSL?date=1950-01", StatusCode::NOT_FOUND),
        ("/why/CPIAUCSL?date=soon", StatusCode::BAD_REQUEST),
        ("/why/UNRATE?as_of=2020-05-10", StatusCode::BAD_REQUEST),
        ("/why/DGS10", StatusCode::BAD_REQUEST),
        ("/why/nothing-like-it", StatusCode::NOT_FOUND),
        ("/chart/why/NVI.png", StatusCode::NOT_FOUND),
    ] {
        assert_eq!(get(&router, path).await.status, status, "{path}");
    }
    let refused = get(&router, "/why/CPIAUCSL?date=1950-01").await;
    assert!(
        refused.text().contains("weights are held for changes from"),
        "no reason"
    );
}
