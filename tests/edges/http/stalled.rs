//! Clients that half close, talk without asking, or let answers pile up: HTTP/2 by hand, for no library would do so.

use super::support::{live, options};
use econoscope::admission::LimitSettings;
use econoscope::server::Options;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const END_STREAM: u8 = 1;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// The preface, and how many bytes each stream may send.
fn opening(window: u32) -> Vec<u8> {
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    bytes.extend(frame(
        4,
        0,
        0,
        &[&[0, 4][..], &window.to_be_bytes()].concat(),
    ));
    bytes
}

fn get(path: &str, stream: u32) -> Vec<u8> {
    let mut head = Vec::new();
    for (name, value) in [
        (":method", "GET"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "localhost"),
    ] {
        head.push(0);
        for text in [name, value] {
            head.push(u8::try_from(text.len()).unwrap());
            head.extend(text.as_bytes());
        }
    }
    frame(HEADERS, END_STREAM | 4, stream, &head)
}

/// Whole frames as kind, flags, stream and payload.
fn frames(mut bytes: &[u8]) -> Vec<(u8, u8, u32, &[u8])> {
    let mut found = Vec::new();
    while let [a, b, c, kind, flags, s @ ..] = bytes
        && s.len() >= 4
    {
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        let stream = u32::from_be_bytes(s[..4].try_into().unwrap());
        let Some(payload) = s.get(4..4 + length) else {
            break;
        };
        found.push((*kind, *flags, stream, payload));
        bytes = &s[4 + length..];
    }
    found
}

/// What comes until the server closes.
async fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    let read = tokio::time::timeout(Duration::from_secs(20), read).await;
    read.expect("the server closes").ok();
    bytes
}

/// What comes to a client that sends and then closes its half.
async fn half_closed(address: SocketAddr, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    stream.shutdown().await.unwrap();
    rest(&mut stream).await
}

#[tokio::test]
async fn a_client_that_closes_its_sending_half_reads_its_whole_answer() {
    let live = live(options()).await;
    let path = "/api/public/data/DGS10?start=max";
    let whole = half_closed(
        live.address,
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").as_bytes(),
    )
    .await;
    let whole = String::from_utf8(whole).unwrap();
    let (head, body) = whole.split_once("\r\n\r\n").expect("an answer");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains(&format!("content-length: {}", body.len())));

    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_metric","arguments":{"ticker":"DGS10"}}}"#;
    let post = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n{call}",
        call.len()
    );
    let said = half_closed(live.address, post.as_bytes()).await;
    assert!(said.starts_with(b"HTTP/1.1 200"));

    let mut asked = opening(0x7fff_ffff);
    asked.extend(frame(8, 0, 0, &0x3fff_ffff_u32.to_be_bytes()));
    for stream in [1, 3, 5] {
        asked.extend(get(path, stream));
    }
    let said = half_closed(live.address, &asked).await;
    for stream in [1, 3, 5] {
        let data = frames(&said);
        let data: Vec<_> = data
            .iter()
            .filter(|(kind, _, s, _)| *kind == DATA && *s == stream)
            .collect();
        let bytes: usize = data.iter().map(|(.., payload)| payload.len()).sum();
        assert_eq!(bytes, body.len(), "stream {stream}");
        assert_eq!(data.last().unwrap().1 & END_STREAM, END_STREAM);
    }
}

#[tokio::test]
async fn frames_that_ask_for_nothing_end_the_connection_and_requests_do_not() {
    let live = live(options()).await;
    let ping = frame(6, 0, 0, b"12345678");
    let talk = [
        ping.clone(),
        frame(6, 1, 0, b"12345678"),
        frame(4, 0, 0, &[]),
        frame(8, 0, 0, &[0, 0, 0, 1]),
        frame(2, 0, 1, &[0, 0, 0, 0, 16]),
        frame(0x55, 0, 0, b"unknown"),
    ];
    for one in talk {
        let mut stream = TcpStream::connect(live.address).await.unwrap();
        stream
            .write_all(&[opening(65_535), get("/health", 1)].concat())
            .await
            .unwrap();
        let (mut read, mut write) = stream.into_split();
        let sink = tokio::spawn(async move {
            let mut bytes = vec![0; 65_536];
            while read.read(&mut bytes).await.is_ok_and(|n| n > 0) {}
        });
        // 6 MB at least: a server that takes them all is not closing.
        let many = one.repeat(1_000);
        let mut sent = 0;
        while sent < 400 && write.write_all(&many).await.is_ok() {
            sent += 1;
        }
        assert!(sent < 400, "{:?} may come without end", &one[..9]);
        sink.await.unwrap();
    }

    // A client that asks may also ping, and open its windows: 2,000 such frames in all.
    let mut stream = TcpStream::connect(live.address).await.unwrap();
    stream.write_all(&opening(65_535)).await.unwrap();
    let (mut said, mut bytes) = (Vec::new(), vec![0; 65_536]);
    for i in 0..500 {
        let window = frame(8, 0, 0, &1_000_u32.to_be_bytes());
        let talk = [ping.clone(), window].concat().repeat(2);
        let asked = [get("/health", 2 * i + 1), talk].concat();
        stream.write_all(&asked).await.unwrap();
        let ended = |f: &(u8, u8, u32, &[u8])| f.0 == DATA && f.1 & END_STREAM != 0;
        while frames(&said).into_iter().rfind(ended).map(|f| f.2) != Some(2 * i + 1) {
            let more = stream.read(&mut bytes).await.unwrap();
            assert!(more > 0, "closed at request {i}");
            said.extend(&bytes[..more]);
        }
    }
}

#[tokio::test]
async fn who_lets_too_much_pile_up_is_refused_without_a_body_until_it_is_given_up() {
    let live = live(Options {
        limits: LimitSettings {
            data: 100_000,
            per_second: 100_000,
            burst: 100_000,
            count_loopback: true,
            ..LimitSettings::default()
        },
        ..options()
    })
    .await;
    let path = "/api/public/data/DGS10?start=max";
    let mut shut = Vec::new();
    let mut refused = 0;
    // 384 answers of 170 kB: 64 MiB, of which an address may hold 28.
    for _ in 0..3 {
        let mut stream = TcpStream::connect(live.address).await.unwrap();
        let mut asked = opening(0);
        for i in 0..128 {
            asked.extend(get(path, 2 * i + 1));
        }
        stream.write_all(&asked).await.unwrap();
        let mut said = Vec::new();
        let mut bytes = vec![0; 65_536];
        // 128 heads come, whatever they say; no body can.
        loop {
            let all = frames(&said);
            let heads: Vec<_> = all.iter().filter(|f| f.0 == HEADERS).collect();
            if heads.len() == 128 {
                refused += heads.iter().filter(|f| f.1 & END_STREAM != 0).count();
                break;
            }
            let more = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut bytes));
            let more = more.await.expect("every request is answered").unwrap();
            assert!(more > 0, "the connection stays open");
            said.extend(&bytes[..more]);
        }
        shut.push(stream);
    }
    assert!(refused > 100 && refused < 384, "{refused} refused");
    let ask = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    assert!(
        half_closed(live.address, ask)
            .await
            .starts_with(b"HTTP/1.1 503")
    );
    for stream in &mut shut {
        let cancel = |i: u32| frame(3, 0, 2 * i + 1, &[0, 0, 0, 8]);
        let all: Vec<u8> = (0..128).flat_map(cancel).collect();
        stream.write_all(&all).await.unwrap();
    }
    let mut tries = 0;
    while !half_closed(live.address, ask)
        .await
        .starts_with(b"HTTP/1.1 200")
    {
        tries += 1;
        assert!(tries < 100, "what was held is given back");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
