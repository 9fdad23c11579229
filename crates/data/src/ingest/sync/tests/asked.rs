//! What is said before and without asking, and recipes of an operator's own.

use super::first::{agencies, mount, treasury};
use super::*;

#[tokio::test]
async fn a_plan_names_whom_it_would_ask_and_asks_nobody() {
    let (server, mut config) = agencies(&["DGS10", "DGS2", "T10Y2Y", "BAA", "DHHNGSP"]).await;
    config.only_plan = true;
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    let mut quiet = Progress::quiet();
    let report = sync(store, &config, CancellationToken::new(), &mut quiet).await;
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
async fn every_source_can_be_tried_at_once() {
    let (server, config) = agencies(&[]).await;
    treasury(&server).await;
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    let tried = crate::ingest::check_sources(&store, &config.sources, noon())
        .await
        .unwrap();
    let of = |name: &str| tried.iter().find(|check| check.feed == name).unwrap();
    assert!(tried.len() > 35);
    // Two of its columns are in the body, and every other is named.
    let par = of("treasury/par_yields");
    let part = par.said.as_ref().unwrap_err();
    assert!(
        part.starts_with("14 series, the newest figure of 2026-11-20"),
        "{part}"
    );
    assert!(
        part.contains("of 2 too little is held") && part.contains("DGS7: no row has a \"7 Yr\""),
        "{part}"
    );
    assert_eq!(par.host, "home.treasury.gov");
    assert!(
        par.took.is_some() && par.beginning.starts_with("Date,"),
        "{par:?}"
    );
    let unasked = of("eia/spot");
    assert!(unasked.said.as_ref().unwrap().contains("key of your own"));
    assert!(unasked.took.is_none() && unasked.beginning.is_empty());
    assert!(of("cboe/index").said.as_ref().unwrap_err().contains("404"));
}

const TOWN: &str = r#"
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

/// Whether a desk passes on what is held of the town.
fn permitted(store: &Arc<Sqlite>, settings: crate::desk::Settings) -> econoscope_core::Result<()> {
    let clock = crate::desk::Desk::system_clock();
    let desk = crate::desk::Desk::open(Arc::clone(store) as Arc<dyn Store>, settings, clock);
    desk.permit(&*desk.resolve("series", "TOWNRAIN")?)
}

#[tokio::test]
async fn a_recipe_of_an_operator_becomes_a_series_that_is_found_and_kept_to_oneself() {
    let (server, mut config) = agencies(&[]).await;
    let own = tempfile::tempdir().unwrap();
    std::fs::write(own.path().join("town.toml"), TOWN).unwrap();
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
    let told = store.description(&id("TOWNRAIN")).unwrap().unwrap();
    assert_eq!(
        (told.title.as_str(), told.units.as_str()),
        ("Rain in our town", "Millimetres")
    );
    let permitted = |serve_restricted| {
        let settings = crate::desk::Settings {
            serve_restricted,
            recipes: Arc::clone(&config.sources.recipes),
            ..Default::default()
        };
        permitted(&store, settings)
    };
    assert!(permitted(true).is_ok());
    let refused = permitted(false).unwrap_err().to_string();
    assert!(refused.contains("Our Town"), "{refused}");
    std::fs::write(own.path().join("bad.toml"), "x = 1").unwrap();
    assert!(
        crate::ingest::recipes_with_folder(own.path())
            .unwrap_err()
            .to_string()
            .contains("bad.toml")
    );
}
