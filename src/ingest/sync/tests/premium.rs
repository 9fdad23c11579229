//! The bond premium of the Federal Reserve Board.

use super::*;

#[tokio::test]
async fn the_bond_premium_comes_from_the_board_by_month() {
    let (server, config) = stand_in(&["EBP", "GZ_SPREAD"]).await;
    Mock::given(method("GET"))
        .and(path("/ebp_csv.csv"))
        .respond_with(csv(EBP))
        .expect(1)
        .mount(&server)
        .await;
    let store = Arc::new(Memory::new());
    let report = run(&store, &config).await;
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(
        values(&store, "EBP"),
        vec![(date(2026, 6, 1), -0.25), (date(2026, 7, 1), -0.5)]
    );
    assert_eq!(values(&store, "GZ_SPREAD")[1], (date(2026, 7, 1), 1.2));
    assert_eq!(store.status().unwrap()[0].origin, "fed board");
}

#[tokio::test]
async fn a_bond_premium_that_cannot_be_used_leaves_the_store_alone() {
    for (body, says) in [
        (page(200), "a web page came"),
        (csv("date,x\n2026-06-01,1\n"), "neither ebp nor gz_spread"),
        (
            csv("date,ebp\n2026-06-01,1\n2026-06-30,2\n"),
            "stands twice",
        ),
        (csv("date,ebp\n2026-06-01,a\n"), "line 2"),
        (csv("date,gz_spread\n2026-06-01,1\n"), "no such column"),
        (ResponseTemplate::new(404), "HTTP 404"),
    ] {
        let (server, config) = stand_in(&["EBP"]).await;
        Mock::given(path("/ebp_csv.csv"))
            .respond_with(body)
            .mount(&server)
            .await;
        let store = Arc::new(Memory::new());
        let report = run(&store, &config).await;
        let error = failure(&report, "EBP").to_string();
        assert!(error.contains(says), "{says}: {error}");
        assert!(store.status().unwrap().is_empty());
    }
}
