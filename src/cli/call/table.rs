//! Rows as a table that fits the terminal.

use super::rows::{Rows, plain as text_of};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, Width};
use econoscope_data::disk::escaped;
use serde_json::Value;

/// Where no terminal says how wide it is.
const USUAL_WIDTH: u16 = 80;
/// A column of texts longer than this stands behind those that are read at a glance.
const LONG_TEXT: usize = 80;
/// A column that has less room than its longest cell has at least this much, and always room for its name.
const NARROWEST: usize = 14;
/// The first column names the row: identifiers of this length stay on one line.
const NARROWEST_NAME: usize = 24;
/// What stands around a cell and between two.
const PADDING: usize = 3;
/// More digits behind the point help nobody who reads.
const DIGITS: usize = 4;

/// Columns of the terminal.
pub(in crate::cli) fn width() -> u16 {
    terminal_size::terminal_size().map_or(USUAL_WIDTH, |(width, _)| width.0)
}

/// Names with what is said of them.
pub(super) fn columns(rows: impl Iterator<Item = [String; 2]>) -> String {
    let mut table = bare();
    for row in rows {
        table.add_row(row);
    }
    table.trim_fmt()
}

fn bare() -> Table {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width());
    table
}

/// The first line of the prose, the table, and whose figures they are.
pub(super) fn with_words(lists: &[Rows], prose: &str, answer: &Value) -> String {
    let first = prose.lines().next().map(escaped).unwrap_or_default();
    let credit = answer.pointer("/attribution/text").and_then(Value::as_str);
    let credit = credit.map(escaped).unwrap_or_default();
    // JSON is no prose, and what ends in a colon speaks of the lines below it.
    let first = match first.starts_with('{') || first.ends_with(':') {
        true => String::new(),
        false => first + "\n",
    };
    let fit = |rows| fitting(rows, usize::from(width()));
    let tables = match lists {
        [] => "No rows.".to_owned(),
        lists => lists.iter().map(fit).collect::<Vec<_>>().join("\n\n"),
    };
    format!("{first}{tables}\n{credit}")
}

/// Rows without a frame, for prose.
pub(super) fn plain(rows: &Rows) -> String {
    let lines = rows.rows.iter().map(|row| {
        let cells: Vec<String> = row.iter().map(shown).collect();
        cells.join("  ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What there is least need to see last: columns without a value, behind long texts, behind lists.
fn ordered(rows: &Rows) -> Rows {
    let rank = |at: &usize| {
        let cells = || rows.rows.iter().filter_map(|row| row.get(*at));
        match () {
            () if cells().all(Value::is_null) => 3,
            () if cells().any(|cell| text_of(cell).len() > LONG_TEXT) => 2,
            () => u8::from(cells().any(Value::is_array)),
        }
    };
    let mut order: Vec<usize> = (0..rows.columns.len()).collect();
    order.sort_by_key(rank);
    let take = |row: &Vec<Value>| {
        order
            .iter()
            .filter_map(|at| row.get(*at).cloned())
            .collect()
    };
    Rows {
        columns: order
            .iter()
            .filter_map(|at| rows.columns.get(*at).cloned())
            .collect(),
        rows: rows.rows.iter().map(take).collect(),
    }
}

/// The table of as many columns as there is room for; those left out are named.
fn fitting(rows: &Rows, width: usize) -> String {
    let rows = ordered(rows);
    let shown: Vec<Vec<String>> = rows
        .rows
        .iter()
        .map(|row| row.iter().map(shown).collect())
        .collect();
    let least: Vec<usize> = rows
        .columns
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let cells = shown.iter().filter_map(|row| row.get(at));
            let longest = cells.map(|cell| cell.chars().count()).max();
            let narrowest = if at == 0 { NARROWEST_NAME } else { NARROWEST };
            longest
                .unwrap_or_default()
                .min(narrowest)
                .max(name.chars().count())
                + PADDING
        })
        .collect();
    let room = least.iter().scan(0, |sum, least| {
        *sum += least;
        Some(*sum)
    });
    let kept = room.take_while(|sum| *sum <= width).count().max(1);
    let (columns, left_out) = rows.columns.split_at(kept.min(rows.columns.len()));
    let mut table = bare();
    let below_names = LineStyle::none().fill('─').junction('─');
    table
        .load_style(NOTHING.header_separator(below_names))
        .set_header(columns);
    table.set_width(u16::try_from(width).unwrap_or(USUAL_WIDTH));
    for row in &shown {
        table.add_row(row.iter().take(kept));
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        let least = least
            .get(at)
            .and_then(|least| u16::try_from(least - 1).ok());
        if let Some(least) = least {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        }
        let cells = rows.rows.iter().filter_map(|row| row.get(at));
        let is_numeric = cells.filter(|cell| !cell.is_null()).all(Value::is_number);
        if is_numeric {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let text = table.trim_fmt();
    match left_out.is_empty() {
        true => text,
        false => format!(
            "{text}\nNot shown: {}; --csv or --json has all.",
            left_out.join(", ")
        ),
    }
}

/// A cell as it is read: numbers rounded, texts without what a terminal would obey.
fn shown(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if number.fract() != 0.0 => {
            let text = format!("{number:.DIGITS$}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => escaped(&text_of(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn table(width: usize) -> String {
        let rows = Rows {
            columns: ["date", "value", "title", "url"].map(String::from).into(),
            rows: vec![
                vec![
                    json!("2026-01-01"),
                    json!(4.123_456),
                    json!("A long title that has to be broken into lines"),
                    json!("https://example.org/a/b"),
                ],
                vec![
                    json!("2026-02-01"),
                    json!(null),
                    json!("\u{1b}[31mred"),
                    json!(null),
                ],
            ],
        };
        fitting(&rows, width)
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_columns_left_out_are_named() {
        for width in [20, 40, 60, 80, 200] {
            let text = table(width);
            let widest = text
                .lines()
                .filter(|line| !line.starts_with("Not shown"))
                .map(|line| line.chars().count());
            assert!(widest.max().unwrap() <= width, "{width}:\n{text}");
        }
        assert!(table(40).contains("Not shown: url; "), "{}", table(40));
        assert!(!table(80).contains("Not shown"));
    }

    #[test]
    fn numbers_are_rounded_and_texts_cannot_speak_to_the_terminal() {
        let text = table(200);
        assert!(
            text.contains("4.1235") && !text.contains("4.12345"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
