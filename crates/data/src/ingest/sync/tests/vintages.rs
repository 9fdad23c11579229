//! Vintages.

use super::*;

const OCTOBER: Option<Date> = Some(date(2026, 10, 2));
const NOVEMBER: Option<Date> = Some(date(2026, 11, 6));
/// The vintages of October and November.
const REVISED: [(Date, Option<Date>, f64); 3] = [
    (date(2026, 9, 1), OCTOBER, 4.2),
    (date(2026, 9, 1), NOVEMBER, 4.3),
    (date(2026, 10, 1), NOVEMBER, 4.4),
];

async fn archive() -> (MockServer, SyncConfig) {
    let (server, mut config) = mock_fred(&["UNRATE"]).await;
    config.vintages = true;
    config.sources = sources_at(&server.uri(), true);
    let days = object!({"realtime_start": "1776-07-04", "count": 2, "vintage_dates": ["2026-10-02", "2026-11-06"]});
    Mock::given(path("/fred/series/vintagedates"))
        .respond_with(json(200, &days))
        .mount(&server)
        .await;
    let row = |known: &str, date: &str, value: &str| object!({"realtime_start": known, "realtime_end": "9999-12-31", "date": date, "value": value});
    let rows = [
        row("2026-10-02", "2025-01-01", "4.0"),
        object!({"realtime_start": "2026-10-02", "realtime_end": "2026-11-05", "date": "2026-09-01", "value": "4.2"}),
        row("2026-11-06", "2026-09-01", "4.3"),
        row("2026-11-06", "2026-10-01", "4.4"),
    ];
    Mock::given(path("/fred/series/observations"))
        .respond_with(json(
            200,
            &object!({"realtime_start": "2026-10-02", "count": 4, "observations": rows}),
        ))
        .mount(&server)
        .await;
    (server, config)
}

fn stored(store: &Sqlite) -> Vec<(Date, Option<Date>, f64)> {
    let rows = store.read(&id("UNRATE")).unwrap().unwrap();
    let row =
        |r: &econoscope_core::model::VintageObservation| (r.date, r.known_from, r.value.unwrap());
    rows.rows().iter().map(row).collect()
}

#[tokio::test]
async fn vintages_are_written_once_with_their_days() {
    let (_server, config) = archive().await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    assert!(run(&store, &config).await.is_complete());
    // January 2025 was public long before the archive begins; its day is estimated.
    let first = (date(2025, 1, 1), None, 4.0);
    assert_eq!(stored(&store), [vec![first], REVISED.to_vec()].concat());
    let again = run(&store, &config).await;
    assert!(matches!(again.series[0].1, Outcome::Fresh(_)));
}

#[tokio::test]
async fn old_vintage_does_not_replace_the_stored_figure() {
    let (_server, config) = archive().await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    write_rows(&store, "UNRATE", &[(date(2025, 1, 1), 4.1)]);
    assert!(run(&store, &config).await.is_complete());
    let january = date(2025, 1, 1);
    let first = vec![(january, None, 4.1), (january, OCTOBER, 4.0)];
    assert_eq!(stored(&store), [first, REVISED.to_vec()].concat());
}

#[tokio::test]
async fn vintages_need_a_key() {
    let (_server, mut config) = mock_fred(&["UNRATE"]).await;
    config.vintages = true;
    let store = Sqlite::in_memory().unwrap();
    let keyless = sync(
        &store,
        &config,
        CancellationToken::new(),
        &mut Progress::quiet(),
    )
    .await;
    let error = keyless.unwrap_err().to_string();
    assert!(error.contains("vintages need one"), "{error}");
}
