//! Since when, how often, how long: counted over every row of the range.

use super::Question;
use super::levels::rounded;
use crate::support::between;
use serde_json::json;

type Rows = Vec<(String, f64)>;

/// What rows a condition holds on comes to, by running over them.
struct Counted {
    met: usize,
    share: f64,
    first: String,
    last: String,
    /// Length, first and last date of the longest run, the oldest of equal ones.
    longest: (usize, String, String),
}

fn counted(rows: &Rows, is: impl Fn(f64) -> bool) -> Counted {
    let mut longest = (0, String::new(), String::new());
    let mut begun = None;
    for (i, (date, value)) in rows.iter().enumerate() {
        begun = is(*value).then(|| begun.unwrap_or(i));
        if let Some(start) = begun.filter(|start| i + 1 - start > longest.0) {
            longest = (i + 1 - start, rows[start].0.clone(), date.clone());
        }
    }
    let all: Vec<&String> = rows.iter().filter(|r| is(r.1)).map(|r| &r.0).collect();
    let count = |n: usize| f64::from(u32::try_from(n).unwrap());
    Counted {
        met: all.len(),
        share: rounded(100.0 * count(all.len()) / count(rows.len()), 2),
        first: all[0].clone(),
        last: all[all.len() - 1].clone(),
        longest,
    }
}

fn asked(
    words: &'static str,
    id: &'static str,
    condition: &str,
    is_met: fn(f64) -> bool,
    days: [&str; 2],
) -> Question {
    let [first, last] = days;
    let rows = between(id, first, last);
    let found = counted(&rows, is_met);
    let (length, start, end) = found.longest;
    let arguments = json!({"seriesId": id, "condition": condition, "start": first, "end": last});
    Question::new(words, "get_time_series", arguments)
        .at("/condition/met", found.met)
        .at("/condition/count", rows.len())
        .at("/condition/share", found.share)
        .at("/condition/first", found.first)
        .at("/condition/last", found.last)
        .at("/condition/longest/length", length)
        .at("/condition/longest/start", start.clone())
        .at("/condition/longest/end", end.clone())
        .says(format!("met in {} of {}", found.met, rows.len()))
        .says(format!("longest run {length} from {start} to {end}"))
}

pub(super) fn questions() -> Vec<Question> {
    vec![
        asked(
            "How many days was the 2s10s curve inverted since 2000?",
            "T10Y2Y",
            "< 0",
            |v| v < 0.0,
            ["2000-01-01", "2026-08-20"],
        ),
        asked(
            "For how long was the funds rate at a quarter point or less?",
            "FEDFUNDS",
            "<= 0.25",
            |v| v <= 0.25,
            ["1960-01-01", "2026-06-30"],
        ),
        asked(
            "How often was unemployment below 4 percent since 1948?",
            "UNRATE",
            "< 4",
            |v| v < 4.0,
            ["1948-01-01", "2026-06-30"],
        ),
        asked(
            "In how many weeks were there more than 500,000 new claims?",
            "ICSA",
            "> 500000",
            |v| v > 500_000.0,
            ["1967-01-07", "2026-06-30"],
        ),
        asked(
            "How many days has the ten-year yield been 5 percent or more since 2000?",
            "DGS10",
            ">= 5",
            |v| v >= 5.0,
            ["2000-01-01", "2026-08-20"],
        ),
        asked(
            "In how many months was the ten-year yield above 10 percent?",
            "GS10",
            "> 10",
            |v| v > 10.0,
            ["1960-01-01", "2026-06-30"],
        ),
        asked(
            "How often was the unemployment rate exactly 5.0 percent?",
            "UNRATE",
            "= 5",
            |v| (v - 5.0).abs() < 1e-9,
            ["1948-01-01", "2026-06-30"],
        ),
        asked(
            "How often did financial conditions stand between 0 and 1?",
            "NFCI",
            "NFCI > 0 and NFCI < 1",
            |v| v > 0.0 && v < 1.0,
            ["1971-01-08", "2026-06-30"],
        ),
        asked(
            "In how many months was the three-month bill not below 3 percent?",
            "TB3MS",
            "not TB3MS < 3",
            |v| v >= 3.0,
            ["1960-01-01", "2026-06-30"],
        ),
    ]
}
