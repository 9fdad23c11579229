//! An answer of another service of the same API, in the shapes that the endpoints read.
#![no_main]
use econoscope_answers::endpoints::{glossary, latest_articles, macro_summary, metric, regime, scenarios, signals, time_series};
use libfuzzer_sys::fuzz_target;
use serde::{Serialize, de::DeserializeOwned};

/// Reads an answer; what was read can be written, and reads back.
fn read<T: DeserializeOwned + Serialize>(body: &[u8]) {
    if let Ok(answer) = serde_json::from_slice::<T>(body) {
        let text = serde_json::to_vec(&answer).expect("an answer can be written");
        assert!(serde_json::from_slice::<T>(&text).is_ok(), "{}", String::from_utf8_lossy(&text));
    }
}

fuzz_target!(|body: &[u8]| {
    read::<macro_summary::MacroSummary>(body);
    read::<regime::RegimeAnswer>(body);
    read::<metric::Metric>(body);
    read::<signals::Signals>(body);
    read::<time_series::TimeSeriesAnswer>(body);
    read::<scenarios::ScenarioList>(body);
    read::<glossary::GlossaryAnswer>(body);
    read::<latest_articles::LatestArticles>(body);
});
