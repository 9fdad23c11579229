//! Series by the words typed so far. Held and paid for as pages are, since a reader types many of them.

use super::asked::PageRequest;
use super::document::Document;
use super::questions::{Answers, Question};
use econoscope_core::error::Result;
use econoscope_data::desk::Desk;
use serde_json::Value;

pub(super) fn questions(asked: &PageRequest) -> Vec<Question> {
    let words = asked.argument("q").unwrap_or_default();
    vec![Question::new(
        "search_series",
        &[("query", words), ("limit", "8")],
    )]
}

pub(super) fn page(_: &Desk, _: &PageRequest, mut answers: Answers) -> Result<Document> {
    Ok(Document::json(&answers.read::<Value>()?))
}
