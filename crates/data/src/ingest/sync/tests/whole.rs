//! The whole catalogue at once.

use super::*;

#[tokio::test]
async fn complete_sync_records_its_time() {
    let (server, mut config) = mock_fred(&[]).await;
    config.only = None;
    Mock::given(path("/graph/fredgraph.csv"))
        .respond_with(|request: &wiremock::Request| {
            let id = request
                .url
                .query_pairs()
                .find(|(k, _)| k == "id")
                .unwrap()
                .1
                .into_owned();
            csv(&format!("observation_date,{id}\n2026-11-01,1.5\n"))
        })
        .mount(&server)
        .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    assert!(
        report.is_complete(),
        "{:?}",
        report.failures().collect::<Vec<_>>()
    );
    let is_computed = |outcome: &Outcome| matches!(outcome, Outcome::Computed(_));
    let computed = report.series.iter().filter(|(_, o)| is_computed(o)).count();
    assert!(report.read_count() + computed > 390);
    assert_eq!(
        store.note(LAST_SYNC).unwrap().as_deref(),
        Some("2026-11-21T12:00:00Z")
    );
    let again = run(&store, &config).await;
    assert_eq!(
        (again.read_count(), again.missed_count()),
        (0, 0),
        "all is fresh"
    );
    assert!(again.is_complete());
}

#[tokio::test]
async fn mostly_failed_sync_does_not_record_its_time() {
    let (server, mut config) = mock_fred(&[]).await;
    config.only = None;
    Mock::given(path("/graph/fredgraph.csv"))
        .respond_with(page(200))
        .mount(&server)
        .await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    assert_eq!(report.read_count(), 0);
    assert!(report.missed_count() > 380);
    assert_eq!(store.note(LAST_SYNC).unwrap(), None);
}
