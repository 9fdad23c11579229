use super::*;
use jiff::civil::date;
use proptest::prelude::*;

fn ok(text: &str) -> Vec<Column> {
    read(text.as_bytes(), Some("UNRATE"), Dates::Iso).unwrap()
}

fn pairs(column: &Column) -> Vec<(String, f64)> {
    assert_eq!(column.broken, None);
    column
        .rows
        .iter()
        .map(|r| (r.date.to_string(), r.value))
        .collect()
}

fn whole_file_error(text: &str) -> Broken {
    read(text.as_bytes(), Some("UNRATE"), Dates::Iso).unwrap_err()
}

#[test]
fn every_layout_gives_the_same_figures() {
    let want = vec![
        ("2026-07-29".to_owned(), 4.67),
        ("2026-07-30".to_owned(), -1e3),
    ];
    for text in [
        "series_id,date,value\nUNRATE,2026-07-29,4.67\nUNRATE,2026-07-30,-1e3\n",
        "value,seriesId,date\n4.67,unrate,2026-07-29\n-1000,UNRATE,2026-07-30",
        "date,value\n2026-07-29,4.67\n2026-07-30,-1000\n",
        "DATE,UNRATE\r\n2026-07-29,4.67\r\n2026-07-30,-1000\r\n\r\n\r\n",
        "\u{feff}observation_date,unrate\n2026-07-30,-1000\n\n2026-07-29,4.67\n,\n",
        "\"Observation_Date\",\"UNRATE\"\n\"2026-07-29\", \"4.67\" \n2026-07-30,\"-1000\"\n",
        "date,value\n2026-07-29,4.67\n2026-07-29,4.67\n2026-07-30,-1000\n",
    ] {
        let columns = ok(text);
        assert_eq!(columns.len(), 1, "{text}");
        assert_eq!(columns[0].id.as_str(), "UNRATE");
        assert_eq!(pairs(&columns[0]), want, "{text}");
    }
}

#[test]
fn missing_values_are_absent_and_never_zero() {
    let columns =
        ok("DATE,A,B\n2025-10-01,,.\n2025-11-01,NaN,na\n2025-12-01,1,NA\n2026-01-01,2,0\n");
    assert_eq!(
        pairs(&columns[0]),
        vec![("2025-12-01".into(), 1.0), ("2026-01-01".into(), 2.0)]
    );
    assert_eq!(pairs(&columns[1]), vec![("2026-01-01".into(), 0.0)]);
}

#[test]
fn a_broken_row_breaks_its_own_series_and_names_its_line() {
    for (row, line, problem) in [
        ("A,2026-13-01,1", 3, "not a date"),
        ("A,2026-02-30,1", 3, "not a date"),
        ("A,0206-01-01,1", 3, "not a date"),
        ("A,2026-1-1,1", 3, "not a date"),
        ("A,2026-01-02,1.2.3", 3, "not a number"),
        ("A,2026-01-02,inf", 3, "not a finite number"),
        ("A,2026-01-02,1e999", 3, "not a finite number"),
        ("A,2026-01-02", 3, "2 columns where the first line has 3"),
        ("A,2026-01-02,1,2", 3, "4 columns"),
        (
            "A,2026-01-01,9",
            3,
            "A has 9 for 2026-01-01, but 1 on line 2",
        ),
    ] {
        let columns = ok(&format!(
            "series_id,date,value\nA,2026-01-01,1\n{row}\nB,2026-01-01,2\n"
        ));
        let broken = columns[0].broken.as_ref().unwrap();
        assert_eq!(broken.line, line, "{row}");
        assert!(broken.problem.contains(problem), "{row}: {broken:?}");
        assert!(columns[0].rows.is_empty());
        assert_eq!(pairs(&columns[1]), vec![("2026-01-01".into(), 2.0)]);
    }
}

#[test]
fn a_row_that_belongs_to_no_one_refuses_the_file() {
    for (text, line, problem) in [
        ("", 1, "empty"),
        ("\n\n", 1, "empty"),
        ("a;b\n1;2\n", 1, "names no date column"),
        ("<!DOCTYPE html>\n<html>", 1, "names no date column"),
        ("date\n2026-01-01\n", 1, "no other"),
        ("date,value,x\n2026-01-01,1,2\n", 1, "names no series"),
        ("date,a b\n2026-01-01,1\n", 1, "not a series identifier"),
        ("date,A,a\n", 1, "A has two columns"),
        ("DATE,A,B\n2026-01-01,1,2\n2026-01-02,1\n", 3, "2 columns"),
        ("DATE,A,B\n2026-01-01,1,2\nx,1,2\n", 3, "not a date"),
        (
            "series_id,date,value\n,2026-01-01,1\n",
            2,
            "not a series identifier",
        ),
        (
            "series_id,date,value\n\"A,2026-01-01,1\n",
            2,
            "quote is not closed",
        ),
        (
            "\u{feff}date,value\n\"1\"2,3\n",
            2,
            "behind a closing quote",
        ),
    ] {
        let broken = whole_file_error(text);
        assert_eq!(broken.line, line, "{text:?}: {broken:?}");
        assert!(broken.problem.contains(problem), "{text:?}: {broken:?}");
    }
    assert!(
        read(b"\xFF\xFEd\0", None, Dates::Iso)
            .unwrap_err()
            .problem
            .contains("UTF-16")
    );
    let unnamed = read(b"date,value\n", Some("my file"), Dates::Iso).unwrap_err();
    assert!(unnamed.problem.contains("the file's name"));
}

#[test]
fn american_dates_are_read_only_where_they_are_expected() {
    let text = b"date,ebp\n1/31/1973,0.5\n1973-02-28,0.25\n";
    assert!(read(text, None, Dates::Iso).is_err());
    let columns = read(text, None, Dates::IsoOrUs).unwrap();
    assert_eq!(columns[0].rows[0].date, date(1973, 1, 31));
    assert_eq!(columns[0].rows[1].date, date(1973, 2, 28));
}

#[test]
fn a_cut_last_line_is_noticed() {
    assert!(is_cut_off(
        b"observation_date,DGS10\n2026-07-29,4.67\n2026-07"
    ));
    assert!(!is_cut_off(
        b"observation_date,DGS10\n2026-07-29,4.67\n2026-07-30,4.6"
    ));
    assert!(!is_cut_off(b"observation_date,DGS10\n2026-07-29,4.67\n"));
    assert!(!is_cut_off(b""));
}

proptest! {
    #[test]
    fn hostile_bytes_never_panic_and_never_give_a_bad_series(
        head in prop::sample::select(vec!["", "series_id,date,value\n", "date,value\n", "DATE,A,B\n"]),
        body in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let mut text = head.as_bytes().to_vec();
        text.extend(body);
        check(&text);
    }

    #[test]
    fn hostile_rows_never_panic_and_never_give_a_bad_series(
        rows in prop::collection::vec("[AB\",. \r]{0,2},?(20[0-9]{2}-[01][0-9]-[0-3][0-9])?,?[-+.e0-9naif\"]{0,8}", 0..40),
    ) {
        check(format!("series_id,date,value\n{}", rows.join("\n")).as_bytes());
        check(format!("DATE,A,B\n{}", rows.join("\n")).as_bytes());
    }

    #[test]
    fn what_is_written_is_read_back_to_the_bit(
        days in prop::collection::btree_set(0i32..20_000, 0..50),
        value in any::<f64>().prop_filter("finite", |v| v.is_finite()),
    ) {
        let day = |n: &i32| crate::model::frequency::day_from_number(*n).unwrap();
        let mut text = "series_id,date,value\n".to_owned();
        for n in days.iter().rev() {
            text.push_str(&format!("X,{},{}\n", day(n), value));
        }
        let columns = read(text.as_bytes(), None, Dates::Iso).unwrap();
        let got: Vec<Observation> = columns.first().map(Column::observations).unwrap_or_default();
        let want: Vec<Observation> = days.iter().map(|n| Observation::new(day(n), value)).collect();
        prop_assert_eq!(got, want);
    }
}

fn check(text: &[u8]) {
    let _ = is_cut_off(text);
    for dates in [Dates::Iso, Dates::IsoOrUs] {
        for column in read(text, Some("X"), dates).unwrap_or_default() {
            assert!(column.rows.is_sorted_by(|a, b| a.date < b.date));
            assert!(column.rows.iter().all(|r| r.value.is_finite()));
            assert!(column.broken.is_none() || column.rows.is_empty());
        }
    }
}
