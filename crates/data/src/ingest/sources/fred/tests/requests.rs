//! Requests of the JSON API: pages, refusals, descriptions, vintages.

use super::*;

#[tokio::test]
async fn figures_are_read_page_by_page() {
    let server = MockServer::start().await;
    let page_at = |offset: &str| {
        Mock::given(path("/fred/series/observations"))
            .and(query_param("series_id", "DGS10"))
            .and(query_param("file_type", "json"))
            .and(query_param("limit", "100000"))
            .and(query_param("api_key", CANARY))
            .and(query_param("observation_start", "2026-07-01"))
            .and(query_param("offset", offset))
    };
    let first = [
        item("2026-08-20", "2026-07-29", "4.67"),
        item("2026-08-20", "2026-07-30", "."),
    ];
    let second = [item("2026-08-20", "2026-07-31", "4.7")];
    page_at("0")
        .respond_with(json(200, &listing(3, &first)))
        .expect(1)
        .mount(&server)
        .await;
    page_at("2")
        .respond_with(json(200, &listing(3, &second)))
        .expect(1)
        .mount(&server)
        .await;
    let rows = client_of(&server, true)
        .figures(Some(date(2026, 7, 1)))
        .await
        .unwrap();
    assert_eq!(
        pairs(&rows),
        vec![("2026-07-29".into(), 4.67), ("2026-07-31".into(), 4.7)]
    );
}

#[tokio::test]
async fn short_pages_and_conflicting_dates_are_refused() {
    let empty = listing(3, &[]);
    let conflict = [
        item("2026-08-20", "2026-07-29", "1"),
        item("2026-08-20", "2026-07-29", "2"),
    ];
    let broken = [
        item("2026-08-20", "2026-07-29", "1"),
        item("2026-08-20", "2026-07-30", "4x"),
    ];
    let mut unstated = listing(1, &[item("2026-08-20", "2026-07-29", "1")]);
    unstated.as_object_mut().unwrap().remove("realtime_start");
    for (body, text) in [
        (unstated, "missing field `realtime_start`"),
        (listing(2, &broken), "row 2: \"4x\" is not a number"),
        (empty, "0 rows came where 3 were announced"),
        (listing(2, &conflict), "two values for 2026-07-29"),
    ] {
        let error = fetch(&server_with(json(200, &body)).await, true)
            .await
            .unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[tokio::test]
async fn refused_key_is_tried_four_times() {
    let good = listing(1, &[item("2026-08-20", "2026-07-29", "4.67")]);
    let server = server_with_sequence(vec![json(400, &unregistered()), json(200, &good)]).await;
    assert_eq!(fetch(&server, true).await.unwrap().len(), 1);
    let server = server_with(json(400, &unregistered())).await;
    let error = fetch(&server, true).await.unwrap_err();
    let text = "FRED API key is not accepted by FRED.";
    assert!(error.to_string().starts_with(text), "{error}");
    assert_eq!(request_count(&server).await, 4);
}

#[tokio::test]
async fn description_is_parsed_from_freds_spelling() {
    let series = object!({
        "id": "UNRATE", "realtime_start": "x", "title": "Unemployment Rate", "observation_start": "1948-01-01",
        "observation_end": "2026-07-01", "frequency": "Monthly", "frequency_short": "M", "units": "Percent",
        "units_short": "%", "seasonal_adjustment": "Seasonally Adjusted", "seasonal_adjustment_short": "SA",
        "last_updated": "2026-08-07 07:45:02-05", "popularity": 95, "notes": "From the CPS.",
    });
    let server = server_with(json(200, &object!({"seriess": [series]}))).await;
    let description = client_of(&server, true).describe().await.unwrap().unwrap();
    assert_eq!(
        (
            description.title.as_str(),
            description.frequency,
            description.seasonally_adjusted
        ),
        ("Unemployment Rate", Frequency::Monthly, true)
    );
    let empty = server_with(json(200, &object!({"seriess": []}))).await;
    let error = client_of(&empty, true).describe().await.unwrap_err();
    assert_eq!(error.code(), "no_data");
    let keyless = client_of(&server, false).describe().await.unwrap();
    assert_eq!(keyless, None, "only the API knows");
}

#[tokio::test]
async fn vintages_are_requested_in_ranges_and_reduced_to_changes() {
    let days: Vec<String> = (0..2001i64)
        .map(|n| shift(date(2015, 1, 1), n.days()).to_string())
        .collect();
    let server = MockServer::start().await;
    Mock::given(path("/fred/series/vintagedates"))
        .respond_with(json(200, &vintage_dates(&days)))
        .mount(&server)
        .await;
    let range = |start: &str, end: &str| {
        Mock::given(path("/fred/series/observations"))
            .and(query_param("realtime_start", start))
            .and(query_param("realtime_end", end))
    };
    let last = days.last().unwrap().as_str();
    let cut = days[1999].as_str();
    let first = [
        span("2015-01-01", cut, "2014-12-01", "5.6"),
        span("2015-02-06", cut, "2015-01-01", "5.7"),
        span("2015-02-06", "2015-03-05", "2015-02-01", "5.8"),
    ];
    let second = [
        item(last, "2014-12-01", "5.6"),
        item(last, "2015-01-01", "5.5"),
        item(last, "2016-01-01", "."),
    ];
    range("2015-01-01", cut)
        .respond_with(json(200, &vintages_from("2015-01-01", 3, &first)))
        .expect(1)
        .mount(&server)
        .await;
    range(last, "9999-12-31")
        .respond_with(json(200, &vintages_from(last, 3, &second)))
        .expect(1)
        .mount(&server)
        .await;
    let rows: Vec<(String, String, Option<f64>)> = client_of(&server, true)
        .vintages()
        .await
        .unwrap()
        .iter()
        .map(|k| {
            let known_from = k.known_from.unwrap().to_string();
            (known_from, k.date.to_string(), k.value)
        })
        .collect();
    let row = |known: &str, date: &str, value| (known.to_owned(), date.to_owned(), value);
    assert_eq!(
        rows,
        vec![
            row("2015-01-01", "2014-12-01", Some(5.6)),
            row("2015-02-06", "2015-01-01", Some(5.7)),
            row("2015-02-06", "2015-02-01", Some(5.8)),
            row("2015-03-06", "2015-02-01", None),
            row(last, "2015-01-01", Some(5.5))
        ]
    );
}

#[tokio::test]
async fn vintage_dates_are_dates_of_this_era() {
    let days = vintage_dates(&["2015-01-09", "-002015-02-06"]);
    let server = server_with(json(200, &days)).await;
    let error = client_of(&server, true).vintages().await.unwrap_err();
    let message = error.to_string();
    let text = "row 2: \"-002015-02-06\" is not a date like 2026-07-31";
    assert!(message.contains(text), "{message}");
}

#[tokio::test]
async fn todays_figures_are_not_taken_for_vintages() {
    let server = MockServer::start().await;
    let days = vintage_dates(&["2015-01-09", "2015-02-06"]);
    Mock::given(path("/fred/series/vintagedates"))
        .respond_with(json(200, &days))
        .mount(&server)
        .await;
    // FRED responds to a parameter that it lacks with 200 and the latest figures.
    let today = listing(1, &[item("2026-08-20", "2014-12-01", "5.5")]);
    Mock::given(path("/fred/series/observations"))
        .respond_with(json(200, &today))
        .mount(&server)
        .await;
    let error = client_of(&server, true).vintages().await.unwrap_err();
    let message = error.operator_message();
    assert!(
        message.contains("from 2015-01-09 were asked, from 2026-08-20 came"),
        "{message}"
    );
    for request in server.received_requests().await.unwrap() {
        let query = request.url.query().unwrap_or_default();
        assert!(!query.contains("vintage_date="));
    }
}
