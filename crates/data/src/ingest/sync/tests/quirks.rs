//! Known quirks of sources under HTTP 200.

use super::agencies::agencies;
use super::*;
use wiremock::matchers::path_regex;

#[tokio::test]
async fn late_claims_are_extended_only_by_agreeing_figures() {
    let week = |day: &str, value: &str| {
        format!(
            "<week><weekEnded>{day}</weekEnded><InitialClaims><SA>{value}</SA></InitialClaims></week>"
        )
    };
    let days = [
        "08/01/2026",
        "08/08/2026",
        "08/15/2026",
        "08/22/2026",
        "08/29/2026",
    ];
    let dol = format!(
        "<r539cyNational>{}{}</r539cyNational>",
        days.map(|day| week(day, "207,000")).concat(),
        week("09/05/2026", "&#160;")
    );
    let fred = |value: &str| {
        let days = [
            "2026-08-01",
            "2026-08-08",
            "2026-08-15",
            "2026-08-22",
            "2026-08-29",
        ];
        let rows = days.map(|day| format!("{day},{value}\n")).concat();
        csv(&format!("observation_date,ICSA\n{rows}2026-11-14,221000\n"))
    };
    for (value, stored) in [("207000", 6), ("199000", 5)] {
        let (server, config) = agencies(&["ICSA"]).await;
        let body = ResponseTemplate::new(200).set_body_raw(dol.clone().into_bytes(), "text/xml");
        Mock::given(method("POST"))
            .and(path_regex("wkclaims"))
            .respond_with(body)
            .mount(&server)
            .await;
        respond(&server, "ICSA", fred(value)).await;
        let store = Arc::new(Sqlite::in_memory().unwrap());
        run(&store, &config).await;
        assert_eq!(values(&store, "ICSA").len(), stored, "{value}");
        assert_eq!(values(&store, "ICSA")[0].1, 207_000.0);
        let status = store.status_of(&id("ICSA")).unwrap().unwrap();
        let both = [("dol", None), ("fred", Some(date(2026, 11, 14)))];
        let shown = if stored == 6 { &both[..] } else { &both[..1] };
        assert_eq!(status.origins(date(2026, 8, 1), date(2026, 12, 1)), shown);
        assert_eq!(
            status.origins(date(2026, 8, 1), date(2026, 9, 1)),
            both[..1]
        );
    }
}

#[tokio::test]
async fn exhausted_daily_limit_is_an_outage() {
    let (server, mut config) = agencies(&["UNRATE", "CPIAUCSL"]).await;
    config.sources.no_fred = true;
    let spent = object!({"status": "REQUEST_NOT_PROCESSED", "message": ["Request could not be serviced, as the daily threshold has been reached."], "Results": {}});
    Mock::given(method("POST"))
        .respond_with(json(200, &spent))
        .expect(1)
        .mount(&server)
        .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    let error = failure(&report, "UNRATE");
    assert_eq!(error.code(), "rate_limited", "{error}");
    assert!(error.retry_after() > Some(Duration::from_secs(3600)));
}

#[tokio::test]
async fn recomputed_history_changes_only_published_decimals() {
    let (server, mut config) = agencies(&["NFCI"]).await;
    config.sources.no_fred = true;
    config.force = true;
    let fridays = [
        "10/16/2026",
        "10/23/2026",
        "10/30/2026",
        "11/06/2026",
        "11/13/2026",
    ];
    let response = |values: [f64; 5]| {
        let rows: Vec<String> = fridays
            .iter()
            .zip(values)
            .map(|(day, v)| format!("{day},{v},0,0,0,0,0"))
            .collect();
        let names = "Friday_of_Week,NFCI,ANFCI,Risk,Credit,Leverage,Nonfinancial_Leverage";
        csv(&format!("{names}\n{}\n", rows.join("\n")))
    };
    let first = [-0.5, -0.51, -0.52, -0.53, -0.54];
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let mut written = Vec::new();
    for change in [0.0, 2e-7, 0.01] {
        server.reset().await;
        super::agencies::mount(&server, "nfci", 1, response(first.map(|v| v + change))).await;
        let report = run(&store, &config).await;
        assert!(report.is_complete(), "{report:?}");
        written.push((report.written().added, report.written().revised));
    }
    assert_eq!(written, [(5, 0), (0, 0), (0, 5)]);
}
