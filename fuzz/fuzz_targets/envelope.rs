//! The members of a JSON-RPC message that rate limits and plain calls need.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use econoscope::mcp::Message;

fuzz_target!(|body: &[u8]| {
    if let Ok(found) = Message::read(Bytes::copy_from_slice(body)) {
        let whole: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
        // Deeper than the other reader goes, there is nothing to compare with.
        if whole.is_object() {
            assert_eq!(whole["method"].as_str(), found.method.as_deref());
        }
    }
});
