//! The tables in the binary: CSV with a header, one row a line, no quote inside a field.
//!
//! Every start waits for 2,000 of these rows; with a reader of any CSV, and types made of its rows, they were 13 of the
//! 29 million instructions to a first answer. A test holds the two readers equal.

/// The rows behind the header, each with its line; an error says what is wrong with a row.
pub fn rows<const N: usize>(text: &str) -> impl Iterator<Item = (u64, Result<[&str; N], String>)> {
    let lines = text.lines().zip(1u64..).skip(1);
    lines.map(|(line, number)| (number, fields(line)))
}

fn fields<const N: usize>(line: &str) -> Result<[&str; N], String> {
    let mut rest = Some(line);
    let mut out = [""; N];
    for field in &mut out {
        let text = rest.ok_or_else(|| format!("it has fewer than {N} fields"))?;
        (*field, rest) = first(text).ok_or("a quote is not where a field begins or ends")?;
    }
    match rest {
        None => Ok(out),
        Some(_) => Err(format!("it has more than {N} fields")),
    }
}

/// The first field, without its quotes, and what stands behind its comma.
fn first(text: &str) -> Option<(&str, Option<&str>)> {
    // Fields are short: a look at each byte is quicker than the set-up of a search.
    let until = |text: &str, end: u8| text.bytes().position(|b| b == end || b == b'"');
    let Some(quoted) = text.strip_prefix('"') else {
        return match until(text, b',') {
            None => Some((text, None)),
            Some(at) => {
                let (field, rest) = text.split_at_checked(at)?;
                Some((field, Some(rest.strip_prefix(',')?)))
            }
        };
    };
    let (field, rest) = quoted.split_at_checked(until(quoted, b'"')?)?;
    match rest.strip_prefix('"')? {
        "" => Some((field, None)),
        rest => Some((field, Some(rest.strip_prefix(',')?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_its_fields_or_says_what_is_wrong() {
        let text =
            "a,b,c\n1,\"2, two\",\n\"\",x,\"y\"\r\n1,2\n1,2,3,4\n1,2\"2,3\n\"1\"1,2,3\n\"1,2,3";
        let read: Vec<_> = rows::<3>(text).collect();
        assert_eq!(read[0], (2, Ok(["1", "2, two", ""])));
        assert_eq!(read[1], (3, Ok(["", "x", "y"])));
        assert!(read[2].1.as_ref().is_err_and(|e| e.contains("fewer")));
        assert!(read[3].1.as_ref().is_err_and(|e| e.contains("more")));
        assert!(
            read[4..]
                .iter()
                .all(|(_, r)| r.as_ref().is_err_and(|e| e.contains("quote")))
        );
    }

    fn same_as_a_reader_of_any_csv<const N: usize>(text: &str) {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let mut count = 0;
        for (record, (line, row)) in reader.records().zip(rows::<N>(text)) {
            let record = record.unwrap();
            assert!(record.iter().eq(row.unwrap()), "line {line}");
            count += 1;
        }
        assert_eq!(count, text.lines().count() - 1);
    }

    #[test]
    fn the_tables_are_read_as_any_reader_does() {
        same_as_a_reader_of_any_csv::<2>(include_str!("../../../answers/data/means.csv"));
        same_as_a_reader_of_any_csv::<8>(include_str!("../../data/evidence.csv"));
        same_as_a_reader_of_any_csv::<4>(include_str!("../../data/recessions.csv"));
        same_as_a_reader_of_any_csv::<13>(include_str!("../../data/catalogue.csv"));
        same_as_a_reader_of_any_csv::<2>(include_str!("../../data/aliases.csv"));
        same_as_a_reader_of_any_csv::<4>(include_str!("../../data/ambiguous.csv"));
        same_as_a_reader_of_any_csv::<2>(include_str!("../../../data/data/topics.csv"));
    }
}
