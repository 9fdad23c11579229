//! The program itself: `doctor`, `backup`, what becomes of a damaged store, odd files, signals, the log. Nothing is ever
//! deleted.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says so"
)]

mod calls;
mod documents;
mod export;
// Where the files of hosts lie differs from system to system.
#[cfg(target_os = "linux")]
mod install;
mod odd;
mod running;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A named pipe that nobody writes to.
fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// Runs the program with a home of its own and no settings from outside.
fn run(home: &Path, words: &[&str]) -> Output {
    command(home).args(words).output().unwrap()
}

fn command(home: &Path) -> Command {
    clean(Command::new(env!("CARGO_BIN_EXE_econoscope")), home)
}

fn clean(mut command: Command, home: &Path) -> Command {
    for (name, _) in std::env::vars() {
        if name.starts_with("ECONOSCOPE_") {
            command.env_remove(name);
        }
    }
    command.env("HOME", home);
    command
}

fn said(output: &Output) -> String {
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// A store with one imported series.
fn filled(home: &Path) -> PathBuf {
    let rows: String = (1..=28)
        .map(|d| format!("2026-01-{d:02},{d}.5\n"))
        .collect();
    fs::write(home.join("DGS10.csv"), format!("date,value\n{rows}")).unwrap();
    let store = home.join("econoscope.db");
    let file = home.join("DGS10.csv");
    let words = ["--store", text(&store), "import", "--bare", text(&file)];
    let done = run(home, &words);
    assert!(done.status.success(), "{}", said(&done));
    store
}

#[test]
fn demo_prints_the_economy_with_a_chart() {
    let home = tempfile::tempdir().unwrap();
    let shown = run(home.path(), &["demo"]);
    assert!(shown.status.success());
    let shown = said(&shown);
    assert!(shown.contains("\nThe US economy is in "), "{shown}");
    let widest = shown.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{shown}");
    let drawn = shown
        .lines()
        .filter(|line| line.contains('▁') && line.contains('█'));
    assert_eq!(
        drawn.filter(|line| line.contains(" %, 20")).count(),
        4,
        "{shown}"
    );
}

#[test]
fn terminal_gets_a_hint_and_a_pipe_does_not() {
    let home = tempfile::tempdir().unwrap();
    // `script` gives a terminal; where it is not there nothing can be typed.
    let own = env!("CARGO_BIN_EXE_econoscope");
    let mut terminal = clean(Command::new("script"), home.path());
    let told = terminal
        .args(["-qec", own, "/dev/null"])
        .stdin(std::process::Stdio::null());
    let told = said(&told.output().unwrap());
    assert!(
        told.contains("econoscope install") && told.contains("econoscope demo"),
        "{told}"
    );
    let piped = command(home.path())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!((piped.status.code(), &*piped.stdout), (Some(0), &b""[..]));
}

#[test]
fn import_adds_to_the_bundled_history_unless_bare() {
    let home = tempfile::tempdir().unwrap();
    filled(home.path());
    let file = home.path().join("DGS10.csv");
    for (words, is_bare) in [(vec!["import"], false), (vec!["import", "--bare"], true)] {
        let store = home.path().join(format!("{is_bare}.db"));
        let store = ["--store", text(&store)];
        let words = [&store[..], &words, &[text(&file)]].concat();
        assert!(run(home.path(), &words).status.success());
        let ask = |ticker| {
            let words = [&store[..], &["call", "get_time_series", ticker]].concat();
            run(home.path(), &words)
        };
        assert!(ask("seriesId=DGS10").status.success());
        let other = ask("seriesId=UNRATE");
        assert_eq!(said(&other).contains("\"rowCount\":0"), is_bare);
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn series(home: &Path, store: &Path) -> Output {
    let words = [
        "--store",
        text(store),
        "call",
        "get_time_series",
        "seriesId=DGS10",
        "start=2026-01-01",
        "end=2026-01-28",
    ];
    run(home, &words)
}

/// Breaks rows, not the file's head: the file opens, and what it holds is wrong.
fn damage(store: &Path) -> Vec<u8> {
    let mut bytes = fs::read(store).unwrap();
    let from = bytes.len() / 3;
    for at in (from..bytes.len()).step_by(97) {
        bytes[at] ^= 0x55;
    }
    fs::write(store, &bytes).unwrap();
    bytes
}

fn set_aside(store: &Path) -> Vec<PathBuf> {
    let start = format!("{}.corrupt-", store.file_name().unwrap().to_str().unwrap());
    let entries = fs::read_dir(store.parent().unwrap()).unwrap();
    let mut found: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    found.retain(|p| p.file_name().unwrap().to_str().unwrap().starts_with(&start));
    found
}

#[test]
fn doctor_accepts_an_intact_store_and_lists_missing_series() {
    let home = tempfile::tempdir().unwrap();
    let store = home.path().join("econoscope.db");
    let none = run(
        home.path(),
        &["--store", text(&store), "doctor", "--offline"],
    );
    assert!(none.status.success(), "{}", said(&none));
    assert!(said(&none).contains("the bundled history is used"));
    assert!(!store.exists(), "looking makes no store");
    filled(home.path());
    let whole = run(
        home.path(),
        &["--store", text(&store), "doctor", "--offline"],
    );
    let told = said(&whole);
    assert_eq!(whole.status.code(), Some(0), "{told}");
    assert!(
        told.contains("every row verified") && !told.contains("FAULT"),
        "{told}"
    );
    assert!(
        told.contains("FRED key") && told.contains("ok    clock"),
        "{told}"
    );
}

#[test]
fn doctor_reports_an_invalid_base_url_and_hides_the_key() {
    let home = tempfile::tempdir().unwrap();
    let key = "abcdefabcdef0123456789abcdefabcd";
    let words = [
        "--base-url",
        "macro.example",
        "--fred-key",
        key,
        "doctor",
        "--offline",
    ];
    let told = run(home.path(), &words);
    assert!(!said(&told).contains(key));
    let code = told.status.code();
    let told = said(&told);
    assert!(code != Some(0), "{told}");
    assert!(
        told.contains("https://"),
        "it says what would be right: {told}"
    );
}

#[test]
fn damaged_store_is_reported_and_moved_only_with_quarantine() {
    let home = tempfile::tempdir().unwrap();
    let store = filled(home.path());
    let broken = damage(&store);
    let looked = run(
        home.path(),
        &["--store", text(&store), "doctor", "--offline"],
    );
    let told = said(&looked);
    assert_eq!(looked.status.code(), Some(1), "{told}");
    assert!(
        told.contains("FAULT store") && told.contains("--quarantine"),
        "{told}"
    );
    assert_eq!(fs::read(&store).unwrap(), broken, "looking changes nothing");

    let answer = series(home.path(), &store);
    assert!(
        !answer.status.success(),
        "no figure out of broken rows: {}",
        said(&answer)
    );
    assert!(
        store.exists() && set_aside(&store).is_empty(),
        "a named store stays"
    );

    let words = [
        "--store",
        text(&store),
        "doctor",
        "--offline",
        "--quarantine",
    ];
    let moved = run(home.path(), &words);
    assert!(said(&moved).contains("moved to"), "{}", said(&moved));
    let aside = set_aside(&store);
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert_eq!(fs::read(&aside[0]).unwrap(), broken, "moved as it was");
    assert!(!store.exists());
}

#[test]
fn damaged_store_at_the_default_location_is_renamed_and_replaced() {
    let home = tempfile::tempdir().unwrap();
    let done = run(
        home.path(),
        &[
            "import",
            text(&{
                let file = home.path().join("DGS10.csv");
                fs::write(&file, "date,value\n2026-01-02,4.5\n").unwrap();
                file
            }),
        ],
    );
    assert!(done.status.success(), "{}", said(&done));
    let store = home.path().join(".local/share/econoscope/econoscope.db");
    assert!(store.exists(), "the default place");
    let foreign = b"this is not a database, but it is somebody's".repeat(40);
    fs::write(&store, &foreign).unwrap();
    let answer = run(home.path(), &["call", "get_metric", "ticker=UNRATE"]);
    let told = said(&answer);
    assert!(answer.status.success(), "{told}");
    assert!(told.contains("starting with a new one"), "{told}");
    let aside = set_aside(&store);
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert_eq!(fs::read(&aside[0]).unwrap(), foreign, "kept as it was");
}

#[test]
fn backup_equals_the_store_and_overwrites_nothing() {
    let home = tempfile::tempdir().unwrap();
    let store = filled(home.path());
    let folder = home.path().join("backups");
    fs::create_dir(&folder).unwrap();
    let done = run(
        home.path(),
        &["--store", text(&store), "backup", text(&folder)],
    );
    assert!(done.status.success(), "{}", said(&done));
    assert!(said(&done).contains("verified every row"));
    let copies: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    assert_eq!(copies.len(), 1, "{copies:?}");
    assert_eq!(copies[0].extension().unwrap(), "db");
    let copied = series(home.path(), &copies[0]);
    assert!(copied.status.success(), "{}", said(&copied));
    assert_eq!(copied.stdout, series(home.path(), &store).stdout);

    let before = fs::read(&copies[0]).unwrap();
    let again = run(
        home.path(),
        &["--store", text(&store), "backup", text(&copies[0])],
    );
    assert!(
        !again.status.success(),
        "an existing file is no place: {}",
        said(&again)
    );
    assert_eq!(fs::read(&copies[0]).unwrap(), before);
}

#[test]
fn damaged_store_is_not_backed_up() {
    let home = tempfile::tempdir().unwrap();
    let store = filled(home.path());
    damage(&store);
    let to = home.path().join("copy.db");
    let done = run(home.path(), &["--store", text(&store), "backup", text(&to)]);
    assert!(!done.status.success(), "{}", said(&done));
    assert!(!to.exists(), "no file that looks like a backup");
    let missing = home.path().join("missing.db");
    let none = run(
        home.path(),
        &["--store", text(&missing), "backup", text(&to)],
    );
    assert!(!none.status.success() && !to.exists() && !missing.exists());
}
