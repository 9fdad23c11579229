//! A faulty network: a TCP proxy that spoils responses by a seeded generator, and counts calls.
//!
//! It sits between the client and a healthy origin. Each connection carries one request. For each request it
//! answers 503, resets, truncates the body (with or without its length), or passes the response on.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a broken proxy must fail the test"
)]

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The faults, in percent, and the latency.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Faults {
    pub(crate) errors: u64,
    pub(crate) resets: u64,
    pub(crate) truncations: u64,
    pub(crate) delay: Duration,
}

/// The proxy. It runs until its runtime ends.
pub(crate) struct FaultyProxy {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    origin: SocketAddr,
    faults: Mutex<Faults>,
    rng: Mutex<Rng>,
    calls: AtomicU64,
    heads: Mutex<Vec<String>>,
}

/// A reproducible generator of numbers (splitmix64).
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }
}

impl FaultyProxy {
    pub(crate) async fn start(origin: SocketAddr, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            origin,
            faults: Mutex::default(),
            rng: Mutex::new(Rng(seed)),
            calls: AtomicU64::new(0),
            heads: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let shared = Arc::clone(&serving);
                // A client that hangs up ends its own connection only.
                tokio::spawn(async move { shared.serve(client).await.ok() });
            }
        });
        Self { address, shared }
    }

    /// Sets the faults.
    pub(crate) fn set_faults(&self, faults: Faults) {
        *self.shared.faults.lock().unwrap() = faults;
    }

    /// Returns the number of requests.
    pub(crate) fn calls(&self) -> u64 {
        self.shared.calls.load(Ordering::SeqCst)
    }

    /// Returns the heads of all requests.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.shared.heads.lock().unwrap().clone()
    }
}

impl Shared {
    async fn serve(&self, mut client: TcpStream) -> std::io::Result<()> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(client.read_u8().await?);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.heads.lock().unwrap().push(head.clone());
        let faults = *self.faults.lock().unwrap();
        let (fate, odd) = {
            let mut rng = self.rng.lock().unwrap();
            (rng.below(100), rng.below(2) == 0)
        };
        tokio::time::sleep(faults.delay).await;
        if fate < faults.errors {
            let status = if odd { "503 Sick" } else { "500 Sick" };
            let answer = format!(
                "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 16\r\n\r\n{{\"error\":\"sick\"}}"
            );
            return client.write_all(answer.as_bytes()).await;
        }
        if fate < faults.errors + faults.resets {
            return client.set_zero_linger();
        }
        let mut answer = self.ask_origin(&head).await?;
        if fate < faults.errors + faults.resets + faults.truncations {
            truncate(&mut answer, odd);
        }
        client.write_all(&answer).await?;
        client.shutdown().await
    }

    async fn ask_origin(&self, head: &str) -> std::io::Result<Vec<u8>> {
        let mut origin = TcpStream::connect(self.origin).await?;
        let request = head.replacen("\r\n", "\r\nconnection: close\r\n", 1);
        origin.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        origin.read_to_end(&mut answer).await?;
        Ok(answer)
    }
}

/// Drops the second half of the body. With `quietly` it also drops the length.
fn truncate(answer: &mut Vec<u8>, quietly: bool) {
    let body = answer
        .windows(4)
        .position(|w| w == b"\r\n\r\n")
        .map_or(0, |at| at + 4);
    answer.truncate(body + (answer.len() - body) / 2);
    if quietly {
        let head: String = String::from_utf8_lossy(&answer[..body])
            .into_owned()
            .split_inclusive("\r\n")
            .filter(|line| !line.to_ascii_lowercase().starts_with("content-length"))
            .collect();
        answer.splice(..body, head.into_bytes());
    }
}
