//! Questions as people put them, each asked once with the arguments that an assistant would send. What is right is
//! computed here out of the CSV files by plain arithmetic, and looked for in the text and in the structure, for some
//! hosts show a model the one and some the other.
//!
//! A table is a function that returns questions; [`TABLES`] has them all.

mod beside;
mod conditions;
mod derived;
mod events;
mod levels;
mod meant;
mod revised;
mod windows;

use super::expanded::{expanded, untrue};
use super::support::{backend, real};
use econoscope_answers::endpoints::{Backend, Route};
use econoscope_data::store::Sqlite;
use serde_json::Value;
use std::sync::Arc;

/// Every table of questions.
const TABLES: [fn() -> Vec<Question>; 8] = [
    beside::questions,
    conditions::questions,
    levels::questions,
    events::questions,
    windows::questions,
    derived::questions,
    meant::questions,
    revised::questions,
];

/// A question, the call that answers it, and what must be found in the answer.
pub(crate) struct Question {
    words: &'static str,
    tool: &'static str,
    arguments: Value,
    wanted: Vec<Wanted>,
    /// Whether what was known at the time is asked about, which the vintages that come with the program tell.
    with_vintages: bool,
}

/// Something that an answer must hold.
enum Wanted {
    /// A value at a place of the structure (RFC 6901); a number to within half of the ninth decimal.
    At(&'static str, Value),
    /// Words, figures with their dates and units among them, of the text.
    Says(String),
}

impl Question {
    /// A question and its call.
    pub(crate) fn new(words: &'static str, tool: &'static str, arguments: Value) -> Self {
        Self {
            words,
            tool,
            arguments,
            wanted: Vec::new(),
            with_vintages: false,
        }
    }

    /// It asks what was known at the time.
    pub(crate) fn with_vintages(mut self) -> Self {
        self.with_vintages = true;
        self
    }

    /// The structure has a value at a place.
    pub(crate) fn at(mut self, place: &'static str, value: impl Into<Value>) -> Self {
        self.wanted.push(Wanted::At(place, value.into()));
        self
    }

    /// The text says something.
    pub(crate) fn says(mut self, words: impl Into<String>) -> Self {
        self.wanted.push(Wanted::Says(words.into()));
        self
    }

    /// What is not as wanted.
    fn wrong(&self, structure: &Value, text: &str) -> Vec<String> {
        let wrong = |wanted: &Wanted| match wanted {
            Wanted::At(place, value) => {
                let told = structure.pointer(place).unwrap_or(&Value::Null);
                (!is_same(told, value)).then(|| format!("{place}: {told}, expected {value}"))
            }
            Wanted::Says(words) => {
                (!text.contains(words.as_str())).then(|| format!("the text lacks: {words}"))
            }
        };
        self.wanted.iter().filter_map(wrong).collect()
    }
}

fn is_same(told: &Value, expected: &Value) -> bool {
    match (told.as_f64(), expected.as_f64()) {
        (Some(told), Some(expected)) => (told - expected).abs() <= 5e-10 * expected.abs().max(1.0),
        _ => told == expected,
    }
}

fn call(backend: &Backend, question: &Question) -> (Value, String) {
    let route = Route::find(question.tool).unwrap();
    let given = question.arguments.as_object().cloned().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let answer = runtime.block_on(route.call(backend, route.for_assistant(given)));
    let answer = answer.unwrap_or_else(|e| panic!("{}: {e}", question.words));
    let structure = answer.structure().unwrap().value;
    let whole = serde_json::from_slice(&answer.json).unwrap();
    let wrong = untrue(&expanded(&structure), &whole, "");
    assert_eq!(wrong, None, "{}", question.words);
    (structure, answer.text.to_string())
}

/// Mean and 95th percentile.
fn costs(mut tokens: Vec<usize>) -> (usize, usize) {
    tokens.sort_unstable();
    let mean = tokens.iter().sum::<usize>() / tokens.len();
    (mean, tokens[tokens.len() * 95 / 100])
}

#[test]
fn one_call_answers_a_question_in_the_text_and_in_the_structure() {
    let backends = [
        backend(real()),
        backend(Arc::new(Sqlite::bundled().unwrap())),
    ];
    let encoding = tiktoken_rs::cl100k_base().unwrap();
    let count = |text: &str| encoding.encode_ordinary(text).len();
    let (mut texts, mut structures, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for question in TABLES.iter().flat_map(|table| table()) {
        let has = |of: fn(&Wanted) -> bool| question.wanted.iter().any(of);
        assert!(
            has(|w| matches!(w, Wanted::At(..))) && has(|w| matches!(w, Wanted::Says(_))),
            "{}: looked for in both",
            question.words
        );
        let backend = &backends[usize::from(question.with_vintages)];
        let (structure, text) = call(backend, &question);
        let cost = (count(&text), count(&structure.to_string()));
        println!("{:5} {:5}  {}", cost.0, cost.1, question.words);
        texts.push(cost.0);
        structures.push(cost.1);
        let failed = question.wrong(&expanded(&structure), &text);
        if !failed.is_empty() {
            wrong.push(format!(
                "{}\n  {}\n{text}\n",
                question.words,
                failed.join("\n  ")
            ));
        }
    }
    println!(
        "{} questions; tokens of the text, mean and 95th percentile: {:?}; of the structure: {:?}",
        texts.len(),
        costs(texts.clone()),
        costs(structures)
    );
    assert!(texts.len() >= 120, "{} questions", texts.len());
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let (mean, high) = costs(texts);
    assert!(mean <= 350 && high <= 1_000, "{mean} {high}");
}
