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
fn width() -> u16 {
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

/// Text broken between words, so that it fits the terminal and is at most so wide.
pub(in crate::cli) fn wrapped(text: &str, most: u16) -> String {
    let mut table = bare();
    table.add_row([text]).set_width(width().min(most));
    for column in table.column_iter_mut() {
        column.set_padding((0, 0));
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
fn rank(cells: &[&Value]) -> u8 {
    let is_long = |cell: &&Value| text_of(cell).len() > LONG_TEXT;
    match () {
        () if cells.iter().all(|cell| cell.is_null()) => 3,
        () if cells.iter().any(is_long) => 2,
        () => u8::from(cells.iter().any(|cell| cell.is_array())),
    }
}

/// A column with its name, its values and what is read of them.
type Column<'a> = (&'a str, Vec<&'a Value>, Vec<String>);

/// The table of as many columns as there is room for; those left out are named.
fn fitting(rows: &Rows, width: usize) -> String {
    let column = |(at, name)| -> Column<'_> {
        let cells: Vec<&Value> = rows.rows.iter().filter_map(|row| row.get(at)).collect();
        let texts = cells.iter().map(|cell| shown(cell)).collect();
        (name, cells, texts)
    };
    let names = rows.columns.iter().map(String::as_str).enumerate();
    let mut columns: Vec<Column<'_>> = names.map(column).collect();
    columns.sort_by_key(|(_, cells, _)| rank(cells));
    let least = |(at, (name, _, texts)): (usize, &Column<'_>)| {
        let longest = texts.iter().map(|text| text.chars().count()).max();
        let narrowest = if at == 0 { NARROWEST_NAME } else { NARROWEST };
        let longest = longest.unwrap_or_default().min(narrowest);
        longest.max(name.chars().count()) + PADDING
    };
    let least: Vec<usize> = columns.iter().enumerate().map(least).collect();
    let room = least.iter().scan(0, |sum, least| {
        *sum += least;
        Some(*sum)
    });
    let kept = room.take_while(|sum| *sum <= width).count().max(1);
    let (columns, left_out) = columns.split_at(kept.min(columns.len()));
    let mut table = bare();
    let below_names = LineStyle::none().fill('─').junction('─');
    table
        .load_style(NOTHING.header_separator(below_names))
        .set_header(columns.iter().map(|(name, ..)| name))
        .set_width(u16::try_from(width).unwrap_or(USUAL_WIDTH));
    for at in 0..rows.rows.len() {
        table.add_row(columns.iter().filter_map(|(.., texts)| texts.get(at)));
    }
    let drawn = table.column_iter_mut().zip(columns).zip(least);
    for ((drawn, (_, cells, _)), least) in drawn {
        let least = u16::try_from(least - 1).unwrap_or(USUAL_WIDTH);
        drawn.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        let mut known = cells.iter().filter(|cell| !cell.is_null());
        if known.all(|cell| cell.is_number()) {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
    }
    let text = table.trim_fmt();
    if left_out.is_empty() {
        return text;
    }
    let names: Vec<&str> = left_out.iter().map(|(name, ..)| *name).collect();
    let names = names.join(", ");
    format!("{text}\nNot shown: {names}; --csv or --json has all.")
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
