//! Feeds that share a URL, and errors of several sources.

use super::agencies::{agencies, count_requests, mount};
use super::*;
use crate::ingest::testing::zip_file;

/// The release H.15 with a daily and a monthly rate.
fn release() -> ResponseTemplate {
    let series = |name: &str, days: &[&str]| {
        let rows: String = days
            .iter()
            .map(|day| {
                format!("<frb:Obs OBS_STATUS=\"A\" OBS_VALUE=\"7.50\" TIME_PERIOD=\"{day}\"/>")
            })
            .collect();
        format!(
            "<frb:DataSet id=\"X\"><kf:Series SERIES_NAME=\"{name}\" UNIT=\"Percent:_Per_Year\" UNIT_MULT=\"1\">{rows}</kf:Series></frb:DataSet>"
        )
    };
    let days = ["2026-11-18", "2026-11-19", "2026-11-20"];
    let months = ["2026-08-31", "2026-09-30", "2026-10-31"];
    let xml = format!(
        "<m:Group>{}{}</m:Group>",
        series("RIFLGFCY02_N.B", &days),
        series("RIFSPBLP_N.M", &months)
    );
    ResponseTemplate::new(200)
        .set_body_raw(zip_file("X_data.xml", xml.as_bytes()), "application/zip")
        .insert_header("etag", "\"1\"")
}

#[tokio::test]
async fn feeds_with_one_url_share_one_response() {
    let (server, mut config) = agencies(&["DGS2", "MPRIME"]).await;
    config.sources.no_fred = true;
    mount(&server, "daily-treasury", 1, page(404)).await;
    mount(&server, "FRB_h15", 1, release()).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let first = run(&store, &config).await;
    assert_eq!(count_requests(&server, "FRB_h15").await, 1, "{first:?}");
    let newest = |id| values(&store, id).last().copied();
    assert_eq!(newest("DGS2"), Some((date(2026, 11, 20), 7.5)), "{first:?}");
    assert_eq!(
        newest("MPRIME"),
        Some((date(2026, 10, 1), 7.5)),
        "{first:?}"
    );
    // Both feeds know the response now; one conditional request serves both.
    server.reset().await;
    mount(&server, "daily-treasury", 1, page(404)).await;
    mount(&server, "FRB_h15", 1, ResponseTemplate::new(304)).await;
    config.clock = Some(|| "2026-12-02T12:00:00Z".parse().unwrap());
    let again = run(&store, &config).await;
    assert!(again.is_complete() && again.read_count() == 2, "{again:?}");
    assert_eq!(count_requests(&server, "FRB_h15").await, 1);
}

#[tokio::test]
async fn release_is_asked_once_though_others_come_between_two_rounds() {
    let (server, mut config) = agencies(&["DGS2", "MPRIME", "M2SL", "TOTBKCR"]).await;
    config.sources.no_fred = true;
    // The first source of a yield fails, so that the release is read in a second round, too.
    mount(&server, "daily-treasury", 1, page(404)).await;
    mount(&server, "FRB_h15", 1, release()).await;
    mount(&server, "FRB_h6", 1, page(404)).await;
    mount(&server, "FRB_h8", 1, page(404)).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    assert_eq!(values(&store, "DGS2").len(), 3, "{report:?}");
    for address in ["FRB_h15", "FRB_h6", "FRB_h8"] {
        assert_eq!(
            count_requests(&server, address).await,
            1,
            "{address}: {report:?}"
        );
    }
}

#[tokio::test]
async fn errors_of_all_sources_are_joined_in_order() {
    let (server, config) = agencies(&["DGS10"]).await;
    mount(&server, "daily-treasury", 1, page(200)).await;
    mount(&server, "FRB_", 1, page(404)).await;
    respond(&server, "DGS10", page(404)).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    let (_, failed) = report.failures().next().unwrap();
    let message = failed.operator_message();
    let places = ["par_yields", "fed_board/h15", "FRED"].map(|name| message.find(name));
    assert!(
        places.is_sorted() && places.iter().all(Option::is_some),
        "{places:?} in {message}"
    );
    let missed = crate::ingest::last_missed(store.as_ref()).unwrap();
    assert_eq!(
        missed
            .iter()
            .map(|m| (m.why.as_str(), m.count))
            .collect::<Vec<_>>(),
        [(message.as_str(), 1)]
    );
}

#[tokio::test]
async fn alternative_address_is_asked_where_the_first_has_nothing() {
    let (server, mut config) = agencies(&["NFCI"]).await;
    config.sources.no_fred = true;
    let body = "Friday_of_Week,NFCI,ANFCI,Risk,Credit,Leverage,Nonfinancial_Leverage\n11/13/2026,-0.5,0,0,0,0,0\n";
    mount(&server, "^/NFCI/", 1, page(404)).await;
    mount(&server, "^/-/media/publications/nfci/", 1, csv(body)).await;
    let store = Arc::new(Sqlite::in_memory().unwrap());
    let report = run(&store, &config).await;
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(values(&store, "NFCI"), [(date(2026, 11, 13), -0.5)]);
    assert_eq!(count_requests(&server, "nfci-data").await, 2);
    // A refusal is not an empty address, and asks no alternative.
    server.reset().await;
    mount(&server, "^/NFCI/", 1, page(403)).await;
    let other = Arc::new(Sqlite::in_memory().unwrap());
    assert_eq!(run(&other, &config).await.read_count(), 0);
    assert_eq!(count_requests(&server, "nfci-data").await, 1);
}
