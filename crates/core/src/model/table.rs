//! Reads the embedded tables: CSV with a header, one row per line, no quote inside a field.
//!
//! Every start reads 2,000 rows. With a general CSV reader and deserialized rows that took 13 of the 29 million instructions
//! before the first answer. A test compares the two readers.

use serde::de::DeserializeOwned;

/// Iterates over the rows after the header with their line numbers. An error says what is wrong with a row.
pub fn rows<const N: usize>(
    text: &str,
) -> impl Iterator<Item = (u64, Result<[&str; N], String>)> + Clone {
    let lines = text.lines().zip(1u64..).skip(1);
    lines.map(|(line, number)| (number, parse_row(line)))
}

/// Iterates over the rows of an embedded file. None is skipped: in a test a row without `N` fields is a panic.
pub fn embedded<const N: usize>(text: &str) -> impl Iterator<Item = [&str; N]> + Clone {
    rows(text).filter_map(|(number, row)| {
        debug_assert!(row.is_ok(), "line {number}: {row:?}");
        row.ok()
    })
}

/// Reads the rows of a small embedded file by the names of its columns. A test counts the rows of each file, so none is lost
/// here.
pub fn records<T: DeserializeOwned>(text: &str) -> Vec<T> {
    let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
    rows.filter_map(Result::ok).collect()
}

fn parse_row<const N: usize>(line: &str) -> Result<[&str; N], String> {
    let mut rest = Some(line);
    let mut fields = [""; N];
    for field in &mut fields {
        let text = rest.ok_or_else(|| format!("it has fewer than {N} fields"))?;
        (*field, rest) = split_field(text).ok_or("a quote is not where a field begins or ends")?;
    }
    match rest {
        None => Ok(fields),
        Some(_) => Err(format!("it has more than {N} fields")),
    }
}

/// Splits off the first field without its quotes. Returns it with the text after its comma.
fn split_field(text: &str) -> Option<(&str, Option<&str>)> {
    // Fields are short, so a plain loop is quicker than an optimized search.
    let find = |text: &str, end: u8| text.bytes().position(|b| b == end || b == b'"');
    let Some(quoted) = text.strip_prefix('"') else {
        return match find(text, b',') {
            None => Some((text, None)),
            Some(comma) => {
                let (field, rest) = text.split_at_checked(comma)?;
                Some((field, Some(rest.strip_prefix(',')?)))
            }
        };
    };
    let (field, rest) = quoted.split_at_checked(find(quoted, b'"')?)?;
    match rest.strip_prefix('"')? {
        "" => Some((field, None)),
        rest => Some((field, Some(rest.strip_prefix(',')?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_rows_are_errors() {
        let text =
            "a,b,c\n1,\"2, two\",\n\"\",x,\"y\"\r\n1,2\n1,2,3,4\n1,2\"2,3\n\"1\"1,2,3\n\"1,2,3";
        let rows: Vec<_> = rows::<3>(text).collect();
        assert_eq!(rows[0], (2, Ok(["1", "2, two", ""])));
        assert_eq!(rows[1], (3, Ok(["", "x", "y"])));
        assert!(rows[2].1.as_ref().is_err_and(|e| e.contains("fewer")));
        assert!(rows[3].1.as_ref().is_err_and(|e| e.contains("more")));
        assert!(
            rows[4..]
                .iter()
                .all(|(_, r)| r.as_ref().is_err_and(|e| e.contains("quote")))
        );
    }

    fn assert_same_as_csv_reader<const N: usize>(text: &str) {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let mut count = 0;
        for (record, (line, row)) in reader.records().zip(rows::<N>(text)) {
            assert!(record.unwrap().iter().eq(row.unwrap()), "line {line}");
            count += 1;
        }
        assert_eq!(count, text.lines().count() - 1);
    }

    #[test]
    fn tables_are_read_as_by_a_csv_reader() {
        assert_same_as_csv_reader::<2>(include_str!("../../../answers/data/means.csv"));
        assert_same_as_csv_reader::<8>(include_str!("../../data/evidence.csv"));
        assert_same_as_csv_reader::<4>(include_str!("../../data/recessions.csv"));
        assert_same_as_csv_reader::<15>(include_str!("../../data/catalogue.csv"));
        assert_same_as_csv_reader::<2>(include_str!("../../data/aliases.csv"));
        assert_same_as_csv_reader::<4>(include_str!("../../data/ambiguous.csv"));
        assert_same_as_csv_reader::<2>(include_str!("../../../data/data/topics.csv"));
        assert_same_as_csv_reader::<2>(include_str!("../../../desk/data/equal.csv"));
        assert_same_as_csv_reader::<3>(include_str!("../../../desk/data/longer.csv"));
        assert_same_as_csv_reader::<2>(include_str!("../../data/unit_words.csv"));
    }
}
