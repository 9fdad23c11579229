//! What names a table: "yield curve in June 2007 and now", "employment report as published 2023-09-01", "$1,200".

use crate::prelude::*;
use econoscope_core::model::table;
use econoscope_core::model::words::keywords;
use std::sync::LazyLock;

/// The tables with their titles and names, by significant words. Names of the last column are also those of series, and mean
/// a table only beside days.
const NAMES: &str = include_str!("../../../data/table_names.csv");

/// Words that say nothing of which table is meant.
const FILLERS: &str = "whole full entire complete all every table us u number figure data tenor maturity \
    highest lowest worst best has have had most least with by rank";

/// Words that join days to a name.
const JOINTS: &str = "it in on of for at from since and vs versus to against with compared the what is was worth would be as \
    published known first reported printed between a look like how did show current";

/// Words after which a day is that of the knowledge; "as" alone is none: "as of".
const KNOWN: [&str; 4] = ["published", "known", "reported", "printed"];

/// Most words of a text that may name a table: each run of them is looked up.
const MAX_WORDS: usize = 16;

/// What a text asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Wording {
    /// The table, as in the data; empty for series that were named one by one.
    pub(super) table: &'static str,
    pub(super) title: String,
    /// Dollars of the first day.
    pub(super) amount: Option<f64>,
    /// Days in the text, as written.
    pub(super) days: Vec<String>,
    /// The day on which figures were known, as written.
    pub(super) known: Option<String>,
}

impl Wording {
    /// Whether it compares days: of figures that are not revised a day of knowledge is one of them.
    pub(super) fn is_of_days(table: &str) -> bool {
        table.ends_with("curve") || table == "amount"
    }
}

/// A day in a text, as written.
struct WrittenDay {
    text: String,
    is_known: bool,
}

/// A table with a name.
struct Named {
    table: &'static str,
    title: &'static str,
    /// Whether it is meant only beside days.
    is_dated: bool,
}

/// What an amount of dollars names, beside days.
static AMOUNT: Named = Named {
    table: "amount",
    title: "",
    is_dated: true,
};

static TABLES: LazyLock<BTreeMap<Vec<String>, Named>> = LazyLock::new(|| {
    // A test reads every row.
    let rows = table::rows(NAMES).filter_map(|(_, row)| row.ok());
    let mut tables = BTreeMap::new();
    for [table, title, names, dated] in rows {
        for (list, is_dated) in [(names, false), (dated, true)] {
            for name in list.split('|').filter(|name| !name.is_empty()) {
                let named = Named {
                    table,
                    title,
                    is_dated,
                };
                tables.insert(significant(name), named);
            }
        }
    }
    tables
});

/// Returns the words of a name that count, in alphabetical order.
fn significant(name: &str) -> Vec<String> {
    let mut words: Vec<String> = keywords(name)
        .filter(|word| !is_one_of(FILLERS, word))
        .collect();
    words.sort_unstable();
    words
}

/// Reads a text; `None` unless it names a table, and nothing else but days. `is_dated` if days are given beside it.
pub(super) fn read(text: &str, is_dated: bool, today: Date) -> Option<Wording> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() > MAX_WORDS {
        return None;
    }
    for length in (1..=words.len()).rev() {
        for (start, run) in words.windows(length).enumerate() {
            let name = run.join(" ");
            let amount = amount(&name);
            let meant = amount.map(|_| &AMOUNT);
            let Some(named) = meant.or_else(|| TABLES.get(&significant(&name))) else {
                continue;
            };
            let before = words.iter().take(start);
            let rest = before.chain(words.iter().skip(start + length));
            let Some(mut written) = days(rest.copied(), today) else {
                continue;
            };
            if !named.is_dated || is_dated || !written.is_empty() {
                let is_revised = !Wording::is_of_days(named.table);
                let at = written.iter().position(|day| is_revised && day.is_known);
                let known = at.map(|at| written.remove(at).text);
                let days = written.into_iter().map(|day| day.text).collect();
                return Some(Wording {
                    table: named.table,
                    title: named.title.to_owned(),
                    amount,
                    days,
                    known,
                });
            }
        }
    }
    None
}

/// Reads an amount of dollars: "$1,200", "1200 dollars".
fn amount(name: &str) -> Option<f64> {
    let lower = name.to_ascii_lowercase();
    let number = lower
        .strip_prefix('$')
        .or_else(|| lower.strip_suffix(" dollars"))
        .or_else(|| lower.strip_suffix(" dollar"))
        .or_else(|| lower.strip_suffix(" usd"))?;
    let digits = number.trim().replace(',', "");
    let is_number = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let amount: f64 = digits.parse().ok().filter(|_| is_number)?;
    (amount > 0.0 && amount < 1e15).then_some(amount)
}

fn is_one_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// Returns the days that words name, as written; `None` if they name anything else.
fn days<'a>(words: impl Iterator<Item = &'a str>, today: Date) -> Option<Vec<WrittenDay>> {
    let mut days: Vec<WrittenDay> = Vec::new();
    let mut is_known = false;
    let mut is_open = false;
    let mut last = String::new();
    for spelled in words {
        let word = spelled
            .trim_matches([',', '?', '.', '!', ':'])
            .to_ascii_lowercase();
        is_known = is_known || KNOWN.contains(&word.as_str()) || last == "as" && word == "of";
        // Without a date the earlier of two days is a year back.
        let text = if word == "then" { "1y" } else { &word };
        let is_alone = ["1y", "now", "today", "latest"].contains(&text);
        let is_filler = is_one_of(JOINTS, &word) || is_one_of(FILLERS, &word);
        match days.last_mut() {
            _ if is_filler => {}
            Some(day) if is_open && !is_alone => day.text += &format!(" {text}"),
            _ => {
                days.push(WrittenDay {
                    text: text.to_owned(),
                    is_known,
                });
                is_known = false;
            }
        }
        is_open = !is_filler && !is_alone;
        last = word;
    }
    // "As published" without its day: another request.
    if is_known {
        return None;
    }
    let is_day = |day: &WrittenDay| dates::read("dates", &day.text, today, today).is_ok();
    days.iter().all(is_day).then_some(days)
}
