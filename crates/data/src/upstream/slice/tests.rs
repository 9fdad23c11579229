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
                let Some(cut) = cut(body.as_bytes(), *wide, *narrow) else {
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
    let attempt = |body: &str| cut(body.as_bytes(), wide, narrow);
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
        assert!(cut(body.as_bytes(), wide, outside).is_none(), "{outside:?}");
    }
    assert!(cut(b"[]", wide, narrow).is_none());
    assert!(cut(b"", wide, narrow).is_none());
}

#[test]
fn an_answer_as_long_as_the_cap_is_not_cut() {
    let wide = range("1999-01-01", "2030-01-01");
    let narrow = range("2001-01-01", "2001-02-01");
    let body = |count: usize| {
        let first = day("2000-01-01");
        let dates = (0..i64::try_from(count).unwrap())
            .map(|n| first.saturating_add(jiff::Span::new().days(n)));
        let rows: Vec<_> = dates
            .map(|date| format!(r#"{{"date":"{date}","value":1}}"#))
            .collect();
        format!(
            r#"{{"start":"1999-01-01","end":"2030-01-01","rowCount":{count},"truncated":false,"data":[{}]}}"#,
            rows.join(",")
        )
    };
    assert!(cut(body(ROW_CAP).as_bytes(), wide, narrow).is_none());
    assert!(cut(body(ROW_CAP - 1).as_bytes(), wide, narrow).is_some());
}
