//! `econoscope export`: plain tables, as known on a day, without what may not be passed on.

use super::{run, said, text};
use rusqlite::Connection;
use std::fs;

#[test]
fn export_writes_plain_tables_as_known_on_a_day() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("tables");
    let words = [
        "export",
        text(&folder),
        "--series",
        "UNRATE,payrolls",
        "--as-of",
        "2023-10-15",
    ];
    let ran = run(home.path(), &words);
    assert!(ran.status.success(), "{}", said(&ran));
    let rows = fs::read_to_string(folder.join("observations.csv")).unwrap();
    let mut lines = rows.lines();
    assert_eq!(lines.next(), Some("series_id,date,value,known_from,source"));
    let first_print = "UNRATE,2023-08-01,3.8,2023-09-01,Bureau of Labor Statistics";
    assert!(rows.contains(first_print), "{first_print}");
    // Today it is 3.7; nothing of later days is written.
    assert!(!rows.contains("UNRATE,2023-08-01,3.7") && !rows.contains(",2024-"));
    assert!(rows.contains("\nPAYEMS,") && !rows.contains("\nDGS10,"));
    let series = fs::read_to_string(folder.join("series.csv")).unwrap();
    assert_eq!(series.lines().count(), 3, "{series}");
    let releases = fs::read_to_string(folder.join("releases.csv")).unwrap();
    assert!(
        releases.contains("Employment report,") && releases.contains(",2023-11-"),
        "{releases}"
    );
}

#[test]
fn export_writes_one_sqlite_file_and_no_second_into_it() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("tables");
    let words = [
        "export",
        text(&folder),
        "--format",
        "sqlite",
        "--series",
        "UNRATE,SP500",
    ];
    let ran = run(home.path(), &words);
    assert!(ran.status.success(), "{}", said(&ran));
    // Its owner does not allow that SP500 is passed on.
    assert!(
        said(&ran).contains("may not be passed on: SP500"),
        "{}",
        said(&ran)
    );
    let file = Connection::open(folder.join("econoscope.sqlite")).unwrap();
    let first: f64 = file
        .query_row(
            "SELECT value FROM observations WHERE series_id = 'UNRATE' AND date = '2023-08-01' ORDER BY known_from LIMIT 1",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!((first - 3.8).abs() < 1e-9, "{first}");
    let kinds: i64 = file
        .query_row(
            "SELECT count(DISTINCT series_id) FROM observations",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(kinds, 1);
    let again = run(home.path(), &words);
    assert!(
        !again.status.success() && said(&again).contains("econoscope.sqlite"),
        "{}",
        said(&again)
    );
}
