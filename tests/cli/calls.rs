//! `econoscope call`: what it teaches, the forms of an answer, and its exit codes.

use super::{clean, command, run, said, text};
use std::fs;
use std::process::{Command, Stdio};

/// Exit code and all that was printed.
fn told(words: &[&str]) -> (Option<i32>, String) {
    let home = tempfile::tempdir().unwrap();
    let output = run(home.path(), words);
    (output.status.code(), said(&output))
}

fn printed(words: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let output = run(home.path(), words);
    assert!(output.status.success(), "{words:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The tools that `econoscope call` lists.
fn tools() -> Vec<String> {
    let (code, message) = told(&["call"]);
    assert_eq!(code, Some(2), "a call of nothing is a mistake");
    let list = message.split("Tools:").nth(1).unwrap();
    let names = list.lines().filter_map(|line| {
        let name = line.trim_start().split(' ').next()?;
        (name.contains('_') || ["search", "fetch"].contains(&name)).then(|| name.to_owned())
    });
    names.collect()
}

/// A line as a shell reads it.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in line.trim().chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

#[test]
fn tool_help_has_arguments_and_a_working_example() {
    let tools = tools();
    let schemas = concat!(env!("CARGO_MANIFEST_DIR"), "/tool-schemas");
    let all = fs::read_dir(schemas).unwrap().count();
    assert_eq!(tools.len(), all, "{tools:?}");
    for tool in tools {
        let help = printed(&["call", &tool, "--help"]);
        assert!(
            help.contains(&format!("Usage: econoscope call {tool}")),
            "{help}"
        );
        let example = help.split("Example:\n  econoscope ").nth(1).unwrap();
        let arguments = words(example);
        let line: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, answer) = told(&line);
        assert_eq!(code, Some(0), "{line:?}: {answer}");
    }
    let help = printed(&["call", "get_time_series", "--help"]);
    for needle in [
        "required",
        "json, csv",
        "default json",
        "a whole number from 1 to 400",
        "FRED's:",
    ] {
        assert!(help.contains(needle), "{needle}: {help}");
    }
    assert!(printed(&["call", "--help"]).contains("--csv"));
    let own = printed(&["health", "--help"]);
    assert!(
        own.contains("--listen") && !own.contains("--upstream"),
        "{own}"
    );
    assert!(
        own.contains("econoscope --help") && printed(&["--help"]).contains("--upstream"),
        "{own}"
    );
}

#[test]
fn tools_with_rows_print_csv_and_others_name_them() {
    for tool in tools() {
        let help = printed(&["call", &tool, "--help"]);
        let example = help.split("Example:\n  econoscope ").nth(1).unwrap();
        let mut line = words(example);
        line.push("--csv".into());
        let arguments: Vec<&str> = line.iter().map(String::as_str).collect();
        let (code, answer) = told(&arguments);
        let is_state = ["get_macro_summary", "get_metric", "fetch"];
        if is_state.contains(&tool.as_str()) {
            assert_eq!(code, Some(2), "{tool}: {answer}");
            assert!(
                answer.contains("Tools with rows: get_regime, get_signals"),
                "{answer}"
            );
            continue;
        }
        assert_eq!(code, Some(0), "{tool}: {answer}");
        if tool == "get_regime" {
            // Its list is filled when it is asked for.
            assert_eq!(answer.trim(), "");
            continue;
        }
        let mut reader = csv::Reader::from_reader(answer.as_bytes());
        let width = reader.headers().unwrap().len();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert!(width >= 2 && !rows.is_empty(), "{tool}: {answer}");
    }
}

#[test]
fn pipe_gets_json_and_text_flag_gives_prose() {
    let piped = printed(&["call", "get_metric", "ticker=UNRATE"]);
    assert_eq!(
        printed(&["call", "get_metric", "UNRATE"]),
        piped,
        "the first argument needs no name"
    );
    let value: serde_json::Value = serde_json::from_str(&piped).unwrap();
    assert_eq!(value["ticker"], "UNRATE");
    assert_eq!(
        printed(&["call", "get_metric", "ticker=UNRATE", "--json"]),
        piped
    );
    for words in [
        ["call", "search", "query=sahm", "--text"],
        ["call", "fetch", "id=series:UNRATE", "--text"],
        ["call", "get_metric", "ticker=UNRATE", "--text"],
    ] {
        let prose = printed(&words);
        assert!(
            !prose.starts_with('{') && prose.len() > 40,
            "{words:?}: {prose}"
        );
    }
    let forms = told(&["call", "get_regime", "--text", "--json"]);
    assert_eq!(forms.0, Some(2), "one form at a time: {}", forms.1);
}

#[test]
fn table_begins_with_the_main_columns() {
    let table = printed(&["call", "list_scenarios", "--table"]);
    let names = table.lines().find(|line| line.contains(" slug ")).unwrap();
    assert!(
        names.contains("baseRateProbability") && !names.contains("thesis"),
        "{table}"
    );
}

#[test]
fn terminal_gets_a_table_that_fits() {
    let home = tempfile::tempdir().unwrap();
    for (columns, is_cut) in [(60, true), (200, false)] {
        // `script` gives a terminal.
        let own = env!("CARGO_BIN_EXE_econoscope");
        let line = format!("stty rows 24 cols {columns}; {own} call search_glossary q=yield");
        let mut terminal = clean(Command::new("script"), home.path());
        terminal
            .args(["-qec", &line, "/dev/null"])
            .stdin(Stdio::null());
        let shown = said(&terminal.output().unwrap());
        let widest = shown
            .lines()
            .filter(|line| line.starts_with(['─', ' ', '═', '╶']))
            .map(|line| line.trim_end().chars().count())
            .max();
        assert!(widest.is_some_and(|widest| widest <= columns), "{shown}");
        assert_eq!(shown.contains("Not shown: "), is_cut, "{shown}");
    }
}

#[test]
fn list_argument_may_be_repeated_and_gives_a_csv_column_each() {
    let csv = printed(&[
        "call",
        "compare_series",
        "series=UNRATE",
        "series=FEDFUNDS",
        "start=2020-01-01",
        "--csv",
    ]);
    assert!(csv.starts_with("date,UNRATE,FEDFUNDS\n"), "{csv}");
    assert!(
        csv.lines().nth(1).unwrap().matches(',').count() == 2,
        "{csv}"
    );
}

/// Commands with a mistake, and what their message says.
const MISTAKES: &[(&[&str], &str)] = &[
    (&["call", "get_metrc"], "did you mean get_metric?"),
    (&["call", "get_metric"], "ticker is required"),
    (
        &["call", "get_metric", "UNRATE", "DGS10"],
        "name=value; for example: econoscope call get_metric ticker=DGS10",
    ),
    (
        &["call", "get_metric", "ticer=UNRATE"],
        "econoscope call get_metric --help",
    ),
    (
        &["call", "get_metric", "ticker=UNRATE", "--csv"],
        "has no rows",
    ),
    (&["cal"], "call"),
    (
        &["--base-url", "macro.example.org", "serve"],
        "https://macro.example.org",
    ),
    (
        &["--base-url", "ftp://example.org", "serve"],
        "http and https",
    ),
    (
        &["--base-url", "http://0.0.0.0:80", "serve"],
        "not one to connect to",
    ),
    (
        &["--base-url", "https://example.org/econ/", "serve"],
        "has a path",
    ),
    (
        &["serve", "--allowed-host", "*"],
        "for example macro.example.org",
    ),
    (
        &["--log", "verbose", "call", "get_regime"],
        "write off, error, warn, info, debug",
    ),
    (
        &["--source-key", "eai=KEY", "sync"],
        "no source is named eai",
    ),
    (
        &["--source-url", "nowhere=http://127.0.0.1:9", "sync"],
        "no source is named nowhere",
    ),
    (
        &["--store", "${user_config.store}", "call", "get_regime"],
        "--store: ${user_config.store} was not filled in",
    ),
    (
        &["serve", "--listen=${HOST}:80"],
        "--listen: ${HOST} was not filled in",
    ),
    (
        &["--scenarios", "/nowhere", "serve"],
        "the folder does not exist",
    ),
    (
        &["--articles", "/nowhere", "call", "get_regime"],
        "the folder does not exist",
    ),
    (&["--feeds", "/nowhere", "sync"], "the file does not exist"),
    (
        &["--store", "/nowhere/x.db", "call", "get_regime"],
        "the folder /nowhere does not exist",
    ),
    (&["serve", "--listen", "8080"], "127.0.0.1:8080"),
    (&["serve", "--max-connections", "0"], "0 is not in 1.."),
    (&["serve", "--rate-limit", "0"], "0 is not in 1.."),
    (
        &["--upstream", "ftp://example.org", "call", "get_regime"],
        "http or https",
    ),
];

#[test]
fn mistakes_exit_with_2_and_name_the_remedy() {
    for (words, needle) in MISTAKES {
        let (code, answer) = told(words);
        assert_eq!(code, Some(2), "{words:?}: {answer}");
        assert!(answer.contains(needle), "{words:?}: {answer}");
    }
    let missing = told(&["call", "get_metric", "ticker=NOSUCHTHING"]);
    assert_eq!(missing.0, Some(1), "{}", missing.1);
}

#[test]
fn mistakes_in_the_settings_file_name_the_key() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("econoscope.toml");
    for (settings, needle) in [
        (
            "[serve]\nlisten = \"127.0.0.1:1\"",
            "remove the line [serve]",
        ),
        ("rate-limit = 0", "'rate-limit <N>'"),
        ("listen = \"8080\"", "'listen <ADDR>'"),
        ("rate_limit = 7", "Did you mean rate-limit?"),
        ("a = b", "invalid TOML, line 1"),
        ("scenarios = \"/nowhere\"", "the folder does not exist"),
    ] {
        fs::write(&file, settings).unwrap();
        let output = run(home.path(), &["--config", text(&file), "serve"]);
        let answer = said(&output);
        assert_eq!(output.status.code(), Some(2), "{settings}: {answer}");
        assert!(answer.contains(needle), "{settings}: {answer}");
        assert_eq!(answer.trim_end().lines().count(), 1, "{settings}: {answer}");
    }
}

#[test]
fn failed_write_is_reported_and_not_called_success() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("DGS10.csv");
    fs::write(&file, "date,value\n2026-01-02,4.5\n").unwrap();
    // A file stands where the folder of the store would be.
    fs::write(home.path().join(".local"), "").unwrap();
    for words in [
        vec!["import", text(&file)],
        vec!["sync", "--quiet", "--only", "DGS10"],
    ] {
        let output = run(home.path(), &words);
        let answer = said(&output);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {answer}");
        assert!(
            answer.contains("cannot open or create the store"),
            "{words:?}: {answer}"
        );
        assert!(!answer.contains("1 new"), "{answer}");
    }
    let asked = run(home.path(), &["call", "get_regime"]);
    assert!(
        asked.status.success(),
        "reading needs no store: {}",
        said(&asked)
    );
}

#[test]
fn import_names_unknown_series() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("csv");
    fs::create_dir(&folder).unwrap();
    fs::write(
        folder.join("a.csv"),
        "series_id,date,value\nOWNA,2026-01-01,1\nUNRATE,2026-01-01,4.3\n",
    )
    .unwrap();
    let first = said(&run(home.path(), &["import", text(&folder)]));
    assert!(
        first.contains("OWNA") && !first.contains("UNRATE"),
        "{first}"
    );
    fs::write(
        folder.join("names.csv"),
        "series_id,title,frequency\nOWNA,Our own,Monthly\n",
    )
    .unwrap();
    let named = said(&run(home.path(), &["import", text(&folder)]));
    assert!(!named.contains("not in the catalogue"), "{named}");
}

#[test]
fn log_json_writes_an_object_per_line() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("csv");
    fs::create_dir(&folder).unwrap();
    fs::write(
        folder.join("OWN.csv"),
        "date,value\n2026-01-01,1\n2026-02-01,x\n",
    )
    .unwrap();
    let mut ways = vec![
        (vec!["--log-json", "import", text(&folder)], Some(1)),
        (vec!["--log-json", "call", "get_metric", "tic=1"], Some(2)),
        (
            vec!["--log-json", "--scenarios", "/nowhere", "serve"],
            Some(2),
        ),
    ];
    let file = home.path().join("econoscope.toml");
    fs::write(&file, "log-json = true\nrate-limit = 0\n").unwrap();
    ways.push((vec!["--config", text(&file), "serve"], Some(2)));
    ways.push((vec!["--log-json", "backup", "/nowhere/x"], Some(1)));
    for (words, code) in ways {
        let output = command(home.path()).args(&words).output().unwrap();
        assert_eq!(output.status.code(), code, "{words:?}");
        let lines = String::from_utf8(output.stderr).unwrap();
        assert!(!lines.is_empty(), "{words:?}");
        for line in lines.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(
                value["message"].is_string() && value["level"].is_string(),
                "{line}"
            );
        }
    }
}

#[test]
fn sync_without_network_ends_soon_with_a_line_per_reason() {
    let home = tempfile::tempdir().unwrap();
    let mut offline = command(home.path());
    // Where nobody listens, which is refused at once.
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
        offline.env(name, "http://127.0.0.1:9");
    }
    let output = offline.arg("sync").output().unwrap();
    let told = said(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("No source can be reached: "), "{told}");
    assert!(told.lines().count() < 60, "{told}");
}
