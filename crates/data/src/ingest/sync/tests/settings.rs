//! Dry runs, source checks, and recipes of an operator.

use super::agencies::{agencies, mount, treasury};
use super::*;
use econoscope_core::model::Rights;

#[tokio::test]
async fn dry_run_lists_requests_and_sends_none() {
    let (server, mut config) = agencies(&["DGS10", "DGS2", "T10Y2Y", "BAA", "DHHNGSP"]).await;
    config.dry_run = true;
    let store = Sqlite::in_memory().unwrap();
    let mut quiet = Progress::quiet();
    let report = sync(&store, &config, CancellationToken::new(), &mut quiet).await;
    let text = report.unwrap().plan.join("\n");
    assert!(text.contains("treasury/par_yields: at most 37 requests to home.treasury.gov, 1000 ms apart, for DGS10 DGS2"), "{text}");
    assert!(
        text.contains("computed here: 1 series: T10Y2Y")
            && text.contains("a series: 2 series: BAA DHHNGSP"),
        "{text}"
    );
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn source_check_reports_every_feed() {
    let (server, config) = agencies(&[]).await;
    treasury(&server).await;
    let store = Sqlite::in_memory().unwrap();
    let checks = crate::ingest::check_sources(&store, &config.sources, noon())
        .await
        .unwrap();
    let check_of = |name: &str| checks.iter().find(|check| check.feed == name).unwrap();
    assert!(checks.len() > 35);
    // The body has two of its columns; the error names all others.
    let par_yields = check_of("treasury/par_yields");
    let part = par_yields.result.as_ref().unwrap_err();
    assert!(
        part.starts_with("14 series, the newest figure of 2026-11-20"),
        "{part}"
    );
    assert!(
        part.contains("for 2 too few are stored") && part.contains("DGS7: no row has a \"7 Yr\""),
        "{part}"
    );
    assert_eq!(par_yields.host, "home.treasury.gov");
    assert!(
        par_yields.duration.is_some() && par_yields.head.starts_with("Date,"),
        "{par_yields:?}"
    );
    let spot = check_of("eia/spot");
    assert!(spot.result.as_ref().unwrap().contains("key of your own"));
    assert!(spot.duration.is_none() && spot.head.is_empty());
    assert!(
        check_of("cboe/index")
            .result
            .as_ref()
            .unwrap_err()
            .contains("404")
    );
}

const TOWN_RECIPE: &str = r#"
[source]
id = "town"
name = "Our Town"
rights = "personal"
terms = ""
cite = "Our Town"
hosts = ["data.example.org"]
[[feed]]
id = "rain"
url = "https://data.example.org/rain.csv"
format = "csv"
header = ["day", "mm"]
date = { field = "day", formats = ["%d.%m.%Y"] }
series = [{ id = "TOWNRAIN", field = "mm", title = "Rain in our town", units = "Millimetres", frequency = "D" }]
"#;

#[tokio::test]
async fn operator_recipe_adds_a_restricted_series() {
    let (server, mut config) = agencies(&[]).await;
    let own = tempfile::tempdir().unwrap();
    std::fs::write(own.path().join("town.toml"), TOWN_RECIPE).unwrap();
    config.sources.recipes = crate::ingest::recipes_with_folder(own.path()).unwrap();
    let home = url::Url::parse(&server.uri()).unwrap();
    config.sources.addresses.insert("town".to_owned(), home);
    config.only = None;
    config.sources.no_fred = true;
    mount(
        &server,
        "rain.csv",
        1,
        csv("day,mm\n20.11.2026,3.5\n21.11.2026,0\n"),
    )
    .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    run(&store, &config).await;
    assert_eq!(
        values(&store, "TOWNRAIN"),
        [(date(2026, 11, 20), 3.5), (date(2026, 11, 21), 0.0)]
    );
    let expected = store.description(&id("TOWNRAIN")).unwrap().unwrap();
    assert_eq!(
        (expected.title.as_str(), expected.units.as_str()),
        ("Rain in our town", "Millimetres")
    );
    let town = config.sources.recipes.source("town").unwrap();
    assert_eq!(town.rights, Rights::FetchOnly);
    std::fs::write(own.path().join("bad.toml"), "x = 1").unwrap();
    assert!(
        crate::ingest::recipes_with_folder(own.path())
            .unwrap_err()
            .to_string()
            .contains("bad.toml")
    );
}
