//! Tables that fit the terminal.

use super::rows::{Rows, to_text};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, Width};
use econoscope_core::indicators::prose::join;
use econoscope_data::disk::escape_controls;
use serde_json::Value;

/// Width without a terminal.
const DEFAULT_WIDTH: u16 = 80;
/// A column with so long a text is placed after the others.
const LONG_TEXT: usize = 81;
/// Minimum width of a column, unless its longest cell is shorter; its name always fits.
const MIN_WIDTH: usize = 14;
/// The same for the first column, whose cells name the rows.
const MIN_FIRST_WIDTH: usize = 24;
/// Characters around and between cells.
const PADDING: usize = 3;
/// Decimals of a number.
const DECIMALS: usize = 4;

fn terminal_width() -> u16 {
    terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| width.0)
}

/// Renders names beside their descriptions.
pub(super) fn two_columns(rows: impl Iterator<Item = [String; 2]>) -> String {
    let mut table = borderless();
    for row in rows {
        table.add_row(row);
    }
    table.trim_fmt()
}

/// Wraps a text at the width of the terminal, and at most at `max_width`.
pub(in crate::cli) fn wrap(text: &str, max_width: u16) -> String {
    let mut table = borderless();
    let width = terminal_width().min(max_width);
    table.add_row([text]).set_width(width);
    for column in table.column_iter_mut() {
        column.set_padding((0, 0));
    }
    table.trim_fmt()
}

fn borderless() -> Table {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(terminal_width());
    table
}

/// Renders an answer: the first line of its text, a table per list, and the credit line.
pub(super) fn render_answer(lists: &[Rows], text: &str, answer: &Value) -> String {
    // JSON is left out, and so is a line that introduces the lines below it.
    let is_shown = |line: &&str| !line.starts_with('{') && !line.ends_with(':');
    let shown = text.lines().next().filter(is_shown);
    let first_line = shown.map_or_else(String::new, |line| escape_controls(line) + "\n");
    let attribution = answer.pointer("/attribution/text").and_then(Value::as_str);
    let credit = attribution.map_or_else(String::new, escape_controls);
    let render = |rows| render_table(rows, usize::from(terminal_width()));
    let tables = match lists {
        [] => "No rows.".to_owned(),
        lists => join(lists.iter().map(render), "\n\n"),
    };
    format!("{first_line}{tables}\n{credit}")
}

/// Renders one line per row.
pub(super) fn render_plain(rows: &Rows) -> String {
    let line = |row: &Vec<Value>| join(row.iter().map(format_cell), "  ");
    join(rows.rows.iter().map(line), "\n")
}

struct Column<'a> {
    name: &'a str,
    values: Vec<&'a Value>,
}

impl Column<'_> {
    /// Returns the sort key of the column: lists, long texts and columns without a value come last, in this order.
    fn rank(&self) -> u8 {
        let rank = |value: &&Value| match to_text(value).len() {
            LONG_TEXT.. => 2,
            _ => u8::from(value.is_array()),
        };
        let values = self.values.iter().filter(|value| !value.is_null());
        values.map(rank).max().unwrap_or(3)
    }

    /// Returns the least width of the column with its padding, at the position `at`.
    fn min_width(&self, at: usize) -> usize {
        let lengths = self
            .values
            .iter()
            .map(|value| format_cell(value).chars().count());
        let limit = if at == 0 { MIN_FIRST_WIDTH } else { MIN_WIDTH };
        let width = lengths.max().unwrap_or_default().min(limit);
        width.max(self.name.chars().count()) + PADDING
    }
}

/// Renders a table with as many columns as fit `width`, and names the columns that do not.
fn render_table(rows: &Rows, width: usize) -> String {
    let column = |(at, name)| Column {
        name,
        values: rows.rows.iter().filter_map(|row| row.get(at)).collect(),
    };
    let names = rows.columns.iter().map(String::as_str).enumerate();
    let mut columns: Vec<Column<'_>> = names.map(column).collect();
    columns.sort_by_key(Column::rank);
    let width_of = |(at, column): (usize, &Column<'_>)| column.min_width(at);
    let widths: Vec<usize> = columns.iter().enumerate().map(width_of).collect();
    let ends = widths.iter().scan(0, |end, width| {
        *end += width;
        Some(*end)
    });
    let fitting = ends.take_while(|end| *end <= width).count().max(1);
    let (columns, left_out) = columns.split_at(fitting.min(columns.len()));
    let mut table = borderless();
    let separator = LineStyle::none().fill('─').junction('─');
    table
        .load_style(NOTHING.header_separator(separator))
        .set_header(columns.iter().map(|column| column.name))
        .set_width(u16::try_from(width).unwrap_or(DEFAULT_WIDTH));
    for at in 0..rows.rows.len() {
        let cells = columns.iter().filter_map(|column| column.values.get(at));
        table.add_row(cells.map(|value| format_cell(value)));
    }
    let drawn = table.column_iter_mut().zip(columns).zip(widths);
    for ((drawn, column), width) in drawn {
        let width = u16::try_from(width - 1).unwrap_or(DEFAULT_WIDTH);
        drawn.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
        let mut values = column.values.iter().filter(|value| !value.is_null());
        if values.all(|value| value.is_number()) {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
    }
    let text = table.trim_fmt();
    if left_out.is_empty() {
        return text;
    }
    let names = join(left_out.iter().map(|column| column.name), ", ");
    format!("{text}\nNot shown: {names}; --csv or --json prints all.")
}

/// Formats a cell: numbers rounded, texts without control characters.
fn format_cell(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if number.fract() != 0.0 => {
            let text = format!("{number:.DECIMALS$}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => escape_controls(&to_text(value)),
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
        render_table(&rows, width)
    }

    #[test]
    fn table_fits_the_width_and_names_columns_left_out() {
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
    fn numbers_are_rounded_and_control_characters_escaped() {
        let text = table(200);
        assert!(
            text.contains("4.1235") && !text.contains("4.12345"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
