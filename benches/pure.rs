//! The parts that compute and write, without a server around them. `cargo bench --bench pure`
#![expect(clippy::unwrap_used, reason = "a bench that cannot start has failed")]

use bytes::Bytes;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use econoscope::mcp::Message;
use econoscope_answers::endpoints::time_series::Params;
use econoscope_answers::{Body, Encoding, Endpoint};
use econoscope_data::store::Sqlite;
use econoscope_desk::{Desk, Settings};
use serde_json::json;
use std::hint::black_box;
use std::sync::Arc;

/// The bundled history on a day that stays.
fn desk() -> Desk {
    let now = || "2026-08-22T12:00:00Z".parse().unwrap();
    Desk::open(
        Arc::new(Sqlite::bundled().unwrap()),
        Settings::default(),
        Arc::new(now),
    )
}

fn five_thousand_rows() -> Params {
    let asked = json!({ "seriesId": "DGS10", "detail": "full", "start": "1990-01-01" });
    serde_json::from_value(asked).unwrap()
}

/// 5,000 rows: cut out of a series, written, and written by way of a tree.
fn rows(c: &mut Criterion) {
    let desk = desk();
    let params = five_thousand_rows();
    let output = Params::local(&desk, &params).unwrap();
    let mut group = c.benchmark_group("5,000 rows");
    group.throughput(Throughput::Elements(5_000));
    group.bench_function("range out of a series", |b| {
        b.iter(|| Params::local(&desk, black_box(&params)).unwrap());
    });
    group.bench_function("rows and text", |b| {
        b.iter(|| Params::render(black_box(&output), &params).unwrap());
    });
    group.bench_function("tree, text of it, and both written", |b| {
        b.iter(|| {
            let tree = serde_json::to_value(black_box(&output)).unwrap();
            let text = tree.to_string();
            serde_json::to_vec(&json!({ "content": [{ "type": "text", "text": text }], "structuredContent": tree }))
        });
    });
    group.finish();
}

/// Compressing once what is then served to everyone.
fn compression(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let pool = econoscope_data::pool::Pool::default();
    let desk = desk();
    let params = five_thousand_rows();
    let output = Params::local(&desk, &params).unwrap();
    let json = Params::render(&output, &params).unwrap().json;
    let mut group = c.benchmark_group("compression of 5,000 rows");
    group.throughput(Throughput::Bytes(json.len() as u64));
    group.sample_size(20);
    for (name, encoding) in [("gzip", Encoding::Gzip), ("zstd", Encoding::Zstd)] {
        group.bench_function(name, |b| {
            b.iter_batched(
                || Arc::new(Body::new(json.clone())),
                |body| runtime.block_on(body.encoded(encoding, &pool)).unwrap(),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

/// What every request to `/mcp` is read with before it is answered.
fn envelopes(c: &mut Criterion) {
    let call = json!({ "jsonrpc": "2.0", "id": 17, "method": "tools/call",
        "params": { "name": "get_metric", "arguments": { "ticker": "DGS10" } } });
    let bytes = Bytes::from(call.to_string());
    c.bench_function("envelope of a small call", |b| {
        b.iter(|| Message::read(black_box(bytes.clone())));
    });
}

criterion_group!(pure, rows, compression, envelopes);
criterion_main!(pure);
