use super::*;
use crate::ingest::testing::SharedBuffer;
use crate::store::Sqlite;
use econoscope_core::model::Date;
use econoscope_core::model::frequency::shift;
use jiff::ToSpan;
use jiff::civil::date;
use std::fs;

fn id(text: &str) -> SeriesId {
    SeriesId::new(text).unwrap()
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn on(day: &str) -> Timestamp {
    format!("{day}T12:00:00Z").parse().unwrap()
}

fn run(store: &dyn Store, dir: &Path) -> ImportReport {
    let provenance = Provenance {
        origin: "import",
        read_at: on("2026-11-21"),
        replace: false,
    };
    import_from(store, dir, provenance, &mut Progress::quiet()).unwrap()
}

fn replace(store: &dyn Store, dir: &Path) -> ImportReport {
    let provenance = Provenance {
        origin: "import",
        read_at: on("2026-11-21"),
        replace: true,
    };
    import_from(store, dir, provenance, &mut Progress::quiet()).unwrap()
}

fn values(store: &dyn Store, series: &str) -> Vec<(Date, f64)> {
    let stored = store.read(&id(series)).unwrap().unwrap_or_default();
    stored.latest().iter().map(|o| (o.date, o.value)).collect()
}

#[test]
fn figures_of_an_own_series_that_come_one_by_one_are_kept() {
    // Every step in months, by first days, last days, or both in turn.
    for step in 1..=6 {
        for last_days in [[false, false], [true, true], [false, true]] {
            let store = Sqlite::in_memory().unwrap();
            for n in 0..9 {
                let first = shift(date(1990, 1, 1), (i64::from(n) * step).months());
                let is_last = last_days[usize::try_from(n % 2).unwrap()];
                let day = if is_last {
                    first.last_of_month()
                } else {
                    first
                };
                let text = format!("series_id,date,value\nOWN,{day},{n}\n");
                let dir = folder(&[("own.csv", &text)]);
                let report = run(&store, dir.path());
                let kept: Vec<f64> = values(&store, "OWN").iter().map(|(_, v)| *v).collect();
                let expected: Vec<f64> = (0..=n).map(f64::from).collect();
                assert_eq!(kept, expected, "step {step}, {last_days:?}: {report:?}");
            }
        }
    }
}

#[test]
fn title_list_is_imported_with_the_figures() {
    let titles = "series_id,title,frequency,units\nMY_OWN.1,Sales of the shop,M,Dollars\n";
    let dir = folder(&[
        ("a.csv", "series_id,date,value\nMY_OWN.1,2026-07-29,4.67\n"),
        ("titles.csv", titles),
        ("worse.csv", "series_id,title,frequency\nX,x,sometimes\n"),
    ]);
    let store = Sqlite::in_memory().unwrap();
    let report = run(&store, dir.path());
    assert_eq!((report.series, report.rows), (1, 1));
    let message = report
        .errors
        .first()
        .map(ToString::to_string)
        .unwrap_or_default();
    assert!(
        message.contains("worse.csv") && message.contains("sometimes"),
        "{message}"
    );
    let description = store.description(&id("MY_OWN.1")).unwrap().unwrap();
    assert_eq!(
        (description.title.as_str(), description.units.as_str()),
        ("Sales of the shop", "Dollars")
    );
}

#[test]
fn folder_with_all_layouts_is_imported() {
    let dir = folder(&[
        (
            "a.csv",
            "series_id,date,value\nDGS10,2026-07-29,4.67\nDGS2,2026-07-29,4.1\n",
        ),
        (
            "UNRATE.CSV",
            "\u{feff}date,value\r\n2026-06-01,4.2\r\n2026-07-01,.\r\n",
        ),
        (
            "wide.csv",
            "observation_date,GS10,MY_OWN.1\n2026-07-01,4.5,\n2026-08-01,,7\n",
        ),
        ("notes.txt", "not ours"),
        (".hidden.csv", "not ours"),
        ("deeper/X.csv", "date,value\n2026-07-01,1\n"),
        ("folder.csv/inside.txt", "a folder by that name"),
    ]);
    let store = Sqlite::in_memory().unwrap();
    let report = run(&store, dir.path());
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    assert_eq!((report.files, report.series, report.rows), (3, 5, 5));
    assert_eq!(report.written.added, 5);
    assert_eq!(values(&store, "UNRATE"), vec![(date(2026, 6, 1), 4.2)]);
    assert_eq!(values(&store, "MY_OWN.1"), vec![(date(2026, 8, 1), 7.0)]);
    assert!(store.read(&id("X")).unwrap().is_none());
    assert_eq!(store.status().unwrap()[0].origin, "import");
}

#[test]
fn broken_row_refuses_its_series_in_every_file() {
    let dir = folder(&[
        (
            "a.csv",
            "series_id,date,value\nDGS10,2026-07-29,4.67\nDGS2,2026-07-29,4.1\n",
        ),
        (
            "b.csv",
            "series_id,date,value\nDGS10,2026-07-30,4.7\nDGS10,2026-07-31,oops\n",
        ),
        ("c.csv", "series_id,date,value\nDGS10,2026-07-29,4.8\n"),
        ("d.csv", "<html>"),
        ("e.csv", "date,value\n"),
    ]);
    let store = Sqlite::in_memory().unwrap();
    let report = run(&store, dir.path());
    let errors: Vec<String> = report.errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(
        errors[0].contains("b.csv line 3: \"oops\" is not a number; nothing of DGS10 was imported")
    );
    assert!(errors[1].contains("d.csv line 1: the first line \"<html>\" names no date column"));
    assert!(errors[2].contains("e.csv: holds no figures"));
    assert!(report.errors.iter().all(|e| e.code() == "bad_file"));
    assert_eq!(values(&store, "DGS10"), vec![]);
    assert_eq!(values(&store, "DGS2"), vec![(date(2026, 7, 29), 4.1)]);
}

#[test]
fn overlapping_files_are_merged_and_conflicting_ones_refused() {
    let first = "series_id,date,value\nA,2026-07-01,1\nA,2026-08-01,2\n";
    let joined = folder(&[
        ("1.csv", first),
        ("2.csv", "DATE,A\n2026-08-01,2\n2026-06-01,0\n"),
    ]);
    let store = Sqlite::in_memory().unwrap();
    assert!(run(&store, joined.path()).errors.is_empty());
    let expected = vec![
        (date(2026, 6, 1), 0.0),
        (date(2026, 7, 1), 1.0),
        (date(2026, 8, 1), 2.0),
    ];
    assert_eq!(values(&store, "A"), expected);

    let conflict = folder(&[("1.csv", first), ("2.csv", "DATE,A\n2026-08-01,9\n")]);
    let store = Sqlite::in_memory().unwrap();
    let report = run(&store, conflict.path());
    let error = report.errors[0].to_string();
    assert!(
        error.contains("2.csv line 2: 9 for 2026-08-01, but 2 on line 3 of"),
        "{error}"
    );
    assert_eq!(values(&store, "A"), vec![]);
}

#[test]
fn second_import_changes_nothing_and_revisions_are_dated() {
    let store = Sqlite::in_memory().unwrap();
    let dir = folder(&[("UNRATE.csv", "date,value\n2026-07-01,4.2\n2026-08-01,4.3\n")]);
    run(&store, dir.path());
    assert_eq!(run(&store, dir.path()).written, WriteOutcome::default());
    let newer = folder(&[("UNRATE.csv", "date,value\n2026-08-01,4.4\n2026-09-01,4.5\n")]);
    let written = run(&store, newer.path()).written;
    assert_eq!((written.added, written.revised), (1, 1));
    let rows = store.read(&id("UNRATE")).unwrap().unwrap().rows().to_vec();
    let known_from_of = |value| {
        rows.iter()
            .find(|r| r.value == Some(value))
            .unwrap()
            .known_from
    };
    let with_september = Some(date(2026, 10, 2));
    assert_eq!(
        known_from_of(4.4),
        with_september,
        "no day has one without the other"
    );
    assert_eq!(
        known_from_of(4.5),
        None,
        "public long before, so estimated from the lag"
    );
}

#[test]
fn nothing_to_import_is_an_error() {
    let empty = tempfile::tempdir().unwrap();
    let store = Sqlite::in_memory().unwrap();
    let error = import(&store, empty.path(), &mut Progress::quiet()).unwrap_err();
    assert!(error.to_string().contains("holds no .csv file"));
    let missing = empty.path().join("absent");
    let error = import(&store, &missing, &mut Progress::quiet()).unwrap_err();
    assert!(error.to_string().contains("absent: cannot be listed"));
}

#[test]
fn composites_are_not_imported() {
    let dir = folder(&[("a.csv", "DATE,SERVICE_CRPI,DGS10\n2026-07-29,14,4.67\n")]);
    let store = Sqlite::in_memory().unwrap();
    let report = run(&store, dir.path());
    let error = report.errors[0].to_string();
    assert!(error.contains("SERVICE_CRPI is computed here"), "{error}");
    assert_eq!(values(&store, "SERVICE_CRPI"), vec![]);
    assert_eq!(values(&store, "DGS10").len(), 1);
}

#[test]
fn single_file_is_imported() {
    let dir = folder(&[
        ("UNRATE.csv", "date,value\n2026-07-01,4.2\n"),
        ("B.csv", "bad"),
    ]);
    let store = Sqlite::in_memory().unwrap();
    let report = run(&store, &dir.path().join("UNRATE.csv"));
    assert_eq!((report.files, report.rows, report.errors.len()), (1, 1, 0));
}

#[test]
fn progress_shows_both_phases() {
    let dir = folder(&[
        ("UNRATE.csv", "date,value\n2026-07-01,4.2\n"),
        ("B.csv", "bad"),
    ]);
    let out = SharedBuffer::default();
    let mut progress = Progress::lines(Box::new(out.clone()));
    import(&Sqlite::in_memory().unwrap(), dir.path(), &mut progress).unwrap();
    let text = out.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        (lines[0], lines[3]),
        ("reading files: 2", "writing series: 1")
    );
    assert_eq!(text.matches("FAILED").count(), 1, "{text}");
    assert_eq!(lines.len(), 5, "{text}");
}

#[test]
fn bundled_series_folder_is_imported_completely() {
    let real = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/series"));
    let store = Sqlite::in_memory().unwrap();
    let start = std::time::Instant::now();
    let report = run(&store, real);
    println!("{} figures in {:?}", report.rows, start.elapsed());
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    assert!(report.files >= 200 && report.series >= 200);
    let lines: usize = csv_files(real)
        .unwrap()
        .files
        .iter()
        .map(|f| fs::read_to_string(f).unwrap().lines().count() - 1)
        .sum();
    assert_eq!(
        report.rows, lines,
        "no row is lost; the folder holds no missing values"
    );
    assert_eq!(report.written.added, report.rows);
    assert_eq!(
        values(&store, "UNRATE")
            .iter()
            .find(|(d, _)| *d == date(2025, 10, 1)),
        None
    );
}

#[test]
fn implausible_figure_is_refused_unless_replace_is_asked_for() {
    let store = Sqlite::in_memory().unwrap();
    let months: Vec<String> = (1..=8)
        .map(|m| format!("2026-{m:02}-01,4.{}\n", m % 3))
        .collect();
    let text = format!("date,value\n{}", months.concat());
    run(&store, folder(&[("UNRATE.csv", &text)]).path());
    for figure in ["430", "0.042", "0", "-1", "-99", "-9999", "-4.2"] {
        let file = folder(&[("UNRATE.csv", &format!("date,value\n2026-09-01,{figure}\n"))]);
        let report = run(&store, file.path());
        let error = report.errors[0].to_string();
        assert!(
            error.contains(&format!("line 2: {figure} for 2026-09-01")),
            "{error}"
        );
        assert!(error.contains("--replace"), "{error}");
        assert_eq!(values(&store, "UNRATE").len(), 8);
    }
    let file = folder(&[("UNRATE.csv", "date,value\n2026-09-01,430\n")]);
    let report = replace(&store, file.path());
    assert!(report.errors.is_empty());
    assert!(report.warnings[0].contains("UNRATE: 430 for 2026-09-01"));
    assert_eq!(values(&store, "UNRATE").len(), 9);
}

#[test]
fn vintages_and_figures_form_one_series() {
    // The report of December 2008 covers November as well; in February 2009 October left the series for a month.
    let vintages = "date,value,known_from\n2008-10-01,100,2008-12\n2008-11-01,90,2008-12\n2008-11-01,88,2009-01\n\
        2008-12-01,80,2009-01\n2008-10-01,,2009-02\n2008-10-01,101,2009-03-06\n";
    let figures = "series_id,date,value\nPAYEMS,2008-10-01,101\nPAYEMS,2008-11-01,87\nPAYEMS,2008-12-01,80\nPAYEMS,2009-01-01,70\n";
    let values_as_of = |store: &Sqlite, day| -> Vec<f64> {
        let stored = store.read(&id("PAYEMS")).unwrap().unwrap();
        let rows = stored.as_of(day, |date| {
            econoscope_core::model::observation::lagged_publication_day(
                date,
                econoscope_core::model::Frequency::Monthly,
                5,
            )
        });
        rows.iter().map(|o| o.value).collect()
    };
    let together = folder(&[("PAYEMS.csv", vintages), ("all.csv", figures)]);
    let vintages_only = folder(&[("PAYEMS.csv", vintages)]);
    let figures_only = folder(&[("all.csv", figures)]);
    for folders in [
        vec![&together],
        vec![&figures_only, &vintages_only],
        vec![&together, &vintages_only, &figures_only],
    ] {
        let store = Sqlite::in_memory().unwrap();
        for folder in folders {
            assert!(run(&store, folder.path()).errors.is_empty());
        }
        assert_eq!(
            values_as_of(&store, date(2008, 12, 4)),
            [101.0],
            "by the lag"
        );
        assert_eq!(values_as_of(&store, date(2008, 12, 5)), [100.0, 90.0]);
        assert_eq!(
            values_as_of(&store, date(2009, 1, 8)),
            [100.0, 90.0],
            "not by the lag"
        );
        assert_eq!(values_as_of(&store, date(2009, 1, 9)), [100.0, 88.0, 80.0]);
        assert_eq!(values_as_of(&store, date(2009, 2, 28)), [88.0, 80.0, 70.0]);
        assert_eq!(
            values_as_of(&store, date(2009, 3, 6)),
            [101.0, 88.0, 80.0, 70.0]
        );
        assert_eq!(values(&store, "PAYEMS").len(), 4);
        assert_eq!(values(&store, "PAYEMS")[1].1, 87.0, "as read last");
    }
}

#[test]
fn first_vintage_counts_from_its_estimated_day() {
    let store = Sqlite::in_memory().unwrap();
    let text = "date,value,known_from\n2008-01-01,1,2008-12\n2008-01-01,2,2010-02\n2008-11-01,3,2008-12\n2008-12-01,4,2009-01\n";
    let dir = folder(&[("PAYEMS.csv", text)]);
    run(&store, dir.path());
    assert_eq!(run(&store, dir.path()).written, WriteOutcome::default());
    let rows = store.read(&id("PAYEMS")).unwrap().unwrap().rows().to_vec();
    let days: Vec<_> = rows.iter().map(|r| r.known_from).collect();
    let day = |y, m, d| Some(date(y, m, d));
    assert_eq!(
        days,
        [None, day(2010, 2, 28), day(2008, 12, 5), day(2009, 1, 9)]
    );
}

/// Twenty-four months from January 2024.
fn file_of(rows: impl Iterator<Item = (i32, f64)>) -> String {
    let row =
        |(n, value): (i32, f64)| format!("HOUST,{}-{:02}-01,{value}\n", 2024 + n / 12, n % 12 + 1);
    format!(
        "series_id,date,value\n{}",
        rows.map(row).collect::<String>()
    )
}

#[test]
fn older_file_revises_nothing_without_replace() {
    let value = |n: i32| 100.0 + f64::from(n * n % 7) / 10.0;
    let store = Sqlite::in_memory().unwrap();
    let stored = folder(&[("a.csv", &file_of((1..24).map(|n| (n, value(n)))))]);
    run(&store, stored.path());
    let before = values(&store, "HOUST");
    let older = folder(&[(
        "a.csv",
        &file_of((0..20).map(|n| (n, value(n) + f64::from(n % 3)))),
    )]);
    let report = run(&store, older.path());
    assert_eq!((report.written.added, report.written.revised), (1, 0));
    assert_eq!(values(&store, "HOUST")[1..], before);
    let [warning] = report.warnings.as_slice() else {
        panic!("{:?}", report.warnings)
    };
    assert!(
        warning.contains("ends on 2025-08-01, the stored figures on 2025-12-01")
            && warning.contains("--replace"),
        "{warning}"
    );
    assert_eq!(replace(&store, older.path()).written.revised, 13);
}

#[test]
fn file_on_another_base_is_left_out_or_replaces_every_stored_row() {
    let value = |n: i32| 100.0 + f64::from(n * n % 7) / 10.0;
    let stored = |series: &str| {
        let store = Sqlite::in_memory().unwrap();
        let text = file_of((0..24).map(|n| (n, value(n)))).replace("HOUST", series);
        run(&store, folder(&[("a.csv", &text)]).path());
        store
    };
    let all: Vec<i32> = (0..24).collect();
    let with_gap: Vec<i32> = (0..24).filter(|n| *n != 11).collect();
    for (series, factor, rows, reason) in [
        ("INDPRO", 0.87, &all, None),
        ("MY_OWN", 0.87, &all, None),
        (
            "INDPRO",
            0.87,
            &with_gap,
            Some("lacks 1 of the stored dates, the first 2024-12-01"),
        ),
        (
            "INDPRO",
            0.87,
            &all[3..].to_vec(),
            Some("lacks 3 of the stored dates"),
        ),
        (
            "INDPRO",
            0.01,
            &all[21..].to_vec(),
            Some("lacks 21 of the stored dates"),
        ),
        (
            "INDPRO",
            -1.0,
            &all[3..].to_vec(),
            Some("lacks 3 of the stored dates"),
        ),
        ("HOUST", 0.001, &all, Some("convert them to Thousands")),
        ("PAYEMS", 1000.0, &all, Some("convert them to Thousands")),
    ] {
        let store = stored(series);
        let before = values(&store, series);
        let text = file_of(rows.iter().map(|n| (*n, factor * value(*n)))).replace("HOUST", series);
        let file = folder(&[("a.csv", &text)]);
        let report = run(&store, file.path());
        let messages = format!("{:?} {:?}", report.warnings, report.errors);
        assert!(
            messages.contains("another base or unit: left out"),
            "{series} {factor}: {messages}"
        );
        assert_eq!(values(&store, series), before, "{series} {factor}");
        let report = replace(&store, file.path());
        if let Some(reason) = reason {
            let error = report.errors[0].to_string();
            assert!(error.contains(reason), "{error}");
            assert_eq!(values(&store, series), before);
        } else {
            assert!(report.errors.is_empty(), "{:?}", report.errors);
            assert!((values(&store, series)[0].1 / value(0) - factor).abs() < 1e-9);
        }
    }
}

mod matrix;
