//! `econoscope demo`: the state of the economy in a terminal; and the welcome text of the program.

use super::call::table::wrap;
use super::output::{print, printable};
use crate::app;
use crate::config::Config;
use anyhow::Result;
use econoscope_answers::Route;
use econoscope_desk::Audience;
use serde_json::Value;

/// Text for a person who starts the program without a command.
pub(super) const WELCOME: &str = include_str!("../../data/help/welcome.txt");

/// Series of the charts: title, identifier, decimals. All are in percent.
const SERIES: [(&str, &str, usize); 4] = [
    ("Unemployment rate", "UNRATE", 1),
    ("10-year Treasury yield", "DGS10", 2),
    ("Consumer prices over a year", "CPIAUCNS", 1),
    ("Recession probability, 12 months", "SERVICE_CRPI", 1),
];

/// Longest line, in characters: the width of a terminal.
pub(super) const MAX_WIDTH: u16 = 80;

/// Bars of a sparkline, from low to high.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Prints ten years of four series as sparklines, and the macro summary.
pub(super) async fn demo(config: &Config) -> Result<()> {
    let backend = app::open_backend(config, None, Audience::Own)?;
    let summary = Route::call_tool(&backend, "get_macro_summary", &[]).await?;
    print("The US economy over ten years, each line from its lowest to its highest:\n")?;
    for (title, id, decimals) in SERIES {
        // 21 points are the last figures of half-years, so the newest point is a published figure.
        let mut arguments = vec![
            ("seriesId", id),
            ("start", "10y"),
            ("detail", "points"),
            ("max_points", "21"),
        ];
        if id == "CPIAUCNS" {
            arguments.push(("units", "pc1"));
        }
        let reply = Route::call_tool(&backend, "get_time_series", &arguments).await?;
        let answer: Value = serde_json::from_slice(&reply.json)?;
        print(&printable(&chart_line(title, decimals, &answer)))?;
    }
    print("")?;
    // Sources are left out.
    let lines = summary.text.lines();
    for line in lines.filter(|line| !line.starts_with("Sources: ")) {
        print(&wrap(&printable(line), MAX_WIDTH))?;
    }
    print(
        "\nNext: `econoscope install` adds this to an assistant; `econoscope sync` fetches what is newer.",
    )
}

/// Formats a series on one line: title, sparkline, newest value and date; or why there is no value.
fn chart_line(title: &str, decimals: usize, answer: &Value) -> String {
    let rows = answer.get("data").and_then(Value::as_array);
    let row = |row: &Value| {
        let date = row.get("date")?.as_str()?.to_owned();
        Some((date, row.get("value")?.as_f64()?))
    };
    let figures = rows.into_iter().flatten().filter_map(row);
    let (dates, values): (Vec<String>, Vec<f64>) = figures.unzip();
    let Some((date, newest)) = dates.last().zip(values.last()) else {
        let why = answer.pointer("/notes/data").and_then(Value::as_str);
        return format!("  {title:<32} none: {}", why.unwrap_or_default());
    };
    let sparkline = sparkline(&values);
    format!("  {title:<32} {sparkline}  {newest:.decimals$} %, {date}")
}

/// Draws values as bars between the lowest and the highest.
fn sparkline(values: &[f64]) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let bar = |value: &f64| {
        let share = (high > low).then(|| (value - low) / (high - low));
        let height = share.unwrap_or(0.5) * 7.0 + 0.5;
        let mut bars = BARS.into_iter().zip(0_u8..8).rev();
        bars.find_map(|(bar, at)| (height >= f64::from(at)).then_some(bar))
    };
    values.iter().filter_map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sparkline_scales_between_lowest_and_highest() {
        assert_eq!(
            sparkline(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
            "▁▂▃▄▅▆▇█"
        );
        assert_eq!(sparkline(&[-4.0, 10.0, 3.0]), "▁█▅");
        assert_eq!(sparkline(&[2.0, 2.0]), "▅▅");
        assert_eq!(sparkline(&[]), "");
    }

    #[test]
    fn every_line_fits_a_terminal() {
        let rows: Vec<Value> = (0..21)
            .map(|n| json!({"date": "2026-10-21", "value": f64::from(n) + 10.0}))
            .collect();
        for (title, ..) in SERIES {
            let line = chart_line(title, 2, &json!({"data": rows}));
            assert!(line.chars().count() <= usize::from(MAX_WIDTH), "{line}");
        }
    }

    #[test]
    fn series_without_rows_has_a_reason() {
        let answer = json!({"data": [], "notes": {"data": "not loaded"}});
        assert!(chart_line("VIX", 1, &answer).ends_with("none: not loaded"));
        let answer = json!({"data": [{"date": "2026-01-01", "value": 4.25}]});
        assert!(chart_line("Rate", 1, &answer).ends_with("▅  4.2 %, 2026-01-01"));
    }
}
