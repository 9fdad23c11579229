//! Questions as people put them, each asked once with the arguments that an assistant would send. What is right is
//! computed here out of the CSV files by plain arithmetic, and looked for in the text and in the structure, for some
//! hosts show a model the one and some the other. What each form costs is printed and bounded.
//!
//! A table is a function that returns questions; [`TABLES`] has them all.

mod beside;
mod conditions;
mod derived;
mod events;
mod harder;
mod history;
mod levels;
mod meant;
mod revised;
mod windows;

use super::expanded::{expanded, untrue};
use super::support::{backend, real};
use econoscope_answers::{Backend, Route};
use econoscope_data::store::Sqlite;
use serde_json::Value;
use std::sync::Arc;

/// Every table of questions.
const TABLES: [fn() -> Vec<Question>; 10] = [
    beside::questions,
    conditions::questions,
    levels::questions,
    events::questions,
    harder::questions,
    windows::questions,
    derived::questions,
    meant::questions,
    revised::questions,
    history::questions,
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

    /// What a reader of the text alone does not find.
    fn missing_in_text(&self, text: &str) -> Vec<String> {
        let missing = |wanted: &Wanted| match wanted {
            Wanted::Says(words) if !text.contains(words.as_str()) => {
                Some(format!("the text lacks: {words}"))
            }
            Wanted::At(..) | Wanted::Says(_) => None,
        };
        self.wanted.iter().filter_map(missing).collect()
    }

    /// What a reader of the structure alone does not find.
    fn missing_in_structure(&self, structure: &Value) -> Vec<String> {
        let missing = |wanted: &Wanted| match wanted {
            Wanted::At(place, value) => {
                let found = structure.pointer(place).unwrap_or(&Value::Null);
                (!is_same(found, value)).then(|| format!("{place}: {found}, expected {value}"))
            }
            Wanted::Says(_) => None,
        };
        self.wanted.iter().filter_map(missing).collect()
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
    let answer = runtime
        .block_on(route.call(backend, route.with_assistant_defaults(given)))
        .unwrap_or_else(|e| panic!("{}: {e}", question.words));
    let structure = answer.structure().unwrap().value;
    let whole = serde_json::from_slice(&answer.json).unwrap();
    let wrong = untrue(&expanded(&structure), &whole, "");
    assert_eq!(wrong, None, "{}", question.words);
    (structure, answer.text.to_string())
}

/// What answering from one form alone, the text or the structure, has come to.
#[derive(Default)]
struct Form {
    characters: Vec<usize>,
    tokens: Vec<usize>,
    errors: Vec<String>,
}

impl Form {
    /// Counts one call: what it costs, and what its answer lacks.
    fn add(&mut self, question: &str, answer: &str, tokens: usize, missing: &[String]) {
        self.characters.push(answer.chars().count());
        self.tokens.push(tokens);
        if !missing.is_empty() {
            let lines = missing.join("\n  ");
            self.errors
                .push(format!("{question}\n  {lines}\n{answer}\n"));
        }
    }

    fn calls(&self) -> usize {
        self.characters.len()
    }

    /// A row of the table.
    fn row(&self, name: &str) -> String {
        format!(
            "{name:10} {:5} {:6} {:?} {:?}",
            self.calls(),
            self.errors.len(),
            costs(&self.characters),
            costs(&self.tokens)
        )
    }
}

/// Mean and 95th percentile.
fn costs(each: &[usize]) -> (usize, usize) {
    let mut sorted = each.to_vec();
    sorted.sort_unstable();
    let mean = sorted.iter().sum::<usize>() / sorted.len();
    (mean, sorted[sorted.len() * 95 / 100])
}

#[test]
fn one_call_answers_a_question_in_the_text_and_in_the_structure() {
    let backends = [
        backend(real()),
        backend(Arc::new(Sqlite::bundled().unwrap())),
    ];
    let encoding = tiktoken_rs::cl100k_base().unwrap();
    let count = |text: &str| encoding.encode_ordinary(text).len();
    let mut texts = Form::default();
    let mut structures = Form::default();
    for question in TABLES.iter().flat_map(|table| table()) {
        let has = |of: fn(&Wanted) -> bool| question.wanted.iter().any(of);
        assert!(
            has(|w| matches!(w, Wanted::At(..))) && has(|w| matches!(w, Wanted::Says(_))),
            "{}: looked for in both",
            question.words
        );
        let backend = &backends[usize::from(question.with_vintages)];
        let (structure, text) = call(backend, &question);
        let whole = structure.to_string();
        let cost = (count(&text), count(&whole));
        println!("{:5} {:5}  {}", cost.0, cost.1, question.words);
        let missing = question.missing_in_text(&text);
        texts.add(question.words, &text, cost.0, &missing);
        let missing = question.missing_in_structure(&expanded(&structure));
        structures.add(question.words, &whole, cost.1, &missing);
    }
    println!("form       calls errors characters and tokens of an answer: (mean, 95th percentile)");
    // A question that needed another call would be wrong in that form: there are as many calls as questions.
    println!("{}\n{}", texts.row("text"), structures.row("structure"));
    assert!(texts.calls() >= 120, "{} questions", texts.calls());
    for (form, characters, tokens) in [
        (texts, 1_400, (350, 1_000)),
        (structures, 1_750, (450, 1_200)),
    ] {
        let wrong = form.errors.join("\n");
        assert!(wrong.is_empty(), "{} wrong:\n{wrong}", form.errors.len());
        let (mean, _) = costs(&form.characters);
        assert!(mean <= characters, "{mean} characters a question");
        let (mean, high) = costs(&form.tokens);
        assert!(mean <= tokens.0 && high <= tokens.1, "{mean} {high}");
    }
}
