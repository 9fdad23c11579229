//! Stand-ins for the sources, on loopback.

use super::fetch::Timeouts;
use super::key::ApiKey;
use super::pace::PaceSettings;
use super::sources::SourceSettings;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::Url;
use wiremock::ResponseTemplate;

/// A key that must never be seen in any output.
pub(super) const CANARY: &str = "canary0canary1canary2canary3cana";

/// As patient as FRED's own settings, but quick.
pub(super) const QUICK: PaceSettings = PaceSettings {
    interval: Duration::ZERO,
    first_wait: Duration::from_millis(1),
    ..PaceSettings::API
};

const SHORT: Timeouts = Timeouts {
    connect: Duration::from_secs(2),
    read: Duration::from_secs(2),
    all_tries: Duration::from_secs(20),
};

/// Every source at this address.
pub(super) fn sources_at(address: &str, key: bool) -> SourceSettings {
    let url = Url::parse(address).unwrap();
    SourceSettings {
        addresses: [
            ("fred".to_owned(), url.clone()),
            ("fred api".to_owned(), url),
        ]
        .into(),
        key: key.then(|| ApiKey::new(CANARY).unwrap()),
        contact: Some("ops@example.org".into()),
        pace: Some(QUICK),
        timeouts: SHORT,
        ..SourceSettings::default()
    }
}

/// What was written, for whoever wants to see it.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An answer as FRED's download gives it.
pub(super) fn csv(body: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body.as_bytes().to_vec(), "text/csv; charset=utf-8")
}

/// An answer as FRED's API gives it.
pub(super) fn json(status: u16, body: &serde_json::Value) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(body)
}

/// A web page.
pub(super) fn page(status: u16) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw(
        b"<!DOCTYPE html>\n<html><title>Error</title></html>".to_vec(),
        "text/html; charset=UTF-8",
    )
}

/// A server that says exactly these bytes to everyone, `times` over, and hangs up. Returns its address.
pub(super) async fn says(bytes: &'static [u8], times: usize) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = [0u8; 4096];
            let _asked = socket.read(&mut request).await;
            for i in 0..times {
                let piece = if i == 0 { bytes } else { &[b'1'; 1 << 20] };
                if socket.write_all(piece).await.is_err() {
                    break;
                }
            }
        }
    });
    address
}

/// An archive of one file.
pub(super) fn zipped(name: &str, bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file(name, options).unwrap();
    archive.write_all(bytes).unwrap();
    archive.finish().unwrap().into_inner()
}
