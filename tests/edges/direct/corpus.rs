//! A corpus of messages: plain, hostile and randomly mutated ones, the same in every run.

use serde_json::{Value, json};

/// A protocol version with a handshake, and one without.
pub(crate) const LEGACY: &str = "2025-06-18";
pub(crate) const MODERN: &str = "2026-07-28";

/// Ids, including invalid ones.
pub(crate) const IDS: [&str; 22] = [
    "0",
    "1",
    "-7",
    "9007199254740993",
    "999999999999999999",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "1.0",
    "1.5",
    "1e2",
    "-0",
    "01",
    "\"\"",
    "\"abc\"",
    "\"\u{e4}\u{20ac}\"",
    "\"\\u0041\"",
    "\"\\ud800\"",
    "null",
    "true",
    "[1]",
    "{}",
];

/// `_meta` of the newest revision, valid and invalid.
pub(crate) fn metas() -> Vec<String> {
    let version = "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"";
    let client = "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"t\",\"version\":\"1\"}";
    let able = "\"io.modelcontextprotocol/clientCapabilities\"";
    vec![
        modern_meta(),
        format!("{{{version},{able}:{{}}}}"),
        format!(
            "{{{version},{able}:{{\"elicitation\":{{\"form\":{{}}}},\"roots\":{{\"listChanged\":true}}}}}}"
        ),
        format!("{{{version},{able}:{{\"roots\":7}}}}"),
        format!("{{{version},{able}:null}}"),
        format!("{{{version},{able}:[]}}"),
        format!("{{{version}}}"),
        format!("{{{able}:{{}},{client}}}"),
        format!("{{{version},{able}:{{}},\"progressToken\":1}}"),
        format!(
            "{{{version},{able}:{{}},\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\"}}"
        ),
        format!("{{{version},{able}:{{}},\"io.modelcontextprotocol/clientInfo\":7}}"),
        format!("{{{version},{able}:{{}},\"x\":1e999}}"),
        format!("{{{version},{able}:{{}},\"x\":\"\\ud800\"}}"),
        format!(
            "{{{version},{able}:{{}},\"x\":{}1{}}}",
            "[".repeat(126),
            "]".repeat(126)
        ),
        format!("{{{version},{version},{able}:{{}}}}"),
        format!("{{\"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\",{able}:{{}}}}"),
        format!("{{\"io.modelcontextprotocol/protocolVersion\":\"2027-01-01\",{able}:{{}}}}"),
        format!("{{\"io.modelcontextprotocol/protocolVersion\":7,{able}:{{}}}}"),
        "{}".into(),
        "null".into(),
        "[]".into(),
        "7".into(),
        "{\"progressToken\":\"a\"}".into(),
        "{\"progressToken\":-7,\"openai/userAgent\":\"x\"}".into(),
        "{\"progressToken\":1.5}".into(),
        "{\"progressToken\":18446744073709551615}".into(),
        "{\"progressToken\":null}".into(),
        "{\"progressToken\":{}}".into(),
        "{\"io.modelcontextprotocol/related-task\":{\"taskId\":\"a\"}}".into(),
        "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}".into(),
        format!("{{{version},{able}:{{}},\"progressToken\":[]}}"),
        "{\"a\":{\"b\":[]}}".into(),
    ]
}

/// The `_meta` of a client of the newest revision.
pub(crate) fn modern_meta() -> String {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
    .to_string()
}

/// Formats a call as text, with `_meta` if given.
pub(crate) fn call(id: &str, tool: &str, arguments: &Value, meta: Option<&str>) -> String {
    let field = meta.map(|m| format!(",\"_meta\":{m}")).unwrap_or_default();
    let name = Value::from(tool);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{name},"arguments":{arguments}{field}}}}}"#
    )
}

/// Bodies that are calls in an unusual form, or almost calls.
pub(crate) fn odd_bodies() -> Vec<String> {
    let call =
        r#""method":"tools/call","params":{"name":"get_metric","arguments":{"ticker":"10y"}}"#;
    let head = r#""jsonrpc":"2.0","id":1"#;
    let deep = |n: usize| format!("{}1{}", "[".repeat(n), "]".repeat(n));
    let mut all = vec![
        format!("{{{call},{head}}}"),
        format!("  {{{head},{call}}}\r\n "),
        format!("\u{feff}{{{head},{call}}}"),
        format!("[{{{head},{call}}}]"),
        format!("{{{head},{call}}}{{{head},{call}}}"),
        format!("{{{head},{call},}}"),
        format!("{{{head},{head},{call}}}"),
        format!("{{{head},{call},\"result\":{{}}}}"),
        format!("{{{head},{call},\"error\":{{}}}}"),
        format!("{{{head},{call},\"extra\":[1,2]}}"),
        format!("{{{head},{call},\"extra\":{}}}", deep(127)),
        format!("{{\"jsonrpc\":\"2.0\",{call}}}"),
        format!("{{\"id\":1,{call}}}"),
        format!("{{\"jsonrpc\":\"1.0\",\"id\":1,{call}}}"),
        format!("{{\"jsonrpc\":2.0,\"id\":1,{call}}}"),
        r#"["2.0",1,"tools/call",{"name":"get_regime"}]"#.into(),
        String::new(),
        "null".into(),
        "{".into(),
        "{}".into(),
    ];
    for params in [
        "null",
        "[]",
        r#"["get_regime"]"#,
        r#""get_regime""#,
        r#"{"arguments":{}}"#,
        r#"{"name":null}"#,
        r#"{"name":7}"#,
        r#"{"name":"get_regime","arguments":null}"#,
        r#"{"name":"get_regime","arguments":[]}"#,
        r#"{"name":"get_regime","arguments":7}"#,
        r#"{"name":"get_regime","arguments":{},"arguments":{}}"#,
        r#"{"name":"get_regime","_meta":null}"#,
        r#"{"name":"get_regime","_meta":{},"_meta":{}}"#,
        r#"{"name":"get_regime","task":{"ttl":1}}"#,
        r#"{"name":"get_regime","inputResponses":{},"requestState":"x"}"#,
        r#"{"name":"get_regime","cursor":"x"}"#,
        r#"{"name":"get_regim\u0065"}"#,
        r#"{"na\u006de":"get_regime"}"#,
        r#"{"name":"GET_REGIME"}"#,
        r#"{"name":"get_metric","arguments":{"ticker":"10y","ticker":"2y"}}"#,
        r#"{"name":"get_metric","arguments":{"ticker":1e999}}"#,
        r#"{"name":"get_metric","arguments":{"ticker":18446744073709551616}}"#,
        r#"{"name":"get_metric","arguments":{"ticker":-0}}"#,
        r#"{"name":"get_metric","arguments":{"ticker":"\ud800"}}"#,
        r#"{"name":"get_metric","arguments":{"ticker":"a\u0000b"}}"#,
        r#"{"name":"get_metric","arguments":{"ticker":"10y" } }"#,
        r#"{"name" : "get_metric" , "arguments" : { "ticker" : "10y" } }"#,
    ] {
        all.push(format!(
            r#"{{{head},"method":"tools/call","params":{params}}}"#
        ));
    }
    for depth in [1, 2, 3, 120, 123, 124, 125, 126, 127, 128, 200] {
        let arguments = deep(depth);
        all.push(format!(
            r#"{{{head},"method":"tools/call","params":{{"name":"get_metric","arguments":{{"ticker":{arguments}}}}}}}"#
        ));
    }
    for method in [
        "tools/list",
        "ping",
        "initialize",
        "tools\\/call",
        "tools/call ",
        "TOOLS/CALL",
        "no/such",
    ] {
        all.push(format!(
            r#"{{{head},"method":"{method}","params":{{"name":"get_regime"}}}}"#
        ));
    }
    all
}

/// A reproducible generator of numbers (xorshift64*).
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        number as usize % most.max(1)
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// Mutates a message: a few bytes are changed, removed, doubled or inserted.
    pub(crate) fn mutate(&mut self, text: &str) -> Vec<u8> {
        const PIECES: [&str; 16] = [
            "\"",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\\",
            "null",
            "1",
            "e9",
            " ",
            "\n",
            "\u{0}",
            "\u{20ac}",
            "\"id\":2,",
        ];
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            let end = (at + 1 + self.below(6)).min(bytes.len());
            match self.below(4) {
                0 => bytes[at] = self.below(256) as u8,
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let again = bytes[at..end].to_vec();
                    bytes.splice(at..at, again);
                }
                _ => {
                    let piece = self.pick(&PIECES).bytes();
                    bytes.splice(at..at, piece);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        bytes
    }
}

/// Calls with every kind of answer: small, large, a file, an image, each kind of error.
pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("get_metric", json!({ "ticker": "10y" })),
        ("get_metric", json!({ "ticker": "DGS10", "months": 3 })),
        ("get_metric", json!({ "ticker": "DGS10", "months": "3" })),
        ("get_metric", json!({ "ticker": "DGS1O" })),
        ("get_metric", json!({ "ticker": null })),
        ("get_metric", json!({ "ticker": 7 })),
        ("get_metric", json!({ "ticker": ["DGS10"] })),
        ("get_metric", json!({ "ticker": "x".repeat(300) })),
        ("get_metric", json!({ "ticker": "DGS10", "nonsense": true })),
        ("get_metric", json!({ "ticker": { "a": [1, { "b": 2 }] } })),
        ("get_metric", json!({ "ticker": "Zürich \u{202e}€" })),
        ("get_metric", json!({ "ticker": "tab\there" })),
        (
            "get_metric",
            json!({ "ticker": "DGS10", "as_of": "2026-01-15" }),
        ),
        ("get_time_series", json!({ "seriesId": "UNRATE" })),
        (
            "get_time_series",
            json!({ "seriesId": "DGS10", "detail": "full", "start": "1990-01-01" }),
        ),
        (
            "get_time_series",
            json!({ "seriesId": "DGS10", "format": "csv", "start": "1990-01-01" }),
        ),
        (
            "get_time_series",
            json!({ "seriesId": "UNRATE", "start": "2030-01-01" }),
        ),
        ("compare_series", json!({ "series": ["DGS10", "DGS2"] })),
        ("compare_series", json!({ "series": "DGS10,DGS2" })),
        ("search_series", json!({ "q": "core cpi", "limit": 3 })),
        ("search_series", json!({ "q": "core cpi", "limit": 9e9 })),
        ("search_glossary", json!({ "q": "sahm" })),
        ("no_such_tool", json!({})),
        ("", json!({})),
    ];
    for name in [
        "get_regime",
        "get_signals",
        "get_macro_summary",
        "list_scenarios",
        "get_latest_articles",
    ] {
        all.push((name, json!({})));
    }
    all
}
