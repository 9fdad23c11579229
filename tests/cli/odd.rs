//! What should be a file and is none, names that speak to terminals, and a key that is none.

use super::{command, pipe, run, said, text};
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Runs the program and ends it when it hangs: the test then fails and does not hang as well.
fn run_or_end(home: &Path, words: &[&str]) -> Output {
    let mut child = command(home)
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{words:?} hangs");
        }
        sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

#[test]
fn named_pipe_is_refused_where_a_file_is_expected() {
    let home = tempfile::tempdir().unwrap();
    let fifo = home.path().join("DGS10.csv");
    pipe(&fifo);
    let folder = home.path().join("folder");
    fs::create_dir(&folder).unwrap();
    pipe(&folder.join("a.csv"));
    let store = home.path().join("store.db");
    for words in [
        ["--store", text(&store), "import", text(&fifo)].as_slice(),
        &["--store", text(&store), "import", text(&folder)],
        &["--store", text(&fifo), "doctor", "--offline"],
        &["--store", text(&fifo), "call", "get_regime"],
        &["--store", text(&fifo), "backup", "copy.db"],
        &["--config", text(&fifo), "call", "get_regime"],
        &[
            "--upstream",
            "http://127.0.0.1:9",
            "--upstream-state",
            text(&fifo),
            "call",
            "get_regime",
        ],
    ] {
        let told = run_or_end(home.path(), words);
        assert!(!told.status.success(), "{words:?}");
        let told = said(&told);
        assert!(told.contains("a named pipe"), "{words:?}: {told}");
    }
}

#[test]
fn file_names_are_escaped_for_the_terminal() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("in\u{1b}]0;owned\u{7}");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a\u{1b}[31m.csv"), "date,value\n2026-01-01,x\n").unwrap();
    let store = folder.join("store.db");
    fs::write(&store, "not a store").unwrap();
    let fine = home.path().join("fine.db");
    for words in [
        ["--store", text(&fine), "import", text(&folder)].as_slice(),
        &["--store", text(&store), "doctor", "--offline"],
        &["--store", text(&store), "call", "get_regime"],
        &["--config", text(&folder.join("none")), "call", "get_regime"],
        &[
            "--articles",
            text(&folder.join("none")),
            "call",
            "get_regime",
        ],
    ] {
        let told = said(&run(home.path(), words));
        assert!(
            !told.contains('\u{1b}') && !told.contains('\u{7}'),
            "{words:?}: {told:?}"
        );
        assert!(told.contains("\\u{1b}"), "{words:?}: {told}");
    }
}

#[test]
fn malformed_key_is_never_printed() {
    let home = tempfile::tempdir().unwrap();
    let key = "canary0canary1canary2-not-a-key";
    let file = home.path().join("econoscope.toml");
    fs::write(&file, format!("fred-key = \"{key}\"\n")).unwrap();
    let torn = home.path().join("torn.toml");
    fs::write(&torn, format!("fred-key = \"{key}\n")).unwrap();
    let mut ways = vec![];
    for rest in [["doctor", "--offline"], ["sync", "--quiet"]] {
        ways.push(
            command(home.path())
                .args(["--fred-key", key])
                .args(rest)
                .output()
                .unwrap(),
        );
        ways.push(
            command(home.path())
                .env("ECONOSCOPE_FRED_KEY", key)
                .args(rest)
                .output()
                .unwrap(),
        );
        for file in [&file, &torn] {
            ways.push(
                command(home.path())
                    .args(["--config", text(file)])
                    .args(rest)
                    .output()
                    .unwrap(),
            );
        }
    }
    for told in ways {
        assert!(!told.status.success());
        let told = said(&told);
        assert!(!told.contains("canary"), "{told}");
        assert!(
            told.contains("FRED API key") || told.contains("line 1"),
            "{told}"
        );
    }
}

#[test]
fn empty_variables_count_as_unset_and_switches_take_words() {
    let home = tempfile::tempdir().unwrap();
    let code = |variables: &[(&str, &str)]| {
        let mut call = command(home.path());
        call.args(["call", "get_metric", "UNRATE"]);
        for (name, value) in variables {
            call.env(format!("ECONOSCOPE_{name}"), value);
        }
        let output = call.output().unwrap();
        (output.status.code(), said(&output))
    };
    for name in [
        "FRED_KEY",
        "STORE",
        "NO_FRED",
        "LOG_JSON",
        "UPSTREAM",
        "SOURCE_KEY",
        "FEEDS",
        "LOG",
    ] {
        let (code, text) = code(&[(name, "")]);
        assert_eq!(code, Some(0), "{name}: {text}");
    }
    for word in ["1", "0", "yes", "No", "on", "OFF", "True", "false"] {
        let (code, text) = code(&[("NO_FRED", word)]);
        assert_eq!(code, Some(0), "{word}: {text}");
    }
    assert_eq!(
        code(&[("NO_FRED", "0"), ("FRED", "1")]).0,
        Some(0),
        "they exclude each other only if set"
    );
    assert_eq!(code(&[("NO_FRED", "perhaps")]).0, Some(2));
    let (code, text) = code(&[("STORE", "${user_config.store}")]);
    assert_eq!(code, Some(2));
    assert!(
        text.contains("--store: ${user_config.store} was not filled in"),
        "{text}"
    );
}
