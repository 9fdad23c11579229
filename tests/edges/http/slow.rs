//! Tests of slow, silent and leaving clients, through a real socket.

use super::support::{options, start_server};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

async fn read_response(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await;
    read.expect("the server closes").ok();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn slow_and_silent_connections_are_closed() {
    let mut options = options();
    options.connections.head_time = Duration::from_secs(2);
    let server = start_server(options).await;
    let start = Instant::now();
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    let mut half = TcpStream::connect(server.address).await.unwrap();
    half.write_all(b"GET /health HTTP/1.1\r\nhost: ")
        .await
        .unwrap();
    let mut idle = TcpStream::connect(server.address).await.unwrap();
    idle.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .await
        .unwrap();
    let mut trickle = TcpStream::connect(server.address).await.unwrap();
    let drip = tokio::spawn(async move {
        while trickle.write_all(b"G").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        start.elapsed()
    });
    for stream in [&mut silent, &mut half, &mut idle] {
        read_response(stream).await;
        let time = start.elapsed();
        assert!(time >= Duration::from_secs(2), "{time:?}");
    }
    assert!(drip.await.unwrap() >= Duration::from_secs(2));
}

#[tokio::test]
async fn a_large_request_head_is_refused() {
    let server = start_server(options()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let mut head = String::from("GET /health HTTP/1.1\r\nhost: localhost\r\n");
    for i in 0..10_000 {
        head.push_str(&format!("x-{i}: {i}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await.ok();
    let response = read_response(&mut stream).await;
    assert!(
        response.is_empty() || response.starts_with("HTTP/1.1 431"),
        "{response}"
    );
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "GET /{} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        "a".repeat(60_000)
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    assert!(read_response(&mut stream).await.starts_with("HTTP/1.1 414"));
}

#[tokio::test]
async fn endless_bodies_are_cut_and_unexpected_bodies_ignored() {
    let server = start_server(options()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    stream
        .write_all(format!("{head}content-length: 1073741824\r\n\r\n").as_bytes())
        .await
        .unwrap();
    assert!(read_response(&mut stream).await.starts_with("HTTP/1.1 413"));
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(format!("{head}transfer-encoding: chunked\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let chunk = format!("10000\r\n{}\r\n", "a".repeat(0x10000));
    let mut sent = 0;
    while sent < 1_000 && stream.write_all(chunk.as_bytes()).await.is_ok() {
        sent += 1;
    }
    assert!(sent < 1_000, "64 MiB were taken");
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let get = "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 5\r\n\r\nhello";
    stream.write_all(get.as_bytes()).await.unwrap();
    assert!(read_response(&mut stream).await.starts_with("HTTP/1.1 200"));
}

/// Connects from an address of this machine. Each third number is a block of its own.
async fn connect_from(address: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((address, 0))).unwrap();
    socket.connect(to).await.unwrap()
}

const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

#[tokio::test]
async fn excess_connections_of_an_address_get_503() {
    let mut options = options();
    options.limits.count_loopback = true;
    options.connections.max_per_address = 2;
    let server = start_server(options).await;
    let connections = [
        connect_from([127, 0, 0, 1], server.address).await,
        connect_from([127, 0, 0, 1], server.address).await,
    ];
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut third = connect_from([127, 0, 0, 1], server.address).await;
    assert!(read_response(&mut third).await.starts_with("HTTP/1.1 503"));
    drop(connections);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut fourth = connect_from([127, 0, 0, 1], server.address).await;
    fourth.write_all(HEALTH).await.unwrap();
    assert!(read_response(&mut fourth).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn idle_connections_of_few_addresses_do_not_block_others() {
    let mut options = options();
    options.limits.count_loopback = true;
    (options.connections.max, options.connections.max_per_address) = (16, 8);
    let server = start_server(options).await;
    // Two addresses of one block hold all connections and keep them alive.
    let mut connections = Vec::new();
    for n in 0..16 {
        let mut stream = connect_from([127, 0, 9, 1 + n % 2], server.address).await;
        stream
            .write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .await
            .unwrap();
        connections.push(stream);
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    for n in 0..40 {
        let mut honest = connect_from([127, 0, 20 + n, 1], server.address).await;
        honest.write_all(HEALTH).await.unwrap();
        assert!(
            read_response(&mut honest).await.starts_with("HTTP/1.1 200"),
            "{n}"
        );
    }
}

#[tokio::test]
async fn loopback_has_reserved_connections() {
    let mut options = options();
    options.connections.max = 2;
    let server = start_server(options).await;
    let _held = [
        TcpStream::connect(server.address).await.unwrap(),
        TcpStream::connect(server.address).await.unwrap(),
    ];
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut third = TcpStream::connect(server.address).await.unwrap();
    third.write_all(HEALTH).await.unwrap();
    assert!(read_response(&mut third).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn shutdown_finishes_responses_and_closes_idle_connections() {
    let server = start_server(options()).await;
    let mut idle = TcpStream::connect(server.address).await.unwrap();
    idle.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .await
        .unwrap();
    let mut first = [0; 12];
    idle.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let mut streams = Vec::new();
    for i in 0..100 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_time_series","arguments":{"seriesId":"DGS10","start":"1990-01-01","as_of":"20DAY"}}}"#
            .replace("DAY", &format!("{}-{:02}-01", 10 + i % 12, 1 + i % 12));
        let head = if i % 2 == 0 {
            format!(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{call}",
                call.len()
            )
        } else {
            format!(
                "GET /api/public/data/DGS10?start={}-01-01 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
                1_970 + i % 50
            )
        };
        stream.write_all(head.as_bytes()).await.unwrap();
        streams.push(stream);
    }
    server.shutdown.stop.cancel();
    for mut stream in streams {
        let response = read_response(&mut stream).await;
        assert!(response.starts_with("HTTP/1.1 200"), "{response:.200}");
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        let length = head
            .lines()
            .find_map(|l| l.strip_prefix("content-length: "));
        assert_eq!(length, Some(body.len().to_string().as_str()), "whole");
    }
    let ended = tokio::time::timeout(Duration::from_secs(12), server.task).await;
    ended.expect("it ends").unwrap();
    assert!(TcpStream::connect(server.address).await.is_err());
}

/// HTTP/2 is left to the reverse proxy, since its compressed heads need memory.
#[tokio::test]
async fn http_2_without_tls_is_refused() {
    let server = start_server(options()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await
        .unwrap();
    let response = read_response(&mut stream).await;
    assert!(
        response.is_empty() || response.starts_with("HTTP/1.1 400"),
        "{response}"
    );
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let upgrade = "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAoAAA\r\n\r\n";
    stream.write_all(upgrade.as_bytes()).await.unwrap();
    let response = read_response(&mut stream).await;
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
}

#[tokio::test]
async fn a_body_of_many_small_frames_is_refused() {
    let server = start_server(options()).await;
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let chunks = |text: &str| -> String { text.chars().map(|c| format!("1\r\n{c}\r\n")).collect() };
    for (text, status) in [
        (call.to_owned(), "HTTP/1.1 200"),
        (" ".repeat(2_000) + call, "HTTP/1.1 400"),
    ] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream
            .write_all(format!("{head}{}0\r\n\r\n", chunks(&text)).as_bytes())
            .await
            .unwrap();
        let response = read_response(&mut stream).await;
        assert!(response.starts_with(status), "{response}");
    }
}
