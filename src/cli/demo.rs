//! The first minutes: what one sees who types the name of the program, and the state of the economy in a terminal.

use super::call::table::wrapped;
use super::print::{print, printable};
use crate::app;
use crate::config::Config;
use anyhow::Result;
use econoscope_answers::endpoints::Route;
use serde_json::Value;

/// What is said to a person where an assistant would send JSON.
pub(super) const WELCOME: &str = "\
Econoscope answers questions about the US economy for assistants, programs and web pages. Started like this it waits for
an assistant on stdin; at a terminal these are of more use:

  econoscope demo               the state of the economy, here and now
  econoscope install            add it to an assistant on this machine
  econoscope serve              MCP, REST, pages and widgets on http://127.0.0.1:8080
  econoscope call get_metric 10y
  econoscope --help             all else

Then ask the assistant: How is the US economy doing? What was the macro regime in December 2008, as known then? Why is
the recession probability what it is?";

/// Series that are drawn: name, identifier, decimals; all are in percent.
const DRAWN: [(&str, &str, usize); 4] = [
    ("Unemployment rate", "UNRATE", 1),
    ("10-year Treasury yield", "DGS10", 2),
    ("Consumer prices over a year", "CPIAUCNS", 1),
    ("Recession probability, 12 months", "SERVICE_CRPI", 1),
];

/// Prose is broken at this many characters, however wide the terminal is.
const READABLE: u16 = 100;

/// Heights of a column, from low to high.
const COLUMNS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Prints the summary, and ten years of what it rests on as a small chart.
pub(super) async fn demo(config: &Config) -> Result<()> {
    let backend = app::backend(config, None, true)?;
    let summary = Route::ask(&backend, "get_macro_summary", &[]).await?;
    print("The US economy over ten years, each line from its lowest to its highest:\n")?;
    for (title, id, decimals) in DRAWN {
        // Thinned to the last figure of each quarter, so that the newest is a published one.
        let mut given = vec![
            ("seriesId", id),
            ("start", "10y"),
            ("detail", "points"),
            ("max_points", "42"),
        ];
        if id == "CPIAUCNS" {
            given.push(("units", "pc1"));
        }
        let reply = Route::ask(&backend, "get_time_series", &given).await?;
        let answer: Value = serde_json::from_slice(&reply.json)?;
        print(&printable(&line(title, decimals, &answer)))?;
    }
    print("")?;
    // Notes on single figures and owners are read where a figure is used.
    let paragraphs = summary
        .text
        .lines()
        .filter(|line| !line.starts_with("Figures: "));
    for paragraph in paragraphs.map(|line| line.split(" Notes: ").next().unwrap_or(line)) {
        print(&wrapped(&printable(paragraph), READABLE))?;
    }
    print(
        "\nNext: `econoscope install` adds this to an assistant; `econoscope sync` fetches what is newer.",
    )
}

/// A series on one line: its name, its columns, its newest figure with its date; or why there is none.
fn line(title: &str, decimals: usize, answer: &Value) -> String {
    let rows = answer.get("data").and_then(Value::as_array);
    let known = |row: &Value| {
        let date = row.get("date")?.as_str()?.to_owned();
        Some((date, row.get("value")?.as_f64()?))
    };
    let rows: Vec<(String, f64)> = rows.into_iter().flatten().filter_map(known).collect();
    let Some((date, newest)) = rows.last() else {
        let why = answer.pointer("/notes/data").and_then(Value::as_str);
        return format!("  {title:<34} none: {}", why.unwrap_or_default());
    };
    let values: Vec<f64> = rows.iter().map(|(_, value)| *value).collect();
    format!(
        "  {title:<34} {}  {newest:.decimals$} %, {date}",
        columns(&values)
    )
}

/// Values as columns between their lowest and their highest.
fn columns(values: &[f64]) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let column = |value: &f64| {
        let share = (high > low).then(|| (value - low) / (high - low));
        let height = share.unwrap_or(0.5) * 7.0 + 0.5;
        let mut highest = COLUMNS.into_iter().zip(0_u8..8).rev();
        highest.find(|(_, at)| height >= f64::from(*at))
    };
    let columns = values.iter().filter_map(column);
    columns.map(|(column, _)| column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_lowest_is_low_and_the_highest_high() {
        assert_eq!(
            columns(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
            "▁▂▃▄▅▆▇█"
        );
        assert_eq!(columns(&[-4.0, 10.0, 3.0]), "▁█▅");
        assert_eq!(columns(&[2.0, 2.0]), "▅▅");
        assert_eq!(columns(&[]), "");
    }

    #[test]
    fn a_series_without_rows_says_why() {
        let answer = json!({"data": [], "notes": {"data": "not loaded"}});
        assert!(line("VIX", 1, &answer).ends_with("none: not loaded"));
        let answer = json!({"data": [{"date": "2026-01-01", "value": 4.25}]});
        assert!(line("Rate", 1, &answer).ends_with("▅  4.2 %, 2026-01-01"));
    }
}
