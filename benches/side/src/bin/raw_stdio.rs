//! Bare stdio: a line in, a borrowed parse, a line out, on one thread. `raw_stdio FILE`

use floors::{Message, answer, result};
use std::io::{BufRead, Write};

const OPENED: &[u8] = br#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"0"}}"#;

fn main() {
    let result = result();
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let message: Message<'_> = serde_json::from_slice(&line).expect("a message");
        if let Some(id) = message.id {
            let is_opening = message.method == "initialize";
            let mut out = answer(id.get(), if is_opening { OPENED } else { &result });
            out.push(b'\n');
            output.write_all(&out).and_then(|()| output.flush()).expect("a reader");
        }
        line.clear();
    }
}
