//! Cutting, checked against an upstream that is written out here in each of its possible manners.

use super::*;

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn range(start: &str, end: &str) -> Slice {
    Slice {
        start: day(start),
        end: day(end),
    }
}

/// How an upstream may state `start` and `end`.
#[derive(Debug, Clone, Copy)]
enum Manner {
    /// The dates asked for.
    Asked,
    /// The first and last row's.
    Rows,
    /// The dates asked for, but not beyond the whole series.
    Clamped,
}

const ROWS: [(&str, &str); 6] = [
    ("2024-01-02", "4.10"),
    ("2024-01-03", "-0.0"),
    ("2024-01-05", "1e2"),
    ("2024-01-08", "0.30000000000000004"),
    ("2024-01-09", "123456789012345678901234567890"),
    ("2024-01-12", "5"),
];

/// The upstream's answer for a range; `None` when it holds no row.
fn upstream(manner: Manner, asked: Slice) -> Option<String> {
    let held: Vec<_> = ROWS
        .iter()
        .filter(|(date, _)| (asked.start..=asked.end).contains(&day(date)))
        .collect();
    let (first, last) = (day(held.first()?.0), day(held.last()?.0));
    let (start, end) = match manner {
        Manner::Asked => (asked.start, asked.end),
        Manner::Rows => (first, last),
        Manner::Clamped => (
            asked.start.max(day(ROWS[0].0)),
            asked.end.min(day(ROWS[5].0)),
        ),
    };
    let rows: Vec<_> = held
        .iter()
        .map(|(date, value)| format!(r#"{{"date":"{date}","value":{value}}}"#))
        .collect();
    Some(format!(
        r#"{{"seriesId":"X","unit":"per cent é","start":"{start}","end":"{end}","rowCount":{},"truncated":false,"data":[{}],"attribution":{{"text":"a","url":"u","terms":"t"}}}}"#,
        rows.len(),
        rows.join(",")
    ))
}

#[test]
fn a_cut_is_byte_for_byte_what_the_upstream_answers_whatever_its_manner() {
    let days: Vec<Date> = (0..16)
        .map(|n| day("2023-12-30").saturating_add(jiff::Span::new().days(n)))
        .collect();
    let slices = |from: &Date| {
        days.iter()
            .filter(move |to| *to >= from)
            .map(|to| (*from, *to))
            .collect::<Vec<_>>()
    };
    let all: Vec<Slice> = days
        .iter()
        .flat_map(slices)
        .map(|(start, end)| Slice { start, end })
        .collect();
    for manner in [Manner::Asked, Manner::Rows, Manner::Clamped] {
        let mut cuts = 0;
        for wide in &all {
            let Some(body) = upstream(manner, *wide) else {
                continue;
            };
            for narrow in &all {
                let Some(cut) = cut(body.as_bytes(), Media::Json, *wide, *narrow) else {
                    continue;
                };
                let direct = upstream(manner, *narrow);
                assert_eq!(
                    direct.as_deref().map(str::as_bytes),
                    Some(&cut[..]),
                    "{manner:?} {wide:?} {narrow:?}"
                );
                cuts += 1;
            }
        }
        assert!(cuts > 800, "{manner:?}: only {cuts} cuts");
    }
}

#[test]
fn what_is_not_certain_is_not_cut() {
    let wide = range("2024-01-01", "2024-01-14");
    let narrow = range("2024-01-03", "2024-01-08");
    let body = upstream(Manner::Asked, wide).unwrap();
    let attempt = |body: &str| cut(body.as_bytes(), Media::Json, wide, narrow);
    assert!(attempt(&body).is_some());
    for (from, to) in [
        ("\"truncated\":false", "\"truncated\":true"),
        ("\"truncated\":false,", ""),
        ("\"rowCount\":6", "\"rowCount\":7"),
        ("\"rowCount\":6", "\"rowCount\":6,\"rowCount\":6"),
        ("2024-01-03", "2024-01-06"),
        ("2024-01-03", "2024-13-03"),
        ("\"start\":\"2024-01-01\"", "\"start\":\"2023-01-01\""),
        ("\"start\":\"2024-01-01\"", "\"start\":null"),
        ("\"data\":[", "\"data\":[1,"),
        ("}", ""),
    ] {
        assert!(body.contains(from));
        assert!(
            attempt(&body.replacen(from, to, 1)).is_none(),
            "{from} -> {to}"
        );
    }
    for outside in [
        range("2023-12-31", "2024-01-05"),
        range("2024-01-05", "2024-01-15"),
        range("2024-01-06", "2024-01-07"),
        range("2024-01-05", "2024-01-03"),
    ] {
        assert!(
            cut(body.as_bytes(), Media::Json, wide, outside).is_none(),
            "{outside:?}"
        );
    }
    assert!(cut(b"[]", Media::Json, wide, narrow).is_none());
    assert!(cut(b"", Media::Csv, wide, narrow).is_none());
}

#[test]
fn an_answer_as_long_as_the_cap_is_not_cut() {
    let rows: Vec<_> = (0..ROW_CAP)
        .map(|n| {
            let date =
                day("2000-01-01").saturating_add(jiff::Span::new().days(i64::try_from(n).unwrap()));
            format!("{date},1\n")
        })
        .collect();
    let wide = range("1999-01-01", "2030-01-01");
    let narrow = range("2001-01-01", "2001-02-01");
    let body = |rows: &[String]| format!("date,value\n{}", rows.concat());
    assert!(cut(body(&rows).as_bytes(), Media::Csv, wide, narrow).is_none());
    assert!(cut(body(&rows[1..]).as_bytes(), Media::Csv, wide, narrow).is_some());
}

#[test]
fn csv_rows_move_as_they_are() {
    let wide = range("2024-01-01", "2024-01-14");
    let narrow = range("2024-01-03", "2024-01-08");
    for (end, quote) in [("\n", ""), ("\r\n", ""), ("\n", "\"")] {
        for closed in [true, false] {
            let body = |rows: &[(&str, &str)]| {
                let lines: Vec<_> = rows
                    .iter()
                    .map(|(d, v)| format!("X,{quote}{d}{quote},{v}"))
                    .collect();
                let tail = if closed { end } else { "" };
                format!("series,Date,value{end}{}{tail}", lines.join(end))
            };
            let cut = cut(body(&ROWS).as_bytes(), Media::Csv, wide, narrow).unwrap();
            assert_eq!(
                std::str::from_utf8(&cut).unwrap(),
                body(&ROWS[1..4]),
                "{end:?} {closed}"
            );
        }
    }
    for odd in [
        "# a comment, with a comma\ndate,value\n2024-01-03,1\n",
        "day,value\n2024-01-03,1\n",
        "date,value\n2024-01-03,1\n2024-01-03,2\n",
        "date,value\n2024-01-03,1,2\n",
    ] {
        assert!(
            cut(odd.as_bytes(), Media::Csv, wide, narrow).is_none(),
            "{odd}"
        );
    }
}
