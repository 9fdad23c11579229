//! What took a second call once: several events, each series on its own dates, the last crossing, a window without rows.

use super::Question;
use super::derived::{all, year_before};
use super::levels::rounded;
use crate::support::{between, by, on, rows};
use serde_json::{Value, json};

/// Peaks of the business cycle since unemployment is counted, as the NBER dates them, and the month a year later.
const PEAKS: [(&str, &str); 12] = [
    ("1948-11-01", "1949-11-01"),
    ("1953-07-01", "1954-07-01"),
    ("1957-08-01", "1958-08-01"),
    ("1960-04-01", "1961-04-01"),
    ("1969-12-01", "1970-12-01"),
    ("1973-11-01", "1974-11-01"),
    ("1980-01-01", "1981-01-01"),
    ("1981-07-01", "1982-07-01"),
    ("1990-07-01", "1991-07-01"),
    ("2001-03-01", "2002-03-01"),
    ("2007-12-01", "2008-12-01"),
    ("2020-02-01", "2021-02-01"),
];

fn series(words: &'static str, arguments: Value) -> Question {
    Question::new(words, "get_time_series", arguments)
}

fn compare(words: &'static str, arguments: Value) -> Question {
    Question::new(words, "compare_series", arguments)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(super) fn questions() -> Vec<Question> {
    [events(), own_dates(), conditions()]
        .into_iter()
        .flatten()
        .collect()
}

fn events() -> Vec<Question> {
    let crises = [
        ("2008-09-15", "2009-09-15"),
        ("2020-03-16", "2021-03-16"),
        ("2023-03-10", "2024-03-10"),
    ];
    let moves = crises.map(|(from, to)| by("DGS10", to).1 - by("DGS10", from).1);
    let risen = PEAKS.map(|(from, to)| on("UNRATE", to) - on("UNRATE", from));
    vec![
        series(
            "Where did the 10-year stand a year after Lehman, the pandemic's first cut and SVB, and on average?",
            json!({"seriesId": "DGS10", "after": "2008-09-15, 2020-03-16, 2023-03-10", "horizons": ["12m"]}),
        )
        .at("/points/1/change", rounded(moves[0], 2))
        .at("/points/5/date", by("DGS10", "2024-03-10").0)
        .at("/points/5/change", rounded(moves[2], 2))
        .at("/means/0/change", mean(&moves))
        .at("/means/0/rises", 2)
        .says(format!("Mean of 3 events, +12m: {:+.2} points", mean(&moves)))
        .says("higher after 2"),
        series(
            "How much does unemployment rise in the year after a business cycle peak?",
            json!({"seriesId": "UNRATE", "after": "NBER peaks", "horizons": ["12m"]}),
        )
        .at("/means/0/change", mean(&risen))
        .at("/means/0/events", PEAKS.len())
        .says(format!(
            "Mean of 12 events, +12m: {:+.1} points",
            mean(&risen)
        )),
    ]
}

fn own_dates() -> Vec<Question> {
    let rates = between("FEDFUNDS", "2025-01-01", "2026-06-30");
    let jobless = between("UNRATE", "2025-01-01", "2026-06-30");
    let average = mean(&rates.iter().map(|row| row.1).collect::<Vec<_>>());
    let prices = all("CPILFESL");
    let real: Vec<_> = between("FEDFUNDS", "2024-01-01", "2026-06-30")
        .into_iter()
        .filter_map(|(month, rate)| {
            let risen = 100.0 * (prices.get(&month)? / prices.get(&year_before(&month))? - 1.0);
            Some((rate - risen, month))
        })
        .collect();
    let usual = mean(&real.iter().map(|row| row.0).collect::<Vec<_>>());
    let (lowest, month) = real.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    vec![
        compare(
            "What has the funds rate averaged since 2025 beside unemployment, which misses a month?",
            json!({"series": ["FEDFUNDS", "UNRATE"], "start": "2025-01-01", "end": "2026-06-30"}),
        )
        .at("/columns/0/count", rates.len())
        .at("/columns/0/mean", rounded(average, 4))
        .at("/columns/1/count", jobless.len())
        .says("change,mean,lowest,lowest date,highest,highest date")
        .says(format!("{:+.1},{average:.4},", rates.last().unwrap().1 - rates[0].1))
        .says(format!("{} dates, ", rates.len()))
        .says(format!("{} common to all columns", jobless.len())),
        compare(
            "When was the funds rate less core inflation lowest since 2024?",
            json!({"series": ["FEDFUNDS - yoy(CPILFESL)"], "start": "2024-01-01", "end": "2026-06-30"}),
        )
        .at("/columns/0/min", rounded(lowest, 5))
        .at("/columns/0/minDate", month.as_str())
        .says("mean,lowest,lowest date,highest,highest date")
        .says(format!(",{usual:.4},{lowest:.5},{month},")),
    ]
}

fn conditions() -> Vec<Question> {
    let (day, newest) = rows("DGS10").pop().unwrap();
    let nearest = format!("the newest figure before the range is {newest} on {day}");
    let pump = between("GASREGW", "2022-01-01", "2022-12-31");
    let last = pump.iter().rposition(|row| row.1 > 4.5).unwrap();
    let jobs = between("PAYEMS", "2023-12-01", "2025-12-31");
    let lost = jobs.windows(2).filter(|pair| pair[1].1 < pair[0].1).count();
    vec![
        series("What has the 10-year done in the past month?", json!({"seriesId": "DGS10", "start": "1m"}))
            .at("/rowCount", 0)
            .at("/notes/nearest", nearest.as_str())
            .says(econoscope_core::indicators::prose::capitalize(&nearest)),
        series(
            "Until when did gasoline cost more than 4.50 dollars in 2022?",
            json!({"seriesId": "GASREGW", "start": "2022-01-01", "end": "2022-12-31", "condition": "> 4.5"}),
        )
        .at("/condition/last", pump[last].0.as_str())
        .at("/condition/crossing/date", pump[last + 1].0.as_str())
        .says(format!("last crossing down on {}", pump[last + 1].0)),
        series(
            "In how many months of 2024 and 2025 were jobs lost?",
            json!({"seriesId": "PAYEMS", "start": "2024-01-01", "end": "2025-12-31", "units": "chg", "condition": "< 0"}),
        )
        .at("/condition/met", lost)
        .at("/condition/count", jobs.len() - 1)
        .says(format!("met in {lost} of {} monthly figures", jobs.len() - 1)),
    ]
}
