//! The bond premium of the Federal Reserve Board.

use super::*;
use econoscope_core::recipe::Recipes;

async fn board(only: &[&str]) -> (MockServer, SyncConfig) {
    let (server, mut config) = mock_fred(only).await;
    config.sources.recipes = Arc::clone(Recipes::embedded());
    let home = url::Url::parse(&server.uri()).unwrap();
    config
        .sources
        .addresses
        .insert("fed_board".to_owned(), home);
    (server, config)
}

#[tokio::test]
async fn bond_premium_is_stored_by_month() {
    let (server, config) = board(&["EBP", "GZ_SPREAD"]).await;
    Mock::given(method("GET"))
        .and(path("/econres/notes/feds-notes/ebp_csv.csv"))
        .respond_with(csv(EBP))
        .expect(1)
        .mount(&server)
        .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(
        values(&store, "EBP"),
        vec![(date(2026, 6, 1), -0.25), (date(2026, 7, 1), -0.5)]
    );
    assert_eq!(values(&store, "GZ_SPREAD")[1], (date(2026, 7, 1), 1.2));
    assert_eq!(store.status().unwrap()[0].origin, "fed_board");
}

#[tokio::test]
async fn unusable_bond_premium_leaves_the_store_unchanged() {
    for (body, expected) in [
        (page(200), "a web page"),
        (csv("date,x\n2026-06-01,1\n"), "column"),
        (
            csv("date,ebp\n2026-06-01,1\n2026-06-30,2\n"),
            "two values for 2026-06-01",
        ),
        (csv("date,ebp\n2026-06-01,a\n"), "not a number"),
        (csv("date,gz_spread\n2026-06-01,1\n"), "column"),
        (ResponseTemplate::new(404), "HTTP 404"),
    ] {
        let (server, config) = board(&["EBP"]).await;
        Mock::given(path("/econres/notes/feds-notes/ebp_csv.csv"))
            .respond_with(body)
            .mount(&server)
            .await;
        let store = Arc::new(Sqlite::in_memory().unwrap());
        let report = run(&store, &config).await;
        let error = failure(&report, "EBP").to_string();
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(store.status().unwrap().is_empty());
    }
}
