use super::*;
use crate::model::Date;
use crate::store::Memory;
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
    import_at(store, dir, on("2026-11-21"), &mut |_| {}).unwrap()
}

fn values(store: &dyn Store, series: &str) -> Vec<(Date, f64)> {
    let held = store.read(&id(series)).unwrap().unwrap_or_default();
    held.latest().iter().map(|o| (o.date, o.value)).collect()
}

#[test]
fn titles_come_with_the_figures() {
    let titles = "series_id,title,frequency,units\nMY_OWN.1,Sales of the shop,M,Dollars\n";
    let dir = folder(&[
        ("a.csv", "series_id,date,value\nMY_OWN.1,2026-07-29,4.67\n"),
        ("titles.csv", titles),
        ("worse.csv", "series_id,title,frequency\nX,x,sometimes\n"),
    ]);
    let store = Memory::new();
    let report = run(&store, dir.path());
    assert_eq!(
        (report.series.len(), report.described, report.rows()),
        (1, 1, 1)
    );
    let said = report
        .errors
        .first()
        .map(ToString::to_string)
        .unwrap_or_default();
    assert!(
        said.contains("worse.csv") && said.contains("sometimes"),
        "{said}"
    );
    let told = store.description(&id("MY_OWN.1")).unwrap().unwrap();
    assert_eq!(
        (told.title.as_str(), told.units.as_str()),
        ("Sales of the shop", "Dollars")
    );
}

#[test]
fn a_folder_of_all_layouts_goes_in() {
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
    let store = Memory::new();
    let report = run(&store, dir.path());
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    assert_eq!(
        (report.files, report.series.len(), report.rows()),
        (3, 5, 5)
    );
    assert_eq!(report.written().added, 5);
    assert_eq!(values(&store, "UNRATE"), vec![(date(2026, 6, 1), 4.2)]);
    assert_eq!(values(&store, "MY_OWN.1"), vec![(date(2026, 8, 1), 7.0)]);
    assert!(store.read(&id("X")).unwrap().is_none());
    assert_eq!(store.status().unwrap()[0].origin, "import");
}

#[test]
fn a_broken_row_is_named_and_refuses_its_series_in_every_file() {
    let dir = folder(&[
        (
            "a.csv",
            "series_id,date,value\nDGS10,2026-07-29,4.67\nDGS2,2026-07-29,4.1\n",
        ),
        (
            "b.csv",
            "series_id,date,value\nDGS10,2026-07-30,4.7\nDGS10,2026-07-31,oops\n",
        ),
        ("c.csv", "series_id,date,value\nDGS10,2026-08-03,4.8\n"),
        ("d.csv", "<html>"),
        ("e.csv", "date,value\n"),
    ]);
    let store = Memory::new();
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
fn files_that_overlap_are_joined_and_files_that_disagree_are_refused() {
    let first = "series_id,date,value\nA,2026-07-01,1\nA,2026-08-01,2\n";
    let joined = folder(&[
        ("1.csv", first),
        ("2.csv", "DATE,A\n2026-08-01,2\n2026-06-01,0\n"),
    ]);
    let store = Memory::new();
    assert!(run(&store, joined.path()).errors.is_empty());
    let want = vec![
        (date(2026, 6, 1), 0.0),
        (date(2026, 7, 1), 1.0),
        (date(2026, 8, 1), 2.0),
    ];
    assert_eq!(values(&store, "A"), want);

    let clash = folder(&[("1.csv", first), ("2.csv", "DATE,A\n2026-08-01,9\n")]);
    let store = Memory::new();
    let report = run(&store, clash.path());
    let error = report.errors[0].to_string();
    assert!(
        error.contains("2.csv line 2: 9 for 2026-08-01, but 2 on line 3 of"),
        "{error}"
    );
    assert_eq!(values(&store, "A"), vec![]);
}

#[test]
fn a_second_import_changes_nothing_and_a_revision_is_dated() {
    let store = Memory::new();
    let dir = folder(&[("UNRATE.csv", "date,value\n2026-07-01,4.2\n2026-08-01,4.3\n")]);
    run(&store, dir.path());
    assert_eq!(run(&store, dir.path()).written(), Written::default());
    let newer = folder(&[("UNRATE.csv", "date,value\n2026-08-01,4.4\n2026-09-01,4.5\n")]);
    let written = run(&store, newer.path()).written();
    assert_eq!((written.added, written.revised), (1, 1));
    let rows = store.read(&id("UNRATE")).unwrap().unwrap().rows().to_vec();
    let known = |value| rows.iter().find(|r| r.value == value).unwrap().known_from;
    assert_eq!(known(4.4), Some(date(2026, 11, 21)));
    assert_eq!(
        known(4.5),
        None,
        "public long before, so estimated from the lag"
    );
}

#[test]
fn nothing_to_import_is_an_error_that_names_the_place() {
    let empty = tempfile::tempdir().unwrap();
    let store = Memory::new();
    let error = import(&store, empty.path(), &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("holds no .csv file"));
    let missing = empty.path().join("absent");
    let error = import(&store, &missing, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("absent: cannot be listed"));
}

#[test]
fn our_own_composites_are_computed_and_not_imported() {
    let dir = folder(&[("a.csv", "DATE,SERVICE_CRPI,DGS10\n2026-07-29,14,4.67\n")]);
    let store = Memory::new();
    let report = run(&store, dir.path());
    let error = report.errors[0].to_string();
    assert!(error.contains("SERVICE_CRPI is computed here"), "{error}");
    assert_eq!(values(&store, "SERVICE_CRPI"), vec![]);
    assert_eq!(values(&store, "DGS10").len(), 1);
}

#[test]
fn one_file_may_be_named_instead_of_a_folder() {
    let dir = folder(&[
        ("UNRATE.csv", "date,value\n2026-07-01,4.2\n"),
        ("B.csv", "bad"),
    ]);
    let store = Memory::new();
    let report = run(&store, &dir.path().join("UNRATE.csv"));
    assert_eq!(
        (report.files, report.rows(), report.errors.len()),
        (1, 1, 0)
    );
}

#[test]
fn progress_tells_both_stretches_to_their_end() {
    let dir = folder(&[
        ("UNRATE.csv", "date,value\n2026-07-01,4.2\n"),
        ("B.csv", "bad"),
    ]);
    let mut events = Vec::new();
    import(&Memory::new(), dir.path(), &mut |event| events.push(event)).unwrap();
    let started = |e: &&Progress| matches!(e, Progress::Started { .. });
    assert_eq!(events.iter().filter(started).count(), 2);
    let failed = |e: &&Progress| {
        matches!(
            e,
            Progress::Done {
                result: StepResult::Failed(_),
                ..
            }
        )
    };
    assert_eq!(events.iter().filter(failed).count(), 1);
    assert!(matches!(events.last(), Some(Progress::Finished { .. })));
}

#[test]
fn the_real_folder_goes_in_whole() {
    let real = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../shared/data/series"
    ));
    if !real.is_dir() {
        println!("skipped: no real series here");
        return;
    }
    let store = Memory::new();
    let start = std::time::Instant::now();
    let report = run(&store, real);
    println!("{} figures in {:?}", report.rows(), start.elapsed());
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    assert!(report.files >= 200 && report.series.len() >= 200);
    let lines: usize = csv_files(real)
        .unwrap()
        .iter()
        .map(|f| fs::read_to_string(f).unwrap().lines().count() - 1)
        .sum();
    assert_eq!(
        report.rows(),
        lines,
        "no row is lost; the folder holds no missing values"
    );
    assert_eq!(report.written().added, report.rows());
    assert_eq!(
        values(&store, "UNRATE")
            .iter()
            .find(|(d, _)| *d == date(2025, 10, 1)),
        None
    );
}
