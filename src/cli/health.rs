//! `econoscope health`: whether a running server answers, for whoever starts and restarts it. An image without a shell
//! has nothing else to ask with.

use super::print;
use crate::config::{Health, reachable};
use anyhow::{Context, Result, bail};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

/// A server that takes longer is not well.
const PATIENCE: Duration = Duration::from_secs(4);

/// Asks the server for `/health`; the exit code is 0 when it answers with 200, else 1.
///
/// # Errors
/// When the address is none that can be asked, or nobody answers there.
pub(super) async fn health(asked: &Health) -> Result<()> {
    let url = match &asked.url {
        Some(url) => url.clone(),
        None => Url::parse(&format!("http://{}", reachable(asked.listen)))?,
    };
    let Some(authority) = (url.scheme() == "http").then(|| url.authority()) else {
        bail!("{url} cannot be asked; give http:// and the address on which the server listens");
    };
    let place = url.socket_addrs(|| None);
    let place = place.with_context(|| format!("{authority} is no address"))?;
    let answer = tokio::time::timeout(PATIENCE, first_line(&place, authority)).await;
    let line = answer
        .with_context(|| format!("{authority} does not answer within {PATIENCE:?}"))?
        .with_context(|| format!("{authority} does not answer"))?;
    if line.split(' ').nth(1) == Some("200") {
        return print(&format!("{authority} answers"));
    }
    bail!("{authority} answers, but not as a healthy econoscope does: {line}")
}

/// The status line of the answer.
async fn first_line(place: &[SocketAddr], authority: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(place).await?;
    let request = format!("GET /health HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(4_096).read_to_end(&mut answer).await?;
    let text = String::from_utf8_lossy(&answer);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    async fn ask(answer: &'static str) -> Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let listen = listener.local_addr()?;
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 512];
            let read = stream.read(&mut request).await.unwrap();
            assert!(request[..read].starts_with(b"GET /health HTTP/1.1\r\nhost: 127.0.0.1:"));
            stream.write_all(answer.as_bytes()).await.unwrap();
        });
        health(&Health { url: None, listen }).await
    }

    #[tokio::test]
    async fn only_an_answer_of_200_is_well() {
        let well = ask("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
        assert!(well.is_ok(), "{well:?}");
        for (answer, said) in [
            ("HTTP/1.1 503 Service Unavailable\r\n\r\n", "503"),
            ("SSH-2.0-x\r\n", "SSH"),
            ("", "not as a healthy"),
        ] {
            let error = ask(answer).await.unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listen = listener.local_addr().unwrap();
        drop(listener);
        let error = health(&Health { url: None, listen }).await.unwrap_err();
        assert!(format!("{error:#}").contains(&listen.to_string()));
        let url = Some(Url::parse("https://macro.example.org").unwrap());
        let error = health(&Health { url, listen }).await.unwrap_err();
        assert!(error.to_string().contains("give http://"));
    }

    #[test]
    fn an_address_that_stands_for_all_is_asked_on_loopback() {
        for (listen, asked) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:1", "[::1]:1"),
            ("192.0.2.1:5", "192.0.2.1:5"),
        ] {
            let listen: SocketAddr = listen.parse().unwrap();
            assert_eq!(reachable(listen).to_string(), asked);
        }
    }
}
