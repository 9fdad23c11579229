//! A series in words: what all its rows come to, and a few of them.

use super::digest::{Digest, digest, thin};
use super::{Output, rows};
use std::fmt::Write;

/// Rows that a summary shows; more would say what the figures over all rows have said.
const SHOWN: usize = 8;
/// Rows shown where the structured result holds them all.
const SHOWN_OF_ALL: usize = 60;

/// First, last, extremes and some rows: enough to answer, small enough to read.
pub(super) fn summary(output: &Output) -> String {
    let most = if output.summary.is_some() {
        SHOWN
    } else {
        SHOWN_OF_ALL
    };
    let (shown, method) = thin(&output.data, most);
    let mut text = headline(output);
    if !shown.is_empty() {
        text.push('\n');
        text.push_str(
            rows::csv("value", &shown)
                .trim_start_matches("observation_")
                .trim_end(),
        );
    }
    if shown.len() < output.data.len() {
        let _ = write!(
            text,
            "\n({method} shown; {} rows in the structured result)",
            output.data.len()
        );
    }
    finish(output, text)
}

/// All rows given, as CSV, after the same headline.
pub(super) fn points(output: &Output) -> String {
    let csv = rows::csv("value", &output.data);
    let text = format!(
        "{}\n{}",
        headline(output),
        csv.trim_start_matches("observation_").trim_end()
    );
    finish(output, text)
}

/// Where all rows are to be had, the state of knowledge and the credit line.
fn finish(output: &Output, mut text: String) -> String {
    if let Some(r) = &output.reduction
        && r.to_rows < r.from_rows
    {
        let _ = write!(
            text,
            "\n{} of {} rows given: {}; all with detail=csv or at all_rows.",
            r.to_rows, r.from_rows, r.method
        );
    }
    let p = &output.provenance;
    let credit = &output.attribution;
    let _ = write!(
        text,
        "\n{} {}\n{}: {}",
        p.sentence(),
        p.missing(),
        credit.text,
        credit.url
    );
    text
}

fn headline(output: &Output) -> String {
    let name = format!("{} ({})", output.display_name, output.series_id);
    let found = output
        .summary
        .clone()
        .or_else(|| digest(&output.data, &output.unit, 6));
    let count = output
        .reduction
        .as_ref()
        .map_or(output.row_count, |r| r.from_rows);
    let cut = if output.truncated {
        " Older rows were cut at 5,000; narrow the range to get them."
    } else {
        ""
    };
    found.map_or_else(
        || {
            format!(
                "{name}: no observation from {} to {}.",
                output.start, output.end
            )
        },
        |d| {
            let frequency = output
                .frequency
                .as_deref()
                .unwrap_or("frequency not stated");
            format!(
                "{name}, {}, {frequency}: {count} rows. {}{cut}",
                output.unit,
                figures(&d)
            )
        },
    )
}

fn figures(d: &Digest) -> String {
    let at = |r: &super::Row| format!("{} on {}", r.value, r.date);
    let percent = d
        .change_pct
        .map(|p| format!(" ({p} %)"))
        .unwrap_or_default();
    let rank = d
        .percentile
        .map(|p| format!("; the latest is above {p} % of them"))
        .unwrap_or_default();
    format!(
        "Latest {}; first {}; change {}{percent}; lowest {}; highest {}; mean {}{rank}.",
        at(&d.last),
        at(&d.first),
        d.change,
        at(&d.min),
        at(&d.max),
        d.mean
    )
}
