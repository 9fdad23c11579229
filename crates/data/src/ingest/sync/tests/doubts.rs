//! Answers that are not taken: a part of one, an unheard-of status, figures in another unit.

use super::first::{agencies, mount};
use super::*;

const HELD: [(Date, f64); 2] = [(date(2026, 9, 1), 4.1), (date(2026, 10, 1), 4.2)];

async fn after(template: ResponseTemplate) -> (String, Vec<(Date, f64)>) {
    let (server, config) = stand_in(&["UNRATE"]).await;
    answer(&server, "UNRATE", template).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    hold(&store, "UNRATE", &HELD);
    let report = run(&store, &config).await;
    let failed = report.failures().next();
    let said = failed.map_or_else(String::new, |(_, error)| error.to_string());
    (said, values(&store, "UNRATE"))
}

#[tokio::test]
async fn only_200_is_a_whole_answer() {
    let body = "observation_date,UNRATE\n2026-11-01,4.3\n";
    for status in [201, 202, 203, 204, 205, 206, 226, 299, 304, 418] {
        let template =
            ResponseTemplate::new(status).set_body_raw(body.as_bytes().to_vec(), "text/csv");
        let (said, held) = after(template).await;
        assert!(said.contains(&format!("HTTP {status}")), "{status}: {said}");
        assert_eq!(held, HELD, "{status}");
    }
    let (said, held) = after(csv(body)).await;
    assert_eq!((said.as_str(), held.len()), ("", 3));
}

#[tokio::test]
async fn a_figure_in_another_unit_is_refused_and_what_is_held_stays() {
    for wrong in ["1e308", "-1e308", "430", "0.042"] {
        let body = format!("observation_date,UNRATE\n2026-10-01,4.2\n2026-11-01,{wrong}\n");
        let (said, held) = after(csv(&body)).await;
        assert!(
            said.contains("UNRATE") && said.contains("not accepted") && said.contains("2026-11-01"),
            "{said}"
        );
        assert_eq!(held, HELD, "{wrong}");
    }
}

#[tokio::test]
async fn figures_dated_after_tomorrow_are_projections_and_left_out() {
    let body =
        "observation_date,UNRATE\n2026-11-01,4.3\n2026-11-22,4.4\n2026-11-23,9\n2036-01-01,9\n";
    let (said, held) = after(csv(body)).await;
    let new = [(date(2026, 11, 1), 4.3), (date(2026, 11, 22), 4.4)];
    assert_eq!((said.as_str(), held), ("", [HELD, new].concat()));
}

#[tokio::test]
async fn what_is_wrong_with_an_answer_is_told_with_what_to_do() {
    let figures = "DATE,OPEN,HIGH,LOW,CLOSE\n11/20/2026,20.1,21.0,19.5,20.5\n";
    let moved = ResponseTemplate::new(301)
        .insert_header("location", "https://elsewhere.example/vix.csv?key=secret");
    let cases = [
        (
            moved,
            "moved to https://elsewhere.example/vix.csv (HTTP 301); a recipe of your own",
        ),
        (
            ResponseTemplate::new(410),
            "nothing at its address any more (HTTP 410); a newer version",
        ),
        (
            csv(figures).insert_header("content-encoding", "gzip"),
            "not compressed as it says",
        ),
        (
            csv(&figures.replace("20.5", "unavail")),
            "\"unavail\" for 2026-11-20 is not a number; a word for missing",
        ),
        (csv(&figures.replace("CLOSE", "LAST")), "CLOSE"),
    ];
    for (template, told) in cases {
        let (server, mut config) = agencies(&["VIXCLS"]).await;
        config.sources.no_fred = true;
        mount(&server, "VIX_History", 1, template).await;
        let store = Arc::new(Sqlite::in_memory().unwrap());
        hold(&store, "VIXCLS", &HELD);
        let report = run(&store, &config).await;
        let said = report.failures().map(|(_, error)| error.for_operator());
        let said: String = said.collect();
        assert!(said.contains(told), "{told}: {said}");
        assert!(
            said.contains("Cboe Global Markets") && !said.contains("secret"),
            "{said}"
        );
        assert_eq!(values(&store, "VIXCLS"), HELD);
    }
}
