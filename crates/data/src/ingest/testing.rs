//! Mock sources on loopback.

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

/// A key that must never appear in any output.
pub(super) const CANARY: &str = "canary0canary1canary2canary3cana";

/// The retries of FRED's settings, without pauses.
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

/// Returns settings with FRED at this address.
pub(super) fn sources_at(address: &str, key: bool) -> SourceSettings {
    let url = Url::parse(address).unwrap();
    SourceSettings {
        addresses: [
            ("fred".to_owned(), url.clone()),
            ("fred api".to_owned(), url),
        ]
        .into(),
        key: key.then(|| ApiKey::from(CANARY)),
        contact: Some("ops@example.org".into()),
        pace: Some(QUICK),
        timeouts: SHORT,
        ..SourceSettings::default()
    }
}

/// A writer whose text can be read back.
#[derive(Clone, Default)]
pub(super) struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A response of FRED's download.
pub(super) fn csv(body: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body.as_bytes().to_vec(), "text/csv; charset=utf-8")
}

/// A response of FRED's API.
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

/// Starts a server that sends these bytes, then `times` - 1 further MiB, and closes. Returns its address.
pub(super) async fn serve_bytes(bytes: &'static [u8], times: usize) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = [0u8; 4096];
            let _read = socket.read(&mut request).await;
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

/// Returns a ZIP archive with one file.
pub(super) fn zip_file(name: &str, bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file(name, options).unwrap();
    archive.write_all(bytes).unwrap();
    archive.finish().unwrap().into_inner()
}
