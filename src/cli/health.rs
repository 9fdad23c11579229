//! `econoscope health`: checks whether a server answers, for images without a shell.

use super::print;
use crate::config::{Health, local_address};
use anyhow::{Context, Result, bail};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

/// A server that takes longer is not healthy.
const TIMEOUT: Duration = Duration::from_secs(4);

/// Requests `/health` from the server.
///
/// # Errors
/// When the URL is not of a server over HTTP, when nothing answers there, or not with status 200.
pub(super) async fn health(options: &Health) -> Result<()> {
    let url = match &options.url {
        Some(url) => url.clone(),
        None => Url::parse(&format!("http://{}", local_address(options.listen)))?,
    };
    let Some(authority) = (url.scheme() == "http").then(|| url.authority()) else {
        bail!("{url} is not supported; write http:// and the address on which the server listens");
    };
    let addresses = url
        .socket_addrs(|| None)
        .with_context(|| format!("{authority} is not an address"))?;
    let line = tokio::time::timeout(TIMEOUT, status_line(&addresses, authority))
        .await
        .with_context(|| format!("{authority} does not answer within {TIMEOUT:?}"))?
        .with_context(|| format!("{authority} does not answer"))?;
    if line.split(' ').nth(1) == Some("200") {
        return print(&format!("{authority} answers"));
    }
    bail!("{authority} answers, but not as a healthy econoscope does: {line}")
}

/// Sends the request and returns the status line of the response.
async fn status_line(addresses: &[SocketAddr], authority: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(addresses).await?;
    let request = format!("GET /health HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream.take(4_096).read_to_end(&mut response).await?;
    let text = String::from_utf8_lossy(&response);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    /// Checks a server that sends `response`.
    async fn check(response: &'static str) -> Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let listen = listener.local_addr()?;
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 512];
            let read = stream.read(&mut request).await.unwrap();
            assert!(request[..read].starts_with(b"GET /health HTTP/1.1\r\nhost: 127.0.0.1:"));
            stream.write_all(response.as_bytes()).await.unwrap();
        });
        health(&Health { url: None, listen }).await
    }

    #[tokio::test]
    async fn only_status_200_is_healthy() {
        let healthy = check("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
        assert!(healthy.is_ok(), "{healthy:?}");
        for (response, expected) in [
            ("HTTP/1.1 503 Service Unavailable\r\n\r\n", "503"),
            ("SSH-2.0-x\r\n", "SSH"),
            ("", "not as a healthy"),
        ] {
            let error = check(response).await.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[tokio::test]
    async fn error_names_a_server_that_does_not_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listen = listener.local_addr().unwrap();
        drop(listener);
        let error = health(&Health { url: None, listen }).await.unwrap_err();
        assert!(format!("{error:#}").contains(&listen.to_string()));
        let url = Some(Url::parse("https://macro.example.org").unwrap());
        let error = health(&Health { url, listen }).await.unwrap_err();
        assert!(error.to_string().contains("write http://"));
    }

    #[test]
    fn unspecified_address_is_reached_on_loopback() {
        for (listen, expected) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:1", "[::1]:1"),
            ("192.0.2.1:5", "192.0.2.1:5"),
        ] {
            let address: SocketAddr = listen.parse().unwrap();
            assert_eq!(local_address(address).to_string(), expected);
        }
    }
}
