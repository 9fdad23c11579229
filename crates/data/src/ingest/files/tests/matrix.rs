//! A matrix of files as people have them, over real figures: each gives the true figures, or changes nothing and says why.

use super::*;
use econoscope_core::model::{Frequency, Observation};
use proptest::prelude::*;

/// Rows of each series.
const NEWEST: usize = 700;

/// Returns the newest figures of a series of the repository.
fn real(series: &str) -> Vec<(Date, f64)> {
    let path = format!(
        "{}/../../data/series/{series}.csv",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let (day, value) = line
            .trim_start_matches(|c| c != ',')
            .trim_start_matches(',')
            .split_once(',')
            .unwrap();
        (day.parse().unwrap(), value.parse().unwrap())
    };
    let rows: Vec<(Date, f64)> = text.lines().skip(1).map(row).collect();
    rows[rows.len().saturating_sub(NEWEST)..].to_vec()
}

/// Opens a store with the figures of a series but the last `cut`.
fn store_of(series: &[&str], cut: usize) -> Sqlite {
    let store = Sqlite::in_memory().unwrap();
    for name in series {
        let rows = real(name);
        let line = |(day, value): &(Date, f64)| format!("{name},{day},{value}\n");
        let text: String = rows[..rows.len() - cut].iter().map(line).collect();
        let file = folder(&[("a.csv", &format!("series_id,date,value\n{text}"))]);
        assert!(run(&store, file.path()).errors.is_empty());
    }
    store
}

struct Case {
    file: &'static str,
    text: &'static str,
    /// Series and the rows that it then has newly or with another value: `UNRATE 2026-08-01=4.1`; empty = unchanged.
    gives: &'static str,
    /// A part of the report's warnings and errors; empty = there are none.
    says: &'static str,
}

const fn case(
    file: &'static str,
    text: &'static str,
    gives: &'static str,
    says: &'static str,
) -> Case {
    Case {
        file,
        text,
        gives,
        says,
    }
}

/// The stored series end: UNRATE 2026-07, CPIAUCSL and PAYEMS 2026-07, DGS10 2026-08-20, ICSA 2026-08-15, GDPC1 2026-04.
const CASES: [Case; 67] = [
    case(
        "UNRATE.csv",
        "date,value\n2026-08-01,4.1\n",
        "UNRATE 2026-08-01=4.1",
        "",
    ),
    case(
        "UNRATE.csv",
        "date,value\n2026-08-31,4.1\n",
        "UNRATE 2026-08-01=4.1",
        "dates such as 2026-08-31 are read as August 2026",
    ),
    case(
        "UNRATE.csv",
        "date,value\n2026-08-15,4.1\n2026-09-15,4.2\n",
        "UNRATE 2026-08-01=4.1 2026-09-01=4.2",
        "read as August 2026",
    ),
    case(
        "UNRATE.csv",
        "date,value\n2026-08-01,4.1\n2026-08-31,4.2\n",
        "",
        "August 2026 has two figures",
    ),
    case(
        "UNRATE.csv",
        "date,value\n2026-08-31,4.2\n2026-08-01,4.1\n",
        "",
        "UNRATE.csv line 3: August 2026 has two figures, another on line 2",
    ),
    case(
        "UNRATE.csv",
        "date,value\n2026-08-01,4.1\n2026-08-31,4.1\n",
        "UNRATE 2026-08-01=4.1",
        "read as August 2026",
    ),
    case(
        "GDPC1.csv",
        "date,value\n2026-09-30,24400\n",
        "GDPC1 2026-07-01=24400",
        "read as Q3 2026",
    ),
    case(
        "GDPC1.csv",
        "date,value\n2026Q3,24400\n",
        "GDPC1 2026-07-01=24400",
        "",
    ),
    case(
        "GDPC1.csv",
        "date,value\n2026-Q3,24400\n",
        "GDPC1 2026-07-01=24400",
        "",
    ),
    case(
        "ICSA.csv",
        "date,value\n2026-08-22,230000\n",
        "ICSA 2026-08-22=230000",
        "",
    ),
    case(
        "ICSA.csv",
        "date,value\n2026-08-27,230000\n",
        "",
        "no stored figures show that this is the week",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21,4.12\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "x.csv",
        "date,series_id,value,realtime_start,realtime_end\n2026-08-01,UNRATE,4.1,2026-09-04,9999-12-31\n",
        "UNRATE 2026-08-01=4.1",
        "",
    ),
    case(
        "x.csv",
        "series_id,date,value,vintage_date\nUNRATE,2023-08-01,3.8,2023-09-01\n",
        "",
        "",
    ),
    case(
        "x.csv",
        "series_id,date,value,vintage\nUNRATE,2023-08-01,3.8,2023-09\n",
        "",
        "",
    ),
    case(
        "x.csv",
        "series_id,date,value,colour\nUNRATE,2026-08-01,4.1,red\n",
        "",
        "no column \"colour\" is known",
    ),
    case(
        "x.csv",
        "series_id,date,value,realtime_end\nUNRATE,2026-08-01,4.1,9999-12-31\n",
        "",
        "no column \"realtime_end\" is known",
    ),
    case(
        "UNRATE.csv",
        "date,value,title\n2026-08-01,4.1,x\n",
        "",
        "no column \"title\" is known",
    ),
    case(
        "x.csv",
        ",date,series_id,value\n0,2026-08-01,UNRATE,4.1\n",
        "",
        "no column \"\" is known",
    ),
    case(
        "x.csv",
        "observation_date,UNRATE_20260904,UNRATE_20261002\n2026-08-01,4.1,4.2\n",
        "UNRATE 2026-08-01=4.2",
        "",
    ),
    case(
        "x.csv",
        "observation_date,UNRATE_20260904,UNRATE_20261002\n2026-08-01,4.1,4.1\n2026-09-01,,4.3\n",
        "UNRATE 2026-08-01=4.1 2026-09-01=4.3",
        "",
    ),
    case(
        "UNRATE.csv",
        "date,value\n2026-08-01,0.041\n",
        "",
        "0.041 for 2026-08-01 lies about a hundredfold off",
    ),
    case(
        "UNRATE.csv",
        "date,value\n2026-06-01,0.042\n2026-07-01,0.041\n2026-05-01,0.043\n",
        "",
        "left out; --replace",
    ),
    case(
        "PAYEMS.csv",
        "date,value\n2026-08-01,159100000\n",
        "",
        "hundredfold off",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21,412\n",
        "",
        "hundredfold off",
    ),
    case(
        "CPIAUCSL.csv",
        "date,value\n2026-08-01,0\n",
        "",
        "is zero or has a sign, as this series never was",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21,-99\n",
        "",
        "is it a code for a missing value?",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21,-1\n",
        "",
        "is it a code for a missing value?",
    ),
    case(
        "PAYEMS.csv",
        "date,value\n2026-08-01,-9999\n",
        "",
        "is it a code for a missing value?",
    ),
    case(
        "MINE.csv",
        "date,value\n2026-01-01,5\n2026-02-01,6\n2026-03-01,7\n2026-04-01,6\n2026-05-01,5\n2026-06-01,-999\n",
        "",
        "line 7: -999 for 2026-06-01",
    ),
    case(
        "MINE.csv",
        "date,value\n2026-01-01,5\n2026-02-01,-6\n2026-03-01,7\n2026-04-01,6\n2026-05-01,0\n",
        "MINE 2026-01-01=5 2026-02-01=-6 2026-03-01=7 2026-04-01=6 2026-05-01=0",
        "",
    ),
    case(
        "T10Y2Y.csv",
        "date,value\n2026-08-21,-0.2\n",
        "T10Y2Y 2026-08-21=-0.2",
        "",
    ),
    case(
        "UNRATE.csv",
        "date,value\n2031-10-01,4.5\n",
        "",
        "line 2: 2031-10-01 lies in the future",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21,4.12\n2026-12-21,4.2\n",
        "",
        "line 3: 2026-12-21 lies in the future",
    ),
    case(
        "GDPPOT.csv",
        "date,value\n2036-10-01,29000\n",
        "GDPPOT 2036-10-01=29000",
        "",
    ),
    case(
        "x.csv",
        "series_id,date,value,known_from\nUNRATE,2026-08-01,4.1,2031-01-01\n",
        "",
        "lies in the future",
    ),
    case(
        "DGS10.csv",
        "date,value,\n2026-08-21,4.12,\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value,,\n2026-08-21,4.12,,\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21,4.12,,\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21,4.12,7\n",
        "",
        "3 columns where the first line has 2",
    ),
    case(
        "DGS10.csv",
        "date;value\n2026-08-21;4,12\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "DGS10.csv",
        "date;value;\n21.08.2026;4,12;\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "DGS10.csv",
        "date\tvalue\n2026-08-21\t4.12\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "PAYEMS.csv",
        "date;value\n2026-08-01;159.100,5\n",
        "PAYEMS 2026-08-01=159100.5",
        "",
    ),
    case(
        "PAYEMS.csv",
        "date,value\n2026-08-01,\"159,100.5\"\n",
        "PAYEMS 2026-08-01=159100.5",
        "",
    ),
    case(
        "PAYEMS.csv",
        "date,value\n2026-08-01,\"159,100\"\n",
        "",
        "\"159,100\" is 159100 or 159.1",
    ),
    case(
        "PAYEMS.csv",
        "date;value\n2026-08-01;159.100\n",
        "",
        "\"159.100\" is 159.1 or 159100",
    ),
    case(
        "GDPC1.csv",
        "date,value\n2026-07-01,\"24,400\"\n2026-04-01,\"24,408.1\"\n",
        "GDPC1 2026-04-01=24408.1 2026-07-01=24400",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21,\"4,12\"\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21,4.12\n2026-08-24,#N/A\n2026-08-25,ND\n2026-08-26,n/a\n2026-08-27,NULL\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value\n31.12.2025,4.12\n21.08.2026,4.2\n",
        "DGS10 2025-12-31=4.12 2026-08-21=4.2",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value\n8/21/2026,4.12\n8/24/2026,4.2\n",
        "DGS10 2026-08-21=4.12 2026-08-24=4.2",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value\n21/08/2026,4.12\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value\n09/10/2026,4.12\n10/09/2026,4.2\n",
        "",
        "09/10/2026 is 2026-09-10 or 2026-10-09",
    ),
    case(
        "UNRATE.csv",
        "date,value\n2026-08,4.1\n",
        "UNRATE 2026-08-01=4.1",
        "",
    ),
    case(
        "UNRATE.csv",
        "date,value\n2026/08/31,4.1\n",
        "UNRATE 2026-08-01=4.1",
        "read as August 2026",
    ),
    case(
        "UNRATE.csv",
        "date,value\nAug 2026,4.1\n",
        "UNRATE 2026-08-01=4.1",
        "",
    ),
    case(
        "UNRATE.csv",
        "date,value\n2026M08,4.1\n",
        "UNRATE 2026-08-01=4.1",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21 00:00:00,4.12\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value\n21-Aug-2026,4.12\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "DGS10.csv",
        "date,value\n20260821,4.12\n",
        "DGS10 2026-08-21=4.12",
        "",
    ),
    case(
        "md.csv",
        "sasdate,UNRATE,S&P 500\nTransform:,2,5\n8/1/2026,4.1,6000\n8/31/2026,,\n",
        "UNRATE 2026-08-01=4.1",
        "columns that name no series are not read: S&P 500",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21,4.12%\n",
        "",
        "\"4.12%\" is not a number",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-08-21,4.12 p\n",
        "",
        "\"4.12 p\" is not a number",
    ),
    case(
        "DGS10.csv",
        "day,value\n2026-08-21,4.12\n",
        "",
        "names no date column",
    ),
    case(
        "DGS10.csv",
        "date,value\n2026-02-30,4.12\n",
        "",
        "not a date",
    ),
    case("DGS10.csv", "<html>\n", "", "names no date column"),
];

#[test]
#[expect(clippy::too_many_lines, reason = "one look at all that a file changed")]
fn every_file_of_the_matrix_gives_true_figures_or_says_why_not() {
    let names = [
        "UNRATE", "CPIAUCSL", "PAYEMS", "DGS10", "ICSA", "GDPC1", "T10Y2Y", "GDPPOT",
    ];
    let mut table = String::new();
    for Case {
        file,
        text,
        gives,
        says,
    } in CASES
    {
        let store = store_of(&names, 0);
        let read = |store: &Sqlite| -> Vec<String> {
            let series = names.iter().chain(&["MINE"]);
            series
                .flat_map(|name| {
                    let rows = values(store, name).into_iter();
                    rows.map(move |(date, value)| format!("{name} {date}={value}"))
                })
                .collect()
        };
        let before = read(&store);
        let dir = folder(&[(file, text)]);
        let report = run(&store, dir.path());
        let after = read(&store);
        let mut changed: Vec<&str> = after
            .iter()
            .filter(|row| !before.contains(row))
            .map(String::as_str)
            .collect();
        let lost = before.iter().filter(|row| !after.contains(row)).count();
        let series = gives.split(' ').next().unwrap();
        let expected: Vec<String> = gives
            .split(' ')
            .skip(1)
            .map(|row| format!("{series} {row}"))
            .collect();
        changed.sort_unstable();
        let messages: Vec<String> = report
            .warnings
            .iter()
            .cloned()
            .chain(report.errors.iter().map(ToString::to_string))
            .collect();
        let messages = messages.join(" | ");
        table += &format!(
            "{file}\t{text:?}\t{}\t{messages}\n",
            if gives.is_empty() { "unchanged" } else { gives }
        );
        let is_kept: Vec<&String> = expected
            .iter()
            .filter(|row| !before.contains(row))
            .collect();
        assert_eq!(changed, is_kept, "{text:?}: {messages}");
        assert!(lost <= changed.len(), "{text:?} lost {lost} rows");
        assert!(
            messages.contains(says) && says.is_empty() == messages.is_empty(),
            "{text:?}: {messages:?}"
        );
    }
    println!("{table}");
}

#[test]
fn first_prints_of_another_column_leave_the_figures_of_today() {
    let store = store_of(&["UNRATE"], 0);
    let before = values(&store, "UNRATE");
    let text = "date,series_id,value,realtime_start,realtime_end\n2023-08-01,UNRATE,3.8,2023-09-01,2024-01-04\n\
        2023-09-01,UNRATE,3.8,2023-10-06,2024-01-04\n";
    let report = run(&store, folder(&[("all.csv", text)]).path());
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    assert_eq!(values(&store, "UNRATE"), before, "3.7 and 3.7");
    let stored = store.read(&id("UNRATE")).unwrap().unwrap();
    let then = stored.as_of(date(2023, 10, 15), |day| day);
    assert!(then.contains(&Observation::new(date(2023, 8, 1), 3.8)));
}

#[test]
fn passed_over_files_are_named() {
    let dir = folder(&[
        ("DGS2.csv", "date,value\n2026-08-21,3.6\n"),
        ("DGS10.txt", ""),
        ("DGS5.csv.gz", ""),
        (".x", ""),
    ]);
    let report = run(&Sqlite::in_memory().unwrap(), dir.path());
    assert_eq!(
        report.warnings,
        ["not read, because only .csv is: DGS10.txt, DGS5.csv.gz"]
    );
}

/// How a file is made from real rows.
#[derive(Debug, Clone)]
struct Alteration {
    series: &'static str,
    /// Stored rows that the file repeats, and rows that the store lacks.
    common: usize,
    fresh: usize,
    stamp: usize,
    factor: f64,
    code: Option<&'static str>,
    layout: usize,
}

fn any_alteration() -> impl Strategy<Value = Alteration> {
    let series = prop::sample::select(vec![
        "UNRATE", "CPIAUCSL", "PAYEMS", "GDPC1", "ICSA", "DGS10", "DGS3MO", "INDPRO", "HOUST",
    ]);
    let factors = vec![1.0, 1.0, 1.0, 0.01, 100.0, 0.001, 1000.0, 1e6, 1e-6, -1.0];
    let codes = vec![
        None,
        None,
        None,
        Some("-1"),
        Some("-99"),
        Some("-999"),
        Some("-9999"),
        Some("ND"),
        Some("#N/A"),
    ];
    let code = prop::sample::select(codes);
    let factor = prop::sample::select(factors);
    (
        series,
        0usize..40,
        1usize..30,
        0usize..4,
        factor,
        code,
        0usize..10,
    )
        .prop_map(
            |(series, common, fresh, stamp, factor, code, layout)| Alteration {
                series,
                common,
                fresh,
                stamp,
                factor,
                code,
                layout,
            },
        )
}

impl Alteration {
    fn date(&self, day: Date, frequency: Frequency) -> Date {
        use econoscope_core::model::frequency::add_days;
        let end = frequency.period_end(day);
        match (self.stamp, frequency) {
            (1, Frequency::Monthly | Frequency::Quarterly) => end,
            (2, Frequency::Monthly) => add_days(day, 14),
            (3, Frequency::Monthly | Frequency::Quarterly) => end.first_of_month(),
            (1, Frequency::Weekly) => add_days(day, -3),
            (_, _) => day,
        }
    }

    /// Returns the file, or `None` where nothing of it is altered in a way that shows.
    fn text(&self, rows: &[(Date, f64)], frequency: Frequency) -> String {
        let mut lines = vec![match self.layout {
            1 => "series_id,date,value\n".to_owned(),
            2 => format!("observation_date,{}\n", self.series),
            3 => "date;value\n".to_owned(),
            4 => "date,value,,\n".to_owned(),
            9 => "date,value,note\n".to_owned(),
            _ => "date,value\n".to_owned(),
        }];
        let last = rows.len() - 1;
        for (n, (day, value)) in rows.iter().enumerate() {
            let value = value * self.factor;
            let text = match self.code {
                Some(code) if n == last => code.to_owned(),
                _ => format!("{value:.6}"),
            };
            let day = self.date(*day, frequency);
            let (y, m, d) = (day.year(), day.month(), day.day());
            lines.push(match self.layout {
                1 => format!("{},{day},{text}\n", self.series),
                3 => format!("{d:02}.{m:02}.{y};{}\n", text.replace('.', ",")),
                4 => format!("{day},{text},,\n"),
                5 => format!("{m}/{d}/{y},{text}\n"),
                6 => format!("{d:02}/{m:02}/{y},{text}\n"),
                7 => format!("{day} 00:00:00,\"{text}\"\n"),
                8 => format!("{y}/{m:02}/{d:02},{text}\n"),
                9 => format!("{day},{text},x\n"),
                _ => format!("{day},{text}\n"),
            });
        }
        lines.concat()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn altered_file_gives_true_figures_or_changes_nothing(altered in any_alteration()) {
        let all = real(altered.series);
        let frequency = Catalogue::embedded().get(altered.series).unwrap().frequency;
        let store = store_of(&[altered.series], altered.fresh);
        let before = values(&store, altered.series);
        let rows = &all[all.len() - altered.fresh - altered.common..];
        let text = altered.text(rows, frequency);
        let report = run(&store, folder(&[(&format!("{}.csv", altered.series), &text)]).path());
        let after = values(&store, altered.series);
        if after == before {
            let is_empty = altered.fresh == 1 && altered.code.is_some();
            prop_assert!(!report.errors.is_empty() || !report.warnings.is_empty() || is_empty, "{text}");
        } else {
            for row in &after {
                prop_assert!(all.iter().any(|(d, v)| *d == row.0 && (v - row.1).abs() < 1e-5), "{row:?} {report:?}\n{text}");
            }
            prop_assert_eq!(altered.factor, 1.0);
        }
    }
}
