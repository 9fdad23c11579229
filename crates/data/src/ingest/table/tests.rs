use super::*;
use proptest::prelude::*;

fn parse_ok(text: &str) -> Vec<Column> {
    parse(text.as_bytes(), Some("UNRATE")).unwrap().columns
}

fn pairs(column: &Column) -> Vec<(String, f64)> {
    let rows = column.rows.as_ref().unwrap();
    rows.iter()
        .map(|r| (r.date.to_string(), r.value.unwrap()))
        .collect()
}

fn whole_file_error(text: &str) -> LineError {
    parse(text.as_bytes(), Some("UNRATE")).unwrap_err()
}

#[test]
fn columns_of_a_header_are_bounded() {
    let header = |count: usize| {
        let names: Vec<String> = (0..count).map(|n| format!("S{n}")).collect();
        format!("date,{}\n", names.join(","))
    };
    assert_eq!(parse_ok(&header(9_999)).len(), 9_999);
    let error = whole_file_error(&header(10_000));
    assert!(
        error.problem.contains("more than 10000 columns"),
        "{}",
        error.problem
    );
}

#[test]
fn every_layout_gives_the_same_figures() {
    let expected = vec![
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
        let columns = parse_ok(text);
        assert_eq!(columns.len(), 1, "{text}");
        assert_eq!(columns[0].id.as_str(), "UNRATE");
        assert_eq!(pairs(&columns[0]), expected, "{text}");
    }
}

#[test]
fn missing_values_are_skipped() {
    let columns =
        parse_ok("DATE,A,B\n2025-10-01,,.\n2025-11-01,NaN,na\n2025-12-01,1,NA\n2026-01-01,2,0\n");
    assert_eq!(
        pairs(&columns[0]),
        vec![("2025-12-01".into(), 1.0), ("2026-01-01".into(), 2.0)]
    );
    assert_eq!(pairs(&columns[1]), vec![("2026-01-01".into(), 0.0)]);
}

#[test]
fn broken_row_breaks_its_own_series() {
    for (row, line, problem) in [
        ("A,2026-13-01,1", 3, "not a date"),
        ("A,2026-02-30,1", 3, "not a date"),
        ("A,0206-01-01,1", 3, "not a date"),
        ("A,2026-1-1,1", 3, "not a date"),
        ("A,2026-011-1,1", 3, "not a date"),
        ("A,2026- 1-01,1", 3, "not a date"),
        ("A,2026-+1-01,1", 3, "not a date"),
        ("A,2026--1-01,1", 3, "not a date"),
        ("A,2026/01/01,1", 3, "not a date"),
        ("A,+202-01-01,1", 3, "not a date"),
        ("A,12026-01-1,1", 3, "not a date"),
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
        let columns = parse_ok(&format!(
            "series_id,date,value\nA,2026-01-01,1\n{row}\nB,2026-01-01,2\n"
        ));
        let error = columns[0].rows.as_ref().unwrap_err();
        assert_eq!(error.line, line, "{row}");
        assert!(error.problem.contains(problem), "{row}: {error:?}");
        assert_eq!(pairs(&columns[1]), vec![("2026-01-01".into(), 2.0)]);
    }
}

#[test]
fn row_without_a_series_refuses_the_file() {
    for (text, line, problem) in [
        ("", 1, "empty"),
        ("\n\n", 1, "empty"),
        ("a;b\n1;2\n", 1, "names no date column"),
        ("<!DOCTYPE html>\n<html>", 1, "names no date column"),
        ("date\n2026-01-01\n", 1, "no other"),
        (
            "date,value,x\n2026-01-01,1,2\n",
            1,
            "no column \"x\" is known",
        ),
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
            "not a series identifier",
        ),
        ("\u{feff}date,value\n\"1\"2,3\n", 2, "not a date"),
    ] {
        let error = whole_file_error(text);
        assert_eq!(error.line, line, "{text:?}: {error:?}");
        assert!(error.problem.contains(problem), "{text:?}: {error:?}");
    }
    assert!(
        parse(b"\xFF\xFEd\0", None)
            .unwrap_err()
            .problem
            .contains("UTF-16")
    );
    let unnamed = parse(b"date,value\n", Some("my file")).unwrap_err();
    assert!(unnamed.problem.contains("the file's name"));
}

#[test]
fn american_dates_are_refused() {
    let text = b"date,ebp\n1/31/1973,0.5\n1973-02-28,0.25\n";
    assert!(parse(text, None).is_err());
}

fn known_rows(text: &str) -> Vec<(String, Option<String>, Option<f64>)> {
    let columns = parse_ok(text);
    assert_eq!(columns.len(), 1);
    let info = econoscope_core::catalogue::Catalogue::embedded()
        .get("UNRATE")
        .unwrap();
    let rows = to_known(columns[0].rows.as_ref().unwrap(), Some(info)).into_iter();
    rows.map(|k| {
        let known_from = k.known_from.map(|day| day.to_string());
        (k.date.to_string(), known_from, k.value)
    })
    .collect()
}

#[test]
fn known_from_is_a_day_or_a_month() {
    // December 2008 was released on 9 January. October was revised in February without a release, and counts from the
    // end of that month.
    let body = "2008-12-01,7.2,2009-01\n2008-11-01,6.7,2008-12-05\n2008-10-01,6.6,2009-02\n\
        2008-11-01,,2009-01\n2009-01-01,7.6,\n2009-02-01,,\n";
    let row =
        |date: &str, from: Option<&str>, value| (date.to_owned(), from.map(str::to_owned), value);
    let expected = [
        row("2008-10-01", Some("2009-02-28"), Some(6.6)),
        row("2008-11-01", Some("2008-12-05"), Some(6.7)),
        row("2008-11-01", Some("2009-01-09"), None),
        row("2008-12-01", Some("2009-01-09"), Some(7.2)),
        row("2009-01-01", None, Some(7.6)),
    ];
    assert_eq!(
        known_rows(&format!("date,value,known_from\n{body}")),
        expected
    );
    let tidy = body.replace("\n20", "\nUNRATE,20");
    let tidy = format!("series_id,date,value,Known_From\nUNRATE,{tidy}");
    assert_eq!(known_rows(&tidy), expected);
}

#[test]
fn invalid_known_from_is_an_error_with_its_line() {
    let error = |body: &str| {
        let columns = parse_ok(&format!(
            "date,value,known_from\n2008-11-01,6.7,2008-12\n{body}\n"
        ));
        columns[0].rows.clone().unwrap_err()
    };
    for invalid in ["2009-13", "01/09/2009", "soon", "2009", "2009-01-32"] {
        let line_error = error(&format!("2008-12-01,7.2,{invalid}"));
        assert_eq!(line_error.line, 3);
        assert!(
            line_error.problem.contains(invalid)
                && line_error.problem.contains("a month like 2026-07")
        );
    }
    let duplicate = error("2008-11-01,6.8,2008-12");
    assert!(
        duplicate
            .problem
            .contains("6.8 for 2008-11-01, but 6.7 on line 2"),
        "{duplicate:?}"
    );
    // The same date of another month is no repetition.
    assert_eq!(
        known_rows("date,value,known_from\n2008-11-01,6.7,2008-12\n2008-11-01,6.8,2009-01\n").len(),
        2
    );
    assert!(
        whole_file_error("date,known_from\n2008-11-01,2008-12\n")
            .problem
            .contains("value")
    );
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
    fn written_figures_are_parsed_back_exactly(
        days in prop::collection::btree_set(0i32..20_000, 0..50),
        value in any::<f64>().prop_filter("finite", |v| v.is_finite()),
    ) {
        let day = |n: &i32| econoscope_core::model::frequency::day_from_number(*n).unwrap();
        let mut text = "series_id,date,value\n".to_owned();
        for n in days.iter().rev() {
            text.push_str(&format!("X,{},{}\n", day(n), value));
        }
        let columns = parse(text.as_bytes(), None).unwrap().columns;
        let pairs: Vec<(Date, f64)> = columns.iter().flat_map(|column| to_known(column.rows.as_ref().unwrap(), None)).map(|k| (k.date, k.value.unwrap())).collect();
        let expected: Vec<(Date, f64)> = days.iter().map(|n| (day(n), value)).collect();
        prop_assert_eq!(pairs, expected);
    }
}

fn check(text: &[u8]) {
    for column in parse(text, Some("X")).map_or(Vec::new(), |table| table.columns) {
        let rows = column.rows.unwrap_or_default();
        assert!(rows.is_sorted_by(|a, b| a.key() < b.key()));
        assert!(rows.iter().all(|r| r.value.is_none_or(f64::is_finite)));
    }
}
