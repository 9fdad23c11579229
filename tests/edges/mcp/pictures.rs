//! Tests of charts as images for hosts that show them: on request, small, and next to the figures.

use super::client::Client;
use crate::home::backends;
use base64::Engine;
use econoscope::mcp::Server;
use serde_json::{Value, json};

/// Maximum size of an image in bytes.
const MAX_BYTES: usize = 60_000;

fn images(result: &Value) -> Vec<Vec<u8>> {
    let blocks = result["content"].as_array().unwrap().iter();
    blocks
        .filter(|b| b["type"] == "image")
        .map(|b| {
            assert_eq!(b["mimeType"], "image/png");
            let engine = base64::engine::general_purpose::STANDARD;
            engine.decode(b["data"].as_str().unwrap()).unwrap()
        })
        .collect()
}

/// Returns width and height from the header of a PNG.
fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(png.get(..8), Some(&b"\x89PNG\r\n\x1a\n"[..]));
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (side(16), side(20))
}

#[tokio::test]
async fn a_chart_is_one_small_image() {
    for (name, backend) in backends() {
        let mut client = Client::open(Server::new(backend));
        for arguments in [
            json!({ "seriesId": "DGS10", "start": "max" }),
            json!({ "seriesId": "UNRATE", "start": "5y" }),
            json!({ "seriesId": "CPIAUCSL", "start": "20y", "units": "pc1" }),
            json!({ "seriesId": "UNRATE", "start": "max", "format": "csv" }),
        ] {
            let mut with = arguments.clone();
            with["chart"] = true.into();
            let call = json!({ "name": "get_time_series", "arguments": with });
            let result = client.result("tools/call", call).await;
            assert_ne!(result["isError"], true, "{name} {arguments}: {result}");
            let charts = images(&result);
            assert_eq!(charts.len(), 1, "{name} {arguments}");
            assert_eq!(size(&charts[0]), (1_200, 630));
            assert!(charts[0].len() <= MAX_BYTES, "{name} {arguments}");
            let call = json!({ "name": "get_time_series", "arguments": arguments });
            let without = client.result("tools/call", call).await;
            assert_eq!(images(&without), Vec::<Vec<u8>>::new());
            assert_eq!(result["structuredContent"], without["structuredContent"]);
            assert_eq!(result["content"][0], without["content"][0]);
        }
    }
}
