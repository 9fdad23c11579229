//! Tests that pages agree with the API, for every range, unit, frequency and day.

use super::support::{
    BASE, Reply, get, options, request, router, router_with, send, unlimited_router, with_peer,
};
use axum::http::StatusCode;
use serde_json::{Value, json};

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text
        .split_once(from)
        .and_then(|(_, rest)| rest.split_once(to));
    rest.map_or("", |(inner, _)| inner)
}

fn json(reply: &Reply) -> Value {
    serde_json::from_slice(&reply.body).unwrap()
}

/// Escapes an address as in a page.
fn address(text: &str) -> String {
    text.replace("&#38;", "&").replace("&amp;", "&")
}

#[tokio::test]
async fn home_and_regime_pages_support_as_of() {
    let router = router();
    let api = get(&router, "/api/public/regime?as_of=2020-04-30").await;
    let regime = json(&api)["regime"].as_str().unwrap().to_lowercase();
    for page in ["/", "/regime"] {
        let reply = get(&router, &format!("{page}?as_of=2020-04-30")).await;
        assert_eq!(reply.status, StatusCode::OK, "{page}");
        let html = reply.text();
        assert!(html.contains("As known on 30 April 2020"), "{page}");
        let label = between(html, "<p class=\"label\">", "</p>");
        assert_eq!(label.to_lowercase(), regime, "{page}");
        let invalid = get(&router, &format!("{page}?as_of=yesteryear")).await;
        assert_eq!(invalid.status, StatusCode::BAD_REQUEST, "{page}");
    }
    let home = get(&router, "/?as_of=2020-04-30").await;
    let sources = address(between(home.text(), "data-figures=\"", "\""));
    assert!(
        sources
            .split(' ')
            .all(|source| source.contains("as_of=2020-04-30"))
    );
    let rate = get(
        &router,
        "/api/public/data/UNRATE?start=2020-03-01&as_of=2020-04-30",
    )
    .await;
    let newest = json(&rate)["data"].as_array().unwrap().last().unwrap()["value"].clone();
    let heads = between(home.text(), "<dl class=\"heads\">", "</dl>");
    assert!(
        heads.contains(&format!("{newest} %</dd>")),
        "{newest}: {heads}"
    );
}

#[tokio::test]
async fn a_series_page_agrees_with_the_api() {
    let router = router();
    for (query, unit) in [
        ("", "Percent"),
        (
            "?start=max&units=ch1",
            "Percentage points, change from a year earlier",
        ),
        ("?start=30y&frequency=q", "Percent"),
        (
            "?start=2001-01-01&end=2009-12-31&as_of=2010-06-01",
            "Percent",
        ),
        ("?units=index&start=5y", "index, start = 100"),
    ] {
        let page = get(&router, &format!("/series/UNRATE{query}")).await;
        assert_eq!(page.status, StatusCode::OK, "{query}");
        // Lines of the past day come first, then those of today.
        let sources = address(between(page.text(), "data-figures=\"", "\""));
        let source = sources.split(' ').next().unwrap();
        let answer = get(&router, source).await;
        assert_eq!(answer.status, StatusCode::OK, "{source}");
        let answer = json(&answer);
        let newest = match answer["columns"][0]["values"].as_array() {
            Some(values) => values.last().cloned(),
            None => answer["data"]
                .as_array()
                .unwrap()
                .last()
                .map(|row| row["value"].clone()),
        };
        let value = newest.unwrap().as_f64().unwrap();
        let table = between(
            page.text(),
            "aria-label=\"Latest observations\"",
            "</table>",
        );
        let displayed: f64 = between(table, "<td class=\"n\">", "<")
            .replace('−', "-")
            .parse()
            .unwrap();
        assert!(
            (displayed - value).abs() < 0.051,
            "{query}: {displayed} for {value}"
        );
        assert!(page.text().contains(unit), "{query}: not in {unit}");
    }
    for invalid in [
        "?start=3x",
        "?units=nonsense",
        "?frequency=d",
        "?as_of=2999-01-01",
    ] {
        let reply = get(&router, &format!("/series/UNRATE{invalid}")).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{invalid}");
    }
}

#[tokio::test]
async fn a_vintage_is_drawn_behind_the_current_series() {
    let router = router();
    let view = "start=2007-01-01&end=2009-06-30";
    let figures = async |query: &str| {
        let answer = json(&get(&router, &format!("/api/public/data/PAYEMS?{view}{query}")).await);
        let rows = answer["data"].as_array().unwrap().clone();
        let row = |r: &Value| (r["date"].to_string(), r["value"].as_f64().unwrap());
        rows.iter()
            .map(row)
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let then = figures("&as_of=2009-01-15").await;
    let now = figures("").await;
    let revised = then
        .iter()
        .filter(|(day, value)| now[*day] != **value)
        .count();
    assert!(
        then.len() > 20 && revised > 20,
        "{revised} of {}",
        then.len()
    );
    let page = get(&router, &format!("/series/PAYEMS?{view}&as_of=2009-01-15")).await;
    assert_eq!(page.status, StatusCode::OK);
    let paragraph = between(page.text(), "<p class=\"past\">", "</p>");
    let counted = format!(
        "{revised} of the {} figures in view have been revised",
        then.len()
    );
    let newer = format!(
        "{} newer figures have been published",
        now.len() - then.len()
    );
    assert!(
        paragraph.starts_with("On 15 January 2009 the newest figure was that of December 2008"),
        "{paragraph}"
    );
    assert!(
        paragraph.contains(&counted) && paragraph.contains(&newer),
        "{paragraph}"
    );
    let sources = address(between(page.text(), "data-figures=\"", "\""));
    let last = sources.split(' ').next_back().unwrap();
    assert!(!last.contains("as_of"), "{sources}");
    assert_eq!(json(&get(&router, last).await)["rowCount"], now.len());
    // The image of the same address has two lines as well.
    let lines = async |query: &str| {
        let picture = get(&router, &format!("/chart/PAYEMS.svg?{view}{query}")).await;
        assert_eq!(picture.status, StatusCode::OK);
        picture.text().matches("stroke-width=\"1.8\"").count()
    };
    assert_eq!((lines("").await, lines("&as_of=2009-01-15").await), (1, 2));
}

#[tokio::test]
async fn vintages_with_another_base_are_not_compared() {
    let page = get(&router(), "/series/GDPC1?start=2005-01-01&as_of=2009-01-30").await;
    assert_eq!(page.status, StatusCode::OK);
    let paragraph = between(page.text(), "<p class=\"past\">", "</p>");
    assert!(paragraph.contains("in another unit"), "{paragraph}");
    assert!(!page.text().contains("data-ghost"));
}

#[tokio::test]
async fn the_comparison_page_agrees_with_the_api() {
    let router = router();
    let page = get(
        &router,
        "/compare?series=UNRATE,yoy(CPIAUCSL),PAYEMS&range=30y",
    )
    .await;
    assert_eq!(page.status, StatusCode::OK);
    let data: Value = serde_json::from_str(between(
        page.text(),
        "<script type=\"application/json\">",
        "</script>",
    ))
    .unwrap();
    let links = page
        .text()
        .split("href=\"")
        .map(|rest| address(rest.split('"').next().unwrap()));
    let source = links
        .into_iter()
        .find(|l| l.starts_with("/api/public/compare"))
        .unwrap();
    assert_eq!(data, json(&get(&router, &source).await), "{source}");
    let columns = data["columns"].as_array().unwrap();
    assert_eq!(columns.len(), 3);
    assert!(columns[0]["values"].as_array().unwrap().len() > 300);
    assert_eq!(data["correlations"].as_array().unwrap().len(), 3);
    assert!(page.text().contains("Of figures"));
    let spread = get(&router, "/compare?series=UNRATE,FEDFUNDS").await;
    assert!(spread.text().contains("Spread: UNRATE-FEDFUNDS"));
}

#[tokio::test]
async fn each_unit_of_a_comparison_has_its_own_panel() {
    let router = router();
    let query = "series=UNRATE,PAYEMS,GASREGW&start=2015-01-01";
    let titles = "Unemployment Rate (U-3) (UNRATE), Nonfarm Payrolls (PAYEMS)";
    let page = get(&router, &format!("/compare?{query}")).await;
    assert!(between(page.text(), "<title>", "</title>").starts_with(titles));
    assert!(page.text().contains(&format!("data-title=\"{titles}")));
    assert!(page.text().contains("Each unit has a panel"));
    let picture = get(&router, &format!("/chart/compare.svg?{query}")).await;
    for said in [
        "A panel for each unit, January 2015 to ",
        ">Percent</text>",
        ">Millions</text>",
        "$/gal</text>",
        "Rate (U-3) (UNRATE), ",
    ] {
        assert!(picture.text().contains(said), "{said}: {}", picture.text());
    }
    let widget = get(&router, &format!("/widget/chart?{query}")).await;
    assert_eq!(widget.text().matches("class=\"fluid\"").count(), 3);
    for (query, title) in [
        ("show=regime", "US macro regime"),
        (
            "series=PAYEMS,UNRATE",
            "Nonfarm Payrolls (PAYEMS), Unemployment Rate (U-3) (UNRATE)",
        ),
    ] {
        let page = get(&router, &format!("/embed?{query}")).await;
        let code = between(page.text(), "<pre tabindex=\"0\"><code>", "</code>");
        assert!(
            address(code).contains(&format!("title=&#34;{title}&#34;")),
            "{code}"
        );
    }
    let query =
        "series=DGS10, DGS2&range=5y&units=index&base=2024-01-02&frequency=w&as_of=2025-06-02";
    let page = get(&router, &format!("/compare?{}", query.replace(' ', "%20"))).await;
    let link = between(page.text(), "JSON</a>", "Embed</a>");
    let link = address(link.rsplit('"').nth(1).unwrap());
    let page = get(&router, &link).await;
    let code = address(between(page.text(), "/widget/chart?", "&#34;"));
    for argument in query.replace(", ", "%2C+").split('&') {
        assert!(code.contains(argument), "{argument}: {code}");
    }
    let single = get(&router, "/embed?series=DGS10&frequency=m").await;
    assert!(single.text().contains("/widget/chart?series=DGS10"));
}

#[tokio::test]
async fn a_log_scale_shows_the_levels_of_the_api() {
    let router = router();
    let page = get(&router, "/series/PAYEMS?start=max&units=log").await;
    let source = address(between(page.text(), "data-figures=\"", "\""));
    assert!(!source.contains("units"), "{source}");
    assert!(page.text().contains("data-log data-figures"));
    assert!(
        page.text()
            .contains("<option value=\"log\" selected>Level, log scale")
    );
    for (path, said) in [
        ("/chart/CPIAUCSL.svg?start=max&units=log", "log scale"),
        ("/chart/CPIAUCSL.svg?start=max&units=log", ">50</text>"),
        (
            "/chart/T10Y2Y.svg?start=max&units=log",
            "no log scale: a figure is zero or below",
        ),
        ("/widget/metric/PAYEMS?range=max&units=log", " data-log"),
        (
            "/widget/chart?series=PAYEMS,UNRATE&range=max&units=log",
            " data-log",
        ),
    ] {
        let reply = get(&router, path).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}");
        assert!(reply.text().contains(said), "{said}: {}", reply.text());
    }
}

#[tokio::test]
async fn a_past_comparison_draws_todays_series_on_top() {
    let router = unlimited_router();
    let query = "series=PAYEMS,UNRATE&range=5y&as_of=2020-06-01";
    let page = get(&router, &format!("/compare?{query}")).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text());
    let text = page.text();
    let data: Vec<Value> = text
        .split("<script type=\"application/json\">")
        .skip(1)
        .map(|rest| serde_json::from_str(rest.split("</script>").next().unwrap()).unwrap())
        .collect();
    let [now, then] = data.as_slice() else {
        panic!("{} answers are held", data.len());
    };
    // Both begin five years before the past day; the current one continues to today.
    assert_eq!(
        (&then["start"], &then["end"]),
        (&json!("2015-06-01"), &json!("2020-06-01"))
    );
    assert_eq!(now["start"], then["start"]);
    assert!(now["dates"].as_array().unwrap().len() > then["dates"].as_array().unwrap().len());
    let latest = then["columns"][1]["latest"].as_f64().unwrap();
    let paragraph = between(text, "<p class=\"past\">", "<");
    assert!(
        paragraph
            .starts_with("On 1 June 2020 the newest figure of PAYEMS was that of April 2020, "),
        "{paragraph}"
    );
    assert!(
        text.contains(&format!(
            "figure of UNRATE was that of April 2020, {latest:.1} %"
        )),
        "{text}"
    );
    let drawn = get(&router, &format!("/chart/compare.svg?{query}")).await;
    assert_eq!(
        drawn.text().matches(">then ").count(),
        2,
        "{}",
        drawn.text()
    );
    assert!(drawn.text().contains("gray: as known on 1 June 2020"));
    let plain = get(&router, "/chart/compare.svg?series=PAYEMS,UNRATE&range=5y").await;
    assert!(!plain.text().contains(">then "));
}

#[tokio::test]
async fn invalid_comparisons_are_explained_above_the_form() {
    let router = router();
    let many = ["UNRATE"; 9].join(",");
    for (series, status, said) in [
        ("UNRATE%2B", StatusCode::BAD_REQUEST, "ends too early"),
        ("unrat3", StatusCode::NOT_FOUND, "unrat3"),
        (&many, StatusCode::BAD_REQUEST, "9 items"),
    ] {
        let reply = get(&router, &format!("/compare?series={series}")).await;
        assert_eq!(reply.status, status, "{series}");
        assert_eq!(reply.header("cache-control"), "no-store");
        let trouble = between(
            reply.text(),
            "class=\"trouble stale\" role=\"status\">",
            "</p>",
        );
        assert!(trouble.contains(said), "{series}: {trouble}");
        assert!(reply.text().contains("id=\"add\""), "{series}: no form");
    }
}

#[tokio::test]
async fn a_widget_accepts_range_units_and_several_series() {
    let router = unlimited_router();
    for path in [
        "/widget/metric/UNRATE?range=max",
        "/widget/metric/PAYEMS?range=30y&units=pc1&theme=dark",
        "/widget/chart?series=UNRATE,FEDFUNDS&range=5y",
        "/widget/chart?series=UNRATE,PAYEMS&units=index",
    ] {
        let reply = get(&router, path).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}");
        assert!(
            reply.text().contains("class=\"fluid\""),
            "{path} has no chart"
        );
        assert!(reply.body.len() < 60_000, "{path}: {}", reply.body.len());
        let source = address(between(reply.text(), "data-figures=\"", "\""));
        assert_eq!(
            get(&router, &source).await.status,
            StatusCode::OK,
            "{source}"
        );
    }
    for invalid in [
        "metric/UNRATE?range=invalid",
        "metric/UNRATE?units=index",
        "chart",
        "chart?series=UNRATE&range=invalid",
    ] {
        let reply = get(&router, &format!("/widget/{invalid}")).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{invalid}");
        assert!(
            reply
                .header("content-security-policy")
                .contains("frame-ancestors *")
        );
    }
}

#[tokio::test]
async fn links_of_pages_support_oembed() {
    let router = router();
    for (page, widget) in [
        ("/series/UNRATE?start=5y", "/widget/metric/UNRATE?range=5y"),
        (
            "/compare?series=UNRATE,FEDFUNDS",
            "/widget/chart?series=UNRATE,FEDFUNDS",
        ),
        ("/regime", "/widget/regime"),
        ("/", "/widget/regime"),
    ] {
        let html = get(&router, page).await;
        let link = address(between(
            html.text(),
            "type=\"application/json+oembed\" href=\"",
            "\"",
        ));
        let card = get(&router, link.strip_prefix(BASE).unwrap()).await;
        assert_eq!(card.status, StatusCode::OK, "{link}: {}", card.text());
        let card = json(&card);
        assert_eq!(
            (&card["version"], &card["type"]),
            (&"1.0".into(), &"rich".into())
        );
        let source = address(between(card["html"].as_str().unwrap(), "src=\"", "\""))
            .strip_prefix(BASE)
            .unwrap()
            .to_owned();
        assert_eq!(source.replace("%2C", ","), widget);
        assert_eq!(get(&router, &source).await.status, StatusCode::OK);
        let picture = card["thumbnail_url"].as_str().unwrap();
        let picture = get(&router, picture.strip_prefix(BASE).unwrap()).await;
        assert!(
            picture.body.starts_with(b"\x89PNG"),
            "{page} has no picture"
        );
    }
    let own = format!("url={BASE}/series/UNRATE");
    for (query, status) in [
        (format!("{own}&maxwidth=200&maxheight=9999"), StatusCode::OK),
        (format!("{own}&maxwidth=wide"), StatusCode::BAD_REQUEST),
        (format!("{own}&format="), StatusCode::OK),
        (format!("{own}&format=xml"), StatusCode::NOT_IMPLEMENTED),
        (
            "url=https://elsewhere.example/series/UNRATE".into(),
            StatusCode::NOT_FOUND,
        ),
        (format!("url={BASE}/glossary"), StatusCode::NOT_FOUND),
        (String::new(), StatusCode::NOT_FOUND),
    ] {
        let reply = get(&router, &format!("/oembed?{query}")).await;
        assert_eq!(reply.status, status, "{query}");
        assert_eq!(reply.header("content-type"), "application/json", "{query}");
    }
    let small = json(
        &get(
            &router,
            &format!("/oembed?{own}&maxwidth=200&maxheight=9999"),
        )
        .await,
    );
    assert_eq!(
        (&small["width"], &small["height"]),
        (&200.into(), &270.into())
    );
}

/// The cost of finding near names grows with the length of the name.
#[tokio::test]
async fn a_very_long_name_gets_no_suggestions() {
    let router = router();
    for section in ["glossary", "series", "scenarios", "articles"] {
        let long = get(&router, &format!("/{section}/{}", "sahm-rule".repeat(870))).await;
        assert_eq!(long.status, StatusCode::NOT_FOUND, "{section}");
        assert!(!long.text().contains("/glossary/sahm-rule\""), "{section}");
        let short = get(&router, &format!("/{section}/zzqqzz")).await;
        let most = short.body.len() + 2_000;
        assert!(long.body.len() < most, "{section}: it is repeated");
    }
    let near = get(&router, "/glossary/sahm-rul").await;
    assert!(near.text().contains("/glossary/sahm"), "{}", near.text());
}

#[tokio::test]
async fn the_regime_page_shows_every_month() {
    let router = router();
    let page = get(&router, "/regime").await;
    let answer = json(&get(&router, "/api/public/regime").await);
    let newest = between(page.text(), "<table id=\"months\">", "</tr>\n</tbody>");
    assert!(newest.matches("<tr>").count() > 600);
    let first = between(newest, "<tbody>", "</tr>");
    let growth = answer["growthScore"].as_f64().unwrap();
    assert!(
        first.contains(&format!("{:.2}", growth.abs())),
        "{first} {growth}"
    );
    assert!(page.text().matches("class=\"bar\"").count() > 15);
}

#[tokio::test]
async fn suggestions_agree_with_the_search() {
    let router = router();
    let suggestions = json(&get(&router, "/suggest?q=core+inflation").await);
    let searched = json(
        &get(
            &router,
            "/api/public/series/search?query=core+inflation&limit=8",
        )
        .await,
    );
    assert_eq!(suggestions["results"], searched["results"]);
    let empty = get(&router, "/suggest").await;
    assert_eq!(empty.status, StatusCode::BAD_REQUEST);
    assert_eq!(empty.header("content-type"), "application/json");
}

#[tokio::test]
async fn each_new_view_is_charged_as_a_page() {
    let mut options = options();
    (options.limits.pages, options.limits.burst) = (2, 10_000);
    let router = router_with(options, true);
    let status_of = async |path: &str| {
        send(
            &router,
            with_peer(request("GET", path, &[], ""), "203.0.113.9:4711"),
        )
        .await
        .status
    };
    assert_eq!(status_of("/suggest?q=cpi").await, StatusCode::OK);
    assert_eq!(status_of("/compare?series=UNRATE").await, StatusCode::OK);
    for path in [
        "/compare?series=PAYEMS",
        "/regime",
        "/embed",
        "/suggest?q=gdp",
        "/oembed?url=x",
        "/widget/chart?series=UNRATE",
        "/chart/compare.png?series=UNRATE",
        "/series/UNRATE?units=pc1",
    ] {
        assert_eq!(
            status_of(path).await,
            StatusCode::TOO_MANY_REQUESTS,
            "{path}"
        );
    }
    for path in ["/suggest?q=cpi", "/compare?series=UNRATE"] {
        assert_eq!(status_of(path).await, StatusCode::OK, "{path}");
    }
}

/// A number as a page writes it: "$11.7 trillion (2000 dollars)" is 11.7e12, give or take 0.05e12.
#[derive(Debug, Clone, Copy)]
struct Written {
    value: f64,
    half_digit: f64,
}

fn written(text: &str) -> Written {
    let start = text.replace('−', "-");
    let digits: String = start
        .chars()
        .skip_while(|c| !c.is_ascii_digit() && *c != '-')
        .filter(|c| *c != ',' && *c != '$')
        .take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '-'))
        .collect();
    let number = digits.trim_end_matches('.');
    let sizes = [("trillion", 1e12), ("billion", 1e9), ("million", 1e6)];
    let named = sizes.iter().find(|(word, _)| text.contains(word));
    let size = named.map_or(1.0, |(_, size)| *size);
    let places = number.split_once('.').map_or(0, |(_, places)| places.len());
    Written {
        value: size
            * number
                .parse::<f64>()
                .unwrap_or_else(|_| panic!("no number in {text}")),
        half_digit: size * 0.5 * 10f64.powi(-i32::try_from(places).unwrap()),
    }
}

/// Asserts that two written numbers are one, up to the digits that each shows and a power of a thousand of the unit.
fn assert_same(a: Written, exact: f64, what: &str) {
    let is_same = [1.0, 1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9]
        .iter()
        .any(|factor| (a.value - exact * factor).abs() <= a.half_digit * 1.001 + 1e-9);
    assert!(is_same, "{a:?} and {exact}: {what}");
}

/// The years that a unit stands on: 2000 of "billions of chained 2000 dollars".
fn base_years(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_digit());
    words.filter(|word| word.len() == 4).collect()
}

#[tokio::test]
async fn headline_chart_table_csv_and_citation_show_one_figure() {
    const SERIES: [&str; 8] = [
        "GDPC1", "CPIAUCSL", "UNRATE", "PAYEMS", "INDPRO", "CPILFESL", "DGS10", "HOUST",
    ];
    const UNITS: [&str; 7] = ["", "pc1", "chg", "pch", "ch1", "pca", "log"];
    const DAYS: [&str; 5] = ["", "2008-10-31", "2009-01-15", "2012-06-30", "2019-03-29"];
    const RANGES: [&str; 4] = [
        "",
        "start=5y",
        "start=max",
        "start=2003-01-01&end=2007-12-31",
    ];
    let router = unlimited_router();
    // A multiplier without a common factor with any table visits their combinations as if drawn.
    for n in 0..60_usize {
        let draw = |salt: usize, len: usize| (n * 7_919 + n * n * salt + n / 3) % len;
        let id = SERIES[n % SERIES.len()];
        let units = UNITS[draw(3, UNITS.len())];
        let query = format!(
            "units={units}&as_of={}&{}",
            DAYS[draw(5, DAYS.len())],
            RANGES[draw(11, RANGES.len())]
        );
        let page = get(&router, &format!("/series/{id}?{query}")).await;
        let view = format!("{id}?{query}");
        assert_eq!(page.status, StatusCode::OK, "{view}");
        let html = page.text();
        let headline = between(
            between(html, "<dl class=\"facts head\">", "</dl>"),
            "<dd>",
            "</dd>",
        );
        let caption = between(
            between(html, "<caption class=\"small soft\">", "</table>"),
            "",
            "</caption>",
        );
        let table = between(html, "aria-label=\"Latest observations\"", "</tbody>");
        let row = between(table, "<tbody>", "</tr>");
        let period = between(row, "<td>", "</td>");
        let cell = between(row, "<td class=\"n\">", "</td>");
        let label = between(html, "aria-label=\"", "</svg>");
        let first_line = between(html, "<div class=\"plot wide\">", "font-family");
        let drawn = between(first_line, " to ", ";");
        let drawn_value = drawn.rsplit(" to ").next().unwrap();
        assert!(
            !label.is_empty() && drawn.contains(period),
            "{view}: {drawn} without {period}"
        );
        let source = address(between(html, "data-figures=\"", "\""))
            .split(' ')
            .next()
            .unwrap()
            .to_owned();
        let csv = get(&router, &format!("{source}&format=csv")).await;
        let body = csv.text();
        let header = body.lines().next().unwrap();
        let file = csv.header("content-disposition");
        let column = header.split(',').nth(1).unwrap();
        assert!(
            file.contains(&format!("\"{column}.csv\"")),
            "{view}: {file}"
        );
        let is_transformed = !matches!(units, "" | "log");
        assert_eq!(
            column.contains(&units.to_uppercase()) && is_transformed,
            is_transformed,
            "{view}: {column}"
        );
        let last = body.lines().last().unwrap().split(',').nth(1).unwrap();
        let exact = last.parse::<f64>().unwrap();
        let cite = address(between(html, "<a href=\"/cite/", "\""));
        let joined = if cite.contains('?') { "&" } else { "?" };
        let cited = json(&get(&router, &format!("/cite/{cite}{joined}format=json")).await);
        assert_eq!(cited["value"].as_f64(), Some(exact), "{view}: {cited}");
        assert_eq!(cited["text"], headline.replace("&#39;", "'"), "{view}");
        assert_eq!(cited["period"], period, "{view}");
        assert_same(
            written(headline),
            exact,
            &format!("{view}: headline {headline}"),
        );
        assert_same(written(cell), exact, &format!("{view}: table {cell}"));
        assert_same(
            written(drawn_value),
            exact,
            &format!("{view}: chart {drawn_value}"),
        );
        let unit = cited["unit"].as_str().unwrap();
        let years = base_years(unit);
        assert!(
            years.iter().all(|year| caption.contains(year)),
            "{view}: {unit} and {caption}"
        );
        if years.len() == 1 && headline.contains("dollars") {
            assert!(headline.contains(years[0]), "{view}: {unit} and {headline}");
        }
        assert_eq!(
            headline.contains('%'),
            unit.starts_with(['%']) || unit.starts_with("percent,"),
            "{view}: {unit}, {headline}"
        );
    }
}
