//! Tests with two thousand seeded typos: the intended series is among the three suggestions, and a suggested name
//! resolves.

use super::client::Client;
use super::server;
use econoscope_core::catalogue::names::Names;
use econoscope_core::error::Error;
use econoscope_core::model::words::fold_name;
use econoscope_desk::names::resolve;
use serde_json::json;
use std::time::Instant;

const COUNT: usize = 2_000;
const ROWS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// A small seeded generator.
struct Rng(u64);

impl Rng {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }
}

/// Returns a key next to another one.
fn neighbouring_key(c: char, rng: &mut Rng) -> char {
    let low = c.to_ascii_lowercase();
    for row in ROWS {
        if let Some(at) = row.find(low) {
            let near: Vec<char> = [at.wrapping_sub(1), at + 1]
                .iter()
                .filter_map(|i| row.chars().nth(*i))
                .collect();
            return near[rng.below(near.len())];
        }
    }
    match low {
        '0' => 'o',
        '1' => 'l',
        '2'..='9' => char::from(low as u8 - 1),
        _ => 'x',
    }
}

/// Returns a name with a letter omitted, doubled, swapped with the next, or replaced by a neighbouring key.
fn misspell(name: &str, rng: &mut Rng) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = rng.below(letters.len());
    match rng.below(4) {
        0 => {
            letters.remove(at);
        }
        1 => letters.insert(at, letters[at]),
        2 if at + 1 < letters.len() => letters.swap(at, at + 1),
        _ => letters[at] = neighbouring_key(letters[at], rng),
    }
    letters.into_iter().collect()
}

/// Whether one letter was omitted, doubled, swapped or replaced.
fn is_one_edit(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let same = short.iter().zip(&long).take_while(|(x, y)| x == y).count();
    let (rest, other) = (&short[same..], &long[same..]);
    match other.len() - rest.len() {
        0 if rest.len() >= 2 && rest[0] == other[1] && rest[1] == other[0] => {
            rest[2..] == other[2..]
        }
        0 => rest.get(1..) == other.get(1..),
        1 => rest == &other[1..],
        _ => false,
    }
}

/// Whether only digits of a long number differ: that is another identifier of its agency, and no typo.
fn is_another_code(typed: &str, name: &str) -> bool {
    let letters = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    typed.len() == name.len()
        && letters(typed) == letters(name)
        && name.len() - letters(name).len() > 4
}

/// A name with a typo, the intended series, and the suggestions.
struct Typo {
    typed: String,
    intended: String,
    suggestions: Vec<String>,
}

/// Returns typos of all names, without those that are valid names.
fn typos(count: usize) -> Vec<Typo> {
    let embedded = Names::embedded();
    let mut names: Vec<(String, String)> = embedded
        .catalogue()
        .iter()
        .map(|i| (i.id.to_string(), i.id.to_string()))
        .chain(
            embedded
                .aliases()
                .map(|(alias, info)| (fold_name(alias), info.id.to_string())),
        )
        .filter(|(name, _)| fold_name(name).len() >= 3)
        .collect();
    names.sort();
    let mut rng = Rng(20_260_728);
    let mut all = Vec::new();
    // Codes that differ in one letter (LNS14000014, LNS14000024) cannot all be among three.
    let is_told = |typed: &str| {
        let near = |name: &String| is_one_edit(&fold_name(name), &fold_name(typed));
        names.iter().filter(|(name, _)| near(name)).count() <= 3
    };
    while all.len() < count {
        let (name, intended) = &names[rng.below(names.len())];
        let typed = misspell(name, &mut rng);
        if !is_told(&typed) || is_another_code(&typed, name) {
            continue;
        }
        if let Err(Error::Unknown { suggestions, .. }) = resolve::resolve("ticker", &typed) {
            all.push(Typo {
                typed,
                intended: intended.clone(),
                suggestions: suggestions.into_iter().map(|s| s.id).collect(),
            });
        }
    }
    all
}

#[test]
fn a_typo_finds_the_series_among_three_suggestions() {
    let start = Instant::now();
    let typos = typos(COUNT);
    let each = start.elapsed() / u32::try_from(COUNT).unwrap();
    let missed: Vec<(&str, &str)> = typos
        .iter()
        .filter(|s| !s.suggestions.contains(&s.intended))
        .map(|s| (s.typed.as_str(), s.intended.as_str()))
        .collect();
    println!(
        "{} of {COUNT} missed, {each:?} each: {missed:?}",
        missed.len()
    );
    assert!(
        missed.len() * 100 <= COUNT,
        "{} missed: {missed:?}",
        missed.len()
    );
}

#[tokio::test]
async fn suggested_names_resolve() {
    let mut client = Client::open(server());
    let mut works = 0;
    for Typo { typed, .. } in &typos(100) {
        let call = json!({ "name": "get_metric", "arguments": { "ticker": typed } });
        let error_result = client.result("tools/call", call).await;
        assert_eq!(error_result["isError"], true, "{typed}");
        let suggestions = &error_result["_meta"]["econoscope/error"]["suggestions"];
        for suggestion in suggestions.as_array().into_iter().flatten() {
            assert!(
                error_result["content"][0]["text"]
                    .as_str()
                    .unwrap()
                    .contains(suggestion.as_str().unwrap())
            );
            let call = json!({ "name": "get_metric", "arguments": { "ticker": suggestion } });
            let result = client.result("tools/call", call).await;
            assert_eq!(
                result["isError"], false,
                "{typed} -> {suggestion}: {result}"
            );
            works += 1;
        }
    }
    assert!(works > 100, "{works} suggestions");
}
